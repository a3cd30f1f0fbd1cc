/// The kinds of file that `import` takes. Raw values are command-line names.
public enum ImportFormat: String, CaseIterable, Sendable {
  /// A table of counts, for ``CSVImporter``.
  case csv
  /// The document of one of the phone apps, for ``PhoneImporter``.
  case gyrodata
  /// A log of this program, which the store copies or salvages.
  case raw

  /// What a file is by its first bytes: a log by its mark, a phone's document by its bracket, else a table.
  /// The source is at its first byte afterwards.
  ///
  /// - Throws: ``ImportError/empty(name:)``, ``ImportError/notUTF8(name:)`` for UTF-16 and UTF-32, or that the file could
  ///   not be read.
  public static func detect<Source: ImportSource & ~Copyable>(_ source: inout Source)
    throws(ImportError) -> ImportFormat
  {
    source.rewind()
    var first = [UInt8](repeating: 0, count: 64)
    let result = first.withUnsafeMutableBytes { (buffer) -> Result<Int, ImportError> in
      do throws(ImportError) {
        return .success(try source.read(into: buffer))
      } catch {
        return .failure(error)
      }
    }
    let bytes = try first[..<result.get()]
    source.rewind()
    guard !bytes.isEmpty else { throw .empty(name: source.name) }
    if bytes.starts(with: [0x89, UInt8(ascii: "I"), UInt8(ascii: "M")]) { return .raw }
    // ASCII in UTF-16 and UTF-32 has bytes of 0, text in UTF-8 has none.
    guard !bytes.contains(0) else { throw .notUTF8(name: source.name) }
    var text = bytes
    if text.starts(with: byteOrderMark) { text.removeFirst(byteOrderMark.count) }
    let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    let begin = text.first { !blanks.contains($0) }
    return begin == UInt8(ascii: "{") || begin == UInt8(ascii: "[") ? .gyrodata : .csv
  }

  /// What some programs put before UTF-8.
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
