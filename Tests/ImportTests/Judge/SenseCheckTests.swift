// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing
import Text

@testable import Import

@Suite("What is stated is checked for sense")
struct SenseCheckTests {
  private static let header = Understanding.Source.file("the header")
  private static let option = Understanding.Source.option("--units")

  /// - Parameter objected: Words of the objection; `nil` for none.
  struct Given: CustomTestStringConvertible {
    let testDescription: String
    let table: FakeTable
    let objected: String?
  }

  private static func accelerations(
    _ name: String, _ length: String, _ unit: Unit, _ source: Understanding.Source,
    rows: Int = 20, scale: (counts: Int64, Understanding.Source)? = nil, usual: Bool = false,
    step: Int64 = 20_000_000, times: Understanding.Source = header, rate: UInt32? = nil,
    objected: String? = nil
  ) -> Given {
    accelerations(
      name, [length], unit, source, rows: rows, scale: scale, usual: usual, step: step,
      times: times, rate: rate, objected: objected)
  }

  private static func accelerations(
    _ name: String, _ lengths: [String], _ unit: Unit, _ source: Understanding.Source,
    rows: Int = 20, scale: (counts: Int64, Understanding.Source)? = nil, usual: Bool = false,
    step: Int64 = 20_000_000, times: Understanding.Source = header, rate: UInt32? = nil,
    objected: String? = nil
  ) -> Given {
    var table = FakeTable(["t", "ax", "ay", "az"], [0, 1, 2])
    table.understanding.times = .init(.seconds, times)
    table.understanding.units[.accelerometer] = .init(unit, source)
    if let (counts, source) = scale {
      table.understanding.scales[.accelerometer] = .init(Scale(ratio: Fraction(1, counts)), source)
    }
    if usual { table.understanding.isUsual = [.accelerometer] }
    table.request.rate = rate.flatMap { SampleRate($0) }
    for row in 0..<rows { table.add(Int64(row) * step, ["0", lengths[row % lengths.count], "0"]) }
    return Given(testDescription: name, table: table, objected: objected)
  }

  private static func rates(
    _ name: String, _ value: String, _ unit: Unit, _ source: Understanding.Source,
    objected: String? = nil
  ) -> Given {
    var table = FakeTable(["t", "gx"], [3])
    table.understanding.times = .init(.seconds, header)
    table.understanding.units[.gyroscope] = .init(unit, source)
    for row in 0..<9 { table.add(Int64(row) * 10_000_000, [value]) }
    return Given(testDescription: name, table: table, objected: objected)
  }

  private static let raw = Understanding.Source.option("--units raw")

  static let all: [Given] = [
    accelerations("1 g", "0.98", .g, option),
    accelerations("m/s² as g", "9.81", .g, option, objected: "9.81 g in g, which --units states"),
    accelerations("3 g, on a centrifuge", "3.1", .g, option),
    accelerations(
      "mm/s² as m/s²", "9780", .metrePerSecondSquared, option, objected: "997 g in m/s²"),
    accelerations("few rows", "9.81", .g, option, rows: 7),
    accelerations(
      "a header's 9.81 g", "9.81", .g, header, objected: "9.81 g in g, which the header states"),
    accelerations(
      "a program's 0.02 g, without gravity", "0.2", .metrePerSecondSquared, .program("X")),
    accelerations(
      "thousands or decimals", ["998", "1.000", "1.002"], .milliG, option,
      objected: "the marks in its accelerations have three digits behind them or are missing"),
    accelerations("a plane, and noughts", ["9.807"], .metrePerSecondSquared, option),
    accelerations("decimals", ["998", "1.000", "1.02"], .milliG, option, rows: 6),
    accelerations(
      "thousands without marks beside decimals", ["1998", "1.125"], .milliG, option, rows: 6),
    accelerations(
      "a header's 17 g", "17", .g, header, objected: "17 g in g, which the header states"),
    accelerations("a program's 17 g", "17", .g, .program("X")),
    accelerations(
      "a generic program's 9.8 g", "9.8", .g, .program("X"), usual: true, objected: "9.8 g"),
    accelerations("counts at rest", "16300", .count, raw, scale: (16384, raw)),
    accelerations(
      "whole mg as counts", "1003", .count, raw, scale: (16384, raw),
      objected: "0.0612 g at 16384 counts a g, which --units raw states"),
    accelerations(
      "counts of another range", "8200", .count, raw, scale: (16384, raw),
      objected: "1 g as counts at 8192 a g"),
    accelerations(
      "counts of a scale that is stated", "8200", .count, raw,
      scale: (16384, .option("--accel-lsb-per-g"))),
    accelerations(
      "a usual scale", "1010", .count, .program("Betaflight"),
      scale: (2048, .program("Betaflight")), usual: true, objected: "0.493 g"),
    accelerations(
      "an hour a row at 1 kHz", "1", .g, option, step: 3_600_000_000_000, rate: 1000,
      objected: "--rate states 1000 Hz"),
    accelerations("a rate", "1", .g, option, rate: 51),
    accelerations(
      "another rate", "1", .g, option, rate: 53,
      objected: "its rows come at about 50 Hz, and --rate states 53 Hz"),
    accelerations("twice the rate", "1", .g, option, rate: 100, objected: "--rate states 100 Hz"),
    accelerations(
      "rows of two days", "1", .g, option, step: 172_800_000_000_000, times: option,
      objected: "Hz in s, which --units states"),
    accelerations("rows of 1 µs", "1", .g, option, step: 1000, objected: "1000000 Hz"),
    accelerations("a program's rows of 1 µs", "1", .g, option, step: 1000, times: .program("X")),
    rates("rates", "3000", .degreePerSecond, option),
    rates("mdps as deg/s", "5000", .degreePerSecond, option, objected: "5000 °/s in °/s"),
    rates("rad/s, by the header", "90", .radianPerSecond, header),
    rates("rad/s, by the header", "900", .radianPerSecond, header, objected: "51566 °/s in rad/s"),
    rates("a program's", "30000", .degreePerSecond, .program("X")),
  ]

  @Test("sessions with the same times are not mixed by --sort, and late rows are put in order")
  func interleaved() throws {
    let row = { (time: Int) in "\(time),0,0,1\n" }
    let session = (0..<20).map { row(10 * $0) }.joined()
    func refusal(_ rows: String) throws -> String? {
      try Tables.refusal("t_ms,ax (g),ay (g),az (g)\n" + rows, "--sort")
    }
    #expect(try refusal(session + session)?.contains("mix the rows of several recordings") == true)
    #expect(try refusal(session + row(185) + row(205) + row(195)) == nil)
    // A piece that begins before the end of the one before it, on its grid or not; and packets that come late.
    let piece = { (time: Int) in (0..<100).map { row(10 * $0 + time) }.joined() }
    #expect(try refusal(piece(0) + piece(603))?.contains("mix the rows") == true)
    #expect(try refusal(piece(0) + piece(500))?.contains("mix the rows") == true)
    #expect(try refusal(piece(0) + piece(2000) + piece(1000) + piece(3000)) == nil)
    // The second half first, and the newest row first.
    let later = (20..<40).map { row(10 * $0) }.joined()
    #expect(try refusal(later + session) == nil)
    #expect(try refusal((0..<20).reversed().map { row(10 * $0) }.joined()) == nil)
  }

  @Test("and contradicted aloud, unless --anyway is given", arguments: all)
  func objected(_ given: Given) throws {
    let error = given.table.error
    if let words = given.objected {
      #expect(error?.remedy.contains("--anyway") == true)
      #expect("\(error.map { "\($0)" } ?? "")".contains(words), "\(error.map { "\($0)" } ?? "")")
    } else {
      #expect(error == nil)
    }
    var table = given.table
    table.request.isAnyway = true
    let importer = try table.importer()
    #expect(
      importer.remarks.contains { $0.contains("it is imported anyway") } == (given.objected != nil))
  }
}
