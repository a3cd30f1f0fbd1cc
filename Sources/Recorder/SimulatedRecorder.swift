// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
package import IMUModel
import LinuxIO
import RingBuffer
import Sampling

/// A recorder in simulated time: one thread steps the shipped loop, sampler, writer and card in turn, as fast as it can.
///
///     sampler.step ─► writer.round ─► card.step ─► loop.round, until all are idle ─► next tick
///
/// The loop's clock is the sensor's. It moves only while the sampler waits for a tick or the bus.
package struct SimulatedRecorder {
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
  package func run() throws -> RecorderLoop {
    let sensors = try ReadySensors(setup)
    let stop = StopFlag()
    let rings = SensorRings(setup.members.count)
    let (start, loops) = try sensors.begin(
      rings.producers, stop: stop, isPlanned: setup.isSingle && !surroundings.isInteractive)
    var group = SamplerGroup(loops)
    let stage = SteppedWorkers.Stage(consumers: rings.consumers, stop: stop)
    let clock = sensors.clock
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
      if group.step() == .finished {
        if stage.hasSamplerEnded {
          // The remaining work waits for its time.
          clock.sleep(until: clock.now() + WriterGroup.period)
        } else {
          stage.samplerEnded(loops.map(\.undelivered), loop.workers)
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
  fileprivate func running(with clock: any MonotonicClock) -> RecorderClock {
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
    private let consumers: [Handover<RingConsumer<TickRecord>>]
    private var writer: WriterGroup?
    let stop: StopFlag
    private(set) var hasSamplerEnded = false

    init(consumers: [Handover<RingConsumer<TickRecord>>], stop: StopFlag) {
      (self.consumers, self.stop) = (consumers, stop)
    }

    func startWriter(_ start: SensorStart, _ setup: RecorderSetup, _ channel: WriterChannel) {
      writer = .some(WriterGroup(consumers, start, setup, channel))
    }

    func round() {
      writer?.round()
    }

    func samplerEnded(_ rests: [[TickRecord]], _ workers: (any Workers)?) {
      hasSamplerEnded = true
      for (index, rest) in rests.enumerated() {
        workers?.channel.commands.post(.samplerEnded(rest, index))
      }
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
