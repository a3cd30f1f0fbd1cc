// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import OldImport
import Testing

@Suite("Units that a table states are taken, or refused")
struct ImportUnitTests {
  /// Times of a step of 20, which is no usual rate in seconds and none in nanoseconds.
  private func table(_ time: String) -> String {
    "\(time),ax (g),ay (g),az (g)\n"
      + (0..<40).map { "\($0 * 20),0.5,-0.25,0.\(10 + $0)\n" }.joined()
  }

  @Test(
    "a unit of times is known by all its usual spellings",
    arguments: [
      ("Time [Milliseconds]", 20_000_000), ("time (msec)", 20_000_000), ("time (μs)", 20_000),
      ("time (µsec)", 20_000), ("time [nanosec]", 20), ("time (second)", 20_000_000_000),
      ("Time [minutes]", 1_200_000_000_000), ("time (hours)", 72_000_000_000_000),
    ] as [(String, Int64)])
  func spellings(_ time: String, _ step: Int64) throws {
    let importer = try Imports.csv(table(time))
    #expect(!importer.remarks.contains { $0.contains("unit of its times") })
    let times = try Imports.records(importer).map(\.time)
    #expect(times == (0..<40).map { Int64($0) * step })
    // The option has the same words.
    let word = String(time.split { "([".contains($0) }[1].dropLast())
    #expect(ImportUnits(word) != nil)
  }

  @Test(
    "another word as the unit of times is refused anywhere", arguments: ["days", "10us", "minus"])
  func strangeWords(_ word: String) throws {
    let sentence =
      "the unit \"\(word)\" of times is unknown: name it with --units s, ms, us, ns, min or h; if it is none of these, convert "
      + "the times, or name the axes alone with --columns and give --rate"
    let time = "time (\(word))"
    #expect(
      Imports.csvError(table(time)).map { "\($0)" }
        == "table.csv, line 1, column 1 (\(time)): \(sentence)")
    let named = Imports.given(columns: "time=1,ax=2,ay=3,az=4")
    #expect(Imports.csvError(table(time), named).map { "\($0)" }?.contains(sentence) == true)
    let rows = "{\"\(time)\":0,\"ax\":1,\"ay\":2,\"az\":3}\n"
    #expect(
      Imports.csvError(rows).map { "\($0)" }
        == "table.csv, line 1, byte 0, key \(time): \(sentence)")
    // Both remedies help.
    let given = try Imports.csv(table(time), Imports.given(units: "ms"))
    #expect(given.description.rate == hertz(50))
    let placed = try Imports.csv(
      table(time), Imports.given(rate: hertz(50), columns: "ax=2,ay=3,az=4"))
    #expect(placed.description.rate == hertz(50))
  }

  @Test(
    "times in minutes and hours are converted exactly, which is said",
    arguments: [
      ("min", "each 60 s long", [0, 60_000_000_000, 61_500_000_000]),
      ("h", "each 3600 s long", [0, 3_600_000_000_000, 3_690_000_000_000]),
    ] as [(String, String, [Int64])])
  func longUnits(_ unit: String, _ sentence: String, _ times: [Int64]) throws {
    let rows = "\n0,0.5,1,-2\n1,0.25,1,2\n1.025,0.5,1,2\n"
    let options = Imports.given(rate: hertz(10))
    let named = try Imports.csv("time (\(unit)),ax (g),ay (g),az (g)" + rows, options)
    #expect(
      named.remarks.contains(
        "table.csv: its times are in \(unit), \(sentence), and converted exactly"),
      "\(named.remarks)")
    #expect(try Imports.records(named).filter { $0.gap == nil }.map(\.time) == times)
    let given = try Imports.csv(
      "time,ax (g),ay (g),az (g)" + rows, Imports.given(rate: hertz(10), units: unit))
    #expect(try Imports.records(given).filter { $0.gap == nil }.map(\.time) == times)
  }

  @Test(
    "a number with another decimal mark than the first rows is refused with its line",
    arguments: [
      ("0,5", "0.5", "point", "commas"), ("0.5", "0,5", "comma", "points"),
      ("7", "0,5", "comma", "points"),
    ])
  func otherMark(_ first: String, _ later: String, _ mark: String, _ others: String) throws {
    let rows = (0..<100).map { "\($0 * 10);1;2;\($0 == 90 ? later : first)\n" }.joined()
    let text = "time_ms;ax;ay;az\n" + rows
    let error = try #require(Imports.csvError(text, Imports.given(units: "g")))
    #expect(
      "\(error)"
        == "table.csv, line 92, column 4 (az): \"\(later)\" has a decimal \(mark), and the first rows of the table have "
        + "decimal \(others) or none: write all numbers with one mark")
    let times = (0..<100).map { "\($0 == 90 ? "90\(later.dropFirst())" : "\($0)");1;2;\(first)\n" }
      .joined()
    let late = try #require(
      Imports.csvError("time_s;ax;ay;az\n" + times, Imports.given(units: "g")))
    #expect("\(late)".hasPrefix("table.csv, line 92, column 1 (time_s): "), "\(late)")
    #expect("\(late)".contains("has a decimal \(mark)"), "\(late)")
  }

  @Test("words that say from when times count are no units", arguments: ["UTC", "unix", "epoch"])
  func epochs(_ word: String) throws {
    let dates = (0..<20).map { "2026-11-21 02:38:07.\(100 + $0 * 10),1,2,3\n" }.joined()
    #expect(try Imports.csv("time (\(word)),ax,ay,az\n" + dates).description.rate == hertz(100))
    let numbers = (0..<20).map { "\(1_763_800_000_000 + $0 * 10),1,2,3\n" }.joined()
    #expect(try Imports.csv("time (\(word)),ax,ay,az\n" + numbers).description.rate == hertz(100))
    let zone = try Imports.csv("time (local zone),ax,ay,az\n" + dates)
    #expect(zone.description.rate == hertz(100))
  }

  private func gcsv(_ facts: String, _ rows: [String]) -> String {
    "GYROFLOW IMU LOG\norientation,XYZ\n\(facts)t,gx,gy,gz,ax,ay,az\n" + rows.joined()
  }

  @Test(
    "a gcsv's scale of times may have 17 digits",
    arguments: [
      ("3.3333333333333335e-05", 300, 10_000_000),
      ("0.00001111111111111111", -900, -10_000_000), ("1e-9", 10_000_000, 10_000_000),
    ] as [(String, Int64, Int64)])
  func timeScales(_ scale: String, _ step: Int64, _ period: Int64) throws {
    let rows = (0..<200 as Range<Int64>).map { row -> String in
      let place = step < 0 ? row - 199 : row
      return "\(place * abs(step)),1,2,3,4,5,\(row)\n"
    }
    let importer = try Imports.csv(gcsv("tscale,\(scale)\ngscale,0.001\nascale,0.001\n", rows))
    let times = try Imports.records(importer).map(\.time)
    let first: Int64 = step < 0 ? 199 * period : 0
    #expect(times == (0..<200).map { first + Int64($0) * abs(period) })
  }

  @Test(
    "numbers of a gcsv that are no counts of 16 bits are multiplied with its scales",
    arguments: [
      (["0,12.5,-3.25,1,0.5,-1,2.5\n", "10,1,2,3,4,5,6\n"], 12.5),
      (["0,1,2,3,4,5,6\n", "10,12.5,-3.25,1,0.5,-1,2.5\n"], 1),
      (["0,70000,-3,1,5,-1,2\n", "10,1,2,3,4,5,6\n"], 70_000),
    ] as [([String], Double)])
  func valueScales(_ rows: [String], _ first: Double) throws {
    let importer = try Imports.csv(gcsv("tscale,0.001\ngscale,0.000266\nascale,0.25\n", rows))
    #expect(!importer.remarks.contains { $0.contains("is not named") }, "\(importer.remarks)")
    let sensor = importer.description.sensor
    let samples = try Imports.records(importer).map(\.sample)
    let rate = Double(samples[0].gx) * sensor.gyroscopeScale.value
    let expected = first * 0.000266 * 180 / .pi
    #expect(abs(rate - expected) < 0.6 * sensor.gyroscopeScale.value)
    let ax = Double(samples[0].ax) * sensor.accelerometerScale.value
    let written = Double(rows[0].split(separator: ",")[4]) ?? .nan
    #expect(abs(ax - written * 0.25) < 1e-9)
  }

  @Test("a number that is too large once it is multiplied is named with its column")
  func largeProduct() {
    let error = Imports.csvError(
      gcsv("tscale,0.001\ngscale,1e6\nascale,1\n", ["0,5000.5,2,3,4,5,6\n"]))
    #expect(
      error?.description.contains("line 7, column 2 (gx)") == true, "\(error?.description ?? "")")
  }

  @Test("a whole number beyond 16 bits after counts of a gcsv gets a sentence with the remedy")
  func lateLargeNumber() throws {
    let rows = (0..<100).map { "\($0 * 10),1,2,3,4,5,\($0 == 99 ? 70_000 : 6)\n" }
    let error = try #require(Imports.csvError(gcsv("tscale,0.001\ngscale,1\nascale,1\n", rows)))
    #expect("\(error)".contains("write values with a decimal point"), "\(error)")
    #expect(!"\(error)".contains("--units"))
  }

  @Test(
    "zeros after the point are no digits of a time",
    arguments: ["1700000000123456789.0", "1700000000123456789.000"])
  func zeros(_ time: String) throws {
    let exact = try Imports.csv("t_ns,ax\n\(time),1\n", Imports.given(rate: hertz(10)))
    #expect(!exact.remarks.contains { $0.contains("below a nanosecond") }, "\(exact.remarks)")
    let cut = try Imports.csv("t_ns,ax\n\(time)5,1\n", Imports.given(rate: hertz(10)))
    #expect(cut.remarks.contains { $0.contains("below a nanosecond") })
  }

  @Test("where a given rate does not fit the times, the remedy is not to give one")
  func givenRate() throws {
    // A clock of 15.625 ms.
    let rows = (0..<400).map { row -> String in
      let time = Double(Int(Double(row) * 0.01 / 0.015625)) * 0.015625
      return "\(time),1,2,3\n"
    }
    let text = "time_s,ax,ay,az\n" + rows.joined()
    let error = try #require(Imports.csvError(text, Imports.given(rate: hertz(100))))
    #expect(!"\(error)".contains("give with --rate"), "\(error)")
    #expect("\(error)".contains("naming the axes alone with --columns"), "\(error)")
    let placed = try Imports.csv(text, Imports.given(rate: hertz(100), columns: "ax=2,ay=3,az=4"))
    #expect(placed.description.rate == hertz(100))
  }

  @Test("values so small that no export could write their scale are near 0, which is said")
  func tinyValues() throws {
    let rows = (0..<50).map { "\($0 * 10),0.5,1,2,0,0,1e-12\n" }.joined()
    let text = "time_ms,ax (g),ay (g),az (g),gx (rad/s),gy (rad/s),gz (rad/s)\n" + rows
    let importer = try Imports.csv(text)
    #expect(importer.remarks.contains { $0.contains("rates of table.csv") }, "\(importer.remarks)")
    let log = try Imports.log(importer)
    #expect(throws: Never.self) { try TestLog.export(log, ExportOptions(format: .csv)) }
  }

  @Test("a scale in which exports cannot write values is refused, in units and for counts")
  func unwritableScales() throws {
    let preamble = "# imulog.sensor.accelerometerScale_g: 9000000000000/1\n"
    let counts = "t_ns,ax,ay,az\n0,1,2,3\n10,1,2,3\n"
    let stated = try #require(Imports.csvError(preamble + counts))
    #expect(
      "\(stated)"
        == "accelerations of table.csv have the scale 9000000000000 g a count, in which exports cannot write them: "
        + "correct it in the file")
    #expect(stated.exitStatus == .damagedData)
    var options = Imports.options
    options.gyroscopeScale = Fraction(1, 1 << 60)
    for text in [
      "t_ns,gx,gy,gz\n0,1,2,3\n10,1,2,3\n",
      "t_ns,gx (deg/s),gy (deg/s),gz (deg/s)\n0,0,0,0\n10,0,0,0\n",
    ] {
      let given = try #require(Imports.csvError(text, options))
      #expect("\(given)".hasSuffix("give other counts a unit with --gyro-lsb-per-dps"), "\(given)")
    }
    // The largest values that are read have a scale that can be written.
    let large = "t_ns,ax (g),ay (g),az (g)\n0,999999999,-999999999,0.1\n10,1,2,3\n"
    let log = try Imports.log(Imports.csv(large))
    for units in ExportUnits.allCases {
      #expect(throws: Never.self) {
        try TestLog.export(log, ExportOptions(format: .csv, units: units))
      }
    }
  }
}
