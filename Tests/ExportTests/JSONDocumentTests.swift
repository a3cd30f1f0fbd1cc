// SPDX-License-Identifier: Apache-2.0

import Export
import FoundationEssentials
import IMUModel
import Testing

@Suite("The JSON document")
struct JSONDocumentTests {
  /// The document's entries as text, by key: each is on a line of its own, except the samples.
  static func lines(_ document: String) -> [String: String] {
    var entries: [String: String] = [:]
    for line in document.dropFirst().split(separator: "\n") where line.hasPrefix("\"") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let key = line[line.index(after: line.startIndex)..<line.index(before: colon)]
      var value = line[line.index(after: colon)...]
      if value.hasSuffix(",") { value.removeLast() }
      entries[String(key)] = String(value)
    }
    return entries
  }

  /// A strict and independent reader; fails for anything that is not JSON.
  private struct Document: Decodable {
    struct Sample: Decodable {
      var t_ns: Int64
      var ax: Double
    }
    var note: String
    var board: String
    var rate_hz: Double
    var complete: Bool
    var ticks: [String: UInt64]
    var samples: [Sample]
  }

  private func decode(_ text: String) throws -> Document {
    try JSONDecoder().decode(Document.self, from: Data(text.utf8))
  }

  @Test("a recording with everything, byte by byte")
  func whole() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.description.note = "left \"knee\""
    log.description.cpuLatency = "held at 5 µs"
    (log.description.begunBy, log.description.trigger) = (.trigger, "rms 0.02 g")
    log.description.timetable = "every 600s"
    log.clock(0, wall: 1_795_228_687_000_000_000)
    log.sample(0, 1000, RawSample(ax: 1, ay: 2, az: 3))
    log.event(1, .lost, .configurationLost)
    log.gap(1, 2, .reinitialising)
    log.gap(3, 1, .busError, code: 121)
    log.event(4, .back, .none)
    log.mark(410_000_000, "jump")
    log.sample(4, 400_001_000, RawSample(ax: -1, ay: -2, az: -3))
    log.clock(450_000_000, wall: 1_795_230_000_450_000_000, synchronised: true, .becameSynchronised)
    var tally = TickTally(sampled: 2)
    tally.add(2, .reinitialising)
    tally.add(1, .busError)
    log.end(tally, .button, LatenessSummary(median: 1000, percentile99: 2000, maximum: 3000))
    #expect(
      try log.export(ExportOptions(units: .raw)) == #"""
        {"format":"imulog-json",
        "schema":1,
        "id":"1b4e28ba-2fa1-41d2-883f-0016d3cca427",
        "number":7,
        "recoveredFrom":null,
        "note":"left \"knee\"",
        "sensor":{"model":"MPU-6050","identity":104,"address":104,"channels":["ax","ay","az"],"accelerometerRange_g":2,"gyroscopeRange_dps":250,"accelerometerScale_g":[1,16384],"gyroscopeScale_dps":[1,131],"temperatureScale_c":[1,340],"temperatureOffset_c":[3653,100],"outputDataRate_hz":1000,"filter":"DLPF 5"},
        "board":"simulator",
        "host":"lab",
        "software":"imulog 0.1.0",
        "realTime":"refused",
        "cpuLatency":"held at 5 µs",
        "begunBy":"trigger",
        "trigger":"rms 0.02 g",
        "timetable":"every 600s",
        "boot":null,
        "sensorName":null,
        "busPath":null,
        "origin":null,
        "take":null,
        "axes":null,
        "calibration":null,
        "calibrated":null,
        "rate_hz":10,
        "units":{"t_ns":"ns","ax":"count","ay":"count","az":"count"},
        "started":"2026-11-21T03:00:00Z",
        "clock":{"synchronised":true,"used":1,"pairs":[{"t_ns":0,"wall":"2026-11-21T02:38:07Z","synchronised":false,"reason":"start","raw_ns":null,"boottime_ns":null,"bracket_ns":null},{"t_ns":450000000,"wall":"2026-11-21T03:00:00.450Z","synchronised":true,"reason":"becameSynchronised","raw_ns":null,"boottime_ns":null,"bracket_ns":null}]},
        "complete":true,
        "stopReason":"button",
        "ticks":{"scheduled":5,"sampled":2,"missed":0,"busError":1,"ringFull":0,"stale":0,"reinitialising":2,"lost":0,"frozen":0},
        "ticksLost":0,
        "lateness":{"median_ns":1000,"p99_ns":2000,"maximum_ns":3000},
        "certificate":null,
        "chipTimes":null,
        "busClock":null,
        "field":null,
        "gaps":[{"t_ns":100000000,"tick":1,"count":2,"cause":"reinitialising"},{"t_ns":300000000,"tick":3,"count":1,"cause":"busError","errno":121}],
        "marks":[{"t_ns":410000000,"label":"jump"}],
        "sensorEvents":[{"t_ns":100000000,"tick":1,"kind":"lost","fault":"configurationLost"},{"t_ns":400000000,"tick":4,"kind":"back","fault":"none"}],
        "damage":[],
        "labels":[],
        "words":{"boottime_ns":"estimated","bracket_ns":"proved","maximum_ns":"estimated","median_ns":"estimated","outputDataRate_hz":"claimed","p99_ns":"estimated","rate_hz":"claimed","raw_ns":"estimated","started":"claimed","t_ns":"estimated","wall":"claimed"},
        "samples":[
        {"t_ns":1000,"ax":1,"ay":2,"az":3},
        {"t_ns":400001000,"ax":-1,"ay":-2,"az":-3}
        ]}

        """#)
  }

  @Test("units are named for each column")
  func units() throws {
    let log = try TestLog.ramp(TestLog.description(), [0])
    func units(_ units: ExportUnits) throws -> String? {
      try Self.lines(log.export(ExportOptions(units: units)))["units"]
    }
    #expect(
      try units(.si)
        == #"{"t_ns":"ns","ax":"m/s^2","ay":"m/s^2","az":"m/s^2","gx":"rad/s","gy":"rad/s","gz":"rad/s","temp":"degC"}"#
    )
    #expect(
      try units(.gDps)
        == #"{"t_ns":"ns","ax":"g","ay":"g","az":"g","gx":"deg/s","gy":"deg/s","gz":"deg/s","temp":"degC"}"#
    )
  }

  @Test("a recording without an end is incomplete, recovered, and counted from its records")
  func recovered() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.sample(0, 0, RawSample())
    log.gap(1, 3, .ringFull)
    log.gap(4, 2, .stale)
    log.gap(6, 3, .frozen)
    let lines = Self.lines(try log.export(ExportOptions()))
    #expect(lines["complete"] == "false")
    #expect(lines["stopReason"] == "\"recovered\"")
    #expect(
      lines["ticks"]
        == #"{"scheduled":9,"sampled":1,"missed":0,"busError":0,"ringFull":3,"stale":2,"reinitialising":0,"lost":0,"frozen":3}"#
    )
    #expect(lines["gaps"]?.contains(#""cause":"frozen""#) == true, "\(lines)")
    #expect(lines["lateness"] == "null")
    #expect(lines["started"] == "null")
    #expect(lines["clock"] == #"{"synchronised":false,"used":null,"pairs":[]}"#)
    #expect(lines["ticksLost"] == "0")
    #expect(lines["damage"] == "[]")
  }

  @Test("texts of any kind survive another reader")
  func escaping() throws {
    var note = (0..<0x20).map { String(Unicode.Scalar(UInt8($0))) }.joined()
    note += "\"\\/\u{7F}\u{85}\u{2028}\u{2029}é漢😀</script>"
    var log = TestLog(TestLog.description())
    log.description.note = note
    log.description.board = "\u{1B}[31mred"
    let text = try log.export(ExportOptions())
    #expect(!text.utf8.contains { $0 < 0x20 && $0 != UInt8(ascii: "\n") })
    #expect(text.contains(#""board":"\u001b[31mred""#))
    let document = try decode(text)
    #expect(document.note == note)
    #expect(document.board == "\u{1B}[31mred")
  }

  @Test(
    "samples and counts agree for another reader, in all units", arguments: ExportUnits.allCases)
  func valid(_ units: ExportUnits) throws {
    let log = try TestLog.ramp(TestLog.description(rate: hertz(30)), Array(-500..<500))
    let document = try decode(log.export(ExportOptions(units: units)))
    #expect(document.samples.count == 1000)
    #expect(document.samples[31].t_ns == 1_033_333_333)
    #expect(document.ticks["scheduled"] == 1000)
    #expect(document.ticks["sampled"] == 1000)
    #expect(document.rate_hz == 30)
  }

  @Test(
    "rates are plain decimal numbers",
    arguments: [
      (hertz(10), "10"), (hertz(25, per: 2), "12.5"), (hertz(1, per: 3), "0.333333333333"),
      (hertz(2, per: 3), "0.666666666667"), (hertz(1, per: .max), "0.000000000233"),
      (hertz(.max, per: 2), "2147483647.5"), (hertz(9903, per: 100), "99.03"),
    ] as [(SampleRate, String)])
  func rates(_ rate: SampleRate, _ text: String) throws {
    let lines = Self.lines(try TestLog(TestLog.description(rate: rate)).export(ExportOptions()))
    #expect(lines["rate_hz"] == text)
  }

  @Test("unknown facts are null")
  func unknown() throws {
    var log = TestLog(TestLog.description())
    log.description.sensor.identity = nil
    log.description.sensor.address = nil
    log.description.sensor.accelerometerRange = 0
    log.description.sensor.gyroscopeRange = 0
    log.description.sensor.outputDataRate = 0
    log.description.sensor.filter = ""
    #expect(
      Self.lines(try log.export(ExportOptions()))["sensor"]
        == #"{"model":"MPU-6050","identity":null,"address":null,"channels":["ax","ay","az","gx","gy","gz","temp"],"accelerometerRange_g":null,"gyroscopeRange_dps":null,"accelerometerScale_g":[1,16384],"gyroscopeScale_dps":[1,131],"temperatureScale_c":[1,340],"temperatureOffset_c":[3653,100],"outputDataRate_hz":null,"filter":null}"#
    )
  }

  @Test("thousands of gaps and marks are listed like few")
  func manyRecords() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    for tick in stride(from: 0, to: 5000, by: 2) as StrideTo<UInt64> {
      log.sample(tick, Int64(tick) * 100_000_000, RawSample())
      log.mark(Int64(tick) * 100_000_000 + 1)
      log.gap(tick + 1, 1, tick % 4 == 0 ? .missed : .stale)
    }
    let lines = Self.lines(try log.export(ExportOptions()))
    let gaps = (stride(from: 0, to: 5000, by: 2) as StrideTo<UInt64>).map { tick in
      let cause = tick % 4 == 0 ? "missed" : "stale"
      return
        #"{"t_ns":\#((tick + 1) * 100_000_000),"tick":\#(tick + 1),"count":1,"cause":"\#(cause)"}"#
    }
    #expect(lines["gaps"] == "[" + gaps.joined(separator: ",") + "]")
    let marks = (stride(from: 0, to: 5000, by: 2) as StrideTo<UInt64>).map { tick in
      #"{"t_ns":\#(tick * 100_000_000 + 1),"label":""}"#
    }
    #expect(lines["marks"] == "[" + marks.joined(separator: ",") + "]")
    #expect(lines["sensorEvents"] == "[]")
    #expect(
      lines["ticks"]
        == #"{"scheduled":5000,"sampled":2500,"missed":1250,"busError":0,"ringFull":0,"stale":1250,"reinitialising":0,"lost":0,"frozen":0}"#
    )
  }

  @Test("thousands of events are listed like few, and those that no sample follows")
  func manyEvents() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.description.sensor.model = SensorDescription.importedModel
    for tick in 0..<1100 as Range<UInt64> {
      if tick == 1000 { log.sample(tick, Int64(tick) * 100_000_000, RawSample()) }
      log.event(tick, .back, .none)
    }
    let events = try #require(Self.lines(try log.export(ExportOptions()))["sensorEvents"])
    #expect(events.split(separator: "\"tick\":").count == 1101)
  }

  @Test("an imported gap begins a period after the sample before it", arguments: [900, 1200])
  func importedGaps(_ holes: Int) throws {
    // A clock that is a hundredth off the rate; two of ten ticks have no sample.
    let rows = (0..<10 * holes + 5).filter { $0 % 10 < 8 }
    let times = rows.map { 9_000_000_000 + Int64($0) * 10_100_000 }
    let log = try Imports.log(
      Imports.csv(Imports.table(times), Imports.given(units: "raw", rate: hertz(100))))
    let begins = (0..<holes).map { hole -> Int64 in
      let before = Int64(10 * hole + 7)
      return 9_010_000_000 + before * 10_100_000
    }
    func gapTimes(_ options: ExportOptions) throws -> [Int64] {
      try GapDocument(TestLog.export(log, options).text).gaps.map(\.t_ns)
    }
    #expect(try gapTimes(ExportOptions()) == begins)
    #expect(try gapTimes(ExportOptions(from: times[800], to: times[808])) == [begins[100]])
  }

  @Test("the document of a damaged log is valid and lists the missing ticks")
  func damaged() throws {
    let counts = TestLog.noise(4000, seed: 6)
    let description = TestLog.description(rate: hertz(100))
    var bytes = try TestLog.ramp(description, counts).bytes()
    // The header of page 2: the whole page is lost.
    bytes[2 * 4096 + 5] ^= 0x10
    let (text, report) = try TestLog.export(bytes, ExportOptions(units: .raw))
    #expect(report.damages == 1)
    let document = try decode(text)
    let lost = 4000 - UInt64(document.samples.count)
    #expect(lost > 0)
    #expect(report.samples == UInt64(document.samples.count))
    #expect(!document.complete)
    #expect(document.ticks["sampled"] == UInt64(document.samples.count))
    #expect(document.ticks["lost"] == lost)
    #expect(document.ticks["scheduled"] == 4000)
    let lines = Self.lines(text)
    #expect(lines["ticksLost"] == "\(lost)")
    let damage = try #require(lines["damage"])
    #expect(
      damage.hasPrefix(
        #"[{"page":2,"pages":1,"offset_bytes":8192,"size_bytes":4096,"ticksLost":\#(lost),"what":"#)
    )
    // Samples after the damage have their own times.
    #expect(document.samples.last?.t_ns == 39_990_000_000)
  }
}
