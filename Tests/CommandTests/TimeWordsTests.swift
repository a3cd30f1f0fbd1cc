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
