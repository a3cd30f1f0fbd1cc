// SPDX-License-Identifier: Apache-2.0

import Export
import FoundationEssentials
import IMUModel
import TestSupport
import Testing

@Suite("A magnetometer's values in exports")
struct FieldExportTests {
  /// What a document has of the magnetometer.
  private struct Document: Decodable {
    struct Value: Decodable, Equatable {
      var t_lo_ns: Int64
      var t_hi_ns: Int64
      var mx_ut: Double?
      var my_ut: Double?
      var mz_ut: Double?
      var skipped: Bool?
      var saturated: Bool?
    }
    struct Field: Decodable {
      var model: String
      var rate_hz: Double
      var scale_ut: [Int]
      var axes: String
      var values: [Value]
    }
    var field: Field
  }

  private static func value(_ index: Int) -> FieldReading {
    FieldReading(
      time: Int64(index) * 40_000_000 + 7_000_000, width: 5_000_000, x: Int16(index), y: -20, z: 40,
      flags: index == 3 ? .skipped : index == 4 ? .saturated : [])
  }

  /// 100 Hz for a minute, with 1500 values that are written when 127 wait.
  static func log() throws -> TestLog {
    var description = TestLog.description(channels: .accelerometer, rate: hertz(100))
    description.axes = AxisMap("y,-x,z")
    description.sensor.field = FieldDescription(
      model: "AK09916", scale: Fraction(3, 20), rate: hertz(25),
      axes: try #require(AxisMap("x,-y,-z")))
    var log = TestLog(description)
    for tick in 0..<6000 as Range<UInt64> {
      log.samples(tick...tick) { RawSample(ax: Int16($0 % 100), az: 16384) }
      if tick % 4 == 0 { log.field(value(Int(tick / 4)), before: tick + 1) }
    }
    log.endAsCounted()
    return log
  }

  private func values(_ bytes: [UInt8], from: Int64? = nil, to: Int64? = nil) throws
    -> Document.Field
  {
    let text = try TestLog.export(bytes, ExportOptions(from: from, to: to)).text
    return try JSONDecoder().decode(Document.self, from: Data(text.utf8)).field
  }

  @Test("are in JSON, in the mounting's axes, with the instants between which they were completed")
  func document() throws {
    let field = try values(FieldExportTests.log().bytes())
    #expect((field.model, field.rate_hz, field.axes) == ("AK09916", 25, "x,-y,-z"))
    #expect(field.scale_ut == [3, 20] && field.values.count == 1500)
    // Along the accelerometer's axes (0.15 x, 3, −6); mounted, (y, −x, z).
    #expect(
      field.values[3]
        == Document.Value(
          t_lo_ns: 122_000_000, t_hi_ns: 127_000_000, mx_ut: 3, my_ut: -0.45, mz_ut: -6,
          skipped: true))
    #expect(
      field.values[4] == Document.Value(t_lo_ns: 162_000_000, t_hi_ns: 167_000_000, saturated: true)
    )
    #expect(field.values.map { $0.my_ut ?? -0.6 } == (0..<1500).map { -Double($0 * 15) / 100 })
  }

  @Test("of a range are those whose time is in it, wherever they are in the log")
  func range() throws {
    let bytes = try FieldExportTests.log().bytes()
    for end in stride(from: 2_000_000_000, to: 60_000_000_000, by: 3_700_000_000) as StrideTo<Int64>
    {
      let field = try values(bytes, from: end - 1_000_000_000, to: end)
      let times = (0..<1500).map { FieldExportTests.value($0).time }
      #expect(
        field.values.map(\.t_hi_ns) == times.filter { (end - 1_000_000_000..<end).contains($0) })
    }
  }

  @Test("are in a page with the document's values, six members each")
  func page() throws {
    let log = try FieldExportTests.log().bytes()
    for (from, to) in [(nil, nil), (1_000_000_000, 3_000_000_000)] as [(Int64?, Int64?)] {
      let (text, report) = try TestLog.export(log, ExportOptions(format: .html, from: from, to: to))
      #expect(!report.remarks.contains { $0.contains("magnetometer") })
      let json = try PageSamples.element("application/json\" id=\"field", in: text)
      let numbers = try JSONDecoder().decode([Double?].self, from: Data(json.utf8))
      let values = try values(log, from: from, to: to).values
      try #require(numbers.count == 6 * values.count)
      var end = 0.0
      for (index, value) in values.enumerated() {
        let row = numbers[6 * index..<6 * index + 6].map { $0 }
        end += row[0] ?? .nan
        #expect((end, row[1]) == (Double(value.t_hi_ns / 1000), 5000))
        #expect(Array(row[2...4]) == [value.mx_ut, value.my_ut, value.mz_ut])
        #expect(row[5] == (value.saturated == true ? 1 : value.skipped == true ? 2 : 0))
      }
    }
    let accelerations = try TestLog.export(log, ExportOptions(format: .html, channels: .accel))
    #expect(!accelerations.text.contains("id=\"field\""))
    #expect(accelerations.report.remarks.contains { $0.contains("are left out") })
  }

  @Test(
    "are without the iron in every format that has them, in the mounting's axes, and it says so")
  func calibrated() throws {
    var log = TestLog.withField()
    log.description.axes = axes("y,-x,z")
    var matrix = SensorMatrix(diagonal: Vector3(1.2, 0.9, 1))
    matrix.rows[0].z = -0.2
    matrix.rows[2].y = 0.1
    log.description.calibration = SensorCalibration(
      id: RecordingID(high: 1, low: 2), name: "left shoe", sensor: log.description.sensor.model,
      made: 0, field: SensorCalibration.Field(offset: Vector3(5, -1, 2), matrix: matrix))
    let bytes = try log.bytes()
    func export(_ format: ExportFormat, _ isCalibrated: Bool = true) throws -> (
      bytes: [UInt8], report: Exporter.Report
    ) {
      var options = ExportOptions(format: format, units: format == .mcap ? .si : .raw)
      options.isCalibrated = isCalibrated
      return try TestLog.data(bytes, options)
    }
    // Along the accelerometer's axes (15, −1.05, 0.15) less (5, −1, 2), by the matrix (12.37, −0.045, −1.855).
    let wanted = [-0.045, -12.37, -1.855]
    let texts = try [ExportFormat.csv, .ndjson, .json].map {
      String(decoding: try export($0).bytes, as: UTF8.self)
    }
    #expect(texts[0].contains(",-0.045,-12.37,-1.855,55000000,60000000\n"), "\(texts[0])")
    #expect(texts[1].contains(#""mx":-0.045,"my":-12.37,"mz":-1.855,"m_lo_ns":55000000"#))
    #expect(
      texts[2].contains(
        #""t_hi_ns":60000000,"mx_ut":-0.045,"my_ut":-12.37,"mz_ut":-1.855}"#), "\(texts[2])")
    let columns = try ParquetReader(export(.parquet).bytes).columns
    let cells = ["mx", "my", "mz"].map { columns[$0]?.cells[1] }
    #expect(cells == wanted.map { .double($0) })
    let message = try MCAPFile(export(.mcap).bytes).messages.filter { $0.topic == "/imu/mag" }[2]
    var cursor = MCAPFile.Cursor(message.data, 20)
    for microtesla in wanted { #expect(try cursor.double() == microtesla / 1_000_000) }
    let remark = "the values of the magnetometer are calibrated (left shoe)"
    for format in [ExportFormat.csv, .ndjson, .json, .parquet, .mcap] {
      let remarks = try export(format).report.remarks
      #expect(remarks.contains(remark) && !remarks.contains { $0.contains("of no sensor") })
      #expect(try !export(format, false).report.remarks.contains(remark))
    }
    #expect(
      try export(.cwa).report.remarks.contains(
        "the calibration (left shoe) is of no sensor whose values are here"))
  }

  @Test("are left out of a drawing, and of an import, with a word")
  func leftOut() throws {
    let bytes = try FieldExportTests.log().bytes()
    let drawing = try TestLog.export(bytes, ExportOptions(format: .svg))
    #expect(
      drawing.report.remarks.contains(
        "the values of the magnetometer AK09916 are left out: --format json has them"))
    let (text, report) = try TestLog.export(bytes, ExportOptions(units: .raw))
    #expect(!report.remarks.contains { $0.contains("magnetometer") })
    let remarks = try Imports.csv(text, Imports.given()).remarks
    #expect(
      remarks.contains { $0.contains("the values of its magnetometer are left out") }, "\(remarks)")
  }
}
