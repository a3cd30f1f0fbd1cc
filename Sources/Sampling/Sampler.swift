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
  /// Reads for the present tick, and when the first one began, while its read goes on.
  @usableFromInline var attempts = 0
  @usableFromInline var readSince = MonotonicTime(nanoseconds: 0)
  @usableFromInline var isReading = false
  /// By when another loop needs the bus.
  @usableFromInline var horizon = MonotonicTime(nanoseconds: .max)
  /// Ticks, or readings, that were handled before the end.
  @usableFromInline var turnCount: UInt64 = 0
  /// When the end stops waiting for proofs; `nil` before the end.
  @usableFromInline var endLimit: MonotonicTime?
  /// Whether the chip was looked at since the end.
  @usableFromInline var hasLooked = false
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

  /// Ticks, or readings of a FIFO, that were handled before the end.
  var turns: UInt64 { get }

  /// When something is lost unless the loop is called before; the farthest instant when nothing can be.
  var latest: MonotonicTime { get }

  /// The present instant on the loop's clock.
  var now: MonotonicTime { get }

  /// Does what is due by a few transfers, without waiting for anything but the bus; returns when there is more to do, and
  /// `nil` once the loop has ended.
  ///
  /// - Parameter horizon: By when another loop on the bus needs it: what can wait is not begun if it would last longer.
  mutating func advance(horizon: MonotonicTime) -> MonotonicTime?

  /// Another loop held the bus up for as long as a transfer may take at most: what is lost meanwhile is lost to the bus.
  mutating func noteHoldUp()

  /// Waits on the loop's clock.
  func sleep(until deadline: MonotonicTime)

  /// Records that the sink had no room for so far, oldest first: to be written after those in the sink. Allocates.
  var undelivered: [TickRecord] { get }
}

extension SamplingLoop where Self: ~Copyable {
  /// Works until the loop has ended.
  @inlinable
  public mutating func run() {
    while let next = advance(horizon: MonotonicTime(nanoseconds: .max)) { sleep(until: next) }
  }

  /// Waits for the next tick, or the next reading, and handles it; at the end does the rest.
  @inlinable
  public mutating func step() -> StepResult {
    let before = turns
    while let next = advance(horizon: MonotonicTime(nanoseconds: .max)) {
      if turns != before { return .continue }
      sleep(until: next)
    }
    return .finished
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

  /// See ``SamplingLoop/turns``.
  @inlinable public var turns: UInt64 { turnCount }

  /// See ``SamplingLoop/undelivered``.
  public var undelivered: [TickRecord] { proofs.outbox.undelivered }

  /// See ``SamplingLoop/sleep(until:)``.
  @inlinable
  public func sleep(until deadline: MonotonicTime) { clock.sleep(until: deadline) }

  /// See ``SamplingLoop/now``.
  @inlinable public var now: MonotonicTime { clock.now() }

  /// See ``SamplingLoop/latest``: a tick a period after its deadline.
  @inlinable public var latest: MonotonicTime {
    guard endLimit == nil, case .sampling = supervisor.phase else {
      return MonotonicTime(nanoseconds: .max)
    }
    return schedule.deadline(of: tick + 1)
  }

  /// See ``SamplingLoop/noteHoldUp()``.
  @inlinable
  public mutating func noteHoldUp() {
    if holdUp == 0 { holdUp = Supervisor.timedOut }
  }

  /// See ``SamplingLoop/advance(horizon:)``. Handles every tick that is due, and between ticks does what the supervisor asks.
  @inlinable
  public mutating func advance(horizon: MonotonicTime) -> MonotonicTime? {
    if isOver { return nil }
    let now = clock.now()
    self.horizon = horizon
    if let endLimit { return proveRest(until: endLimit) }
    if isReading { return readOn(at: now) }
    if stop.isRequested {
      skipUnreachable(at: now)
      return end()
    }
    guard now >= schedule.deadline(of: tick) || schedule.isOver(at: tick) else {
      return nextWork(at: now)
    }
    skipHeldUpTicks()
    if !schedule.isOver(at: tick) {
      switch supervisor.phase {
      case .sampling:
        // Ticks a period or more late are skipped before.
        skipUnreachable(at: now)
        guard !schedule.isOver(at: tick) else { break }
        wakeLateness = now - schedule.deadline(of: tick)
        (attempts, readSince, isReading) = (0, now, true)
        return readOn(at: now)
      case .reinitialising: skipDue(at: now)
      }
    }
    return endTurn(at: now)
  }

  /// Does a duty; returns when there is more to do, at most 100 ms later, because a stop may be requested.
  @inlinable
  mutating func nextWork(at now: MonotonicTime) -> MonotonicTime {
    guard let idleUntil = doDuty(at: now) else { return now }
    return min(schedule.deadline(of: tick), idleUntil, now + 100_000_000)
  }

  /// Reads the chip for the present tick, or reads it again.
  @inlinable
  mutating func readOn(at now: MonotonicTime) -> MonotonicTime? {
    if let next = readTick(at: now) { return next }
    isReading = false
    tick += 1
    skipHeldUpTicks()
    return endTurn(at: readSince)
  }

  @inlinable
  mutating func endTurn(at now: MonotonicTime) -> MonotonicTime? {
    if schedule.isOver(at: tick) { return end() }
    turnCount &+= 1
    proofs.outbox.resolve(at: now)
    // Also here and not only before a deadline: a loop that is always late is never before one.
    return nextWork(at: clock.now())
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
