// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import Testing

@Suite("The header text")
struct HeaderTextTests {
  private func decode(_ page: [UInt8]) throws -> RecordingDescription {
    try page.withUnsafeBytes { try decodeHeader($0) }
  }

  /// A first page with the given lines as its header text.
  private func page(_ lines: [String]) -> [UInt8] {
    var page = TestPage(.example, sequence: 0)
    page.add(kind: 7, Array(lines.map { $0 + "\n" }.joined().utf8))
    return page.bytes
  }

  private func reason(_ lines: [String]) -> FormatError.Reason? {
    do {
      _ = try decode(page(lines))
      return nil
    } catch {
      return (error as? FormatError)?.reason
    }
  }

  private let least = [
    "id 1b4e28ba-2fa1-41d2-883f-0016d3cca427", "rate 10/1", "channels ax temp", "time-unit 1000",
    "sensor MPU-6050", "accelerometer-scale 1/16384", "gyroscope-scale 1/131",
    "temperature-scale 1/340", "temperature-offset 3653/100",
  ]

  @Test("gives back every field, line feeds and backslashes included")
  func roundTrip() throws {
    let nothing = SensorDescription(
      model: "", identity: nil, address: nil, accelerometerRange: 0, gyroscopeRange: 0,
      accelerometerScale: Fraction(-1, 3), gyroscopeScale: Fraction(.max, .max),
      temperatureScale: Fraction(.min, 1), temperatureOffset: Fraction(0, 1),
      outputDataRate: 6667.123, filter: "")
    var empty = RecordingDescription.example
    (empty.sensor, empty.plannedTicks, empty.note, empty.board) = (
      nothing, nil, "", " two  spaces "
    )
    empty.recoveredFrom = RecordingID(high: 0x0102_0304_0506_4708, low: 0x890A_0B0C_0D0E_0F10)
    (empty.host, empty.software, empty.realTime) = ("\\n\n\r\\", "ünï", "\u{0}\t")
    empty.cpuLatency = "held at 0 µs"
    var calibrated = RecordingDescription.example
    calibrated.axes = AxisMap("-z,y,x")
    calibrated.begunBy = .duty
    calibrated.trigger = "peak 0.5 g above 1 Hz, 2 s before, 5 s after"
    calibrated.timetable = "every 600s"
    calibrated.boot = "c0ffee00-0000-4000-8000-123456789abc"
    calibrated.origin = ClockOrigin(monotonic: .max, raw: -1, boottime: .min)
    (calibrated.sensorName, calibrated.busPath) = ("left_1", "i2c-1")
    calibrated.take = TakePlace(id: RecordingID(high: 1, low: 2), index: 6, count: 7)
    calibrated.busClockMeasured = 249_600
    calibrated.sensor.field = FieldDescription(
      model: "LSM9DS1", scale: Fraction(7, 500), rate: try #require(SampleRate(5, per: 8)),
      axes: try #require(AxisMap("x,-y,-z")))
    calibrated.calibration = SensorCalibration(
      id: RecordingID(high: 7, low: 8), name: "a\\b", sensor: "MPU-6050", made: -1,
      gyroscope: SensorCalibration.Gyroscope(offset: Vector3(1, -2, 0.1)))
    for description in [RecordingDescription.example, empty, calibrated] {
      #expect(try decode(encodeHeader(description)) == description)
    }
  }

  @Test(
    "a calibration, axes, a magnetometer, a sensor's name and a take that cannot be read are missing, named, kept by a copy",
    arguments: [
      ("axes x,y,-z", "\"x,y,-z\" is not valid"), ("axes", "\"\" is not valid"),
      ("field AK09916 3/20 50/1", "\"AK09916 3/20 50/1\" is not valid"), ("field", nil),
      ("field AK09916 3/20 50/1 -x,y,z", nil), ("field AK09916 0/20 50/1 x,-y,-z", nil),
      ("field AK09916 3/20 50 x,-y,-z", nil), ("field  3/20 50/1 x,-y,-z", nil),
      (
        "take 1b4e28ba-2fa1-41d2-883f-0016d3cca427 2 2",
        "\"1b4e28ba-2fa1-41d2-883f-0016d3cca427 2 2\" is not valid"
      ),
      ("sensor-name ri\",\"", nil), ("sensor-name =cmd", nil), ("sensor-name Left", nil),
      ("take 1b4e28ba-2fa1-41d2-883f-0016d3cca427 0 9", nil), ("take 7 0 2", nil),
      ("take 1b4e28ba-2fa1-41d2-883f-0016d3cca427 0 1", nil),
      ("take 1b4e28ba-2fa1-41d2-883f-0016d3cca427 0", nil),
      ("calibration imulog-calibration 1\\nid x", "line 2, `id`, has no such value"),
      ("calibration imulog-calibration 2", nil), ("calibration", nil),
      ("calibration imulog-calibration 1\\r\\nid", nil),
    ] as [(String, String?)])
  func badCalibration(line: String, wanted: String?) throws {
    let found = try decode(page(least + [line]))
    var without = found
    without.unread = []
    #expect(try without == decode(page(least)))
    let entry = try #require(found.unread.first)
    #expect(found.unread.count == 1 && line.hasPrefix(entry.key) && !entry.reason.isEmpty)
    if let wanted { #expect(entry.reason == wanted) }
    #expect(try decode(encodeHeader(found)) == found)
  }

  @Test("needs no more than the nine entries that every log has, and skips unknown ones")
  func leastEntries() throws {
    #expect(try decode(page(least)).channels == ChannelSet(rawValue: 0b100_0001))
    #expect(
      try decode(page(["colour green", "x"] + least + ["z 1", "rate 7/1"])).rate.hertz == 10)
    for index in least.indices {
      var lines = least
      let key = String(lines.remove(at: index).prefix { $0 != " " })
      #expect(reason(lines) == .missingEntry(key))
    }
  }

  @Test(
    "with an invalid entry is refused",
    arguments: [
      "id 1b4e28ba", "rate 10", "rate 0/1", "rate 1/0", "rate 1/2/3", "rate -1/2", "channels ",
      "channels bx", "time-unit 0", "time-unit 1000000001", "time-unit -1", "time-unit x",
      "accelerometer-scale 1/0", "accelerometer-scale 1", "gyroscope-scale +1/2", "rate +7/1",
      "channels ay ax", "channels ax ax", "channels ax  ay", "channels ax ",
    ])
  func badEntries(line: String) {
    let key = String(line.prefix { $0 != " " })
    let value = String(line.dropFirst(key.count + 1))
    #expect(reason([line] + least) == .badEntry(key: key, value: value))
  }

  @Test(
    "with an invalid optional entry is read without it",
    arguments: [
      "number -1", "number +1", "sensor-address 256", "output-data-rate nan",
      "output-data-rate inf", "planned-ticks 1.5", "sync-interval soon", "gyroscope-range",
      "begun-by wind", "begun-by",
    ])
  func badOptionalEntries(line: String) throws {
    #expect(try decode(page([line] + least)) == decode(page(least)))
  }

  @Test("without its last line feed, or with a backslash at the end of a line, is read")
  func carelessLines() throws {
    var page = TestPage(.example, sequence: 0)
    page.add(kind: 7, Array(("note a\\\n" + least.joined(separator: "\n")).utf8))
    #expect(try decode(page.bytes).note == "a")
  }

  @Test("has no lines for values that are empty or 0")
  func emptyEntries() throws {
    var description = RecordingDescription.example
    (description.note, description.board, description.number) = ("", "", 0)
    description.syncInterval = 0
    let text = String(decoding: try encodeHeader(description), as: UTF8.self)
    for key in ["note", "board", "number", "sync-interval"] { #expect(!text.contains("\n" + key)) }
    #expect(try decode(encodeHeader(description)) == description)
  }

  @Test("of another recording than the page is refused")
  func otherRecording() {
    let lines = ["id 00000000-2fa1-41d2-883f-0016d3cca427"] + least
    #expect(reason(lines) == .otherRecording)
  }

  @Test("that is too long for a page, or that readers would refuse, cannot be written")
  func refusedDescriptions() {
    func reason(_ change: (inout RecordingDescription) -> Void) -> FormatError.Reason? {
      var description = RecordingDescription.example
      change(&description)
      do {
        _ = try LogEncoder(description)
        return nil
      } catch {
        return error.reason
      }
    }
    let length = (try? encodeHeader(.example).count) ?? 0
    let free = 4096 - length
    #expect(reason { $0.host += String(repeating: "x", count: free) } == nil)
    #expect(
      reason { $0.host += String(repeating: "x", count: free + 5) } == .headerTooLong(excess: 5))
    #expect(reason { $0.note = String(repeating: "x", count: 1000) } == nil)
    #expect(reason { $0.note = String(repeating: "x", count: 1001) } != nil)
    #expect(reason { $0.channels = [] } == .badEntry(key: "channels", value: "0"))
    #expect(reason { $0.channels = ChannelSet(rawValue: 129) } != nil)
    #expect(reason { $0.timeUnit = 0 } != nil)
    #expect(reason { $0.timeUnit = 1_000_000_001 } != nil)
    #expect(reason { $0.sensor.outputDataRate = .infinity } != nil)
    for (model, scale) in [("AK 09916", 1), ("", 1), ("AK09916", 0)] as [(String, Int64)] {
      #expect(
        reason {
          $0.sensor.field = AxisMap("x,y,z").map {
            FieldDescription(
              model: model, scale: Fraction(scale, 1), rate: .fallback, axes: $0)
          }
        } == .badEntry(key: "field", value: "\(model) \(scale)/1 1/1 x,y,z"))
    }
  }

  @Test("that fills the page to the last byte leaves room for samples in the next one")
  func fullHeaderPage() throws {
    var description = RecordingDescription.example
    description.host += String(repeating: "x", count: 4096 - (try encodeHeader(description).count))
    let events = (0..<5).map { LogEvent.record(sample($0)) }
    let content = try LogContent(decoding: encode(events, description))
    #expect(content == LogContent(of: events, description))
  }

  @Test("survives damage after it in its page, and nothing survives damage in it")
  func damage() throws {
    let log = try encode((0..<5).map { .record(sample($0)) })
    let length = try encodeHeader(.example).count
    for offset in log.indices {
      var damaged = log
      damaged[offset] ^= 0x10
      if offset < length {
        #expect(throws: FormatError.self) { try decode(damaged) }
      } else {
        #expect(try decode(damaged) == .example)
      }
    }
    for count in 0..<length {
      #expect(throws: FormatError.self) { try decode(Array(log.prefix(count))) }
    }
  }
}
