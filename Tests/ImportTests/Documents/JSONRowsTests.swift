// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing
import Text

@testable import Import

@Suite("Rows of JSON")
struct JSONRowsTests {
  private static let rows = [
    #"{"t_us":5,"ax":-1,"who":{"ax":9}}"#, #"{"ax":2.50,"t_us":17,"n":null}"#,
    #"{"t_us":40,"ax":"3"}"#,
  ]

  private static let files: [(text: String, shape: Syntax.Shape)] = [
    (rows.joined(separator: "\n"), .sequence),
    (rows.joined(separator: " "), .sequence),
    ("\u{FEFF}[" + rows.joined(separator: " ,\r\n") + "]\n", .list),
    (
      #"{"note":"x","samples":["# + rows.joined(separator: ",") + #"],"units":{"ax":"g"}}"#,
      .document
    ),
  ]

  @Test(
    "of this program stand beside members of any kind and length, and of others beside no list of objects"
  )
  func otherMembers() throws {
    let pairs = String(repeating: #"{"t_ns":0,"wall":"2026-11-21T02:38:07Z"},"#, count: 2000) + "{}"
    let rest =
      #""clock":{"pairs":[\#(pairs)]},"damage":[{"page":1}],"samples":[{"t_us":5,"ax":1}]}"#
    let own = try JSONRows(TextSource(ByteSource(#"{"format":"imulog-json",\#(rest)"#)))
    #expect(own.names.starts(with: ["t_us", "ax"]))
    for other in ["{", #"{"format":"other","#] {
      #expect(throws: ImportError.self) { _ = try JSONRows(TextSource(ByteSource(other + rest))) }
    }
    let long = rest.replacing(#""damage":[{"page":1}],"#, with: "")
    #expect(try JSONRows(TextSource(ByteSource("{" + long))).names.starts(with: ["t_us", "ax"]))
  }

  @Test(
    "are found in a sequence, a list and a document, in pieces, and again",
    arguments: files.indices, [1, 3, 64, .max])
  func shapes(_ index: Int, _ piece: Int) throws {
    let file = JSONRowsTests.files[index]
    let rows = try JSONRows(TextSource(ByteSource(file.text, piece: piece)))
    #expect(rows.shape == file.shape)
    #expect(rows.names == ["t_us", "ax", "who", "n", "gap", "gap_ticks"])
    for _ in 0..<2 {
      var (found, marks): ([String], [RowMark]) = ([], [])
      while let object = try rows.next() {
        found.append(String(decoding: object, as: UTF8.self))
        marks.append(rows.mark)
      }
      #expect(found == JSONRowsTests.rows)
      try rows.rewind(to: marks[1])
      let second = try #require(try rows.next())
      #expect(String(decoding: second, as: UTF8.self) == JSONRowsTests.rows[1])
      #expect(rows.mark == marks[1])
      try rows.rewind()
    }
  }

  @Test("of a document have its facts, before the samples and behind them")
  func facts() throws {
    let text = #"""
      {"format":"imulog-json","schema":1,"note":"a\u0041","sensor":{"model":"MPU-6050","accelerometerScale_g":[1,16384],
      "gyroscopeScale_dps":[10,655],"temperatureScale_c":[1,340],"temperatureOffset_c":[3653,100],"accelerometerRange_g":2},
      "rate_hz":333.333333333333,"started":"2026-11-21T02:38:07Z","axes":null,"complete":true,"units":{"t_ns":"ns","ax":"m/s²"},
      "ticks":{"scheduled":9,"sampled":4},"gaps":[{"t_ns":30,"tick":3,"count":5,"cause":"busError","errno":5}],
      "marks":[{"t_ns":-7,"label":"jump"},{"label":"no time"},3],"labels":[{"from_ns":1,"to_ns":9,"name":"walk"}],
      "sensorEvents":[{"t_ns":30,"tick":3,"kind":"lost","fault":"bus"}],"samples":[{"t_ns":0,"ax":1}]}
      """#
    for moved in [
      text,
      text.replacing(#""samples":[{"t_ns":0,"ax":1}]}"#, with: #""x":1}"#)
        .replacing(#"{"format""#, with: #"{"samples":[{"t_ns":0,"ax":1}],"format""#),
    ] {
      let facts = try JSONRows(ByteSource(moved)).facts
      #expect(facts.note == "aA" && facts.started == 1_795_228_687_000_000_000)
      #expect(facts.rate == SampleRate(1000, per: 3))
      #expect(
        facts.units == [.accelerometer: .metrePerSecondSquared] && facts.accelerometerRange == 2)
      #expect(facts.scales[.gyroscope] == Scale(ratio: Fraction(10, 655)))
      #expect(
        facts.scales[.temperature] == Scale(ratio: Fraction(1, 340), offset: Fraction(3653, 100)))
      #expect(facts.ticks == 9)
      #expect(facts.notes.gaps == [Gap(firstTick: 3, count: 5, cause: .busError, code: 5)])
      #expect(facts.notes.events.count == 1)
      #expect(facts.notes.marks == [Mark(time: -7, label: "jump")])
      #expect(facts.notes.labels.map(\.name) == ["walk"])
      #expect(
        facts.notes.leftOut
          == [
            "items of \"marks\" that are not whole, or beyond what a log holds, are left out: 2"
          ])
    }
  }

  @Test("are refused where they are not JSON, with the place")
  func refused() {
    for (text, words) in [
      (#"{"t_us":1,"ax":2}⏎3"#.replacing("⏎", with: "\n"), "line 2, byte 18: a sample is a number"),
      (#"[{"t_us":1},{"t_us":"#, "byte 12, sample 2: the file ends inside"),
      (#"[{"t_us":1} {"t_us":2}]"#, "byte 12, sample 1: this is not JSON"),
      (#"{"samples":3}"#, "\"samples\" is a number where a list of objects must be"),
      (#"{"schema":2,"samples":[]}"#, "it is of schema 2, which a later version of imulog writes"),
      ("[]", "has no samples"),
      (#"{"rate_hz":1,"rate_hz":2,"samples":[{"t_us":1}]}"#, "\"rate_hz\" is there twice"),
      (#"{"samples":[{"t_us":1}],"samples":[]}"#, "\"samples\" is there twice"),
    ] {
      #expect {
        let rows = try JSONRows(ByteSource(text))
        while try rows.next() != nil {}
      } throws: {
        "\($0)".contains(words)
      }
    }
  }

  @Test("of several sensors are refused, and read with the members of one")
  func sensors() throws {
    func list(_ second: String) -> String {
      #"""
      [{"sensor":"TotalAcceleration","time":"1","seconds_elapsed":"0","x":1,"y":2,"z":9},
      {"sensor":"\#(second)","time":"2000001","seconds_elapsed":"1","x":1,"y":2,"z":9}]
      """#
    }
    #expect(
      try Tables.refusal(list("Gyroscope"))?.contains(
        #""sensor": its value changes, "TotalAcceleration", "Gyroscope""#) == true)
    let other = try Tables.refusal(list("TotalAcceleration"))
    #expect(other == nil, "\(other ?? "")")
  }

  @Test("have the keys of the first ones, however many these are")
  func late() throws {
    func refusal(_ last: String, in list: Bool) throws -> String? {
      var rows = (0..<70).map { #"{"t_ms":\#($0),"ax":1}"# } + ["{\(last)}"]
      if list { rows = ["[" + rows.joined(separator: ",\n") + "]"] }
      return try Tables.refusal(rows.joined(separator: "\n"), "--units raw --sort")
    }
    for key in ["gx", "note", "activity"] {
      for list in [false, true] {
        let words = try refusal(#""t_ms":70,"ax":1,"\#(key)":2"#, in: list)
        #expect(words?.contains("line 71") == true && words?.contains("\"\(key)\"") == true)
      }
      #expect(try refusal(#""t_ms":70,"ax":1,"\#(key)":null"#, in: false) == nil)
    }
    // Many in each row, and others in each.
    let many = (0..<64).map { row in
      #"{"t_ms":\#(row),"ax":1"# + (0..<5000).map { #","\#(row)_\#($0)":1"# }.joined() + "}"
    }
    #expect(try Tables.refusal(many.joined(separator: "\n"))?.contains("4096 keys") == true)
  }
}
