// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Faulty bytes of a log, or a description that cannot be written as one.
public struct FormatError: Error, Equatable, Sendable, StatusError {
  /// What is wrong.
  public enum Reason: Equatable, Sendable {
    /// All bytes are zero: preallocated space that was not written, or that the file system invented.
    case notWritten
    /// The bytes end before the page header or the chunk does: the file was cut.
    case cutShort
    /// The page does not begin with the mark of a log.
    case notALog
    /// The page has an unknown version of the format.
    case unsupportedVersion(UInt8)
    /// The check of the page header is wrong: its bytes were damaged.
    case damagedPageHeader
    /// The page is intact but of another recording: left over from an earlier use of the storage.
    case otherRecording
    /// The page is intact but belongs elsewhere in the file, at page `found`.
    case misplaced(found: UInt32)
    /// The check of a chunk is wrong: its bytes were damaged, or only partly written.
    case damagedChunk
    /// Bytes other than zero follow the last chunk of the page.
    case notZeroAfterLastChunk
    /// The check is right but the content is invalid: written by a faulty or newer program.
    case malformed(String)
    /// The page is intact, but its ticks came before: it is in the wrong place.
    case ticksGoBack
    /// The header text lacks a mandatory entry.
    case missingEntry(String)
    /// An entry of the header text, or of a description to be written, is invalid.
    case badEntry(key: String, value: String)
    /// The description is too long for the header page by this many bytes.
    case headerTooLong(excess: Int)
  }

  /// What is wrong.
  public var reason: Reason
  /// Where in the page: the offset of the chunk, or of the page header (0).
  public var offset: Int

  /// An error at `offset` of a page.
  public init(_ reason: Reason, offset: Int) {
    (self.reason, self.offset) = (reason, offset)
  }

  /// One sentence, without the offset.
  public var description: String {
    switch reason {
    case .notWritten: return "nothing was written here"
    case .cutShort: return "the file ends within a page header or chunk"
    case .notALog: return "this is not a page of an imulog file"
    case .unsupportedVersion(let version):
      return "the page is of version \(version) of the format, and this program reads version"
        + " \(LogFormat.version): use a newer imulog"
    case .damagedPageHeader: return "the page header is damaged (its check is wrong)"
    case .otherRecording: return "the page belongs to another recording"
    case .misplaced(let found): return "the page belongs elsewhere in the file, at page \(found)"
    case .damagedChunk: return "a chunk is damaged or was not written in full (its check is wrong)"
    case .notZeroAfterLastChunk: return "unexpected bytes follow the last chunk of the page"
    case .malformed(let what): return "a chunk is intact but makes no sense: \(what)"
    case .ticksGoBack: return "the ticks were there before"
    case .missingEntry(let key): return "the header has no entry '\(key)'"
    case .badEntry(let key, let value): return "the header's entry '\(key)' cannot be '\(value)'"
    case .headerTooLong(let excess):
      return "the description is \(excess) bytes too long for the log's first page:"
        + " shorten the note or the names"
    }
  }

  /// The description cannot be one of a log.
  public var exitStatus: ExitStatus { .usage }
}

/// Why a chunk cannot be decoded though its check is right, in words after a colon.
enum MalformedChunk: String, Error {
  case exhausted = "its values run past its end"
  case unknownMethod = "a channel is coded by an unknown method"
  case wideCoefficients = "predictor coefficients are too wide"
  case badLattice = "the values of a channel are out of order"
  case noHistory = "a channel continues from a value that does not exist"
  case unknownPartition = "a partition length is out of range"
  case badParameter = "a Rice parameter is out of range"
  case reservedBits = "reserved bits are set"
  case tickOutOfRange = "a tick is out of range"
  case timeOutOfRange = "a time is out of range"
  case badNumber = "a number has too many bits"
  case unbalanced = "its counts of ticks overflow"
  case reservedKind = "kind 0 does not exist"
}
