// SPDX-License-Identifier: Apache-2.0

// The log's vocabulary: each case has one name for machines, fixed by the JSON schema, and, where people read it, one
// phrase. No other file of Sources spells them out.

/// A kind whose cases have the same names in JSON: renaming a case changes the schema.
public protocol NamedCase {}

extension NamedCase {
  /// The name in JSON.
  public var name: String { "\(self)" }
}

extension GapCause: NamedCase {
  /// The cause of this ``name``, if any.
  public init?(name: String) {
    guard let cause = GapCause.allCases.first(where: { $0.name == name }) else { return nil }
    self = cause
  }

  /// The cause for people, in a few words that fit after a count of ticks.
  public var phrase: String {
    switch self {
    case .missed: return "woken too late"
    case .busError: return "bus error"
    case .ringFull: return "ring full"
    case .stale: return "nothing new from the sensor"
    case .reinitialising: return "sensor being reinitialised"
    case .lost: return "lost from a damaged log, a table or a FIFO"
    case .frozen: return "sensor stuck"
    }
  }
}

extension EpochCause: NamedCase {
  /// The cause for people.
  public var phrase: String {
    switch self {
    case .start: return "FIFO started"
    case .reset: return "FIFO reset"
    case .overflow: return "FIFO overflowed"
    case .burstFailed: return "burst failed"
    case .rateChanged: return "rate changed"
    case .chipReset: return "chip was reset"
    case .countedOverflow: return "FIFO overflowed, and its tags count what was lost"
    }
  }
}

extension TickTally {
  /// Every count by its name in JSON: `scheduled`, which is the sum of all others, `sampled`, and one for each cause.
  public var named: [(name: String, count: UInt64)] {
    [("scheduled", scheduled), ("sampled", sampled)]
      + GapCause.allCases.map { ($0.name, self[$0]) }
  }

  /// The ticks without a sample for people, a part for each cause that occurred: `3 woken too late`.
  public var losses: [String] {
    GapCause.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.phrase)" }
  }
}

extension StopReason: NamedCase {
  /// The flaw, for people; `nil` for an intended end.
  public var flaw: String? {
    switch self {
    case .storageFull: return "the storage was full"
    case .storageError: return "the storage failed"
    case .sensorLost: return "the sensor was lost"
    case .recovered: return "it was salvaged from a damaged log"
    case .completed, .signal, .button, .imported: return nil
    }
  }
}

extension ClockPair.Reason: NamedCase {}

extension SensorEvent.Kind: NamedCase {}

extension SensorEvent.Fault: NamedCase {}
