import IMUModel

// Words for the log's vocabulary in exports, as fixed as the keys beside them.

extension ClockPair.Reason {
  var name: String {
    switch self {
    case .start: return "start"
    case .becameSynchronised: return "becameSynchronised"
    case .stepped: return "stepped"
    case .end: return "end"
    }
  }
}

extension GapCause {
  /// The same words as the keys of `ticks`, for one tick.
  var name: String {
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
}

extension SensorEvent.Kind {
  var name: String {
    switch self {
    case .lost: return "lost"
    case .reinitialised: return "reinitialised"
    case .back: return "back"
    }
  }
}

extension SensorEvent.Fault {
  var name: String {
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
