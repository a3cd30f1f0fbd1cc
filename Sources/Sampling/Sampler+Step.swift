public import IMUModel

extension Sampler where Sensor: ~Copyable, Sink: ~Copyable {
  /// How long the loop sleeps at most before it looks at the stop flag again, in nanoseconds.
  @inlinable static var slice: Int64 { 100_000_000 }

  /// Steps until the loop has ended.
  @inlinable
  public mutating func run() {
    while step() == .continue {}
  }

  /// Waits for the next tick's deadline and deals with every tick that is due then.
  @inlinable
  public mutating func step() -> StepResult {
    guard outcome == nil else { return .finished }
    guard let now = waitForDeadline() else {
      skipUnreachable(at: clock.now())
      return finish(.stopRequested)
    }
    if !schedule.isOver(at: tick) {
      switch supervisor.phase {
      case .sampling: sampleTick(at: now)
      case .reinitialising: skipDue(at: now)
      }
    }
    if schedule.isOver(at: tick) { return finish(.completed) }
    outbox.settle(at: now)
    // Also here and not only while waiting: a loop that is always late does not wait.
    _ = doDuty(at: clock.now())
    return .continue
  }

  @inlinable
  mutating func finish(_ ending: SamplerEnding) -> StepResult {
    settleHeld()
    outbox.flush()
    outcome = ending
    return .finished
  }

  /// Sleeps until the next tick is due, and between does what the supervisor asks.
  ///
  /// - Returns: The instant, or `nil` when a stop was requested.
  @inlinable
  mutating func waitForDeadline() -> MonotonicTime? {
    while true {
      if stop.isRequested { return nil }
      let now = clock.now()
      let deadline = schedule.deadline(of: tick)
      if now >= deadline || schedule.isOver(at: tick) { return now }
      if let idleUntil = doDuty(at: now) {
        clock.sleep(until: min(deadline, idleUntil, now + Sampler.slice))
      }
    }
  }

  /// Reads the chip for the next tick; ticks a period or more late are skipped before.
  @inlinable
  mutating func sampleTick(at now: MonotonicTime) {
    skipUnreachable(at: now)
    guard !schedule.isOver(at: tick) else { return }
    wakeLateness = now - schedule.deadline(of: tick)
    readTick(at: now)
    tick += 1
    skipHeldUpTicks()
  }

  /// Skips the ticks that are a period or more late.
  @inlinable
  mutating func skipUnreachable(at now: MonotonicTime) {
    skipTicks(before: schedule.firstReachable(from: tick, at: now), at: now)
  }

  /// Skips all ticks that are due.
  @inlinable
  mutating func skipDue(at now: MonotonicTime) {
    let reachable = schedule.firstReachable(from: tick, at: now)
    skipTicks(before: schedule.deadline(of: reachable) <= now ? reachable + 1 : reachable, at: now)
  }

  /// Skips the ticks before `end`, for the cause that holds now.
  @inlinable
  mutating func skipTicks(before end: UInt64, at now: MonotonicTime) {
    let end = min(end, schedule.plannedTicks ?? .max)
    guard end > tick else { return }
    let cause: GapCause
    switch supervisor.phase {
    case .sampling: cause = .missed
    case .reinitialising: cause = supervisor.refusal == nil ? .reinitialising : .busError
    }
    let code = supervisor.refusal ?? 0
    skip(Gap(firstTick: tick, count: end - tick, cause: cause, code: code), at: now)
    tick = end
  }
}
