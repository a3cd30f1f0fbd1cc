// SPDX-License-Identifier: Apache-2.0

import IMUModel
import OldImport
import LogFormat
import Testing

/// UTF-16 or UTF-32, in either order of bytes, with or without a byte order mark.
struct WideEncoding: CustomTestStringConvertible {
  static let all = [2, 4].flatMap { width in
    [false, true].flatMap { isBig in
      [false, true].map { WideEncoding(width: width, isBigEndian: isBig, hasMark: $0) }
    }
  }

  let width: Int
  let isBigEndian: Bool
  let hasMark: Bool

  var testDescription: String {
    "UTF-\(8 * width)-\(isBigEndian ? "BE" : "LE")\(hasMark ? " with a byte order mark" : "")"
  }

  func bytes(_ text: String) -> [UInt8] {
    let text = (hasMark ? "\u{FEFF}" : "") + text
    let units = width == 2 ? text.utf16.map(UInt32.init) : text.unicodeScalars.map(\.value)
    return units.flatMap { unit in
      (0..<width).map {
        UInt8(truncatingIfNeeded: unit >> UInt32(8 * (isBigEndian ? width - 1 - $0 : $0)))
      }
    }
  }
}

/// A wrong text, and the words that must be said of it.
struct Refusal: CustomTestStringConvertible {
  let text: String
  let words: String
  /// What the user says, such as `--rate 100 --units g,s --columns time=1,ax=2`.
  var said = ""
  var testDescription: String { "\(said) \(text)" }

  /// A case from each line `text ⇒ words` or `text ⇒ options ⇒ words`, in which `\n` and `\r` are ends of lines.
  static func list(_ lines: String) -> [Refusal] {
    lines.split(separator: "\n").map { line in
      let parts = line.split(separator: " ⇒ ", omittingEmptySubsequences: false).map(String.init)
      precondition(parts.count == 2 || parts.count == 3, "no case: \(line)")
      let text = parts[0].replacing(#"\n"#, with: "\n").replacing(#"\r"#, with: "\r")
      return Refusal(
        text: text, words: parts[parts.count - 1], said: parts.count == 3 ? parts[1] : "")
    }
  }

  private func option(_ name: String) -> String? {
    (" " + said).split(separator: " --").first { $0.hasPrefix(name + " ") }
      .map { String($0.dropFirst(name.count + 1)) }
  }

  var columns: String? { option("columns") }
  var units: String? { option("units") }
  var rate: SampleRate? { option("rate").flatMap { SampleRate(decimal: $0) } }
}

enum Imports {
  static let options = ImportOptions(
    id: TestLog.id, number: 7, host: "lab", software: "imulog 0.1.0", note: "a note")

  /// The same with what a user says about a file.
  static func given(rate: SampleRate? = nil, columns: String? = nil, units: String? = nil)
    -> ImportOptions
  {
    var options = Imports.options
    options.rate = rate
    options.columns = columns.flatMap { ImportColumnNames($0) }
    options.units = units.flatMap { ImportUnits($0) }
    return options
  }

  /// A table with the times, in nanoseconds, and counts that go up by one.
  static func table(_ times: [Int64]) -> String {
    "t_ns,ax\n" + times.enumerated().map { "\($1),\($0 % 30_000)\n" }.joined()
  }

  static func csv(_ text: String, _ options: ImportOptions = Imports.options) throws(ImportError)
    -> TableImporter<ArraySource>
  {
    try TableImporter(ArraySource(Array(text.utf8), name: "table.csv"), options)
  }

  static func phone(_ text: String, _ options: ImportOptions = Imports.options) throws(ImportError)
    -> PhoneImporter
  {
    try PhoneImporter(ArraySource(Array(text.utf8), name: "phone.json"), options)
  }

  static func csvError(_ text: String, _ options: ImportOptions = Imports.options) -> ImportError? {
    do {
      _ = try csv(text, options)
      return nil
    } catch {
      return error
    }
  }

  static func phoneError(_ text: String) -> ImportError? { phoneError(Array(text.utf8)) }

  static func phoneError(_ bytes: [UInt8]) -> ImportError? {
    do throws(ImportError) {
      _ = try PhoneImporter(ArraySource(bytes, name: "phone.json"), options)
      return nil
    } catch {
      return error
    }
  }

  /// The times and counts of all records.
  static func records<I: Importer & ~Copyable>(_ importer: consuming I) throws -> [TickRecord] {
    var records: [TickRecord] = []
    while let record = try importer.next() { records.append(record) }
    return records
  }

  /// The log that the imported recording becomes.
  static func log<I: Importer & ~Copyable>(_ importer: consuming I) throws -> [UInt8] {
    var encoder = try LogEncoder(importer.description)
    for pair in importer.clockPairs { encoder.append(pair) }
    while let record = try importer.next() { encoder.append(record) }
    encoder.finish(importer.end)
    return Array(encoder.output)
  }
}

/// An imported recording, whose samples and gaps must be one row of ticks.
struct Imported {
  let rate: SampleRate
  let ledger: TickLedger
  let remarks: [String]
  var times: [Int64] = []
  var gaps: [Range<Int64>] = []

  /// The import of a table of these times, in nanoseconds.
  init(_ times: [Int64], rate: SampleRate? = nil) throws {
    var options = Imports.options
    options.rate = rate
    // Counts of no scale have a remark.
    options.accelerometerScale = Fraction(1, 16384)
    try self.init(Imports.csv(Imports.table(times), options))
  }

  init(_ importer: consuming TableImporter<ArraySource>) throws {
    rate = importer.description.rate
    ledger = importer.end.ledger
    remarks = importer.remarks
    #expect(importer.description.plannedTicks == ledger.scheduled)
    var tick: UInt64 = 0
    while let record = try importer.next() {
      #expect(record.tick == tick)
      tick += record.count
      if let gap = record.gap {
        #expect(gap.cause == .lost)
        gaps.append(Int64(gap.firstTick)..<Int64(gap.firstTick + gap.count))
      } else {
        times.append(record.time)
      }
    }
    #expect(tick == ledger.scheduled)
    #expect(ledger.sampled == times.count)
    #expect(ledger.lost == gaps.reduce(0) { $0 + $1.count })
  }
}

/// Bytes in memory, in pieces of a size at most.
struct ArraySource: SeekableSource, ~Copyable {
  /// How often it was read from the beginning, for a test that has given the source away.
  final class Passes {
    var count = 0
  }

  /// Its name in errors.
  let name: String
  let passes: Passes
  private let bytes: [UInt8]
  private let piece: Int
  private var offset = 0

  /// A source of these bytes.
  init(
    _ bytes: [UInt8], name: String = "table.csv", piece: Int = .max, passes: Passes = Passes()
  ) {
    (self.bytes, self.name, self.piece, self.passes) = (bytes, name, piece, passes)
  }

  var size: UInt64 { UInt64(bytes.count) }

  func another() -> ArraySource { ArraySource(bytes, name: name, piece: piece, passes: passes) }

  mutating func seek(to offset: UInt64) { self.offset = Int(min(offset, size)) }

  /// Fills `buffer` with the next bytes and returns how many there were; 0 at the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    let count = min(buffer.count, bytes.count - offset, piece)
    buffer.copyBytes(from: bytes[offset..<(offset + count)])
    offset += count
    return count
  }

  /// Goes back to the first byte.
  mutating func rewind() {
    passes.count += 1
    offset = 0
  }
}
