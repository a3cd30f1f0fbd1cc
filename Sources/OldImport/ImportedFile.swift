// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A file of another kind, as the recording that it becomes, whichever importer reads it.
///
///     let file = try ImportedFile([path], format, options)
///     // begin a log with file.description, append file.clockPairs
///     while let record = try file.next() { /* append it */ }
///     // finish the log with file.end
///
/// It is not generic: the compiler makes the importers' code for files within this module, where it sees all of it. Code
/// that another module asks for with a type of its own takes five times as long.
public struct ImportedFile: ~Copyable {
  /// The header of the new log.
  public let description: RecordingDescription
  /// The file's dates; empty when it has none.
  public let clockPairs: [ClockPair]
  /// Marks of the new log.
  public let marks: [Mark]
  /// Labels of the new recording.
  public let labels: [RecordingLabel]
  /// The end of the new log.
  public let end: RecordingEnd
  /// Assumptions about the file, and parts missing from it: sentences for the user.
  public let remarks: [String]
  private let pull: () throws(ImportError) -> TickRecord?

  private final class Box<Held: Importer & ~Copyable> {
    var importer: Held

    init(_ importer: consuming Held) { self.importer = importer }
  }

  private init<Held: Importer & ~Copyable>(_ importer: consuming Held) {
    description = importer.description
    (clockPairs, end) = (importer.clockPairs, importer.end)
    (marks, labels, remarks) = (importer.marks, importer.labels, importer.remarks)
    let box = Box(importer)
    pull = { () throws(ImportError) -> TickRecord? in try box.importer.next() }
  }

  /// The kind of a file.
  ///
  /// - Parameter given: What the user says; `nil` to detect it.
  /// - Throws: ``ImportError`` also for a binary of another kind than the given one.
  public static func format(of path: String, given: ImportFormat?) throws(ImportError)
    -> ImportFormat
  {
    var source = try FileSource(path: path)
    return try ImportFormat.check(given, &source)
  }

  /// Reads the whole file and checks it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - second: The second table of one recording.
  ///   - format: What ``format(of:given:)`` returned, but for a log, which the store copies.
  ///   - progress: See ``FileSource/init(path:progress:)``.
  public init(
    _ path: String, with second: String? = nil, _ format: ImportFormat, _ options: ImportOptions,
    progress: FileSource.Progress? = nil
  ) throws(ImportError) {
    let source = try FileSource(path: path, progress: progress)
    switch format {
    case .csv, .json, .ndjson:
      if let second {
        var other = try FileSource(path: second, progress: progress)
        let kind = try ImportFormat.check(nil, &other)
        guard [.csv, .json, .ndjson].contains(kind) else {
          throw .notJoined(
            first: path, second: second,
            why: "\(second) is no table, but of the format \(kind.rawValue)")
        }
        self.init(try TableImporter(source, with: other, options))
      } else {
        self.init(try TableImporter(source, options))
      }
    case .zip: self.init(try TableImporter.zip(source, options))
    case .gyrodata: self.init(try PhoneImporter(source, options))
    case .raw:
      throw .otherFormat(
        name: path, format: "a log of imulog", remedy: "let the store copy it", as: .raw)
    }
  }

  /// The next sample or gap; `nil` after the last one.
  ///
  /// - Throws: ``ImportError`` when the file was changed or became unreadable since it was checked.
  public mutating func next() throws(ImportError) -> TickRecord? { try pull() }
}
