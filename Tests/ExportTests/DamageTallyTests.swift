// SPDX-License-Identifier: Apache-2.0

import ChipClockTesting
@testable import Export
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import TestSupport
import Testing

/// Every format states what damage took as the JSON document does, and where it was.
@Suite("What damage took, in every format")
struct DamageTallyTests {
  /// 100 Hz, a gap of the bus among the samples, and a page that cannot be read; another one at the end if `cutsEnd`.
  private func damaged(cutsEnd: Bool = false) throws -> [UInt8] {
    var generator = SeededGenerator(seed: 11)
    var log = TestLog(TestLog.description(channels: ChannelSet(rawValue: 0b11), rate: hertz(100)))
    log.clock(0, wall: 1_795_228_687_500_000_000, synchronised: true)
    var tally = TickTally(sampled: 9997)
    for tick in 0..<10_000 as Range<UInt64> where !(700..<703).contains(tick) {
      if tick == 703 { log.gap(700, 3, .busError, code: 121) }
      log.sample(tick, Int64(tick) * 10_000_000 + 7, RawSample(&generator, channels: 2))
    }
    tally.add(3, .busError)
    log.end(tally)
    var bytes = try log.bytes()
    bytes[3 * 4096 + 100] ^= 1
    let pages = bytes.count / 4096
    if cutsEnd { bytes.removeLast(bytes.count - (pages - 2) * 4096 + 10) }
    return bytes
  }

  private func options(_ format: ExportFormat, _ range: Range<Int64>? = nil) -> ExportOptions {
    GapCountTests.options(format, range)
  }

  /// The ticks that are lost by the JSON document.
  private func lost(_ bytes: [UInt8], _ range: Range<Int64>? = nil) throws -> UInt64? {
    try GapDocument(TestLog.export(bytes, options(.json, range)).text).ticks["lost"]
  }

  @Test(
    "every format has the same gaps, counts and samples",
    arguments: [
      nil, 2_000_000_000..<90_000_000_000, 20_005_000_000..<21_005_000_000, 1..<70_000_000,
    ] as [Range<Int64>?], [false, true])
  func tallies(_ range: Range<Int64>?, _ cutsEnd: Bool) throws {
    let bytes = try damaged(cutsEnd: cutsEnd)
    let rows = try GapCountTests().gaps(bytes, range)
    let parquet = try ParquetReader(TestLog.data(bytes, options(.parquet, range)).bytes)
    let mcap = try MCAPFile(TestLog.data(bytes, options(.mcap, range)).bytes)
    #expect(parquet.metadata["imulog.damage"] == mcap.metadata["imulog"]?["imulog.damage"])
    let (text, report) = try TestLog.export(bytes, options(.csv, range))
    let counts = text.split(separator: "\n").dropFirst().map {
      Int64($0.split(separator: ",", omittingEmptySubsequences: false)[1])
    }
    #expect(parquet.integers("ax") == counts)
    #expect(mcap.messages.count { $0.topic == "/imu" } == counts.compactMap(\.self).count)
    let lost = rows.filter { $0[1] == "lost" }.compactMap { UInt64($0[2]) }.reduce(0, +)
    #expect(try lost == self.lost(bytes, range))
    if range == nil { #expect(lost > 100) }
    if range == nil, !cutsEnd {
      #expect(report.damages == 1 && parquet.metadata["imulog.damage"] == "1")
    }
  }

  @Test("the rows of gaps are those of the recording that `recover` makes")
  func rows() throws {
    let bytes = try damaged()
    let gaps = GapRows.csv(try TestLog.export(bytes, options(.csv)).text)
    #expect(gaps == GapRows.csv(try TestLog.export(salvaged(bytes), options(.csv)).text))
    #expect(gaps.map { $0[1] } == ["busError", "lost"])
    #expect(gaps[0] == ["7000000000", "busError", "3"])
    let parquet = try ParquetReader(TestLog.data(bytes, options(.parquet)).bytes)
    #expect(parquet.texts("gap").compactMap(\.self) == ["busError", "lost"])
  }

  @Test("MCAP has a message where the ticks are lost")
  func message() throws {
    let file = try MCAPFile(TestLog.data(try damaged(), options(.mcap)).bytes)
    let texts = try file.messages.filter { $0.topic == "/imu/gaps" }
      .map { try MCAPFile.Line($0).text }
    #expect(texts.count == 2 && texts[1].hasSuffix("ticks missing: \(GapCause.lost.phrase)"))
  }

  @Test("no tick of an intact recording of a chip is lost without a record", arguments: 0..<6)
  func intact(_ seed: Int) throws {
    let troubles: [Trouble] = [.none, .stall(0.15e9), .stall(0.9e9), .lost, .doubled, .step(2000)]
    var simulation = Simulation(
      seconds: 6, trouble: troubles[seed % troubles.count], seed: UInt64(seed) + 40)
    simulation.troubleAt = 2e9
    let log = try ChipLog(simulation) { _ in RawSample(ax: 1, ay: -3) }
    let lost = try GapRows.ndjson(TestLog.export(log.bytes, options(.ndjson)).text)
      .filter { $0[1] == "lost" }.compactMap { UInt64($0[2]) }.reduce(0, +)
    var reader = try LogReader(TestLog.storage(log.bytes))
    #expect(lost == (try reader.account().tally.lost), "seed \(seed)")
    #expect(lost == (try self.lost(log.bytes)), "seed \(seed)")
  }
}
