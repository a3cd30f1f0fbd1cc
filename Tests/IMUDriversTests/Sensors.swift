// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import SimulatedIMU
import Testing

/// A rate in whole hertz.
func hertz(_ value: UInt32) -> SampleRate {
  guard let rate = SampleRate(value) else { preconditionFailure("rates are positive") }
  return rate
}

/// Runs bring-up to its end; returns the waits that it asked for.
func bringUp(_ sensor: inout PolledSensor<TraceBus>) throws(SensorError) -> [Int64] {
  var waits: [Int64] = []
  while waits.count < 1000 {
    switch try sensor.bringUp() {
    case .wait(let nanoseconds): waits.append(nanoseconds)
    case .ready: return waits
    }
  }
  preconditionFailure("bring-up has no end")
}

/// Runs bring-up to its end; returns its error, if any.
func bringUpError(_ sensor: inout PolledSensor<TraceBus>) -> SensorError? {
  do throws(SensorError) {
    _ = try bringUp(&sensor)
    return nil
  } catch {
    return error
  }
}

/// A driver of the chip on `bus`, taken for `model`; at 10 Hz unless configured.
func polled(
  _ bus: TraceBus, _ model: SensorModel,
  _ configuration: SensorConfiguration = SensorConfiguration(rate: hertz(10))
) throws(SensorError) -> PolledSensor<TraceBus> {
  try PolledSensor(
    bus: bus, identity: SensorIdentity(model: model, address: bus.address),
    configuration: configuration)
}

/// The same, brought up.
func broughtUp(
  _ bus: TraceBus, _ model: SensorModel,
  _ configuration: SensorConfiguration = SensorConfiguration(rate: hertz(10))
) throws(SensorError) -> PolledSensor<TraceBus> {
  var sensor = try polled(bus, model, configuration)
  _ = try bringUp(&sensor)
  return sensor
}

/// A simulated chip on a bus of its own, driven by the shipped driver.
struct SimulatedRun {
  let model: SensorModel
  let chip: SimulatedChip
  let address: I2CAddress

  /// Selects a bank of an ICM-20948's registers; other chips have none.
  func select(bank: UInt8, on bus: inout SimulatedBus<VirtualClock>) throws {
    guard model == .icm20948 else { return }
    try bus.write(address, register: 0x7F, value: bank << 4)
  }

  /// Finds the chip by its identity alone, brings it up, runs `body` on it, and reads its registers back: of an ICM-20948
  /// those of bank 2.
  func callAsFunction(
    _ configuration: SensorConfiguration, motion: Motion = .still,
    _ body: (inout PolledSensor<SimulatedBus<VirtualClock>>, VirtualClock) throws -> Void = {
      _, _ in
    }, before: (inout SimulatedBus<VirtualClock>) throws -> Void = { _ in }
  ) throws -> (registers: [UInt8], description: SensorDescription) {
    let clock = VirtualClock()
    var bus = SimulatedBus(
      clock: clock, chip: chip, address: address, motion: motion, busHertz: configuration.busClock)
    try before(&bus)
    let found = try SensorIdentity.identify(on: &bus)
    #expect(found == SensorIdentity(model: model, address: address))
    var sensor = try PolledSensor(bus: bus, identity: found, configuration: configuration)
    while case .wait(let nanoseconds) = try sensor.bringUp() { clock.advance(by: nanoseconds) }
    try body(&sensor, clock)
    let description = sensor.description
    var back = sensor.releaseBus()
    try select(bank: 2, on: &back)
    var registers = [UInt8](repeating: 0, count: 0x30)
    for number in registers.indices {
      registers[number] = try back.read(address, register: UInt8(number))
    }
    return (registers, description)
  }

  /// A sample, 100 ms later.
  static func sample(
    _ sensor: inout PolledSensor<SimulatedBus<VirtualClock>>, _ clock: VirtualClock
  ) throws -> RawSample {
    var sample = RawSample()
    clock.advance(by: 100_000_000)
    #expect(try sensor.read(into: &sample) == .fresh)
    return sample
  }
}

/// The sentence with which `model` refuses a configuration; empty when it does not.
func refusal(_ configuration: SensorConfiguration, _ model: SensorModel) -> String {
  do throws(SensorError) {
    try configuration.validate(for: model)
    return ""
  } catch {
    return error.description
  }
}
