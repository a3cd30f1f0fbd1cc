// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Synchronization

/// A bus with simulated chips on it, at register level.
///
///     motion ─► chips ◄─► wire ◄─► SimulatedBus ◄─► driver
///                          ▲            ▲
///                       faults        clock
///
/// The chips are written from their data sheets. Their samples are a function of time: the same seed, motion and times give
/// the same counts, on each machine. No other address is acknowledged. A transfer allocates nothing.
///
/// With a bus clock, a transfer takes its time: 9·(3 + N) + 3 bits for a read of N bytes, 29 bits for a write, 11 bits for a
/// failure, and 0.1 s more where a driver waits for an end. The bus waits that long on its clock, a ``VirtualClock``, and the
/// chips keep sampling meanwhile. Without a bus clock a transfer takes no time, which suits a real clock; a burst then never
/// meets a new sample.
public struct SimulatedBus<Clock: MonotonicClock>: I2CBus, ~Copyable, @unchecked Sendable {
  // Safe: allocated and initialised in `init`, freed in `deinit` by the one owner that a ~Copyable value has, and used
  // in its methods only. The owner of this value is the wire's only user, so both may move to another thread together.
  @usableFromInline let wire: UnsafeMutablePointer<Wire>
  @usableFromInline let clock: Clock
  @usableFromInline let takesTime: Bool

  /// A bus with a chip whose power came on at `poweredOn`, by default long ago, and whose motion begins now.
  public init(
    clock: Clock, chip: SimulatedChip, address: I2CAddress, motion: Motion = .still,
    busHertz: Int? = nil, poweredOn: MonotonicTime? = nil, adapter: SimulatedAdapter = .generic
  ) {
    self.init(clock: clock, motion: motion, busHertz: busHertz, adapter: adapter)
    attach(chip, at: address, poweredOn: poweredOn)
  }

  /// A bus with nothing on it yet.
  public init(
    clock: Clock, motion: Motion = .still, busHertz: Int? = nil,
    adapter: SimulatedAdapter = .generic
  ) {
    self.clock = clock
    takesTime = busHertz != nil
    wire = .allocate(capacity: 1)
    wire.initialize(
      to: Wire(
        origin: clock.now().nanoseconds, busHertz: busHertz, motion: motion, adapter: adapter))
  }

  deinit {
    wire.deinitialize(count: 1)
    wire.deallocate()
  }

  /// Puts a chip on the bus, at most four, as ``init(clock:chip:address:motion:busHertz:poweredOn:)``, with its magnetometer
  /// if that has a free address; traps when the chip's address is taken.
  public mutating func attach(
    _ chip: SimulatedChip, at address: I2CAddress, poweredOn: MonotonicTime? = nil
  ) {
    let longAgo = wire.pointee.origin - 1_000_000_000
    wire.pointee.attach(chip, at: address, poweredOn: poweredOn?.nanoseconds ?? longAgo)
  }

  /// Reads the registers, each byte as the chip holds it when it is fetched; see ``I2CBus``.
  @inlinable
  public mutating func read(
    _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
  ) throws(BusError) {
    let outcome = wire.pointee.read(
      address, register: register, into: buffer, start: clock.now().nanoseconds)
    if takesTime { clock.sleep(until: MonotonicTime(nanoseconds: outcome.end)) }
    if let error = outcome.error { throw error }
  }

  /// Writes a register; one that is read-only or absent ignores it. See ``I2CBus``.
  @inlinable
  public mutating func write(
    _ address: I2CAddress, register: UInt8, value: UInt8
  ) throws(BusError) {
    let outcome = wire.pointee.write(
      address, register: register, value: value, start: clock.now().nanoseconds)
    if takesTime { clock.sleep(until: MonotonicTime(nanoseconds: outcome.end)) }
    if let error = outcome.error { throw error }
  }

  /// Wires the line from the second interrupt output of the first chip. Its edges are stamped `latency` nanoseconds late.
  public mutating func wireInterrupt(latency: Int64 = 20_000) {
    wire.pointee.interrupt = SimulatedInterrupt(latency: latency)
  }

  /// Takes the oldest edge that was stamped by now.
  @inlinable
  public mutating func nextEdge() -> InterruptEdge? {
    wire.pointee.nextEdge(at: clock.now().nanoseconds)
  }

  /// The number of transfers so far, including failed ones.
  package var transferCount: Int { wire.pointee.transfers }

  /// Injects a fault, with the next transfer unless `trigger` says when; traps when 64 faults are pending, and at a failure
  /// that the adapter does not know.
  public mutating func inject(_ fault: Fault, at trigger: FaultTrigger? = nil) {
    wire.pointee.add(fault, at: trigger ?? .transfer(wire.pointee.transfers + 1))
  }
}

/// The chips' own samples, for tests that compare them with those that a driver read.
///
/// Samples are numbered by the ticks of the chip's oscillator: 8000 a second in an MPU-6050, 6667 in an LSM6DSO, each off by
/// the chip's clock error. A sample is made at each multiple of the divider for the chosen rate, such as 8 for 1 kHz.
extension SimulatedBus {
  /// The last tick at or before `time` of the chip at `address`; `nil` when there is no chip.
  public func tick(of address: I2CAddress, at time: MonotonicTime) -> Int64? {
    wire.pointee.oscillator(of: address)?.tick(at: time.nanoseconds)
  }

  /// The instant of a tick of the chip at `address`; `nil` when there is no chip.
  public func time(ofTick tick: Int64, of address: I2CAddress) -> MonotonicTime? {
    wire.pointee.oscillator(of: address).map {
      MonotonicTime(nanoseconds: $0.instant(ofTick: tick))
    }
  }

  /// The counts in the output registers of the chip at `address` after `tick`, under the present configuration; for ticks
  /// before the last change of the configuration the contents at that change. `nil` when there is no chip.
  public func outputs(of address: I2CAddress, atTick tick: Int64) -> RawSample? {
    wire.pointee.outputs(of: address, atTick: tick)
  }
}

/// A monotonic clock that stands still until it is moved.
///
/// Copies share one instant. ``sleep(until:)`` does not wait but moves the instant forward, so that a program with this clock
/// alone runs through an hour in no time, and the same way each time. The few bytes of the instant are never freed.
public struct VirtualClock: MonotonicClock, @unchecked Sendable {
  // Safe: allocated and initialised once in `init`, never moved and never freed, and every later access is atomic. Relaxed
  // is enough: the clock publishes nothing but its own number.
  private let instant: UnsafeMutablePointer<Atomic<Int64>>

  /// A clock that shows `start`.
  public init(start: MonotonicTime = MonotonicTime(nanoseconds: 0)) {
    instant = .allocate(capacity: 1)
    instant.initialize(to: Atomic(start.nanoseconds))
  }

  /// The present instant.
  public func now() -> MonotonicTime {
    MonotonicTime(nanoseconds: instant.pointee.load(ordering: .relaxed))
  }

  /// Moves the instant to `deadline`, or leaves it alone when `deadline` is past.
  public func sleep(until deadline: MonotonicTime) {
    instant.pointee.max(deadline.nanoseconds, ordering: .relaxed)
  }

  /// Moves the instant forward by `nanoseconds`; traps when that is negative.
  public func advance(by nanoseconds: Int64) {
    precondition(nanoseconds >= 0, "a monotonic clock does not run backwards")
    instant.pointee.wrappingAdd(nanoseconds, ordering: .relaxed)
  }
}
