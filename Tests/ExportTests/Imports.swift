import Export
import IMUModel
import LogFormat

/// A source that gives its bytes in small pieces.
struct DribblingSource: ImportSource, ~Copyable {
  let name = "table.csv"
  let bytes: [UInt8]
  let piece: Int
  private var offset = 0

  init(_ text: String, piece: Int) {
    bytes = Array(text.utf8)
    self.piece = piece
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    let count = min(buffer.count, bytes.count - offset, piece)
    buffer.copyBytes(from: bytes[offset..<(offset + count)])
    offset += count
    return count
  }

  mutating func rewind() {
    offset = 0
  }
}

enum Imports {
  static let options = ImportOptions(
    id: TestLog.id, number: 7, host: "lab", software: "imulog 0.1.0", note: "a note")

  static func csv(_ text: String, _ options: ImportOptions = Imports.options) throws(ImportError)
    -> CSVImporter<ArraySource>
  {
    try CSVImporter(ArraySource(Array(text.utf8), name: "table.csv"), options)
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

  static func phoneError(_ text: String) -> ImportError? {
    do {
      _ = try phone(text)
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
