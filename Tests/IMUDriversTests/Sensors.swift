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
func bringUp<Sensor: IMUSensor & ~Copyable>(_ sensor: inout Sensor) throws(SensorError) -> [Int64] {
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
func bringUpError<Sensor: IMUSensor & ~Copyable>(_ sensor: inout Sensor) -> SensorError? {
  do throws(SensorError) {
    _ = try bringUp(&sensor)
    return nil
  } catch {
    return error
  }
}

/// A test's work with either kind of sensor.
protocol SensorTask {
  func run<Sensor: IMUSensor & ~Copyable>(_ sensor: inout Sensor) throws
}

/// Makes the sensor for a fixture on `bus` and runs `task` on it.
func withSensor(
  _ fixture: SensorModelFixture, _ bus: TraceBus, _ configuration: SensorConfiguration,
  _ task: some SensorTask
) throws {
  var sensor = try PolledSensor(
    bus: bus, identity: fixture.sensorIdentity, configuration: configuration)
  try task.run(&sensor)
}

/// A simulated chip on a bus of its own, driven by the shipped driver.
struct SimulatedRun {
  let model: SensorModel
  let chip: SimulatedChip
  let address: I2CAddress

  /// Finds the chip by its identity alone, brings it up, runs `body` on it, and reads its registers back.
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
