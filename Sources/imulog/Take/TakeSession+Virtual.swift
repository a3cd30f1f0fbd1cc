import IMUDrivers
import IMUModel
import LinuxIO
import LogFormat
import LogStore
import Recorder
import RingBuffer
import Sampling

/// A take in simulated time: one thread does everything in turn, as fast as it can.
extension TakeSession {
  /// How many ticks pass between two looks for a signal, each of which is a call of the kernel.
  private static var signalStride: UInt64 { 256 }

  func runVirtually<Sensor: IMUSensor & Sendable & ~Copyable>(
    _ sensor: consuming sending Sensor
  ) throws -> TakeOutcome {
    let signals = try SignalWatch()
    try bringUp(&sensor)
    let log = description(of: sensor.description, realTime: "virtual time", cpuLatency: "not held")
    let live = try createRecording(log)
    let entry = live.entry
    let description = live.description
    var ring = RingEnds<TickRecord>()
    let start = clock.now() + TakeSession.lead
    let wall = clockReading(start: clock.now())
    let pair = ClockPair(
      time: -TakeSession.lead, wall: wall.wall, isSynchronised: wall.isSynchronised, reason: .start)
    var recorder = try Recorder(
      after: description, consumer: ring.takeConsumer(),
      output: DirectOutput(live.takeStorage()), start: start)
    recorder.note(pair)
    let stop = StopFlag()
    var sampler = Sampler(
      sensor: sensor, clock: clock, sink: RingSink(ring.takeProducer()), rate: request.sensor.rate,
      start: start,
      plannedTicks: request.plannedTicks, timeUnit: TakeSession.timeUnit, stop: stop)

    var take = Take()
    _ = take.handle(.begin)
    _ = take.handle(.sensorReady)
    var ticks: UInt64 = 0
    while sampler.step() == .continue {
      ticks &+= 1
      if ticks % TakeSession.signalStride == 0, signals.wait(timeoutNanoseconds: 0) != nil,
        take.handle(.stopRequested(.signal)).contains(.stopSampler)
      {
        stop.request()
      }
      recorder.drain()
      recorder.syncIfDue(now: clock.now())
      if let failure = recorder.output.failure {
        if take.handle(failure.isFull ? .storageFull : .storageFailed).contains(.stopSampler) {
          stop.request()
        }
      }
    }
    var failure = recorder.output.failure
    if let problem = failure {
      _ = take.handle(problem.isFull ? .storageFull : .storageFailed)
      recorder.giveUp(sampler.undelivered)
      recorder.output.forgiveFull()
    } else {
      recorder.drain()
      for record in sampler.undelivered { recorder.write(record) }
    }
    guard case .finishLog(let reason)? = take.handle(.samplerFinished).first else {
      preconditionFailure("a take that was recording ends with its log")
    }
    let elapsed = clock.now() - start
    recorder.note(
      ClockPair(
        time: elapsed, wall: pair.wallAtStart + elapsed, isSynchronised: wall.isSynchronised,
        reason: .end))
    recorder.finish(reason: reason)
    let (ledger, lateness) = (recorder.ledger, recorder.lateness)
    failure = failure ?? recorder.output.failure
    var storage = recorder.release().release()
    do {
      try storage.finish()
    } catch {
      failure = failure ?? error
    }
    _ = consume storage
    return outcome(
      of: entry, id: description.id, reason: reason, ledger: ledger, lateness: lateness,
      failure: failure)
  }
}
