// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A file of another kind, as the recording that it becomes.
///
/// The whole file is checked when this is made, so that no partial import has to be undone. Then the caller pulls the
/// records, one at a time.
///
///     let file = try ImportedRecording([path], kind, request)
///     // begin a log with file.description, append file.clockPairs
///     while let record = try file.next() { /* append it */ }
///     // finish the log with file.end
///
/// It is not generic: the compiler makes the readers' code for files within this module, where it sees all of it. Code
/// that another module asks for with a type of its own takes five times as long.
public struct ImportedRecording: ~Copyable {
  /// How the file is understood, or both of a recording.
  public let understandings: [Understanding]
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
  /// What was left out or changed: sentences for the user.
  public let remarks: [String]
  /// What the import makes, in a line.
  public let summary: String
  private let pull: () throws(ImportError) -> TickRecord?

  private final class Box<Reader: SampleRows & ~Copyable> {
    var importer: RowImporter<Reader>

    init(_ importer: consuming RowImporter<Reader>) { self.importer = importer }
  }

  init<Reader: SampleRows & ~Copyable>(_ importer: consuming RowImporter<Reader>) {
    (understandings, description) = (importer.understandings, importer.description)
    (clockPairs, end, summary) = (importer.clockPairs, importer.end, importer.summary)
    (marks, labels, remarks) = (importer.marks, importer.labels, importer.remarks)
    let box = Box(importer)
    pull = { () throws(ImportError) -> TickRecord? in try box.importer.next() }
  }

  /// The kind of a file.
  ///
  /// - Parameter given: What the user says; `nil` to detect it.
  /// - Throws: ``ImportError`` also for a binary of another kind than the given one.
  public static func kind(of path: String, given: FileKind?) throws(ImportError) -> FileKind {
    var source = try FileSource(path: path)
    return try FileKind.check(given, &source)
  }

  /// Reads the whole file and checks it.
  ///
  /// - Parameters:
  ///   - paths: The file, or two tables of one recording.
  ///   - kind: What ``kind(of:given:)`` returned of the first, but for a log, which the store copies.
  ///   - progress: See ``FileSource/init(path:progress:)``.
  public init(
    _ paths: [String], _ kind: FileKind, _ request: ImportRequest,
    progress: FileSource.Progress? = nil
  ) throws(ImportError) {
    var making = Making(request: request)
    try Opening.visit(paths, kind, request, progress, &making)
    self = making.taken()
  }

  /// Reads all bytes of a file of the kind that its first ones tell, wherever they are.
  public init<Source: SeekableSource & ~Copyable>(
    _ source: consuming Source, _ request: ImportRequest
  ) throws(ImportError) {
    let kind = try FileKind.check(nil, &source)
    var making = Making(request: request)
    try Opening.visit(source, kind, request, &making)
    self = making.taken()
  }

  /// Reads two tables of one recording, each with a sensor and times of its own, and joins them by the nearest times.
  public init<Source: ImportSource & ~Copyable>(
    _ first: consuming Source, with second: consuming Source, _ request: ImportRequest
  ) throws(ImportError) {
    var making = Making(request: request)
    try Opening.text(first, with: second, &making)
    self = making.taken()
  }

  /// How the files are understood, whatever is missing.
  public static func explained(
    _ paths: [String], _ kind: FileKind, _ request: ImportRequest,
    progress: FileSource.Progress? = nil
  ) throws(ImportError) -> [Understanding] {
    var explaining = Explaining(request: request)
    try Opening.visit(paths, kind, request, progress, &explaining)
    return explaining.understandings
  }

  /// The refusal that names what is missing; `nil` if nothing is.
  public static func question(_ understandings: [Understanding], _ request: ImportRequest)
    -> ImportError?
  {
    Refusal.of(understandings, request)
  }

  /// The next sample or gap; `nil` after the last one.
  ///
  /// - Throws: ``ImportError`` when the file was changed or became unreadable since it was checked.
  public mutating func next() throws(ImportError) -> TickRecord? { try pull() }
}
