// SPDX-License-Identifier: Apache-2.0

import ChipClockTesting
import IMUModel
import LogFormat
import TestSupport
import Testing

@Suite("Readings of a FIFO in a log")
struct ReadingsTests {
  private let reading = FIFOReading(
    epoch: 1, cause: .reset, firstTick: 40, countBefore: 30, count: 7, before: 5_000_000_000,
    length: 300_000, offset: -17, isDrained: true)

  private func content(_ readings: [FIFOReading]) throws -> LogContent {
    try LogContent(decoding: encode(readings.map { .record(TickRecord($0)) }))
  }

  @Test("come back with the instant before rounded down to microseconds and that after it up")
  func rounding() throws {
    for (before, length, start, end) in [
      (1999, 1, 1000, 2000), (2000, 1, 2000, 3000), (-1, 2, -1000, 1000), (-1000, 1000, -1000, 0),
      (5, 4_294_960_000, 0, 4_294_961_000), (-5, 1, -1000, 0),
      // No sample and no read: the beginning of an epoch.
      (1999, 0, 1000, 1000),
    ] as [(Int64, UInt32, Int64, Int64)] {
      var reading = reading
      (reading.before, reading.length) = (before, length)
      if length == 0 { reading.count = 0 }
      let found = try #require(try content([reading]).readings.first)
      #expect(found.before == start)
      #expect(found.before + Int64(found.length) == end)
    }
  }

  @Test("come back from the ends of their ranges, one after the other")
  func ranges() throws {
    var least = reading
    (least.epoch, least.firstTick, least.countBefore, least.count) = (0, -1 << 62, 0, 0)
    (least.before, least.length, least.offset) = (-1 << 48 * 1000, 0, -1 << 47)
    least.before = -(1 << 48) * 1000
    least.isDrained = false
    var greatest = least
    (greatest.count, greatest.before) = ((1 << 48) - 1, ((1 << 48) - 1) * 1000)
    (greatest.length, greatest.offset) = (4_294_967_000, (1 << 47) - 1)
    greatest.isDrained = true
    let readings = [least, greatest, least, least, greatest, greatest, least]
    #expect(try content(readings).readings == readings)
  }

  @Test("whose read took more than 4 s are left out")
  func longReads() throws {
    var long = reading
    (long.before, long.length) = (999, .max)
    #expect(try content([reading, long, reading]).readings == [reading, reading])
  }

  @Test("come back among samples, gaps and marks, from pages that are read alone")
  func among() throws {
    var generator = SeededGenerator(seed: 11)
    var events: [LogEvent] = []
    var reading = reading
    var description = RecordingDescription.example
    description.clock = .chip(busClock: 400_000)
    for tick in 0..<20_000 as Range<UInt64> {
      events.append(.record(sample(tick, ax: .random(in: -900...900, using: &generator))))
      if tick % 9 == 0 {
        reading.count += 9
        reading.before += 9_000_000 + .random(in: -500_000...500_000, using: &generator)
        reading.length = .random(in: 200_000...700_000, using: &generator)
        reading.offset += .random(in: -1...1, using: &generator)
        reading.isDrained.toggle()
        events.append(.record(TickRecord(reading)))
      }
      if tick % 4999 == 0 {
        reading.epoch += 1
        reading.countBefore = reading.count
        reading.count = 0
        events.append(.mark(Mark(time: 0, label: "epoch \(reading.epoch)")))
      }
      if tick % 700 == 0 { events.append(.flush) }
    }
    let log = try encode(events, description, consumeEvery: 5)
    let content = try LogContent(decoding: log)
    #expect(content == LogContent(of: events, description))
    // Without its second page, only what stood there is missing.
    let page = LogFormat.pageSize
    let cut = log[..<page] + [UInt8](repeating: 0, count: page) + log[(2 * page)...]
    let rest = try LogContent(decoding: Array(cut))
    #expect(rest.damage.map(\.reason) == [.notWritten])
    #expect(rest.readings.count < content.readings.count)
    #expect(rest.readings.allSatisfy { content.readings.contains($0) })
  }

  @Test("come back wherever in a page they are written, also where it is full")
  func everyPlace() throws {
    var events: [LogEvent] = []
    var reading = reading
    for tick in 0..<6000 as Range<UInt64> {
      events.append(.record(sample(tick, ax: Int16(tick % 7 * 91))))
      reading.count += 1
      reading.before += 1_000_000
      reading.epoch += tick % 5 == 0 ? 1 : 0
      events.append(.record(TickRecord(reading)))
      if tick % 3 == 0 { events.append(.flush) }
    }
    let log = try encode(events)
    #expect(try LogContent(decoding: log) == LogContent(of: events, .example))
  }

  @Test("cost at most 6 bytes each at 1 kHz with 20 ms from one drain to the next")
  func size() throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      let readings = Simulation(seconds: 60, seed: seed).run().readings.map { reading in
        FIFOReading(
          epoch: 0, cause: .start, firstTick: 0, countBefore: 0, count: reading.count,
          before: reading.before - 1_000_000_000_000,
          length: UInt32((reading.after ?? reading.before) - reading.before),
          // It changes where a clock call or the rounding does.
          offset: 12 + (reading.count % 5 == 0 ? 1 : 0), isDrained: true)
      }
      let events = readings.enumerated().flatMap { index, reading -> [LogEvent] in
        [.record(TickRecord(reading))] + (index % 50 == 49 ? [.flush] : [])
      }
      let log = try encode(events)
      #expect(try LogContent(decoding: log).readings == readings.map(\.inMicroseconds))
      let bytes = TestPage.chunks(of: log).filter { $0.kind == 15 }.reduce(0) {
        $0 + $1.body.count + 6
      }
      let each = Double(bytes) / Double(readings.count)
      #expect(each < 6, "\(each) bytes a reading with seed \(seed)")
    }
  }
}

@Suite("A chunk of readings")
struct ReadingsChunkTests {
  /// Kind 16, one reading, epoch 1, cause 1, first tick 0, count before 2, steps 0 and 0, count 3, 4 µs, offset 5, and
  /// the reading's own four fields.
  private let body: [UInt8] = [16, 1, 1, 1, 0, 2, 0, 0, 6, 8, 10, 2, 4, 15, 1]
  private let reading = FIFOReading(
    epoch: 1, cause: .start, firstTick: 0, countBefore: 2, count: 4, before: 6000, length: 3000,
    offset: 4, isDrained: true)

  private func content(_ body: [UInt8]) -> LogContent {
    var page = TestPage(.example, sequence: 0)
    page.add(kind: 15, body)
    return LogContent(decoding: page.bytes, .example)
  }

  @Test("is read as the specification has it, whatever follows its fields")
  func fields() {
    #expect(content(body).readings == [reading])
    #expect(content(body + [0xFF, 0, 9]).readings == [reading])
    #expect(content([16, 0] + body[2...]).readings.isEmpty)
    #expect(content([16, 0] + body[2...]).damage.isEmpty)
  }

  @Test("has stamps, of which the readings after them are independent")
  func stamps() {
    // Two before, two after, length 3 µs, ticks 300 of 384.
    let stamp: [UInt8] = [3, 4, 28, 0xAC, 2, 0x80, 3]
    var stamped = reading
    (stamped.count, stamped.offset, stamped.isDrained) = (1, 5, false)
    stamped.stamp = SlotStamp(ticks: 300, ticksPerSlot: 384)
    var two = body[..<11] + stamp + body[11...]
    (two[0], two[1], two[20]) = (17, 2, 27)
    #expect(content(Array(two)).readings == [stamped, reading])
    for (place, bytes) in [(14, [0x80, 0x80, 4] as [UInt8]), (16, [0]), (16, [0x80, 0x80, 4])] {
      let wrong = two[..<place] + bytes + two[(place + 2)...]
      #expect(content(Array(wrong)).damage.count == 1, "\(bytes) at \(place)")
    }
    // Without a read.
    two[13] = 4
    #expect(content(Array(two)).damage.count == 1)
  }

  @Test(
    "has flags for stamps only where there is one, so that logs without stamps stay what they were")
  func kinds() throws {
    var plain = FIFOReading(
      epoch: 0, cause: .start, firstTick: 0, countBefore: 0, count: 10, before: 5_000_000,
      length: 300_000, offset: 0, isDrained: true)
    var events: [LogEvent] = []
    for index in 0..<300 as Range<Int64> {
      (plain.count, plain.before) = (10 + index, 5_000_000 + index * 1_000_000)
      events.append(.record(TickRecord(plain)))
      // In the second chunk alone.
      if index > 127, index < 250, index % 10 == 0 {
        var stamped = plain
        stamped.stamp = SlotStamp(ticks: UInt16(index), ticksPerSlot: 384)
        stamped.isDrained = false
        events.append(.record(TickRecord(stamped)))
      }
      if index == 260 { events.append(.flush) }
    }
    // Nothing read it.
    var unread = plain
    (unread.stamp, unread.length) = (SlotStamp(ticks: 1, ticksPerSlot: 384), 0)
    let log = try encode(events + [.record(TickRecord(unread))])
    #expect(try LogContent(decoding: log) == LogContent(of: events, .example))
    let kinds = TestPage.chunks(of: log).filter { $0.kind == 15 }.map(\.body[0])
    #expect(kinds == [16, 17, 16, 16])
  }

  @Test("of an unknown cause is skipped if its fields are in range")
  func unknownCause() {
    var unknown = body
    unknown[3] = 99
    #expect(content(unknown).others == [.unknown(kind: 16, byteCount: body.count)])
    unknown[13] = 0xFF
    #expect(content(unknown).damage.count == 1)
    unknown[0] = 17
    #expect(content(unknown).damage.count == 1)
    (unknown[13], unknown[14]) = (3 << 3, 0xFF)
    #expect(content(unknown).others == [.unknown(kind: 17, byteCount: body.count)])
  }

  @Test("that ends too early or is out of range is damage")
  func malformed() {
    for length in 1..<body.count {
      #expect(content(Array(body[..<length])).damage.count == 1, "\(length)")
    }
    /// The varint of 2⁶⁴ − 1, which is the largest number, and folded the least.
    let extreme: [UInt8] = Array(repeating: 0xFF, count: 9) + [1]
    for field in [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14] {
      let found = content(Array(body[..<field]) + extreme + body[(field + 1)...])
      #expect(found.damage.count == 1, "\(field)")
      #expect(found.readings.isEmpty)
    }
  }
}
