// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import TestSupport
import Testing

@Suite("Import of tables with rows of gaps")
struct GapImportTests {
  /// 104 Hz: gaps at both ends and two of different causes in the middle.
  private func log() throws -> TestLog {
    var log = TestLog(
      TestLog.description(
        channels: .all, rate: hertz(104), accelerometerScale: Fraction(122, 1_000_000),
        gyroscopeScale: Fraction(17_500, 1_000_000), temperatureScale: Fraction(1, 256),
        temperatureOffset: Fraction(25, 1)))
    var generator = SeededGenerator(seed: 11)
    var ledger = TickLedger(sampled: 288)
    for gap in Self.gaps {
      log.gap(gap.firstTick, gap.count, gap.cause)
      ledger.add(gap.count, gap.cause)
    }
    for tick in 2..<300 as Range<UInt64> where !(100..<110).contains(tick) {
      var sample = RawSample(&generator)
      if tick == 7 { (sample.ax, sample.gz) = (-32768, 32767) }
      log.sample(tick, hertz(104).nanoseconds(atTick: tick) + 1234, sample)
    }
    log.end(ledger)
    return log
  }

  private static let gaps = [
    Gap(firstTick: 0, count: 2, cause: .reinitialising),
    Gap(firstTick: 100, count: 6, cause: .busError), Gap(firstTick: 106, count: 4, cause: .missed),
    Gap(firstTick: 300, count: 3, cause: .ringFull),
  ]

  private func text(
    _ format: ExportFormat, _ units: ExportUnits, _ change: (inout ExportOptions) -> Void
  ) throws -> String {
    var options = ExportOptions(format: format, units: units)
    options.gaps = .rows
    change(&options)
    return try log().export(options)
  }

  private func expectWhole(_ text: String, isUnitKnown: Bool = true) throws {
    var options = Imports.options
    // Records of random counts have no length from which a unit could be told; chips' scales tell it.
    if !isUnitKnown { options.accelerometerScale = Fraction(122, 1_000_000) }
    let importer = try Imports.csv(text, options)
    #expect(importer.end.ledger.scheduled == 303 && importer.end.ledger.lost == 0)
    #expect(importer.end.ledger.ringFull == 3 && importer.end.ledger.reinitialising == 2)
    #expect(!importer.remarks.contains { $0.contains("left out") }, "\(importer.remarks)")
    let records = try Imports.records(importer)
    #expect(records.compactMap(\.gap) == Self.gaps)
    let samples = records.filter { $0.kind == .sample }
    #expect(samples.map(\.tick) == Array(2..<100) + Array(110..<300))
    let counts = ExportOptions(format: .csv, units: .raw)
    #expect(
      try TestLog.export(Imports.log(Imports.csv(text, options)), counts).text
        == log().export(counts))
  }

  @Test(
    "gaps before the first sample, among samples and after the last one come back with their causes",
    arguments: [ExportFormat.csv, .ndjson], [ExportUnits.raw, .si, .gDps])
  func whole(_ format: ExportFormat, _ units: ExportUnits) throws {
    try expectWhole(text(format, units) { _ in }, isUnitKnown: format == .csv || units != .raw)
  }

  @Test(
    "so do those of tables with other forms of time, of a list in JSON, and of rows with all members"
  )
  func forms() throws {
    try expectWhole(
      text(.csv, .raw) { options in
        (options.time, options.hasUnitNames) = (.seconds, true)
      })
    let list = try text(.ndjson, .raw) { _ in }.split(separator: "\n").joined(separator: ",\n")
    try expectWhole("[" + list + "]", isUnitKnown: false)
    let rows = try text(.ndjson, .raw) { _ in }.split(separator: "\n").map { row in
      row.dropLast()
        + (row.contains("gap") ? ",\"ax\":null,\"gz\":null" : ",\"gap\":null,\"gap_ticks\":null")
        + "}\n"
    }
    try expectWhole(rows.joined(), isUnitKnown: false)
  }

  @Test("more rows of gaps than are looked at for units do not hide the values")
  func many() throws {
    let gaps = (0..<100).map { "{\"t_ns\":\($0)0,\"gap\":\"busError\",\"gap_ticks\":1}\n" }
    let rows = (100..<103).map { "{\"t_ns\":\($0)0,\"ax\":0.\($0),\"ay\":-0.5}\n" }
    let importer = try Imports.csv((gaps + rows).joined(), Imports.given(units: "g"))
    #expect(importer.end.ledger.busErrors == 100 && importer.end.ledger.sampled == 3)
  }

  @Test("a table whose texts are quoted has its gaps, and a row with values and a cause is a gap")
  func quoted() throws {
    for (samples, gap) in [("\"\",\"\"", "\"missed\",\"2\""), (",", "missed,2")] {
      var rows = (0..<20).map { "\($0 + ($0 < 6 ? 0 : 2))0000000,\($0),\(samples)" }
      rows.insert("60000000,,\(gap)", at: 6)
      let importer = try Imports.csv(
        "t_ns,ax,gap,gap_ticks\n" + rows.joined(separator: "\n") + "\n")
      #expect(importer.end.ledger.missed == 2 && importer.end.ledger.sampled == 20, "\(gap)")
    }
    for row in ["40000000,1,busError,1", "40000000, 1,busError,1"] {
      let rows = (0..<8).map { $0 == 4 ? row : "\($0)0000000,\($0),," }
      let importer = try Imports.csv(
        "t_ns,ax,gap,gap_ticks\n" + rows.joined(separator: "\n") + "\n")
      #expect(importer.end.ledger.busErrors == 1 && importer.end.ledger.sampled == 7, "\(row)")
    }
  }

  @Test("a gap that samples contradict is left out, which is said")
  func contradiction() throws {
    let rows = (0..<20).map { "\($0 * 10_000_000),\($0),,\n" }
    let gap = "60000000,,missed,2\n"
    let text = "t_ns,ax,gap,gap_ticks\n" + rows[..<6].joined() + gap + rows[6...].joined()
    let importer = try Imports.csv(text)
    #expect(importer.end.ledger.scheduled == 20)
    #expect(
      importer.remarks.contains { $0.contains("the cause of 1 gap of table.csv is left out") })
  }

  @Test("all gaps of samples at one time, which a rate places, are left out, which is said")
  func placed() throws {
    let importer = try Imports.csv(
      "t_ns,ax,gap,gap_ticks\n5,1,,\n5,,missed,2\n5,2,,\n5,3,,\n", Imports.given(rate: hertz(100)))
    #expect(importer.end.ledger.scheduled == 3)
    #expect(importer.remarks.contains { $0.hasPrefix("1 gap of table.csv is left out") })
  }

  @Test(
    "a row of a gap with more ticks than fit before the next sample is refused with its line",
    arguments: [
      (0, "line 2", "1000000", "3"), (20, "line 22", "1000000", "6"), (20, "line 22", "30", "6"),
    ])
  func misfit(_ place: Int, _ line: String, _ ticks: String, _ most: String) throws {
    // 100 Hz; three ticks before sample 0 and six before sample 20 have none.
    var rows = (0..<40).map { "\(($0 < 20 ? $0 : $0 + 6) * 10_000_000),\($0),2,3,,\n" }
    let time = place == 0 ? -30_000_000 : 200_000_000
    rows.insert("\(time),,,,missed,\(ticks)\n", at: place)
    let error = try #require(Imports.csvError("t_ns,ax,ay,az,gap,gap_ticks\n" + rows.joined()))
    #expect(
      "\(error)"
        == "table.csv, \(line): its gap has \(ticks) ticks, and at 100 Hz the times around it leave \(most): correct the "
        + "number, the times or --rate, or take the gap out")
    #expect(error.exitStatus == .damagedData)
    rows[place] = "\(time),,,,missed,\(place == 0 ? 3 : 6)\n"
    let right = try Imports.csv("t_ns,ax,ay,az,gap,gap_ticks\n" + rows.joined())
    #expect(right.end.ledger.missed == (place == 0 ? 3 : 6))
  }
}
