// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

/// Events and effects in the words of the state table, so that the test's table can be compared with the specification.
enum Notation {
  /// All events, in the words of the table. Stamps are the numbers after the words.
  static let events: [(name: String, event: RecorderInput)] = [
    ("begin", .begin),
    ("down 5", .buttonDown(at: time(5))),
    ("press 5", .press(at: time(5))),
    ("press 9", .press(at: time(9))),
    ("double 4", .double(at: time(4))),
    ("single 4", .single(at: time(4))),
    ("holding 5", .holding(at: time(5))),
    ("long 5", .long(at: time(5))),
    ("veryLong 5", .veryLong(at: time(5))),
    ("forgotten 5", .forgotten(at: time(5))),
    ("start 5", .start(at: time(5))),
    ("stop 5", .stop(at: time(5))),
    ("mark 5", .mark(at: time(5), label: "x")),
    ("keep 5", .keep(at: time(5))),
    ("discard 5", .discard(at: time(5))),
    ("triggered 5", .triggered(at: time(5), tick: 50, label: "g")),
    ("quiet 5", .quiet(at: time(5))),
    ("sensorReady", .sensorReady),
    ("sensorSilent", .sensorSilent),
    ("sensorAnswers", .sensorAnswers),
    ("sensorFailed", .sensorFailed),
    ("retry", .retry),
    ("firstSample", .firstSample),
    ("fileRefused", .fileRefused(.storageFull)),
    ("limitReached", .limitReached(at: time(3))),
    ("storageEnded", .storageEnded(.storage)),
    ("saved", .saved),
    ("savedNothing", .savedNothing),
    ("reload", .reload),
    ("reload sample", .reloaded(samplesWhileIdle: true)),
    ("reload sleep", .reloaded(samplesWhileIdle: false)),
    ("reload wrong", .reloadRefused),
    ("terminate", .terminate),
  ]

  /// A stamp's instant: they are tenths of a second.
  static func time(_ stamp: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: stamp * tenth)
  }

  private static let tenth: Int64 = 100_000_000

  private static func stamp(_ time: MonotonicTime) -> Int64 { time.nanoseconds / tenth }

  /// The event of this name.
  static func event(_ name: String) -> RecorderInput {
    guard let found = events.first(where: { $0.name == name }) else {
      preconditionFailure("no event \(name)")
    }
    return found.event
  }

  /// A step as the table writes it: `→ state: effects`, or `·`.
  static func step(
    from before: RecorderMachine.State, to after: RecorderMachine.State, _ effects: [RecorderEffect]
  ) -> String {
    let words = effects.map(word).joined(separator: ", ")
    if before == after { return words.isEmpty ? "·" : words }
    return words.isEmpty ? "→ \(after)" : "→ \(after): \(words)"
  }

  static func word(_ effect: RecorderEffect) -> String {
    switch effect {
    case .wakeSensor: return "wake"
    case .sleepSensor: return "sleep"
    case .scheduleRetry: return "retry"
    case .beginRecording(let start):
      return "begin \(stamp(start.at))" + (start.tick.map { " tick \($0)" } ?? "")
    case .keepHistory(let at, _): return "keep \(stamp(at))"
    case .holdBack(let at): return "hold \(stamp(at))"
    case .release: return "release"
    case .takeOver: return "take over"
    case .mark(let at, let label):
      return "mark \(stamp(at))" + (label == "" ? "" : " \(label)")
    case .endRecording(let at, let reason):
      return "end " + (at.map { "\(stamp($0))" } ?? "now") + " \(reason.name)"
    case .discardRecording(let at): return "discard \(stamp(at))"
    case .refuse: return "refuse"
    case .report: return "report"
    case .reload: return "reload"
    case .exit: return "exit"
    }
  }
}

extension RecorderMachine {
  /// A machine after these events.
  init(samplesWhileIdle: Bool = true, through names: [String]) {
    self.init(samplesWhileIdle: samplesWhileIdle)
    for name in names { _ = handle(Notation.event(name)) }
  }

  /// The step of an event, as the table writes it.
  mutating func step(_ name: String) -> String {
    let before = state
    let effects = handle(Notation.event(name))
    return Notation.step(from: before, to: state, effects)
  }

  /// Plays a sequence of events, each with the machine's step.
  mutating func play(_ story: [(String, String)]) {
    for (event, expected) in story {
      let before = state
      let found = step(event)
      #expect(found == expected, "\(event) in \(before)")
    }
  }

  /// The machine after such a sequence.
  @discardableResult
  func after(_ story: [(String, String)]) -> RecorderMachine {
    var machine = self
    machine.play(story)
    return machine
  }

  /// The words of an event's effects.
  mutating func words(_ event: RecorderInput) -> [String] { handle(event).map(Notation.word) }
}
