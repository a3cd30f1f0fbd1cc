// SPDX-License-Identifier: Apache-2.0

import Export
import Files
@testable import Hub
import LogStore
import LogStoreTesting
import Testing
import TestSupport
import Text

@Suite("Each table of a hub")
struct HubTableTests {
  private let directory = TemporaryDirectory(inMemory: true)

  @Test(
    "writes whole Parquet, the same of the same log, and heeds labels",
    arguments: [("samples", false), ("features", true)])
  func tables(_ name: String, hasLabels: Bool) throws {
    let table = try #require(HubTable.all.first { $0.name == name })
    let log = try ExampleLog(ticks: 200, seed: 7)
    directory.write(log.bytes, to: ExampleLog.fileName(1, of: log.description.id))
    let plain = try write(table, LabelList())
    #expect(plain.starts(with: Array("PAR1".utf8)) && plain.suffix(4).elementsEqual("PAR1".utf8))
    #expect(try write(table, LabelList()) == plain)
    let labels = LabelList(CheckedLine.line(Array("+ 0 1000000000 step".utf8)))
    try #require(labels.names == ["step"])
    #expect(try (write(table, labels) != plain) == hasLabels)
  }

  @Test("has a word for each column that is a time or a rate")
  func words() {
    for column in RecordingRow.columns where TimeNames.needWord(column.name) {
      var words = TimeWords()
      words.note(column.name)
      #expect(words[column.name] != nil, "\(column.name)")
    }
  }

  private func write(_ table: HubTable, _ labels: LabelList) throws -> [UInt8] {
    let catalogue = try Catalogue(path: directory.path)
    let entry = try #require(try catalogue.list().entries.first)
    var reader = try catalogue.reader(of: entry)
    var facts = DerivationFacts(
      account: try reader.account(ofSamples: true), labels: labels, calibration: nil)
    var log = try catalogue.reader(of: entry)
    var bytes: [UInt8] = []
    var sink = BufferedSink(name: table.name) {
      bytes += $0
      return 0
    }
    try table.write(&log, &facts, &sink)
    try sink.flush()
    return bytes
  }
}
