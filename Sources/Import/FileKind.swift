// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import Text

/// The kinds of file that `import` reads. Raw values are command-line names.
public enum FileKind: String, CaseIterable, Sendable {
  /// A table of text.
  case csv
  /// Records in JSON: this program's document, or a list.
  case json
  /// Records in JSON, one after the other.
  case ndjson
  /// The document of one of the phone apps.
  case gyrodata
  /// An archive with tables.
  case zip
  /// This program's Parquet.
  case parquet
  /// This program's MCAP.
  case mcap
  /// A log of this program, which the store copies or salvages.
  case raw

  /// What it is, for sentences.
  fileprivate var words: String {
    switch self {
    case .csv: "a table or other text"
    case .gyrodata: "a phone app's document (gyrodata)"
    case .zip: "a ZIP archive"
    case .raw: "a log of imulog"
    case .json, .ndjson, .parquet, .mcap: rawValue.uppercased()
    }
  }
}

extension FileKind {
  /// Detects the kind of a file by its first bytes: a log by its mark, JSON by its bracket and keys, otherwise a
  /// table. The source is at its first byte afterwards.
  ///
  /// - Throws: ``ImportError`` of an empty file, of a kind that is not read, or that the file could not be read.
  public static func detect<Source: ImportSource & ~Copyable>(_ source: inout Source)
    throws(ImportError) -> FileKind
  {
    let bytes = try beginning(&source)
    guard !bytes.isEmpty else {
      throw ImportError(source.name, "is empty", remedy: "there is nothing to import")
    }
    for (mark, kind) in marks where bytes.starts(with: mark) { return kind }
    for kind in ForeignKind.all where bytes.dropFirst(kind.place).starts(with: kind.mark) {
      throw foreign(source.name, kind.name, kind.remedy)
    }
    // Up to three are those of UTF-32.
    let zeros = bytes.prefix { $0 == 0 }.count
    if zeros > 3 {
      throw ImportError(
        source.name,
        "begins with \(zeros == 65_536 ? "65536 or more" : "\(zeros)") bytes of 0, as blocks that a card lost have",
        remedy: "fetch the file again, or restore it from another copy")
    }
    var (length, head) = (0, bytes)
    let encoding = head.withUnsafeMutableBytes {
      Encoding(UnsafeRawBufferPointer($0), markLength: &length)
    }
    guard let encoding else {
      throw ImportError(
        source.name, "is text in UTF-32", remedy: "save it in UTF-8, and import that")
    }
    if encoding == .utf16LE || encoding == .utf16BE { return .csv }
    // Zeros among text are those of a part that was lost; its line is named later.
    if bytes.prefix(64).contains(0), bytes.prefix(64).contains(where: { $0 > 0 && $0 < 9 }) {
      throw foreign(
        source.name, "a binary of an unknown kind",
        "convert it to CSV with the program that wrote it, and import that")
    }
    let text = bytes.dropFirst(length).drop { " \t\r\n".utf8.contains($0) }
    guard let first = text.first, [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first) else {
      return .csv
    }
    guard let kind = try kind(ofJSON: Array(text), source.name) else {
      throw foreign(
        source.name, "JSON of an unknown form",
        "it takes documents of `imulog export --format json`, objects such as {\"t_us\":0,\"ax\":1}, in a list or one after the "
          + "other, and the phone apps' documents with \"coordinateList\" or \"axisValues\"")
    }
    return kind
  }

  /// The kind of a file: that of its bytes, and the given one where both are rows of JSON.
  ///
  /// A damaged log may have lost its beginning, so it is what the user says unless it is text.
  static func check<Source: SeekableSource & ~Copyable>(_ given: FileKind?, _ source: inout Source)
    throws(ImportError) -> FileKind
  {
    if given == .raw {
      let bytes = try beginning(&source)
      let isText = !bytes.contains { $0 < 9 }
      guard isText || marks.contains(where: { $0.kind != .raw && bytes.starts(with: $0.mark) })
      else { return .raw }
    }
    let found = try detect(&source)
    guard let given, given != found, !(given.isJSON && found.isJSON) else { return given ?? found }
    throw ImportError(
      source.name, "is \(found.words), which import does not read as \(given.rawValue)",
      remedy: "leave --format out")
  }

  private var isJSON: Bool { self == .json || self == .ndjson }

  /// Whether it is text of rows.
  var isText: Bool { self == .csv || isJSON }

  private static let marks: [(mark: [UInt8], kind: FileKind)] = [
    ([0x89, UInt8(ascii: "I"), UInt8(ascii: "M")], .raw), ([0x50, 0x4B, 3, 4], .zip),
    ([0x50, 0x4B, 5, 6], .zip), (Array("PAR1".utf8), .parquet),
    ([0x89, 0x4D, 0x43, 0x41, 0x50, 0x30], .mcap),
  ]

  private static func foreign(_ file: String, _ name: String, _ remedy: String) -> ImportError {
    ImportError(file, "is \(name), which import does not read", remedy: remedy)
  }

  /// Up to 64 KiB from the beginning of a file, which is at its first byte afterwards.
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
  /// A list has rows, and so has an object with another one after it.
  private static func kind(ofJSON text: [UInt8], _ file: String) throws(ImportError) -> FileKind? {
    var json = JSONReader(text)
    var keys: Set<String> = []
    var hasAnother = false
    do throws(JSONReader.Failure) {
      if try json.kind() == .list { return .json }
      guard try json.enterObject() else { return nil }
      while let key = try json.nextKey() {
        keys.insert(key.text)
        try json.skip()
      }
      hasAnother = try json.kind() == .object
    } catch {
      // Not JSON, or longer than what was read, or one object.
      hasAnother = false
    }
    if !keys.isDisjoint(with: ["format", "samples"]) { return .json }
    if !keys.isDisjoint(with: ["coordinateList", "axisValues", "dataType"]) { return .gyrodata }
    if keys.isSuperset(of: ["payload", "signature"]) {
      throw foreign(
        file, "Edge Impulse's document",
        "import the recording from which it was made, or save \"values\" as CSV, and import that with --rate"
      )
    }
    let hasTime = keys.contains {
      if case .time = ColumnName($0).role { true } else { false }
    }
    return hasAnother || hasTime ? .ndjson : nil
  }
}

/// A kind of file that is known by its first bytes and not read: its name, and the way to one that is.
private enum ForeignKind {
  private static let table = "save it as CSV, and import that"
  private static let columns = "write it as CSV, and import that with --columns"
  private static let unpack = "unpack it, and import that"
  private static let picture = "import the table from which it was drawn, or type that as CSV"

  /// From the formats' documentation.
  static let all: [(place: Int, mark: [UInt8], name: String, remedy: String)] = [
    (0, Array("ARROW1".utf8), "Arrow", table), (0, [0x4D, 0x53, 0x03], "miniSEED", table),
    (0, [0x89, 0x48, 0x44, 0x46, 13, 10, 26, 10], "HDF5", table),
    (0, [0xD0, 0xCF, 0x11, 0xE0], "an old Office document, such as XLS", table),
    (0, [0x7F, 0x45, 0x4C, 0x46], "a program (ELF)", "import what it writes"),
    (0, [0x89, 0x50, 0x4E, 0x47], "a picture (PNG)", picture),
    (0, [0xFF, 0xD8, 0xFF], "a picture (JPEG)", picture),
    (0, Array("%PDF-".utf8), "a document (PDF)", picture),
    (257, Array("ustar".utf8), "an archive (TAR)", unpack),
    (0, [0x1F, 0x8B], "packed by gzip", unpack), (0, Array("BZh".utf8), "packed by bzip2", unpack),
    (0, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "packed by xz", unpack),
    (0, [0x28, 0xB5, 0x2F, 0xFD], "packed by zstd", unpack),
    (0, [0x37, 0x7A, 0xBC, 0xAF], "a 7z archive", unpack),
    (0, Array("Rar!".utf8), "a RAR archive", unpack),
    (0, Array("Device Identity".utf8), "a GENEActiv's recording", columns),
    (0, Array("SQLite format 3".utf8), "an SQLite database, as ROS 2 bags are", columns),
    (0, Array("#ROSBAG".utf8), "a ROS bag", columns),
    (0, Array("MATLAB ".utf8), "MATLAB's (MAT)", columns),
    (0, [0x93] + Array("NUMPY".utf8), "NumPy's (NPY)", columns),
    (0, [0x4D, 0x44, 0xFC, 0x03], "CWA", "convert it with omconvert to CSV, and import that"),
    (
      0, Array("H Product:Blackbox".utf8), "a raw Blackbox log",
      "decode it with blackbox_decode or Blackbox Explorer to CSV, and import that"
    ),
    (
      4, Array("ftyp".utf8), "a video (MP4)",
      "write the motion in it with gpmf-extract or telemetry-parser as CSV, and import that"
    ),
    (
      0, [0x55, 0x4C, 0x6F, 0x67, 1, 0x12, 0x35], "a PX4 log (ULog)",
      "convert it with ulog2csv, and import sensor_combined with --columns"
    ),
    (
      0, [0xA3, 0x95, 0x80], "an ArduPilot log (BIN)",
      "convert it with mavlogdump.py --format csv --types IMU, and import that with --columns"
    ),
    (
      8, Array(".FIT".utf8), "a Garmin recording (FIT)",
      "convert it with FitCSVTool, and import that"
    ),
  ]
}
