// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import LogFormat
import Testing

@Suite("CWA, the file of an AX6")
struct CWATests {
  /// A sector as the format's description has it.
  struct Sector: Sendable {
    let bytes: ArraySlice<UInt8>

    func word(_ place: Int) -> UInt16 {
      UInt16(bytes[bytes.startIndex + place]) | UInt16(bytes[bytes.startIndex + place + 1]) << 8
    }

    func long(_ place: Int) -> UInt32 { UInt32(word(place)) | UInt32(word(place + 2)) << 16 }

    func value(_ index: Int) -> Int16 { Int16(bitPattern: word(30 + 2 * index)) }

    /// Nanoseconds since 2000-01-01 of the first row.
    func time(period: Int64) -> Int64 {
      let stamp = long(14)
      let days: Int64 = [0, 31, 60][Int(stamp >> 22 & 15) - 1] + Int64(stamp >> 17 & 31) - 1
      let hours = days * 24 + Int64(stamp >> 12 & 31)
      let seconds = (hours * 60 + Int64(stamp >> 6 & 63)) * 60 + Int64(stamp & 63)
      return seconds * 1_000_000_000 - Int64(Int16(bitPattern: word(26))) * period
    }

    var sum: UInt16 { stride(from: 0, to: 512, by: 2).map(word).reduce(0, &+) }
  }

  static func description(
    _ rate: SampleRate = hertz(100), _ channels: ChannelSet = .all,
    accelerometer: Fraction = Fraction(1, 16384), gyroscope: Fraction = Fraction(1, 131)
  ) -> RecordingDescription {
    TestLog.description(
      channels: channels, rate: rate, accelerometerScale: accelerometer, gyroscopeScale: gyroscope)
  }

  /// A row that shows its tick.
  private static func sample(_ tick: UInt64) -> RawSample {
    RawSample(
      ax: Int16(tick), ay: -Int16(tick), az: 16384, gx: Int16(tick) + 1, gy: -7, gz: 300,
      temperature: 340)
  }

  private static func log(
    _ ticks: [Range<UInt64>], of description: RecordingDescription = description()
  ) -> TestLog {
    var log = TestLog(description)
    log.samples(ticks.joined()) { sample($0) }
    return log
  }

  static func export(_ log: TestLog) throws
    -> (header: [UInt8], sectors: [Sector], report: Exporter.Report)
  { try export(bytes: log.bytes()) }

  static func export(bytes log: [UInt8]) throws
    -> (header: [UInt8], sectors: [Sector], report: Exporter.Report)
  {
    let (bytes, report) = try TestLog.data(log, ExportOptions(format: .cwa))
    try #require(bytes.count >= 1024 && bytes.count % 512 == 0)
    let sectors = stride(from: 1024, to: bytes.count, by: 512).map {
      Sector(bytes: bytes[$0..<($0 + 512)])
    }
    for (number, sector) in sectors.enumerated() {
      #expect(sector.sum == 0)
      #expect(sector.long(10) == UInt32(number))
      #expect(Array(sector.bytes.prefix(2)) == Array("AX".utf8) && sector.word(2) == 508)
    }
    return (Array(bytes[..<1024]), sectors, report)
  }

  @Test("header and sectors have the layout of the format's description")
  func layout() throws {
    let (header, sectors, report) = try Self.export(Self.log([0..<80]))
    #expect(Array(header[0..<5]) == [0x4D, 0x44, 0xFC, 0x03, 64])
    #expect(Array(header[7..<11]) == [7, 0, 0, 0])
    #expect(header[35] == 5 && header[36] == 0x4A)
    #expect(header[512...].allSatisfy { $0 == 0xFF })
    #expect(sectors.count == 2 && report.samples == 80)
    let sector = sectors[0]
    #expect(sector.word(4) < 0x8000 && sector.long(6) == 7)
    // 2 g and 250 °/s.
    #expect(sector.word(18) == 6 << 13 | 5 << 10)
    // 37.53 °C.
    #expect(sector.word(20) == 299)
    #expect(sector.word(24) == 0x624A && sector.word(28) == 40)
    // Counts of 1/131 °/s in units of 250/32768 °/s: 1.00055; those of 1/16384 g stay.
    #expect((0..<6).map { sector.value($0) } == [1, -7, 300, 0, 0, 16384])
    #expect((234..<240).map { sector.value($0) } == [40, -7, 300, 39, -39, 16384])
    #expect(sectors[1].value(0) == 41)
    #expect(sectors.map { $0.time(period: 10_000_000) } == [0, 400_000_000])
  }

  @Test("a gap below a second is filled with the sample before it")
  func shortGap() throws {
    let (_, sectors, report) = try Self.export(Self.log([0..<38, 137..<157]))
    // 38, 99 held, 20, and 3 to fill the last sector.
    #expect(sectors.count == 4)
    var wanted: [Int16] = []
    for tick in 0..<38 { wanted.append(Int16(tick)) }
    wanted += [Int16](repeating: 37, count: 99)
    for tick in 137..<157 { wanted.append(Int16(tick)) }
    wanted += [156, 156, 156]
    #expect(sectors.flatMap { sector in (0..<40).map { sector.value(6 * $0 + 3) } } == wanted)
    #expect(
      sectors.map { $0.time(period: 10_000_000) } == [0, 400_000_000, 800_000_000, 1_200_000_000])
    #expect(report.remarks.contains { $0.hasPrefix("102 rows repeat the sample before") })
  }

  @Test("a gap that leaves a second after its sector is full begins a new sector")
  func longGap() throws {
    // 2 rows fill the sector: 100 ticks remain of 102, and 99 of 101.
    let (_, sectors, _) = try Self.export(Self.log([0..<38, 140..<180]))
    #expect(sectors.count == 2)
    #expect((37..<40).map { sectors[0].value(6 * $0 + 3) } == [37, 37, 37])
    #expect(sectors.map { $0.time(period: 10_000_000) } == [0, 1_400_000_000])
    #expect(sectors[1].value(3) == 140)
    #expect(try Self.export(Self.log([0..<38, 139..<179])).sectors.count == 5)
  }

  @Test("rows are at whole periods of a second, and a remark says how far samples are from them")
  func alignment() throws {
    var log = Self.log([0..<40])
    // 2000-01-31T00:00:01.996Z: 4 ms before a whole period.
    log.clock(0, wall: (946_684_800 + 30 * 86400 + 1) * 1_000_000_000 + 996_000_000)
    let (_, sectors, report) = try Self.export(log)
    let zone = report.remarks.first { $0.contains("local ones") }
    #expect(zone != nil)
    #expect(sectors[0].time(period: 10_000_000) % 3_600_000_000_000 == 2_000_000_000)
    #expect(
      report.remarks.first
        == "cwa has a rate and no times: samples are up to 4 ms from where it puts them")
  }

  @Test("seconds that begin no period of 6.25 Hz are not referred to")
  func slowRate() throws {
    let (header, sectors, _) = try Self.export(
      Self.log([0..<80], of: Self.description(hertz(25, per: 4))))
    #expect(header[36] == 0x46)
    #expect(sectors.map { $0.long(14) & 63 } == [0, 4])
    #expect(sectors.map { Int16(bitPattern: $0.word(26)) } == [0, -15])
    #expect(sectors.map { $0.time(period: 160_000_000) } == [0, 6_400_000_000])
  }

  @Test(
    "the scale is the finest that a sensor's counts need, and holds all that were recorded",
    arguments: [
      // LSM6DS: 0.061 mg and 8.75 m°/s, which is 1.147 units of 250 °/s.
      (Fraction(61, 1_000_000), Fraction(35, 4000), 100, UInt16(6 << 13 | 5 << 10), [100, 115]),
      (
        Fraction(61, 1_000_000), Fraction(35, 4000), 30000, UInt16(6 << 13 | 4 << 10),
        [29983, 17203]
      ),
      (Fraction(1, 2048), Fraction(10, 164), -32768, UInt16(3 << 13 | 2 << 10), [-32768, -32736]),
      // 32785 units of 250 °/s are too many.
      (Fraction(1, 2048), Fraction(1, 131), 32767, UInt16(3 << 13 | 4 << 10), [32767, 16393]),
    ] as [(Fraction, Fraction, Int16, UInt16, [Int16])])
  func scales(
    _ accelerometer: Fraction, _ gyroscope: Fraction, _ count: Int16, _ code: UInt16,
    _ values: [Int16]
  ) throws {
    var log = TestLog(Self.description(accelerometer: accelerometer, gyroscope: gyroscope))
    log.sample(0, 0, RawSample(ax: count, gx: count))
    let sector = try #require(try Self.export(log).sectors.first)
    #expect(sector.word(18) == code)
    #expect([sector.value(3), sector.value(0)] == values)
  }

  @Test("the annotation is percent-coded, and is cut at a whole character where it is too long")
  func annotation() throws {
    var log = Self.log([0..<1])
    log.description.note = "left & right: 50 %, Ä"
    let (header, _, _) = try Self.export(log)
    let text = String(decoding: header[64..<512], as: UTF8.self)
    #expect(
      text.hasPrefix(
        "_n=left+%26+right%3a+50+%25%2c+%c3%84&_co=imulog+1b4e28ba-2fa1-41d2-883f-0016d3cca427"))
    #expect(text.contains("%2c+39+rows+filled%2c+no+date   "))
    log.description.note = String(repeating: "Ä", count: 200)
    let long = try Self.export(log).header[64..<512]
    let cut = String(decoding: long, as: UTF8.self)
    #expect(
      cut.hasPrefix(
        "_n=" + String(repeating: "%c3%84", count: 61)
          + "&_co=imulog+1b4e28ba-2fa1-41d2-883f-0016d3cca427%2c+39+rows+filled%2c+no+date"))
  }

  @Test("what the format cannot hold is refused, with the remedy")
  func refusals() throws {
    let odd = Self.log([0..<4], of: Self.description(hertz(204_801)))
    let rates = "6.25, 12.5, 25, 50, 100, 200, 400, 800, 1600, 3200"
    expectRefusal("cwa has no rate of 204801 Hz, but \(rates): record") {
      _ = try Self.export(odd)
    }
    expectRefusal("all or none of the gyroscope; the export would have gx, gy, gz: choose") {
      _ = try Self.export(Self.log([0..<4], of: Self.description(hertz(100), .gyroscope)))
    }
    #expect(throws: ExportError.noSamples(.cwa)) { _ = try Self.export(Self.log([])) }
    var wide = TestLog(Self.description(accelerometer: Fraction(1, 1000)))
    wide.sample(0, 0, RawSample(ax: 16001))
    expectRefusal("cwa holds accelerations up to 16 g, and the recording has larger ones: choose") {
      _ = try Self.export(wide)
    }
    var early = Self.log([0..<1])
    early.clock(0, wall: 1_000_000_000)
    #expect(throws: ExportError.timeNotHeld(at: 0, started: 1_000_000_000, format: .cwa)) {
      _ = try Self.export(early)
    }
  }
}
