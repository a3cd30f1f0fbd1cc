// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import LogFormat
import Testing

/// Tables that do not say what their columns are: nothing is taken for granted without a word.
@Suite("What a table does not say")
struct UnsaidUnitTests {
  @Test("a table of x, y and z is Sensor Logger's by its seconds_elapsed alone")
  func withoutProgram() throws {
    let text = "time,x,y,z\n0,0.5,-0.25,1\n10,0.25,-0.5,0.75\n20,0.5,-0.25,1\n"
    var options = Imports.options
    let importer = { try TableImporter(ArraySource(Array(text.utf8), name: "acc_g.csv"), options) }
    let guessed = try importer().remarks
    #expect(guessed.contains { $0.contains("unit of its times is not named") }, "\(guessed)")
    #expect(!guessed.contains { $0.contains("without gravity") }, "\(guessed)")
    options.units = ImportUnits("g,ms")
    #expect(try Imports.records(importer()).map(\.time) == [0, 10_000_000, 20_000_000])
    #expect(try importer().description.channels == .accelerometer)
  }

  @Test("a comma that may be between thousands is taken as a decimal comma, which is said")
  func thousands() throws {
    func remarks(_ values: [String]) throws -> [String] {
      let rows = values.enumerated().map { "\($0 * 10);-68;79;\($1)\n" }.joined()
      return try FieldTable.read("t_ms;ax;ay;az\n" + rows, units: "mg").remarks.filter {
        $0.contains("between thousands")
      }
    }
    #expect(try remarks(["1,160", "998"]).count == 1)
    #expect(try remarks(["1,160", "-1,002"]).count == 1)
    let times = "t_ms;ax;ay;az\n1,000;500;1;2\n1,010;501;1;2\n"
    #expect(
      try FieldTable.read(times, units: "mg").remarks.contains {
        $0.contains("\"1,000\" is taken as")
      })
    for values in [["1,160", "998,5"], ["0,160", "998"], ["1,16", "998"], ["1160", "998"]] {
      #expect(try remarks(values).isEmpty, "\(values)")
    }
  }

  @Test("rows of two sensors that follow each other are refused, and those of one are read")
  func ardupilot() throws {
    let header = "timestamp,TimeUS,I,GyrX,GyrY,GyrZ,AccX,AccY,AccZ,EG,EA,T\n"
    func rows(_ sensors: [Int]) -> String {
      (0..<4).flatMap { row in
        sensors.map { "1600000000.5,\(row * 40000),\($0),0.5,-0.25,\($0).5,1,2,9.5,0,0,35.5\n" }
      }.joined()
    }
    let refusal = Imports.csvError(header + rows([0, 1]))
    #expect(
      refusal?.description
        == "table.csv, line 1, column 3 (I): rows of several sensors follow each other, \"0\", \"1\": take those of one into a table of its own, or name the columns with --columns if they are of one"
    )
    let found = try FieldTable.read(header + rows([1]))
    #expect(found.times == [0, 40_000_000, 80_000_000, 120_000_000])
    let rates = [0.5, -0.25, 1.5].map { $0 / FieldTable.degree }
    #expect(
      FieldTable.isNear(Array(found.values[0..<6]), [1, 2, 9.5].map { $0 / 9.80665 } + rates),
      "\(found.values)")
    #expect(found.remarks.contains { $0.contains("as ArduPilot writes it") })
    let named = try FieldTable.read(
      header + rows([0, 1]), columns: "time=TimeUS,ax=AccX,ay=AccY,az=AccZ", units: "m/s2,us")
    #expect(named.remarks.contains { $0.contains("in column 3 (I) take turns") })
    // Numbers of rows, packets and parts are none of sensors.
    for name in ["Sensor ID", "device_name", "imu"] {
      let rows = (0..<60).map { "\($0 / 20 % 2),\($0 * 10),0.5,1,2\n" }.joined()
      let text = "\(name),time,ax,ay,az\n" + rows
      #expect(Imports.csvError(text)?.description.contains("rows of several sensors") == true)
    }
    for numbers in [[0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 0, 0]] {
      let rows = numbers.enumerated().map { "\($1),\($0 * 10),0.5,1,2\n" }.joined()
      #expect(
        try FieldTable.read("i,time,ax,ay,az\n" + rows, units: "g").times.count == 6, "\(numbers)")
    }
    // Not that of the first column alone, and of JSON too.
    let two = (0..<6).map { "\($0),\($0 % 2 == 0 ? "a" : "b"),\($0 * 10),0.5,1,2\n" }
    let error = Imports.csvError("id,sensor,time,ax,ay,az\n" + two.joined())
    #expect(error?.description.contains("column 2 (sensor): rows of several") == true)
    let lines = (0..<6).map {
      #"{"time":\#($0 * 10),"imu":\#($0 % 2),"ax":1,"ay":2,"az":3}"# + "\n"
    }
    #expect(
      Imports.csvError(lines.joined())?.description.contains("rows of several sensors") == true)
  }

  @Test("a last line without a line feed is named, as that of a file that was cut")
  func cut() throws {
    let text = "t_ms,ax,ay,az\n0,0.5,-0.25,1\n10,0.25,-0.5,0.75"
    let words = "the last line of table.csv, 3, has no line feed: if the file was cut there"
    func isNamed(_ text: String) throws -> Bool {
      try FieldTable.read(text, units: "g").remarks.contains { $0.hasPrefix(words) }
    }
    #expect(try isNamed(text) && !isNamed(text + "\n"))
    #expect(try isNamed(text.replacing("\n", with: "\r\n")))
  }
}
