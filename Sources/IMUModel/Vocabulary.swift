// SPDX-License-Identifier: Apache-2.0

// The log's vocabulary: each case has one name for machines, fixed by the JSON schema, and, where people read it, one
// phrase. No other file of Sources spells them out.

extension GapCause {
  /// The name in JSON: the cause of a gap, and the key of its count of ticks.
  public var name: String {
    switch self {
    case .missed: return "missed"
    case .busError: return "busError"
    case .ringFull: return "ringFull"
    case .stale: return "stale"
    case .reinitialising: return "reinitialising"
    case .lost: return "lost"
    case .frozen: return "frozen"
    }
  }

  /// The cause of this ``name``; `nil` where it is none.
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

extension EpochCause {
  /// The name in JSON.
  public var name: String {
    switch self {
    case .start: return "start"
    case .reset: return "reset"
    case .overflow: return "overflow"
    case .burstFailed: return "burstFailed"
    case .rateChanged: return "rateChanged"
    case .chipReset: return "chipReset"
    case .countedOverflow: return "countedOverflow"
    }
  }

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

extension TickLedger {
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

extension StopReason {
  /// The name in JSON.
  public var name: String {
    switch self {
    case .completed: return "completed"
    case .signal: return "signal"
    case .button: return "button"
    case .storageFull: return "storageFull"
    case .storageError: return "storageError"
    case .sensorLost: return "sensorLost"
    case .imported: return "imported"
    case .recovered: return "recovered"
    }
  }

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

extension ClockPair.Reason {
  /// The name in JSON.
  public var name: String {
    switch self {
    case .start: return "start"
    case .becameSynchronised: return "becameSynchronised"
    case .stepped: return "stepped"
    case .end: return "end"
    }
  }
}

extension SensorEvent.Kind {
  /// The name in JSON.
  public var name: String {
    switch self {
    case .lost: return "lost"
    case .reinitialised: return "reinitialised"
    case .back: return "back"
    }
  }
}

extension SensorEvent.Fault {
  /// The name in JSON.
  public var name: String {
    switch self {
    case .none: return "none"
    case .bus: return "bus"
    case .configurationLost: return "configurationLost"
    case .zeros: return "zeros"
    case .frozen: return "frozen"
    case .noData: return "noData"
    case .identity: return "identity"
    }
  }
}
