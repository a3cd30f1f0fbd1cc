import LinuxIO

/// How deep the processors may sleep during a take: held until this value is gone.
struct TakeLatency {
  /// Kept for its lifetime.
  private let hold: LatencyHold?
  /// Why it is not held, though it was asked for.
  let refusal: Refusal?

  /// Asks for wake-ups of at most so many microseconds; for nothing when `nil`.
  init(microseconds: Int32?) {
    (hold, refusal) = microseconds.map { LatencyHold.engage(microseconds: $0) } ?? (nil, nil)
  }

  /// As the log's header has it.
  var words: String {
    if let hold { return "held at \(hold.microseconds) µs" }
    return refusal == nil ? "not held" : "refused"
  }
}
