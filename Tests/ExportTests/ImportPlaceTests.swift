// SPDX-License-Identifier: Apache-2.0

import IMUModel
import TestSupport
import Testing

@testable import OldImport

@Suite("Errors of imports name the place and the reason")
struct ImportPlaceTests {
  private static func row(_ tick: Int, _ ax: String) -> String {
    "{\"t_ns\":\(tick)0000000,\"ax\":\(ax)}"
  }

  @Test(
    "a document on one line: the byte at which a sample begins, and its number",
    arguments: ["\"one\"", "true", "1.5", "1e9", "1e9999", "40000", "[1]", "null"])
  func sample(_ value: String) throws {
    let rows = (0..<20).map { Self.row($0, $0 == 16 ? value : "\($0)") }
    for (head, tail) in [("[", "]"), ("{\"format\":\"imulog-json\",\"samples\":[", "]}")] {
      let before = head + rows[..<16].joined(separator: ",") + ","
      let text = head + rows.joined(separator: ",") + tail
      let sentence = try #require(Imports.csvError(text)?.description)
      #expect(
        sentence.hasPrefix("table.csv, line 1, byte \(before.utf8.count), sample 17"), "\(sentence)"
      )
      // It is JSON, whatever the value.
      #expect(!sentence.contains("valid JSON"), "\(sentence)")
    }
  }

  @Test("samples of a document longer than a buffer keep their bytes")
  func long() throws {
    var rows = (0..<9000).map { Self.row($0, "\($0 % 1000)") }
    rows[8700] = Self.row(8700, "\"x\"")
    let text = "[" + rows.joined(separator: ",") + "]"
    let byte = 1 + rows[..<8700].reduce(0) { $0 + $1.utf8.count + 1 }
    let sentence = try #require(Imports.csvError(text)?.description)
    #expect(
      sentence.hasPrefix("table.csv, line 1, byte \(byte), sample 8701, key ax:"),
      "\(sentence)")
  }

  @Test("bytes of 0 in a row are named, whatever they do to its values")
  func zeros() {
    let rows = (0..<40).map { "\($0)0,\($0)\n" }
    for length in [1, 512, 70_000] {
      let text = "t_us,ax\n" + rows[..<30].joined() + String(repeating: "\0", count: length)
      #expect(
        Imports.csvError(text + rows[30...].joined())
          == .line(name: "table.csv", line: 32, problem: .zeros))
    }
  }

  @Test("numbers with powers of ten are read at once, and as exactly as one by one")
  func powers() throws {
    let head =
      "\"Time (s)\",\"Acceleration x (m/s^2)\",\"Acceleration y (m/s^2)\",\"Acceleration z (m/s^2)\"\n"
    var lines = ImportLines(ArraySource(Array(head.utf8), name: "table.csv"))
    var parser = ImportRowParser(try ImportHead.read(&lines, nil))
    for row in [
      "1.234000000E-3,9.364549000E-3,-1.5e+2,0E0", "0.001234,12E-999,-0.0e5,999999999E0",
      "1e9,1.23456789012345678e-7,-1e8,5E-1", "0,1,2,3", "120e-2,5.e1,.5E1,-7e000",
    ] {
      let text = Array(row.utf8)
      let plain = text.withUnsafeBytes { parser.plain($0) }
      let numbers = parser.numbers
      let time = try text.withUnsafeBytes { try parser.parseAny($0) }
      #expect(plain != nil && plain == time, "\(row)")
      #expect(numbers == parser.numbers, "\(row)")
    }
    for row in ["1.2345678901E-3,1,2,3", "1,1e9,2,3", "1,1e,2,3", "1,1e0001,2,3", "1,1E400,2,3"] {
      let plain = Array(row.utf8).withUnsafeBytes { parser.plain($0) }
      #expect(plain == nil, "\(row)")
    }
  }

  @Test(
    "a pause of a phone's experiment is a gap, and what follows comes later by its length",
    arguments: [false, true], ["Acceleration x", "X"])
  func pause(hasDecimalCommas: Bool, first: String) throws {
    let names = first == "X" ? ["X", "Y", "Z"] : ["x", "y", "z"].map { "Acceleration \($0)" }
    let head =
      (["\"Time (s)\""] + names.map { "\"\($0) (m/s^2)\"" }).joined(separator: ",") + "\n"
    let table = head + (0..<400).map { "\(Double($0) / 100),\($0).25,1,-2\n" }.joined()
    let events =
      "\"event\",\"experiment time\",\"system time\",\"system time text\"\n"
      + "\"START\",0.0,1763800000.000,\"x\"\n\"PAUSE\",1.005,1763800001.005,\"x\"\n"
      + "\"START\",1.005,1763800003.505,\"x\"\n\"PAUSE\",3.005,1763800005.505,\"x\"\n"
      + "\"START\",3.005,1763800006.505,\"x\"\n\"PAUSE\",4.0,1763800007.5,\"x\"\n"
    func written(_ text: String) -> String {
      hasDecimalCommas
        ? text.replacing(",", with: ";").replacing(".", with: ",") : text
    }
    let archive = MadeZip([
      .init("Accelerometer.csv", written(table)), .init("meta/time.csv", written(events)),
    ])
    let importer = try TableImporter<ArraySource>.zip(
      ArraySource(archive.bytes, name: "walk.zip"), Imports.options)
    #expect(importer.clockPairs.map(\.wall) == [1_763_800_000_000_000_000])
    #expect(
      importer.remarks.contains {
        $0.contains("was paused 2 times, first at 1.005 s, for 3.5 s in all")
      }, "\(importer.remarks)")
    #expect(!importer.remarks.contains { $0.contains("gravity") }, "\(importer.remarks)")
    let records = try Imports.records(importer)
    #expect(records.compactMap(\.gap).map(\.count) == [250, 100])
    let times = records.filter { $0.kind == .sample }.map { $0.time / 10_000_000 }
    #expect(times == Array(0...100) + Array(351...550) + Array(651...749))
  }
}
