// SPDX-License-Identifier: Apache-2.0

import ChipClockTesting
import Export
import Foundation
import IMUModel
import LogFormat
import LogStoreTesting
import TestSupport
import Testing

@Suite("Exports of recordings of a chip that keeps the time")
struct ChipExportTests {
  /// 20 Hz, of 8000 counts.
  static func sine(_ time: Double) -> Double { 8000 * sin(time * 2e-9 * .pi * 20) }

  private static func motion(_ time: Double) -> RawSample {
    RawSample(ax: Int16(sine(time).rounded()), ay: 100, az: -8192, gx: 5, temperature: 340)
  }

  private static func options(
    _ format: ExportFormat, uncertainty: Bool = false, grid: Bool = false,
    from: Int64? = nil, to: Int64? = nil
  ) -> ExportOptions {
    var options = ExportOptions(format: format, units: .gDps, from: from, to: to)
    (options.hasUncertainty, options.isResampled) = (uncertainty, grid)
    return options
  }

  static func log(
    _ trouble: Trouble = .none, seconds: Double = 6, at troubleAt: Double = 3e9
  ) throws -> ChipLog {
    var simulation = Simulation(seconds: seconds, trouble: trouble, seed: 21)
    simulation.troubleAt = troubleAt
    return try ChipLog(simulation, motion: motion)
  }

  private func rows(_ bytes: [UInt8], _ options: ExportOptions) throws -> [[String]] {
    try TestLog.export(bytes, options).text.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
  }

  @Test("--uncertainty adds the interval that holds the true instant of each sample")
  func uncertainty() throws {
    let log = try Self.log()
    let table = try rows(log.bytes, Self.options(.csv, uncertainty: true))
    #expect(table[0].prefix(4) == ["t_ns", "t_lo_ns", "t_hi_ns", "ax"])
    #expect(table.count == log.truth.count + 1)
    for (row, truth) in zip(table.dropFirst(), log.truth) {
      let times = try row.prefix(3).map { try #require(Int64($0)) }
      #expect(times[1] <= times[0] && times[0] <= times[2])
      #expect(Double(times[1]) <= truth && truth <= Double(times[2]))
    }
    let (plain, _) = try TestLog.export(log.bytes, Self.options(.ndjson))
    let (lines, _) = try TestLog.export(log.bytes, Self.options(.ndjson, uncertainty: true))
    let first = table[1]
    let begin = "{\"t_ns\":\(first[0]),"
    #expect(plain.hasPrefix(begin + "\"ax\":"))
    #expect(lines.hasPrefix(begin + "\"t_lo_ns\":\(first[1]),\"t_hi_ns\":\(first[2]),\"ax\":"))
    let (document, _) = try TestLog.export(log.bytes, Self.options(.json, uncertainty: true))
    #expect(document.contains(#""units":{"t_ns":"ns","t_lo_ns":"ns","t_hi_ns":"ns","ax":"g","#))
    #expect(document.contains("[\n" + lines.prefix { $0 != "\n" }))
  }

  @Test("without readings nothing is proved, and --uncertainty has no numbers")
  func noReadings() throws {
    var log = TestLog(TestLog.description(channels: ChannelSet(rawValue: 1)))
    log.description.clock = .chip(busClock: nil)
    log.sample(0, 1000, RawSample(ax: 1))
    #expect(
      try log.export(Self.options(.csv, uncertainty: true)).hasPrefix(
        "t_ns,t_lo_ns,t_hi_ns,ax\n1000,,,"))
    #expect(
      try log.export(Self.options(.ndjson, uncertainty: true)).hasPrefix(
        #"{"t_ns":1000,"t_lo_ns":null,"t_hi_ns":null,"ax":"#))
  }

  @Test("--grid has the values of the motion at even instants")
  func grid() throws {
    let log = try Self.log()
    let (text, report) = try TestLog.export(log.bytes, Self.options(.csv, grid: true))
    let table = try rows(log.bytes, Self.options(.csv, grid: true))
    #expect(table[0].prefix(2) == ["t_grid_ns", "ax"])
    #expect(report.samples == UInt64(table.count - 1))
    #expect(
      report.remarks.first?.contains("to a grid of 1000 Hz by a sinc of 40 samples, ") == true)
    let times = try table.dropFirst().map { try #require(Int64($0[0])) }
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1_000_000 })
    #expect(times.first.map { $0 % 1_000_000 } == 0)
    #expect(Double(times[0]) - log.truth[0] < 1_100_000 && Double(times[0]) > log.truth[0] - 50_000)
    let scale = log.description.sensor.accelerometerScale.value
    for (row, time) in zip(table.dropFirst(), times) {
      let value = try #require(Double(row[1]))
      // A microsecond is one count here; times are right to some tens of them.
      #expect(abs(value / scale - Self.sine(Double(time))) < 60, "\(time)")
      #expect(row[3] == table[1][3])
    }
    let (document, _) = try TestLog.export(log.bytes, Self.options(.json, grid: true))
    #expect(
      document.contains(
        "\n\"resampled\":{\"rate_hz\":1000,\"kernel\":\"sinc\",\"pass_band\":0.4},\n"))
    #expect(document.contains("\"samples\":[\n{\"t_grid_ns\":\(times[0]),\"ax\":"))
    #expect(text.hasSuffix("\n"))
  }

  @Test("--grid with --uncertainty has instants between which the motion was as the row has it")
  func gridInstants() throws {
    let log = try Self.log()
    let table = try rows(log.bytes, Self.options(.csv, uncertainty: true, grid: true))
    #expect(table[0].prefix(4) == ["t_grid_ns", "t_lo_ns", "t_hi_ns", "ax"])
    let scale = log.description.sensor.accelerometerScale.value
    for row in table.dropFirst() {
      let times = try row.prefix(3).map { try #require(Int64($0)) }
      #expect(times[1] <= times[0] && times[0] <= times[2] && times[2] - times[1] < 2_000_000)
      let motions = stride(from: times[1], through: times[2], by: 1000).map {
        Self.sine(Double($0))
      }
      let value = try #require(Double(row[3])) / scale
      let (least, most) = (try #require(motions.min()), try #require(motions.max()))
      #expect(least - 5 <= value && value <= most + 5, "\(row)")
    }
    let (lines, _) = try TestLog.export(
      log.bytes, Self.options(.ndjson, uncertainty: true, grid: true))
    let cells = table[1]
    #expect(
      lines.hasPrefix(
        "{\"t_grid_ns\":\(cells[0]),\"t_lo_ns\":\(cells[1]),\"t_hi_ns\":\(cells[2]),\"ax\":"))
  }

  @Test("a part of a grid has the values of the whole, also within a run's first samples")
  func gridPart() throws {
    var log = TestLog(TestLog.description(channels: ChannelSet(rawValue: 1)))
    log.description.clock = .chip(busClock: nil)
    for (tick, count) in ([100, 900, 2500, -3000, 8000, 20] as [Int16]).enumerated() {
      if tick == 3 { log.flush() }
      log.sample(UInt64(tick), Int64(tick) * 100_000_000 + 50_000_000, RawSample(ax: count))
    }
    log.end(TickTally(sampled: 6))
    let bytes = try log.bytes()
    let all = try rows(bytes, Self.options(.csv, grid: true))
    #expect(all.map { $0[0] } == ["t_grid_ns"] + (1...5).map { "\($0)00000000" })
    for count in 1...5 {
      let end = Int64(count) * 100_000_000 + 20_000_000
      #expect(
        try rows(bytes, Self.options(.csv, grid: true, to: end)) == Array(all[...count]), "\(end)")
    }
  }

  @Test(
    "--grid makes nothing across a gap, nor where the instants jump",
    arguments: [(Trouble.stall(0.15e9), 0.15e9), (.lost, 1e6), (.step(20_000), 1e6)])
  func hole(trouble: Trouble, least: Double) throws {
    // A finding needs more readings on both sides than a gap.
    let log = try Self.log(trouble, seconds: 30, at: 15e9)
    let times = try rows(log.bytes, Self.options(.csv, grid: true)).dropFirst().map {
      try #require(Int64($0[0]))
    }
    let steps = zip(times, times.dropFirst()).filter { $1 - $0 != 1_000_000 }
    #expect(steps.count == 1)
    for (before, after) in steps {
      let hole = after - before
      #expect(Double(hole) >= least && Double(hole) < least + 0.3e9, "\(hole)")
      #expect(before < 22_200_000_000 && after > 21_900_000_000)
    }
  }

  @Test("a range of a grid reads no more than the range, even where every sample is alone")
  func lone() throws {
    var description = TestLog.description(rate: hertz(1000))
    description.clock = .chip(busClock: 400_000)
    var log = TestLog(description)
    var random = SeededGenerator(seed: 5)
    for tick in stride(from: 0, to: 60_000, by: 2) as StrideTo<UInt64> {
      let sample = RawSample(&random)
      log.sample(tick, Int64(tick) * 1_000_000, sample)
      log.gap(tick + 1, 1, .lost)
    }
    log.end(TickTally(sampled: 30_000))
    func bytesRead(_ options: ExportOptions) throws -> Int {
      let disk = MemoryDisk(holding: try log.bytes())
      var sink = ArraySink()
      _ = try Exporter(options).write(MemoryStorage(disk), to: &sink)
      return disk.snapshot.readByteCount
    }
    let part = try bytesRead(Self.options(.csv, grid: true, from: 0, to: 20_000_000))
    let all = try bytesRead(Self.options(.csv, grid: true))
    // The times of a chip's samples need a pass of their own.
    #expect(part * 4 < all * 3, "\(part) of \(all)")
  }

  @Test("a range has the rows of the whole, whatever is exported", arguments: [false, true])
  func range(grid: Bool) throws {
    let log = try Self.log(.stall(0.15e9), seconds: 70, at: 30e9)
    func lines(_ from: Int64?, _ to: Int64?) throws -> [Substring] {
      let options = Self.options(.csv, uncertainty: !grid, grid: grid, from: from, to: to)
      return try TestLog.export(log.bytes, options).text.split(separator: "\n")
    }
    let whole = try lines(nil, nil)
    for (from, to) in [
      (7_500_000_000, 8_100_000_000), (37_000_000_001, 37_400_000_000),
      (60_000_000_000, 62_345_678_901), (76_000_000_000, 90_000_000_000),
    ] as [(Int64, Int64)] {
      let expected = whole.dropFirst().filter { line in
        let time = Int64(line.prefix { $0 != "," }) ?? 0
        return time >= from && time < to
      }
      let part = try lines(from, to)
      #expect(expected.count > 200)
      #expect(Array(part.dropFirst()) == Array(expected), "\(from)")
    }
  }

  @Test("both are refused for the computer's times, and formats without times for the chip's")
  func refused() throws {
    let table = try TestLog.ramp(TestLog.description(channels: .accelerometer), [1, 2, 3])
    for (isGrid, option) in [(false, "--uncertainty"), (true, "--grid")] {
      expectRefusal("\(option) needs times by the chip's clock, and the computer kept those of") {
        _ = try table.export(Self.options(.csv, uncertainty: !isGrid, grid: isGrid))
      }
    }
    let bytes = try Self.log().bytes
    for format in [ExportFormat.cwa, .edgeImpulse] {
      expectRefusal("\(format.rawValue) has a rate and no times, and the chip's own clock kept") {
        _ = try TestLog.export(bytes, ExportOptions(format: format))
      }
    }
  }
}
