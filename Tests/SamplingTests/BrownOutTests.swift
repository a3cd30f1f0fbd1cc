// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import Sampling
import SimulatedIMU
import Testing

/// The loop with the drivers on simulated chips, whose registers do what the data sheets say.
@Suite struct BrownOutTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let model: SensorModel
    let hertz: UInt32
    let fault: Fault
    var testDescription: String { "\(model.name) at \(hertz) Hz: \(fault)" }
  }

  private static let faults: [Fault] = [
    .brownOut,
    .freeze(nanoseconds: 60_000_000_000, keepsDataReady: true),
    .freeze(nanoseconds: 60_000_000_000, keepsDataReady: false),
    .unplug(nanoseconds: 50_000_000),
    .unplug(nanoseconds: 5_000_000_000),
  ]

  static let cases = [SensorModel.mpu6050, .lsm6dso, .lsm9ds1, .lsm6dsv].flatMap { model in
    // A burst that an update fell into is read again: too much for 1 kHz at 400 kHz.
    [1, 10, 100, model == .mpu6050 ? 1000 : 500].flatMap { hertz in
      faults.map { Case(model: model, hertz: hertz, fault: $0) }
    }
  }

  /// Keeps records and the instants at which they came.
  struct StampingSink: TickSink {
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

  @Test(
    "a chip that loses its supply, freezes or disappears is noticed within a second and brought back",
    arguments: cases)
  func noticed(subject: Case) throws {
    let clock = VirtualClock()
    let fails = MonotonicTime(nanoseconds: 5_123_456_789)
    let address = subject.model.family.addresses[0]
    var bus = SimulatedBus(
      clock: clock, chip: .like(subject.model), address: address, motion: .tumble, busHertz: 400_000
    )
    bus.inject(subject.fault, at: .time(fails))
    let identity = SensorIdentity(model: subject.model, address: address)
    let configuration = SensorConfiguration(rate: .hz(subject.hertz), busClock: 400_000)
    try run(
      PolledSensor(bus: bus, identity: identity, configuration: configuration), clock, fails,
      subject)
  }

  private func run<Sensor: IMUSensor & ~Copyable>(
    _ sensor: consuming Sensor, _ clock: VirtualClock, _ fails: MonotonicTime, _ subject: Case
  ) throws {
    bringUp: while true {
      switch try sensor.bringUp() {
      case .wait(let nanoseconds): clock.advance(by: nanoseconds)
      case .ready: break bringUp
      }
    }
    let box = StampingSink.Box()
    let ticks = UInt64(subject.hertz) * 16
    let start = clock.now()
    var sampler = Sampler(
      sensor: sensor, clock: clock, sink: StampingSink(box: box, clock: clock),
      rate: .hz(subject.hertz), start: start, plannedTicks: ticks, timeUnit: 1, stop: StopFlag())
    sampler.run()
    let ledger = sampler.ledger
    let problem = audit(
      box.records, ledger: ledger, ticks: ticks, schedule: sampler.schedule, timeUnit: 1)
    #expect(problem == nil)

    let events = zip(box.records, box.instants).filter { $0.0.kind == .sensorEvent }
    #expect(events.compactMap { $0.0.sensorEvent?.kind } == [.lost, .reinitialised, .back])
    let lost = try #require(events.first)
    let delay = lost.1 - fails.nanoseconds
    #expect((0...1_005_000_000).contains(delay), "noticed after \(delay) ns as \(lost.0)")

    // Bring-up waits some 250 ms, and a dead bus is tried once a second.
    var outage: Int64 = 0
    if case .unplug(let nanoseconds) = subject.fault { outage = nanoseconds }
    let back = try #require(events.last).1 - fails.nanoseconds
    #expect(back <= outage + 1_500_000_000, "back after \(back) ns")
    #expect(ledger.missed == 0)
    #expect(box.records.last?.kind == .sample)
  }
}
