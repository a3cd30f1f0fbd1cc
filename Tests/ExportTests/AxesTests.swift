// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import Testing

@Suite("The axes of a mounting in exports")
struct AxesTests {
  private func log(_ axes: String?) throws -> TestLog {
    var description = TestLog.description()
    description.axes = try axes.map { try #require(AxisMap($0)) }
    var log = TestLog(description)
    log.sample(0, 0, RawSample(ax: 1, ay: 20, az: 300, gx: -4, gy: 50, gz: -600, temperature: 7))
    log.sample(
      1, 100_000_000,
      RawSample(ax: .min, ay: .max, az: .min, gx: .max, gy: 0, gz: .min, temperature: .min))
    log.end(TickTally(sampled: 2))
    return log
  }

  @Test("values are turned, both sensors alike, and the temperature stays")
  func turned() throws {
    let options = ExportOptions(format: .csv, units: .raw)
    #expect(
      try log("-z,y,x").export(options) == """
        t_ns,ax,ay,az,gx,gy,gz,temp
        0,-300,20,1,600,50,-4,7
        100000000,32767,32767,-32768,32767,0,32767,-32768

        """)
    #expect(
      try log(nil).export(options) == """
        t_ns,ax,ay,az,gx,gy,gz,temp
        0,1,20,300,-4,50,-600,7
        100000000,-32768,32767,-32768,32767,0,-32768,-32768

        """)
  }

  @Test("a value at an end of the range is at the other one when it is reversed, and no other is")
  func reversedEnds() throws {
    var description = TestLog.description()
    description.axes = AxisMap("-x,-y,z")
    var log = TestLog(description)
    for (tick, count) in [Int16.max, .min, .min + 1, .min + 2, .max - 1].enumerated() {
      log.sample(
        UInt64(tick), Int64(tick) * 100_000_000,
        RawSample(ax: count, ay: 5, az: count, gx: 1, gy: count, gz: 2))
    }
    log.end(TickTally(sampled: 5))
    let text = try log.export(ExportOptions(format: .csv, units: .raw))
    let values = text.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[1] }
    #expect(values == ["-32768", "32767", "32766", "32766", "-32766"])
    let oriented = ExportOptions(format: .json).with { $0.hasOrientation = true }
    #expect(try log.export(oriented).contains(#""clippedSamples":2"#))
  }

  @Test("every format has the turned values, and JSON names the axes")
  func formats() throws {
    let log = try log("y,z,x")
    let document = try log.export(ExportOptions(units: .raw))
    #expect(document.contains(#""axes":"y,z,x""#))
    #expect(
      document.contains(#"{"t_ns":0,"ax":20,"ay":300,"az":1,"gx":50,"gy":-600,"gz":-4,"temp":7}"#))
    let lines = try log.export(ExportOptions(format: .ndjson, units: .raw))
    #expect(lines.contains(#""ax":20,"ay":300,"az":1,"#))
  }
}

@Suite("Calibrated values in exports")
struct CalibratedExportTests {
  private func log(_ change: (inout RecordingDescription) -> Void = { _ in }) throws -> TestLog {
    var matrix = SensorMatrix(diagonal: Vector3(1.25, 0.8, 1))
    matrix.rows[0].y = 0.25
    var description = TestLog.description()
    description.calibration = SensorCalibration(
      id: RecordingID(high: 1, low: 2), name: "shoe", sensor: "MPU-6050", made: 0,
      accelerometer: SensorCalibration.Accelerometer(
        // 4096 counts, a quarter of a g.
        offset: Vector3(0, 0.25, 0), matrix: matrix, points: 9, residual: (0.1, 0)),
      gyroscope: SensorCalibration.Gyroscope(
        offset: Vector3(1, 0, -1), scale: Vector3(1, 1.25, 1),
        drift: TemperatureDrift(reference: 30, span: 20...40, coefficients: [[1], [0], [0]])))
    change(&description)
    var log = TestLog(description)
    // 36.53 °C less 2220/340 is 30.0006 °C.
    log.sample(
      0, 0, RawSample(ax: 1000, ay: 8096, az: -16384, gx: 131, gy: 10, gz: -262, temperature: -2220)
    )
    // 10 °C warmer.
    log.sample(
      1, 100_000_000,
      RawSample(ax: .min, ay: .max, az: 0, gx: 1441, gy: 0, gz: 0, temperature: 1180))
    log.end(TickTally(sampled: 2))
    return log
  }

  private func options(_ units: ExportUnits) -> ExportOptions {
    ExportOptions(format: .csv, units: units).with { $0.isCalibrated = true }
  }

  @Test("offset, matrix, scale and drift are taken out, and counts have a scale a quarter wider")
  func counts() throws {
    // ax: (1.25 · 1000 + 0.25 · 4000) / 1.25; ay: 0.8 · 4000 / 1.25; gx: (131 − 131 − 0.0006 · 131) / 1.25. Counts at the
    // ends of the range are calibrated like others: (1.25 · −32768 + 0.25 · 28671) / 1.25.
    #expect(
      try log().export(options(.raw)) == """
        t_ns,ax,ay,az,gx,gy,gz,temp
        0,1800,2560,-13107,0,10,-105,-2220
        100000000,-27034,18349,0,0,0,105,1180

        """)
  }

  @Test("they are the same in units, within half a step, and the report says what was done")
  func units() throws {
    let log = try log()
    let (text, report) = try TestLog.export(log.bytes(), options(.gDps))
    let row = text.split(separator: "\n")[1].split(separator: ",").compactMap { Double($0) }
    let halfStep = 0.5 * 1.25 / 131 + 1e-6
    let wanted: [Double] = [0, 2250.0 / 16384, 3200.0 / 16384, -1, 0, 12.5 / 131, -1]
    for (value, wanted) in zip(row.dropFirst(), wanted.dropFirst()) {
      #expect(abs(value - wanted) <= halfStep, "\(row)")
    }
    #expect(
      report.remarks.contains { $0.contains("accelerometer and gyroscope are calibrated (shoe)") })
  }

  @Test("a clipped value keeps its size, and the report says that the true one is larger")
  func clipped() throws {
    let log = try log {
      $0.calibration?.accelerometer?.offset = Vector3()
      $0.calibration?.accelerometer?.matrix = SensorMatrix(diagonal: Vector3(1, 1, 1))
    }
    let (text, report) = try TestLog.export(log.bytes(), options(.gDps))
    let row = text.split(separator: "\n")[2].split(separator: ",").compactMap { Double($0) }
    #expect(abs(row[1] + 2) < 0.0001 && abs(row[2] - 2) < 0.0001, "\(row)")
    #expect(report.remarks.contains { $0.contains("the true ones are further from zero") })
    // Drawing and page judge what the chip had, as they do without the calibration.
    for isCalibrated in [true, false] {
      for format in [ExportFormat.svg, .html] {
        let drawn = options(.gDps).with { ($0.format, $0.isCalibrated) = (format, isCalibrated) }
        #expect(
          try log.export(drawn).contains("accelerations are clipped in 1 sample"), "\(format)")
      }
    }
    let early = options(.gDps).with { $0.to = 50_000_000 }
    let part = try TestLog.export(log.bytes(), early)
    #expect(part.text.split(separator: "\n").count == 2)
    #expect(!part.report.remarks.contains { $0.contains("range") }, "\(part.report.remarks)")
  }

  @Test("samples at an end of the range are counted for the orientation whatever is calibrated")
  func clippedForOrientation() throws {
    for part in [0, 1, 2] {
      let log = try log {
        if part == 0 { $0.calibration?.accelerometer = nil }
        if part == 1 { $0.calibration?.gyroscope = nil }
      }
      var options = options(.si)
      options.format = .json
      options.hasOrientation = true
      let text = try log.export(options)
      #expect(text.contains(#""clippedSamples":1"#), "\(part)")
      options.channels = .gyro
      #expect(try log.export(options).contains(#""clippedSamples":1"#), "\(part)")
    }
  }

  @Test("a remark names another full scale for its sensor, and for both")
  func otherScale() throws {
    func remark(_ accelerometer: Int, _ gyroscope: Int) throws -> String {
      let log = try log {
        $0.calibration?.conditions = SensorCalibration.Conditions(
          rate: 100, accelerometerRange: accelerometer, gyroscopeRange: gyroscope)
      }
      let remarks = try TestLog.export(log.bytes(), options(.raw)).report.remarks
      return try #require(remarks.first { $0.contains("are calibrated (shoe)") })
    }
    let sensor = TestLog.description().sensor
    let (own, rate) = (sensor.accelerometerRange, sensor.gyroscopeRange)
    let first =
      "the accelerometer's calibration was made at ±\(own * 4) g, and its offset may be another at ±\(own) g"
    let second =
      "the gyroscope's calibration was made at ±\(rate * 2) °/s, and its offset may be another at ±\(rate) °/s"
    #expect(try !remark(own, rate).contains("made at"))
    let (one, other) = (try remark(own * 4, rate), try remark(own, rate * 2))
    #expect(one.contains(first) && !one.contains("gyroscope's"))
    #expect(other.contains(second) && !other.contains("accelerometer's"))
    let both = try remark(own * 4, rate * 2)
    #expect(both.contains(first) && both.contains(second))
  }

  @Test("a remark names temperatures beyond those of a calibration's drift")
  func temperatures() throws {
    let words = "and the gyroscope's change with it is known at 20 to 25 °C"
    func remarks(_ options: ExportOptions) throws -> [String] {
      let log = try log {
        $0.calibration?.gyroscope?.drift = TemperatureDrift(
          reference: 22, span: 20...25, coefficients: [[1], [0], [0]])
      }
      return try TestLog.export(log.bytes(), options).report.remarks
    }
    let said = try remarks(options(.raw))
    #expect(said.contains { $0.contains("the temperature was 30 to 40 °C, \(words)") }, "\(said)")
    let early = options(.raw).with { $0.to = 50_000_000 }
    let part = try remarks(early)
    #expect(part.contains { $0.contains("the temperature was 30 °C, \(words)") }, "\(part)")
    let other = options(.raw).with { $0.channels = .accel }
    #expect(try !remarks(other).contains { $0.contains("temperature was") })
    // It was seen from 20 to 40 °C.
    let within = try TestLog.export(log().bytes(), options(.raw)).report.remarks
    #expect(!within.contains { $0.contains("temperature was") })
    let cold = try TestLog.export(
      log { $0.channels = [.accelerometer, .gyroscope] }.bytes(), options(.raw)
    ).report.remarks
    #expect(cold.contains { $0.contains("which was not recorded: as at 30 °C") }, "\(cold)")
  }

  @Test("the file says by what its values are calibrated: JSON, preamble, page and drawing")
  func said() throws {
    let log = try log { $0.axes = AxisMap("-z,y,x") }
    for (format, words) in [
      (ExportFormat.json, "\"calibrated\":{\"id\":\"00000000-0000-0001-0000-000000000002\""),
      (.csv, "# imulog.calibrated: "), (.html, "<dt>Calibrated</dt><dd>by shoe</dd>"),
      (.svg, "by shoe"), (.html, "of the mounting: -z,y,x of the chip"),
    ] {
      var options = options(.si)
      options.format = format
      options.hasPreamble = format == .csv
      let text = try log.export(options)
      #expect(text.contains(words), "\(format): \(text.prefix(3000))")
      options.isCalibrated = false
      #expect(!(try log.export(options).contains(words)) || words.contains("mounting"))
    }
    var other = options(.si)
    other.format = .json
    other.calibration = log.description.calibration
    other.calibration?.name = "boot"
    let text = try log.export(other)
    #expect(text.contains("\"name\":\"shoe\"") && text.contains("\"name\":\"boot\""))
  }

  @Test("the mounting's axes come after the calibration, which is of the chip's")
  func axes() throws {
    let text = try log { $0.axes = AxisMap("-z,y,x") }.export(options(.raw))
    #expect(text.contains("\n0,13107,2560,1800,105,10,0,-2220\n"), "\(text)")
  }

  @Test("without a calibration, or with one of another chip, nothing is exported")
  func refused() throws {
    expectRefusal("the recording has no calibration in its header: give a file of") {
      _ = try log { $0.calibration = nil }.export(options(.raw))
    }
    expectRefusal("the calibration shoe is of MPU-6050, and the recording of LSM6DSO: give its own")
    {
      _ = try log { $0.sensor.model = "LSM6DSO" }.export(options(.raw))
    }
  }

  @Test("an accelerometer that lacks an axis is not calibrated, with a remark; the gyroscope is")
  func missingAxes() throws {
    func values(_ channels: ChannelSet) throws -> (row: [Substring], remarks: [String]) {
      let log = try log { $0.channels = channels }
      let (text, report) = try TestLog.export(log.bytes(), options(.raw))
      let row = try #require(text.split(separator: "\n").dropFirst().first)
      return (row.split(separator: ","), report.remarks)
    }
    func sentence(_ sensor: String) -> String {
      "the values of the \(sensor) are not calibrated, which needs x, y and z of it"
    }
    // t_ns, then the axes: 1000, 8096, -16384 and 131, 10, -262 are the chip's counts.
    let noAy = try values(ChannelSet(rawValue: 0b111_1101))
    #expect(
      noAy.row[1...2] == ["1000", "-16384"] && noAy.row[3...5] == ["0", "10", "-105"], "\(noAy)")
    #expect(noAy.remarks.contains(sentence("accelerometer")))
    #expect(!noAy.remarks.contains(sentence("gyroscope")))
    // Rates have an offset and a scale alone.
    let noGz = try values(ChannelSet(rawValue: 0b101_1111))
    #expect(noGz.row[4...5] == ["0", "10"] && noGz.row[1] != "1000", "\(noGz)")
    #expect(!noGz.remarks.contains(sentence("gyroscope")))
    let one = try values(.accelerometer.union(.temperature))
    #expect(!one.remarks.contains(sentence("gyroscope")), "\(one.remarks)")
    // Where no part applies, nothing is called calibrated.
    for channels in [ChannelSet(rawValue: 0b100_0001), .temperature] {
      let log = try log { $0.channels = channels }
      var json = options(.raw)
      json.format = .json
      let (text, report) = try TestLog.export(log.bytes(), json)
      #expect(text.contains("\"calibrated\":null"), "\(channels)")
      #expect(!report.remarks.contains { $0.contains("are calibrated (") }, "\(report.remarks)")
      #expect(report.remarks.contains { $0.contains("calibrat") }, "\(report.remarks)")
    }
  }

  @Test("a remark names axes and a calibration of the header that cannot be read, and counts stay")
  func unread() throws {
    let log = try log {
      $0.calibration = nil
      $0.unread = [
        UnreadEntry(key: "axes", value: "x,x,x", reason: "\"x,x,x\" is not valid"),
        UnreadEntry(key: "calibration", value: "imulog-calibration 2", reason: "line 1"),
      ]
    }
    expectRefusal(
      "header cannot be read: its first line is not `imulog-calibration 1`: give", .damagedData
    ) { _ = try log.export(options(.raw)) }
    let (text, report) = try TestLog.export(log.bytes(), ExportOptions(format: .csv, units: .raw))
    #expect(text.contains("\n0,1000,8096,-16384,131,10,-262,-2220\n"))
    #expect(
      report.remarks.contains(
        "the axes are the chip's: the header's axes of the mounting cannot be read, \"x,x,x\" is not valid"
      ), "\(report.remarks)")
  }

  @Test("an impossible calibration is refused by its value, in every format, as bad data")
  func implausible() throws {
    let log = try log { $0.calibration?.gyroscope?.offset.y = -101 }
    for format in [ExportFormat.json, .ndjson, .csv, .parquet, .mcap, .html, .svg] {
      expectRefusal(
        "the calibration shoe is implausible: gyroscope-offset has -101.0 °/s, at most ±100.0 are accepted: give a file of `imulog calibrate` with --calibration, or leave --calibrated out",
        .damagedData
      ) { _ = try TestLog.export(log.bytes(), options(.si).with { $0.format = format }) }
    }
    // Neither what does not apply it nor a file that is right is refused.
    #expect(try log.export(ExportOptions(format: .csv, units: .raw)).contains(",10,-262,-2220"))
    var own = options(.raw)
    own.calibration = log.description.calibration
    own.calibration?.gyroscope?.offset.y = 0
    #expect(try log.export(own).contains(",10,-105,-2220"))
  }
}
