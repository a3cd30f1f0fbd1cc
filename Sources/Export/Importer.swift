public import IMUModel

/// A file of another kind, as the recording that it becomes.
///
/// Everything that can be wrong with the file is found when the importer is made, so that nothing half done
/// has to be taken back. Then the records are pulled, one at a time:
///
///     var importer = try CSVImporter(source, options)
///     // begin a log with importer.description, append importer.clockPairs
///     while let record = try importer.next() { /* append it */ }
///     // finish the log with importer.end
///
/// Two types conform: ``CSVImporter`` and ``PhoneImporter``.
public protocol Importer: ~Copyable {
  /// The header of the new log.
  var description: RecordingDescription { get }
  /// What the file says of the calendar; empty when it says nothing.
  var clockPairs: [ClockPair] { get }
  /// The end of the new log.
  var end: RecordingEnd { get }
  /// What was assumed, or is missing in the file: sentences for the user.
  var remarks: [String] { get }
  /// The next sample or gap; `nil` after the last one.
  ///
  /// - Throws: ``ImportError`` when the file was changed or became unreadable since the importer was made.
  mutating func next() throws(ImportError) -> TickRecord?
}

extension RecordingEnd {
  /// The end of an imported recording, whose lateness was not measured.
  static func imported(samples: UInt64, lost: UInt64 = 0) -> RecordingEnd {
    var ledger = TickLedger()
    ledger.sampled = samples
    ledger.lost = lost
    return RecordingEnd(reason: .imported, ledger: ledger, lateness: LatenessSummary())
  }
}
