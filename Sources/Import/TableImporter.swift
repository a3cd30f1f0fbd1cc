// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Makes a recording from a table or a document in text, or from two tables of one recording.
public struct TableImporter<Source: ImportSource & ~Copyable>: Importer, ~Copyable {
  private var held: ImportedRecording
  /// How the tables are understood.
  public var understandings: [Understanding] { held.understandings }
  /// The header of the new log.
  public var description: RecordingDescription { held.description }
  /// The file's dates; empty when it has none.
  public var clockPairs: [ClockPair] { held.clockPairs }
  /// Marks of the new log.
  public var marks: [Mark] { held.marks }
  /// Labels of the new recording.
  public var labels: [RecordingLabel] { held.labels }
  /// The end of the new log.
  public var end: RecordingEnd { held.end }
  /// What was left out or changed: sentences for the user.
  public var remarks: [String] { held.remarks }
  /// What the import makes, in a line.
  public var summary: String { held.summary }

  private init(_ held: consuming ImportedRecording) { self.held = held }

  /// Reads the whole file and checks it.
  ///
  /// - Throws: ``ImportError`` with the line and column of the first error.
  public init(_ source: consuming Source, _ request: ImportRequest) throws(ImportError) {
    var making = Making(request: request)
    try Opening.text(source, &making)
    self.init(making.taken())
  }

  /// Reads two tables of one recording, each with a sensor and times of its own, and joins them by the nearest times.
  ///
  /// - Throws: ``ImportError`` with the line and column of the first error.
  public init(
    _ first: consuming Source, with second: consuming Source, _ request: ImportRequest
  ) throws(ImportError) {
    var making = Making(request: request)
    try Opening.text(first, with: second, &making)
    self.init(making.taken())
  }

  /// The next sample or gap; `nil` after the last one.
  public mutating func next() throws(ImportError) -> TickRecord? { try held.next() }
}
