// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing
import Text

@testable import Import

@Suite("Sessions and the order of rows")
struct CensusTests {
  /// Times, what begins before them, and the first line and the rows of each session.
  struct Given: CustomTestStringConvertible {
    let testDescription: String
    let times: [Int64]
    var begins: [Int: Understanding.Session.Begin] = [:]
    var isSorted = false
    let sessions: [Int]
    /// The line of the first row out of order.
    var disorder: Int?
  }

  static let all: [Given] = [
    Given(testDescription: "one", times: [0, 1, 2, 3], sessions: [4]),
    Given(
      testDescription: "a counter that starts anew", times: [0, 1, 2, 3, 0, 1, 2], sessions: [4, 3]),
    Given(
      testDescription: "one that begins elsewhere", times: [100, 101, 102, 103, 97, 98],
      sessions: [4, 2]),
    Given(
      testDescription: "a fall of less than half of the session", times: [0, 1, 2, 3, 4, 5, 3, 6],
      sessions: [8], disorder: 8),
    Given(
      testDescription: "a fall after two rows", times: [5, 6, 0, 1], sessions: [4], disorder: 4),
    Given(testDescription: "a time twice", times: [0, 1, 1, 2], sessions: [4], disorder: 4),
    Given(
      testDescription: "rows to be sorted", times: [9, 8, 7, 6, 1, 2], isSorted: true, sessions: [6]
    ),
    Given(
      testDescription: "blank lines, and times that go on", times: [0, 1, 2, 3],
      begins: [2: .blankLine],
      sessions: [2, 2]),
    Given(
      testDescription: "the header, and the same time", times: [0, 1, 1, 2], begins: [2: .header],
      sessions: [2, 2]),
  ]

  @Test("are what is counted", arguments: all)
  func counted(_ given: Given) {
    var census = Census()
    for (row, time) in given.times.enumerated() {
      census.add(
        Row(time: time, begin: given.begins[row]), at: Place(line: row + 2),
        RowMark(byte: UInt64(row), line: row + 2), isSorted: given.isSorted)
    }
    #expect(census.sessions.map(\.rows) == given.sessions.map(UInt64.init))
    #expect(census.disorder?.line == given.disorder)
    #expect(census.rows == UInt64(given.times.count))
    var line = 2
    for (session, rows) in zip(census.sessions, given.sessions) {
      #expect(session.first.line == line)
      #expect(session.last.line == line + rows - 1)
      #expect(session.firstTime == given.times[line - 2])
      line += rows
    }
  }

  @Test("More sessions than 1000 are too many")
  func many() {
    var census = Census()
    for row in 0...1000 {
      census.add(Row(time: 0, begin: .header), at: Place(line: row + 1), RowMark(byte: 0, line: 1))
      #expect(census.hasTooManySessions == (row == 1000))
    }
  }

  @Test("Values are only measured")
  func values() {
    var census = Census()
    func row(_ numbers: [Int64], exponent: Int = 0) -> [Decimal] {
      numbers.map { Decimal(digits: $0, exponent: exponent) }
    }
    for _ in 0..<2 { census.add(Row(time: 0), at: 1, RowMark(byte: 0, line: 1)) }
    census.add(row([3, 4, -12, 0, 0, 0, 0]), [0, 1, 2])
    census.add(row([30, 0, 0, 0, 0, 0, 0], exponent: -1), [0, 1, 2])
    #expect(census.meanLength == 8)
    #expect(census.largest(.accelerometer) == 12)
    #expect(census.areWhole(.accelerometer))
    census.add(row([0, 0, 0, 0, 0, -65, 0], exponent: -1), [3, 5])
    #expect(census.largest(.gyroscope) == 6.5)
    #expect(!census.areWhole(.gyroscope))
    #expect(Census().meanLength == nil)
  }
}

@Suite("--explain")
struct ExplainTests {
  @Test("prints who states what, and what is missing")
  func explain() throws {
    var table = FakeTable(["t_ms", "ax", "gx", "temp"], [0, 3, 6], file: "walk.csv")
    table.understanding.program = "Probe"
    table.understanding.times = .init(.milliseconds, .file("the header"))
    table.understanding.units[.accelerometer] = .init(.milliG, .program("Probe"))
    table.understanding.units[.gyroscope] = .init(.count, .option("--units raw"))
    table.understanding.isUsual = [.gyroscope]
    table.understanding.scales[.gyroscope] = .init(.usual(.gyroscope), .option("--units raw"))
    table.understanding.columns.append(
      Understanding.Column(
        index: 4, name: "note\u{1B}", role: .leftOut("it is not a number"),
        source: .file("the header")
      ))
    for row in 0..<9 { table.add(Int64(row) * 12_500_000, ["0.5", "7", "20.5"]) }
    table.rows[6].row.begin = .blankLine
    let found = try Opening(tables: table.tables).examined(table.request).understandings
    #expect(
      found[0].explanation == [
        "walk.csv: Probe's, UTF-8, 9 rows",
        "  1  t_ms   times: ms, by the header",
        "  2  ax     ax: mg, by Probe",
        "  3  gx     gx: counts, by --units raw, 131 a °/s, by --units raw",
        "  4  temp   temp: its unit is missing",
        "  5  note?  left out: it is not a number",
        "  times count from anywhere, in steps of 12.5 ms in the middle",
        "  recording 1: line 2 to line 7, 6 rows, after the beginning of the file",
        "  recording 2: line 8 to line 10, 3 rows, after a blank line",
        "  rates are counts, by --units raw, 131 a °/s, by --units raw",
      ])
    #expect(found[0].missing == [.unit(.temperature), .sessions])
    #expect(Refusal.of(found, table.request)?.kind == .unclear)
  }
}
