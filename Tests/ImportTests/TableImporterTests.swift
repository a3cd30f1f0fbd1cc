// SPDX-License-Identifier: Apache-2.0

import IMUModel
import TestSupport
import Testing

@testable import Import

@Suite("Import of tables")
struct TableImporterTests {
  private static func request(rate: UInt32? = nil, units: String? = "raw") -> ImportRequest {
    var request = ImportRequest(id: RecordingID(high: 1, low: 2))
    (request.host, request.software, request.note) = ("lab", "imulog 0.1.0", "a note")
    request.rate = rate.flatMap { SampleRate($0) }
    request.units = units.flatMap { UnitsOption($0) }
    // Counts here are any numbers.
    request.isAnyway = true
    return request
  }

  private static func table(
    _ text: String, _ request: ImportRequest = request(), piece: Int = .max
  ) throws(ImportError) -> ImportedRecording {
    try ImportedRecording(ByteSource(Array(text.utf8), name: "table.csv", piece: piece), request)
  }

  private static func records(_ importer: consuming ImportedRecording) throws
    -> [TickRecord]
  {
    var records: [TickRecord] = []
    while let record = try importer.next() { records.append(record) }
    return records
  }

  @Test("columns in any order become samples, times become nanoseconds")
  func columns() throws {
    let text = "gz,t_us,ax,temp\n-3,0,1,-400\n32767,1500,-32768,401\n"
    let importer = try Self.table(text)
    #expect(importer.description.channels == ChannelSet(rawValue: 0b110_0001))
    #expect(importer.description.sensor.model == "imported")
    #expect(importer.description.note == "a note")
    #expect(importer.description.plannedTicks == 2)
    #expect(importer.clockPairs.isEmpty)
    #expect(importer.end.reason == .imported)
    #expect(importer.end.tally.sampled == 2 && importer.end.tally.scheduled == 2)
    // 1.5 ms is not a whole number of milliseconds.
    #expect(importer.description.timeUnit == 1000)
    #expect(
      try Self.records(importer) == [
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
      ("t_s", "12", 12_000_000_000), ("t_s", "0.5", 500_000_000), ("t_s", "-0.000000001", -1),
      ("t_s", "1.123456789", 1_123_456_789), ("t_s", "00.10", 100_000_000),
      ("t_s", "1.0000000004", 1_000_000_000), ("t_s", "1e3", 1_000_000_000_000),
      ("t_us", "1.5", 1500), ("t_ms", "-0.25", -250_000), ("t_ns", "6.5", 7),
    ] as [(String, String, Int64)])
  func times(_ column: String, _ text: String, _ time: Int64) throws {
    let records = try Self.records(
      Self.table("\(column),ax\n\(text),1\n", Self.request(rate: 100)))
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
    let records = try Self.records(Self.table(text))
    #expect(records.map(\.time) == [0, 1000])
    #expect(records.map(\.sample.ax) == [1, 2])
  }

  @Test(
    "a separator at the ends of lines makes no column", arguments: [",", ";", "\t"], [" ", ""])
  func trailingSeparators(_ separator: String, _ blank: String) throws {
    let end = separator + blank
    let rows = ["t_ms,ax,gz", "0,-7,11", "10,8,-12", "20,-9,13"].map { line in
      line.split(separator: ",").joined(separator: separator) + end + "\n"
    }
    #expect(
      try Self.records(Self.table(rows.joined())).map(\.sample) == [
        RawSample(ax: -7, gz: 11), RawSample(ax: 8, gz: -12), RawSample(ax: -9, gz: 13),
      ])
  }

  @Test("lines are found wherever the pieces of the file end", arguments: [1, 2, 3, 7, 64])
  func pieces(_ piece: Int) throws {
    let numbers = Array(Int16(0)..<300)
    let rows = numbers.map { (row: Int16) in "\(Int(row) * 10_000),\(row - 150),\(row * 7)\r\n" }
    let records = try Self.records(
      Self.table("t_us,ax,gy\r\n" + rows.joined(), piece: piece))
    #expect(records.map(\.sample.ax) == numbers.map { $0 - 150 })
    #expect(records.map(\.sample.gy) == numbers.map { $0 * 7 })
  }

  @Test("a file longer than the buffer is read whole")
  func long() throws {
    var text = "t_us,ax,ay,az\n"
    for row in 0..<30_000 { text += "\(row * 1000),\(row % 3000),-1,\(row % 7)\n" }
    #expect(text.utf8.count > 5 * 65536)
    let records = try Self.records(Self.table(text))
    #expect(records.count == 30_000)
    let wrong = records.enumerated().filter { (row, record) in
      record.time != Int64(row) * 1_000_000
        || record.sample != RawSample(ax: Int16(row % 3000), ay: -1, az: Int16(row % 7))
    }
    #expect(wrong.isEmpty)
  }

  @Test("the grid of a derived rate is never more than a period off the last sample")
  func gridStaysClose() throws {
    var generator = SeededGenerator(seed: 20_261_121)
    for _ in 0..<40 {
      let count = Int(generator.next() % 2000) + 2
      let period = Int(generator.next() % 3_000_000) + 10
      let text = "t_us,ax\n" + (0..<count).map { "\($0 * period),0\n" }.joined()
      let rate = try Self.table(text).description.rate
      let last = Int64((count - 1) * period) * 1000
      let grid = rate.nanoseconds(atTick: UInt64(count - 1))
      #expect(abs(grid - last) <= rate.periodNanoseconds + 1, "\(count) × \(period) µs: \(rate)")
    }
  }

  @Test("the rate, scales and start of the request are used")
  func stated() throws {
    var request = Self.request(rate: 30, units: nil)
    request.started = 1_795_228_687_000_000_000
    request.accelerometerScale = ImportRequest.scale(countsPerUnit: "2049")
    request.gyroscopeScale = ImportRequest.scale(countsPerUnit: "14.29")
    let importer = try Self.table("t_us,ax,gx\n7,1,2\n9,2,3\n", request)
    #expect(importer.description.rate == SampleRate(30))
    #expect(importer.description.sensor.accelerometerScale == Fraction(1, 2049))
    #expect(importer.description.sensor.gyroscopeScale == Fraction(100, 1429))
    #expect(
      importer.clockPairs == [
        ClockPair(time: 0, wall: 1_795_228_687_000_000_000, isSynchronised: false, reason: .start)
      ])
  }

  @Test("counts a unit are positive decimals, inverted exactly")
  func scales() {
    #expect(ImportRequest.scale(countsPerUnit: "16384") == Fraction(1, 16384))
    #expect(ImportRequest.scale(countsPerUnit: "65.5") == Fraction(2, 131))
    #expect(ImportRequest.scale(countsPerUnit: "0.001") == Fraction(1000, 1))
    #expect(ImportRequest.scale(countsPerUnit: "0.5") == Fraction(2, 1))
    for text in [
      "", "0", "0.0", "-1", "+1", "1e3", ".5", "5.", "1,5", "0x10", "1234567890", "1.2.3",
    ] {
      #expect(ImportRequest.scale(countsPerUnit: text) == nil, "\(text)")
    }
  }

  /// A file that another program changes.
  private final class ChangingSource: SeekableSource {
    final class State {
      var rewinds = 0
    }

    let name = "table.csv"
    let second: String
    /// How often it is read before it changes, by the reader that came last.
    let steady: Int
    let state: State
    private var isRead = false

    init(_ second: String, steady: Int, _ state: State = State()) {
      (self.second, self.steady, self.state) = (second, steady, state)
    }

    var size: UInt64 { 20 }
    func another() -> ChangingSource { ChangingSource(second, steady: steady, state) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
      guard !isRead else { return 0 }
      isRead = true
      let text = state.rewinds > steady ? second : "t_us,ax\n0,1\n10,2\n"
      buffer.copyBytes(from: text.utf8)
      return text.utf8.count
    }

    func seek(to offset: UInt64) {
      state.rewinds += 1
      isRead = false
    }
  }

  private static func rows(_ second: String, steady: Int, _ request: ImportRequest)
    throws(ImportError) -> Int
  {
    var importer = try ImportedRecording(ChangingSource(second, steady: steady), request)
    var count = 0
    while try importer.next() != nil { count += 1 }
    return count
  }

  @Test("a file that changes between passes is noticed, or read as it is then")
  func changed() throws {
    let changes = ["t_us,ax\n0,1\n", "t_us,ax\n0,1\n10,2\n20,3\n", "t_ns,ax\n0,1\n1,2\n"]
    for second in changes {
      var found: Set<Bool> = []
      for steady in 0..<40 {
        let request = Self.request(rate: 100)
        do throws(ImportError) {
          // One of both files as a whole.
          let count = try Self.rows(second, steady: steady, request)
          #expect((1...3).contains(count))
          found.insert(false)
        } catch {
          #expect(error.kind == .changed, "\(error)")
          found.insert(true)
        }
      }
      #expect(found.contains(true), "\(second)")
    }
  }
}
