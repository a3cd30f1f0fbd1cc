// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing
import Text

@testable import Import

@Suite("Rows become records")
struct RowImporterTests {
  /// A table in g with times in nanoseconds.
  private static func table(_ times: [Int64]) -> FakeTable {
    var table = FakeTable(["t", "ax"], [0])
    table.understanding.times = .init(.nanoseconds, .file("the header"))
    table.understanding.units[.accelerometer] = .init(.g, .file("the header"))
    for (row, time) in times.enumerated() { table.add(time, ["0.\(125 * (row % 4))"]) }
    return table
  }

  private static let even: [Int64] = (0..<30).map { $0 * 10_000_000 }

  @Test("with their own times and ticks, and a gap where rows are missing")
  func gap() throws {
    let times = Self.even + Self.even.map { $0 + 500_000_003 }
    let importer = try Self.table(times).importer()
    #expect(importer.description.rate == SampleRate(100))
    #expect(importer.description.timeUnit == 1)
    #expect(importer.description.plannedTicks == 80)
    #expect(importer.end.tally.sampled == 60)
    #expect(importer.end.tally.lost == 20)
    #expect(importer.summary == "60 samples at 100 Hz for 0.79 s, 1 gap of 20 ticks by its times")
    let records = try Self.table(times).records()
    #expect(records.filter { $0.kind == .sample }.map(\.time) == times)
    #expect(records.compactMap(\.gap) == [Gap(firstTick: 30, count: 20, cause: .lost)])
    #expect(records.map(\.tick) == Array(0..<30) + [30] + Array(50..<80))
  }

  @Test("of each session alone, dates from its first row")
  func sessions() throws {
    var table = Self.table(Self.even.map { $0 + 1_700_000_000_000_000_000 })
    table.understanding.epoch = .init(.unix, .option("--units"))
    for row in 20..<30 { table.rows[row].row.time += 3_000_000_000 }
    table.rows[20].row.begin = .blankLine
    #expect(table.error?.kind == .unclear)
    table.request.isEach = true
    let whole = try table.importer()
    for (session, count, first) in [(1, 10, 3_200_000_000), (0, 20, 0)] as [(Int, Int, Int64)] {
      var importer = try whole.another(session: session, id: table.request.id)
      #expect(importer.clockPairs.map(\.wall) == [1_700_000_000_000_000_000 + first])
      var records: [TickRecord] = []
      while let record = try importer.next() { records.append(record) }
      #expect(records.map(\.time) == Array(Self.even.prefix(count)))
      #expect(records.map(\.tick) == Array(0..<UInt64(count)))
    }
  }

  @Test("in the order of their times with --sort, those that share one in that of the file")
  func sorted() throws {
    var table = Self.table([0, 10, 20, 20, 40, 30].map { $0 * 1_000_000 })
    table.request.isSorted = true
    let records = try table.records()
    #expect(records.map(\.time) == [0, 10, 20, 20, 30, 40].map { $0 * 1_000_000 })
    #expect(records.count == 6)
    #expect(records[2].sample.ax == 2 * records[1].sample.ax)
    #expect(records[3].sample.ax == 3 * records[1].sample.ax)
    // Rows that share times tell nothing of two recordings, nor of their rate.
    let twice = (0..<40).map { "\($0 % 20 / 2 * 20),0,0,1\n" }
    for (count, words) in [(40, "--sort would mix"), (20, "share times, which make no rate")] {
      let text = "t_ms,ax_g,ay_g,az_g\n" + twice[..<count].joined()
      #expect(try Tables.refusal(text, "--sort")?.contains(words) == true)
    }
    // Times that begin again begin no recording then; a blank line does.
    let rows = [20, 30, 0, 10].map { "\($0),0,0,1\n" }.joined()
    let text = "t_ms,ax_g,ay_g,az_g\n" + rows + "\n" + rows
    #expect(try Tables.importer(text, "--each --sort").understandings[0].sessions.count == 2)
  }

  @Test("of a file with the newest row first")
  func reversed() throws {
    var table = FakeTable(["t", "ax"], [0])
    table.understanding.units[.accelerometer] = .init(.g, .file("the header"))
    let times = (Self.even.prefix(12) + Self.even.prefix(30).suffix(10)).map { $0 / 1_000_000 }
    for time in times.reversed() { table.add(time, ["0.5"]) }
    let words = table.error.map { "\($0)" } ?? ""
    #expect(words.contains("rows out of order"))
    #expect(words.hasSuffix("If that is right: imulog import table.csv --units ms --sort"))
    table.request.isSorted = true
    #expect(table.error.map { "\($0)" }?.contains("steps of 10: 100 Hz in ms") == true)
    // A rate tells no unit, as steps of 1/1024 s are near those of ms.
    table.request.rate = SampleRate(100)
    #expect(table.error.map { "\($0)" }?.hasSuffix("--units ms --rate 100 --sort") == true)
  }

  @Test("whose rate places them where they have no times")
  func placed() throws {
    var table = FakeTable(["ax"], [0], hasTime: false)
    table.understanding.units[.accelerometer] = .init(.g, .file("the header"))
    for row in 0..<4 { table.add(0, ["0.\(5 * row)"]) }
    table.request.rate = SampleRate(3)
    #expect(try table.records().map(\.time) == [0, 333_333_333, 666_666_666, 1_000_000_000])
  }

  @Test("with the ticks and causes that the file states")
  func stated() throws {
    var table = Self.table(Self.even)
    table.understanding.isGapsOfFile = true
    let gap = Gap(firstTick: 0, count: 7, cause: .stale)
    table.rows.insert((Row(time: 95_000_000, gap: gap), table.rows[0].numbers), at: 10)
    let records = try table.records()
    #expect(records.compactMap(\.gap) == [Gap(firstTick: 10, count: 7, cause: .stale)])
    #expect(records.last?.tick == 36)
    #expect(try table.importer().end.tally.stale == 7)
  }

  @Test("A row of other values in the last pass is a changed file")
  func changed() throws {
    var importer = try Self.table(Self.even).importer()
    for _ in 0..<30 { #expect(try importer.next()?.kind == .sample) }
    #expect(try importer.next() == nil)
    #expect(try importer.next() == nil)
  }

  @Test("Two tables are joined by the nearest times")
  func joined() throws {
    let first = Self.table((0..<20).map { $0 * 20_000_000 + 2_000_000 })
    var second = FakeTable(["t", "gx"], [3], file: "rates.csv")
    second.understanding.times = .init(.nanoseconds, .file("the header"))
    second.understanding.units[.gyroscope] = .init(.degreePerSecond, .file("the header"))
    for row in 0..<40 { second.add(Int64(row) * 10_000_000, ["0.\(row % 8)"]) }
    let other = second
    var importer = try ImportedRecording(
      Opening { first.tables($0) + other.tables($0) }, first.request)
    #expect(importer.description.channels.indices == [0, 3])
    #expect(importer.understandings.count == 2)
    var times: [Int64] = []
    while let record = try importer.next() { times.append(record.time) }
    #expect(times == (0..<40).map { $0 * 10_000_000 })
    #expect(importer.remarks.contains { $0.contains("at most 8 ms away") })
  }

  @Test("Two tables are joined where only the letter g names the rates, which alone may be forces")
  func letters() throws {
    func source(_ sensor: String) -> ByteSource {
      let rows = (0..<9).map { "\($0 * 10),0,0,1\n" }.joined()
      return ByteSource("t_ms,\(sensor)x,\(sensor)y,\(sensor)z\n" + rows)
    }
    let request = try Tables.request("--units g-dps")
    let recording = try ImportedRecording(source("a"), with: source("g"), request)
    #expect(recording.description.channels.indices == [0, 1, 2, 3, 4, 5])
    #expect(try Tables.refusal("t_ms,gx,gy,gz\n0,0,0,1\n10,0,0,1\n", "--units g-dps") != nil)
  }

  @Test("Rows of JSON that could have gaps, and have none, show those that their times tell")
  func objects() throws {
    let rows = (0..<60).map { "{\"t_ms\":\($0 * 10 + ($0 < 30 ? 0 : 500)),\"ax\":\($0)}\n" }
    var request = ImportRequest(id: RecordingID(high: 1, low: 2))
    (request.units, request.isAnyway) = (UnitsOption("raw"), true)
    let recording = try ImportedRecording(ByteSource(rows.joined()), request)
    #expect(recording.end.tally.lost == 50 && recording.description.rate == SampleRate(100))
  }
}
