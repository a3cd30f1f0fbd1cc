// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import IMUModel
import TestSupport
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

  /// The columns of times: of samples, their bounds, and the bounds of a magnetometer's values.
  @Test("have all times from the first tick of the take", arguments: [ExportFormat.csv, .ndjson])
  func delay(format: ExportFormat) throws {
    let chip = try ChipExportTests.log(.stall(0.15e9), seconds: 4, at: 2e9).bytes
    let field = try FieldExportTests.log().bytes()
    for (bytes, isChip) in [(chip, true), (field, false)] {
      var options = ExportOptions(format: format)
      options.hasUncertainty = isChip
      let alone = try TestLog.export(bytes, options).text
      options.takeDelay = 1_000_003
      let late = try TestLog.export(bytes, options).text
      #expect(try Self.times(alone, format).map { $0 + 1_000_003 } == Self.times(late, format))
      #expect(try Self.times(alone, format).count > 1000)
    }
  }

  private static func times(_ text: String, _ format: ExportFormat) throws -> [Int64] {
    let names = ["t_ns", "t_lo_ns", "t_hi_ns", "m_lo_ns", "m_hi_ns"]
    let lines = text.split(separator: "\n")
    guard format == .csv else {
      return try lines.flatMap { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return names.compactMap { (object?[$0] as? NSNumber)?.int64Value }
      }
    }
    let places = lines[0].split(separator: ",").enumerated().filter { names.contains(String($1)) }
    return lines.dropFirst().flatMap { line in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false)
      return places.compactMap { Int64(cells[$0.offset]) }
    }
  }

  @Test("of other columns are seen", arguments: ["t,ay\n0,1\n", "t,ax,ay\n", "t,ax", ""])
  func columns(other: String) throws {
    let table = try Self.written(.csv, [("a", "t,ax\n0,1\n"), ("b", other)], piece: 5)
    #expect(!table.hasSameColumns && table.text == "sensor,t,ax\na,0,1\n")
  }

  /// What is written of tables side by side, whose bytes come in pieces.
  private static func joined(_ tables: [(sensor: String, text: String)], piece: Int) throws
    -> String
  {
    var inputs: [(name: String, descriptor: Int32)] = []
    for (sensor, text) in tables {
      var ends: [Int32] = [0, 0]
      try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        _ = Array(rest.prefix(piece)).withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
        rest = rest.dropFirst(piece)
      }
      close(ends[1])
      inputs.append((sensor, ends[0]))
    }
    defer { for input in inputs { close(input.descriptor) } }
    var sink = ArraySink()
    var table = JoinedTable(inputs)
    try table.write(to: &sink)
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  @Test("stand side by side at their instants, wherever pieces end", arguments: [1, 3, 7, 100])
  func joined(piece: Int) throws {
    let text = try Self.joined(
      [
        ("left", "t,ax,ay\n-5,1,2\n0,3,4\n20,7,\"a;b\"\n"), ("none", "t,ax\n"),
        ("r", "t,az\n0,9\n10,-8.5\n20,0\n30,1\n4"), ("void", ""),
      ], piece: piece)
    #expect(
      text == """
        t,left_ax,left_ay,none_ax,r_az
        -5,1,2,,
        0,3,4,,9
        10,,,,-8.5
        20,7,"a;b",,0
        30,,,,1

        """)
  }

  /// At 0 the one is made at -4 to 6 and the other at -10 to 1: 16 are the most, from -10 to 6.
  @Test("say how far the instants of a row may be apart, where all are proved")
  func apart() throws {
    let text = try Self.joined(
      [
        ("a", "t,t_lo_ns,t_hi_ns,x\n0,-4,6,1\n10,8,12,2\n20,,,3\n30,29,31,4\n40,39,41,5\n"),
        ("b", "t,t_lo_ns,t_hi_ns,x\n0,-10,1,6\n20,19,22,7\n30,30,30,8\n40,,,9\n"),
        ("c", "t,t_lo_ns,t_hi_ns,x\n30,100,101,0\n"),
      ], piece: 9)
    #expect(
      text == """
        t,apart_ns,a_x,b_x,c_x
        0,16,1,6,
        10,,2,,
        20,,3,7,
        30,72,4,8,0
        40,,5,9,

        """)
  }

  @Test("have the values of one grid, however late after the take's first tick each began")
  func commonGrid() throws {
    let log = try ChipExportTests.log(seconds: 4)
    for (rate, delay) in [(1000, 300_001), (416, 7_123_456_789)] as [(UInt32, Int64)] {
      var options = ExportOptions(format: .csv, units: .gDps)
      (options.isResampled, options.takeDelay, options.takeGrid) = (true, delay, hertz(rate))
      let rows = try TestLog.export(log.bytes, options).text.split(separator: "\n").dropFirst()
      #expect(rows.count > 3 * Int(rate))
      for row in rows {
        let cells = row.split(separator: ",")
        let (time, value) = (try #require(Int64(cells[0])), try #require(Double(cells[1])))
        let tick = hertz(rate).tick(atNanoseconds: time)
        #expect(hertz(rate).nanoseconds(atTick: tick) == time)
        let scale = log.description.sensor.accelerometerScale.value
        #expect(abs(value / scale - ChipExportTests.sine(Double(time - delay))) < 60, "\(row)")
      }
    }
  }
}
