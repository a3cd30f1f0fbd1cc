// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel
import Testing

@testable import Terminal

@Suite("A trace in bounded memory")
struct TraceTests {
  @Test("stores every sample with its recorded time while there is room")
  func whole() throws {
    let trace = Recordings.trace(ticks: 50, late: [20])
    #expect(trace.stride == 1)
    #expect(trace.sampleCount == 50)
    #expect(trace.duration == 5 * Recordings.second)
    let late = try #require(trace.reading(after: 1_999_999_999))
    #expect(late.tick == 20)
    #expect(late.time == 2_030_000_000)
    #expect(late.low == Recordings.sample(20))
  }

  @Test("merges ticks when there is no room, and loses no peak", arguments: [2, 3, 8, 64])
  func together(capacity: Int) throws {
    for peak: UInt64 in [0, 1, 17, 499, 998, 999] {
      var trace = Trace(rate: Recordings.rate(10), capacity: capacity)
      for tick: UInt64 in 0..<1000 {
        let sample = RawSample(ax: tick == peak ? 30_000 : 0, gz: tick == peak ? -30_000 : 0)
        trace.append(tick: tick, time: Int64(tick) * 100_000_000, sample: sample)
      }
      #expect(trace.buckets.count <= capacity)
      #expect(trace.tickCount == 1000)
      var envelope = Envelope(covering: 0..<trace.duration, columns: 10)
      trace.draw(into: &envelope)
      #expect(envelope.columns.map(\.maximum.ax).max() == 30_000)
      #expect(envelope.columns.map(\.minimum.gz).min() == -30_000)
    }
  }

  @Test("ticks far away cost no memory")
  func far() {
    var trace = Trace(rate: Recordings.rate(10), capacity: 16)
    trace.append(tick: 3, time: 0, sample: RawSample(ax: 1))
    trace.append(
      tick: 1 << 33, time: Recordings.rate(10).nanoseconds(atTick: 1 << 33),
      sample: RawSample(ax: 2))
    trace.append(tick: .max, time: .max, sample: RawSample(ax: 3))
    #expect(trace.buckets.count <= 16)
    #expect(trace.sampleCount == 2)
    #expect(trace.reading(at: .max)?.low.ax == 2)
  }

  @Test("accepts a gap before or after the samples around it")
  func order() {
    for gapFirst in [true, false] {
      var trace = Trace(rate: Recordings.rate(10))
      let gap = Gap(firstTick: 2, count: 3, cause: .missed)
      if gapFirst { trace.append(gap) }
      for tick: UInt64 in [0, 1, 5, 6] {
        trace.append(tick: tick, time: Int64(tick) * 100_000_000, sample: RawSample(ax: 5))
      }
      if !gapFirst { trace.append(gap) }
      #expect(trace.sampleCount == 4)
      #expect(trace.tickCount == 7)
      for tick: UInt64 in 0..<7 {
        let time = Int64(tick) * 100_000_000
        #expect((trace.gap(at: time) != nil) == (2..<5).contains(tick))
      }
    }
  }

  @Test("a gap among times that drift against the grid lies between the samples around it")
  func drifting() {
    var trace = Trace(rate: Recordings.rate(10))
    func time(_ tick: UInt64) -> Int64 { Int64(tick) * 103_000_000 }
    for tick: UInt64 in 0..<1000 where !(500..<520).contains(tick) {
      trace.append(tick: tick, time: time(tick), sample: RawSample(ax: 5))
    }
    trace.append(Gap(firstTick: 500, count: 20, cause: .lost))
    #expect(trace.gap(at: time(499)) == nil)
    #expect(trace.gap(at: time(501)) != nil)
    #expect(trace.gap(at: time(519) - 100_000_000) != nil)
    #expect(trace.gap(at: time(520)) == nil)
    #expect(trace.gapStart(after: 0).map { $0 - time(499) } == 100_000_000)
  }

  @Test("an empty recording has neither readings nor length")
  func empty() {
    let trace = Trace(rate: Recordings.rate(10))
    #expect(trace.duration == 0)
    #expect(trace.reading(at: 0) == nil)
    #expect(trace.reading(after: -1) == nil)
    #expect(trace.reading(before: 0) == nil)
  }

  @Test("samples far from the grid of their ticks are drawn and found", arguments: [90, 110, 150])
  func offGrid(milliseconds: Int64) throws {
    let period = milliseconds * 1_000_000
    var trace = Trace(rate: Recordings.rate(10))
    for tick: UInt64 in 0..<100 {
      trace.append(tick: tick, time: Int64(tick) * period, sample: RawSample(ax: Int16(tick)))
    }
    #expect(trace.duration == max(10 * Recordings.second, 99 * period + 1))
    for tick: Int64 in [0, 10, 50, 90, 98] {
      let time = tick * period
      var envelope = Envelope(covering: time..<time + period, columns: 4)
      trace.draw(into: &envelope)
      let found = try #require(envelope.range(of: .accelerometer))
      #expect(found.upperBound == Int16(tick))
      #expect(trace.reading(at: time)?.tick == UInt64(tick))
      #expect(trace.reading(after: time)?.tick == UInt64(tick + 1))
      #expect(trace.reading(before: time)?.tick == (tick == 0 ? nil : UInt64(tick - 1)))
    }
  }

  @Test("ticks that neither a sample nor a gap accounts for become a gap, up to the end")
  func losses() {
    var filling = TraceFilling(rate: Recordings.rate(10))
    let missed = Gap(firstTick: 12, count: 3, cause: .missed)
    let early = Gap(firstTick: 32, count: 2, cause: .stale)
    filling.append(tick: 0, time: 0, sample: RawSample())
    filling.append(missed)
    filling.append(tick: 30, time: 3 * Recordings.second, sample: RawSample())
    // Reported before the sample in front of it.
    filling.append(early)
    for tick: UInt64 in [31, 34] {
      filling.append(tick: tick, time: Int64(tick) * 100_000_000, sample: RawSample())
    }
    let trace = filling.end(atTick: 40)
    #expect(
      trace.gaps == [
        Gap(firstTick: 1, count: 11, cause: .lost), missed,
        Gap(firstTick: 15, count: 15, cause: .lost), early,
        Gap(firstTick: 35, count: 5, cause: .lost),
      ])
    #expect(trace.tickCount == 40)
    #expect(trace.sampleCount == 4)
  }
}
