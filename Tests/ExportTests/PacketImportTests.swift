// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import OldImport

@Suite("Samples that come in packets, or with pauses")
struct PacketImportTests {
  /// Packets of samples at 100 Hz, each with the time of its first sample in milliseconds.
  private static func packets(of size: Int, rows: Int, without lost: Range<Int> = 0..<0) -> String {
    "t_ms,ax\n"
      + (0..<rows).filter { !lost.contains($0) }
      .map { row -> String in
        let time = row / size * size * 10
        return "\(time),\(row % 30_000)\n"
      }.joined()
  }

  @Test(
    "their rate is that from packet to packet, and no tick is lost",
    arguments: [(2, 40), (5, 3000), (100, 700)])
  func rate(_ size: Int, _ rows: Int) throws {
    let importer = try Imports.csv(Self.packets(of: size, rows: rows))
    #expect(importer.description.rate == hertz(100))
    #expect(importer.end.ledger.lost == 0 && importer.end.ledger.sampled == UInt64(rows))
    let isDoubtful = importer.remarks.contains { $0.contains("several at a time") }
    #expect(isDoubtful == (rows / size <= 8), "\(importer.remarks)")
  }

  @Test("a given rate that is theirs is taken always", arguments: [(2, 40), (12, 24), (100, 300)])
  func given(_ size: Int, _ rows: Int) throws {
    let importer = try Imports.csv(
      Self.packets(of: size, rows: rows), Imports.given(rate: hertz(100)))
    #expect(importer.description.rate == hertz(100))
    #expect(importer.end.ledger.lost == 0 && importer.end.ledger.sampled == UInt64(rows))
    #expect(!importer.remarks.contains { $0.contains("give the rate") }, "\(importer.remarks)")
  }

  @Test("samples come in runs where three in four intervals are alike", arguments: [5, 6])
  func runs(_ alike: Int) {
    var intervals = ImportIntervals()
    for place in 0..<8 { intervals.add(place < alike ? 10_000_000 : 46_000_000) }
    #expect(intervals.areRuns == (alike == 6))
  }

  @Test("packets that are missing are lost ticks", arguments: [nil, hertz(100)])
  func lost(_ rate: SampleRate?) throws {
    let importer = try Imports.csv(
      Self.packets(of: 5, rows: 3000, without: 1000..<1050), Imports.given(rate: rate))
    #expect(importer.description.rate == hertz(100))
    #expect(importer.end.ledger.lost == 50)
  }

  @Test("gaps that contradict packets of one time do not take a pass for each of their samples")
  func passes() throws {
    var rows = "# imulog.rate_hz: 100\nt_ns,ax,gap,gap_ticks\n"
    for packet in 0..<20 {
      for row in 0..<64 { rows += "\(packet * 640_000_000),\(packet - row),,\n" }
      rows += "\(packet * 640_000_000 + 10_000_000),,missed,\(3 + packet % 5)\n"
    }
    let source = ArraySource(Array(rows.utf8))
    let passes = source.passes
    let importer = try TableImporter(source, Imports.options)
    #expect(importer.end.ledger.sampled == 1280)
    #expect(passes.count < 30, "\(passes.count) passes")
  }

  @Test("a given rate that is not theirs is refused", arguments: [hertz(50), hertz(20)])
  func otherRate(_ rate: SampleRate) throws {
    let given = Imports.given(rate: rate)
    let error = try #require(Imports.csvError(Self.packets(of: 5, rows: 3000), given))
    #expect(error.exitStatus == .damagedData)
    guard rate == hertz(50) else { return }
    let short = try #require(Imports.csvError(Self.packets(of: 5, rows: 40), given))
    #expect("\(short)".contains("are those of about 100 Hz and not of 50 Hz"), "\(short)")
  }

  @Test("two tables in packets are joined one by one, in the order of their rows")
  func joined() throws {
    func table(_ column: String, offset: Int, size: Int) -> ArraySource {
      let rows = (0..<300 as Range<Int>).map { row -> String in
        let time = row / size * size * 10 + offset
        return "\(time),\(row)\n"
      }
      return ArraySource(Array("t_ms,\(column)\n\(rows.joined())".utf8), name: "\(column).csv")
    }
    for (offset, size) in [(0, 5), (20, 5), (0, 1)] {
      let importer = try TableImporter(
        table("ax", offset: 0, size: 5), with: table("gx", offset: offset, size: size),
        Imports.options)
      #expect(importer.description.rate == hertz(100), "\(offset) \(size)")
      let samples = try Imports.records(importer).map(\.sample)
      #expect(samples.count == 300)
      #expect(samples.allSatisfy { abs(Int($0.ax) - Int($0.gx)) <= (size == 1 ? 4 : 0) })
    }
  }

  @Test("a table of one time that lasts longer than a log at the given rate is refused")
  func tooLow() throws {
    let options = Imports.given(rate: hertz(1, per: 4_000_000_000))
    let error = try #require(Imports.csvError("t_ms,ax\n7,1\n7,2\n7,3\n", options))
    #expect(
      "\(error)".contains(
        "at 0.00000000025 Hz the samples of table.csv last longer than the 146 years of a log"),
      "\(error)")
    #expect(error.exitStatus == .damagedData)
    let importer = try Imports.csv("t_ms,ax\n7,1\n7,2\n", options)
    #expect(try Imports.records(importer).last?.time == 4_000_000_000_007_000_000)
  }
}
