// SPDX-License-Identifier: Apache-2.0

public import IMUDrivers
public import IMUModel

/// The sampling loop of a chip that keeps the time: reads its FIFO some 50 times a second, and pushes its samples and the
/// readings of its fill.
///
///     chip     │││││││││││││││││││││││││││││││││││││││  samples
///     loop         u─count─v ══burst══      u─count─v ══burst══
///                        └ reading                └ proves that the chip was not reset before
///
/// - Ticks are the chip's samples: slot n of an epoch has tick first + n − 1. Each is in exactly one record and once in
///   ``tally``.
/// - Between epochs an unknown number of samples is missing. The gap has as many ticks as the present estimate, at least
///   one; the readings in the log show the exact number.
/// - A count that cannot be right is read again. After a failed burst the FIFO is reset: its contents are never guessed.
/// - A sample is released when a later count proves that the FIFO runs on: a chip that was reset has its FIFO off.
/// - A chip that lost its configuration or froze is noticed (``Supervisor``) and set up again.
///
/// ``step()`` and ``run()`` neither allocate, lock, count references nor throw, provided bus, clock and sink do not.
public struct Drainer<Bus: I2CBus & ~Copyable, Clock: MonotonicClock, Sink: TickSink & ~Copyable>:
  ~Copyable
{
  @usableFromInline var sensor: FIFOSensor<Bus>
  @usableFromInline let clock: Clock
  @usableFromInline var proofs: ProofQueue<Sink>
  @usableFromInline var supervisor: Supervisor
  @usableFromInline var pace: DrainPace
  @usableFromInline var phase: SlotPhase
  @usableFromInline var edges = WatermarkEdges()

  /// The instant of tick 0 and the nominal rate; the chip's own differs by some percent.
  public let schedule: Schedule
  /// Sample times are multiples of this many nanoseconds.
  public let timeUnit: Int64
  @usableFromInline let stop: StopFlag

  /// The tick of the next slot.
  @usableFromInline var tick: UInt64 = 0
  @usableFromInline var epoch = EpochState()
  /// What ended the last epoch, and what its missing samples are lost to.
  @usableFromInline var loss = EpochLoss(.start, .missed)
  /// Ticks of the gap before the next epoch that are skipped already.
  @usableFromInline var skipped: UInt64 = 0
  /// Whether the last burst came so late after its count that the FIFO may have overrun meanwhile.
  @usableFromInline var isBurstLate = false
  @usableFromInline var busWatch = BusWatch()
  /// Nanoseconds of the last burst.
  @usableFromInline var burstTime: Int64 = 0
  /// Counts in a row that could not be right.
  @usableFromInline var doubts = 0
  /// `CLOCK_MONOTONIC` minus `CLOCK_MONOTONIC_RAW`, in nanoseconds.
  @usableFromInline var offset: Int64
  /// Whether it was measured after the last transfer.
  @usableFromInline var hasOffset = true
  /// The same at the last drain.
  @usableFromInline var drainOffset: Int64
  @usableFromInline var hasDrainOffset = true
  /// The instant of the last reading or edge, in nanoseconds of `CLOCK_MONOTONIC_RAW`.
  @usableFromInline var lastReading = Int64.min
  /// When the chip's counter is read again.
  @usableFromInline var stampDue = MonotonicTime(nanoseconds: .min)
  /// The last sample's time, in nanoseconds since tick 0.
  @usableFromInline var lastTime: Int64 = 0
  /// Nanoseconds from the present deadline to the waking for it.
  @usableFromInline var wakeLateness: Int64 = 0
  /// The errno of the last transfer that failed.
  @usableFromInline var failure: Int32 = 0
  /// The same since the last drain; 0 for none. Samples that a full FIFO loses meanwhile are lost to the bus.
  @usableFromInline var holdUp: Int32 = 0
  /// Whether the next reading drains the FIFO in any case, because the loop ends.
  @usableFromInline var isLastDrain = false
  /// Whether samples only prove those before them, because the loop ends.
  @usableFromInline var isEnding = false
  /// Ticks, or readings, that were handled before the end.
  @usableFromInline var turnCount: UInt64 = 0
  /// When the end stops waiting for proofs; `nil` before the end.
  @usableFromInline var endLimit: MonotonicTime?
  /// By when another loop needs the bus.
  @usableFromInline var horizon = MonotonicTime(nanoseconds: .max)
  @usableFromInline var isOver = false

  /// A loop over a sensor that has been brought up.
  ///
  /// Starts the chip's FIFO at `start`, the instant of tick 0, with nominally `rate` samples a second, and ends within
  /// 100 ms when `stop` is raised. Sample times are rounded down to multiples of `timeUnit` ns; traps unless it is positive.
  @inlinable
  public init(
    sensor: consuming FIFOSensor<Bus>, clock: Clock, sink: consuming Sink, rate: SampleRate,
    start: MonotonicTime, timeUnit: Int64, stop: StopFlag
  ) {
    precondition(timeUnit > 0, "a time unit is positive")
    let hertz = rate.hertz
    let now = clock.now()
    let limit = sensor.lifeLimit
    pace = DrainPace(hertz: hertz, capacity: sensor.capacity)
    phase = SlotPhase(hertz: hertz)
    supervisor = Supervisor(at: now, lifeLimit: limit, samplePeriod: pace.interval)
    offset = Self.measureOffset(clock)
    drainOffset = offset
    self.sensor = sensor
    self.clock = clock
    // A second of samples, with readings and gaps.
    proofs = ProofQueue(capacity: Int(hertz * 1.1) + 300, sink: sink)
    schedule = Schedule(start: start, rate: rate)
    self.timeUnit = timeUnit
    self.stop = stop
    pace.begin(at: start)
  }

  /// `CLOCK_MONOTONIC` minus `CLOCK_MONOTONIC_RAW`: the narrowest of some attempts, because the thread may be suspended
  /// between two calls.
  @inlinable
  static func measureOffset(_ clock: Clock) -> Int64 {
    var narrowest = Int64.max
    var offset: Int64 = 0
    for _ in 0..<16 {
      let before = clock.rawNow()
      let now = clock.now()
      let width = clock.rawNow() - before
      guard width < narrowest else { continue }
      (narrowest, offset) = (width, now.nanoseconds - before - width / 2)
    }
    return offset
  }
}

/// The present epoch, in which all slots are counted.
@usableFromInline
struct EpochState: Sendable, BitwiseCopyable {
  /// Its number; 0 before the first.
  @usableFromInline var number: UInt32 = 0
  @usableFromInline var cause = EpochCause.start
  /// The tick of its slot 1; before the epoch's samples where the chip's first slots are void.
  @usableFromInline var firstTick: Int64 = 0
  /// Slots taken out of the FIFO so far.
  @usableFromInline var drained: Int64 = 0
  /// The slots taken out in the epoch before.
  @usableFromInline var countBefore: Int64 = 0
  @usableFromInline var isRunning = false

  @usableFromInline
  init() {}
}

/// Why an epoch ended.
@usableFromInline
struct EpochLoss: Sendable, BitwiseCopyable {
  /// The cause of the next epoch.
  @usableFromInline var epoch: EpochCause
  /// The cause of the gap before it.
  @usableFromInline var gap: GapCause
  /// The errno of a bus error.
  @usableFromInline var code: Int32

  @usableFromInline
  init(_ epoch: EpochCause, _ gap: GapCause, code: Int32 = 0) {
    (self.epoch, self.gap, self.code) = (epoch, gap, code)
  }
}

extension Drainer where Bus: ~Copyable, Sink: ~Copyable {
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

  /// See ``SamplingLoop/latest``: the FIFO is full.
  @inlinable public var latest: MonotonicTime {
    guard case .sampling = supervisor.phase else { return MonotonicTime(nanoseconds: .max) }
    return pace.full
  }

  /// See ``SamplingLoop/noteHoldUp()``.
  @inlinable
  public mutating func noteHoldUp() {
    if holdUp == 0 { holdUp = Supervisor.timedOut }
  }

  /// See ``SamplingLoop/advance(horizon:)``. Reads the FIFO when that is due, and meanwhile does what the supervisor asks.
  @inlinable
  public mutating func advance(horizon: MonotonicTime) -> MonotonicTime? {
    if isOver { return nil }
    self.horizon = horizon
    if let endLimit { return proveRest(until: endLimit) }
    if stop.isRequested { return end() }
    let now = clock.now()
    guard now >= pace.deadline else { return nextWork(at: now) }
    wakeLateness = now - pace.deadline
    switch supervisor.phase {
    case .sampling: read(at: now)
    case .reinitialising: skipOutage(at: now)
    }
    turnCount &+= 1
    let end = clock.now()
    proofs.release(at: end, limit: 300)
    proofs.outbox.resolve(at: end)
    pace.advance(past: end)
    return nextWork(at: end)
  }

  /// Does a duty; returns when there is more to do, at most 100 ms later, because a stop may be requested.
  @inlinable
  mutating func nextWork(at now: MonotonicTime) -> MonotonicTime {
    guard let idleUntil = doDuty(at: now) else { return now }
    return min(pace.deadline, idleUntil, now + 100_000_000)
  }

  /// Begins the end: takes out what the chip made up to now.
  @inlinable
  mutating func end() -> MonotonicTime? {
    if case .sampling = supervisor.phase, epoch.isRunning {
      isLastDrain = true
      read(at: clock.now())
    }
    isEnding = true
    let limit = clock.now() + 900_000_000
    endLimit = limit
    return awaitProof(until: limit)
  }

  /// Looks at the chip, until the samples held are proved, at most for 0.9 s.
  @inlinable
  mutating func proveRest(until limit: MonotonicTime) -> MonotonicTime? {
    read(at: clock.now())
    proofs.release(at: clock.now())
    return awaitProof(until: limit)
  }

  /// When to look again. Samples that are not proved in time count as bus errors, because the bus prevented their proof.
  @inlinable
  mutating func awaitProof(until limit: MonotonicTime) -> MonotonicTime? {
    let now = clock.now()
    if case .sampling = supervisor.phase, epoch.isRunning, !proofs.held.isEmpty, now < limit {
      pace.advance(past: now)
      return min(pace.deadline, limit)
    }
    if case .sampling = supervisor.phase { notice(.check) }
    proofs.condemnUnproved(.busError, code: failure, at: now)
    if !epoch.isRunning { skipOutage(at: now) }
    proofs.outbox.flush()
    isOver = true
    return nil
  }
}

extension Drainer: SamplingLoop where Bus: ~Copyable, Sink: ~Copyable {}

extension Drainer where Bus: ~Copyable, Sink: ~Copyable {
  /// Does the supervisor's present duty, if there is one. Drains are looks enough.
  ///
  /// - Returns: `nil` after a duty, else the earliest instant of the next one.
  @inlinable
  mutating func doDuty(at now: MonotonicTime) -> MonotonicTime? {
    let deadline = pace.deadline
    switch supervisor.duty(at: now, before: deadline, isHolding: false, horizon: horizon) {
    case .none(let until): return followField(until: until, at: now)
    case .probe: return followField(until: deadline, at: now)
    case .check: notice(.check)
    case .bringUp:
      if let now = proofs.bringUp(&sensor, &supervisor, clock, tick: tick) {
        proofs.noteReady(&supervisor, tick: tick, at: now)
      }
    }
    return nil
  }

  @inlinable
  mutating func followField(until idle: MonotonicTime, at now: MonotonicTime) -> MonotonicTime? {
    proofs.followField(
      &sensor, clock, origin: schedule.start, tick: tick, before: min(pace.deadline, horizon),
      until: idle,
      failure: &holdUp, at: now)
  }

  @inlinable
  mutating func compareConfiguration() -> ConfigurationComparison {
    let result = sensor.compare(&supervisor, clock, failure: &holdUp)
    if holdUp != 0 { failure = holdUp }
    // It does not show where samples begin: without marks the next count must prove both.
    if case .intact = result, !sensor.losesAlignment { proofs.held.proveConfiguration() }
    return result
  }

  /// Acts on what a read means for the chip.
  @inlinable
  mutating func notice(_ verdict: Supervisor.Verdict) {
    switch verdict {
    case .trust: break
    case .check: if case .lost(let fault) = compareConfiguration() { lose(fault) }
    case .lost(let fault): lose(fault)
    }
  }

  /// Gives the chip up, to be set up again from the next duty on.
  @inlinable
  mutating func lose(_ fault: SensorEvent.Fault) {
    let gap = fault.gapCause
    loss = EpochLoss(.chipReset, gap, code: gap == .busError ? failure : 0)
    epoch.isRunning = false
    proofs.lose(&sensor, fault, &supervisor, tick: tick, code: failure, at: clock.now())
  }
}
