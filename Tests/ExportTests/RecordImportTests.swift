// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import OldImport
import TestSupport
import Testing

@Suite("Import of records in JSON and of video and calibration tables")
struct RecordImportTests {
  private static let counts = ExportOptions(format: .csv, units: .raw)
  private static let wall: Int64 = 1_795_228_687_123_456_789

  /// A log of an LSM6DSO at 104 Hz, with a gap and counts at their ends.
  private func log(wall: Int64? = wall, temperature: Bool = true) throws -> TestLog {
    var log = TestLog(
      TestLog.description(
        channels: temperature ? .all : [.accelerometer, .gyroscope], rate: hertz(104),
        accelerometerScale: Fraction(122, 1_000_000), gyroscopeScale: Fraction(17_500, 1_000_000),
        temperatureScale: Fraction(1, 256), temperatureOffset: Fraction(25, 1)))
    if let wall { log.clock(0, wall: wall) }
    var generator = SeededGenerator(seed: 11)
    for tick in 0..<300 as Range<UInt64> where !(100..<110).contains(tick) {
      var sample = RawSample(&generator)
      if tick == 7 { (sample.ax, sample.gz) = (-32768, 32767) }
      log.sample(tick, hertz(104).nanoseconds(atTick: tick) + 1234, sample)
    }
    return log
  }

  @Test(
    "counts and times come back exactly from documents and records in every unit",
    arguments: [ExportFormat.json, .ndjson], [ExportUnits.si, .gDps, .raw])
  func records(_ format: ExportFormat, _ units: ExportUnits) throws {
    let log = try log()
    // With the mark that some editors put before a text.
    let text = try "\u{FEFF}" + log.export(ExportOptions(format: format, units: units))
    var options = Imports.options
    // Records of random counts have no length from which a unit could be told; chips' scales tell it.
    if format == .ndjson, units == .raw { options.accelerometerScale = Fraction(122, 1_000_000) }
    let importer = try Imports.csv(text, options)
    #expect(importer.end.ledger.lost == 10)
    if format == .json {
      #expect(importer.clockPairs.first?.wallAtStart == Self.wall)
      #expect(importer.description.sensor.gyroscopeScale == Fraction(17_500, 1_000_000))
      #expect(importer.description.sensor.temperatureOffset == Fraction(25, 1))
    }
    #expect(try TestLog.export(Imports.log(importer), Self.counts).text == log.export(Self.counts))
  }

  @Test("marks, labels, causes of gaps and sensor events come back from a document")
  func notes() throws {
    var log = try log()
    log.gap(100, 10, .missed)
    log.event(105, .lost, .bus)
    log.mark(2_500_000_001, "jump")
    log.mark(-7)
    var options = ExportOptions(format: .json)
    options.labels = [
      try RecordingLabel("a & \u{e4}", from: -5, to: 1_000_000_001),
      try RecordingLabel("b", from: 7, to: 9),
    ]
    let importer = try Imports.csv(log.export(options))
    #expect(
      importer.marks.sorted { $0.time < $1.time } == [
        Mark(time: -7), Mark(time: 2_500_000_001, label: "jump"),
      ])
    #expect(importer.labels == options.labels)
    #expect(importer.end.ledger.missed == 10 && importer.end.ledger.lost == 0)
    let records = try Imports.records(importer)
    #expect(records.compactMap(\.gap) == [Gap(firstTick: 100, count: 10, cause: .missed)])
    #expect(records.compactMap(\.sensorEvent) == [SensorEvent(tick: 105, kind: .lost, fault: .bus)])
    let again = try TestLog.export(
      Imports.log(Imports.csv(log.export(options))), ExportOptions(format: .json)
    ).text
    #expect(again.contains("\"tick\":100,\"count\":10,\"cause\":\"missed\"}"))
    #expect(again.contains("\"tick\":105,\"kind\":\"lost\",\"fault\":\"bus\"}"))
  }

  @Test("a key that is written with escapes is the key that they stand for")
  func escapedKeys() throws {
    let text = """
      {"t_ns":0,"\\u0061x":1}
      {"t_ns":100000000,"ax":-2}
      {"t\\u005fns":200000000,"a\\u0078":3}

      """
    let records = try Imports.records(Imports.csv(text))
    #expect(records.map(\.sample.ax) == [1, -2, 3])
    #expect(records.map(\.time) == [0, 100_000_000, 200_000_000])
    let error = try #require(Imports.csvError("{\"t_ns\":0,\"\\u00zzx\":1}\n"))
    #expect("\(error)".hasPrefix("table.csv, line 1, byte 19: this is not valid JSON"), "\(error)")
  }

  @Test("gaps before the first and after the last sample come back; one without a hole does not")
  func causes() throws {
    func document(_ count: Int) -> String {
      """
      {"gaps":[{"t_ns":80000000,"tick":8,"count":3,"cause":"stale"},
        {"t_ns":0,"tick":0,"count":2,"cause":"reinitialising"},
        {"t_ns":40000000,"tick":4,"count":\(count),"cause":"busError","errno":5}],
      "sensorEvents":[{"t_ns":10000000,"tick":1,"kind":"back","fault":"none"},
        {"t_ns":90000000,"tick":9,"kind":"lost","fault":"noData"}],
      "samples":[{"t_ns":20000000,"ax":1},{"t_ns":30000000,"ax":-2},{"t_ns":50000000,"ax":3},
        {"t_ns":60000000,"ax":4},{"t_ns":70000000,"ax":5}]}
      """
    }
    let right = try Imports.csv(document(1))
    #expect(right.end.ledger.reinitialising == 2 && right.end.ledger.busErrors == 1)
    #expect(right.end.ledger.scheduled == 11)
    #expect(!right.remarks.contains { $0.contains("left out") }, "\(right.remarks)")
    let records = try Imports.records(right)
    #expect(
      records.compactMap(\.gap) == [
        Gap(firstTick: 0, count: 2, cause: .reinitialising),
        Gap(firstTick: 4, count: 1, cause: .busError, code: 5),
        Gap(firstTick: 8, count: 3, cause: .stale),
      ])
    #expect(
      records.compactMap(\.sensorEvent) == [
        SensorEvent(tick: 1, kind: .back, fault: .none),
        SensorEvent(tick: 9, kind: .lost, fault: .noData),
      ])
    #expect(records.filter { $0.kind == .sample }.map(\.tick) == [2, 3, 5, 6, 7])
    let wrong = try #require(Imports.csvError(document(7)))
    #expect(wrong.description.contains("item 3 of \"gaps\": its gap has 7 ticks"), "\(wrong)")
  }

  @Test("a document is read whatever the order of its members and of its samples' members")
  func order() throws {
    let text = """
      {"samples":[
        {"ay":"-0.5", "t_ns" : 0, "ax":0.25,
         "other":{"a":[1,"}"]}},
        {"t_ns":10000000,"ax":-1.5,"ay":1.0}
      ],"units":{"ax":"g","ay":"g"},"note":"kept","sensor":{"accelerometerScale_g":[1,4096]},
      "format":"imulog-json","started":"2026-11-21T02:38:07.123Z"}
      """
    var silent = Imports.options
    silent.note = ""
    let importer = try Imports.csv(
      text.replacing("\"other\":{\"a\":[1,\"}\"]}", with: "\"t_lo_ns\":null"), silent)
    #expect(importer.description.sensor.accelerometerScale == Fraction(1, 4096))
    #expect(importer.description.note == "kept")
    #expect(
      try Imports.records(importer).map(\.sample) == [
        RawSample(ax: 1024, ay: -2048), RawSample(ax: -6144, ay: 4096),
      ])
  }

  @Test("a gcsv comes back exactly, and so does a table of Kalibr's")
  func tables() throws {
    let log = try log(temperature: false)
    let expected = try log.export(Self.counts)
    let gcsv = try Imports.csv(log.export(ExportOptions(format: .gcsv)))
    #expect(gcsv.description.sensor.gyroscopeScale == Fraction(17_500, 1_000_000))
    #expect(gcsv.description.sensor.accelerometerScale == Fraction(122, 1_000_000))
    #expect(gcsv.clockPairs.first?.wallAtStart == Self.wall / 1_000_000_000 * 1_000_000_000)
    #expect(try TestLog.export(Imports.log(gcsv), Self.counts).text == expected)

    let kalibr = try Imports.csv(log.export(ExportOptions(format: .kalibr)))
    #expect(kalibr.clockPairs.first?.wallAtStart == Self.wall + 1234)
    let again = try TestLog.export(Imports.log(kalibr), Self.counts).text
    func rows(_ text: String) -> [Substring] {
      text.split(separator: "\n").map { $0[($0.firstIndex(of: ",") ?? $0.startIndex)...] }
    }
    #expect(rows(again) == rows(expected))
    #expect(again.hasPrefix("t_ns,ax,ay,az,gx,gy,gz\n0,"))
  }

  @Test("Sensor Logger's list of two sensors, all of its values strings, becomes one recording")
  func sensorLogger() throws {
    let start = 1_763_800_000_000_000_000
    var text = "["
    for row in 0..<10 {
      text += """
        {"sensor":"Accelerometer","time":"\(start + row * 10_000_000)","seconds_elapsed":"0.0\(row)","z":"-0.25","y":"0.5","x":"0.0\(row)"},

        """
    }
    text += "{\"sensor\":\"Metadata\",\"version\":\"3\",\"platform\":\"ios\"},"
    text += (0..<10).map { row in
      """
      {"sensor":"Gyroscope","time":"\(start + 1_000_000 + row * 10_000_000)","seconds_elapsed":"0","z":"1.5","y":"-2.0","x":"0.\(row)"}
      """
    }.joined(separator: ",")
    text += "]"
    let rates = text.split(separator: "\n").filter { $0.contains("Gyroscope") }.joined()
    let alone = try Imports.csv("[" + rates)
    #expect(alone.description.channels == .gyroscope)
    let importer = try TableImporter(
      ArraySource(Array(text.utf8), name: "walk.json"), Imports.options)
    #expect(importer.description.channels == [.accelerometer, .gyroscope])
    #expect(importer.clockPairs.first?.wallAtStart == Int64(start))
    #expect(importer.remarks.contains { $0.contains("two tables are joined") })
    let sensor = importer.description.sensor
    let records = try Imports.records(importer)
    #expect(records.map(\.time) == (0..<10).map { $0 * 10_000_000 })
    for (row, record) in records.enumerated() {
      let ax = Double(record.sample.ax) * sensor.accelerometerScale.value * 9.80665
      let gx = Double(record.sample.gx) * sensor.gyroscopeScale.value * .pi / 180
      #expect(abs(ax - Double(row) / 100) < 1e-9)
      #expect(abs(gx - Double(row) / 10) < 1e-9)
    }
  }

  @Test("objects that are written unlike the first one have their values and lines, too")
  func otherForms() throws {
    let rows = [
      "{\"t_ns\":0,\"ax\":1,\"label\":5}", "{\"t_ns\":10,\"ax\":-2,\"label\":6}",
      "{\"ax\":3,\"label\":7,\"t_ns\":20}", "{\"t_ns\": 30, \"ax\": 4}",
      "{\"t_ns\":4e1,\"ax\":5,\"label\":8}",
      "{\"t_ns\":50,\"ax\":6,\"label\":\"}\"}", "{\"t_ns\":60,\"ax\":7,\"label\":9}",
    ]
    let values: [Int16] = [1, -2, 3, 4, 5, 6, 7]
    for text in [
      rows.joined(separator: "\n"), rows.joined(separator: "\r\n") + "\r\n", rows.joined(),
      rows.joined(separator: " ") + "\n", "[" + rows.joined(separator: ",\n") + "]",
    ] {
      let records = try Imports.records(Imports.csv(text))
      #expect(records.map(\.sample.ax) == values)
      #expect(records.map(\.time) == (0..<7).map { $0 * 10 })
    }
    for (row, words) in [
      ("{\"t_ns\":5,\"ax\":1,\"label\":1}", "the time \"5\""),
      ("{\"t_ns\":70,\"ax\":1.5,\"label\":1}", "\"1.5\""),
      ("{\"t_ns\":70,\"ax\":1,\"label\":1}x", "not valid JSON"),
      ("{\"t_ns\":70,\"ax\":,\"label\":1}", "not valid JSON"),
      ("{\"t_ns\":70,\"ax\":40000,\"label\":1}", "\"40000\""),
    ] {
      let sentence =
        Imports.csvError((rows + [row]).joined(separator: "\n") + "\n")?.description ?? "taken"
      #expect(sentence.contains("line 8") && sentence.contains(words), "\(sentence)")
    }
  }

  @Test("sensors of a list that are left out are named with the number of their rows")
  func leftOut() throws {
    func rows(_ sensor: String, _ count: Int, _ more: String = "") -> String {
      (0..<count).map {
        "{\"sensor\":\"\(sensor)\",\"time\":\"17638000000\($0)0000000\",\"seconds_elapsed\":\"0\",\"z\":\"1\",\"y\":\"0.5\",\"x\":\"0.\($0)\"\(more)}"
      }.joined(separator: ",")
    }
    let parts = [
      rows("Magnetometer", 9), rows("Accelerometer", 8), rows("TotalAcceleration", 7),
      rows("Orientation", 6, ",\"qw\":\"1\""), rows("Gyroscope", 7), rows("a\u{1B}b", 1),
    ]
    let both = try Imports.csv("[" + parts.joined(separator: ",") + "]")
    #expect(both.description.channels == [.accelerometer, .gyroscope])
    #expect(
      both.remarks.first
        == "table.csv: rows of these sensors are left out: Magnetometer (9), Accelerometer (8), Orientation (6), a?b (1)"
    )
    let alone = try Imports.csv("[" + parts[1] + "]")
    #expect(!alone.remarks.contains { $0.contains("rows of") && $0.contains("left out") })
    let nameless = try Imports.csv("[" + parts[1] + ",{\"t\":1},{\"t\":2}]")
    #expect(nameless.remarks.first?.hasSuffix("left out: without a name (2)") == true)
    // Many names take little memory.
    let many = (0..<300).map { "{\"sensor\":\"s\($0)\"}" }.joined(separator: ",")
    let crowd = try Imports.csv("[" + parts[1] + "," + many + "]")
    #expect(crowd.remarks.first?.hasSuffix("s11 (1), others (288)") == true)
  }

  @Test("a magnetometer is never an accelerometer, and two devices are not mixed")
  func otherSensors() throws {
    let row = "\"time\":\"1763800000000000000\",\"z\":\"1\",\"y\":\"0.5\",\"x\":\"0.1\"}"
    #expect(throws: ImportError.self) {
      let text = "[{\"sensor\":\"Magnetometer\"," + row + "]"
      _ = try TableImporter(ArraySource(Array(text.utf8), name: "acc.json"), Imports.options)
    }
    let devices = (0..<6).map { "{\"sensor\":\"\($0 % 2)\",\"t_ns\":\($0)0,\"ax\":\($0)}" }
    let importer = try Imports.csv("[" + devices.joined(separator: ",") + "]")
    #expect(importer.remarks.first?.hasSuffix("are left out: 1 (3)") == true)
    #expect(try Imports.records(importer).map(\.sample.ax) == [0, 2, 4])
  }

  private static let wrongJSON = Refusal.list(
    #"""
    {"t_ns":0,"ax":1}\n{"t_ns":10,"ax" ⇒ table.csv, line 2, byte 33: the file ends here
    {"t_ns":0,"ax":1}\n{"t_ns":10 "ax":1}\n ⇒ line 2, byte 18: this is not valid JSON
    {"t_ns":0,"ax":1}\n{"t_ns":10}\n ⇒ line 2, byte 18: the object has no "ax"
    {"t_ns":0,"ax":1}\n{"t_ns":10,"ax":"one"}\n ⇒ line 2, byte 18, key ax: "one"
    {"t_ns":0,"ax":1}\n{"t_ns":10,"ax":40000}\n ⇒ line 2, byte 18, key ax: "40000"
    {"t_ns":9,"ax":1}\n{"t_ns":1,"ax":4}\n ⇒ line 2, byte 18, key t_ns: the time "1"
    {"t_ns":0,"ax":1}\n7\n ⇒ line 2, byte 18: a sample must be an object
    {"samples":[{"t_ns":0,"ax":1} ⇒ line 1, byte 29, sample 1: the file ends here
    {"samples":[{"t_ns":0,"ax":1}, ⇒ line 1, byte 30, sample 2: the file ends here
    {"samples":[{"t_ns":0,"ax":1}] ⇒ line 1, byte 30: the file ends here
    {"samples":[{"t_ns":0,"ax":1}]}\n{} ⇒ line 2, byte 32: this is not valid JSON
    {"samples":[]} ⇒ has no samples
    [] ⇒ has no samples
    {"samples":7} ⇒ line 1, byte 11: "samples" must be a list of objects, and a number is there
    [{"a":1}] ⇒ line 1, byte 1, sample 1: no keys that are known
    """#)

  @Test("JSON that is cut off, or is none, is refused with the line", arguments: wrongJSON)
  func wrong(_ document: Refusal) {
    let sentence = Imports.csvError(document.text)?.description
    #expect(sentence?.contains(document.words) == true, "\(sentence ?? "no error")")
  }

  @Test("an object longer than any row is refused; one that is skipped may have any length")
  func long() throws {
    let long = String(repeating: "x", count: 200_000)
    #expect(
      Imports.csvError("{\"t_ns\":0,\"ax\":1}\n{\"t_ns\":1,\"ax\":2,\"y\":\"\(long)\"}")?
        .description
        == "table.csv, line 2, byte 18: this is longer than 65536 bytes, and so no table of samples: import the table itself, with a line for each "
        + "sample"
    )
    // No number has so many digits, whoever reads it.
    let digits = String(repeating: "1", count: 70_000)
    #expect(
      Imports.csvError("{\"x\":\(digits),\"samples\":[{\"t_ns\":0,\"ax\":1}]}")?.description
        .contains("longer than 65536 bytes") == true)
    let rows = "{\"samples\":[{\"t_ns\":0,\"ax\":1,\"y\":\"\(long)\"}]"
    // It is refused where it begins: the document does not end.
    #expect(Imports.csvError(rows)?.description.contains("longer than 65536 bytes") == true)
    let skipped =
      "{\"gaps\":[\"\(long)\"],\"samples\":[{\"t_ns\":0,\"ax\":1}],\"marks\":\"\(long)\"}"
    #expect(try Imports.records(Imports.csv(skipped)).map(\.sample.ax) == [1])
  }

  private static let heads = Refusal.list(
    #"""
    t_us,ax\n0,1\n ⇒ csv
    x ⇒ csv
    {"format":"imulog-json","samples":[]} ⇒ json
    {"board":null,"format":"imulog-json" ⇒ json
    [{"sensor":"Gyroscope"}] ⇒ json
    [7] ⇒ json
    [] ⇒ json
    {"t_ns":0,"ax":1} ⇒ ndjson
    {"a":1}\n{"a":2}\n ⇒ ndjson
    {"dataType":0} ⇒ gyrodata
    {"a":1} ⇒ gyrodata
    \#u{FEFF} \r\n\#t{ ⇒ gyrodata
    """#)

  @Test("tables and kinds of JSON are told apart by their first bytes and keys", arguments: heads)
  func kinds(_ file: Refusal) throws {
    var source = ArraySource(Array(file.text.utf8), name: "file")
    let found = try ImportFormat.detect(&source)
    #expect(found.rawValue == file.words)
  }

  @Test("a kind of file that is known and not read is named, with the way to one that is")
  func foreign() {
    let refusal = ImportError.otherFormat(
      name: "file", format: "a picture (PNG)",
      remedy: "import the table from which it was drawn, or type that as CSV")
    #expect(throws: refusal) {
      var source = ArraySource([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10], name: "file")
      _ = try ImportFormat.detect(&source)
    }
  }
}
