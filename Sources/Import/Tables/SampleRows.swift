// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The rows of a file, checked by all rules about single rows, and read again and again.
///
/// In the first pass the reader only needs roles and the shape of times; ``settle(_:)`` then gives it the rest.
///
///     let rows = try TableReader(source, request)  // reads the head: rows.understanding has what is stated
///     while let row = try rows.next() { … }        // first pass: row.time in written units where no form is stated
///     rows.settle(understanding); try rows.rewind()        // later passes
protocol SampleRows: AnyObject {
  /// The name in errors.
  var name: String { get }
  /// What the head states.
  var understanding: Understanding { get }
  /// This program's facts in the file.
  var facts: OwnFacts { get }
  /// Where the row is that was returned last, and where reading can go on with it.
  var place: Place { get }
  var mark: RowMark { get }
  /// The values of the row returned last, as they are written, by the channel's position in `ChannelSet`.
  var numbers: [Decimal] { get }
  /// Rows without a value in some column, which are left out, and the first of them.
  var incomplete: (rows: UInt64, first: Place?) { get }
  /// What was found in the rows of the last whole pass, for the user: sentences.
  var remarks: [String] { get }

  /// The next row with all its values, or of a gap; `nil` after the last one.
  func next() throws(ImportError) -> Row?
  /// The same without its values, for which ``numbers`` is then undefined.
  func nextTime() throws(ImportError) -> Row?
  /// Takes what is stated of everything, for later passes.
  func settle(_ understanding: Understanding)
  /// Goes to the file's first row, or to a session's.
  func rewind(to mark: RowMark?) throws(ImportError)
}

extension SampleRows {
  var incomplete: (rows: UInt64, first: Place?) { (0, nil) }
  var remarks: [String] { [] }
  func nextTime() throws(ImportError) -> Row? { try next() }
}

/// What a row says beside its values.
struct Row: Equatable {
  /// Nanoseconds from time 0, dates from the first one or the file's; 0 without times. In the first pass, where no form
  /// is stated, in units of 10^-``Syntax/timeDecimals``.
  var time: Int64
  /// Of files that state it.
  var tick: UInt64?
  /// The row of ticks without a sample, after the row before it; its first tick is 0 where the file does not state it.
  var gap: Gap?
  /// The text of a mark.
  var mark: String?
  /// Whether blank lines, or the header again, are before it.
  var begin: Understanding.Session.Begin?
}

/// A sample, or a gap.
struct Item {
  var row: Row
  var sample = RawSample()
}
