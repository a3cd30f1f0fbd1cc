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
  /// The number comes first because a start by a clock that was not set gives no order.
  var number: UInt32
  var start: UTCStamp
  /// Eight lower-case hexadecimal digits.
  var prefix: String

  init(number: UInt32, start: UTCStamp, id: RecordingID) {
    self.number = number
    self.start = start
    prefix = id.namePrefix
  }

  /// The parts of a file's name; `nil` for names of another form.
  init?(_ file: some StringProtocol) {
    let name = file.utf8.withContiguousStorageIfAvailable { RecordingName(utf8: $0) }
    guard let name = name ?? RecordingName(utf8: file.utf8) else { return nil }
    self = name
  }

  private init?(utf8 bytes: some Collection<UInt8>) {
    // Byte by byte, because a list of recordings reads one for each.
    var number: UInt32 = 0
    var place = bytes.startIndex
    var digits = 0
    while place < bytes.endIndex, bytes[place] &- 48 < 10 {
      let (tenfold, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = tenfold.addingReportingOverflow(UInt32(bytes[place] - 48))
      guard !isTooLarge, !isLarger else { return nil }
      number = sum
      digits += 1
      bytes.formIndex(after: &place)
    }
    // After the number: a dash, 16 bytes of start, a dash, 8 digits, the suffix.
    let rest = bytes[place...]
    guard digits >= 6, rest.count == 1 + 16 + 1 + 8 + RecordingName.suffix.utf8.count,
      rest.first == UInt8(ascii: "-"),
      let start = UTCStamp(utf8: rest.dropFirst().prefix(16)),
      rest.dropFirst(17).first == UInt8(ascii: "-"),
      rest.dropFirst(26).elementsEqual(RecordingName.suffix.utf8)
    else { return nil }
    let prefix = rest.dropFirst(18).prefix(8)
    guard prefix.allSatisfy({ $0 &- 48 < 10 || $0 &- 97 < 6 }) else { return nil }
    self.number = number
    self.start = start
    self.prefix = String(decoding: prefix, as: UTF8.self)
  }

  var text: String { "\(digits(number, 6))-\(start.text)-\(prefix)\(RecordingName.suffix)" }
}

/// A date and time in UTC to the second, as file names write it: `20261121T023807Z`, without colons
/// so that every file system takes it.
struct UTCStamp: Comparable, Hashable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z.
  let seconds: Int64

  init(seconds: Int64) {
    self.seconds = seconds
  }

  /// 9999-01-01: from then on a later stamp may not exist.
  static let lastYear: Int64 = 253_370_764_800

  /// The second in which `nanoseconds` since 1970 fall.
  init(nanoseconds: Int64) {
    seconds = Int64.floored(nanoseconds, by: 1_000_000_000).whole
  }

  /// 16 characters as `text` writes them; `nil` for anything else. A list of recordings reads one for each, so nothing is
  /// allocated.
  init?(utf8 text: some Collection<UInt8>) {
    guard text.count == 16 else { return nil }
    var place = text.startIndex
    func byte() -> UInt8 {
      defer { text.formIndex(after: &place) }
      return text[place]
    }
    func number(_ count: Int) -> Int64? {
      var value: Int64 = 0
      for _ in 0..<count {
        let digit = byte() &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        value = value * 10 + Int64(digit)
      }
      return value
    }
    guard let year = number(4), let month = number(2), let day = number(2),
      byte() == UInt8(ascii: "T"), let hour = number(2), let minute = number(2),
      let second = number(2), byte() == UInt8(ascii: "Z"),
      hour < 24, minute < 60, second < 60,
      let days = CivilDate.days(year: year, month: month, day: day)
    else { return nil }
    self.init(seconds: days * 86400 + hour * 3600 + minute * 60 + second)
  }

  static func < (left: UTCStamp, right: UTCStamp) -> Bool { left.seconds < right.seconds }

  /// 16 characters; years outside 0 to 9999 are clamped.
  var text: String {
    // 0000-01-01 to the last second of 9999.
    let clamped = min(max(seconds, -62_167_219_200), 253_402_300_799)
    let (days, second) = Int64.floored(clamped, by: 86400)
    let (year, month, day) = CivilDate.date(of: days)
    return digits(year, 4) + digits(month, 2) + digits(day, 2) + "T" + digits(second / 3600, 2)
      + digits(second / 60 % 60, 2) + digits(second % 60, 2) + "Z"
  }
}

extension WallTime {
  var stamp: UTCStamp { UTCStamp(nanoseconds: nanoseconds) }

  /// 2026-01-01: a clock that shows an earlier date was never set.
  package static let earliestCredible: Int64 = 1_767_225_600

  /// Whether the date can be trusted.
  var isCredible: Bool { isSynchronised && stamp.seconds >= WallTime.earliestCredible }
}

/// `value` in decimal with zeros in front, at least `width` characters.
func digits(_ value: some BinaryInteger, _ width: Int) -> String {
  let text = String(value)
  return String(repeating: "0", count: max(0, width - text.count)) + text
}

/// The names that this program gives files of a store.
public enum StoreFile {
  private static let names: Set = [
    Catalogue.lockName, Catalogue.trashName, Catalogue.labelsName, KnownRecordings.name,
    "CACHEDIR.TAG",
  ]
  private static let prefixes =
    [Catalogue.temporaryPrefix, Catalogue.unfinishedPrefix] + Leftover.prefixes.map(\.text)

  /// Whether a directory with these entries is a store and nothing else, such as a home or a disk.
  public static func areAll(_ entries: [String]) -> Bool {
    entries.allSatisfy { isRecording($0) || isBesideRecordings($0) }
  }

  /// Whether a name is that of a recording: in the directory of a store such a file is one.
  public static func isRecording(_ name: String) -> Bool { RecordingName(name) != nil }

  /// Whether a name is that of a file or a directory that a store keeps beside its recordings.
  public static func isBesideRecordings(_ name: String) -> Bool {
    names.contains(name) || prefixes.contains { name.hasPrefix($0) }
  }

  /// Whether a directory has recordings under the names that stores give them, as a copy of a store has, without what
  /// stores keep beside them.
  ///
  /// One that cannot be listed has none that this program could list either.
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

  /// Whether a directory has what stores keep beside recordings. One that was only ever read may have nothing of it.
  ///
  /// - Parameter name: An entry that does not count: directories of other programs may have a `.lock` as well.
  public static func isStore(_ directory: String, besides name: String? = nil) -> Bool {
    let marks: [String] = [
      Catalogue.lockName, KnownRecordings.name, Catalogue.trashName, Catalogue.labelsName,
    ]
    return marks.contains { $0 != name && access("\(directory)/\($0)", F_OK) == 0 }
  }
}

extension RecordingID {
  /// The first 8 digits, which the name of a recording's file has.
  package var namePrefix: String { String(description.prefix(8)) }
}
