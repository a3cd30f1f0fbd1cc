// SPDX-License-Identifier: Apache-2.0

import ChipClockTesting
@testable import Export
import IMUModel
import LogFormat
import Testing

@Suite("miniSEED")
struct MiniSEEDTests {
  // 2025-11-22T08:26:40.123456789Z: day 326 of the year.
  private static let started: Int64 = 1_763_800_000_123_456_789

  private func export(_ log: TestLog, _ options: ExportOptions = ExportOptions(format: .mseed))
    throws -> (bytes: [UInt8], report: Exporter.Report)
  { try TestLog.data(log.bytes(), options) }

  private func log(
    _ counts: [Int16?], rate: SampleRate = hertz(100),
    channels: ChannelSet = ChannelSet(rawValue: 1),
    dated: Bool = true
  ) throws -> TestLog {
    var log = TestLog(TestLog.description(channels: channels, rate: rate))
    if dated { log.clock(0, wall: MiniSEEDTests.started, synchronised: true) }
    for (tick, count) in counts.enumerated() {
      let time = rate.nanoseconds(atTick: UInt64(tick))
      if let count {
        log.sample(
          UInt64(tick), time + 5000,
          RawSample(ax: count, ay: -(count / 2), az: 7, gx: count / 3, gy: 0, gz: -1))
      } else {
        log.gap(UInt64(tick), 1, .busError)
      }
    }
    log.end(TickTally(sampled: UInt64(counts.count)))
    return log
  }

  @Test("a record's header is the specification's, byte for byte")
  func header() throws {
    let (bytes, _) = try export(try log([5, -3, 40, 1000, -1000]))
    #expect(bytes.count == 512)
    // Station 1B4E2 or another UUID's beginning.
    #expect(Array(bytes[..<8]) == Array("000001D ".utf8))
    #expect(Array(bytes[13..<20]) == Array("00HN1XX".utf8))
    // 2025, day 326, 8:26:40, 1234 tenths of a millisecond.
    #expect(Array(bytes[20..<30]) == [0x07, 0xE9, 0x01, 0x46, 8, 26, 40, 0, 0x04, 0xD2])
    // 5 samples at 100 Hz; two blockettes; data from 64, the first blockette at 48.
    #expect(Array(bytes[30..<48]) == [0, 5, 0, 100, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 64, 0, 48])
    #expect(Array(bytes[48..<56]) == [0x03, 0xE8, 0, 56, 11, 1, 9, 0])
    // 57 µs above the tenths of a millisecond; 7 frames.
    #expect(Array(bytes[56..<64]) == [0x03, 0xE9, 0, 0, 0, 57, 0, 7])
  }

  @Test(
    "each width holds its least and its greatest difference",
    arguments: [
      (4, 7, 3 as UInt32), (5, 6, 3), (6, 5, 3), (8, 4, 1), (10, 3, 2), (15, 2, 2), (30, 1, 2),
    ])
  func widths(width: Int, count: Int, code: UInt32) {
    let (least, greatest) = (-(Int32(1) << Int32(width - 1)), (Int32(1) << Int32(width - 1)) - 1)
    let differences = (0..<count).map { $0 % 2 == 0 ? least : greatest }
    let word = Steim2.word(differences[...])
    #expect(word.count == count && word.code == code)
    for (place, difference) in differences.enumerated() {
      let shift = UInt32(width * (count - 1 - place))
      let bits = word.bits >> shift & (1 << UInt32(width) - 1)
      #expect(bits == UInt32(bitPattern: difference) & (1 << UInt32(width) - 1))
    }
    // One more bit needs the next form.
    guard width < 30 else { return }
    #expect(Steim2.word(([greatest + 1] + differences.dropFirst())[...]).count < count)
  }

  @Test("every sample of every channel comes back, extremes too")
  func values() throws {
    var counts = (0..<3000).map { Int16(truncatingIfNeeded: $0 * $0 * 7 % 65537 - 32768) }
    counts += [.min, .max, .min, 0, .max]
    let log = try log(counts, channels: ChannelSet(rawValue: 0x3F))
    let file = try SeedReader(export(log).bytes)
    #expect(file.values["HN1"] == counts.map { Int32($0) })
    #expect(file.values["HN2"] == counts.map { -Int32($0 / 2) })
    #expect(file.values["HN3"] == counts.map { _ in 7 })
    #expect(file.values["HJ1"] == counts.map { Int32($0 / 3) })
    #expect(file.values["HJ3"] == counts.map { _ in -1 })
    #expect(file.values.count == 6)
    // The next record begins where the one before it ends.
    let times = try #require(file.starts["HN1"])
    for (time, first) in times { #expect(time == 1_763_800_000_123_457 + Int64(first) * 10_000) }
  }

  @Test("a gap begins a new record at the time of the sample after it")
  func gaps() throws {
    let (bytes, report) = try export(try log([1, 2, nil, nil, 5, 6]))
    let file = try SeedReader(bytes)
    #expect(bytes.count == 1024 && report.samples == 4)
    #expect(file.values["HN1"] == [1, 2, 5, 6])
    #expect(file.starts["HN1"]?.map(\.time) == [1_763_800_000_123_457, 1_763_800_000_163_457])
  }

  @Test("a rate that is no whole number is in blockette 100, and as a factor and a divisor")
  func rates() throws {
    let (bytes, _) = try export(try log([1, 2, 3], rate: hertz(100, per: 3)))
    // 33.33 Hz is 3333 / 100.
    #expect(Array(bytes[32..<36]) == [0x0D, 0x05, 0xFF, 0x9C])
    #expect(Array(bytes[44..<46]) == [0, 128] && bytes[39] == 3)
    #expect(Array(bytes[58..<60]) == [0, 64])
    let rate = Float(bitPattern: bytes[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    #expect(Array(bytes[64..<68]) == [0, 100, 0, 0] && abs(rate - 33.3333) < 0.0001)
    #expect(try SeedReader(bytes).values["BN1"] == [1, 2, 3])
  }

  @Test("the report has the scales, and says when there is no date")
  func remarks() throws {
    let report = try export(try log([1, 2], dated: false)).report
    #expect(report.remarks.contains { $0.contains("of HN 6.103515625e-05 g") })
    #expect(report.remarks.contains { $0.contains("has no date") })
  }

  /// An import's samples at these times, in milliseconds.
  private func imported(_ times: [Int64]) throws -> TestLog {
    var description = TestLog.description(channels: ChannelSet(rawValue: 1), rate: hertz(100))
    description.sensor.model = SensorDescription.importedModel
    var log = TestLog(description)
    log.clock(0, wall: MiniSEEDTests.started, synchronised: true)
    for (tick, time) in times.enumerated() {
      log.sample(UInt64(tick), time * 1_000_000, RawSample(ax: Int16(3 * tick - 7)))
    }
    log.end(TickTally(sampled: UInt64(times.count)))
    return log
  }

  @Test("times of packets have no rate: a file of a record a sample is refused")
  func packets() throws {
    let log = try imported((0..<60).map { $0 / 10 * 100 + $0 % 10 / 5 })
    expectRefusal(
      "59 of 59 steps from sample to sample are not one period of 100 Hz, as in packets: choose"
    ) { _ = try export(log) }
  }

  @Test("steps of another length begin a record, which the report says")
  func jumps() throws {
    let log = try imported([0, 10, 20, 30, 47, 57, 67, 77, 80, 90, 100])
    let (bytes, report) = try export(log)
    #expect(bytes.count == 3 * 512 && report.samples == 11)
    #expect(report.remarks.contains { $0.hasPrefix("2 samples begin a new record") })
    #expect(try SeedReader(bytes).values["HN1"] == (0..<11).map { Int32(3 * $0 - 7) })
  }
}

/// Reads what the tests write, from the specification.
private struct SeedReader {
  struct Fault: Error {}

  /// By channel.
  var values: [String: [Int32]] = [:]
  /// Microseconds since 1970 of each record, and which of the channel's values is its first.
  var starts: [String: [(time: Int64, first: Int)]] = [:]

  init(_ bytes: [UInt8]) throws {
    guard bytes.count % 512 == 0 else { throw Fault() }
    for begin in stride(from: 0, to: bytes.count, by: 512) {
      let record = Array(bytes[begin..<begin + 512])
      func u16(_ place: Int) -> Int { Int(record[place]) << 8 | Int(record[place + 1]) }
      let channel = String(decoding: record[15..<18], as: UTF8.self)
      let found = try SeedReader.decode(record, from: u16(44), count: u16(30))
      guard u16(20) == 2025 || u16(20) == 1970 else { throw Fault() }
      let days = (u16(20) == 2025 ? 20089 : 0) + u16(22) - 1
      let seconds = days * 86400 + Int(record[24]) * 3600 + Int(record[25]) * 60 + Int(record[26])
      let time = Int64(seconds) * 1_000_000 + Int64(u16(28)) * 100 + Int64(record[61])
      starts[channel, default: []].append((time, values[channel]?.count ?? 0))
      values[channel, default: []] += found
    }
  }

  private static func decode(_ record: [UInt8], from data: Int, count: Int) throws -> [Int32] {
    func word(_ place: Int) -> UInt32 {
      record[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    func signed(_ bits: UInt32, _ width: UInt32) -> Int32 {
      Int32(bitPattern: bits << (32 - width)) >> Int32(32 - width)
    }
    var differences: [Int32] = []
    for frame in stride(from: data, to: 512, by: 64) {
      for index in 1..<16 {
        let code = word(frame) >> UInt32(30 - 2 * index) & 3
        let bits = word(frame + 4 * index)
        let width: (UInt32, Int)? =
          switch (code, bits >> 30) {
          case (0, _): nil
          case (1, _): (8, 4)
          case (2, 1): (30, 1)
          case (2, 2): (15, 2)
          case (2, 3): (10, 3)
          case (3, 0): (6, 5)
          case (3, 1): (5, 6)
          case (3, 2): (4, 7)
          default: throw Fault()
          }
        guard let (width, number) = width else { continue }
        for place in (0..<number).reversed() {
          differences.append(signed(bits >> (UInt32(place) * width), width))
        }
      }
    }
    guard differences.count == count, count > 0 else { throw Fault() }
    var value = Int32(bitPattern: word(data + 4))
    var values = [value]
    for difference in differences.dropFirst() {
      value += difference
      values.append(value)
    }
    guard value == Int32(bitPattern: word(data + 8)) else { throw Fault() }
    return values
  }
}
