// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import TestSupport
import Testing

@testable import OldImport

@Suite("Import of a document of a part, and of gaps that do not fit")
struct PartImportTests {
  /// An imported recording whose samples are up to `jitter` of a period early or late, with gaps of one to forty ticks,
  /// some of two causes.
  private static func irregular(
    _ rate: SampleRate, jitter: Double, _ generator: inout SeededGenerator
  )
    -> TestLog
  {
    var description = TestLog.description(channels: .all, rate: rate)
    description.sensor = .imported(
      accelerometerRange: 0, gyroscopeRange: 0, accelerometerScale: Fraction(1, 16384),
      gyroscopeScale: Fraction(1, 131), temperatureScale: Fraction(1, 340),
      temperatureOffset: Fraction(3653, 100))
    var log = TestLog(description)
    var (tick, time, ledger) = (0 as UInt64, 0 as Int64, TickLedger())
    let causes: [GapCause] = [.lost, .missed, .busError]
    while tick < 600 {
      if tick > 0, generator.next() % 40 == 0 {
        for _ in 0...Int(generator.next() % 2) {
          let count = generator.next() % 40 + 1
          let cause = causes[Int(generator.next() % 3)]
          log.gap(tick, count, cause)
          ledger.add(count, cause)
          tick += count
          time += Int64(Double(count) * rate.period)
        }
      }
      let step = rate.period * (1 + jitter * (Double(generator.next() % 2001) / 1000 - 1))
      time += max(1, Int64(step))
      let sample = RawSample(&generator)
      log.sample(tick, time, sample)
      ledger.sampled += 1
      tick += 1
    }
    log.end(ledger, .imported)
    return log
  }

  private static func rows(_ options: ExportOptions) -> ExportOptions {
    var rows = options
    (rows.format, rows.gaps, rows.from, rows.to) = (.csv, .rows, nil, nil)
    return rows
  }

  @Test(
    "random parts of an irregular recording come back with their times, counts and gaps",
    arguments: [
      (0.2, nil), (0.45, nil), (0.9, nil),
      // Has a part whose only gap is before its first sample.
      (0.45, 2_968_877_369_175_822_970),
    ] as [(Double, UInt64?)])
  func parts(_ jitter: Double, seed: UInt64?) throws {
    let seed = seed ?? UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    for round in 0..<12 {
      let rate = [hertz(2237, per: 9), hertz(104), hertz(1000, per: 3)][round % 3]
      let log = try Self.irregular(rate, jitter: jitter, &generator).bytes()
      let length = UInt64(600 * rate.period)
      var options = ExportOptions(format: .json, units: .raw)
      let from = Int64(generator.next() % (length / 2))
      options.from = round % 4 == 3 ? nil : from
      options.to = round % 4 == 2 ? nil : from + Int64(length / 8 + generator.next() % (length / 2))
      let text = try TestLog.export(log, options).text
      var table = Self.rows(options)
      (table.from, table.to) = (options.from, options.to)
      let expected = try TestLog.export(log, table).text.split(separator: "\n")
      let importer = try Imports.csv(text)
      let found = try TestLog.export(Imports.log(importer), Self.rows(options)).text
        .split(separator: "\n")
      // What is before the first sample and after the last one has other samples beside it in the whole recording.
      func inner(_ rows: [Substring]) -> [String] {
        let isGap = { (row: Substring) in row.contains(",,") && row.last?.isNumber == true }
        let first = rows.firstIndex { !isGap($0) && !$0.hasPrefix("t_ns") } ?? 0
        let last = rows.lastIndex { !isGap($0) } ?? 0
        guard first <= last else { return [String]() }
        // The time of a gap is rounded from ticks that count from elsewhere.
        return rows[first...last].map { row in
          isGap(row) ? String(row.drop { $0 != "," }) : String(row)
        }
      }
      #expect(inner(found) == inner(expected), "seed \(seed), round \(round), jitter \(jitter)")
    }
  }

  private static let samples = (0..<60).map {
    "{\"t_ns\":\($0)0000000,\"ax\":\($0),\"ay\":0,\"az\":16384}"
  }.joined(separator: ",\n")

  private static func document(_ gaps: String, _ members: String = "") -> String {
    "{\"format\":\"imulog-json\",\"schema\":1,\"rate_hz\":100,\(members)\n"
      + "\"units\":{\"ax\":\"count\",\"ay\":\"count\",\"az\":\"count\"},\n"
      + "\"gaps\":[\(gaps)],\n\"samples\":[\n\(samples)]}"
  }

  @Test(
    "a gap that the times around it leave no room for is refused with its line and its item",
    arguments: [
      (50_000_000, 5, 3), (50_000_000, 5, 99_999_999_999_999), (-30_000_000, 0, 99_999_999_999_999),
      (600_000_000, 60, 99_999_999_999_999_999), (50_000_000, 5, 1 << 60), (10_000_000, 0, 2),
    ])
  func misfits(_ time: Int, _ tick: Int, _ count: Int) {
    let gap = "{\"t_ns\":\(time),\"tick\":\(tick),\"count\":\(count),\"cause\":\"lost\"}"
    let error = Imports.csvError(Self.document(gap))
    let sentence = error?.description ?? "taken"
    #expect(
      sentence.contains("line 3, byte ") && sentence.contains("item 1 of \"gaps\"")
        && sentence.contains("its gap has \(count) ticks"), "\(sentence)")
    #expect(error?.exitStatus == .damagedData)
  }

  @Test("items that no recording can have are named, with the reason")
  func items() throws {
    let long = String(repeating: "x", count: 201)
    let importer = try Imports.csv(
      Self.document(
        "{\"t_ns\":600000000,\"tick\":60,\"count\":0,\"cause\":\"lost\"}",
        "\"marks\":[{\"t_ns\":0,\"label\":\"a\"},{\"t_ns\":0,\"label\":\"\(long)\"}],"
          + "\"labels\":[{\"from_ns\":0,\"to_ns\":9,\"name\":\"=1\"}],"))
    for words in [
      "1 mark of table.csv is left out, the first as item 2 of \"marks\": its text is longer than 200",
      "the first as item 1 of \"labels\": the label \"=1\"",
      "the first as item 1 of \"gaps\": its count is not above 0",
    ] {
      #expect(importer.remarks.contains { $0.contains(words) }, "\(words): \(importer.remarks)")
    }
  }

  @Test(
    "what is no list where one should be is left out, which is said, and null is none",
    arguments: ["marks", "labels", "sensorEvents"], ["\"x\"", "{}", "7", "false", "null"])
  func unlisted(_ key: String, _ value: String) throws {
    let remarks = try Imports.csv(Self.document("", "\"\(key)\":\(value),")).remarks
    let said = remarks.filter { $0.contains("left out: \"\(key)\" is no list") }
    #expect(said.count == (value == "null" ? 0 : 1), "\(remarks)")
  }

  @Test(
    "a scale that is none is left out, which is said",
    arguments: ["[1,0]", "[0,1]", "0.5", "\"x\"", "[1]", "[1.5,2]", "{}", "true"])
  func scales(_ scale: String) throws {
    func remarks(_ scale: String) throws -> [String] {
      try Imports.csv(Self.document("", "\"sensor\":{\"accelerometerScale_g\":\(scale)},")).remarks
    }
    let found = try remarks(scale)
    #expect(
      found.contains { $0.contains("its accelerometerScale_g ") && $0.contains("left out") },
      "\(found)")
    for fine in ["null", "[1,16384]"] {
      #expect(try !remarks(fine).contains { $0.contains("accelerometerScale_g") })
    }
  }

  @Test("a note that does not fit is refused with its line, unless another one is given")
  func longNote() throws {
    let long = String(repeating: "n", count: 1001)
    for (text, line) in [
      (Self.document("", "\n\"note\":\"\(long)\","), "line 2"),
      ("# imulog.board: a\n# imulog.note: \(long)\nt_ns,ax\n0,1\n10,2\n", "line 2"),
      ("GYROFLOW IMU LOG\nversion,1.3\nnote,\(long)\nt,gx,gy,gz\n0,1,2,3\n1,2,3,4\n", "line 3"),
    ] {
      var options = Imports.options
      options.note = ""
      let error = Imports.csvError(text, options)
      let sentence = error?.description ?? "taken"
      #expect(
        sentence.contains(line) && sentence.contains("1001 bytes") && sentence.contains("--note"),
        "\(sentence)")
      #expect(error?.exitStatus == .damagedData)
      options.note = "short"
      #expect(try Imports.csv(text, options).description.note == "short")
    }
  }

  @Test(
    "any note comes back from a preamble",
    arguments: [
      #"a,=1+1;@x \u003b C:\new \\ end\"#, "two\nlines\r\nand \u{85}, \u{2028}", " spaces ",
      "\u{202E}\u{E0041}\u{1F600}",
      "a=b, c; d", "\"quoted\"",
    ])
  func notes(_ note: String) throws {
    var log = try TestLog.ramp(TestLog.description(), [1, -2, 3])
    log.description.note = note
    let options = ExportOptions(format: .csv, units: .raw).with { $0.hasPreamble = true }
    let text = try log.export(options)
    var given = Imports.options
    given.note = ""
    #expect(try Imports.csv(text, given).description.note == note, "\(text.prefix(600))")
  }

  @Test("an object of unknown form is refused with those that are read, Edge Impulse's by name")
  func unknown() {
    let other = Imports.phoneError("{\"rows\":[1,2]}")?.description ?? "taken"
    for words in ["JSON of an unknown form", "--format json", "t_us", "coordinateList"] {
      #expect(other.contains(words), "\(other)")
    }
    let sample = Imports.phoneError(
      #"{"protected":{"ver":"v1"},"signature":"00","payload":{"interval_ms":10,"values":[[1,2,3]]}}"#
    )
    #expect(
      sample?.description.contains("is Edge Impulse's document, which import does not read") == true
    )
  }
}
