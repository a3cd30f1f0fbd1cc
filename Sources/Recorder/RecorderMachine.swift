// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The recorder's behaviour: one table of states and inputs, pure and total.
///
///                     start            first sample        press
///         ┌► armed ──────────► starting ────────► recording ─────► stopping
///         │    ▲ ▲                │  ▲                │  ▲             │ │
///         │    │ │ sensor runs    │  └─── single ─────┼──┼─── double ──┘ │ single, limit, …
///         │    │ └────── waking   │ refused           │ limit, stop,     │
///         │    │           ▲      │                   │ storage, sensor  │
///         │    │           │ press│                   ▼                  ▼
///         │    └───────────┼──────┴────────────────  saving ◄────────────┘
///         └── keep ──►     │                           │ no sampling while idle
///                        asleep ◄──────────────────────┘          terminate ─► ending ─► ended
///
/// The table. `→` names the next state; effects follow it. `·` means that nothing happens. 5 is the stamp of the
/// press or request, 4 the stamp of the press that led to stopping. Small letters refer to the notes below.
///
///     input         | asleep           | waking               | armed
///     begin         | · a              | ·                    | ·
///     press 5       | → waking: wake b | · b                  | → starting: begin 5
///     double 5      | ·                | ·                    | ·
///     single 5      | ·                | ·                    | ·
///     holding 5     | ·                | ·                    | ·
///     long 5        | refuse           | refuse               | → saving: keep 5
///     veryLong 5    | → ended: exit    | → ended: sleep, exit | → ended: sleep, exit
///     start 5       | → waking: wake b | · b, c               | → starting: begin 5
///     stop 5        | refuse           | refuse d             | refuse
///     mark 5        | refuse           | refuse m             | refuse
///     keep 5        | refuse           | refuse               | → saving: keep 5
///     discard 5     | refuse           | refuse               | refuse
///     sensorReady   | ·                | → armed e            | ·
///     sensorFailed  | ·                | retry f              | → waking: retry
///     retry         | ·                | · g                  | ·
///     reload        | reload           | reload               | reload
///     reload sample | → waking: wake   | sleep, wake          | → waking: sleep, wake
///     reload sleep  | ·                | → asleep: sleep h    | → asleep: sleep
///     reload wrong  | ·                | ·                    | ·
///     triggered 5   | report           | report               | → starting: begin 5, mark 5
///     quiet 5       | ·                | ·                    | ·
///     terminate     | → ended: exit    | → ended: sleep, exit | → ended: sleep, exit
///
///     input         | starting                | recording               | stopping
///     down 5        | hold 5 p                | hold 5 p                | ·
///     press 5       | → stopping: hold 5 p    | → stopping: hold 5 p    | → saving: end 4 button b
///     double 4      | mark 4, release i       | mark 4, release i       | → recording: mark 4, release j
///     single 4      | · i                     | · i                     | → saving: end 4 button
///     holding 5     | ·                       | ·                       | ·
///     long 5        | → saving: discard 5 b, p| → saving: discard 5 b, p| → saving: end 4 button
///     veryLong 5    | → ending: end now button| → ending: end now button| → ending: mark 4, end now button
///     forgotten 5   | release                 | release                 | → recording: release j
///     start 5       | refuse                  | refuse                  | refuse
///     stop 5        | → saving: end 5 button  | → saving: end 5 button  | → saving: mark 4, end 5 button
///     mark 5        | mark 5                  | mark 5                  | refuse
///     keep 5        | refuse                  | refuse                  | refuse
///     discard 5     | → saving: discard 5 b   | → saving: discard 5 b   | → saving: mark 4, discard 5 b
///     sensorFailed  | → saving: end now lost  | → saving: end now lost  | → saving: mark 4, end now lost
///     firstSample   | → recording             | ·                       | · j
///     fileRefused   | → armed k               | → armed k               | → armed k
///     limitReached  | → saving: end now done  | → saving: end now done  | → saving: mark 4, end now done q
///     savedNothing  | → armed k               | → armed k               | → armed k
///     storageEnded  | → saving: end now full  | → saving: end now full  | → saving: mark 4, end now full
///     reload        | · l                     | · l                     | · l
///     triggered 5   | mark 5                  | mark 5                  | mark 5 m
///     quiet 5       | → saving: end 5 done n  | → saving: end 5 done n  | → saving: mark 4, end 5 done n, q
///     terminate     | → ending: end now signal| → ending: end now signal| → ending: mark 4, end now signal
///
///     input         | saving    | ending                | ended
///     press 5       | · b       | refuse                | ·
///     long 5        | refuse    | refuse                | ·
///     veryLong 5    | → ending  | ·                     | ·
///     start 5       | · b       | refuse                | refuse
///     stop 5        | · d       | refuse                | refuse
///     mark 5        | refuse m  | refuse                | refuse
///     keep, discard | refuse    | refuse                | refuse
///     fileRefused   | → armed k | → ended: sleep, exit  | ·
///     saved         | → armed k | → ended: sleep, exit  | ·
///     savedNothing  | → armed k | → ended: sleep, exit  | ·
///     reload        | · l       | ·                     | ·
///     triggered 5   | · b, o    | report                | ·
///     quiet 5       | · o       | ·                     | ·
///     terminate     | → ending  | ·                     | ·
///
/// An input that a table does not list does nothing in its states. But sensorFailed, fileRefused, storageEnded and a
/// wrong configuration set ``problem`` wherever a recording or the sensor is in use, and a success clears it.
/// sensorSilent and sensorAnswers change ``presentProblem`` in every state, and nothing else.
///
/// - a: → waking: wake, when the sensor is sampled while idle.
/// - b: the press or request waits, and begins a recording as soon as one can begin, with its own stamp. The first
///   one counts, by its stamp for a press; a second request is refused. A press from before the end of a recording that
///   ended by itself was meant to end that recording and is refused.
/// - c: refused while the sensor cannot be found.
/// - d: cancels a start that waits; the end of the current recording continues.
/// - e: → starting: begin, when a start waits.
/// - f: a start that waits is cancelled and refused. Without sampling while idle: → asleep, and the next press
///   tries again.
/// - g: wake, when the sensor was not found.
/// - h: with a start that waits: sleep, wake.
/// - i: no mark where this press began the recording, which then is for a calibration by hand: ``isGuided``. So are a
///   recording for which the press waits, and the one after a guided one that is discarded.
/// - j: back to starting when there is no first sample yet; firstSample is noted.
/// - k: → starting: begin, when a start waits. Else → waking: wake when the sensor was lost; → asleep: sleep
///   when it is not sampled while idle.
/// - l: reload follows when no recording is in progress and none waits.
/// - m: a recording that waits has the mark when it has begun. While the meaning of a press is open, the writer withholds a
///   later event: in a log that goes on it is a mark already.
/// - n: only where motion began the recording; no effect on others.
/// - o: a quiet that comes while the event's recording still waits ends it when it has begun; the next event continues it, and
///   a person's press or request takes it over. An event that waits when the sensor is lost is forgotten with its samples,
///   which is reported; so is an event whose recording a stop or the service's end calls off.
/// - p: not by the press that shook the device and so began the recording itself (``hasBegun(by:)``): that person takes the
///   recording over, and motion no longer ends it.
/// - q: a press that is open when its recording ends otherwise, from the instant the button goes down, is a mark of that
///   recording, because it could still be the end or a mark. Its gesture has no other effect. A press after the recording's
///   own end is not a mark; if it becomes a double one, it is refused.
public struct RecorderMachine: Hashable, Sendable {
  /// A column of the table.
  public enum State: String, CaseIterable, Sendable {
    /// Idle; the sensor sleeps.
    case asleep
    /// The sensor is being brought up, or was not found and is tried again.
    case waking
    /// Idle; the sensor is sampled into the history.
    case armed
    /// A recording has begun; its file and its first sample are awaited.
    case starting
    case recording
    /// The button was pressed in a recording: the end, unless a second press makes it a mark.
    case stopping
    /// A recording's end is being made durable, or the recording is being discarded.
    case saving
    /// As saving; the recorder ends after it.
    case ending
    case ended

    /// Whether there is no recording, and the recorder continues.
    var isIdle: Bool { self == .asleep || self == .waking || self == .armed }

    /// Whether present samples belong to a recording.
    var isLogging: Bool { self == .starting || self == .recording || self == .stopping }
  }

  package internal(set) var state = State.asleep
  /// The last problem; `nil` once the same attempt succeeded.
  package internal(set) var problem: Problem?
  package internal(set) var samplesWhileIdle: Bool
  /// The recording that begins as soon as one can begin.
  var waiting: WaitingRecording?
  package var waitingStart: RecordingStart? { waiting?.start }

  /// What began the recording, or took it over; `nil` without a recording.
  var begun: RecordingStart?
  /// The first of the last two presses that were no mark.
  var doublePress: MonotonicTime?
  /// Whether two presses began the recording, for a calibration by hand.
  var isGuided: Bool { doublePress.map { begun?.isBegun(by: $0) == true } ?? false }
  /// The press that may be the recording's end, from the instant the button goes down.
  var openPress: MonotonicTime?
  /// The press that was open when its recording ended otherwise.
  var pastPress: PastPress?
  var hasFirstSample = false
  /// Whether the sensor is up or being brought up, or was lost while its writer ends the recording.
  var isSensorAwake = false
  /// Whether the sensor was lost in a recording that is not saved yet.
  var isSensorLost = false
  /// Whether the sensor is polled and gives no samples.
  var isSensorSilent = false
  /// Whether the button has been held for the time of a long press.
  var isButtonHeld = false
  /// The presses that were meant for the last recording, which ended by its length or motion.
  var lastPresses: Range<MonotonicTime>?
  /// Whether to read the configuration when the recording is over.
  var awaitsReload = false
  var hasStorageFailed = false

  /// Expects ``RecorderInput/begin`` first.
  package init(samplesWhileIdle: Bool) {
    self.samplesWhileIdle = samplesWhileIdle
  }

  /// Ends at once: the card takes too long.
  mutating func abandon() { state = .ended }

  /// The problem to report: ``problem``, or that the sensor gives no samples now.
  package var presentProblem: Problem? {
    problem ?? (isSensorAwake && isSensorSilent ? .sensor : nil)
  }

  /// The light. Problems are shown only while there is no recording.
  package var light: Light {
    switch state {
    case .asleep: return idleLight(.off)
    case .waking: return idleLight(.waking)
    case .armed: return idleLight(.armed)
    case .starting, .saving, .ending: return .saving
    case .recording: return isButtonHeld ? .acknowledged(isLit: false) : .recording
    case .stopping: return .acknowledged(isLit: false)
    case .ended: return .off
    }
  }

  private func idleLight(_ light: Light) -> Light {
    guard !isButtonHeld else { return .acknowledged(isLit: true) }
    return presentProblem.map { .problem($0) } ?? light
  }
}

/// A press whose meaning was open when its recording ended otherwise.
struct PastPress: Hashable, Sendable {
  let at: MonotonicTime
  /// Whether the recording has a mark for it: not if it came after the end.
  let isMarked: Bool
}

/// A recording that begins as soon as one can begin.
struct WaitingRecording: Hashable, Sendable {
  struct EarlyMark: Hashable, Sendable {
    let at: MonotonicTime
    let label: String
  }

  var start: RecordingStart
  /// When the event that begins it ended; `nil` while it goes on.
  var end: MonotonicTime?
  var marks: Set<EarlyMark> = []

  mutating func mark(at instant: MonotonicTime, _ label: String) {
    marks.insert(EarlyMark(at: instant, label: label))
  }
}

/// A problem that prevents recording; the raw value is its number of blinks.
public enum Problem: UInt8, CaseIterable, Sendable {
  /// The sensor was not found or was lost.
  case sensor = 1
  /// There is no space for a recording, or none is left.
  case storageFull = 2
  /// The storage failed.
  case storage = 3
  /// The configuration was read again and is wrong; the old one stays in force.
  case configuration = 4

  /// The name in the status.
  public var name: String {
    switch self {
    case .sensor: "sensor"
    case .storageFull: "storageFull"
    case .storage: "storage"
    case .configuration: "configuration"
    }
  }

  /// A clause for a person.
  public var meaning: String {
    switch self {
    case .sensor: return "the sensor cannot be used"
    case .storageFull: return "there is no space for a recording"
    case .storage: return "the storage failed"
    case .configuration: return "the configuration is wrong, and the one before it is in force"
    }
  }

  /// The reason for the end of a recording with this problem.
  var stopReason: StopReason {
    switch self {
    case .storageFull: return .storageFull
    case .storage, .configuration: return .storageError
    case .sensor: return .sensorLost
    }
  }
}
