// SPDX-License-Identifier: Apache-2.0

import Export
import Glibc
import IMUModel
import LogFormat
import TestSupport
import Testing

@Suite("Values between samples have the motion's whole amplitude up to 0.4 of the rate")
struct ResamplingTests {
  /// The motion of ax in counts at a time in seconds.
  typealias Motion = (Double) -> Double

  /// A recording by a chip's clock of nominally 1 kHz, whose sample of tick n is at a time.
  private static func log(
    _ ticks: [Range<UInt64>], at time: (Double) -> Double, _ motion: Motion
  ) -> TestLog {
    var description = TestLog.description(
      channels: ChannelSet(rawValue: 1), rate: hertz(1000), accelerometerScale: Fraction(1, 1))
    description.clock = .chip(busClock: nil)
    var log = TestLog(description)
    for tick in ticks.joined() {
      let instant = time(Double(tick)).rounded()
      log.sample(
        tick, Int64(instant), RawSample(ax: Int16(clamping: Int(motion(instant * 1e-9).rounded()))))
    }
    return log
  }

  private static func grid(_ log: TestLog) throws -> (
    rows: [(time: Double, value: Double)], remarks: [String]
  ) {
    var options = ExportOptions(format: .csv, units: .gDps)
    options.isResampled = true
    let (text, report) = try TestLog.export(log.bytes(), options)
    let rows = try text.split(separator: "\n").dropFirst().map {
      let cells = try $0.split(separator: ",").map { try #require(Double($0)) }
      return (cells[0] * 1e-9, cells[1])
    }
    return (rows, report.remarks)
  }

  private static func sine(_ part: Double) -> Motion {
    { 30_000 * sin(2000 * .pi * part * $0 + 0.3) }
  }

  /// Nanoseconds of a sample of a chip that is some per cent too fast, and whose pace moves by 100 ppm in a second.
  private static func chip(_ percent: Double) -> (Double) -> Double {
    { 1e6 * ($0 + 0.37) / (1 + percent / 100) + 50 * $0 * $0 * 1e-3 }
  }

  @Test(
    "20 samples from an end, a value is within 0.1 % of the amplitude, whatever the chip's pace",
    arguments: [0.02, 0.1, 0.2, 0.3, 0.4], [-2, -0.31, 0, 2])
  func amplitude(_ part: Double, _ percent: Double) throws {
    let motion = Self.sine(part)
    let (rows, remarks) = try Self.grid(Self.log([0..<1500], at: Self.chip(percent), motion))
    #expect(rows.count > 1460 && remarks.count == 1)
    for (time, value) in rows.dropFirst(20).dropLast(20) {
      #expect(abs(value - motion(time)) < 30, "\(time)")
    }
  }

  @Test(
    "next to an end or a gap fewer samples reach less far",
    arguments: [(12, 0.4), (8, 0.35), (4, 0.2), (1, 0.1)])
  func edges(_ distance: Int, _ part: Double) throws {
    let motion = Self.sine(part)
    let log = Self.log([0..<200, 203..<300], at: Self.chip(1), motion)
    let (rows, _) = try Self.grid(log)
    let gap = try #require(
      rows.indices.dropLast().first { rows[$0 + 1].time - rows[$0].time > 0.0015 })
    #expect(rows[gap + 1].time - rows[gap].time > 0.0025)
    for run in [rows[...gap], rows[(gap + 1)...]] {
      for (time, value) in run.dropFirst(distance).dropLast(distance) {
        // The cubic of the last is within 0.6 % between samples on both sides, and within 3 % at an end.
        #expect(abs(value - motion(time)) < (distance > 1 ? 60 : 200), "\(time)")
      }
    }
  }

  @Test("a value that does not change stays exactly as it is, and a line a line, at ends too")
  func slow() throws {
    let still = Self.log([0..<50, 60..<63, 70..<72], at: Self.chip(-2)) { _ in -12_345 }
    let (rows, _) = try Self.grid(still)
    #expect(rows.count > 45 && rows.allSatisfy { $0.value == -12_345 })
    // Whole counts at the samples: 100 a sample of a chip at the nominal pace.
    let line = Self.log([0..<300], at: { 1e6 * ($0 + 0.25) }) { 100_000 * $0 - 15_025 }
    for (time, value) in try Self.grid(line).rows {
      #expect(abs(value - (100_000 * time - 15_025)) < 0.2, "\(time)")
    }
  }

  @Test("samples at uneven times have a cubic, which a remark counts")
  func uneven() throws {
    var random = SeededGenerator(seed: 3)
    let late = (0..<300).map { _ in Double.random(in: 0...200_000, using: &random) }
    let motion = Self.sine(0.02)
    let log = Self.log([0..<300], at: { 1e6 * $0 + late[Int($0)] }, motion)
    let (rows, remarks) = try Self.grid(log)
    for (time, value) in rows { #expect(abs(value - motion(time)) < 30, "\(time)") }
    let remark = try #require(remarks.last)
    #expect(
      remark.hasSuffix("the times of samples around are uneven, and fast motion is weaker there"))
    let count = try #require(Int(remark.prefix { $0.isNumber }))
    #expect(count > rows.count - 5 && count <= rows.count)

    // One sample is late by 1 % of a period: 20 values on each side have no pass band, and all others have it.
    let fast = Self.sine(0.4)
    let once = Self.log([0..<300], at: { 1e6 * ($0 + ($0 == 150 ? 0.41 : 0.4)) }, fast)
    let (most, said) = try Self.grid(once)
    #expect(said.last?.hasPrefix("40 values by a cubic or a line: ") == true)
    for (time, value) in most.dropFirst(20).dropLast(20) where abs(time - 0.15) > 0.0205 {
      #expect(abs(value - fast(time)) < 30, "\(time)")
    }
  }

  @Test("a part has the values of the whole")
  func part() throws {
    var log = TestLog(CWATests.description(hertz(97)))
    let noise = TestLog.noise(600, seed: 8)
    log.samples(0..<600) { RawSample(ax: noise[Int($0)] / 2) }
    func values(from: Int64?) throws -> [Int16] {
      let bytes = try log.data(ExportOptions(format: .cwa, from: from))
      return stride(from: 1024, to: bytes.count, by: 512).flatMap { start in
        let sector = CWATests.Sector(bytes: bytes[start..<start + 512])
        return (0..<40).map { sector.value(6 * $0 + 3) }
      }
    }
    // Row 400 at 100 Hz; the last is 617.
    let part = try values(from: 4_000_000_000)
    #expect(part.count == 240)
    #expect(Array(part.prefix(218)) == Array(try values(from: nil)[400..<618]))
  }
}
