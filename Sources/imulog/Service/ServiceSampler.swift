import IMUDrivers
import IMUModel
import LinuxIO
import Recorder
import RingBuffer
import Sampling

/// The sampler thread's work in a service: opens the sensor, brings it up, samples until it is asked to stop.
///
/// One thread for all of it, so that the main thread stays with the button while a chip takes its time.
struct ServiceSampler: ~Copyable {
  let request: SensorRequest
  let session: UInt64
  let news: Inbox<ServiceNews>
  let stop: StopFlag
  let samples: SampleCount
  var producer: RingProducer<TickRecord>?

  mutating func run() {
    let place = ProducerPlace(producer.take())
    let sampling = ServiceSampling(
      rate: request.rate, session: session, news: news, stop: stop, samples: samples,
      place: place)
    do {
      try SensorOpening(request: request, user: sampling).run()
    } catch {
      news.post(
        .sensorFailed(
          CommandFailure(error) ?? CommandFailure(.unavailable, "the sensor failed: \(error)"),
          session: session))
    }
  }
}

/// Where the ring's end waits until the sensor's type is known. Only the sampler thread uses it.
private final class ProducerPlace {
  var producer: RingProducer<TickRecord>?

  init(_ producer: consuming RingProducer<TickRecord>?) {
    self.producer = producer
  }
}

/// A service that wants a sensor: returns when it was asked to stop.
private struct ServiceSampling: SensorUser {
  let rate: SampleRate
  let session: UInt64
  let news: Inbox<ServiceNews>
  let stop: StopFlag
  let samples: SampleCount
  let place: ProducerPlace

  func use<Sensor: IMUSensor & Sendable & ~Copyable, Clock: MonotonicClock>(
    _ sensor: consuming sending Sensor, clock: Clock, boardTitle: String
  ) throws {
    while case .wait(let nanoseconds) = try sensor.bringUp() {
      clock.sleep(until: clock.now() + nanoseconds)
    }
    guard let producer = place.producer.take() else {
      preconditionFailure("a sensor is used once")
    }
    let description = sensor.description
    var sampler = Sampler(
      sensor: sensor, clock: clock, sink: CountingSink(producer, samples), rate: rate,
      start: clock.now() + ServiceThreads.lead, plannedTicks: nil,
      timeUnit: ServiceThreads.timeUnit, stop: stop)
    news.post(
      .sensorReady(
        SensorStart(schedule: sampler.schedule, sensor: description, boardTitle: boardTitle),
        session: session))
    sampler.run()
  }
}
