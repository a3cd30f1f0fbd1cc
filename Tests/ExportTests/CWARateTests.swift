// SPDX-License-Identifier: Apache-2.0

import Export
import Glibc
import IMUModel
import LogFormat
import Testing

@Suite("A rate that CWA does not have becomes one that it has")
struct CWARateTests {
  /// The motion of ax at a time in seconds.
  typealias Motion = (Double) -> Double

  /// A recording whose sample of each tick is the motion's at the true time of its reading.
  private static func log(
    _ rate: SampleRate, _ ticks: [Range<UInt64>], late: (UInt64) -> Int64 = { _ in 0 },
    _ motion: Motion
  ) -> TestLog {
    var log = TestLog(CWATests.description(rate))
    for tick in ticks.joined() {
      let time = rate.nanoseconds(atTick: tick) + late(tick)
      let value = Int16(motion(Double(time) / 1e9).rounded())
      log.sample(tick, time, RawSample(ax: value, ay: -3, az: 16384, gx: 131, temperature: 340))
    }
    return log
  }

  /// The rows of ax by their times in periods, and the code of the rate.
  private static func rows(_ log: TestLog, _ rate: Double) throws
    -> (rows: [Int: Double], code: UInt8, header: [UInt8], remarks: [String])
  {
    let (header, sectors, report) = try CWATests.export(log)
    var rows: [Int: Double] = [:]
    for sector in sectors {
      let first = sector.time(period: Int64(1e9 / rate))
      for row in 0..<40 {
        rows[Int((Double(first) * rate / 1e9).rounded()) + row] = Double(sector.value(6 * row + 3))
      }
    }
    return (rows, header[36], header, report.remarks)
  }

  @Test(
    "it is the lowest that is at least 95 % of the recording's, and the highest for those above it",
    arguments: [
      (hertz(1), 6), (hertz(10), 7), (hertz(26), 8), (hertz(97), 10), (hertz(104), 10),
      (hertz(106), 11), (hertz(250), 12), (hertz(985), 14), (hertz(3333), 15), (hertz(6900), 15),
      (hertz(204_800), 15),
    ] as [(SampleRate, UInt8)])
  func choice(_ rate: SampleRate, _ code: UInt8) throws {
    let (header, sectors, report) = try CWATests.export(Self.log(rate, [0..<200]) { _ in 5 })
    #expect(header[36] == 0x40 | code)
    #expect(sectors.allSatisfy { $0.word(24) == 0x6240 | UInt16(code) })
    #expect(report.remarks.first?.hasPrefix("the values are resampled from ") == true)
    #expect(report.remarks.contains { $0.contains("actipy leaves out rows") } == (code >= 14))
  }

  @Test("a higher rate has the values of the motion between the samples, at whole periods")
  func higher() throws {
    let motion: Motion = { 9000 * sin(2 * .pi * 1.1 * $0 + 0.4) - 77 }
    // Each reading is late by another time, up to a third of a period.
    let log = Self.log(hertz(97), [0..<500], late: { Int64($0 * 7919 % 3400) * 1000 }, motion)
    let (rows, code, header, remarks) = try Self.rows(log, 100)
    #expect(code == 0x4A)
    // 499 periods of 97 Hz are 514.4 of 100 Hz; the last sector is filled.
    #expect(rows.count == 520)
    for row in 0...514 {
      let value = try #require(rows[row])
      // Four samples at each end have a cubic with one of them, or a line.
      let limit: Double = (3..<511).contains(row) ? 3 : 8
      #expect(abs(value - motion(Double(row) / 100)) < limit, "row \(row)")
    }
    #expect(
      remarks.first
        == "the values are resampled from 97 to 100 Hz, a rate of cwa, by a sinc of 40 samples, which keeps the "
        + "amplitude to 38.8 Hz")
    let uneven = try #require(remarks.first { $0.contains(" values by a cubic or a line: ") })
    // All but those with too few samples around.
    #expect((507...515).contains(Int(uneven.prefix { $0.isNumber }) ?? 0))
    #expect(
      String(decoding: header[64..<512], as: UTF8.self).contains(
        "%2c+resampled+from+97+Hz+by+a+sinc+of+40+samples%2c"))
  }

  @Test(
    "a lower rate takes uneven samples at their own times, and says so, and where it filters nothing"
  )
  func unevenLower() throws {
    let motion: Motion = { 9000 * sin(2 * .pi * 37 * $0 + 0.4) - 77 }
    let log = Self.log(hertz(6900), [0..<3000], late: { Int64($0 * 7919 % 48_000) }, motion)
    let (rows, _, _, remarks) = try Self.rows(log, 3200)
    var worst = 0.0
    for row in 30..<1300 {
      worst = max(worst, abs(try #require(rows[row]) - motion(Double(row) / 3200)))
    }
    #expect(worst < 90, "\(worst)")
    #expect(remarks.contains { $0.contains(" values by the filter at the samples' own times: ") })
    let ends = try #require(remarks.first { $0.contains(" next to gaps and ends by a cubic") })
    #expect((6...12).contains(Int(ends.prefix { $0.isNumber }) ?? 0), "\(ends)")
  }

  @Test("a lower rate keeps what it can hold, and nothing of faster motion")
  func lower() throws {
    func amplitude(_ frequency: Double) throws -> Double {
      let log = Self.log(hertz(6900), [0..<8000]) { 10000 * sin(2 * .pi * frequency * $0) }
      let (rows, code, _, remarks) = try Self.rows(log, 3200)
      #expect(code == 0x4F)
      #expect(remarks.first?.hasSuffix("by a low-pass filter of 1440 Hz") == true)
      let squares = (200..<3400).map { (rows[$0] ?? .infinity) * (rows[$0] ?? .infinity) }
      return (2 * squares.reduce(0, +) / 3200).squareRoot()
    }
    for frequency in [37, 911, 1280] as [Double] {
      #expect(abs(try amplitude(frequency) / 10000 - 1) < 0.004, "\(frequency)")
    }
    for frequency in [1650, 2210, 3190] as [Double] {
      let found = try amplitude(frequency)
      #expect(found < 40, "\(frequency): \(found)")
    }
  }

  @Test("a value that does not change is the same at any rate, next to gaps too")
  func constant() throws {
    for rate in [10, 104, 250, 6900] as [UInt32] {
      let log = Self.log(hertz(rate), [0..<900, 903..<1500]) { _ in -12345 }
      let (_, sectors, _) = try CWATests.export(log)
      for sector in sectors { for row in 0..<40 { #expect(sector.value(6 * row + 3) == -12345) } }
    }
  }

  @Test("nothing is made across a gap: a short one is filled, a long one stays")
  func gaps() throws {
    // A motion that a value made across the gap would show: 1000 before it, 21000 after it.
    let low = Self.log(hertz(104), [0..<208, 260..<520, 780..<1040]) { $0 < 2.2 ? 1000 : 21000 }
    let (rows, _, _, remarks) = try Self.rows(low, 100)
    #expect(Set(rows.values) == [1000, 21000])
    // Samples at 0 to 1.990 s, 2.5 to 4.990 s and 7.5 to 9.990 s.
    #expect(rows[199] == 1000 && rows[249] == 1000 && rows[250] == 21000)
    // The sector of row 480 is filled up, and the pause of 2.5 s has no rows.
    #expect(rows[499] == 21000 && rows[519] == 21000)
    #expect((520..<750).allSatisfy { rows[$0] == nil } && rows[750] == 21000)
    let filled = try #require(remarks.first { $0.contains("rows repeat") })
    #expect(filled.hasPrefix("\(rows.count - 200 - 250 - 250) rows repeat"))
  }

  @Test("a sample alone has the row nearest to it")
  func single() throws {
    let (rows, _, _, _) = try Self.rows(Self.log(hertz(97), [3..<4]) { _ in 4321 }, 100)
    // 30.9 ms.
    #expect(rows[3] == 4321 && rows[2] == nil)
  }

  @Test("a range of one sample that lies between two rows has it at the nearest row")
  func betweenRows() throws {
    // Tick 2 is at 20.62 ms, and rows are at 20 and 30 ms.
    let log = Self.log(hertz(97), [0..<40]) { ($0 * 97).rounded() * 100 - 777 }
    let bytes = try log.data(ExportOptions(format: .cwa, from: 20_300_000, to: 20_900_000))
    let sector = CWATests.Sector(bytes: bytes[1024..<1536])
    #expect(bytes.count == 1536)
    #expect(sector.time(period: 10_000_000) == 20_000_000 && sector.value(3) == -577)
  }

  @Test("marks and labels are in the annotation while they fit, and a remark counts the others")
  func notes() throws {
    var log = Self.log(hertz(100), [0..<100]) { _ in 0 }
    log.mark(250_000_000, "jump")
    log.mark(500_000_000)
    func export(_ labels: [RecordingLabel]) throws -> (text: String, remarks: [String]) {
      let options = ExportOptions(format: .cwa).with { $0.labels = labels }
      let (bytes, report) = try TestLog.data(log.bytes(), options)
      return (String(decoding: bytes[64..<512], as: UTF8.self), report.remarks)
    }
    let (text, remarks) = try export([RecordingLabel("to & fro", from: 0, to: 1_500_000_000)])
    #expect(
      text.contains(
        "%2c+no+date%2c+seconds+from+2000-01-01T00%3a00%3a00%3b+0.25+jump%3b+0.5+mark%3b+0+to+1.5+to+%26+fro "
      ))
    #expect(!remarks.contains { $0.contains("left out") })
    let many = try (1...100).map { try RecordingLabel("stride \($0)", from: 0, to: Int64($0)) }
    #expect(
      try export(many).remarks.contains {
        $0.hasSuffix("labels left out: cwa has 448 bytes for all notes")
      })
    log.description.note = String(repeating: "n", count: 900)
    #expect(
      try export([RecordingLabel("a", from: 0, to: 9)]).remarks.contains(
        "the end of the note and 2 marks and 1 label left out: cwa has 448 bytes for all notes"))
  }

  @Test("samples so far apart that the rows between them would fill any disk are refused at once")
  func tooFarApart() throws {
    // Three years from one to the next: 625 million rows at 6.25 Hz, and as many after each of the next three.
    let log = Self.log(hertz(1, per: 100_000_000), [0..<5]) { _ in 5 }
    var options = ExportOptions(format: .cwa)
    #expect(
      throws: ExportError.tooLong(samples: 2_500_000_000, limit: 100_000_000, format: .cwa)
    ) { try log.export(options) }
    options.to = 16_000_000_000
    // 101 rows, and 19 to fill the third sector.
    #expect(try TestLog.export(log.bytes(), options).report.samples == 100)
    // Between times that go back and forth lies more than 64 bits hold.
    let back = Self.log(
      hertz(1, per: .max), [0..<9], late: { $0 % 2 == 0 ? 0 : -8_000_000_000_000_000_000 }
    ) { _ in 5 }
    #expect(throws: ExportError.self) { try back.export(ExportOptions(format: .cwa)) }
  }

  @Test(
    "samples a day apart are refused before a row is made, and those of a part that is not too long have theirs"
  )
  func daysApart() throws {
    let log = Self.log(hertz(1, per: 86_400), [0..<300]) { _ in 5 }
    var options = ExportOptions(format: .cwa)
    // 299 days of 540,000 rows: all are counted, and so none was made.
    #expect(
      throws: ExportError.tooLong(samples: 161_460_000, limit: 100_000_000, format: .cwa)
    ) { try log.export(options) }
    options.from = 1000 * 1_000_000_000
    options.to = 1001 * 1_000_000_000
    #expect(try TestLog.export(log.bytes(), options).report.samples == 7)
  }
}
