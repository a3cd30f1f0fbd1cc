// SPDX-License-Identifier: Apache-2.0

/// What happened to the chip during a recording.
public struct SensorEvent: Equatable, Sendable, BitwiseCopyable {
  /// The kinds of event; raw values are part of the log format.
  public enum Kind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    /// The chip stopped delivering samples that can be trusted.
    case lost = 1
    /// The sampler began to set the chip up again.
    case reinitialised = 2
    /// The chip delivers samples again, configured as before.
    case back = 3
  }

  /// The observed fault; raw values are part of the log format.
  public enum Fault: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    /// None in particular.
    case none = 0
    /// Transfers failed.
    case bus = 1
    /// A register no longer held what was written to it: the chip's supply had dipped.
    case configurationLost = 2
    /// All channels read exactly zero.
    case zeros = 3
    /// The outputs repeated the same sample.
    case frozen = 4
    /// No new sample was ready for several of the chip's own periods.
    case noData = 5
    /// Another chip, or none, answers at the address.
    case identity = 6
  }

  /// Number of the tick at which it was noticed.
  public var tick: UInt64
  /// What happened.
  public var kind: Kind
  /// The observed fault.
  public var fault: Fault

  /// An event noticed at `tick`.
  public init(tick: UInt64, kind: Kind, fault: Fault) {
    (self.tick, self.kind, self.fault) = (tick, kind, fault)
  }
}

/// A moment that the user marked during a recording.
public struct Mark: Equatable, Sendable {
  /// Nanoseconds since tick 0's deadline.
  public var time: Int64
  /// The user's label, at most 200 bytes of UTF-8; empty for a press of the button.
  public var label: String

  /// A mark at `time`.
  public init(time: Int64, label: String = "") {
    (self.time, self.label) = (time, label)
  }
}
