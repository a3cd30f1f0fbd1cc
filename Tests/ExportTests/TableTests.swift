// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import Testing

@Suite("Tables for other programs")
struct TableTests {
  /// 2026-11-21T02:38:07.5Z at tick 0, by a clock that became right only later.
  private static func log(
    _ channels: ChannelSet = .all, wall: Int64? = 1_795_228_687_500_000_000
  ) -> TestLog {
    var log = TestLog(TestLog.description(channels: channels))
    if let wall {
      log.clock(0, wall: 86_400_000_000_000)
      log.clock(50_000_000, wall: wall + 50_000_000, synchronised: true, .becameSynchronised)
    }
    log.sample(0, 1234, RawSample(ax: 1, ay: -2, az: 16384, gx: -131, gy: 5, gz: 32767))
    log.gap(1, 1, .missed)
    log.sample(2, 600_000_017, RawSample(ax: -32768, ay: 7, az: 0, gx: 6, gy: -32768, gz: 9))
    log.sample(30, 3_000_000_000, RawSample(ax: 8192, ay: -8192, az: 2, gx: 2, gy: 3, gz: 4))
    log.end(TickTally(sampled: 3))
    return log
  }

  private static func times(_ time: ExportTime, _ log: TestLog = log()) throws -> [Substring] {
    let options = ExportOptions(format: .csv, units: .raw, channels: .accel).with { $0.time = time }
    return try log.export(options).split(separator: "\n").map { $0.prefix { $0 != "," } }
  }

  @Test("seconds count from the first scheduled tick, with nine decimals")
  func seconds() throws {
    #expect(try Self.times(.seconds) == ["t_s", "0.000001234", "0.600000017", "3.000000000"])
  }

  @Test("seconds before the first tick keep their sign, also those of less than one")
  func negativeSeconds() throws {
    var log = TestLog(TestLog.description())
    log.sample(0, -1_000_000_001, RawSample())
    log.sample(10, -5, RawSample())
    log.sample(20, 5, RawSample())
    #expect(
      try Self.times(.seconds, log) == ["t_s", "-1.000000001", "-0.000000005", "0.000000005"])
  }

  @Test("Unix times and dates are those of the clock that dates the recording best")
  func dates() throws {
    #expect(
      try Self.times(.unix) == [
        "unix_s", "1795228687.500001234", "1795228688.100000017", "1795228690.500000000",
      ])
    #expect(
      try Self.times(.utc) == [
        "time_utc", "2026-11-21T02:38:07.500001234Z", "2026-11-21T02:38:08.100000017Z",
        "2026-11-21T02:38:10.500000000Z",
      ])
  }

  @Test("dates of a recording without a wall clock are refused, and seconds are not")
  func undated() throws {
    for time in ExportTime.allCases where time.rawValue != "seconds" {
      expectRefusal("--time \(time.rawValue) needs the date of the recording, and its log has no") {
        _ = try Self.times(time, Self.log(wall: nil))
      }
    }
    #expect(try Self.times(.seconds, Self.log(wall: nil)).count == 4)
  }

  @Test(
    "columns have the names of their units where that is asked for",
    arguments: [
      (
        ExportUnits.si,
        "t_ns,ax_mps2,ay_mps2,az_mps2,gx_radps,gy_radps,gz_radps,temp_degC"
      ), (.gDps, "t_ns,ax_g,ay_g,az_g,gx_dps,gy_dps,gz_dps,temp_degC"),
      (.raw, "t_ns,ax_count,ay_count,az_count,gx_count,gy_count,gz_count,temp_count"),
    ])
  func unitNames(_ units: ExportUnits, _ header: String) throws {
    let options = ExportOptions(format: .csv, units: units).with { $0.hasUnitNames = true }
    #expect(try Self.log().export(options).split(separator: "\n").first ?? "" == header)
  }

  @Test("a preamble has the facts of the header, each on one line")
  func preamble() throws {
    var log = Self.log()
    log.description.note = "left wheel\nsecond line"
    let options = ExportOptions(format: .csv, units: .raw).with { $0.hasPreamble = true }
    let lines = try log.export(options).split(separator: "\n")
    let comments = lines.prefix { $0.hasPrefix("# ") }
    #expect(comments.contains("# imulog.note: left wheel\\u000asecond line"))
    #expect(comments.contains("# imulog.sensor.accelerometerScale_g: 1/16384"))
    #expect(comments.contains("# imulog.started: 2026-11-21T02:38:07.500Z"))
    #expect(lines.count - comments.count == 4)
  }

  /// In the first row at or after it that has none; with what is not recorded left out of records.
  @Test("a magnetometer's value is in a row soon after it, with its interval")
  func field() throws {
    let log = TestLog.withField()
    let options = ExportOptions(format: .csv, units: .raw)
    let (text, report) = try TestLog.export(log.bytes(), options)
    #expect(
      text == """
        t_ns,ax,ay,az,mx,my,mz,m_lo_ns,m_hi_ns
        0,0,0,0,1.5,3.0,-4.5,-70000000,-50000000
        100000000,1,0,0,15.0,-1.05,0.15,55000000,60000000
        200000000,2,0,0,-0.45,0.0,-300.0,85000000,90000000
        300000000,3,0,0,0.75,-0.9,-1.05,95000000,100000000
        1200000000,12,0,0,0.15,-0.3,-0.45,1138000000,1150000000
        1300000000,13,0,0,,,,1243000000,1250000000

        """)
    #expect(
      report.remarks == [
        "3 values of the magnetometer have no row, for want of a sample soon after: --format json has all"
      ])
    let records = try log.export(options.with { $0.format = .ndjson }).split(separator: "\n")
    #expect(
      records[1]
        == #"{"t_ns":100000000,"ax":1,"ay":0,"az":0,"mx":15.0,"my":-1.05,"mz":0.15,"m_lo_ns":55000000,"m_hi_ns":60000000}"#
    )
    #expect(
      records[5]
        == #"{"t_ns":1300000000,"ax":13,"ay":0,"az":0,"m_lo_ns":1243000000,"m_hi_ns":1250000000}"#)
    // Of a part, the values of its time.
    let part = options.with { ($0.from, $0.to) = (60_000_001, 1_200_000_001) }
    let (lines, noted) = try TestLog.export(log.bytes(), part)
    #expect(
      lines.split(separator: "\n").dropFirst().map { $0.split(separator: ",").last } == [
        "90000000", "100000000", "0", "1150000000",
      ])
    #expect(noted.remarks[0].hasPrefix("1 value of the magnetometer has no row"))
    // In the axes of the mounting, with units in names, and rows of gaps.
    var turned = log
    turned.description.axes = axes("y,-x,z")
    let rows = try turned.export(
      options.with { ($0.hasUnitNames, $0.gaps) = (true, .rows) }
    ).split(separator: "\n")
    #expect(rows[0].hasSuffix("az_count,mx_uT,my_uT,mz_uT,m_lo_ns,m_hi_ns,gap,gap_ticks"))
    #expect(rows[1].contains(",3.0,-1.5,-4.5,"))
    #expect(rows[5] == "400000000,,,,,,,,,missed,8")
  }

  @Test("rows without a magnetometer's values say so")
  func noField() throws {
    let log = TestLog.withField()
    let left = "the values of the magnetometer AK09916 are left out: --format json has them"
    for options in [
      ExportOptions(format: .csv, channels: .accel), ExportOptions(format: .svg),
      ExportOptions(format: .parquet).with { $0.isForHub = true },
    ] {
      #expect(try TestLog.export(log.bytes(), options).report.remarks.contains(left))
    }
    let sink = try log.follow(ExportOptions(format: .csv, units: .raw))
    #expect(sink.text.hasPrefix("t_ns,ax,ay,az\n0,0,0,0\n"))
    #expect(sink.report.remarks.contains(left))
  }

  @Test("gcsv has counts, gyroscope first, and scales in rad/s and g that read back exactly")
  func gyroflow() throws {
    var log = Self.log()
    log.description.note = "front, \"left\" – wheel"
    #expect(
      try log.export(ExportOptions(format: .gcsv)) == """
        GYROFLOW IMU LOG
        version,1.3
        id,MPU-6050
        orientation,XYZ
        note,front;  left      wheel
        fwversion,imulog 0.1.0
        timestamp,1795228687
        vendor,imulog
        tscale,1e-9
        gscale,\(Double.pi / (180 * 131))
        ascale,\(1.0 / 16384)
        t,gx,gy,gz,ax,ay,az
        1234,-131,5,32767,1,-2,16384
        600000017,6,-32768,9,-32768,7,0
        3000000000,2,3,4,8192,-8192,2

        """)
  }

  @Test("gcsv cuts a date before 1970 to the second before it, too")
  func gyroflowBefore1970() throws {
    let (text, report) = try TestLog.export(
      TestLog.before1970().bytes(), ExportOptions(format: .gcsv))
    #expect(text.contains("\ntimestamp,-2\n"))
    #expect(report.remarks.contains { $0.contains("whole second, 1969-12-31T23:59:58Z") })
  }

  @Test("what a reader looks for is in gcsv's first 500 bytes, however long the texts are")
  func shortHead() throws {
    var log = Self.log()
    log.description.note = String(repeating: "ä,", count: 330)
    log.description.sensor.model = String(repeating: "X", count: 300)
    log.description.software = String(repeating: "Y", count: 300)
    let text = try log.export(ExportOptions(format: .gcsv))
    let head = text.utf8.prefix(500)
    #expect(head.allSatisfy { $0 < 0x80 })
    #expect(String(decoding: head, as: UTF8.self).contains("t,gx,gy,gz"))
    log.description.note = String(repeating: "n", count: 81)
    let noted = try log.export(ExportOptions(format: .gcsv))
    #expect(noted.contains("\nnote,\(log.description.note.dropLast())\n"))
  }

  @Test("gcsv of a gyroscope alone has no accelerometer, and none without a gyroscope")
  func gyroscopeOnly() throws {
    let text = try Self.log([.gyroscope]).export(ExportOptions(format: .gcsv))
    #expect(text.contains("\nt,gx,gy,gz\n1234,-131,5,32767\n"))
    #expect(!text.contains("ascale"))
    #expect(throws: ExportError.sensorNeeded(.gyro, .gcsv, recorded: .accelerometer)) {
      try Self.log(.accelerometer).export(ExportOptions(format: .gcsv))
    }
  }

  @Test("Kalibr's table has nanoseconds since 1970, rad/s and m/s²")
  func kalibr() throws {
    #expect(
      try Self.log().export(ExportOptions(format: .kalibr)) == """
        timestamp,omega_x,omega_y,omega_z,alpha_x,alpha_y,alpha_z
        1795228687500001234,-0.017453,0.000666,4.365588,0.000599,-0.001197,9.80665
        1795228688100000017,0.000799,-4.365721,0.001199,-19.6133,0.00419,0.0
        1795228690500000000,0.000266,0.0004,0.000533,4.903325,-4.903325,0.001197

        """)
    let undated = try Self.log(wall: nil).export(ExportOptions(format: .kalibr))
    #expect(undated.contains("\n1000001234,"))
    // A date before 1970 stays one, or is refused.
    #expect(
      throws: ExportError.timeNotHeld(at: 1234, started: -5_000_000_000, format: .kalibr)
    ) { try Self.log(wall: -5_000_000_000).export(ExportOptions(format: .kalibr)) }
    // A part that begins later is not.
    let part = ExportOptions(format: .kalibr).with { $0.from = 1_000_000_000 }
    #expect(try Self.log(wall: -1_500_000_000).export(part).contains("\n1500000000,"))
  }

  @Test("a sensor that the choice of channels leaves out is not denied to the recording")
  func sensors() throws {
    for (channels, choice, words) in [
      (ChannelSet.all, ExportChannels.gyro, "of the accelerometer, which --channels leaves out"),
      (.all, .accel, "of the gyroscope, which --channels leaves out: leave --channels out"),
      (.gyroscope, .both, "of the accelerometer, and the recording has gx, gy, gz: choose another"),
    ] {
      expectRefusal(words) {
        _ = try Self.log(channels).export(ExportOptions(format: .kalibr, channels: choice))
      }
    }
  }

  @Test("an import whose times are dates has dates in CSV, as in every other format")
  func ownDates() throws {
    var log = TestLog()
    log.description.sensor.model = SensorDescription.importedModel
    log.sample(0, 1_795_228_687_500_000_000, RawSample(ax: 1))
    log.end(TickTally(sampled: 1), .imported)
    let options = ExportOptions(format: .csv, units: .raw).with { $0.time = .utc }
    #expect(try log.export(options).contains("\n2026-11-21T02:38:07.500000000Z,1,"))
  }

  @Test("a date beyond 64 bits of nanoseconds is refused, and never a wrong one written")
  func beyond() throws {
    let (started, last): (Int64, Int64) = (7_000_000_000_000_000_000, 4_000_000_000_000_000_000)
    var log = TestLog()
    log.description.sensor.model = SensorDescription.importedModel
    log.clock(0, wall: started, synchronised: true)
    log.sample(0, -5, RawSample(ax: 1, gx: -3))
    log.sample(1, last, RawSample(ax: -2, gx: 7))
    log.end(TickTally(sampled: 2), .imported)
    for time in [ExportTime.unix, .utc, .local] {
      for gaps in [ExportGaps.leaveOut, .rows] {
        let options = ExportOptions(format: .csv).with { ($0.time, $0.gaps) = (time, gaps) }
        #expect(throws: ExportError.timeNotHeld(at: last, started: started, format: .csv)) {
          try log.export(options)
        }
      }
    }
    for format in [ExportFormat.kalibr, .gyrodata] {
      #expect(throws: ExportError.timeNotHeld(at: last, started: started, format: format)) {
        try log.export(ExportOptions(format: format))
      }
    }
  }
}
