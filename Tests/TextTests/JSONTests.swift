// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing
import Text

@Suite("JSON, written and read")
struct JSONTests {
  @Test("a document is an object on one line that begins with the schema")
  func document() {
    let text = JSONWriter.document { json in
      json.member("text", "a\"\\\n\t\r\u{1B}é\u{2028}\u{E0041}")
      json.member("none", nil as String?)
      json.member("yes", true)
      json.member("count", Int64.min)
      json.member("nothing", nil as Int?)
      json.member("decimal", number: "1.5")
      json.member("words", ["a", "b"])
      json.member("object") { $0.member("inner", 1) }
      json.member("list", [1, 2], onNewLines: true) { json, value in
        json.object { $0.member("n", value) }
      }
      json.member("empty", [Int]()) { $0.integer($1) }
    }
    #expect(
      text == #"""
        {"schema":1,"text":"a\"\\\n\t\r\u001bé\u2028\udb40\udc41","none":null,"yes":true,"count":-9223372036854775808,"nothing":null,"decimal":1.5,"words":["a","b"],"object":{"inner":1},"list":[{"n":1},
         {"n":2}],"empty":[]}
        """#)
  }

  @Test(
    "a ratio is rounded half up to its decimals, without needless zeros",
    arguments: [
      (10, 1, 12, "10"), (1, 3, 12, "0.333333333333"), (2, 3, 4, "0.6667"), (1, 2, 0, "1"),
      (99_999, 100_000, 4, "1"), (1, 100_000, 4, "0"), (UInt64(UInt32.max), 7, 3, "613566756.429"),
      (UInt64.max, 1, 3, "18446744073709551615"),
    ] as [(UInt64, UInt64, Int, String)])
  func ratio(_ numerator: UInt64, _ denominator: UInt64, _ decimals: Int, _ text: String) {
    var json = JSONWriter()
    json.ratio(numerator, denominator, decimals: decimals)
    #expect(json.text == text)
  }

  @Test("a stream continues after its bytes were passed on")
  func stream() {
    var json = JSONWriter()
    json.open("[")
    json.integer(1)
    var bytes = json.bytes
    json.removeBytes()
    json.integer(2)
    json.close("]")
    bytes += json.bytes
    #expect(String(decoding: bytes, as: UTF8.self) == "[1,2]")
  }

  /// Everything that a reader finds, as text.
  private static func read(_ text: String, trailingCommas: Bool = false) throws -> String {
    func value(_ json: inout JSONReader) throws -> String {
      switch try json.kind() {
      case .object:
        var members: [String] = []
        _ = try json.enterObject()
        while let key = try json.nextKey() { members.append("\(key.text)=" + (try value(&json))) }
        return "{" + members.joined(separator: " ") + "}"
      case .list:
        var items: [String] = []
        _ = try json.enterList()
        while try json.nextElement() { items.append(try value(&json)) }
        return "[" + items.joined(separator: " ") + "]"
      case .string: return "'\(try json.string() ?? "?")'"
      case .number: return (try json.double()).map { "\($0)" } ?? "?"
      case .bool: return (try json.bool()).map { "\($0)" } ?? "?"
      case .null:
        try json.skip()
        return "null"
      }
    }
    var json = JSONReader(Array(text.utf8), allowsTrailingCommas: trailingCommas)
    let found = try value(&json)
    try json.end()
    return found
  }

  @Test(
    "values of every kind are read",
    arguments: [
      ("0", "0.0"), ("-0", "-0.0"), ("1.5", "1.5"), ("-12e3", "-12000.0"), ("1E+5", "100000.0"),
      ("0.1e-7", "1e-08"), ("true", "true"), ("false", "false"), ("null", "null"), ("\"\"", "''"),
      ("[]", "[]"), ("{}", "{}"), (" [1, 2 ,{\"a\":[null]}]\n", "[1.0 2.0 {a=[null]}]"),
      (#""\u00e9\n\"\\\/\b\f\r\t""#, "'é\n\"\\/\u{8}\u{C}\r\t'"), ("\"é\"", "'é'"),
      (#""\ud83d\ude00x""#, "'😀x'"), (#"{"a":1,"b":{}}"#, "{a=1.0 b={}}"),
      (#"{"\u0061":1,"":2}"#, "{a=1.0 =2.0}"), ("1e400", "?"), ("1e-400", "?"), ("0e-400", "0.0"),
      ("4e-320", "4e-320"),
    ])
  func right(_ text: String, _ found: String) throws {
    #expect(try Self.read(text) == found)
  }

  @Test(
    "text that RFC 8259 does not allow is refused",
    arguments: [
      "", " ", "01", "1.", ".5", "+1", "1e", "--1", "0x1", "1-2", "1.e5", "tru", "truee", "nul",
      "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\u12\"", "\"\\u+123\"", "\"\\ud800\"", "\"\\udc00\"",
      "\"\\ud800\\u0041\"", "\"\\ud800\\n\"", "\"\u{1}\"", "\"\n\"", "[", "[1", "[1,", "[1,]",
      "[,1]",
      "[1 2]", "{", "{1:2}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "1 2", "[]]",
      "NaN", "Infinity", "'a'", "[1}", "{\"a\":1]", "{,}", "[,]",
    ])
  func wrong(_ text: String) {
    #expect(throws: JSONReader.Failure.notJSON) { try Self.read(text) }
  }

  @Test("a trailing comma is accepted on request")
  func trailingCommas() throws {
    #expect(try Self.read("[1,]", trailingCommas: true) == "[1.0]")
    #expect(try Self.read(#"{"a":[],}"#, trailingCommas: true) == "{a=[]}")
    for text in ["[,]", "[1,,]", "{,}", #"{"a":1,,}"#] {
      #expect(throws: JSONReader.Failure.notJSON) { try Self.read(text, trailingCommas: true) }
    }
  }

  @Test(
    "a repeated key in one object is refused, even when escaped or skipped",
    arguments: [
      #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":1}"#, #"[{"b":{"a":1,"c":{"a":1},"a":1}}]"#,
    ])
  func repeated(_ text: String) {
    for reads in [true, false] {
      do {
        var json = JSONReader(Array(text.utf8))
        if reads { _ = try Self.read(text) } else { try json.skip() }
        Issue.record("\(text) was read")
      } catch JSONReader.Failure.repeatedKey(let key) {
        #expect(key.text == "a")
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  @Test("keys that look the same and have other characters are different")
  func lookalikes() throws {
    let text = "{\"\u{E9}\":1,\"e\u{301}\":2,\"\u{212A}\":3,\"K\":4}"
    var json = JSONReader(Array(text.utf8))
    var found: [String: Int] = [:]
    #expect(try json.enterObject())
    while let key = try json.nextKey() {
      switch key {
      case "K": found["K"] = try json.integer()
      case "\u{E9}": found["one scalar"] = try json.integer()
      default: try json.skip()
      }
    }
    #expect(found == ["K": 4, "one scalar": 1])
  }

  @Test("the sets of keys of small objects stay small after a large one")
  func largeThenSmall() throws {
    let members = (0..<5000).map { "\"\($0)\":0" }.joined(separator: ",")
    var json = JSONReader(Array("[{\(members)},{\"a\":0},{\"a\":0}]".utf8))
    #expect(try json.enterList())
    var capacities: [Int] = []
    while try json.nextElement() {
      try json.skip()
      capacities.append(json.keyCapacity)
    }
    #expect(capacities[0] >= 5000)
    #expect(capacities[1] < 100 && capacities[2] < 100)
  }

  @Test("objects and lists are read 512 deep, and no deeper")
  func depth() throws {
    func text(_ depth: Int, _ opening: String, _ closing: String) -> String {
      String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
    }
    for (opening, closing) in [("[", "]"), (#"{"a":"#, "}")] {
      _ = try Self.read(text(512, opening, closing))
      for depth in [513, 100_000] {
        #expect(throws: JSONReader.Failure.notJSON) {
          try Self.read(text(depth, opening, closing))
        }
      }
    }
  }

  @Test("whole numbers are read exactly, with a fraction or an exponent too")
  func integers() throws {
    func read<Integer: FixedWidthInteger>(_ text: String, _: Integer.Type) throws -> Integer? {
      var json = JSONReader(Array(text.utf8))
      return try json.integer()
    }
    #expect(try read("18446744073709551615", UInt64.self) == .max)
    #expect(try read("-9223372036854775808", Int64.self) == .min)
    #expect(try read("18446744073709551616", UInt64.self) == nil)
    #expect(try read("-1", UInt8.self) == nil)
    #expect(try read("1e2", UInt8.self) == 100)
    #expect(try read("1.0", Int.self) == 1)
    #expect(try read("-0", Int.self) == 0)
    #expect(try read("0.5", Int.self) == nil)
    #expect(try read("\"5\"", Int.self) == nil)
  }

  @Test("text that is cut off anywhere is refused, and no byte of it makes the reader trap")
  func mutations() throws {
    let text = Array(#"{"a\u0061":[1.5e3,true,null,"\ud83d\ude00"],"b":{"c":[{}]}}"#.utf8)
    for place in text.indices {
      for skips in [false, true] {
        #expect(throws: JSONReader.Failure.self) {
          var json = JSONReader(Array(text[..<place]))
          if skips { try json.skip() } else { _ = try json.enterObject() }
          while !skips, try json.nextKey() != nil { try json.skip() }
          try json.end()
        }
      }
      for byte in Array(#""\{}[],:u0e-"#.utf8) + [0, 0x1F, 0xFF] {
        var wrong = text
        wrong[place] = byte
        _ = try? Self.read(String(decoding: wrong, as: UTF8.self))
      }
    }
  }

  @Test("a sensor has exact scales, and null for what is not known")
  func sensor() throws {
    let sensor = SensorDescription(
      model: "MPU-6050", identity: 0x68, address: nil, accelerometerRange: 4, gyroscopeRange: 0,
      accelerometerScale: Fraction(1, 8192), gyroscopeScale: Fraction(10, 655),
      temperatureScale: Fraction(1, 340), temperatureOffset: Fraction(3653, 100),
      outputDataRate: 1000, filter: "")
    var json = JSONWriter()
    json.sensor(
      of: RecordingDescription(
        id: RecordingID(high: 1, low: 2), number: 1, rate: try #require(SampleRate(100)),
        channels: .accelerometer, plannedTicks: nil, timeUnit: 1, sensor: sensor, board: "",
        host: "", software: "", note: "", syncInterval: 0, realTime: ""))
    #expect(
      json.text == #"{"model":"MPU-6050","identity":104,"address":null,"#
        + #""channels":["ax","ay","az"],"#
        + #""accelerometerRange_g":4,"gyroscopeRange_dps":null,"accelerometerScale_g":[1,8192],"#
        + #""gyroscopeScale_dps":[10,655],"temperatureScale_c":[1,340],"#
        + #""temperatureOffset_c":[3653,100],"outputDataRate_hz":1000,"filter":null}"#)
  }

  @Test("ticks and lateness are read as they were written; other values give nil")
  func shared() throws {
    var tally = TickTally()
    tally.sampled = 7
    for (count, cause) in GapCause.allCases.enumerated() { tally[cause] = UInt64(count) }
    let lateness = LatenessSummary(median: 1, percentile99: -2, maximum: .max)
    var json = JSONWriter()
    json.open("[")
    json.ticks(tally)
    json.lateness(lateness)
    json.ticks(nil)
    json.lateness(nil)
    json.close("]")
    var reader = JSONReader(json.bytes)
    _ = try reader.enterList()
    _ = try reader.nextElement()
    #expect(try reader.ticks() == tally)
    _ = try reader.nextElement()
    #expect(try reader.lateness() == lateness)
    _ = try reader.nextElement()
    #expect(try reader.ticks() == nil)
    _ = try reader.nextElement()
    #expect(try reader.lateness() == nil)
    #expect(try !reader.nextElement())
  }
}
