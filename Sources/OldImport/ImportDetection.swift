// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import Text

// The kind of a file, by its bytes and by what the user says.

extension ImportFormat {
  /// Detects the kind of a file by its first bytes: a log by its mark, JSON by its bracket and keys, otherwise a
  /// table. The source is at its first byte afterwards.
  ///
  /// - Throws: ``ImportError/empty(name:)``, ``ImportError/notUTF8(name:)`` for UTF-16 and UTF-32, that it is of a kind
  ///   that is not read, or that the file could not be read.
  public static func detect<Source: ImportSource & ~Copyable>(_ source: inout Source)
    throws(ImportError) -> ImportFormat
  {
    let bytes = try beginning(&source)
    return try detect(bytes, &source) ?? .gyrodata
  }

  /// The kind of a file; `nil` for JSON whose keys are of no kind that is known.
  private static func detect<Source: ImportSource & ~Copyable>(
    _ bytes: [UInt8], _ source: inout Source
  ) throws(ImportError) -> ImportFormat? {
    guard !bytes.isEmpty else { throw .empty(name: source.name) }
    if bytes.starts(with: [0x89, UInt8(ascii: "I"), UInt8(ascii: "M")]) { return .raw }
    if isArchive(bytes) { return .zip }
    if let other = ForeignFormat.known(bytes) { throw refusal(other, source.name) }
    // Up to three are those of UTF-32.
    if bytes.prefix(while: { $0 == 0 }).count > 3 { throw try zeros(&source) }
    let head = bytes.prefix(64)
    if head.contains(0) {
      if ImportText.isWide(head) { throw .notUTF8(name: source.name) }
      // Text of which a part is lost; its line is named later.
      guard head.allSatisfy({ $0 == 0 || $0 >= 0x20 || "\t\r\n".utf8.contains($0) }) else {
        throw refusal(ForeignFormat.unknown, source.name)
      }
    }
    let text = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
    let begin = text.firstIndex { !" \t\r\n".utf8.contains($0) }
    if text.contains(UInt8(ascii: "\r")), !text.contains(UInt8(ascii: "\n")) {
      throw ImportText.isUTF8(text)
        ? .carriageReturns(name: source.name) : .notUTF8(name: source.name)
    }
    guard let begin, [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(text[begin]) else {
      return .csv
    }
    return kind(ofJSON: text[begin...])
  }

  /// Whether a file has rows of JSON, and not a list of anything: by the keys of its first object.
  static func isDocument<Source: ImportSource & ~Copyable>(_ source: inout Source)
    throws(ImportError) -> Bool
  {
    let bytes = try beginning(&source)
    switch try detect(bytes, &source) {
    case .json, .ndjson: break
    case .csv, .gyrodata, .zip, .raw, nil: return false
    }
    let text = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
    return kind(ofJSON: text, byKeysAlone: true) != nil
  }

  /// The kind of a file: that of its bytes or, if they are also of that one, the given one.
  ///
  /// An archive may begin with anything, and so may a damaged log.
  ///
  /// - Throws: ``ImportError/otherFormat(name:format:remedy:as:)`` for a file of another kind than the given one, and
  ///   what ``detect(_:)`` throws.
  static func check<Source: SeekableSource & ~Copyable>(
    _ given: ImportFormat?, _ source: inout Source
  ) throws(ImportError) -> ImportFormat {
    let (name, bytes) = (source.name, try beginning(&source))
    if let given, try mayBe(given, bytes, &source) { return given }
    let found: ImportFormat?
    do throws(ImportError) {
      found = try detect(bytes, &source)
    } catch {
      guard given == nil, case .otherFormat(_, ForeignFormat.unknown.name, _, _) = error,
        try source.hasArchiveEnd()
      else { throw try refusal(error, given, &source) }
      return .zip
    }
    // An archive with text before it, which says where it begins.
    if found != .zip, found != .raw, try source.hasArchiveEnd() {
      guard given == nil else {
        throw .otherFormat(
          name: name, format: "a ZIP archive", remedy: "leave --format out", as: given)
      }
      return .zip
    }
    guard let given, given != found else { return found ?? .gyrodata }
    func refuse(_ format: String) -> ImportError {
      .otherFormat(name: name, format: format, remedy: "leave --format out", as: given)
    }
    switch (found, given) {
    case (.csv?, _): throw refuse("a table or other text")
    case (.json?, .gyrodata), (.json?, .raw), (.json?, .zip), (.ndjson?, .gyrodata),
      (.ndjson?, .raw), (.ndjson?, .zip), (nil, .raw), (nil, .zip):
      throw refuse("JSON")
    case (.gyrodata?, _): throw refuse("a phone app's document (gyrodata)")
    case (.zip?, _): throw refuse("a ZIP archive")
    case (.raw?, _): throw refuse("a log of imulog")
    // Rows of JSON are read in any form.
    case (.json?, _), (.ndjson?, _), (nil, _): return given
    }
  }

  /// Whether nothing speaks against a log, or an archive: both may have lost their beginnings.
  private static func mayBe<Source: SeekableSource & ~Copyable>(
    _ given: ImportFormat, _ bytes: [UInt8], _ source: inout Source
  ) throws(ImportError) -> Bool {
    switch given {
    case .raw:
      let isText = !bytes.isEmpty && !bytes.contains(0) && ImportText.isUTF8(bytes)
      return !isText && !isArchive(bytes) && ForeignFormat.known(bytes) == nil
    case .zip:
      if isArchive(bytes) { return true }
      return try source.hasArchiveEnd()
    case .csv, .json, .ndjson, .gyrodata: return false
    }
  }

  /// The error of a file that is not read, which names the kind that the user gave.
  private static func refusal<Source: SeekableSource & ~Copyable>(
    _ error: ImportError, _ given: ImportFormat?, _ source: inout Source
  ) throws(ImportError) -> ImportError {
    switch error {
    case .otherFormat(let name, let format, let remedy, _):
      if given != .zip, try source.hasArchiveEnd() {
        return .otherFormat(
          name: name, format: "\(format) with a ZIP archive at its end",
          remedy: "take what is before the archive away, or unpack it, and import that", as: given)
      }
      return .otherFormat(name: name, format: format, remedy: remedy, as: given)
    case .notUTF8(let name):
      guard let given else { return error }
      return .otherFormat(
        name: name, format: "text in UTF-16 or UTF-32, or no text",
        remedy: "save it in UTF-8, and import that", as: given)
    default: return error
    }
  }

  private static func refusal(_ other: ForeignFormat, _ name: String) -> ImportError {
    .otherFormat(name: name, format: other.name, remedy: other.remedy)
  }

  /// A file's header, or the end of an empty archive.
  private static func isArchive(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6])
  }

  /// The error of a file that begins with bytes of 0. At most 64 MiB of them are counted.
  private static func zeros<Source: ImportSource & ~Copyable>(_ source: inout Source)
    throws(ImportError) -> ImportError
  {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    source.rewind()
    var count: UInt64 = 0
    while count < 64 << 20 {
      let read = try source.read(into: buffer)
      guard read > 0 else { return .zeros(name: source.name, count: count, areAll: true) }
      // By the C library, since there may be many: all bytes are 0 if the first is and each is like the one before it.
      if buffer[0] == 0, let base = buffer.baseAddress, memcmp(base, base + 1, read - 1) == 0 {
        count += UInt64(read)
        continue
      }
      count += UInt64(buffer[..<read].prefix { $0 == 0 }.count)
      break
    }
    return .zeros(name: source.name, count: count, areAll: false)
  }

  /// Up to 64 KiB from the beginning of a file.
  private static func beginning<Source: ImportSource & ~Copyable>(_ source: inout Source)
    throws(ImportError) -> [UInt8]
  {
    source.rewind()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    var count = 0
    while count < buffer.count {
      let read = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      if read == 0 { break }
      count += read
    }
    source.rewind()
    return Array(buffer[..<count])
  }

  /// JSON by the keys of its first object, as far as they are within the text; `nil` for other keys.
  ///
  /// A list has rows, and so has an object with another one after it, unless keys alone must say so.
  private static func kind(ofJSON text: ArraySlice<UInt8>, byKeysAlone: Bool = false)
    -> ImportFormat?
  {
    var json = JSONReader(Array(text))
    do throws(JSONReader.Failure) {
      let isList = try json.kind() == .list
      if isList {
        guard byKeysAlone else { return .json }
        guard try json.enterList(), try json.nextElement() else { return nil }
      }
      guard try json.kind() == .object, try json.enterObject() else { return nil }
      while let key = try json.nextKey() {
        switch key.text {
        case "format" where !isList, "samples" where !isList, "sensor" where isList: return .json
        case "coordinateList" where !isList, "axisValues" where !isList, "dataType" where !isList,
          "identifier" where !isList:
          return .gyrodata
        case _ where ImportDialect.own.times[key.text] != nil: return isList ? .json : .ndjson
        default: try json.skip()
        }
      }
      guard !byKeysAlone else { return nil }
      return try json.kind() == .object ? .ndjson : nil
    } catch {
      // Not JSON, or longer than what was read, or one object.
      return nil
    }
  }
}
