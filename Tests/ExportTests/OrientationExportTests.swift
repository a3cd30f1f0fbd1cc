// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Testing

@testable import Export

@Suite("Orientation and acceleration without gravity, in exports")
struct OrientationExportTests {
  /// 10 Hz; at rest with X up: so Y is level, and the shortest turn brings X to the earth's Z.
  private func resting(_ ticks: [UInt64], _ description: RecordingDescription? = nil) -> TestLog {
    var log = TestLog(description ?? TestLog.description(channels: [.accelerometer, .gyroscope]))
    for tick in ticks { log.sample(tick, Int64(tick) * 100_000_000, RawSample(ax: 16384)) }
    return log
  }

  /// 10 s flat, with a push of 0.1 g along X at 5 s.
  private func pushed() -> TestLog {
    var log = TestLog(TestLog.description(channels: [.accelerometer, .gyroscope]))
    log.samples(0..<100) { RawSample(ax: $0 == 50 ? 1638 : 0, az: 16384) }
    return log
  }

  private func options(
    _ format: ExportFormat, _ units: ExportUnits? = .raw, orientation: Bool = true,
    linear: Bool = true
  ) -> ExportOptions {
    var options = ExportOptions(format: format, units: units)
    (options.hasOrientation, options.hasLinear) = (orientation, linear)
    return options
  }

  @Test("CSV has them after the axes, at least one decimal and at most nine and six")
  func table() throws {
    #expect(
      try resting([0, 1]).export(options(.csv)) == """
        t_ns,ax,ay,az,gx,gy,gz,qw,qx,qy,qz,lx,ly,lz
        0,16384,0,0,0,0,0,0.707106781,0.0,-0.707106781,0.0,0.0,0.0,0.0
        100000000,16384,0,0,0,0,0,0.707106781,0.0,-0.707106781,0.0,0.0,0.0,0.0

        """)
  }

  @Test("each comes alone, with the axes of one sensor, and with units in the names")
  func choice() throws {
    var options = options(.csv, .gDps, linear: false)
    options.channels = .gyro
    #expect(
      try resting([0]).export(options) == """
        t_ns,gx,gy,gz,qw,qx,qy,qz
        0,0.0,0.0,0.0,0.707106781,0.0,-0.707106781,0.0

        """)
    for (units, suffix) in [(ExportUnits.gDps, "g"), (.si, "mps2"), (.raw, "mps2")] {
      let options = self.options(.csv, units).with { $0.hasUnitNames = true }
      let header = try #require(resting([0]).export(options).split(separator: "\n").first)
      #expect(header.hasSuffix(",qw,qx,qy,qz,lx_\(suffix),ly_\(suffix),lz_\(suffix)"))
    }
  }

  @Test("NDJSON and JSON have them as members; JSON and a preamble say the method and the units")
  func members() throws {
    #expect(
      try resting([0]).export(options(.ndjson)) == """
        {"t_ns":0,"ax":16384,"ay":0,"az":0,"gx":0,"gy":0,"gz":0,"qw":0.707106781,"qx":0.0,\
        "qy":-0.707106781,"qz":0.0,"lx":0.0,"ly":0.0,"lz":0.0}

        """)
    let document = try resting([0]).export(options(.json, .gDps))
    #expect(document.contains(#""gz":"deg/s","qw":"1","qx":"1","qy":"1","qz":"1","lx":"g","ly":"#))
    #expect(
      document.contains(
        #""orientation":{"method":"VQF 6D offline","source":"doi:10.1016/j.inffus.2022.10.014","#
          + #""tauAcc_s":3.0,"gravity_mps2":9.80665,"longestBridge_s":0.1,"clippedSamples":0,"repeatedTicks":0,"#
          + #""stretches":1}"#))
    #expect(document.contains(#""qy":-0.707106781,"qz":0.0,"lx":0.0,"#))
    #expect(try !resting([0]).export(ExportOptions()).contains("orientation"))
    let text = try resting([0]).export(options(.csv).with { $0.hasPreamble = true })
    #expect(text.contains("\n# imulog.orientation.method: VQF 6D offline\n"))
    #expect(text.contains("\n# imulog.orientation.tauAcc_s: 3.0\n"))
    #expect(text.contains("\n# imulog.units.lz: m/s^2\n"))
  }

  /// 10 Hz for 2 s flat with X to the north, 23 µT there and 43 down, beside iron of (7, −3, 1) µT; from 4 s on without values.
  private func northern() throws -> TestLog {
    var description = TestLog.description(channels: [.accelerometer, .gyroscope])
    description.sensor.field = FieldDescription(
      model: "AK09916", scale: Fraction(3, 20), rate: hertz(20), axes: axes("x,-y,-z"))
    description.calibration = SensorCalibration(
      id: RecordingID(high: 1, low: 2), name: "shoe", sensor: description.sensor.model, made: 0,
      field: SensorCalibration.Field(offset: Vector3(7, -3, 1), matrix: .identity))
    var log = TestLog(description)
    for tick in (0..<20 as Range<UInt64>) {
      log.sample(tick, Int64(tick) * 100_000_000, RawSample(az: 16384))
      log.field(Int64(tick) * 100 + 20, 10, 200, 20, 280)
    }
    log.gap(20, 20, .missed)
    for tick in 40..<42 as Range<UInt64> {
      log.sample(tick, Int64(tick) * 100_000_000, RawSample(az: 16384))
    }
    return log
  }

  @Test("Y is magnetic north where the field is calibrated, in every format, which says so")
  func north() throws {
    let log = try northern()
    for format in [ExportFormat.json, .ndjson, .csv] {
      let calibrated = options(format, linear: false).with { $0.isCalibrated = true }
      let (text, report) = try TestLog.export(log.bytes(), calibrated)
      let flat = format == .csv ? ",0,0,16384," : "\"az\":16384,"
      let rows = text.split(separator: "\n").filter { $0.contains(flat) }
      let names =
        format == .csv ? ["", "", "", ""] : ["qw", "qx", "qy", "qz"].map { "\"\($0)\":" }
      let turn = zip(names, ["0.707106781", "0.0", "0.0", "0.707106781"]).map { $0 + $1 }
      #expect(
        rows.count == 22 && rows[..<20].allSatisfy { $0.contains(turn.joined(separator: ",")) },
        "\(text)")
      let unknown = names.map { $0.isEmpty ? "" : $0 + "null" }.joined(separator: ",")
      #expect(rows[20...].allSatisfy { $0.contains("," + unknown) && !$0.contains("0.7071") })
      #expect(
        format == .json
          ? text.contains(#""method":"VQF 9D offline""#) && text.contains(#""tauMag_s":9.0,"#)
          : report.remarks.contains {
            $0.contains("VQF 9D offline") && $0.hasSuffix("Y is magnetic north")
          })
      for words in [
        "at 20 of 20 values of the magnetometer the field was not the earth's",
        "2 samples have no orientation", "the values of the magnetometer are calibrated (shoe)",
      ] {
        #expect(report.remarks.contains { $0.contains(words) }, "\(report.remarks)")
      }
      #expect(!report.remarks.contains { $0.contains("nothing to do with each other") })
      let (measured, said) = try TestLog.export(log.bytes(), options(format, linear: false))
      #expect(!measured.contains("0.7071") && !measured.contains("VQF 9D"))
      #expect(said.remarks.contains { $0.hasPrefix("the heading is not referred to north") })
    }
    func data(_ format: ExportFormat) throws -> [UInt8] {
      let calibrated = options(format, linear: false).with {
        ($0.isCalibrated, $0.units) = (true, .si)
      }
      return try TestLog.data(log.bytes(), calibrated).bytes
    }
    // A covariance that begins with -1 is the message's word for it, null that of a table.
    let cells = try #require(try ParquetReader(data(.parquet)).columns["qw"]?.cells)
    #expect(cells.map { $0 == nil } == Array(repeating: false, count: 20) + [true, true])
    let messages = try MCAPFile(data(.mcap)).messages.filter { $0.topic == "/imu" }
    for (row, wanted) in [(19, 0.0), (20, -1)] {
      var cursor = MCAPFile.Cursor(messages[row].data, 20)
      let numbers = try (0..<5).map { _ in try cursor.double() }
      #expect(numbers[4] == wanted && !numbers.contains { $0.isNaN }, "\(numbers)")
    }
    // Whatever columns are exported.
    let part = options(.csv, linear: false).with { ($0.isCalibrated, $0.channels) = (true, .gyro) }
    #expect(try log.export(part).contains("\n0,0,0,0,0.707106781,0.0,0.0,0.707106781\n"))
    let page = try log.export(
      ExportOptions(format: .html).with { ($0.isCalibrated, $0.hasOrientation) = (true, true) })
    #expect(page.contains("VQF 9D offline"))
  }

  @Test("labels come after them, and rows of gaps have none")
  func columns() throws {
    var log = resting([0, 3])
    log.gap(1, 2, .missed)
    var options = options(.csv, linear: false)
    (options.hasLabels, options.gaps) = (true, .rows)
    options.labels = [try RecordingLabel("still", from: 0, to: 150_000_000)]
    let lines = try log.export(options).split(separator: "\n")
    #expect(lines[0] == "t_ns,ax,ay,az,gx,gy,gz,qw,qx,qy,qz,label,gap,gap_ticks")
    #expect(lines[1] == "0,16384,0,0,0,0,0,0.707106781,0.0,-0.707106781,0.0,\"still\",,")
    #expect(lines[2] == "100000000,,,,,,,,,,,\"still\",missed,2")
    #expect(lines[3] == "300000000,16384,0,0,0,0,0,0.707106781,0.0,-0.707106781,0.0,,,")
  }

  @Test("after a long gap the orientation begins anew, and remarks name this and bridged ticks")
  func gaps() throws {
    var log = resting([0, 1, 3, 6, 7])
    log.gap(2, 1, .missed)
    log.gap(4, 2, .missed)
    let (text, report) = try TestLog.export(log.bytes(), options(.json))
    #expect(text.contains(#""repeatedTicks":1,"stretches":2}"#))
    #expect(
      report.remarks == [
        "the orientation begins anew after each gap of more than 0.1 s: 2 stretches, whose headings have nothing to do "
          + "with each other",
        "for the orientation the sample before 1 missing tick counts once more for each of them",
      ])
    #expect(try TestLog.export(resting([0, 1]).bytes(), options(.json)).report.remarks.isEmpty)
  }

  @Test("Parquet has columns of doubles, none in rows of gaps, and the method in its metadata")
  func parquet() throws {
    var log = resting([0, 3])
    log.gap(1, 2, .missed)
    let options = options(.parquet, nil).with { $0.gaps = .rows }
    let file = try ParquetReader(log.data(options))
    let half = 0.5.squareRoot()
    let w = file.doubles("qw")
    #expect(w.count == 3 && w[1] == nil)
    #expect(abs(try #require(w[0]) - half) < 1e-12)
    #expect(abs(try #require(file.doubles("qy")[2]) + half) < 1e-12)
    #expect(abs(try #require(file.doubles("lx")[2])) < 1e-12)
    #expect(file.metadata["imulog.orientation.method"] == "VQF 6D offline")
    #expect(file.metadata["imulog.orientation.stretches"] == "2")
    #expect(file.metadata["imulog.units.lx"] == "m/s^2")
  }

  @Test(
    "formats without a place for the method say it in the report, and others do not",
    arguments: [
      (ExportFormat.csv, false, true), (.csv, true, false), (.ndjson, false, true),
      (.json, false, false), (.html, false, false),
    ])
  func method(format: ExportFormat, hasPreamble: Bool, isSaid: Bool) throws {
    let options = options(format, nil, linear: false).with { $0.hasPreamble = hasPreamble }
    let remarks = try TestLog.export(resting([0, 1]).bytes(), options).report.remarks
    #expect(
      remarks
        == (isSaid
          ? [
            "the orientation is computed by VQF 6D offline (doi:10.1016/j.inffus.2022.10.014), time constant of the "
              + "accelerometer 3 s, gravity 9.80665 m/s²"
          ] : []))
  }

  @Test("a page has the four parts in 32767ths, the method, its constants and what is doubtful")
  func shown() throws {
    let text = try resting([0, 1, 9]).export(options(.html, nil, linear: false))
    #expect(
      text.contains(
        "<dt>Orientation</dt><dd>VQF 6D offline (doi:10.1016/j.inffus.2022.10.014), time constant of the accelerometer "
          + "3 s, gravity 9.80665 m/s²; the orientation begins anew after each gap of more than 0.1 s: 2 stretches, "
          + "whose headings have nothing to do with each other</dd>"))
    #expect(try !resting([0]).export(ExportOptions(format: .html)).contains("<dt>Orientation</dt>"))
    let page = try PageSamples(page: resting([0, 1]).export(options(.html, nil, linear: false)))
    #expect(page.facts.orientation?.method == "VQF 6D offline")
    #expect(page.turns == [[23170, 23170], [0, 0], [-23170, -23170], [0, 0]])
    #expect(page.counts[0] == [16384, 16384])
    #expect(try PageSamples(page: resting([0]).export(ExportOptions(format: .html))).turns == [])
  }

  @Test("remarks name a rate that changes, and uneven times, with what they cost")
  func changingRate() throws {
    let table = TestLog.description(
      channels: [.accelerometer, .gyroscope], rate: hertz(100),
      model: SensorDescription.importedModel)
    var log = TestLog(table)
    var time: Int64 = 0
    for tick in 0..<2000 as Range<UInt64> {
      log.sample(tick, time + (tick == 100 ? 5_600_000 : 0), RawSample(az: 16384))
      time += tick < 1000 ? 10_000_000 : 10_400_000
    }
    let remarks = try TestLog.export(log.bytes(), options(.json)).report.remarks
    #expect(
      remarks == [
        "the rate changes, by up to 2 % from the mean that the orientation takes: a turn of 360° may be off by 7.1°",
        "2 samples are more than half a period off their times: the orientation takes all as evenly spaced",
      ], "\(remarks)")
  }

  @Test("a recording that lacks an axis of a sensor is refused")
  func refusals() throws {
    for channels in [ChannelSet.accelerometer, .gyroscope, ChannelSet(rawValue: 0b111_1011)] {
      let log = resting([0], TestLog.description(channels: channels))
      expectRefusal("--linear needs x, y and z of accelerometer and gyroscope, and the recording") {
        _ = try log.export(options(.csv, orientation: false))
      }
    }
    expectRefusal(
      "--orientation needs x, y and z of accelerometer and gyroscope, and the recording has ax, ay, az: leave"
    ) {
      _ = try resting([0], TestLog.description(channels: .accelerometer)).export(options(.csv))
    }
  }

  @Test("a table and records with them are imported without them")
  func imported() throws {
    for format in [ExportFormat.csv, .ndjson, .json] {
      let request = Imports.given(units: format == .json ? nil : "g-dps")
      let plain = try pushed().export(ExportOptions(format: format, units: .gDps))
      let text = try pushed().export(options(format, .gDps))
      #expect(text.count > plain.count)
      #expect(
        try Imports.records(Imports.csv(text, request)).map(\.sample)
          == Imports.records(Imports.csv(plain, request)).map(\.sample), "\(format)")
    }
  }

  @Test("samples that were written after the orientation was computed have none")
  func growing() throws {
    let log = resting([0, 1, 2])
    var reader = try LogReader.open(TestLog.storage(log.bytes()))
    let exporter = Exporter(options(.csv, linear: false))
    let plan = try exporter.plan(&reader)
    var block = SampleBlock()
    for tick in 0..<3 as Range<UInt64> { block.append(tick: tick, time: 0, sample: RawSample()) }
    plan.derived?.next(0..<3, of: block)
    #expect(plan.derived?.values.count == 12)
    #expect(plan.derived?.values.allSatisfy(\.isFinite) == true)
    plan.derived?.next(1..<3, of: block)
    #expect(plan.derived?.values.count == 8)
    #expect(plan.derived?.values.allSatisfy(\.isNaN) == true)
  }

  @Test("values that a senseless scale makes infinite, or too long, are empty in the table")
  func senseless() throws {
    let columns = [DerivedColumns.Column(name: "lx", unit: "g", suffix: "g", decimals: 6)]
    let texts = DerivedTexts(columns, keys: [","], unknown: [",null"])
    let values = [-.infinity, .nan, -0.0000004, -0.0000006, 1234567.125, -0.5, 15.0, 100_000_000]
    let bytes = [UInt8](unsafeUninitializedCapacity: 1000) { buffer, count in
      DecimalText.groups.withUnsafeBufferPointer { groups in
        guard let start = buffer.baseAddress, let groups = groups.baseAddress else { return }
        for row in values.indices {
          count += texts.write(row, of: values, to: start + count, groups: groups)
        }
      }
    }
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == ",null,null,0.0,-0.000001,1234567.125,-0.5,15.0,null")
  }
}
