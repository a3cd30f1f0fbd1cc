// SPDX-License-Identifier: Apache-2.0

package import IMUDrivers
package import IMUModel
import LinuxIO
import RingBuffer
import Sampling

/// A recorder in simulated time: one thread steps the shipped loop, sampler, writer and card in turn, as fast as it can.
///
///     sampler.step ─► writer.round ─► card.step ─► loop.round, until all are idle ─► next tick
///
/// The loop's clock is the sensor's. It moves only while the sampler waits for a tick or the bus.
package struct SimulatedRecorder: SensorUser {
  private let setup: RecorderSetup
  private let surroundings: RecorderLoop.Surroundings
  /// Whether the writer does not run at an instant.
  private let isWriterHeld: (MonotonicTime) -> Bool
  /// Called after each tick, before the others step.
  private let afterTick: (RecorderLoop, MonotonicTime) -> Void

  package init(
    _ setup: RecorderSetup, _ surroundings: RecorderLoop.Surroundings,
    isWriterHeld: @escaping (MonotonicTime) -> Bool = { _ in false },
    afterTick: @escaping (RecorderLoop, MonotonicTime) -> Void = { _, _ in }
  ) {
    (self.setup, self.surroundings) = (setup, surroundings)
    (self.isWriterHeld, self.afterTick) = (isWriterHeld, afterTick)
  }

  /// Ticks between two polls for a signal, each of which is a system call.
  private static var signalStride: UInt64 { 256 }

  /// Records until the loop has ended; returns the loop, which has the results.
  package func run() throws -> RecorderLoop { try setup.sensor.open(for: self) }

  package func use<Sensor: IMUSensor & Sendable & ~Copyable, Clock: MonotonicClock>(
    _ sensor: consuming sending Sensor, busClock: BusClock, clock: Clock, boardTitle: String
  ) throws -> RecorderLoop {
    try sensor.bringUp(on: clock)
    let planned = setup.isSingle && !surroundings.isInteractive ? setup.ticksAfter : nil
    let (description, expectation) = (sensor.description, sensor.expectation)
    var ring = RingEnds<TickRecord>()
    let stop = StopFlag()
    var sampler = Sampler(
      sensor: sensor, clock: clock, sink: ring.takeProducer(), rate: setup.rate,
      start: clock.now() + RecorderSetup.lead, plannedTicks: planned,
      timeUnit: RecorderSetup.timeUnit, stop: stop)
    let start = SensorStart(
      schedule: sampler.schedule, busClock: busClock, sensor: description, expectation: expectation,
      boardTitle: boardTitle)
    let stage = SteppedWorkers.Stage(consumer: ring.takeConsumer(), stop: stop)
    return try run(&sampler, start, stage, clock)
  }

  package func use<Bus: I2CBus & Sendable & ~Copyable, Clock: MonotonicClock>(
    _ sensor: consuming sending FIFOSensor<Bus>, busClock: BusClock, clock: Clock,
    boardTitle: String
  ) throws -> RecorderLoop {
    try sensor.bringUp(on: clock)
    let (description, hasInterrupt) = (sensor.description, sensor.hasInterrupt)
    let expectation = sensor.expectation
    var ring = RingEnds<TickRecord>()
    let stop = StopFlag()
    var drainer = Drainer(
      sensor: sensor, clock: clock, sink: ring.takeProducer(), rate: setup.rate,
      start: clock.now() + RecorderSetup.lead, timeUnit: RecorderSetup.timeUnit, stop: stop)
    let start = SensorStart(
      schedule: drainer.schedule, clock: .chip(busClock: busClock.configured), busClock: busClock,
      hasInterrupt: hasInterrupt,
      sensor: description, expectation: expectation, boardTitle: boardTitle)
    let stage = SteppedWorkers.Stage(consumer: ring.takeConsumer(), stop: stop)
    return try run(&drainer, start, stage, clock)
  }

  private func run<Loop: SamplingLoop & ~Copyable, Clock: MonotonicClock>(
    _ sampler: inout Loop, _ start: SensorStart, _ stage: SteppedWorkers.Stage, _ clock: Clock
  ) throws -> RecorderLoop {
    let signals = try SignalWatch(surroundings.signals)
    var surroundings = surroundings
    surroundings.clock = surroundings.clock.running(with: clock)
    let loop = try RecorderLoop(
      setup, surroundings, signals: signals, memoryRefusal: nil
    ) { _, channel in
      channel.report(.ready(start))
      return SteppedWorkers(channel, stage)
    }
    loop.panel = try surroundings.openPanel(setup)
    var card = Card(
      setup.store, orders: loop.card, news: loop.news, clock: loop.clock, journal: loop.journal,
      syncsEarly: false)
    loop.begin()
    drain(loop, stage, &card)
    var ticks: UInt64 = 0
    while loop.isRunning {
      if sampler.step() == .finished {
        if stage.hasSamplerEnded {
          // The remaining work waits for its time.
          clock.sleep(until: clock.now() + WriterWork.period)
        } else {
          stage.samplerEnded(sampler.undelivered, loop.workers)
        }
      }
      ticks &+= 1
      afterTick(loop, clock.now())
      drain(loop, stage, &card)
      if loop.panel != nil || ticks % SimulatedRecorder.signalStride == 0 { loop.round() }
    }
    try loop.end()
    return loop
  }

  /// Lets the writer, the card and the loop work until all are idle at this instant.
  private func drain(
    _ loop: RecorderLoop, _ stage: SteppedWorkers.Stage, _ card: inout Card
  ) {
    let isHeld = isWriterHeld(loop.clock.now())
    repeat {
      if !isHeld { stage.round() }
      while card.step(waits: false) {}
      loop.handleNews()
    } while loop.hasNews || !isHeld && stage.hasCommands(loop.workers)
  }
}

extension RecorderClock {
  /// This clock's time of day, which runs with `clock` from now on.
  fileprivate func running<Clock: MonotonicClock>(with clock: Clock) -> RecorderClock {
    let reading = reading()
    let start = clock.now()
    return RecorderClock {
      clock.now()
    } reading: {
      let now = clock.now()
      return ClockReading(
        monotonic: now, wall: reading.wall + (now - start),
        isSynchronised: reading.isSynchronised)
    }
  }
}

/// A writer and a sampler that the stage's owner steps.
final class SteppedWorkers: Workers {
  /// The sampler's side, which stays from one waking to the next: in simulated time it never sleeps.
  final class Stage {
    private var consumer: RingConsumer<TickRecord>?
    private var writer: WriterWork?
    let stop: StopFlag
    private(set) var hasSamplerEnded = false

    init(consumer: consuming RingConsumer<TickRecord>, stop: StopFlag) {
      self.consumer = .some(consumer)
      self.stop = stop
    }

    func startWriter(_ start: SensorStart, _ setup: RecorderSetup, _ channel: WriterChannel) {
      guard let consumer = consumer.take() else { preconditionFailure("one writer a sampler") }
      writer = .some(WriterWork(consumer: consumer, start, setup, channel))
    }

    func round() {
      writer?.round()
    }

    func samplerEnded(_ rest: [TickRecord], _ workers: (any Workers)?) {
      hasSamplerEnded = true
      workers?.channel.commands.post(.samplerEnded(rest))
    }

    func hasCommands(_ workers: (any Workers)?) -> Bool {
      workers?.channel.commands.isEmpty == false
    }
  }

  let channel: WriterChannel
  private let stage: Stage

  init(_ channel: WriterChannel, _ stage: Stage) {
    (self.channel, self.stage) = (channel, stage)
  }

  var refusal: Refusal? { nil }
  var hasSamplerEnded: Bool { stage.hasSamplerEnded }

  func startWriter(_ start: SensorStart, _ setup: RecorderSetup) {
    stage.startWriter(start, setup, channel)
  }

  func realTime(memory refusal: Refusal?) -> String { "virtual time" }

  func stopSampling() { stage.stop.request() }

  func end() -> Bool {
    stage.stop.request()
    return true
  }
}
