// SPDX-License-Identifier: Apache-2.0

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
  private var words: String {
    switch self {
    case .csv: "a table or other text"
    case .gyrodata: "a phone app's document (gyrodata)"
    case .zip: "a ZIP archive"
    case .raw: "a log of imulog"
    case .json, .ndjson, .parquet, .mcap: rawValue.uppercased()
    }
  }

  /// What a user may give beside a file: a second table, `--columns`, options that state what values mean, and `--rate`,
  /// `--note` and `--explain`.
  public enum Option: CaseIterable, Sendable { case second, columns, meaning, other }

  /// What may be given beside a file of this kind, and the clause about the file where anything else is.
  public var options: (taken: Set<Option>, otherwise: String) {
    switch self {
    case .csv, .json, .ndjson: (Set(Option.allCases), "")
    case .zip:
      (
        [.meaning, .other],
        "is an archive; leave --columns and a second file out, or unpack it"
      )
    case .raw: ([], "is a log, which is copied as it is; leave the options out")
    case .gyrodata, .parquet, .mcap:
      (
        [.other],
        "states its own units and times; leave out all options but --rate, --note and --explain"
      )
    }
  }

  private var isJSON: Bool { self == .json || self == .ndjson }

  var isText: Bool { self == .csv || isJSON }

  /// Detects the kind of a file by its first bytes: a log by its mark, JSON by its bracket and keys, otherwise a table.
  ///
  /// - Throws: ``ImportError`` of an empty file, of a kind that is not read, or that the file could not be read.
  static func detect(_ source: any ImportSource) throws(ImportError) -> FileKind {
    try source.seek(to: 0)
    let (bytes, name) = (try source.bytes(64 * 1024), source.name)
    guard !bytes.isEmpty else {
      throw ImportError(name, "is empty", remedy: "there is nothing to import")
    }
    for (mark, kind) in marks where bytes.starts(with: mark) { return kind }
    for (place, mark, kind, remedy) in foreign where bytes.dropFirst(place).starts(with: mark) {
      throw notRead(name, kind, remedy)
    }
    // UTF-32 begins with up to three.
    let zeros = bytes.prefix { $0 == 0 }.count
    if zeros > 3 {
      throw ImportError(
        name,
        "begins with \(zeros == 65_536 ? "65536 or more" : "\(zeros)") bytes of 0, as blocks that a card lost",
        remedy: "fetch the file again, or restore it from another copy")
    }
    guard let (_, length) = Encoding.detect(bytes) else { throw .wide(name) }
    // Zeros among text are a lost block, whose line is named when rows are read.
    if bytes.prefix(64).contains(0), bytes.prefix(64).contains(where: { $0 > 0 && $0 < 9 }) {
      throw notRead(name, "a binary of an unknown kind", convert)
    }
    if bytes.prefix(4).contains(0) { throw .wide(name) }
    let text = bytes.dropFirst(length).drop { " \t\r\n".utf8.contains($0) }
    guard text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") else { return .csv }
    return try kind(ofJSON: Array(text), name)
  }

  /// The kind of a file by its bytes; the given one where both are rows of JSON.
  ///
  /// A damaged log may have lost its beginning, so anything but text is read as one if the user says so.
  static func check(_ given: FileKind?, _ source: any SeekableSource) throws(ImportError)
    -> FileKind
  {
    if given == .raw {
      try source.seek(to: 0)
      let bytes = try source.bytes(64 * 1024)
      let isText = !bytes.contains { $0 < 9 }
      if !isText, !marks.contains(where: { $0.kind != .raw && bytes.starts(with: $0.mark) }) {
        return .raw
      }
    }
    let found = try detect(source)
    guard let given, given != found, !(given.isJSON && found.isJSON) else { return given ?? found }
    throw ImportError(
      source.name, "is \(found.words), which import does not read as \(given.rawValue)",
      remedy: "leave --format out")
  }

  /// JSON by the keys of its first object, as far as they are within the text.
  ///
  /// A list has rows, and so has an object with another one after it.
  private static func kind(ofJSON text: [UInt8], _ file: String) throws(ImportError) -> FileKind {
    var json = JSONReader(text)
    var keys: Set<String> = []
    var hasAnother = false
    do throws(JSONReader.Failure) {
      if try json.kind() == .list { return .json }
      _ = try json.enterObject()
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
    let hasTime = keys.contains {
      if case .time = ColumnName($0).role { true } else { false }
    }
    guard hasAnother || hasTime else {
      throw notRead(
        file, "JSON of an unknown form",
        "make a list of objects such as {\"t_us\":0,\"ax\":1} of it, as with jq, or save it as CSV, and import that"
      )
    }
    return .ndjson
  }

  private static func notRead(_ file: String, _ kind: String, _ remedy: String) -> ImportError {
    ImportError(file, "is \(kind), which import does not read", remedy: remedy)
  }

  private static let marks: [(mark: [UInt8], kind: FileKind)] = [
    ([0x89, UInt8(ascii: "I"), UInt8(ascii: "M")], .raw), ([0x50, 0x4B, 3, 4], .zip),
    ([0x50, 0x4B, 5, 6], .zip), (Array("PAR1".utf8), .parquet),
    ([0x89, 0x4D, 0x43, 0x41, 0x50, 0x30], .mcap),
  ]

  private static func with(_ tool: String) -> String {
    "convert it to CSV with \(tool), and import that"
  }

  private static let convert = with("the program that wrote it")
  private static let source = "import the table from which it was made"
  private static let unpack = "unpack it, and import that"

  /// Kinds that are known by their first bytes and not read: their names, and the way to one that is.
  private static let foreign: [(place: Int, mark: [UInt8], kind: String, remedy: String)] = [
    (0, [0x1F, 0x8B], "packed by gzip", unpack), (0, Array("BZh".utf8), "packed by bzip2", unpack),
    (0, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "packed by xz", unpack),
    (0, [0x28, 0xB5, 0x2F, 0xFD], "packed by zstd", unpack),
    (0, [0x37, 0x7A, 0xBC, 0xAF], "a 7z archive", unpack),
    (257, Array("ustar".utf8), "an archive (TAR)", unpack),
    (0, [0x89, 0x50, 0x4E, 0x47], "a picture (PNG)", source),
    (0, Array("%PDF-".utf8), "a document (PDF)", source),
    (0, [0x7F, 0x45, 0x4C, 0x46], "a program (ELF)", "import what it writes"),
    (0, [0xD0, 0xCF, 0x11, 0xE0], "an old Office document, such as XLS", convert),
    (0, Array("SQLite format 3".utf8), "an SQLite database, as ROS 2 bags are", convert),
    (0, Array("#ROSBAG".utf8), "a ROS bag", convert),
    (0, [0x89, 0x48, 0x44, 0x46, 13, 10, 26, 10], "HDF5", convert),
    (0, Array("MATLAB ".utf8), "MATLAB's (MAT)", convert),
    (0, [0x93] + Array("NUMPY".utf8), "NumPy's (NPY)", convert),
    (0, [0x4D, 0x44, 0xFC, 0x03], "CWA", with("omconvert")),
    (0, Array("H Product:Blackbox".utf8), "a raw Blackbox log", with("blackbox_decode")),
    (4, Array("ftyp".utf8), "a video (MP4)", with("gpmf-extract or telemetry-parser")),
    (0, [0x55, 0x4C, 0x6F, 0x67, 1, 0x12, 0x35], "a PX4 log (ULog)", with("ulog2csv")),
    (0, [0xA3, 0x95, 0x80], "an ArduPilot log (BIN)", with("mavlogdump.py")),
  ]
}
