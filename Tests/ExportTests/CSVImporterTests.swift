// SPDX-License-Identifier: Apache-2.0

import IMUModel
import OldImport
import TestSupport
import Testing

@Suite("Import of tables")
struct CSVImporterTests {
  @Test("columns in any order become samples, times become nanoseconds")
  func columns() throws {
    let importer = try Imports.csv("gz,t_us,ax,temp\n-3,0,1,-400\n32767,1500,-32768,401\n")
    #expect(importer.description.channels == ChannelSet(rawValue: 0b110_0001))
    #expect(importer.description.timeUnit == 1000)
    #expect(importer.description.sensor.model == "imported")
    #expect(importer.description.note == "a note")
    #expect(importer.description.plannedTicks == 2)
    #expect(importer.clockPairs.isEmpty)
    #expect(importer.end.reason == .imported)
    #expect(importer.end.ledger == TickLedger(sampled: 2))
    #expect(
      try Imports.records(importer) == [
        TickRecord(tick: 0, time: 0, sample: RawSample(ax: 1, gz: -3, temperature: -400)),
        TickRecord(
          tick: 1, time: 1_500_000, sample: RawSample(ax: -32768, gz: 32767, temperature: 401)),
      ])
  }

  @Test(
    "every unit of time is read exactly",
    arguments: [
      ("t_ns", "-5", -5), ("t_ns", "900000000000000007", 900_000_000_000_000_007),
      ("t_ns", "-4611686018427387903", 1 - RecordingTime.limit), ("t_us", "12", 12_000),
      ("t_ms", "12", 12_000_000),
      ("t_s", "12", 12_000_000_000), ("t", "0.5", 500_000_000), ("t", "-0.000000001", -1),
      ("t", "1.123456789", 1_123_456_789), ("t", "00.10", 100_000_000),
      ("t", "1.0000000004", 1_000_000_000), ("t", "1e3", 1_000_000_000_000),
      ("t_us", "1.5", 1500), ("t_ms", "-0.25", -250_000), ("t_ns", "6.5", 7),
    ] as [(String, String, Int64)])
  func times(_ column: String, _ text: String, _ time: Int64) throws {
    let records = try Imports.records(Imports.csv("\(column),ax\n\(text),1\n"))
    #expect(records.map(\.time) == [time])
  }

  @Test(
    "line ends, blanks, a byte order mark and blank lines at the end are accepted",
    arguments: [
      "t_us,ax\n0,1\n1,2\n", "t_us,ax\n0,1\n1,2", "t_us,ax\r\n0,1\r\n1,2\r\n",
      "t_us,ax\r\n0,1\r\n1,2", "t_us,ax\n0,1\n1,2\n\n", "t_us,ax\r\n0,1\r\n1,2\r\n\r\n \r\n",
      "\u{FEFF}t_us,ax\n0,1\n1,2\n", " t_us , ax\n 0,\t1 \n1 , 2\n",
    ])
  func tolerated(_ text: String) throws {
    let records = try Imports.records(Imports.csv(text))
    #expect(records.map(\.time) == [0, 1000])
    #expect(records.map(\.sample.ax) == [1, 2])
  }

  @Test("a separator at the ends of lines is no column", arguments: [",", ";", "\t"], [" ", ""])
  func trailingSeparators(_ separator: String, _ blank: String) throws {
    let end = separator + blank
    let rows = ["t_ms,ax,gz", "0,-7,11", "10,8,-12", "20,-9,13"].map { line in
      line.split(separator: ",").joined(separator: separator) + end + "\n"
    }
    let records = try Imports.records(Imports.csv(rows.joined()))
    #expect(
      records.map(\.sample) == [
        RawSample(ax: -7, gz: 11), RawSample(ax: 8, gz: -12), RawSample(ax: -9, gz: 13),
      ])
  }

  @Test("a last column without a name that has values is another error than a decimal comma")
  func trailingValues() {
    let error = Imports.csvError("t_ms,ax,ay,az\n0,1,2,3,,,\n")
    #expect(error == .line(name: "table.csv", line: 2, problem: .fieldCount(found: 7, expected: 4)))
  }

  @Test("lines are found wherever the pieces of the file end", arguments: [1, 2, 3, 7, 64])
  func pieces(_ piece: Int) throws {
    let rows = (0..<300).map { "\($0 * 10_000),\($0 - 150),\($0 * 7)\r\n" }
    let text = "t_us,ax,gy\r\n" + rows.joined()
    let importer = try TableImporter(ArraySource(Array(text.utf8), piece: piece), Imports.options)
    let records = try Imports.records(importer)
    #expect(records.map(\.sample.ax) == (0..<300).map { Int16($0 - 150) })
    #expect(records.map(\.sample.gy) == (0..<300).map { Int16($0 * 7) })
  }

  @Test("a file longer than the buffer is read whole")
  func long() throws {
    var text = "t_us,ax,ay,az\n"
    for row in 0..<30_000 { text += "\(row * 1000),\(row % 3000),-1,\(row % 7)\n" }
    #expect(text.utf8.count > 5 * 65536)
    let records = try Imports.records(Imports.csv(text))
    #expect(records.count == 30_000)
    let wrong = records.enumerated().filter { (row, record) in
      record.time != Int64(row) * 1_000_000
        || record.sample
          != RawSample(ax: Int16(row % 3000), ay: -1, az: Int16(row % 7))
    }
    #expect(wrong.isEmpty)
  }

  @Test("the grid of a derived rate is never half a period off the last sample")
  func gridStaysClose() throws {
    var generator = SeededGenerator(seed: 20_261_121)
    for _ in 0..<40 {
      let count = Int(generator.next() % 2000) + 2
      let period = Int(generator.next() % 3_000_000) + 10
      let text = "t_us,ax\n" + (0..<count).map { "\($0 * period),0\n" }.joined()
      let importer = try Imports.csv(text)
      let rate = importer.description.rate
      let last = Int64((count - 1) * period) * 1000
      let grid = rate.nanoseconds(atTick: UInt64(count - 1))
      #expect(
        abs(grid - last) <= rate.periodNanoseconds / 2 + 1, "\(count) × \(period) µs: \(rate)")
    }
  }

  @Test("the options' rate, scales and start are used")
  func options() throws {
    var options = Imports.options
    options.rate = hertz(30)
    options.started = 1_795_228_687_000_000_000
    options.accelerometerScale = ImportOptions.scale(countsPerUnit: "2049")
    options.gyroscopeScale = ImportOptions.scale(countsPerUnit: "14.29")
    let importer = try Imports.csv("t_us,ax\n7,1\n7,2\n", options)
    #expect(importer.description.rate == hertz(30))
    #expect(importer.description.sensor.accelerometerScale == Fraction(1, 2049))
    #expect(importer.description.sensor.gyroscopeScale == Fraction(100, 1429))
    #expect(
      importer.clockPairs == [
        ClockPair(time: 0, wall: 1_795_228_687_000_000_000, isSynchronised: false, reason: .start)
      ])
  }

  @Test("counts a unit are positive decimals, inverted exactly")
  func scales() {
    #expect(ImportOptions.scale(countsPerUnit: "16384") == Fraction(1, 16384))
    #expect(ImportOptions.scale(countsPerUnit: "65.5") == Fraction(2, 131))
    #expect(ImportOptions.scale(countsPerUnit: "0.001") == Fraction(1000, 1))
    #expect(ImportOptions.scale(countsPerUnit: "0.5") == Fraction(2, 1))
    for text in [
      "", "0", "0.0", "-1", "+1", "1e3", ".5", "5.", "1,5", "0x10", "1234567890", "1.2.3",
    ] {
      #expect(ImportOptions.scale(countsPerUnit: text) == nil, "\(text)")
    }
  }

  @Test("a file that changes between the two passes is noticed")
  func changed() throws {
    struct ChangingSource: ImportSource, ~Copyable {
      let name = "table.csv"
      let second: String
      var text = "t_us,ax\n0,1\n10,2\n"
      var rewinds = 0
      var isRead = false

      init(_ second: String) { self.second = second }

      func another() -> ChangingSource { ChangingSource(second) }

      mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
        defer { isRead = true }
        guard !isRead else { return 0 }
        buffer.copyBytes(from: text.utf8)
        return text.utf8.count
      }

      mutating func rewind() {
        rewinds += 1
        isRead = false
        // Three times to look at the head and the first rows.
        if rewinds > 3 { text = second }
      }
    }
    for second in ["t_us,ax\n0,1\n", "t_us,ax\n0,1\n10,2\n20,3\n", "t_ns,ax\n0,1\n1,2\n"] {
      #expect(throws: ImportError.changed(name: "table.csv")) {
        _ = try Imports.records(TableImporter(ChangingSource(second), Imports.options))
      }
    }
  }

  @Test("a log is recognised by its mark, and an empty file is refused")
  func ownKind() throws {
    var log = ArraySource([0x89, 0x49, 0x4D, 0x01, 0x00], name: "file")
    let found = try ImportFormat.detect(&log)
    #expect(found == .raw)
    #expect(throws: ImportError.empty(name: "file")) {
      var empty = ArraySource([], name: "file")
      _ = try ImportFormat.detect(&empty)
    }
  }
}
