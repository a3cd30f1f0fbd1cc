// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogFormat
import Testing
import Text

@testable import Import

/// Files that this program wrote of one recording: 130 samples at 100 Hz, 17 ticks without one in four gaps, marks and labels.
@Suite("Files of this program in Parquet and MCAP")
struct OwnFileTests {
  private static let folder =
    String(#filePath.dropLast("OwnFileTests.swift".count)) + "Files/"
  private static let request = ImportRequest(id: RecordingID(high: 1, low: 2))

  private static func bytes(_ name: String) throws -> [UInt8] {
    let source = try FileSource(path: folder + name)
    return try source.bytes(at: 0, source.size)
  }

  /// The rows of the recording: a sample's tick, time and counts, or a gap's tick, count, cause and errno.
  private static func expected() throws -> [String] {
    String(decoding: try bytes("rows.csv"), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func read(_ rows: any SampleRows, hasCode: Bool) throws
    -> [String]
  {
    var lines: [String] = []
    while let row = try rows.next() {
      let tick = try #require(row.tick)
      if let gap = row.gap {
        #expect(gap.firstTick == tick)
        lines.append("gap,\(tick),\(gap.count),\(gap.cause.name),\(hasCode ? gap.code : 0)")
      } else {
        lines.append(
          ([Int64(tick), row.time] + rows.numbers.map(\.digits)).map { "\($0)" }.joined(
            separator: ","))
      }
    }
    return lines
  }

  @Test(
    "of Parquet come back as they were, in counts and in units, twice",
    arguments: ["dated-raw", "dated-si", "dated-g-dps", "dated-plain", "undated-raw", "part"])
  func parquet(_ name: String) throws {
    let rows = try ParquetFile(ByteSource(try Self.bytes(name + ".parquet")), Self.request)
    let isPlain = name == "dated-plain" || name == "part"
    var expected = try Self.expected().filter { !isPlain || !$0.hasPrefix("gap") }
      .map { $0.hasPrefix("gap") ? $0.replacing("busError,5", with: "busError,0") : $0 }
    if name == "part" {
      expected = expected.filter {
        (500_000_000..<1_000_000_000).contains(Int64($0.split(separator: ",")[1]) ?? 0)
      }
    }
    let found = try Self.read(rows, hasCode: false)
    #expect(found == expected)
    try rows.rewind(to: RowMark(byte: 0, line: 11))
    let rest = try Self.read(rows, hasCode: false)
    #expect(rest == Array(expected.dropFirst(10)))
    let facts = rows.facts
    #expect(facts.started == (name == "undated-raw" ? nil : 1_795_228_687_250_000_000))
    #expect(facts.ticks == (name == "part" ? nil : 147))
    #expect(facts.note == "a\\b;c" && facts.rate == SampleRate(100))
    #expect(facts.scales[.gyroscope]?.ratio == Fraction(10, 655))
    #expect(facts.accelerometerRange == 4)
    #expect(facts.notes.labels.map(\.name) == (name == "part" ? ["walk"] : ["walk", "run"]))
    #expect(
      rows.understanding.channels == .all && rows.understanding.units[.temperature]?.value == .count
    )
  }

  @Test("of MCAP come back as they were, twice", arguments: ["dated", "undated", "part"])
  func mcap(_ name: String) throws {
    let rows = try MCAPFile(ByteSource(try Self.bytes(name + ".mcap")), Self.request)
    var expected = try Self.expected()
    if name == "part" {
      expected = expected.filter { line in
        let fields = line.split(separator: ",")
        let time = fields[0] == "gap" ? (Int64(fields[1]) ?? 0) * 10_000_000 : Int64(fields[1]) ?? 0
        return (500_000_000..<1_000_000_000).contains(time)
      }
    }
    let found = try Self.read(rows, hasCode: true)
    #expect(found == expected)
    let marks = rows.facts.notes.marks
    try rows.rewind(to: nil)
    let again = try Self.read(rows, hasCode: true)
    #expect(again == expected)
    #expect(rows.facts.notes.marks == marks)
    var all = [
      Mark(time: 505_000_001, label: "jump; high"), Mark(time: 1_440_000_000, label: "end"),
    ]
    if name == "undated" { all.insert(Mark(time: -5_500_000_000, label: "early"), at: 0) }
    #expect(marks == (name == "part" ? [all[0]] : all))
    // An export of a part has the labels in it.
    #expect(rows.facts.notes.labels.map(\.name) == (name == "part" ? ["walk"] : ["walk", "run"]))
    #expect(rows.facts.note == "a\\b;c" && rows.facts.ticks == (name == "part" ? nil : 147))
  }

  @Test(
    "make the recording that they were made of, as does its document",
    arguments: [
      "dated.json", "dated-raw.parquet", "dated-si.parquet", "dated-g-dps.parquet", "dated.mcap",
      "dated-plain.parquet",
    ])
  func recordings(_ name: String) throws {
    let path = Self.folder + name
    var recording = try ImportedRecording(
      [path], try ImportedRecording.kind(of: path, given: nil), Self.request)
    var records: [TickRecord] = []
    while let record = try recording.next() { records.append(record) }
    let lines = records.compactMap { record -> String? in
      if let gap = record.gap {
        return "gap,\(gap.firstTick),\(gap.count),\(gap.cause.name),\(gap.code)"
      }
      guard record.kind == .sample else { return nil }
      let counts = (0..<7).map { Int64(record.sample[$0]) }
      return ([Int64(record.tick), record.time] + counts).map { "\($0)" }.joined(separator: ",")
    }
    var expected = try Self.expected()
    if name.hasSuffix("parquet") {
      expected = expected.map { $0.replacing("busError,5", with: "busError,0") }
    }
    if name.hasPrefix("dated-plain") {
      // Nothing but ticks tells where samples are missing.
      expected = expected.map { line in
        let fields = line.split(separator: ",")
        return fields[0] == "gap" ? "gap,\(fields[1]),\(fields[2]),lost,0" : line
      }
    }
    #expect(lines == expected)
    #expect(records.count { $0.kind == .sensorEvent } == (name == "dated.json" ? 1 : 0))
    let description = recording.description
    #expect(
      description.sensor.accelerometerScale == Fraction(1, 8192)
        && description.rate == SampleRate(100))
    #expect(
      description.sensor.temperatureOffset == Fraction(3653, 100) && description.note == "a\\b;c")
    #expect(description.timeUnit == 1000 && description.plannedTicks == 147)
    #expect(recording.end.tally.scheduled == 147 && recording.end.tally.sampled == 130)
    #expect(recording.summary.hasSuffix(", 4 gaps of 17 ticks"))
    #expect(recording.clockPairs.map(\.wallAtStart) == [1_795_228_687_250_000_000])
    #expect(recording.labels.map(\.name) == ["walk", "run"])
    #expect(recording.marks.map(\.label) == ["jump; high", "end"])
    #expect(recording.understandings[0].missing.isEmpty)
  }

  @Test(
    "that are cut or damaged are refused, or read, and never trap",
    arguments: ["dated-si.parquet", "dated-raw.parquet", "dated.mcap"])
  func damaged(_ name: String) throws {
    let whole = try Self.bytes(name)
    func read(_ bytes: [UInt8]) throws(ImportError) {
      let source = ByteSource(bytes)
      if name.hasSuffix("mcap") {
        let rows = try MCAPFile(source, Self.request)
        while try rows.next() != nil {}
      } else {
        let rows = try ParquetFile(source, Self.request)
        while try rows.next() != nil {}
      }
    }
    for length in stride(from: 0, to: whole.count, by: whole.count / 60) {
      #expect(throws: ImportError.self) { try read(Array(whole[..<length])) }
    }
    #expect(throws: ImportError.self) { try read(whole + whole) }
    var refused = 0
    for place in stride(from: 0, to: whole.count, by: whole.count / 300) {
      for value in [0xFF, whole[place] ^ 0x10] as [UInt8] {
        var bytes = whole
        bytes[place] = value
        do throws(ImportError) {
          try read(bytes)
        } catch {
          refused += 1
          #expect(!error.remedy.isEmpty)
        }
      }
    }
    #expect(refused > 150)
  }

  @Test("of other programs are refused by name")
  func others() throws {
    #expect {
      _ = try MCAPFile(ByteSource([0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]), Self.request)
    } throws: { "\($0)".contains("is MCAP of another program, which import does not read") }
    // A footer without metadata: version 1, no schema, no rows.
    let footer: [UInt8] = [0x15, 0x02, 0x19, 0x0C, 0x16, 0x00, 0x19, 0x0C, 0x00]
    let bytes = Array("PAR1".utf8) + footer + [9, 0, 0, 0] + Array("PAR1".utf8)
    #expect { _ = try ParquetFile(ByteSource(bytes), Self.request) } throws: {
      "\($0)".contains("is Parquet of another program")
    }
  }
}
