public import IMUModel

extension Supervisor {
  /// What is to be done between ticks.
  public enum Duty: Equatable, Sendable, BitwiseCopyable {
    /// Nothing before this instant.
    case none(until: MonotonicTime)
    /// Compare the configuration.
    case check
    /// Look at the chip: read a sample for its own sake.
    case probe
    /// Take a step of bring-up.
    case bringUp
  }

  /// What is to be done at `now`, before a tick at `deadline`.
  ///
  /// A comparison of the configuration is put off when it does not fit before the tick, for which `checkCost`
  /// is what the last one took, in nanoseconds; but not for ever. `isHolding` says whether samples wait for proof.
  public func duty(
    at now: MonotonicTime, before deadline: MonotonicTime, checkCost: Int64, isHolding: Bool
  ) -> Duty {
    switch phase {
    case .reinitialising(let next):
      return now >= next ? .bringUp : .none(until: next)
    case .sampling:
      let room = deadline - now
      let sinceCheck = now - lastCheck
      let fits = room > checkCost
      if sinceCheck >= Supervisor.checkInterval, fits || sinceCheck >= Supervisor.checkLimit {
        return .check
      }
      let interval = lookInterval(isHolding: isHolding)
      if now - lastEvidence >= interval, room > lookDelay { return .probe }
      return .none(until: nextDuty(after: now, lookInterval: interval))
    }
  }

  /// The next instant at which the answer may be another one.
  private func nextDuty(after now: MonotonicTime, lookInterval: Int64) -> MonotonicTime {
    let checkDue = lastCheck + Supervisor.checkInterval
    let checkOverdue = lastCheck + Supervisor.checkLimit
    let probeDue = lastEvidence + lookInterval
    let never = MonotonicTime(nanoseconds: .max)
    return min(
      checkDue > now ? checkDue : never, checkOverdue > now ? checkOverdue : never,
      probeDue > now ? probeDue : never)
  }

  /// From one look to the next, in nanoseconds.
  private func lookInterval(isHolding: Bool) -> Int64 {
    if isRepeating { return 2 * lookDelay }
    return isHolding ? lookDelay : Supervisor.probeInterval
  }
}
