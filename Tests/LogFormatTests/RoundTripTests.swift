// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import TestSupport
import Testing

@Suite("A log returns its contents")
struct RoundTripTests {
  @Test("an end has lost and frozen ticks only where there are any, and is else as short as before")
  func ends() throws {
    for reason in StopReason.allCases {
      for (lost, frozen, extra) in [(0, 0, 0), (60, 0, 1), (0, 8, 2), (60, 8, 2)] {
        var end = RecordingEnd(reason: reason, tally: TickTally(), lateness: LatenessSummary())
        (end.tally.lost, end.tally.frozen) = (UInt64(lost), UInt64(frozen))
        let log = try encode([.end(end)])
        #expect(try LogContent(decoding: log).others == [.end(end)])
        let body = try #require(TestPage.chunks(of: log).last { $0.kind == 6 }).body
        #expect(body.count == 10 + max(extra, reason == .recovered ? 1 : 0))
      }
    }
  }

  @Test("samples, gaps, marks, clock pairs, the bus's clock, sensor events and the end come back")
  func everyRecord() throws {
    let events: [LogEvent] =
      [
        .clock(
          ClockPair(
            time: -3, wall: 1_700_000_000_000_000_001, isSynchronised: false, reason: .start))
      ]
      + (0..<5).map { .record(sample($0, ax: Int16($0))) }
      + [
        .record(TickRecord(Gap(firstTick: 5, count: 2, cause: .busError, code: 121))),
        .record(TickRecord(SensorEvent(tick: 5, kind: .lost, fault: .bus))),
        .record(sample(7, ax: -1)),
        .mark(Mark(time: 1 - RecordingTime.limit, label: "Grüße, 世界")),
        .mark(Mark(time: 12)),
        .record(TickRecord(Gap(firstTick: 8, count: 1, cause: .reinitialising))),
        .clock(
          ClockPair(
            time: RecordingTime.limit - 1, wall: .min, isSynchronised: true, reason: .end,
            others: ClockPair.Others(raw: .min, boottime: .max, bracket: .max))),
        .record(
          TickRecord(
            BusClockReading(time: -7000, hertz: 390_625, least: 0, most: .max), before: 9)),
        .end(.example),
      ]
    #expect(try LogContent(decoding: encode(events)) == LogContent(of: events, .example))
  }

  @Test("random recordings of every kind come back", arguments: 0..<60 as Range<UInt64>)
  func randomTakes(seed: UInt64) throws {
    let recording = RandomRecording(seed: seed)
    let log = try encode(recording.events, recording.description, consumeEvery: 37)
    let content = try LogContent(decoding: log)
    #expect(content == LogContent(of: recording.events, recording.description), "seed \(seed)")
  }

  @Test("every 16-bit count comes back, in either order and shuffled")
  func everyCount() throws {
    var generator = SeededGenerator(seed: 5)
    let all = (-32768...32767).map { Int16($0) }
    for counts in [all, all.reversed(), all.shuffled(using: &generator)] {
      let events = counts.enumerated().map {
        LogEvent.record(sample(UInt64($0.offset), ax: $0.element, gz: ~$0.element))
      }
      #expect(try LogContent(decoding: encode(events)) == LogContent(of: events, .example))
    }
  }

  @Test("times at the ends of the range come back", arguments: [1, 1000, 1_000_000] as [Int64])
  func extremeTimes(unit: Int64) throws {
    var description = RecordingDescription.example
    description.timeUnit = unit
    let last = RecordingTime.limit - 1
    let times: [Int64] = [
      0, 1 << 61, -(1 << 61), last, -last, -1, 1, 999, last, last, -last, -last, 0,
    ].map { $0 / unit * unit }
    let events = times.enumerated().map {
      LogEvent.record(
        TickRecord(tick: UInt64($0.offset) << 40, time: $0.element, sample: RawSample()))
    }
    let content = try LogContent(decoding: encode(events, description))
    #expect(content == LogContent(of: events, description))
  }

  @Test("ticks up to the last one below 2⁶³ come back")
  func extremeTicks() throws {
    let ticks: [UInt64] = [5, 6, 1 << 40, (1 << 62) - 1, 1 << 62, (1 << 63) - 2, (1 << 63) - 1]
    let events = ticks.map { LogEvent.record(sample($0)) }
    #expect(try LogContent(decoding: encode(events)) == LogContent(of: events, .example))
  }

  @Test("a log without a sample comes back", arguments: [[], [.end(.example)]] as [[LogEvent]])
  func noSamples(events: [LogEvent]) throws {
    #expect(try LogContent(decoding: encode(events)) == LogContent(of: events, .example))
  }

  @Test("gaps that come late or overlap come back")
  func lateGaps() throws {
    let gaps = [
      Gap(firstTick: 50, count: 10, cause: .missed), Gap(firstTick: 3, count: 1, cause: .stale),
      Gap(firstTick: 3, count: 9, cause: .ringFull),
      Gap(firstTick: (1 << 63) - 1, count: 1, cause: .busError, code: .min),
      Gap(firstTick: 0, count: 1 << 63, cause: .busError, code: .max),
    ]
    let events = gaps.map { LogEvent.record(TickRecord($0)) }
    #expect(try LogContent(decoding: encode(events)) == LogContent(of: events, .example))
  }
}
