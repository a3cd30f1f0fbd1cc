// SPDX-License-Identifier: Apache-2.0

@testable import Export
import IMUModel
import LogFormat
import LogStoreTesting
import Testing

@Suite("Remarks on what an export leaves out or moves")
struct ExportRemarkTests {
  private static let started: Int64 = 1_763_800_000_123_456_789

  /// 10 Hz, from `first` on; imported, so that times place the samples.
  private func imported(_ times: [Int64], _ samples: [RawSample]? = nil) -> TestLog {
    var log = TestLog(TestLog.description(channels: ChannelSet(rawValue: 0x3F)))
    log.description.sensor.model = SensorDescription.importedModel
    for (tick, time) in times.enumerated() {
      log.sample(UInt64(tick), time, samples?[tick] ?? RawSample(ax: Int16(tick), gz: -7))
    }
    log.end(TickTally(sampled: UInt64(times.count)), .imported)
    return log
  }

  private func export(
    _ log: TestLog, _ format: ExportFormat, labels: [RecordingLabel] = []
  ) throws -> (text: String, report: Exporter.Report) {
    let options = ExportOptions(format: format).with { $0.labels = labels }
    return try TestLog.export(log.bytes(), options)
  }

  @Test("what the store has beside a log stands among the remarks, and its damage is known")
  func store() {
    var report = Exporter.Report()
    report.add(nil)
    report.add(StoreRemark(sentence: "a", isDamage: false))
    #expect(report.remarks == ["a"] && !report.areLabelsDamaged)
    report.add(StoreRemark(sentence: "b", isDamage: true))
    #expect(report.remarks == ["a", "b"] && report.areLabelsDamaged)
  }

  // The first channel jumps, so that its records are short; the second one stands still, so that one record holds all.
  // Times bend by 8 ms in the middle: a record of the first channel sees a fraction of that.
  @Test("miniSEED's bound is that of the channel with the longest records, and of joined records")
  func bound() throws {
    let count = 600
    let times = (0..<count).map { tick -> Int64 in
      let away = min(tick, count - 1 - tick)
      return Int64(tick) * 100_000_000 + Int64(away) * 8_000_100 / 300
    }
    let samples = (0..<count).map {
      RawSample(ax: $0 % 2 == 0 ? 30000 : -30000, ay: 5, az: 5, gx: 5, gy: 5, gz: 5)
    }
    let bounds = bounds(try export(imported(times, samples), .mseed).report)
    let away = Double(times[count / 2] - Int64(count / 2) * 100_000_000) / 1e6
    #expect(try #require(bounds.max()) >= away && bounds.allSatisfy { $0 < away + 0.02 })
  }

  @Test("miniSEED has the mean rate of times that drift away from the nominal one")
  func meanRate() throws {
    let times = (0..<2000).map { Int64($0) * 100_100_000 }
    // The rate is in single precision, which is 6 µs off after 200 s at most; the nominal one is 200 ms off.
    let bounds = bounds(try export(imported(times), .mseed).report)
    #expect(bounds.allSatisfy { $0 < 0.02 })
  }

  /// Milliseconds that the remark on times names.
  private func bounds(_ report: Exporter.Report) -> [Double] {
    let remark = report.remarks.first { $0.contains("differ by at most") } ?? ""
    let words = remark.split(separator: " ")
    return words.indices.dropLast().filter { words[$0 + 1].hasPrefix("ms") }
      .compactMap { Double(words[$0]) }
  }

  @Test("a bound is rounded up", arguments: [(1000, "0.001"), (1001, "0.002"), (11_900, "0.012")])
  func roundedUp(nanoseconds: UInt64, text: String) throws {
    let remark = Exporter(ExportOptions(format: .edgeImpulse)).displacement(nanoseconds).first
    #expect(try #require(remark).contains("up to \(text) ms"))
  }

  @Test("files without a sample are refused, or say that", arguments: ExportFormat.allCases)
  func noSamples(_ format: ExportFormat) throws {
    var log = TestLog(TestLog.description(rate: hertz(100)))
    log.clock(0, wall: Self.started, synchronised: true)
    log.gap(0, 5, .busError)
    log.endAsCounted()
    switch format {
    case .mseed, .cwa, .edgeImpulse:
      #expect(throws: ExportError.noSamples(format)) { try export(log, format) }
    case _ where format.entry.hasRowsOnly:
      let remarks = try export(log, format).report.remarks
      #expect(remarks.contains("there is no sample to export: the output has none"))
    case .json: #expect(try export(log, format).text.hasSuffix("\n\"samples\":[]}\n"))
    default: break
    }
  }

  @Test(
    "Kalibr's times have ten digits: whole seconds are added only where they have fewer",
    arguments: [
      // A table of dates.
      (1_700_000_000_000_000_000, "1700000000000000000", nil),
      (5_000_000, "1005000000", "1970-01-01T00:00:01.005Z, with 1 s added"),
      (-500_000_000, "1500000000", "1970-01-01T00:00:01.500Z, with 2 s added"),
      (-2_000_000_000, "1000000000", "1970-01-01T00:00:01Z, with 3 s added"),
      (3_000_000_000, "3000000000", "1970-01-01T00:00:03Z"),
    ] as [(Int64, String, String?)])
  func kalibr(first: Int64, text: String, words: String?) throws {
    let (table, report) = try export(imported([first, first + 100_000_000]), .kalibr)
    #expect(table.split(separator: "\n")[1].hasPrefix(text + ","))
    let remark = report.remarks.first { $0.contains("no date") }
    #expect((remark == nil) == (words == nil))
    if let words { #expect(try #require(remark).contains(words)) }
  }

  @Test("a missing date's remark has the true beginning", arguments: [ExportFormat.mcap, .mseed])
  func dates(_ format: ExportFormat) throws {
    let late = try export(imported([7_250_000_000, 7_350_000_000]), format).report
    #expect(late.remarks.contains { $0.contains("first sample at 1970-01-01T00:00:07.250Z") })
    let first: Int64 = 1_700_000_000_000_000_000
    let dated = try export(imported([first, first + 100_000_000]), format).report
    #expect(!dated.remarks.contains { $0.contains("no date") })
  }

  @Test(
    "labels and marks that have no place are counted",
    arguments: [ExportFormat.gcsv, .kalibr, .mseed, .gyrodata])
  func leftOut(_ format: ExportFormat) throws {
    var log = imported([0, 100_000_000, 200_000_000])
    log.mark(50_000_000, "step")
    let labels = [
      try RecordingLabel("a", from: 0, to: 100_000_000),
      try RecordingLabel("b", from: 0, to: 200_000_000),
    ]
    let name = format.rawValue
    #expect(
      try export(log, format, labels: labels).report.remarks.contains(
        "2 labels and 1 mark are left out: \(name) has no place for them"))
    #expect(
      try export(log, format).report.remarks.contains(
        "1 mark is left out: \(name) has no place for it"))
  }

  @Test(
    "rows count the marks that they leave out, and labels unless they have a column",
    arguments: [ExportFormat.csv, .ndjson], [nil, ExportGaps.rows])
  func leftOutOfRows(_ format: ExportFormat, _ gaps: ExportGaps?) throws {
    var log = imported([0, 100_000_000, 200_000_000])
    for time in [50_000_000, 150_000_000] as [Int64] { log.mark(time, "step") }
    let labels = [try RecordingLabel("a", from: 0, to: 100_000_000)]
    var options = ExportOptions(format: format)
    options.gaps = gaps
    options.labels = labels
    let marks = "2 marks are left out: \(format.rawValue) has no place for them"
    #expect(
      try TestLog.export(log.bytes(), options).report.remarks == [
        marks, "1 label is left out: `imulog export --labels` has a column of them",
      ])
    options.hasLabels = true
    #expect(try TestLog.export(log.bytes(), options).report.remarks == [marks])
    #expect(try export(imported([0, 100_000_000]), format).report.remarks.isEmpty)
  }

  @Test("a preamble shows what cannot be seen, and begins no cell with a formula")
  func preamble() throws {
    var log = imported([0, 100_000_000])
    log.description.note = "a\u{202E}b,=1+1;@x, -y"
    let options = ExportOptions(format: .csv).with { $0.hasPreamble = true }
    let text = try TestLog.export(log.bytes(), options).text
    #expect(!text.unicodeScalars.contains("\u{202E}"))
    #expect(text.contains(#"b\u002c=1+1\u003b@x, -y"#))
  }

  @Test("a preamble says of which part the rows are")
  func preambleOfPart() throws {
    var options = ExportOptions(format: .csv)
    options.hasPreamble = true
    let log = imported([0, 100_000_000, 200_000_000])
    #expect(try !TestLog.export(log.bytes(), options).text.contains("# imulog.range"))
    (options.from, options.to) = (100_000_000, 150_000_000)
    let text = try TestLog.export(log.bytes(), options).text
    #expect(text.contains("\n# imulog.range.from_ns: 100000000\n# imulog.range.to_ns: 150000000\n"))
  }

  @Test("a person's label is no formula, and one that is there already is read", arguments: "=+-@")
  func formulas(_ first: Character) throws {
    #expect(throws: LabelProblem.self) {
      _ = try RecordingLabel.given("\(first)1+1", from: 0, to: 1)
    }
    #expect(try RecordingLabel("\(first)1+1", from: 0, to: 1).name == "\(first)1+1")
    #expect(try RecordingLabel.given("1\(first)1", from: 0, to: 1).name == "1\(first)1")
  }

  @Test(
    "gyrodata says that it leaves out the gyroscope, where no sensor was asked for",
    arguments: [
      (ChannelSet.all, nil, true), (.all, .accel, false), (.all, .gyro, false),
      (.accelerometer, nil, false), (.gyroscope, nil, false),
    ] as [(ChannelSet, ExportChannels?, Bool)])
  func secondSensor(_ recorded: ChannelSet, _ asked: ExportChannels?, _ isSaid: Bool) throws {
    let log = try TestLog.ramp(TestLog.description(channels: recorded), [1, -2, 3])
    let options = ExportOptions(format: .gyrodata, channels: asked)
    let remarks = try TestLog.export(log.bytes(), options).report.remarks
    #expect(remarks.contains { $0.hasPrefix("the gyroscope is left out") } == isSaid, "\(remarks)")
    #expect(remarks.count == (isSaid ? 1 : 0))
  }
}
