import IMUDrivers
import IMUModel

/// A take that wants a sensor.
struct TakeRunner: SensorUser {
  let request: TakeRequest
  let store: String

  func run() throws -> TakeOutcome {
    try SensorOpening(request: request.sensor, user: self).run()
  }

  func use<Sensor: IMUSensor & Sendable & ~Copyable, Clock: MonotonicClock>(
    _ sensor: consuming sending Sensor, clock: Clock, boardTitle: String
  ) throws -> TakeOutcome {
    try TakeSession(request: request, store: store, boardTitle: boardTitle, clock: clock)
      .run(sensor)
  }
}
