// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LinuxIO
import RingBuffer
import Sampling

/// A sensor that is set up, on its clock, before its loop begins.
struct ReadySensor {
  let sensor: SensorDescription
  let busClock: BusClock
  /// What is known of it, but for its schedule.
  let makeStart: (Schedule) -> SensorStart
  let clock: any MonotonicClock
  /// Throws unless the chip is still set up.
  let confirm: () throws -> Void
  /// Makes the loop, whose tick 0 is at the instant.
  let begin: (LoopBeginning) -> AnySamplingLoop
}

/// What a loop needs to begin.
struct LoopBeginning {
  let rate: SampleRate
  /// The deadline of tick 0.
  let start: MonotonicTime
  /// Ticks in all; `nil` for until stopped.
  let plannedTicks: UInt64?
  let stop: StopFlag
  let producer: Handover<RingProducer<TickRecord>>
}

/// A value on its way from one owner to another.
///
/// Safe to send: it is filled before the thread starts that empties it, and emptied once.
final class Handover<Value: ~Copyable>: @unchecked Sendable {
  private var value: Value?

  init(_ value: consuming Value) { self.value = .some(value) }

  /// The value. Traps the second time.
  func take() -> Value {
    guard let value = value.take() else { preconditionFailure("a value is handed over once") }
    return value
  }
}

/// A ring of 600 for each sensor: a fast one must not push out a slow one's history.
struct SensorRings {
  private(set) var producers: [Handover<RingProducer<TickRecord>>] = []
  private(set) var consumers: [Handover<RingConsumer<TickRecord>>] = []

  init(_ count: Int) {
    for _ in 0..<count {
      var ring = RingEnds<TickRecord>()
      producers.append(Handover(ring.takeProducer()))
      consumers.append(Handover(ring.takeConsumer()))
    }
  }
}

/// Sets a sensor up.
struct SensorPreparation: SensorUser {
  func use<Sensor: IMUSensor & Sendable & ~Copyable, Clock: MonotonicClock>(
    _ sensor: consuming sending Sensor, busClock: BusClock, clock: Clock, boardTitle: String
  ) throws -> ReadySensor {
    try sensor.bringUp(on: clock)
    let (description, expectation) = (sensor.description, sensor.expectation)
    let place = PreparedChip(sensor)
    return ReadySensor(
      sensor: description, busClock: busClock,
      makeStart: {
        SensorStart(
          schedule: $0, busClock: busClock, sensor: description, expectation: expectation,
          boardTitle: boardTitle)
      }, clock: clock,
      confirm: { try place.confirm() }
    ) { beginning in
      BoxedSamplingLoop(
        Sampler(
          sensor: place.take(), clock: clock, sink: beginning.producer.take(), rate: beginning.rate,
          start: beginning.start, plannedTicks: beginning.plannedTicks,
          timeUnit: RecorderSetup.timeUnit, stop: beginning.stop))
    }
  }

  func use<Bus: I2CBus & Sendable & ~Copyable, Clock: MonotonicClock>(
    _ sensor: consuming sending FIFOSensor<Bus>, busClock: BusClock, clock: Clock,
    boardTitle: String
  ) throws -> ReadySensor {
    try sensor.bringUp(on: clock)
    let (description, hasInterrupt) = (sensor.description, sensor.hasInterrupt)
    let expectation = sensor.expectation
    let place = PreparedChip(sensor)
    return ReadySensor(
      sensor: description, busClock: busClock,
      makeStart: {
        SensorStart(
          schedule: $0, clock: .chip(busClock: busClock.configured), busClock: busClock,
          hasInterrupt: hasInterrupt, sensor: description, expectation: expectation,
          boardTitle: boardTitle)
      }, clock: clock,
      confirm: { try place.confirm() }
    ) { beginning in
      BoxedSamplingLoop(
        Drainer(
          sensor: place.take(), clock: clock, sink: beginning.producer.take(), rate: beginning.rate,
          start: beginning.start, timeUnit: RecorderSetup.timeUnit, stop: beginning.stop))
    }
  }
}

extension SensorDescription {
  /// The model, of a sensor that a driver has opened.
  fileprivate var driven: SensorModel {
    guard let model = SensorModel.allCases.first(where: { $0.name == model }) else {
      preconditionFailure("a driver's sensor is of a model that it has")
    }
    return model
  }
}

extension ChipSetUp where Self: ~Copyable {
  /// Sets the chip up, waiting on the clock as the data sheet demands.
  mutating func bringUp(on clock: some MonotonicClock) throws(SensorError) {
    while case .wait(let nanoseconds) = try bringUp() {
      clock.sleep(until: clock.now() + nanoseconds)
    }
  }
}

/// A sensor that is set up, until its loop takes it. Only the sampler's thread uses it.
private final class PreparedChip<Sensor: ChipSetUp & ~Copyable> {
  private var sensor: Sensor?

  init(_ sensor: consuming Sensor) { self.sensor = .some(sensor) }

  func take() -> Sensor {
    guard let sensor = sensor.take() else { preconditionFailure("a sensor is used once") }
    return sensor
  }

  /// Throws unless the chip is still set up: one that lost its supply would begin with samples of another scale.
  func confirm() throws {
    var sensor = take()
    let check = try sensor.checkConfiguration()
    self.sensor = .some(sensor)
    guard check == .intact else {
      throw CommandFailure(
        .unavailable,
        "the sensor lost its configuration before the recording began; check its supply")
    }
  }
}

/// The sensors of a setup, set up one after the other, and begun together.
struct ReadySensors {
  private let sensors: [ReadySensor]
  private let setup: RecorderSetup

  /// Opens all of them; a failure names its sensor.
  init(_ setup: RecorderSetup, unless stop: StopFlag? = nil) throws {
    self.setup = setup
    sensors = try setup.members.map { member in
      if stop?.isRequested ?? false { throw CommandFailure(.tryAgain, "it was ended before") }
      do {
        return try member.sensor.open(for: SensorPreparation())
      } catch {
        let failure = CommandFailure(error, else: .unavailable)
        throw member.name.isEmpty
          ? failure : CommandFailure(failure.status, "sensor \(member.name): \(failure.sentence)")
      }
    }
    guard sensors.count > 1 else { return }
    try refuseTwins()
    let needs = try zip(setup.members, sensors).map { member, sensor in
      let model = sensor.sensor.driven
      let settings = try member.configuration.sensorConfiguration(
        for: model, busClock: sensor.busClock.planned)
      return BusNeed(
        model, settings, named: member.name, bus: member.bus?.root,
        isOnChannel: member.bus?.channel != nil)
    }
    if let refusal = BusNeed.refusal(of: needs) { throw refusal }
  }

  var clock: any MonotonicClock { sensors[0].clock }

  /// Two names of one chip: each would take the other's samples.
  private func refuseTwins() throws {
    for (index, member) in setup.members.enumerated() {
      let chip = sensors[index].sensor
      let twin = setup.members[..<index].indices.first {
        sensors[$0].sensor.address == chip.address
          && BusPath.isOneChip(setup.members[$0].busPath, member.busPath)
      }
      guard let twin, chip.address != nil else { continue }
      let isSame = setup.members[twin].busPath == member.busPath
      throw CommandFailure(
        .configuration,
        "\(setup.members[twin].name) and \(member.name) are the same chip, the \(chip.place)"
          + (isSame
            ? "; give each sensor its own address behind an @"
            : ": one on the bus before a multiplexer answers on each channel; give them different addresses")
      )
    }
  }

  /// Begins the loops, all at one instant.
  ///
  /// - Parameter isPlanned: Whether they end by themselves, after the ticks of the setup.
  func begin(
    _ producers: [Handover<RingProducer<TickRecord>>], stop: StopFlag, isPlanned: Bool
  ) throws -> (start: SensorStart, loops: [AnySamplingLoop]) {
    // Those before the last one have waited for it, and a chip may have lost its supply. Before tick 0 is fixed: this takes
    // time on the bus.
    if sensors.count > 1 { for sensor in sensors { try sensor.confirm() } }
    let begin = clock.now() + RecorderSetup.lead
    let loops = sensors.indices.map { index in
      let member = setup.members[index]
      return sensors[index].begin(
        LoopBeginning(
          rate: member.rate, start: begin, plannedTicks: isPlanned ? member.ticksAfter : nil,
          stop: stop, producer: producers[index]))
    }
    var starts = zip(sensors, loops).map { $0.makeStart($1.schedule) }
    var first = starts.removeFirst()
    first.companions = starts
    return (first, loops)
  }
}
