// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
package import IMUModel
import Text

/// The name of a recording's file; these names are the store's only index:
///
///     000003-20261121T023807Z-1b4e28ba.imulog
///     number start, UTC       first 8 digits of the UUID
///
/// Names sort by number up to six digits; readers use the number itself.
struct RecordingName: Hashable, Sendable {
  static let suffix = ".imulog"
  /// First, because a start by a clock that was not set gives no order.
  var number: UInt32
  var start: UTCStamp
  /// Eight lower-case hexadecimal digits.
  var prefix: String

  init(number: UInt32, start: UTCStamp, id: RecordingID) {
    self.number = number
    self.start = start
    prefix = id.namePrefix
  }

  init?(_ file: some StringProtocol) {
    let parts = file.utf8.split(
      separator: UInt8(ascii: "-"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count >= 6, parts[0].allSatisfy(FieldText.isDigit),
      let number = UInt32(String(decoding: parts[0], as: UTF8.self)),
      let start = UTCStamp(utf8: parts[1]), parts[2].dropFirst(8).elementsEqual(Self.suffix.utf8)
    else { return nil }
    let prefix = parts[2].prefix(8)
    guard prefix.allSatisfy({ $0 &- 48 < 10 || $0 &- 97 < 6 }) else { return nil }
    (self.number, self.start) = (number, start)
    self.prefix = String(decoding: prefix, as: UTF8.self)
  }

  var text: String { "\(number.digits(6))-\(start.text)-\(prefix)\(RecordingName.suffix)" }
}

/// A date and time in UTC as file names write it, `20261121T023807Z`: without colons, which some file systems refuse.
struct UTCStamp: Comparable, Hashable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z.
  let seconds: Int64

  init(seconds: Int64) { self.seconds = seconds }

  /// 9999-01-01: from then on a later stamp may not exist.
  static let lastYear: Int64 = 253_370_764_800

  init(nanoseconds: Int64) {
    seconds = Int64.floored(nanoseconds, by: 1_000_000_000).whole
  }

  /// 16 characters as `text` writes them; `nil` for anything else.
  init?(utf8 text: some Collection<UInt8>) {
    let bytes = Array(text)
    guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z"),
      let date = UTCStamp.number(bytes[..<8]), let time = UTCStamp.number(bytes[9..<15])
    else { return nil }
    let (hour, minute, second) = (time / 10_000, time / 100 % 100, time % 100)
    guard hour < 24, minute < 60, second < 60,
      let days = CivilDate.days(year: date / 10_000, month: date / 100 % 100, day: date % 100)
    else { return nil }
    self.init(seconds: days * 86400 + hour * 3600 + minute * 60 + second)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard digits.allSatisfy(FieldText.isDigit) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  static func < (left: UTCStamp, right: UTCStamp) -> Bool { left.seconds < right.seconds }

  /// 16 characters; years outside 0 to 9999 are clamped.
  var text: String {
    // 0000-01-01 to the last second of 9999.
    let clamped = min(max(seconds, -62_167_219_200), 253_402_300_799)
    let (days, second) = Int64.floored(clamped, by: 86400)
    let (year, month, day) = CivilDate.date(of: days)
    let time = (second / 3600).digits(2) + (second / 60 % 60).digits(2) + (second % 60).digits(2)
    return year.digits(4) + month.digits(2) + day.digits(2) + "T" + time + "Z"
  }
}

extension WallTime {
  var stamp: UTCStamp { UTCStamp(nanoseconds: nanoseconds) }

  /// 2026-01-01: a clock that shows an earlier date was never set.
  package static let earliestCredible: Int64 = 1_767_225_600

  var isCredible: Bool { isSynchronised && stamp.seconds >= WallTime.earliestCredible }
}

/// The names that this program gives files of a store.
public enum StoreFile {
  private static let marks = [
    Catalogue.lockName, Catalogue.trashName, Catalogue.labelsName, KnownRecordings.name,
  ]
  private static let prefixes =
    [Catalogue.temporaryPrefix, Catalogue.unfinishedPrefix] + Leftover.prefixes.map(\.text)

  /// Whether a directory with these entries is a store and nothing else, such as a home or a disk.
  public static func areAll(_ entries: [String]) -> Bool {
    entries.allSatisfy { isRecording($0) || isBesideRecordings($0) }
  }

  /// Whether a name is that of a recording.
  public static func isRecording(_ name: String) -> Bool { RecordingName(name) != nil }

  /// Whether a name is that of a file or a directory that a store keeps beside its recordings.
  public static func isBesideRecordings(_ name: String) -> Bool {
    marks.contains(name) || name == "CACHEDIR.TAG" || prefixes.contains { name.hasPrefix($0) }
  }

  /// Whether a directory has recordings under the names that stores give them, as a copy of a store has; `false` if it
  /// cannot be listed.
  ///
  /// - Parameter name: An entry that does not count.
  public static func hasRecordings(_ directory: String, besides name: String) -> Bool {
    do {
      return try FileSystem(gate: .open).names(in: directory).contains {
        $0 != name && isRecording($0)
      }
    } catch {
      return false
    }
  }

  /// Whether a directory has what stores keep beside recordings; one that was only ever read may not.
  ///
  /// - Parameter name: An entry that does not count: directories of other programs may have a `.lock` as well.
  public static func isStore(_ directory: String, besides name: String? = nil) -> Bool {
    marks.contains { $0 != name && access("\(directory)/\($0)", F_OK) == 0 }
  }
}

extension RecordingID {
  /// The first 8 digits, which the name of a recording's file has.
  package var namePrefix: String { String(description.prefix(8)) }
}
