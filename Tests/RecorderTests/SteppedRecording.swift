// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Recorder
import RingBuffer
import Sampling
import TestSupport

/// A clock on which every sleep ends some microseconds late, repeatably.
final class DozyClock: MonotonicClock, @unchecked Sendable {
  // Safe: each test uses its own on one thread.
  private var instant: Int64 = 1_000_000_000
  private var generator = SeededGenerator(seed: 3)

  func now() -> MonotonicTime { MonotonicTime(nanoseconds: instant) }

  func sleep(until deadline: MonotonicTime) {
    instant = max(instant, deadline.nanoseconds) + Int64(generator.next() % 90_000)
  }
}

/// The shipped sampler, ring and writer of one recording from its sampler's first tick on, without any thread: the test
/// steps each of them, and the flusher.
final class SteppedRecording<Clock: MonotonicClock> {
  let description: RecordingDescription
  let queue: FlushQueue
  let clock: Clock
  private var sampler: Sampler<CountingSensor, Clock, RingProducer<TickRecord>>
  private var writer: RecordingWriter
  private let start: MonotonicTime
  /// Counts that do not compress.
  private static var noise: @Sendable (UInt64) -> RawSample {
    { number in
      var generator = SeededGenerator(seed: number)
      var sample = RawSample()
      for channel in 0..<7 { sample[channel] = Int16(truncatingIfNeeded: generator.next()) }
      return sample
    }
  }
  /// Whether the sampler has ticks left.
  private(set) var isSampling = true
  /// The last records of a sampler that has ended, on their way to the writer.
  private var rest: [TickRecord]?
  /// The log's end, once the queue has all of it.
  private(set) var end: RecordingEnd?

  init(
    _ clock: Clock, _ description: RecordingDescription, ticks: UInt64, queue: FlushQueue,
    ring capacity: Int = 600
  ) {
    (self.clock, self.description, self.queue) = (clock, description, queue)
    var ring = RingEnds<TickRecord>(capacity: capacity)
    start = clock.now()
    sampler = Sampler(
      sensor: CountingSensor(SteppedRecording.noise), clock: clock, sink: ring.takeProducer(),
      rate: description.rate, start: start, plannedTicks: ticks, timeUnit: 1000, stop: StopFlag())
    writer = RecordingWriter(
      consumer: ring.takeConsumer(), clock: TickClock(sampler.schedule), timeUnit: 1000,
      historyTicks: capacity / 2)
    writer.begin(RecordingOrder(at: start, ticksBefore: 0, ticksAfter: ticks))
  }

  /// The sampler's tally.
  var tally: TickTally { sampler.tally }

  /// A tick.
  func stepSampler() {
    guard isSampling, sampler.step() == .finished else { return }
    isSampling = false
    rest = sampler.undelivered
  }

  /// A round of the writer.
  func stepWriter() {
    guard end == nil else { return }
    if let rest {
      self.rest = nil
      writer.samplerEnded(rest)
    }
    let now = clock.now()
    let reading = ClockReading(
      monotonic: now, wall: ExampleRecording.wall + (now - start), isSynchronised: false)
    let round = writer.advance(reading)
    if round.plan != nil { attach() }
    for case .limitReached in round.events { writer.end(at: nil, reason: .completed) }
    end = round.end
  }

  private func attach() {
    do {
      try writer.attach(description, queue: queue)
    } catch {
      preconditionFailure("the example's description is one: \(error)")
    }
  }

  /// The log's file, of which `bytes` follow the header.
  func log(_ bytes: [UInt8]) throws -> [UInt8] { try encodeHeader(description) + bytes }
}
