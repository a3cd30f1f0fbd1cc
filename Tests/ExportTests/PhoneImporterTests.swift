// SPDX-License-Identifier: Apache-2.0

import IMUModel
import OldImport
import Testing

@Suite("Import of the phone apps' recordings")
struct PhoneImporterTests {
  static let first = """
    {"identifier":"1B4E28BA-2FA1-41D2-883F-0016D3CCA427","dataType":0,"coordinateList":[\
    {"x":0.5,"y":-1,"z":1.99},{"x":0,"y":0.00006,"z":-1.5}],\
    "date":816921487.5,"duration":0.2}
    """
  static let second = """
    {"sensor":1,"date":816921487.5,"time":0.3,"axisValues":[\
    {"x":1,"y":0,"z":-1},{"x":0.5,"y":0.25,"z":0},{"x":0,"y":0,"z":4.36}]}
    """

  @Test("the first shape is dated at its last sample")
  func firstShape() throws {
    let importer = try Imports.phone(Self.first)
    let description = importer.description
    #expect(description.channels == .accelerometer)
    #expect(description.rate == hertz(10))
    #expect(description.timeUnit == 1_000_000)
    #expect(description.sensor.model == "imported")
    #expect(description.sensor.accelerometerRange == 2)
    #expect(description.sensor.accelerometerScale == Fraction(1, 16384))
    #expect(
      importer.clockPairs == [
        ClockPair(
          time: 100_000_000, wall: 1_795_228_687_500_000_000, isSynchronised: false, reason: .end)
      ])
    #expect(importer.end.ledger == TickLedger(sampled: 2))
    #expect(importer.end.reason == .imported)
    #expect(
      try Imports.records(importer) == [
        TickRecord(tick: 0, time: 0, sample: RawSample(ax: 8192, ay: -16384, az: 32604)),
        TickRecord(tick: 1, time: 100_000_000, sample: RawSample(ax: 0, ay: 1, az: -24576)),
      ])
  }

  @Test("the second shape is dated at its first sample")
  func secondShape() throws {
    let importer = try Imports.phone(Self.second)
    #expect(importer.description.channels == .gyroscope)
    #expect(importer.description.sensor.gyroscopeRange == 250)
    #expect(importer.description.sensor.gyroscopeScale == Fraction(1, 131))
    #expect(
      importer.clockPairs == [
        ClockPair(time: 0, wall: 1_795_228_687_500_000_000, isSynchronised: false, reason: .start)
      ])
    let records = try Imports.records(importer)
    #expect(records.map(\.time) == [0, 100_000_000, 200_000_000])
    // 1 rad/s = 57.29578 °/s = 7505.7 counts.
    #expect(records[0].sample == RawSample(gx: 7506, gy: 0, gz: -7506))
    #expect(records[1].sample == RawSample(gx: 3753, gy: 1876, gz: 0))
    #expect(records[2].sample == RawSample(gz: 32725))
  }

  @Test(
    "the smallest usual full scale that holds all values is taken",
    arguments: [
      (0, 1.99996, 2, Fraction(1, 16384)), (0, -2.0001, 4, Fraction(1, 8192)),
      (0, 15.9, 16, Fraction(1, 2048)), (0, 100, 128, Fraction(8, 2048)),
      (1, 4.36, 250, Fraction(1, 131)), (1, -4.4, 500, Fraction(2, 131)),
      (1, 34.8, 2000, Fraction(5, 82)), (1, 36, 4000, Fraction(10, 82)),
    ] as [(Int, Double, Int, Fraction)])
  func fullScales(_ sensor: Int, _ value: Double, _ range: Int, _ scale: Fraction) throws {
    let text = "{\"sensor\":\(sensor),\"axisValues\":[{\"x\":0,\"y\":\(value),\"z\":0.25}]}"
    let importer = try Imports.phone(text)
    let found = importer.description.sensor
    #expect((sensor == 0 ? found.accelerometerRange : found.gyroscopeRange) == range)
    #expect((sensor == 0 ? found.accelerometerScale : found.gyroscopeScale) == scale)
    #expect(importer.clockPairs.isEmpty)
    let sample = try Imports.records(importer)[0].sample
    let count = Double(sensor == 0 ? sample.ay : sample.gy)
    let back = count * scale.value * (sensor == 0 ? 1 : .pi / 180)
    #expect(abs(back - value) <= scale.value / 2)
  }

  @Test("the options' rate replaces 10 Hz")
  func rate() throws {
    var options = Imports.options
    options.rate = hertz(30)
    let importer = try Imports.phone(Self.second, options)
    #expect(importer.description.timeUnit == 1)
    #expect(try Imports.records(importer).map(\.time) == [0, 33_333_333, 66_666_666])
  }

  /// Durations of a document of four samples in seconds, and the rates that follow.
  private static let durations: [(String, SampleRate)] = [
    ("0.4", hertz(10)), ("0.39", hertz(10)), ("4", hertz(1)), ("0.004", hertz(1000)),
    ("0.3", SampleRate(13_333, per: 1000) ?? hertz(1)),
  ]

  @Test("a duration that is not that of 10 Hz gives the rate, in both shapes", arguments: durations)
  func duration(_ duration: String, rate: SampleRate) throws {
    let list = (1...4).map { "{\"x\":\($0),\"y\":0,\"z\":0}" }.joined(separator: ",")
    let first = "{\"dataType\":0,\"coordinateList\":[\(list)],\"duration\":\(duration)}"
    let second = "{\"sensor\":0,\"axisValues\":[\(list)],\"time\":\(duration)}"
    for document in [first, second] {
      #expect(try Imports.phone(document, Imports.options).description.rate == rate)
    }
  }

  @Test(
    "a duration that makes no rate is refused unless the options give the rate",
    arguments: ["0", "-1", "1e-300", "1e300", "-0.0"])
  func noRate(_ duration: String) throws {
    for document in [
      "{\"dataType\":0,\"coordinateList\":[{\"x\":1,\"y\":0,\"z\":0}],\"duration\":\(duration)}",
      "{\"sensor\":0,\"axisValues\":[{\"x\":1,\"y\":0,\"z\":0}],\"time\":\(duration)}",
    ] {
      let sentence = try #require(Imports.phoneError(document)?.description)
      #expect(sentence.hasPrefix("phone.json is not a recording of the phone apps: 1 samples in "))
      #expect(sentence.hasSuffix(" seconds make no rate: give it with --rate"))
      var options = Imports.options
      options.rate = hertz(30)
      #expect(try Imports.phone(document, options).description.rate == hertz(30))
    }
  }

  @Test("a rate at which the samples would last longer than a log is refused")
  func rateTooLow() throws {
    let list = (1...20).map { "{\"x\":\($0),\"y\":0,\"z\":0}" }.joined(separator: ",")
    var options = Imports.options
    options.rate = SampleRate(decimal: "0.000000001")
    #expect(throws: ImportError.rateTooLow(name: "phone.json", given: "0.000000001")) {
      _ = try Imports.phone("{\"dataType\":0,\"coordinateList\":[\(list)]}", options)
    }
  }

  @Test("a document without a duration is imported at 10 Hz, and a remark says so")
  func noDuration() throws {
    let document = "{\"sensor\":0,\"axisValues\":[{\"x\":1,\"y\":0,\"z\":0}]}"
    let importer = try Imports.phone(document)
    #expect(importer.description.rate == hertz(10))
    #expect(
      importer.remarks
        == ["phone.json does not say how long it took: 10 Hz is assumed; give it with --rate"])
    #expect(try Imports.phone(Self.second).remarks == [])
  }

  private static let longKey = String(repeating: "k", count: 1000)
  private static let wrongDocuments = Refusal.list(
    #"""
     ⇒ phone.json is empty: there is nothing to import
    { ⇒ phone.json is not a recording of the phone apps: it ends at byte 1, inside a value or a list: it is cut off, so fetch it again
    [1] ⇒ phone.json is not a recording of the phone apps: the document is not an object
    {} ⇒ phone.json is JSON of an unknown form, which import does not read: it takes a document of `imulog export --format json`, objects with a time and axes such as {"t_us":0,"ax":1}, in a list or one after the other, and the phone apps' documents with "coordinateList" or "axisValues"
    {"sensor":0,"dataType":0,"coordinateList":[],"axisValues":[{"x":1,"y":2,"z":3}]} ⇒ phone.json is not a recording of the phone apps: it has both "coordinateList" and "axisValues": take one of them out
    {"dataType":0,"sensor":1,"coordinateList":[{"x":1,"y":2,"z":3}]} ⇒ phone.json is not a recording of the phone apps: "sensor" does not go with "coordinateList", whose documents have "dataType": rename it, or take it out
    {"dataType":0,"coordinateList":[{"x":1,"y":2,"z":3}],"time":20} ⇒ phone.json is not a recording of the phone apps: "time" does not go with "coordinateList", whose documents have "duration": rename it, or take it out
    {"sensor":1,"dataType":1,"axisValues":[{"x":1,"y":2,"z":3}]} ⇒ phone.json is not a recording of the phone apps: "dataType" does not go with "axisValues", whose documents have "sensor": rename it, or take it out
    {"sensor":1,"axisValues":[{"x":1,"y":2,"z":3}],"time":0.2,"duration":0.1} ⇒ phone.json is not a recording of the phone apps: "duration" does not go with "axisValues", whose documents have "time": rename it, or take it out
    {"dataType":0,"dataType":1,"coordinateList":[{"x":1,"y":2,"z":3}]} ⇒ phone.json is not a recording of the phone apps: "dataType" stands twice in one object, the second time before byte 24: take one of them out
    {"dataType":0,"d\u0061taType":1,"coordinateList":[{"x":1,"y":2,"z":3}]} ⇒ phone.json is not a recording of the phone apps: "dataType" stands twice in one object, the second time before byte 29: take one of them out
    {"\#(longKey)":0,"\#(longKey)":1} ⇒ phone.json is not a recording of the phone apps: "\#(longKey.prefix(40))…" stands twice in one object, the second time before byte 2008: take one of them out
    {"words":["a","a",{"k\"":1}],"sensor":1,"axisValues":[{"x":1,"y":2,"z":3,"y":2}]} ⇒ phone.json is not a recording of the phone apps: "y" stands twice in one object, the second time before byte 76: take one of them out
    {"coordinateList":[{"x":1,"y":2,"z":3}]} ⇒ phone.json is not a recording of the phone apps: "dataType" is missing
    {"sensor":2,"axisValues":[{"x":1,"y":2,"z":3}]} ⇒ phone.json is not a recording of the phone apps: "sensor" is 2, not 0 (accelerometer) or 1 (gyroscope)
    {"sensor":0,"axisValues":[{"x":1,"y":2,"z":3},{"x":1,"z":3}]} ⇒ phone.json is not a recording of the phone apps: "axisValues[1].y" is missing, before byte 59
    {"sensor":0,"axisValues":[{"x":1,"y":"2","z":3}]} ⇒ phone.json is not a recording of the phone apps: "axisValues[0].y" is not a number, before byte 40
    {"sensor":0,"axisValues":[{"x":1,"y":null,"z":3}]} ⇒ phone.json is not a recording of the phone apps: "axisValues[0].y" is null, before byte 41
    {"sensor":0,"axisValues":[{"x":1,"y":NaN,"z":3}]} ⇒ phone.json is not a recording of the phone apps: it is not valid JSON at byte 37: correct it, or fetch it again
    {"sensor":0,"axisValues":[{"x":1,"y":1e400,"z":3}]} ⇒ phone.json is not a recording of the phone apps: "axisValues[0].y" is not a number that can be read, before byte 42
    {"a":\#(String(repeating: "[", count: 600)) ⇒ phone.json is not a recording of the phone apps: at byte 516 more than 512 objects and lists are in each other
    {"dataType":0,"coordinateList":5} ⇒ phone.json is not a recording of the phone apps: "coordinateList" is not a list, before byte 32
    {"sensor":0,"axisValues":[{"x":1,"y":2,"z":1e9}]} ⇒ phone.json is not a recording of the phone apps: a value of 1000000000.0 is beyond anything that a sensor gives
    {"sensor":0,"date":1e300,"axisValues":[{"x":1,"y":2,"z":1}]} ⇒ phone.json is not a recording of the phone apps: "date" is 1e+300, which is no date
    {"identifier":"X","dataType":1,"coordinateList":[],"duration":0} ⇒ the recording in phone.json has no samples: there is nothing to import
    """#)

  @Test("an error is one sentence", arguments: wrongDocuments)
  func wrong(_ document: Refusal) {
    #expect(Imports.phoneError(document.text)?.description == document.words)
  }

  @Test("UTF-16 and UTF-32 are refused as such", arguments: WideEncoding.all)
  func wide(_ encoding: WideEncoding) {
    for word in ["X", "\u{2200}", "\u{5C22}", "\u{7D7D}\u{5D22}"] {
      let bytes = encoding.bytes(Self.first.replacing("1B4E28BA", with: word))
      #expect(Imports.phoneError(bytes) == .notUTF8(name: "phone.json"))
      #expect(throws: ImportError.notUTF8(name: "phone.json")) {
        var source = ArraySource(bytes, name: "phone.json")
        _ = try ImportFormat.detect(&source)
      }
    }
  }

  @Test("a byte order mark of UTF-8 is accepted")
  func byteOrderMark() throws {
    #expect(
      try Imports.log(Imports.phone("\u{FEFF}" + Self.first))
        == Imports.log(Imports.phone(Self.first)))
  }

  @Test("a document that is cut off or has a wrong byte anywhere is refused or imported")
  func wrongBytes() {
    let document = Array(
      #"{"d\u0061te":1,"a":"\"","b":[["}"],{}],"sensor":1,"axisValues":[{"x":1,"y":2,"z":3}]}"#.utf8
    )
    #expect(Imports.phoneError(document) == nil)
    for place in document.indices {
      #expect(Imports.phoneError(Array(document[..<place])) != nil)
      for byte in Array(#""\{}[],:"#.utf8) + [0xFF, 0xC3] {
        var wrong = document
        wrong[place] = byte
        let error = Imports.phoneError(wrong)
        #expect(byte < 0x80 || error == .notUTF8(name: "phone.json"))
      }
    }
  }
}
