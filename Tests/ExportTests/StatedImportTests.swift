// SPDX-License-Identifier: Apache-2.0

@testable import Export
import IMUModel
import Testing

@testable import OldImport

@Suite("Import of files that state their rate, gaps and units")
struct StatedImportTests {
  private static let counts = ExportOptions(format: .csv, units: .raw)

  /// A recording of these gaps and `ticks` ticks; each sample is some microseconds after its tick.
  private static func log(
    _ rate: SampleRate, ticks: UInt64, _ gaps: [Gap], late: (UInt64) -> Int64 = { _ in 0 },
    clock: Double = 1
  ) -> TestLog {
    var log = TestLog(TestLog.description(channels: .all, rate: rate))
    var ledger = TickLedger()
    var (tick, rest) = (0 as UInt64, gaps[...])
    while tick < ticks {
      if let gap = rest.first, gap.firstTick == tick {
        log.gap(gap.firstTick, gap.count, gap.cause)
        ledger.add(gap.count, gap.cause)
        rest.removeFirst()
        tick += gap.count
        continue
      }
      let time = Int64((Double(rate.nanoseconds(atTick: tick)) * clock).rounded())
      var sample = RawSample()
      (sample.ax, sample.gz) = (Int16(tick % 3000) - 1500, Int16(tick % 17))
      sample.az = 16384 - Int16(tick % 5)
      log.sample(tick, time + 55_000 + Int64(tick % 7) * 9_000 + late(tick), sample)
      ledger.sampled += 1
      tick += 1
    }
    log.end(ledger)
    return log
  }

  private static func options(_ format: ExportFormat, hasGaps: Bool) -> ExportOptions {
    var options = ExportOptions(format: format, units: .gDps)
    options.hasPreamble = format == .csv
    if hasGaps { options.gaps = .rows }
    return options
  }

  /// Expects the ticks, causes and counts of the log, at its rate and without a doubt about it.
  private static func expectWhole(
    _ log: TestLog, _ rate: SampleRate, _ gaps: [Gap], _ text: String, hasCauses: Bool = true
  ) throws {
    let importer = try Imports.csv(text)
    #expect(importer.description.rate == rate)
    // A chip's own clock may be off, which is no doubt about ticks.
    let remarks = importer.remarks.filter { !$0.contains("the stated rate is kept") }
    #expect(!remarks.contains { $0.contains("rate") || $0.contains("Hz") }, "\(remarks)")
    let records = try Imports.records(importer)
    let found = records.compactMap(\.gap).map { gap in
      Gap(firstTick: gap.firstTick, count: gap.count, cause: hasCauses ? gap.cause : .lost)
    }
    #expect(
      found
        == gaps.map {
          Gap(firstTick: $0.firstTick, count: $0.count, cause: hasCauses ? $0.cause : .lost)
        })
    #expect(try TestLog.export(Imports.log(Imports.csv(text)), counts).text == log.export(counts))
  }

  @Test(
    "gaps have the stated lengths and causes, however long they are and however often",
    arguments: [(ExportFormat.json, false), (.csv, true), (.csv, false)])
  func gaps(_ format: ExportFormat, _ hasGaps: Bool) throws {
    let rate = hertz(973, per: 10)
    let long = [
      Gap(firstTick: 128, count: 66, cause: .missed),
      Gap(firstTick: 273, count: 97_445, cause: .missed),
    ]
    let longLog = Self.log(rate, ticks: 97_884, long)
    try Self.expectWhole(
      longLog, rate, long, longLog.export(Self.options(format, hasGaps: hasGaps)),
      hasCauses: hasGaps || format == .json)
    // Times alone would be those of 50 Hz.
    let even = (0..<250).map { Gap(firstTick: 2 * $0 + 1, count: 1, cause: .busError) }
    let evenLog = Self.log(hertz(100), ticks: 499, Array(even.dropLast()))
    try Self.expectWhole(
      evenLog, hertz(100), Array(even.dropLast()),
      evenLog.export(Self.options(format, hasGaps: hasGaps)),
      hasCauses: hasGaps || format == .json)
    let denseLog = Self.log(hertz(100), ticks: 900, even)
    try Self.expectWhole(
      denseLog, hertz(100), even, denseLog.export(Self.options(format, hasGaps: hasGaps)),
      hasCauses: hasGaps || format == .json)
  }

  @Test(
    "the rate that was written with few digits comes back as a fraction",
    arguments: [
      hertz(973, per: 10), hertz(1000, per: 3), hertz(2125, per: 169), hertz(90_909, per: 10_000),
      hertz(1, per: 10), hertz(100),
    ],
    [ExportFormat.json, .csv])
  func rates(_ rate: SampleRate, _ format: ExportFormat) throws {
    for ticks in [1, 2, 400] as [UInt64] {
      let log = Self.log(rate, ticks: ticks, [])
      try Self.expectWhole(log, rate, [], log.export(Self.options(format, hasGaps: false)))
    }
  }

  @Test("a sample that was read late, a whole gap after its tick, keeps its tick")
  func late() throws {
    let gaps = [Gap(firstTick: 60, count: 9, cause: .missed)]
    let log = Self.log(hertz(100), ticks: 200, gaps) { $0 == 59 ? 95_000_000 : 0 }
    try Self.expectWhole(log, hertz(100), gaps, log.export(Self.options(.json, hasGaps: false)))
  }

  @Test("the ticks of a chip that is 1.3 % off its rate come back", arguments: [0.987, 1.013])
  func chip(_ clock: Double) throws {
    let gaps = [
      Gap(firstTick: 700, count: 40, cause: .ringFull),
      Gap(firstTick: 1900, count: 1, cause: .busError),
    ]
    let log = Self.log(hertz(104), ticks: 3000, gaps, clock: clock)
    try Self.expectWhole(log, hertz(104), gaps, log.export(Self.options(.json, hasGaps: false)))
  }

  @Test("a stated rate that is not that of the times is said, and that of the times is taken")
  func contradiction() throws {
    let log = Self.log(hertz(100), ticks: 300, [])
    let text = try log.export(Self.options(.json, hasGaps: false))
      .replacing("\n\"rate_hz\":100,", with: "\n\"rate_hz\":40,")
    let importer = try Imports.csv(text)
    #expect(importer.description.rate == hertz(100))
    #expect(
      importer.remarks.contains { $0.contains("states a rate of 40 Hz") && $0.contains("100 Hz") },
      "\(importer.remarks)")
  }

  @Test(
    "a stated rate that is more than half a percent off that of the times is kept and said",
    arguments: [(1.0, false), (0.997, false), (0.99, true), (1.02, true)])
  func off(_ clock: Double, isSaid: Bool) throws {
    let log = Self.log(hertz(100), ticks: 3000, [], clock: clock)
    let importer = try Imports.csv(log.export(Self.options(.json, hasGaps: false)))
    #expect(importer.description.rate == hertz(100))
    #expect(
      importer.remarks.contains { $0.contains("states a rate of 100 Hz") } == isSaid,
      "\(importer.remarks)")
  }

  @Test("a stated rate of twice the times' is always said", arguments: [3, 60, 400] as [UInt64])
  func twice(_ ticks: UInt64) throws {
    let text = try Self.log(hertz(50), ticks: ticks, [])
      .export(Self.options(.json, hasGaps: false))
      .replacing("\n\"rate_hz\":50,", with: "\n\"rate_hz\":100,")
    let importer = try Imports.csv(text)
    #expect(importer.description.rate == hertz(100))
    #expect(
      importer.remarks.contains { remark in
        // Each sample is some microseconds after its tick.
        ["49.9", "50 "].contains { rate in
          remark.contains("states a rate of 100 Hz, and its times are those of about \(rate)")
        }
      }, "\(importer.remarks)")
  }

  @Test("a part of a recording keeps its gaps where a period is no whole number of nanoseconds")
  func part() throws {
    let gaps = [Gap(firstTick: 2, count: 2, cause: .missed)]
    // Ticks 100 to 103 and on at 300 Hz; the gap begins two periods and a third of a nanosecond's rounding later.
    let rows = [100, 101, 104, 105, 106].map { (tick: Int) in
      "{\"t_ns\":\(hertz(300).nanoseconds(atTick: UInt64(tick))),\"ax\":\(tick),\"ay\":0,\"az\":1}"
    }
    let text =
      "{\"format\":\"imulog-json\",\"schema\":1,\"rate_hz\":300,\"units\":{\"ax\":\"count\"},"
      + "\"gaps\":[{\"t_ns\":340000001,\"tick\":102,\"count\":2,\"cause\":\"missed\",\"errno\":0}],"
      + "\"samples\":[\(rows.joined(separator: ","))]}"
    let records = try Imports.records(Imports.csv(text))
    #expect(records.compactMap(\.gap) == gaps)
    #expect(records.filter { $0.kind == .sample }.map(\.tick) == [0, 1, 4, 5, 6])
  }

  @Test("stated gaps that are too short get the lengths of the stated rate", arguments: [3, 4])
  func contradictedGaps(_ count: Int) throws {
    let gaps = [Gap(firstTick: 100, count: 12, cause: .missed)]
    let text = try Self.log(hertz(100), ticks: 300, gaps)
      .export(Self.options(.json, hasGaps: false))
      .replacing("\"tick\":100,\"count\":12", with: "\"tick\":100,\"count\":\(count)")
    let importer = try Imports.csv(text)
    #expect(importer.description.rate == hertz(100) && importer.end.ledger.lost == 12)
    #expect(importer.remarks.contains { $0.contains("the cause of 1 gap") })
  }

  @Test("parts of a document that are of another form are left out, each named by its list")
  func forms() throws {
    let rows = (0..<20).map { "{\"t_ns\":\($0)0000000,\"ax\":\($0)}" }.joined(separator: ",")
    let text =
      "{\"started\":\"yesterday\",\"units\":{\"ax\":\"g\"},"
      + "\"labels\":[{\"from_ns\":0,\"to_ns\":9,\"name\":\"walk\"},\"q\",1.5,{\"from_ns\":3,\"name\":\"a\"}],"
      + "\"marks\":[{\"t_ns\":1.5,\"label\":\"x\"},{\"t_ns\":7,\"label\":\"y\"}],\"samples\":[\(rows)]}"
    let importer = try Imports.csv(text)
    #expect(importer.marks.map(\.label) == ["y"] && importer.labels.map(\.name) == ["walk"])
    for words in [
      "started \"yesterday\"", "3 labels of table.csv are left out", "item 2 of \"labels\"",
      "1 mark of table.csv is left out", "item 1 of \"marks\"",
    ] {
      #expect(importer.remarks.contains { $0.contains(words) }, "\(words): \(importer.remarks)")
    }
  }

  @Test("axes, calibration and an incomplete recording are said, and a note keeps its quotes")
  func lost() throws {
    let rows = (0..<20).map { "{\"t_ns\":\($0)0000000,\"ax\":\($0)}" }.joined(separator: ",")
    func remarks(_ members: String) throws -> [String] {
      try Imports.csv("{\(members),\"units\":{\"ax\":\"count\"},\"samples\":[\(rows)]}").remarks
    }
    let found = try remarks("\"axes\":\"-z,y,x\",\"calibration\":{\"a\":[1]},\"complete\":false")
    for words in ["its axes are left out", "its calibration is left out", "was damaged"] {
      #expect(found.contains { $0.contains(words) }, "\(words): \(found)")
    }
    let none = try remarks("\"axes\":null,\"calibration\":null,\"complete\":true")
    #expect(!none.contains { $0.contains("left out") || $0.contains("damaged") })
    var options = Imports.options
    options.note = ""
    let table = "# imulog.axes: -z,y,x\n# imulog.note: \u{DC}n, \"quoted\"\nt_ns,ax\n0,1\n10,2\n"
    let importer = try Imports.csv(table, options)
    #expect(importer.description.note == "\u{DC}n, \"quoted\"")
    #expect(importer.remarks.contains { $0.contains("its axes are left out") })
    (options.columns, options.rate) = (ImportColumnNames("ax=2"), hertz(100))
    #expect(try Imports.csv(table, options).description.note == "\u{DC}n, \"quoted\"")
  }

  @Test("bytes that are no text are not said to end their lines with CR")
  func noText() {
    var bytes = (0..<200).map { UInt8(truncatingIfNeeded: 0x81 + $0 * 7) | 0x80 }
    bytes[40] = UInt8(ascii: "\r")
    var source = ArraySource(bytes, name: "walk.csv")
    #expect(throws: ImportError.notUTF8(name: "walk.csv")) { try ImportFormat.detect(&source) }
  }

  @Test("an axis without a column is named where the other two have one")
  func axis() throws {
    let importer = try Imports.csv("t_ns,ax,az,gx\n0,1,2,3\n10,1,2,3\n20,1,2,3\n")
    #expect(importer.remarks.filter { $0.contains("names no ") }.count == 1)
    #expect(importer.remarks.contains { $0.contains("names no ay") })
  }
}
