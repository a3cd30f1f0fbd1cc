// SPDX-License-Identifier: Apache-2.0

import Testing
import TestSupport

/// JSON is judged with its schema, the tables of a hub and Parquet beside their other tests.
@Suite("Every time and rate is proved, estimated or claimed", .waitsForPrograms)
struct TimeWordsTests {
  private static let words: Set = ["proved", "estimated", "claimed"]

  /// The times and rates below a value that have no word.
  static func unsaid(_ value: JSON, words: JSON, in object: String = "") -> [String] {
    switch value {
    case .array(let items): return items.flatMap { unsaid($0, words: words, in: object) }
    case .object(let members):
      if let name = members["name"]?.text, object == "figures", TimeNames.needWord(name) {
        return members["word"]?.text.map(self.words.contains) == true ? [] : ["figures: \(name)"]
      }
      return members.filter { $0.key != "words" }.flatMap { key, value in
        let word = (words["\(object).\(key)"].text ?? words[key].text) ?? ""
        let isUnsaid = TimeNames.needWord(key, in: object) && !self.words.contains(word)
        return (isUnsaid ? ["\(object).\(key)"] : []) + unsaid(value, words: words, in: key)
      }
    default: return []
    }
  }

  /// Lines of what was set: the beginning of each.
  private static let settings = [
    "trigger ", "synced ", "timetable ", "filter ", "cpu latency ", "assumed ", "labels ",
    "calendar ", "next cycle ",
    // What the spectra can show, which follows from the rate above them.
    "spectra: ", "covered: ", "velocity RMS", "RMS ", "no ",
  ]

  /// The lines with a figure of time or rate, or a date, and without a word.
  private static func unsaid(_ lines: [String]) -> [String] {
    let figure = /\d ?(ns|µs|us|ms|s|min|h|[kM]?Hz|ppm)(?![\p{L}\d²\/√°])|\d{4}-\d\d-\d\d/
    return lines.filter { line in
      line.contains(figure) && !settings.contains(where: line.hasPrefix)
        && !words.contains(where: line.contains)
    }
  }

  private func expectWords(_ outcome: Outcome, _ command: String) {
    // A certificate has its bounds in brackets.
    let unsaid = TimeWordsTests.unsaid(
      command == "certify"
        ? outcome.lines.map { String($0.prefix { $0 != "(" }) } : outcome.lines)
    #expect(outcome.lines.count > 1 && unsaid.isEmpty, "\(command): \(unsaid)")
  }

  /// Recordings by the computer's grid and by the chip's clock, an import, and two whose readings or pages are damaged.
  private func recordings() throws -> Bench {
    let bench = Bench()
    try bench.record("--for", "12s", "--rate", "100", "--motion", "tumble", "--note", "grid")
    try bench.record("--for", "5s", "--rate", "1000", "--clock", "chip")
    let rows = (0..<200).map { "\($0 * 10000),\($0 % 7),2,16000\n" }.joined()
    let table = bench.file("rows.csv", "t_us,ax,ay,az\n" + rows)
    try #require(bench.run("import", table, "--units", "raw").status == 0)
    _ = bench.run("import", JSONSchemaTests.golden + "readings.imulog")
    try bench.record("--for", "20s", "--rate", "100")
    bench.directory.change("store/" + bench.recordings[4]) { $0[4096 + 2000] ^= 0x10 }
    try #require(bench.run("label", "1", "3s..8s", "walking").status == 0)
    return bench
  }

  @Test("in each line of a report, beside its figure")
  func reports() throws {
    let bench = try recordings()
    for number in 1...5 {
      expectWords(bench.run("info", "\(number)"), "info \(number)")
      expectWords(bench.run("verify", "\(number)"), "verify \(number)")
      if number != 4 { expectWords(bench.run("analyze", "\(number)"), "analyze \(number)") }
      let page = bench.run("export", "\(number)", "--format", "html").lines
      let facts = page.filter { $0.hasPrefix("<div><dt>") && !$0.hasPrefix("<div><dt>Filter") }
      #expect(facts.count > 5 && TimeWordsTests.unsaid(facts).isEmpty, "\(facts)")
    }
    expectWords(bench.run("certify", "--board", "simulator"), "certify")
    expectWords(bench.run("doctor", "--card", "--card-seconds", "0"), "doctor")
    let service = DaemonBench(["rate": "500", "trigger": "peak 2g"])
    let child = try service.startArmed()
    try service.startRecording()
    try service.wait(for: "recording") { $0["chipClock"] != .null && $0["lateness"] != .null }
    let status = service.bench.run("status")
    expectWords(status, "status")
    service.end(child)
  }

  @Test("in a line below a table, whose columns have no room")
  func tables() throws {
    let bench = try recordings()
    let fleet = FleetBench()
    try fleet.machine("one").record("--for", "1s")
    fleet.hosts("one\n")
    try #require(fleet.round().status == 0)
    for outcome in [
      bench.run("list"), fleet.hub.run(["hub", "status", "fleet", "--hosts", "hosts"]),
    ] {
      #expect(outcome.talk.contains("claimed") && outcome.talk.contains("estimated"))
      #expect(!TimeWordsTests.unsaid(outcome.lines).isEmpty)
    }
  }

  @Test("in the facts of flat metadata, for themselves and for the columns")
  func facts() throws {
    let bench = try recordings()
    for (number, options) in [
      (1, ["--time", "utc"]), (2, ["--uncertainty"]), (2, ["--grid"]), (3, []),
      (4, ["--from", "0.1s"]),
    ] {
      let lines = bench.run(
        ["export", "\(number)", "--format", "csv", "--preamble"] + options
      ).lines
      let facts = lines.prefix { $0.hasPrefix("# imulog.") }.map { $0.dropFirst(9) }
      let said = facts.filter { $0.hasPrefix("words.") }.map { $0.split(separator: ": ") }
      let words = Dictionary(
        uniqueKeysWithValues: said.map { (String($0[0].dropFirst(6)), String($0[1])) })
      let names = facts.map { $0.prefix { $0 != ":" } }
      let columns = lines[facts.count].split(separator: ",")
      for name in names.filter({ !$0.hasPrefix("words.") }) + columns {
        let parts = name.split(separator: ".").suffix(2).map { String($0) }
        guard let last = parts.last, TimeNames.needWord(last, in: parts[0]) else { continue }
        let word = words["\(parts[0]).\(last)"] ?? words[last]
        #expect(word.map(TimeWordsTests.words.contains) == true, "\(number) \(options): \(name)")
      }
      #expect(columns[0].hasPrefix("t") && words.count > 1)
      // Nothing of an import was measured here.
      if number == 3 { #expect(Set(words.values) == ["claimed"]) }
    }
    let words = try bench.run("info", "3", "--json").json()["words"]
    #expect(words["duration_s"] == "claimed" && words["rate_hz"] == "claimed")
    #expect(try bench.run("export", "1").json()["words"]["t_ns"] == "estimated")
  }
}
