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
/// The table of states and inputs, with its notes, is <doc:RecorderTable>; the tests have each of its cells.
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
