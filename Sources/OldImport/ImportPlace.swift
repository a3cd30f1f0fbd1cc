// SPDX-License-Identifier: Apache-2.0

/// Where something is in a file to import.
///
///     line 7                           of a table
///     line 1, byte 5213                of JSON, where a line may be the whole file
///     line 1, byte 5213, sample 17     of the rows in a list of JSON
///     line 1, byte 902, item 3 of "gaps"
public struct ImportPlace: Equatable, Sendable, ExpressibleByIntegerLiteral,
  CustomStringConvertible
{
  /// Counted from 1.
  public let line: Int
  /// Of JSON, counted from 0.
  public var byte: UInt64?
  /// Of the rows in a list, counted from 1.
  public var sample: UInt64?
  /// Of the list of gaps in this program's document, counted from 1.
  public var gap: Int?

  /// A line of text.
  public init(line: Int) { self.line = line }

  init(line: Int, byte: UInt64, sample: UInt64?) {
    (self.line, self.byte, self.sample) = (line, byte, sample)
  }

  /// A line of text.
  public init(integerLiteral line: Int) { self.init(line: line) }

  /// As part of a sentence.
  public var description: String {
    var words = "line \(line)"
    if let byte { words += ", byte \(byte)" }
    if let sample { words += ", sample \(sample)" }
    if let gap { words += ", item \(gap) of \"gaps\"" }
    return words
  }
}
