// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Export

@Suite("Lines of several sensors")
struct SensorLinesTests {
  /// What is written of texts, each by its sensor, in pieces of so many bytes.
  private static func written(
    _ format: ExportFormat, _ texts: [(sensor: String, text: String)], piece: Int
  ) throws -> (text: String, hasSameColumns: Bool) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let lines = SensorLines(ends[1], name: "pipe", format)
    var hasSameColumns = true
    for (sensor, text) in texts {
      var sink = lines.sink(of: sensor)
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        try sink.write(Array(rest.prefix(piece)))
        try sink.flush()
        rest = rest.dropFirst(piece)
      }
      hasSameColumns = hasSameColumns && lines.hasSameColumns
    }
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(ends[0], &bytes, bytes.count)
    close(ends[0])
    return (String(decoding: bytes[..<count], as: UTF8.self), hasSameColumns)
  }

  @Test("begin with the sensor's name, wherever pieces end", arguments: 1...9)
  func pieces(piece: Int) throws {
    let table = try Self.written(
      .csv, [("left", "t,ax\n0,1\n10,2\n"), ("r", "t,ax\n5,3\n"), ("none", "t,ax\n")], piece: piece)
    #expect(table == ("sensor,t,ax\nleft,0,1\nleft,10,2\nr,5,3\n", true))
    let objects = try Self.written(
      .ndjson, [("left", "{\"t\":0}\n{\"t\":1}\n"), ("r", "{\"t\":2}\n")], piece: piece)
    #expect(
      objects.text
        == #"{"sensor":"left","t":0}\#n{"sensor":"left","t":1}\#n{"sensor":"r","t":2}\#n"#)
  }

  @Test("of other columns are seen", arguments: ["t,ay\n0,1\n", "t,ax,ay\n", "t,ax", ""])
  func columns(other: String) throws {
    let table = try Self.written(.csv, [("a", "t,ax\n0,1\n"), ("b", other)], piece: 5)
    #expect(!table.hasSameColumns && table.text == "sensor,t,ax\na,0,1\n")
  }
}
