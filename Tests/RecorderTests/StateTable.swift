// SPDX-License-Identifier: Apache-2.0

import Recorder

/// The table of states and events, written from the specification. Each field has the form of `Notation.step`; an event
/// without a row has no effect in any state of that part.
enum StateTable {
  static let idle = """
    event         | asleep         | waking               | armed
    press 5       | → waking: wake | ·                    | → starting: begin 5
    press 9       | → waking: wake | ·                    | → starting: begin 9
    long 5        | refuse         | refuse               | → saving: keep 5
    veryLong 5    | → ended: exit  | → ended: sleep, exit | → ended: sleep, exit
    start 5       | → waking: wake | ·                    | → starting: begin 5
    stop 5        | refuse         | refuse               | refuse
    mark 5        | refuse         | refuse               | refuse
    keep 5        | refuse         | refuse               | → saving: keep 5
    discard 5     | refuse         | refuse               | refuse
    sensorReady   | ·              | → armed              | ·
    sensorFailed  | ·              | retry                | → waking: retry
    reload        | reload         | reload               | reload
    reload sample | → waking: wake | sleep, wake          | → waking: sleep, wake
    reload sleep  | ·              | → asleep: sleep      | → asleep: sleep
    triggered 5   | report         | report               | → starting: begin 5 tick 50, mark 5 g
    terminate     | → ended: exit  | → ended: sleep, exit | → ended: sleep, exit
    """

  static let recording = """
    event         | starting                       | recording                      | stopping
    down 5        | hold 5                         | hold 5                         | ·
    press 5       | → stopping: hold 5             | → stopping: hold 5             | → saving: end 4 button
    press 9       | → stopping: hold 9             | → stopping: hold 9             | → saving: end 4 button
    double 4      | mark 4, release                | mark 4, release                | → recording: mark 4, release
    single 4      | ·                              | ·                              | → saving: end 4 button
    long 5        | → saving: discard 5            | → saving: discard 5            | → saving: end 4 button
    veryLong 5    | → ending: end now button       | → ending: end now button       | → ending: mark 4, end now button
    forgotten 5   | release                        | release                        | → recording: release
    start 5       | refuse                         | refuse                         | refuse
    stop 5        | → saving: end 5 button         | → saving: end 5 button         | → saving: mark 4, end 5 button
    mark 5        | mark 5 x                       | mark 5 x                       | refuse
    keep 5        | refuse                         | refuse                         | refuse
    discard 5     | → saving: discard 5            | → saving: discard 5            | → saving: mark 4, discard 5
    sensorFailed  | → saving: end now sensorLost   | → saving: end now sensorLost   | → saving: mark 4, end now sensorLost
    firstSample   | → recording                    | ·                              | ·
    fileRefused   | → armed                        | → armed                        | → armed
    limitReached  | → saving: end now completed    | → saving: end now completed    | → saving: end now completed
    storageEnded  | → saving: end now storageError | → saving: end now storageError | → saving: mark 4, end now storageError
    savedNothing  | → armed                        | → armed                        | → armed
    triggered 5   | mark 5 g                       | mark 5 g                       | mark 5 g
    terminate     | → ending: end now signal       | → ending: end now signal       | → ending: mark 4, end now signal
    """

  static let end = """
    event         | saving   | ending               | ended
    press 5       | ·        | refuse               | ·
    press 9       | ·        | refuse               | ·
    long 5        | refuse   | refuse               | ·
    veryLong 5    | → ending | ·                    | ·
    start 5       | ·        | refuse               | refuse
    stop 5        | ·        | refuse               | refuse
    mark 5        | refuse   | refuse               | refuse
    keep 5        | refuse   | refuse               | refuse
    discard 5     | refuse   | refuse               | refuse
    fileRefused   | → armed  | → ended: sleep, exit | ·
    saved         | → armed  | → ended: sleep, exit | ·
    savedNothing  | → armed  | → ended: sleep, exit | ·
    triggered 5   | ·        | report               | ·
    terminate     | → ending | ·                    | ·
    """

  /// The steps of all parts, by state and event.
  static let steps: [String: [String: String]] = {
    var steps: [String: [String: String]] = [:]
    for table in [idle, recording, end] {
      let rows = table.split(separator: "\n").map(cells)
      for row in rows.dropFirst() {
        precondition(Notation.events.contains { $0.name == row[0] }, "no event \(row[0])")
        for (state, step) in zip(rows[0], row).dropFirst() {
          precondition(steps[state]?[row[0]] == nil, "\(row[0]) has two rows")
          steps[state, default: [:]][row[0]] = step
        }
      }
    }
    return steps
  }()

  private static func cells(_ row: Substring) -> [String] {
    row.split(separator: "|").map { cell in
      var cell = cell.drop { $0 == " " }
      while cell.last == " " { cell.removeLast() }
      return String(cell)
    }
  }

  /// Events that reach each state, without memory of earlier ones.
  static func machine(in state: String) -> RecorderMachine {
    let armed = ["begin", "sensorReady"]
    // Before all stamps of the table.
    var starting = RecorderMachine(through: armed)
    _ = starting.handle(.start(at: Notation.time(1)))
    var recording = starting
    _ = recording.handle(.firstSample)
    switch state {
    case "asleep": return RecorderMachine(samplesWhileIdle: false, through: ["begin"])
    case "waking": return RecorderMachine(through: ["begin"])
    case "armed": return RecorderMachine(through: armed)
    case "starting": return starting
    case "recording": return recording
    case "stopping":
      _ = recording.handle(.press(at: Notation.time(4)))
      return recording
    case "saving":
      _ = recording.handle(Notation.event("stop 5"))
      return recording
    case "ending":
      _ = recording.handle(.terminate)
      return recording
    case "ended": return RecorderMachine(through: armed + ["terminate"])
    default: preconditionFailure("no state \(state)")
    }
  }
}
