// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing
import Text

@testable import Import

/// Tables that state less than an import needs, and what must be asked.
struct Asked: CustomTestStringConvertible {
  let testDescription: String
  let table: FakeTable
  /// Parts of the refusal, in their order.
  let words: [String]

  init(_ name: String, _ table: FakeTable, _ words: [String]) {
    (testDescription, self.table, self.words) = (name, table, words)
  }

  /// An accelerometer's table with a vector of this length, at steps of written units.
  static func accelerations(
    _ length: String, step: Int64 = 20, decimals: Int = 3, file: String = "table.csv",
    _ change: (inout FakeTable) -> Void = { _ in }
  ) -> FakeTable {
    var table = FakeTable(["time", "acc_x", "acc_y", "acc_z"], [0, 1, 2], file: file)
    table.understanding.syntax.timeDecimals = decimals
    for row in 0..<20 { table.add(Int64(row) * step, ["0", "0", length]) }
    change(&table)
    return table
  }

  static func rates(_ values: [String], _ change: (inout FakeTable) -> Void = { _ in }) -> FakeTable
  {
    var table = FakeTable(["t", "gx", "gy", "gz"], [3, 4, 5])
    table.understanding.times = .init(.seconds, .file("the header"))
    for (row, value) in values.enumerated() {
      table.add(Int64(row) * 10_000_000, [value, "0", "0"])
    }
    change(&table)
    return table
  }

  static let all: [Asked] = [
    Asked(
      "m/s² without a unit", accelerations("9.84"),
      [
        "table.csv does not say in which unit time and acc_x, acc_y, acc_z are.\n",
        "  time   steps of 0.02: 50 Hz in s, 50000 Hz in ms\n",
        "  acc_*  mean length 9.84: 1 g in m/s2, ",
        "\nIf that is right: imulog import table.csv --units s,m/s2",
      ]),
    Asked(
      "whole mg", accelerations("1003") { $0.understanding.times = .init(.seconds, .file("x")) },
      ["mean length 1003: 1 g in mg, ", "0.0612 g as counts at 16384", "--units mg"]),
    Asked(
      "whole counts at 16384", accelerations("16398"),
      ["1 g as counts at 16384 a g, 1.67 g in mm/s2", "--units s,raw"]),
    Asked(
      "whole counts at 2048", accelerations("2050"),
      ["1 g as counts at 2048 a g", "--units s,raw --accel-lsb-per-g 2048"]),
    Asked(
      "milliseconds at 1 Hz or microseconds", accelerations("0.97", step: 1000, decimals: 0),
      ["steps of 1000: 1000 Hz in us, 1 Hz in ms", "--units us,g"]),
    Asked(
      "row numbers", accelerations("0.97", step: 1, decimals: 0),
      ["steps of 1: 1000 Hz in ms, 1 Hz in s"]),
    Asked(
      "row numbers, and the rate",
      accelerations("0.97", step: 1, decimals: 0) { $0.request.rate = SampleRate(50) },
      [
        "no unit makes 50 Hz of steps of 1: leave the column out",
        "imulog import table.csv --columns ax=2,ay=3,az=4 --units g --rate 50",
      ]),
    Asked(
      "a rate proposes the unit of times, and does not state it",
      accelerations("0.97", step: 1000, decimals: 0) { $0.request.rate = SampleRate(1) },
      ["steps of 1000: 1 Hz in ms\n  acc_*", "--units ms,g --rate 1"]),
    Asked(
      "seconds from 1970",
      accelerations("0.97") { table in
        table.rows = table.rows.map { row, numbers in
          (Row(time: row.time + 1_650_000_000_000), numbers)
        }
      },
      [
        "steps of 0.02: 50 Hz in s, ", "the first 2022-04-15T05:20:00Z if from 1970",
        "--units s,unix,g",
      ]),
    Asked(
      "rad/s or °/s", rates(["0", "1.571", "0.3"]),
      [
        "does not say in which unit gx, gy, gz are",
        "  g*  at most 1.57: 1.57 °/s in deg/s, 90 °/s in rad/s", "--units deg/s",
      ]),
    Asked(
      "names with a word for rad",
      rates(["0", "1.571"]) { table in
        for index in 1...3 {
          let column = table.understanding.columns[index]
          table.understanding.columns[index] = Understanding.Column(
            index: index, name: "gyro_\(index)_rad", role: column.role, source: column.source)
        }
      }, ["at most 1.57: 90 °/s in rad/s", "--units rad/s"]),
    Asked(
      "counts of rates", rates(["38", "-12"]) { $0.request.rate = SampleRate(100) },
      [
        "at most 38: 0.29 °/s as counts at 131 a °/s, 38 °/s in deg/s",
        "--units raw --rate 100",
      ]),
    Asked(
      "the options that the user gave come back, and paths are quoted",
      accelerations("0.97", file: "my data/a b.csv") {
        $0.request.words = ["--store", "/x y"]
        $0.request.isAnyway = true
        $0.request.note = "it's"
        $0.request.gyroscopeScale = ImportRequest.scale(countsPerUnit: "65.5")
      },
      [
        "imulog import 'my data/a b.csv' --units s,g --gyro-lsb-per-dps 65.5 --anyway --note 'it'\\''s' --store '/x y'"
      ]),
    Asked(
      "a program's counts without a scale",
      accelerations("4100") {
        $0.understanding.times = .init(.seconds, .file("x"))
        $0.understanding.units[.accelerometer] = .init(.count, .program("X"))
      },
      [
        "does not say what a count of its accelerations is.", "1 g as counts at 4096 a g",
        "imulog import table.csv --accel-lsb-per-g 4096",
      ]),
    Asked(
      "no times",
      {
        var table = FakeTable(["ax"], [0], hasTime: false)
        for _ in 0..<9 { table.add(0, ["0.5"]) }
        return table
      }(),
      [
        "has no times, and states no rate; does not say in which unit ax is.",
        "--units g --rate HZ",
      ]),
    Asked(
      "sessions of the header again",
      {
        var table = accelerations("1.01")
        table.understanding.units[.accelerometer] = .init(.g, .file("x"))
        table.rows[12].row.begin = .header
        table.rows[17].row.begin = .blankLine
        return table
      }(),
      [
        "holds 3 recordings: lines 2–13, 14–18, 19–21; does not say in which unit time is.",
        "imulog import table.csv --units s --each",
      ]),
    Asked(
      "a counter that starts anew",
      accelerations("1.01") { table in
        for row in 11..<20 { table.rows[row].row.time -= 220 }
      },
      [
        "holds 2 recordings: lines 2–12, 13–21", "--each keeps them apart", "--units s,g --each",
      ]),
    Asked(
      "a table in an archive",
      accelerations("1.01", file: "my walk.zip/Accelerometer.csv") {
        $0.request.archive = "my walk.zip"
      },
      ["my walk.zip/Accelerometer.csv does not say", "imulog import 'my walk.zip' --units s,g"]),
    Asked(
      "one column is left out",
      accelerations("1.01", step: 1, decimals: 0, file: "walk.zip/a/b.csv") {
        $0.request.archive = "walk.zip"
        $0.request.rate = SampleRate(50)
      },
      [
        "unpack it, and imulog import b.csv --columns ax=2,ay=3,az=4 --units g --rate 50"
      ]),
    Asked(
      "rows that share a time, and one that is late",
      accelerations("1.01") { table in
        table.rows[5].row.time = 80
        table.rows[15].row.time = 260
      },
      [
        "has 2 rows out of order or with the time of the row above, the first in line 7",
        "--units s,g --sort",
      ]),
  ]
}

@Suite("What nothing states is asked for")
struct RefusalTests {
  @Test("in one refusal with the whole command", arguments: Asked.all)
  func asked(_ given: Asked) throws {
    let error = try #require(given.table.error)
    #expect(error.kind == .unclear)
    #expect(error.exitStatus == .damagedData)
    var rest = "\(error)"[...]
    for words in given.words {
      guard let place = rest.parts(around: words) else {
        Issue.record("\(words) is not in: \(rest)\n--\n\(error)")
        return
      }
      rest = place.after
    }
    // Nothing that is missing is ever assumed.
    var table = given.table
    table.request.isAnyway = true
    let anyway = try #require(table.error)
    #expect(anyway.kind == .unclear)
  }

  @Test("A way to choose columns is printed with the units that are missing then")
  func columns() throws {
    var open = FakeTable(["t", "lin x", "lin y", "lin z"], [0, 1, 2])
    open.understanding.times = .init(.seconds, .file("the header"))
    for row in 0..<10 { open.add(Int64(row) * 10_000_000, ["0", "0", "9.79"]) }
    let chosen = open
    open.understanding.columns = open.understanding.columns.map { column in
      var column = column
      if column.role != .time { column.role = .open }
      return column
    }
    open.understanding.proposals = [
      Proposal(columns: "time=1,ax=2,ay=3,az=4", meaning: "they are with gravity"),
      Proposal(columns: "time=1,ax=4,ay=3,az=2", meaning: "the axes are the other way round"),
    ]
    let unknown = open
    let opening = Opening { $0.columns == nil ? unknown.tables($0) : chosen.tables($0) }
    let error = #expect(throws: ImportError.self) {
      _ = try ImportedRecording(opening, unknown.request)
    }
    #expect(
      error?.description == """
        table.csv does not say which columns are the axes of which sensor; does not say in which unit lin x, lin y, lin z are.
          columns  they are with gravity
          lin *    mean length 9.79: 0.998 g in m/s2, 9.79 g in g
        If that is right: imulog import table.csv --columns time=1,ax=2,ay=3,az=4 --units m/s2
        Or the axes are the other way round: --columns time=1,ax=4,ay=3,az=2
        """)
  }
}
