import IMUModel
import IMUDrivers

/// A rate in whole hertz.
func hertz(_ value: UInt32) -> SampleRate {
  guard let rate = SampleRate(value) else { preconditionFailure("rates are positive") }
  return rate
}

/// Runs bring-up to its end; the waits that it asked for.
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

/// Runs bring-up to its end; what it failed with, if it failed.
func bringUpError<Sensor: IMUSensor & ~Copyable>(_ sensor: inout Sensor) -> SensorError? {
  do throws(SensorError) {
    _ = try bringUp(&sensor)
    return nil
  } catch {
    return error
  }
}

/// What a test wants to do with either kind of sensor.
protocol SensorTask {
  func run<Sensor: IMUSensor & ~Copyable>(_ sensor: inout Sensor) throws
}

/// Makes the sensor for a fixture on `bus` and does `task` with it.
func withSensor(
  _ fixture: SensorModelFixture, _ bus: TraceBus, _ configuration: SensorConfiguration,
  _ task: some SensorTask
) throws {
  var sensor = try PolledSensor(
    bus: bus, identity: fixture.sensorIdentity, configuration: configuration)
  try task.run(&sensor)
}
