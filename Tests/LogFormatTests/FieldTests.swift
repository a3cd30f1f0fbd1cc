// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import TestSupport
import Testing

@Suite("A magnetometer's values in a log")
struct FieldTests {
  private func content(_ values: [FieldReading]) throws -> LogContent {
    try LogContent(decoding: encode(values.map { .record(TickRecord($0, before: 0)) }))
  }

  @Test("come back with their interval rounded outwards to microseconds")
  func rounding() throws {
    for (time, width, start, end) in [
      (1999, 1, 1000, 2000), (2000, 1, 1000, 2000), (2000, 0, 2000, 2000), (-1, 2, -1000, 0),
      (1000, 1001, -1000, 1000), (4_294_966_001, 4_294_966_000, 0, 4_294_967_000),
    ] as [(Int64, UInt32, Int64, Int64)] {
      let value = FieldReading(time: time, width: width, x: 1, y: -2, z: 3)
      let found = try #require(try content([value]).field.first)
      #expect(found.time - Int64(found.width) == start)
      #expect(found.time == end)
    }
  }

  @Test("come back from the ends of their ranges, one after the other, with every flag")
  func ranges() throws {
    let limit: Int64 = (1 << 48) * 1000
    let least = FieldReading(time: -limit, width: 0, x: .min, y: .max, z: .min, flags: .skipped)
    let greatest = FieldReading(
      time: limit - 1000, width: 4_294_967_000, x: .max, y: .min, z: .max,
      flags: [.saturated, .skipped])
    let plain = FieldReading(time: 0, width: 1000, x: 0, y: -1, z: 1)
    let values = [least, greatest, plain, least, least, greatest, plain, greatest, greatest, least]
    #expect(try content(values).field == values)
  }

  @Test("whose interval is longer than 4 s are left out")
  func wide() throws {
    let value = FieldReading(time: 0, width: 0, x: 1, y: 2, z: 3)
    var wide = value
    (wide.time, wide.width) = (999, .max)
    #expect(try content([value, wide, value]).field == [value, value])
  }

  @Test("come back among samples, readings, gaps and marks, from pages that are read alone")
  func among() throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("values among others with seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    var events: [LogEvent] = []
    var value = FieldReading(time: 0, width: 0, x: -300, y: 150, z: 299)
    var reading = FIFOReading(
      epoch: 1, cause: .start, firstTick: 0, countBefore: 0, count: 0, before: 0, length: 300_000,
      offset: 0, isDrained: true)
    for tick in 0..<20_000 as Range<UInt64> {
      events.append(.record(sample(tick, ax: .random(in: -900...900, using: &generator))))
      if Int.random(in: 0..<20, using: &generator) == 0 {
        value.time += 20_000_000 + .random(in: -9_000_000...9_000_000, using: &generator)
        value.width = .random(in: 0...11_000_000, using: &generator)
        value.x &+= .random(in: -5...5, using: &generator)
        value.flags = tick % 7 == 0 ? .skipped : []
        events.append(.record(TickRecord(value, before: tick + 1)))
      }
      if tick % 9 == 0 {
        reading.count += 9
        reading.before += 9_000_000
        events.append(.record(TickRecord(reading)))
      }
      if tick % 4999 == 0 { events.append(.mark(Mark(time: 0, label: "\(tick)"))) }
      if Int.random(in: 0..<300, using: &generator) == 0 { events.append(.flush) }
    }
    let log = try encode(events, consumeEvery: 5)
    let content = try LogContent(decoding: log)
    #expect(content == LogContent(of: events, .example))
    // Without its second page, only what stood there is missing.
    let page = LogFormat.pageSize
    let cut = log[..<page] + [UInt8](repeating: 0, count: page) + log[(2 * page)...]
    let rest = try LogContent(decoding: Array(cut))
    #expect(rest.damage.map(\.reason) == [.notWritten])
    #expect(rest.field.count < content.field.count)
    #expect(rest.field.allSatisfy { content.field.contains($0) })
  }

  @Test("cost at most 8 bytes each at 50 Hz, read every 10 ms and synced every second")
  func size() throws {
    var generator = SeededGenerator(seed: 3)
    var events: [LogEvent] = []
    var values: [FieldReading] = []
    for index in 0..<3000 as Range<Int64> {
      var noise: Int16 { .random(in: -6...6, using: &generator) }
      // The chip's clock against the computer's: the poll that finds the value wanders.
      let jitter = Int64.random(in: -150_000...150_000, using: &generator)
      let poll = (index * 20_030_000 / 10_000_000 + 1) * 10_000_000 + jitter
      let value = FieldReading(
        time: poll, width: 10_300_000 + .random(in: 0...200_000, using: &generator),
        x: Int16(index % 600) + noise, y: 180 + noise, z: -260 + noise)
      values.append(value)
      events.append(.record(TickRecord(value, before: 0)))
      if index % 50 == 49 { events.append(.flush) }
    }
    let log = try encode(events)
    #expect(try LogContent(decoding: log).field == values.map(\.inMicroseconds))
    let bytes = TestPage.chunks(of: log).filter { $0.kind == 15 }.reduce(0) {
      $0 + $1.body.count + 6
    }
    let each = Double(bytes) / Double(values.count)
    #expect(each < 8, "\(each) bytes a value")
  }
}

@Suite("A chunk of a magnetometer's values")
struct FieldChunkTests {
  /// Kind 20, two values, step 20 ms; 5 ms later than that, width 3 µs, counts 1, −2, 3; and 20 ms later, 1 µs narrower,
  /// with flags 2, counts 0, −2, 4.
  private let body: [UInt8] = [
    20, 2, 0xA0, 0x9C, 1, 0x90, 0x4E, 12, 2, 3, 6, 0, 3, 2, 1, 0, 2,
  ]
  private let values = [
    FieldReading(time: 25_000_000, width: 3000, x: 1, y: -2, z: 3),
    FieldReading(time: 45_000_000, width: 2000, x: 0, y: -2, z: 4, flags: .skipped),
  ]
  /// What follows must not be lost.
  private let mark: [UInt8] = [2, 0]

  private func content(_ body: [UInt8]) -> LogContent {
    var page = TestPage(.example, sequence: 0)
    page.add(kind: 15, body)
    page.add(kind: 3, mark)
    return LogContent(decoding: page.bytes, .example)
  }

  private func expectSkipped(_ body: [UInt8], _ place: String) {
    let found = content(body)
    #expect(found.field.isEmpty && found.damage.isEmpty, "\(place)")
    #expect(
      found.others == [.unknown(kind: 20, byteCount: body.count), .mark(Mark(time: 1))], "\(place)")
  }

  @Test("is read as the specification has it, whatever follows its fields")
  func fields() {
    #expect(content(body).field == values)
    #expect(content(body + [0xFF, 0, 9]).field == values)
    #expect(content([20, 0] + body[2...]).field.isEmpty)
    #expect(content([20, 0] + body[2...]).others == [.mark(Mark(time: 1))])
  }

  @Test("is skipped, and nothing after it, when it ends too early or is out of range")
  func malformed() {
    for length in 1..<body.count { expectSkipped(Array(body[..<length]), "\(length) bytes") }
    /// The varint of 2⁶⁴ − 1, which is the largest number, and folded the least.
    let extreme: [UInt8] = Array(repeating: 0xFF, count: 9) + [1]
    // Without the flags: every byte is a valid one.
    for place in [1, 7, 8, 9, 10, 11, 12, 14, 15, 16] {
      expectSkipped(Array(body[..<place]) + extreme + body[(place + 1)...], "place \(place)")
    }
    expectSkipped([20, 2] + extreme + body[5...], "step")
    expectSkipped(Array(body[..<5]) + extreme + body[7...], "time")
    // One beyond 16 bits.
    expectSkipped(Array(body[..<8]) + [0x80, 0x80, 4] + body[9...], "x")
  }

  @Test("has values with flags of a later version, which alone are skipped")
  func unknownFlags() {
    var later = body
    later[13] = 6
    let found = content(later)
    #expect(found.field == [values[0]])
    #expect(found.others == [.unknown(kind: 20, byteCount: 6), .mark(Mark(time: 1))])
  }
}
