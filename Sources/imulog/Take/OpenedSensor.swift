import IMUModel
import Recorder
import IMUDrivers

/// A sensor of whichever family, on its bus.
enum OpenedSensor<Bus: I2CBus & Sendable & ~Copyable>: ~Copyable, Sendable {
  case mpu6050(MPU6050Sensor<Bus>)
  case lsm6ds(LSM6DSSensor<Bus>)

  /// A driver for the chip that was identified; nothing is sent yet.
  init(
    bus: consuming Bus, identity: SensorIdentity, configuration: SensorConfiguration
  ) throws(SensorError) {
    switch identity.model.family {
    case .mpu6050:
      self = .mpu6050(
        try MPU6050Sensor(bus: bus, identity: identity, configuration: configuration))
    case .lsm6ds:
      self = .lsm6ds(try LSM6DSSensor(bus: bus, identity: identity, configuration: configuration))
    }
  }

  /// The sensor, set up: waits on `clock` as the data sheet demands, and calls `progress` after each step.
  consuming func broughtUp(
    on clock: some MonotonicClock, _ progress: () -> Void
  ) throws(SensorError) -> OpenedSensor {
    switch consume self {
    case .mpu6050(let sensor): return .mpu6050(try bringUp(sensor, clock, progress))
    case .lsm6ds(let sensor): return .lsm6ds(try bringUp(sensor, clock, progress))
    }
  }

  /// Gives the sensor to its user.
  consuming func hand<User: SensorUser>(
    to user: User, clock: some MonotonicClock, boardTitle: String
  ) throws -> User.Outcome {
    switch consume self {
    case .mpu6050(let sensor): return try user.use(sensor, clock: clock, boardTitle: boardTitle)
    case .lsm6ds(let sensor): return try user.use(sensor, clock: clock, boardTitle: boardTitle)
    }
  }
}

private func bringUp<Sensor: IMUSensor & ~Copyable>(
  _ sensor: consuming Sensor, _ clock: some MonotonicClock, _ progress: () -> Void
) throws(SensorError) -> Sensor {
  var sensor = sensor
  while case .wait(let nanoseconds) = try sensor.bringUp() {
    progress()
    clock.sleep(until: clock.now() + nanoseconds)
  }
  return sensor
}
