// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import Sampling
import SimulatedIMU

/// A recording from a simulated chip with faults, and a twin of the chip without.
///
/// Both are the same chip on the same clock, so the twin must have made every logged sample while it was read.
struct ProofBench: Sendable {
  var model: SensorModel
  var rate: SampleRate = .hz(100)
  var channels: ChannelSet = .all
  /// The rate of the magnetometer, if it is recorded.
  var field: SampleRate?
  var accelerometerRange: Int?
  var gyroscopeRange: Int?
  var milliseconds: UInt64 = 600
  var motion = Motion.tumble
  var busClock = 400_000
  var adapter = SimulatedAdapter.generic
  /// How much too fast the chip's clock is; `nil` for the simulated chip's own error.
  var clockErrorPartsPerMillion: Int?
  /// Faults at times counted from tick 0's deadline in nanoseconds.
  var faults: [(fault: Fault, at: Int64)] = []
  /// A fault in a transfer, counted from 1 for the first after tick 0's read is due.
  var faultInTransfer: (fault: Fault, number: Int)?

  struct Outcome {
    var records: [TickRecord] = []
    var instants: [Int64] = []
    var tally = TickTally()
    /// Samples that the twin did not make.
    var wrong: [TickRecord] = []
    /// The error in the account.
    var imbalance: String?
    /// The deadline of tick 0.
    var start: Int64 = 0

    var gaps: [Gap] { records.compactMap(\.gap) }
    var events: [SensorEvent] { records.compactMap(\.sensorEvent) }

    /// When the sampler last reported `kind`, in nanoseconds from tick 0's deadline.
    func last(_ kind: SensorEvent.Kind) -> Int64? {
      Array(zip(records, instants)).last { $0.0.sensorEvent?.kind == kind }.map { $0.1 - start }
    }
  }

  var address: I2CAddress { model.family.addresses[0] }

  private func bus(_ clock: VirtualClock) -> SimulatedBus<VirtualClock> {
    var chip = SimulatedChip.like(model)
    chip.clockErrorPartsPerMillion = clockErrorPartsPerMillion ?? chip.clockErrorPartsPerMillion
    return SimulatedBus(
      clock: clock, chip: chip, address: address, motion: motion,
      busHertz: busClock, adapter: adapter)
  }

  private var configuration: SensorConfiguration {
    var configuration = SensorConfiguration(
      rate: rate, accelerometerRange: accelerometerRange ?? model.accelerometerRanges[1],
      gyroscopeRange: gyroscopeRange ?? 500, channels: channels, busClock: busClock)
    configuration.fieldRate = field
    return configuration
  }

  private var identity: SensorIdentity { SensorIdentity(model: model, address: address) }

  /// Keeps records and the instants at which they came.
  struct Sink: TickSink {
    final class Box {
      var records: [TickRecord] = []
      var instants: [Int64] = []
    }

    let box: Box
    let clock: VirtualClock

    mutating func push(_ record: TickRecord) -> Bool {
      box.records.append(record)
      box.instants.append(clock.now().nanoseconds)
      return true
    }
  }

  /// A bus that injects a fault into a transfer counted from an instant on.
  struct CountingBus: I2CBus, ~Copyable {
    var bus: SimulatedBus<VirtualClock>
    let clock: VirtualClock
    var pending: (fault: Fault, number: Int)?
    /// How long a transfer waits before it begins, in nanoseconds.
    var wait: (length: Int64, number: Int)?
    /// Whether the chip is not told to put stamps into its FIFO, bits 7 and 6 of register 0A, and seems to be.
    var hidesStamps = false
    private var batching: UInt8 = 0
    /// Counting begins here.
    var from = Int64.max
    private var count = 0

    init(
      _ bus: consuming SimulatedBus<VirtualClock>, _ clock: VirtualClock,
      _ pending: (fault: Fault, number: Int)?, from: Int64
    ) {
      self.bus = bus
      self.clock = clock
      self.pending = pending
      self.from = from
    }

    private mutating func step() {
      guard pending != nil || wait != nil, clock.now().nanoseconds >= from else { return }
      count += 1
      if let (fault, number) = pending, count == number {
        bus.inject(fault)
        pending = nil
      }
      if let (length, number) = wait, count == number { clock.advance(by: length) }
    }

    mutating func read(
      _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
    ) throws(BusError) {
      step()
      try bus.read(address, register: register, into: buffer)
      if hidesStamps, register <= 0x0A, register + UInt8(buffer.count) > 0x0A {
        buffer[Int(0x0A - register)] |= batching
      }
    }

    mutating func nextEdge() -> InterruptEdge? { bus.nextEdge() }

    mutating func write(_ address: I2CAddress, register: UInt8, value: UInt8) throws(BusError) {
      step()
      let isHidden = hidesStamps && register == 0x0A
      if isHidden { batching = value & 0xC0 }
      try bus.write(address, register: register, value: isHidden ? value & 0x3F : value)
    }
  }

  /// Runs the recording.
  func run() throws -> Outcome {
    let clock = VirtualClock()
    var own = bus(clock)
    var other = try PolledSensor(
      bus: bus(clock), identity: identity, configuration: configuration)
    try clock.bringUp(&other)
    let twin = other.releaseBus()
    // Bring-up takes less than 0.3 s, and that of a magnetometer less than eight of its periods.
    let start = clock.now() + (300_000_000 + (field?.nanoseconds(atTick: 8) ?? 0))
    for (fault, instant) in faults { own.inject(fault, at: .time(start + instant)) }
    let counting = CountingBus(own, clock, faultInTransfer, from: start.nanoseconds)
    var sensor = try PolledSensor(bus: counting, identity: identity, configuration: configuration)
    try clock.bringUp(&sensor)
    let box = Sink.Box()
    let ticks = milliseconds * UInt64(rate.numerator) / UInt64(rate.denominator) / 1000
    var sampler = Sampler(
      sensor: sensor, clock: clock, sink: Sink(box: box, clock: clock), rate: rate,
      start: start, plannedTicks: ticks, timeUnit: 1, stop: StopFlag())
    sampler.run()

    var outcome = Outcome()
    (outcome.records, outcome.instants) = (box.records, box.instants)
    (outcome.tally, outcome.start) = (sampler.tally, start.nanoseconds)
    outcome.imbalance = audit(
      box.records, tally: sampler.tally, ticks: ticks, schedule: sampler.schedule, timeUnit: 1)
    for record in box.records where record.kind == .sample {
      if !isMade(record, twin, start) { outcome.wrong.append(record) }
    }
    return outcome
  }

  /// Whether the twin made a sample during its read, or just before.
  private func isMade(
    _ record: TickRecord, _ twin: borrowing SimulatedBus<VirtualClock>, _ start: MonotonicTime
  ) -> Bool {
    let begin = start + record.time
    // Two bursts of an LSM6DS and the time of a third.
    guard let first = twin.tick(of: address, at: begin),
      let last = twin.tick(of: address, at: begin + 480_000_000_000 / Int64(busClock))
    else { return false }
    return (first...last).contains { tick in
      guard var made = twin.outputs(of: address, atTick: tick) else { return false }
      // Registers whose X is against that of samples; the noise is far from the ends of the range.
      if model == .lsm9ds1 { (made.ax, made.gx) = (-made.ax, -made.gx) }
      // The thermometer has a rate of its own, and may be one sample behind.
      return channels.indices.allSatisfy { $0 == 6 || made[$0] == record.sample[$0] }
    }
  }
}

extension VirtualClock {
  /// Sets a chip up in this clock's time.
  func bringUp<Sensor: ChipSetUp & ~Copyable>(_ sensor: inout Sensor) throws {
    while case .wait(let nanoseconds) = try sensor.bringUp() { advance(by: nanoseconds) }
  }
}

extension SimulatedChip {
  /// The chip that simulates the family of `model`, with its identity.
  static func like(_ model: SensorModel) -> SimulatedChip {
    let chip = all.first { SensorModel.named("\($0.model)")?.family == model.family }
    guard let chip else { preconditionFailure("nothing simulates \(model)") }
    return chip.answering(model.identity)
  }
}
