// SPDX-License-Identifier: Apache-2.0

@testable import Export
import FoundationEssentials
import IMUModel
import LogFormat
import TestSupport
import Testing

/// Time, cause and length of every gap in an export of two channels.
enum GapRows {
  static func csv(_ text: String) -> [[String]] {
    text.split(separator: "\n").dropFirst().compactMap { line in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return cells[3].isEmpty ? nil : [cells[0], cells[3], cells[4]]
    }
  }

  static func ndjson(_ text: String) throws -> [[String]] {
    struct Row: Decodable {
      var t_ns: Int64
      var gap: String
      var gap_ticks: UInt64
    }
    return try text.split(separator: "\n").filter { $0.contains("\"gap\"") }.map {
      let row = try JSONDecoder().decode(Row.self, from: Data($0.utf8))
      return ["\(row.t_ns)", row.gap, "\(row.gap_ticks)"]
    }
  }

  static func json(_ text: String) throws -> [[String]] {
    try GapDocument(text).gaps.map { ["\($0.t_ns)", $0.cause, "\($0.count)"] }
  }
}

/// What a JSON document says of missing ticks.
struct GapDocument: Decodable {
  struct Gap: Decodable {
    var t_ns: Int64
    var count: UInt64
    var cause: String
  }
  var gaps: [Gap]
  /// By cause, `sampled` and `scheduled` among them.
  var ticks: [String: UInt64]

  init(_ text: String) throws {
    self = try JSONDecoder().decode(GapDocument.self, from: Data(text.utf8))
  }
}

/// No recorder writes such logs, and every format has to say the same of them.
@Suite("Gaps that overlap, run backwards or lie where samples are")
struct GapCountTests {
  private static let rate = hertz(100)

  private static func time(_ tick: UInt64) -> Int64 { Int64(tick) * 10_000_000 }

  /// - Parameter isFlushed: Whether the samples before a gap are before it in the log, too.
  private func log(
    _ samples: [UInt64], _ gaps: [(before: UInt64, gap: Gap)], ticks: UInt64,
    isFlushed: Bool = true
  ) throws -> [UInt8] {
    var log = TestLog(
      TestLog.description(channels: ChannelSet(rawValue: 0b11), rate: GapCountTests.rate))
    log.clock(0, wall: 1_795_228_687_500_000_000, synchronised: true)
    var rest = gaps.sorted { $0.before < $1.before }[...]
    for tick in samples {
      while let next = rest.first, next.before <= tick {
        if isFlushed { log.flush() }
        log.gap(next.gap.firstTick, next.gap.count, next.gap.cause, code: next.gap.code)
        rest.removeFirst()
      }
      log.sample(tick, GapCountTests.time(tick), RawSample(ax: Int16(tick % 9), ay: -3))
    }
    for next in rest { log.gap(next.gap.firstTick, next.gap.count, next.gap.cause) }
    var tally = TickTally(sampled: UInt64(samples.count))
    tally.add(ticks - UInt64(samples.count), .missed)
    log.end(tally)
    return try log.bytes()
  }

  static func options(_ format: ExportFormat, _ range: Range<Int64>? = nil) -> ExportOptions {
    var options = ExportOptions(format: format, from: range?.lowerBound, to: range?.upperBound)
    if format != .mcap { options.units = .raw }
    if format != .mcap, format != .json { options.gaps = .rows }
    return options
  }

  /// The gaps that all formats have, each as time, cause and length.
  func gaps(_ log: [UInt8], _ range: Range<Int64>? = nil, _ comment: Comment? = nil) throws
    -> [[String]]
  {
    func data(_ format: ExportFormat) throws -> [UInt8] {
      try TestLog.data(log, Self.options(format, range)).bytes
    }
    func text(_ format: ExportFormat) throws -> String {
      String(decoding: try data(format), as: UTF8.self)
    }
    let document = try text(.json)
    let (gaps, ticks) = (try GapRows.json(document), try GapDocument(document).ticks)
    #expect(GapRows.csv(try text(.csv)) == gaps, comment)
    #expect(try GapRows.ndjson(text(.ndjson)) == gaps, comment)
    let parquet = try ParquetReader(data(.parquet))
    let mcap = try MCAPFile(data(.mcap))
    let places = zip(parquet.texts("gap"), parquet.integers("gap_ticks"))
      .compactMap { cause, ticks in cause.flatMap { cause in ticks.map { [cause, "\($0)"] } } }
    #expect(places == gaps.map { Array($0.dropFirst()) }, comment)
    #expect(mcap.messages.count { $0.topic == "/imu/gaps" } == gaps.count, comment)
    for (name, count) in parquet.metadata where name.hasPrefix("imulog.ticks.") {
      let cause = String(name.dropFirst("imulog.ticks.".count))
      #expect(ticks[cause].map { "\($0)" } == count, comment)
      #expect(mcap.metadata["imulog"]?[name] == count, comment)
    }
    return gaps
  }

  @Test("a tick that two gaps have is in the first of them, and one with a sample is in none")
  func overlaps() throws {
    let log = try log(
      Array(3..<6) + Array(20..<25),
      [
        // Both before the first sample, the later one first.
        (3, Gap(firstTick: 1, count: 2, cause: .reinitialising)),
        (3, Gap(firstTick: 0, count: 2, cause: .stale)),
        // Over samples, over one another, and behind what was read.
        (4, Gap(firstTick: 4, count: 4, cause: .busError, code: 5)),
        (20, Gap(firstTick: 7, count: 4, cause: .missed)),
        (20, Gap(firstTick: 9, count: 1, cause: .ringFull)),
        (24, Gap(firstTick: 12, count: 3, cause: .frozen)),
        // After the last sample, the last one beyond the recording's end.
        (99, Gap(firstTick: 27, count: 5, cause: .missed)),
        (99, Gap(firstTick: 26, count: 2, cause: .stale)),
      ], ticks: 30)
    #expect(
      try gaps(log) == [
        ["0", "stale", "2"], ["20000000", "reinitialising", "1"], ["60000000", "busError", "2"],
        ["80000000", "missed", "3"], ["110000000", "lost", "9"], ["250000000", "lost", "1"],
        ["260000000", "stale", "2"], ["280000000", "missed", "4"],
      ])
  }

  @Test("every tick counts once in every format and range", arguments: 0..<12 as Range<UInt64>)
  func random(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func below(_ limit: UInt64) -> UInt64 { generator.next() % limit }
    let ticks = 400 + below(200)
    let samples = (0..<ticks).filter { _ in below(10) < 7 }
    let causes = GapCause.allCases
    let gaps = (0..<60).map { _ in
      let gap = Gap(
        firstTick: below(ticks), count: 1 + below(12),
        cause: causes[Int(below(UInt64(causes.count)))])
      // Before the samples that it precedes, or up to 40 ticks too early or too late.
      return (before: gap.firstTick + 40 - min(below(80), gap.firstTick + 40), gap: gap)
    }
    let log = try log(samples, gaps, ticks: ticks, isFlushed: seed % 2 == 0)
    var seen = Set(samples)
    for gap in try self.gaps(log, nil, "seed \(seed)") {
      let first = try #require(UInt64(gap[0])) / 10_000_000
      for tick in first..<(first + (try #require(UInt64(gap[2])))) {
        #expect(seen.insert(tick).inserted, "seed \(seed), tick \(tick) twice")
      }
    }
    #expect(seen.isSuperset(of: 0..<ticks), "seed \(seed)")
    let begin = GapCountTests.time(below(ticks / 2))
    _ = try self.gaps(
      log, begin..<(begin + GapCountTests.time(1 + below(ticks / 2))), "seed \(seed)")
  }

  @Test("more gaps than a document collects in one pass are those of the rows")
  func many() throws {
    let gaps = (0..<1500 as Range<UInt64>).map {
      (before: $0 * 4, gap: Gap(firstTick: $0 * 4 + 1, count: 1 + $0 % 3, cause: .missed))
    }
    let log = try log((0..<1500).map { $0 * 4 }, gaps, ticks: 6000)
    // The ticks after gaps of one and two ticks are lost.
    #expect(try self.gaps(log).count == 2500)
  }
}
