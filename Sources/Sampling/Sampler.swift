// SPDX-License-Identifier: Apache-2.0

public import IMUDrivers
public import IMUModel
import Synchronization

/// The sampling loop: waits for each tick's deadline, reads the chip once, pushes the sample.
///
///     deadline n        n+1                n+2   n+3   n+4               n+5
///        │               │                  │     │     │                 │
///        ├─read  look    ├─read  look       ╳     ╳     ├─read  look      ├─read  look
///        │         push  │         push                 │         push    │         push
///        │                                                │
///        woken in time                  woken late: n+2, n+3 are missed, one gap
///
/// - Deadlines are absolute (``Schedule``), so delays do not add up. A tick that is a period or more late is missed:
///   counted, recorded, never caught up. Each tick is in exactly one record and once in ``tally``.
/// - A sample is released when a later look at the chip, the next tick's read or one between, proves it (``HeldRecords``).
/// - A chip that lost its configuration or froze is noticed (``Supervisor``) and set up again between and during the ticks.
///
/// ``step()`` and ``run()`` neither allocate, lock, count references nor throw, provided sensor, clock and sink do not.
public struct Sampler<
  Sensor: IMUSensor & ~Copyable, Clock: MonotonicClock, Sink: TickSink & ~Copyable
>: ~Copyable {
  @usableFromInline var sensor: Sensor
  @usableFromInline let clock: Clock
  @usableFromInline var proofs: ProofQueue<Sink>
  @usableFromInline var supervisor: Supervisor

  /// When each tick is due.
  public let schedule: Schedule
  /// Sample times are multiples of this many nanoseconds.
  public let timeUnit: Int64
  @usableFromInline let stop: StopFlag

  /// The next tick.
  @usableFromInline var tick: UInt64 = 0
  /// The longest time from one sample of the chip to the next, in nanoseconds: a tenth above the nominal period.
  @usableFromInline let samplePeriod: Int64
  /// The latest instant at which the newest sample read can have been made: see ``consume(readFrom:to:)``.
  @usableFromInline var consumed: MonotonicTime
  /// Looks since a chip that was stuck was set up again.
  @usableFromInline var lifeLooks = 0
  /// The errno of a transfer that failed, or took too long, during the present tick or after it; 0 for none. Ticks that
  /// went by meanwhile are lost to it.
  @usableFromInline var holdUp: Int32 = 0
  /// Nanoseconds from the present tick's deadline to the waking for it.
  @usableFromInline var wakeLateness: Int64 = 0
  @usableFromInline var isOver = false

  /// A loop over a sensor that has been brought up.
  ///
  /// Takes `rate` ticks a second from `start`, the deadline of tick 0, on, and ends after `plannedTicks`, if given, or
  /// within 100 ms when `stop` is raised. Sample times are rounded down to multiples of `timeUnit` nanoseconds; traps
  /// unless it is positive.
  @inlinable
  public init(
    sensor: consuming Sensor, clock: Clock, sink: consuming Sink, rate: SampleRate,
    start: MonotonicTime, plannedTicks: UInt64?, timeUnit: Int64, stop: StopFlag
  ) {
    precondition(timeUnit > 0, "a time unit is positive")
    let limit = sensor.lifeLimit
    let dataRate = sensor.description.outputDataRate
    samplePeriod = dataRate > 0 ? Int64(1.1e9 / dataRate) : 0
    consumed = clock.now()
    self.sensor = sensor
    self.clock = clock
    self.proofs = ProofQueue(capacity: 1200, sink: sink)
    self.schedule = Schedule(start: start, rate: rate, plannedTicks: plannedTicks)
    self.timeUnit = timeUnit
    self.stop = stop
    self.supervisor = Supervisor(at: consumed, lifeLimit: limit, samplePeriod: samplePeriod)
  }
}

/// A sampling loop on a thread of its own, or stepped in virtual time, where the sink is emptied in between.
public protocol SamplingLoop: ~Copyable {
  /// The ticks, as far as they are known in advance.
  var schedule: Schedule { get }

  /// What happened to every tick so far, except those whose sample waits for its proof. In balance with the records,
  /// including ``undelivered``, at any time.
  var tally: TickTally { get }

  /// Handles what is due next.
  mutating func step() -> StepResult

  /// Records that the sink had no room for so far, oldest first: to be written after those in the sink. Allocates.
  var undelivered: [TickRecord] { get }
}

extension SamplingLoop where Self: ~Copyable {
  /// Steps until the loop has ended.
  @inlinable
  public mutating func run() {
    while step() == .continue {}
  }
}

extension Sampler: SamplingLoop where Sensor: ~Copyable, Sink: ~Copyable {}

/// What follows a step of the loop.
public enum StepResult: Equatable, Sendable, BitwiseCopyable {
  /// Another step.
  case `continue`
  /// Nothing: the loop has ended, and further steps do nothing.
  case finished
}

extension Sampler where Sensor: ~Copyable, Sink: ~Copyable {
  /// See ``SamplingLoop/tally``.
  public var tally: TickTally { proofs.outbox.tally }

  /// See ``SamplingLoop/undelivered``.
  public var undelivered: [TickRecord] { proofs.outbox.undelivered }

  /// Waits for the next tick's deadline and handles every tick that is due then.
  @inlinable
  public mutating func step() -> StepResult {
    if isOver { return .finished }
    guard let now = waitForDeadline() else {
      skipUnreachable(at: clock.now())
      return finish()
    }
    if !schedule.isOver(at: tick) {
      switch supervisor.phase {
      case .sampling: sampleTick(at: now)
      case .reinitialising: skipDue(at: now)
      }
    }
    if schedule.isOver(at: tick) { return finish() }
    proofs.outbox.resolve(at: now)
    // Also here and not only while waiting: a loop that is always late does not wait.
    _ = doDuty(at: clock.now())
    return .continue
  }

  @inlinable
  mutating func finish() -> StepResult {
    resolveHeld()
    proofs.outbox.flush()
    isOver = true
    return .finished
  }

  /// Sleeps until the next tick is due, and meanwhile does what the supervisor asks; `nil` when a stop was requested.
  @inlinable
  mutating func waitForDeadline() -> MonotonicTime? {
    while true {
      if stop.isRequested { return nil }
      let now = clock.now()
      let deadline = schedule.deadline(of: tick)
      if now >= deadline || schedule.isOver(at: tick) { return now }
      if let idleUntil = doDuty(at: now) {
        clock.sleep(until: min(deadline, idleUntil, now + 100_000_000))
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
    proofs.skip(Gap(firstTick: tick, count: end - tick, cause: cause, code: code), at: now)
    tick = end
  }
}

/// A request to stop, shared between the sampler and all that may end a recording: main thread, signal handler. Copies
/// share one flag, which is never lowered.
///
/// Safe to send: the only access to the shared byte is atomic. Its memory, a few bytes a recording, is never freed, so
/// that a late signal handler still finds it, and no copy counts references.
public struct StopFlag: @unchecked Sendable {
  private let storage: UnsafeMutablePointer<Atomic<Bool>>

  /// A flag that is not raised: one allocation.
  public init() {
    storage = .allocate(capacity: 1)
    storage.initialize(to: Atomic(false))
  }

  /// Raises the flag. May be called from any thread and from a signal handler, and more than once.
  ///
  /// Releasing, paired with the acquiring load in ``isRequested``: a thread that sees the request also sees everything
  /// written before it, such as its reason.
  public func request() {
    storage.pointee.store(true, ordering: .releasing)
  }

  /// Whether the flag was raised.
  public var isRequested: Bool {
    storage.pointee.load(ordering: .acquiring)
  }
}
