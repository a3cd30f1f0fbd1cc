// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import Testing

@Suite("NDJSON, CSV and gyrodata")
struct RecordFormatTests {
  /// Three samples with a gap between them, extremes and zeros.
  static func threeSamples(_ channels: ChannelSet = .all) -> TestLog {
    var log = TestLog(TestLog.description(channels: channels))
    log.clock(0, wall: 1_795_228_687_500_000_000)
    log.sample(0, 1234, RawSample(ax: 0, ay: 1, az: 16384, gx: -1, gy: 131, gz: 0, temperature: -1))
    log.gap(1, 1, .busError, code: 121)
    log.sample(
      2, 200_000_017,
      RawSample(
        ax: -32768, ay: 32767, az: -16384, gx: -32768, gy: 32767, gz: -131, temperature: 340))
    log.sample(30, 3_000_000_000, RawSample(ax: 8192, ay: -8192, az: 2, gx: 2, gy: 3, gz: 4))
    log.end(TickTally(sampled: 3))
    return log
  }

  @Test("NDJSON is one flat record a line in SI units")
  func ndjson() throws {
    #expect(
      try Self.threeSamples().export(ExportOptions(format: .ndjson)) == """
        {"t_ns":1234,"ax":0.0,"ay":0.000599,"az":9.80665,"gx":-0.000133,"gy":0.017453,"gz":0.0,"temp":36.5271}
        {"t_ns":200000017,"ax":-19.6133,"ay":19.612701,"az":-9.80665,"gx":-4.365721,"gy":4.365588,"gz":-0.017453,"temp":37.53}
        {"t_ns":3000000000,"ax":4.903325,"ay":-4.903325,"az":0.001197,"gx":0.000266,"gy":0.0004,"gz":0.000533,"temp":36.53}

        """)
  }

  @Test("g-dps gives g, degrees a second and degrees Celsius")
  func commonUnits() throws {
    #expect(
      try Self.threeSamples().export(ExportOptions(format: .csv, units: .gDps)) == """
        t_ns,ax,ay,az,gx,gy,gz,temp
        1234,0.0,0.000061,1.0,-0.007634,1.0,0.0,36.5271
        200000017,-2.0,1.999939,-1.0,-250.137405,250.129771,-1.0,37.53
        3000000000,0.5,-0.5,0.000122,0.015267,0.022901,0.030534,36.53

        """)
  }

  @Test("columns are the channels asked for that the recording has")
  func channels() throws {
    func header(_ recorded: ChannelSet, _ asked: ExportChannels?) throws -> Substring? {
      let options = ExportOptions(format: .csv, units: .raw, channels: asked)
      return try Self.threeSamples(recorded).export(options).split(separator: "\n").first
    }
    #expect(try header(.all, .accel) == "t_ns,ax,ay,az")
    #expect(try header(.all, .gyro) == "t_ns,gx,gy,gz")
    #expect(try header(.all, .both) == "t_ns,ax,ay,az,gx,gy,gz,temp")
    #expect(try header(.accelerometer, .both) == "t_ns,ax,ay,az")
    #expect(try header([.gyroscope, .temperature], nil) == "t_ns,gx,gy,gz,temp")
    #expect(throws: ExportError.channelsNotRecorded(.gyro, recorded: .accelerometer)) {
      try header(.accelerometer, .gyro)
    }
  }

  @Test("gyrodata is the phone app's document: g, dated at the last sample")
  func accelerometerForThePhone() throws {
    #expect(
      try Self.threeSamples().export(Self.phone(.leaveOut)) == """
        {"identifier":"1B4E28BA-2FA1-41D2-883F-0016D3CCA427","dataType":0,"coordinateList":[\
        {"x":0.0,"y":0.000061,"z":1.0},{"x":-2.0,"y":1.999939,"z":-1.0},\
        {"x":0.5,"y":-0.5,"z":0.000122}],"date":816921490.5,"duration":3.1}

        """)
  }

  @Test("gyrodata of the gyroscope is in radians a second")
  func gyroscopeForThePhone() throws {
    var options = ExportOptions(format: .gyrodata, channels: .gyro, to: 1_000_000_000)
    options.fill = .leaveOut
    #expect(
      try Self.threeSamples().export(options) == """
        {"identifier":"1B4E28BA-2FA1-41D2-883F-0016D3CCA427","dataType":1,"coordinateList":[\
        {"x":-0.000133,"y":0.017453,"z":0.0},{"x":-4.365721,"y":4.365588,"z":-0.017453}],\
        "date":816921487.700000017,"duration":0.3}

        """)
  }

  private static func phone(_ fill: ExportFill?) -> ExportOptions {
    ExportOptions(format: .gyrodata, channels: .accel).with { $0.fill = fill }
  }

  @Test("gyrodata of a recording with missing ticks is refused unless a fill is given")
  func ticksMissingForThePhone() throws {
    // Ticks 1 and 3 to 29, whether the log says why or not.
    #expect(throws: ExportError.ticksMissing(count: 28, format: .gyrodata)) {
      try Self.threeSamples().export(Self.phone(nil))
    }
    // In a range without a hole there is nothing to refuse.
    var options = Self.phone(nil)
    options.to = 100_000_000
    #expect(try Self.threeSamples().export(options).contains("\"duration\":0.1}"))
    let (text, report) = try TestLog.export(Self.threeSamples().bytes(), Self.phone(.leaveOut))
    #expect(text.split(separator: "x").count == 4)
    #expect(
      report.remarks
        == ["28 ticks without a sample are left out: samples after them come too early"])
  }

  @Test("gyrodata with --fill hold has a row for each tick, if need be of the sample before it")
  func heldForThePhone() throws {
    let (text, report) = try TestLog.export(Self.threeSamples().bytes(), Self.phone(.hold))
    let first = "{\"x\":0.0,\"y\":0.000061,\"z\":1.0}"
    let second = "{\"x\":-2.0,\"y\":1.999939,\"z\":-1.0}"
    let last = "{\"x\":0.5,\"y\":-0.5,\"z\":0.000122}"
    let rows = [first, first] + Array(repeating: second, count: 28) + [last]
    #expect(
      text == """
        {"identifier":"1B4E28BA-2FA1-41D2-883F-0016D3CCA427","dataType":0,"coordinateList":[\
        \(rows.joined(separator: ","))],"date":816921490.5,"duration":3.1}

        """)
    #expect(report.remarks == ["28 ticks without a sample repeat the sample before"])
  }

  @Test("a sample is repeated over holes longer than a block, and over none that is endless")
  func longHold() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.sample(0, 0, RawSample(ax: 16384))
    log.sample(5000, 500_000_000_000, RawSample(ax: -16384))
    let text = try log.export(Self.phone(.hold))
    #expect(text.split(separator: "x").count == 5002)
    #expect(text.contains("{\"x\":1.0,\"y\":0.0,\"z\":0.0},{\"x\":-1.0,\"y\":0.0,\"z\":0.0}]"))
    log.sample(5_000_000_000, 500_000_000_000_000, RawSample(ax: 1))
    #expect(
      throws: ExportError.tooLong(samples: 5_000_000_001, limit: 100_000_000, format: .gyrodata)
    ) { try log.export(Self.phone(.hold)) }
  }

  @Test("a remark about gyrodata at another rate than 10 Hz says that it has no times")
  func rateForThePhone() throws {
    for (rate, isTold) in [(hertz(10), false), (hertz(20, per: 2), false), (hertz(100), true)] {
      let log = try TestLog.ramp(TestLog.description(channels: .gyroscope, rate: rate), [1, 2, 3])
      let (_, report) = try TestLog.export(log.bytes(), ExportOptions(format: .gyrodata))
      #expect(report.remarks.isEmpty != isTold)
      if isTold { #expect(report.remarks[0].contains("100 Hz")) }
    }
  }

  @Test("remarks about gyrodata of a range that touches a gap name the missing ticks")
  func gapAroundForThePhone() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.samples(0..<10) { _ in RawSample(ax: 1) }
    log.gap(10, 3, .missed)
    log.sample(13, 1_300_000_000, RawSample(ax: 2))
    func remarks(_ from: Int64, _ to: Int64) throws -> [String] {
      let options = ExportOptions(format: .gyrodata, from: from * 100_000_000, to: to * 100_000_000)
      return try TestLog.export(log.bytes(), options).report.remarks
    }
    #expect(try remarks(10, 13) == ["none of the 3 ticks has a sample: the document is empty"])
    #expect(try remarks(11, 12) == ["none of the 1 tick has a sample: the document is empty"])
    #expect(
      try remarks(5, 12) == [
        "2 ticks before the first sample or after the last one have none: the document is shorter by that"
      ])
    #expect(
      try remarks(12, 14) == [
        "1 tick before the first sample or after the last one has none: the document is shorter by that"
      ])
    #expect(try remarks(2, 9) == [])
    // Held up to the end of the range, which dates the document, but from a sample in it on.
    var held = ExportOptions(format: .gyrodata, from: 800_000_000, to: 1_200_000_000)
    held.fill = .hold
    log.clock(0, wall: 978_307_200_000_000_000)
    let (text, report) = try TestLog.export(log.bytes(), held)
    #expect(text.split(separator: "x").count == 5)
    #expect(text.hasSuffix("],\"date\":1.1,\"duration\":0.4}\n"), "\(text)")
    #expect(report.remarks == ["2 ticks without a sample repeat the sample before"])
    (held.from, held.to) = (1_100_000_000, 1_400_000_000)
    #expect(
      try TestLog.export(log.bytes(), held).report.remarks == [
        "2 ticks before the first sample have none: the document is shorter by that"
      ])
  }

  @Test("gyrodata without a clock pair has no date, without samples an empty list")
  func undatedForThePhone() throws {
    let log = try TestLog.ramp(TestLog.description(), [0])
    #expect(
      try log.export(ExportOptions(format: .gyrodata, channels: .accel, from: 5)) == """
        {"identifier":"1B4E28BA-2FA1-41D2-883F-0016D3CCA427","dataType":0,"coordinateList":[],\
        "duration":0}

        """)
  }

  @Test("gyrodata takes one whole sensor")
  func oneSensorForThePhone() throws {
    func first(_ recorded: ChannelSet, _ asked: ExportChannels?) throws -> String {
      let options = ExportOptions(format: .gyrodata, channels: asked).with { $0.fill = .leaveOut }
      let text = try Self.threeSamples(recorded).export(options)
      return text.contains("\"dataType\":0") ? "accel" : "gyro"
    }
    #expect(try first(.all, nil) == "accel")
    #expect(try first(.gyroscope, nil) == "gyro")
    #expect(try first([.gyroscope, .temperature], .both) == "gyro")
    expectRefusal("gyrodata holds one sensor: add") { _ = try first(.all, .both) }
    #expect(throws: ExportError.channelsNotRecorded(.accel, recorded: .gyroscope)) {
      try first(.gyroscope, .accel)
    }
    let flat = ChannelSet(rawValue: 0b000_0011)
    expectRefusal("gyrodata needs x, y and z of the accelerometer, and the recording has ax, ay:") {
      _ = try first(flat, nil)
    }
  }

  @Test("a recording without samples is a table without rows")
  func empty() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.gap(0, 5, .missed)
    #expect(try log.export(ExportOptions(format: .csv)) == "t_ns,ax,ay,az\n")
    #expect(try log.export(ExportOptions(format: .ndjson)) == "")
  }

  @Test("times of every length are written whole, negative ones too")
  func times() throws {
    var times: [Int64] = [-1_000_000_001, -1000, -999, -1, 0]
    var power: Int64 = 1
    while power < 100_000_000_000_000_000 {
      times += [power, power + power / 3]
      power *= 10
    }
    times += [999_999_999, 1_000_000_000, 1_999_999_999, 2_000_000_000, 123_000_000_456]
    times.sort()
    var log = TestLog(TestLog.description(channels: ChannelSet(rawValue: 1)))
    for (tick, time) in times.enumerated() { log.sample(UInt64(tick), time, RawSample(ax: 5)) }
    let text = try log.export(ExportOptions(format: .csv, units: .raw))
    #expect(text == "t_ns,ax\n" + times.map { "\($0),5\n" }.joined())
  }
}
