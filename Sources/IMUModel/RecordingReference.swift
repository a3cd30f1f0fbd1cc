// SPDX-License-Identifier: Apache-2.0

/// How a user names a recording: its number, `latest`, or the beginning of its UUID, with or without the dashes.
///
/// Letters may be in either case. Fewer than eight digits alone are always a number: `rm 7` must not remove a
/// recording whose UUID begins with 7.
public struct RecordingReference: Hashable, Sendable {
  /// The word in lower case.
  public let text: String
  /// The number; `nil` for anything but decimal digits.
  public let number: UInt32?
  /// 1 to 32 hexadecimal digits in lower case; `nil` when no UUID can begin like this.
  public let digits: String?

  /// Any word; ``isPossible`` reports whether it can name a recording.
  public init(_ word: String) {
    let bytes = word.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
    text = String(decoding: bytes, as: UTF8.self)
    let isDecimal = bytes.allSatisfy { $0 &- 48 < 10 }
    number = isDecimal ? UInt32(text) : nil
    digits = isDecimal && bytes.count < 8 ? nil : RecordingReference.digits(bytes)
  }

  /// Whether it names the newest recording.
  public var isLatest: Bool { text == "latest" }

  /// Whether it is a number, `latest`, or the beginning of a UUID.
  public var isPossible: Bool { isLatest || number != nil || digits != nil }

  /// The recordings that it names: one for `latest`; else all that have the number; if none has it, all whose UUIDs
  /// begin with the digits.
  ///
  /// - Parameter recordings: Newest first.
  public func choose<Recording>(
    from recordings: [Recording], number: (Recording) -> UInt32,
    begins: (_ recording: Recording, _ digits: String) -> Bool
  ) -> [Recording] {
    if isLatest { return Array(recordings.prefix(1)) }
    if let wanted = self.number {
      let matches = recordings.filter { number($0) == wanted }
      if !matches.isEmpty { return matches }
    }
    guard let digits else { return [] }
    return recordings.filter { begins($0, digits) }
  }

  private static func digits(_ word: [UInt8]) -> String? {
    var digits: [UInt8] = []
    for (index, byte) in word.enumerated() {
      if byte == UInt8(ascii: "-"), RecordingID.isDash(index) { continue }
      guard byte &- 48 < 10 || byte &- 97 < 6 else { return nil }
      digits.append(byte)
    }
    return digits.isEmpty || digits.count > 32 ? nil : String(decoding: digits, as: UTF8.self)
  }
}
