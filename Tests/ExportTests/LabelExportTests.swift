// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import LogFormat
import Testing

@Suite("Labels in exports")
struct LabelExportTests {
  /// Samples at 0, 0.1, … 0.9 s, but none at 0.4 s.
  private func log() throws -> TestLog {
    var log = TestLog()
    log.samples(0..<10, without: 4..<5) { RawSample(ax: Int16($0)) }
    log.gap(4, 1, .busError)
    log.endAsCounted()
    return log
  }

  private func options(_ format: ExportFormat, labels: [(String, Int64, Int64)]) throws
    -> ExportOptions
  {
    var options = ExportOptions(format: format, units: format == .mcap ? nil : .raw)
    options.labels = try labels.map {
      try RecordingLabel($0.0, from: $0.1 * 1_000_000, to: $0.2 * 1_000_000)
    }
    return options
  }

  private static let labels: [(String, Int64, Int64)] = [
    ("walking", 200, 601), ("left, foot", 300, 301), ("after", 950, 5000), ("before", -9, 0),
  ]
  /// Of the rows of ``log()``.
  private static let cells = [
    "", "", "walking", "left, foot;walking", "walking", "walking", "", "", "",
  ]

  @Test("a table's cell has the names at its instant: the first of a stretch inside, its end not")
  func table() throws {
    var options = try options(.csv, labels: LabelExportTests.labels)
    #expect(try !log().export(options).contains("label"))
    options.hasLabels = true
    let lines = try log().export(options).split(separator: "\n")
    #expect(lines[0].hasSuffix(",temp,label") || lines[0].hasSuffix(",gz,label"))
    let cells = lines.dropFirst().map { line -> String in
      // The names have the one comma that is between quotes.
      guard let quote = line.firstIndex(of: "\"") else {
        return line.hasSuffix(",") ? "" : "no cell"
      }
      return String(line[quote...].dropFirst().dropLast())
    }
    #expect(cells == LabelExportTests.cells)
  }

  @Test("a record has the names, or null")
  func records() throws {
    let options = try options(.ndjson, labels: LabelExportTests.labels).with { $0.hasLabels = true }
    let lines = try log().export(options).split(separator: "\n")
    #expect(
      lines.map { String($0.parts(around: ",\"label\":")?.after.dropLast() ?? "none") }
        == LabelExportTests.cells.map { $0.isEmpty ? "null" : "\"\($0)\"" })
  }

  @Test("the document lists the labels that have an instant in its range")
  func document() throws {
    var options = try options(.json, labels: LabelExportTests.labels)
    let all = try log().export(options)
    #expect(
      all.contains(
        #""labels":[{"from_ns":-9000000,"to_ns":0,"name":"before"},{"from_ns":200000000,"#))
    (options.from, options.to) = (601_000_000, 950_000_000)
    #expect(try log().export(options).contains("\"labels\":[]"))
    options.to = 950_000_001
    #expect(
      try log().export(options).contains(
        #""labels":[{"from_ns":950000000,"to_ns":5000000000,"name":"after"}]"#))
  }

  @Test("Parquet has a column of them, rows of gaps too, and the list in its facts")
  func parquet() throws {
    var options = try options(.parquet, labels: LabelExportTests.labels)
    options.hasLabels = true
    options.gaps = .rows
    let (bytes, _) = try export(options)
    let file = try ParquetReader(bytes)
    var cells: [String?] = LabelExportTests.cells.map { $0.isEmpty ? nil : $0 }
    cells.insert("walking", at: 4)
    #expect(file.texts("label") == cells)
    options.hasLabels = false
    let plain = String(decoding: try export(options).bytes, as: UTF8.self)
    #expect(plain.contains("imulog.labels") && plain.contains("left, foot"))
  }

  @Test("MCAP has a message at the beginning of each")
  func mcap() throws {
    let (bytes, _) = try export(
      try options(.mcap, labels: Array(LabelExportTests.labels.prefix(3))))
    let file = try MCAPFile(bytes)
    let messages = file.messages.filter { $0.topic == "/imu/labels" }
    #expect(messages.map(\.time) == [200_000_000, 300_000_000])
  }

  @Test("MCAP has marks, labels and gaps in the order of their times")
  func order() throws {
    var log = try log()
    // Between the samples at 0.3 and 0.5 s, with the gap at 0.4 s.
    for (time, text) in [(320, "a"), (340, "b"), (420, "c")] as [(Int64, String)] {
      log.mark(time * 1_000_000, text)
    }
    var options = try options(
      .mcap, labels: [("x", 310, 700), ("y", 340, 350), ("z", 410, 420), ("w", 430, 500)])
    options.from = 300_000_000
    let messages = try MCAPFile(log.data(options)).messages.filter {
      ["/imu/marks", "/imu/labels", "/imu/gaps"].contains($0.topic)
    }
    #expect(
      messages.map { "\($0.topic.dropFirst(5)) \($0.time / 1_000_000)" } == [
        "labels 310", "marks 320", "marks 340", "labels 340", "gaps 400", "labels 410",
        "marks 420", "labels 430",
      ])
  }

  @Test("a label outside of the recording has no message in MCAP but a remark")
  func late() throws {
    let far: Int64 = 9_000_000_000_000
    let (bytes, report) = try export(
      try options(
        .mcap,
        labels: [("late", 901, 2000), ("walk", -9, 5), ("far", far, far + 1), ("past", -20, -15)]))
    let file = try MCAPFile(bytes)
    #expect(file.messages.filter { $0.topic == "/imu/labels" }.map(\.time) == [0])
    #expect(
      report.remarks.contains(
        "labels outside of the recording: 3; the metadata alone has them"))
  }

  @Test("a thousand labels at one instant fit into a row")
  func many() throws {
    let names = (0..<RecordingLabel.mostOfRecording).map { index -> String in
      let digits = String(index)
      return digits + String(repeating: "x", count: RecordingLabel.longestName - digits.count)
    }
    for format in [ExportFormat.csv, .ndjson] {
      var options = try options(format, labels: names.map { ($0, 100, 300) })
      options.hasLabels = true
      let lines = try log().export(options).split(separator: "\n")
      let row = Set(lines[format == .csv ? 2 : 1].split { $0 == ";" || $0 == "\"" })
      #expect(names.allSatisfy { row.contains(Substring($0)) })
      #expect(lines[format == .csv ? 1 : 0].utf8.count < 200)
    }
  }

  @Test("two spellings are two names, equal bytes one", arguments: [ExportFormat.csv, .ndjson])
  func spellings(_ format: ExportFormat) throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    var options = try options(
      format, labels: [(composed, 100, 250), (decomposed, 100, 350), (decomposed, 150, 250)])
    options.hasLabels = true
    let lines = try log().export(options).split(separator: "\n")
    let row = Array(lines[format == .csv ? 3 : 2].utf8)
    let cell = Array("\"\(decomposed);\(composed)\"".utf8)
    #expect((0...(row.count - cell.count)).contains { row[$0...].starts(with: cell) })
  }

  @Test(
    "a sample at the last instant of a recording has a row",
    arguments: [ExportFormat.csv, .ndjson, .parquet])
  func lastInstant(_ format: ExportFormat) throws {
    var log = TestLog()
    log.description.sensor.model = SensorDescription.importedModel
    for tick in UInt64(0)..<3 {
      let time = RecordingTime.limit - 1 - Int64(2 - tick) * 100_000_000
      log.sample(tick, time, RawSample(ax: Int16(tick)))
    }
    log.end(TickTally(sampled: 3), .imported)
    var options = ExportOptions(format: format, units: .raw)
    options.hasLabels = true
    for labels in [[], [try RecordingLabel("end", from: .max - 100_000_000, to: .max)]] {
      options.labels = labels
      #expect(try TestLog.export(log.bytes(), options).report.samples == 3)
    }
  }

  private func export(_ options: ExportOptions) throws -> (bytes: [UInt8], report: Exporter.Report)
  {
    try TestLog.data(log().bytes(), options)
  }
}
