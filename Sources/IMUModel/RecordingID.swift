// SPDX-License-Identifier: Apache-2.0

/// The identity of a recording: a random (version 4) UUID, RFC 9562.
public struct RecordingID: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// Bytes 0 to 7, the first byte in the highest bits.
  public let high: UInt64
  /// Bytes 8 to 15, the first byte in the highest bits.
  public let low: UInt64

  /// The identity with exactly these bits.
  public init(high: UInt64, low: UInt64) {
    (self.high, self.low) = (high, low)
  }

  /// A new identity from `generator`, with the version and variant bits of RFC 9562.
  public static func random(using generator: inout some RandomNumberGenerator) -> RecordingID {
    let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000
    let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return RecordingID(high: high, low: low)
  }

  /// The identity written as 32 hexadecimal digits in groups of 8-4-4-4-12, in either case; `nil` otherwise.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == RecordingID.length else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (position, byte) in text.utf8.enumerated() {
      if RecordingID.isDash(position) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let letter = byte | 0x20
      guard byte &- 48 < 10 || letter &- 97 < 6 else { return nil }
      // The digits of `low` push those before them into `high`.
      high = high << 4 | low >> 60
      low = low << 4 | UInt64(byte &- 48 < 10 ? byte - 48 : letter - 87)
    }
    self.init(high: high, low: low)
  }

  private static let length = 36
  static func isDash(_ position: Int) -> Bool {
    position == 8 || position == 13 || position == 18 || position == 23
  }

  /// Whether its lower-case hexadecimal digits, without dashes, begin with `digits`.
  public func begins(with digits: String) -> Bool {
    description.filter { $0 != "-" }.hasPrefix(digits)
  }

  /// 36 lower-case characters, such as `1b4e28ba-2fa1-41d2-883f-0016d3cca427`.
  public var description: String {
    var text: [UInt8] = []
    text.reserveCapacity(RecordingID.length)
    for index in 0..<32 {
      if RecordingID.isDash(text.count) { text.append(UInt8(ascii: "-")) }
      let word = index < 16 ? high : low
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - index % 16 * 4)) & 15
      text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// How a user names a recording: its number, `latest`, or the beginning of its UUID, with or without the dashes, in either
/// case. Fewer than eight digits alone are always a number: `rm 7` must not remove a recording whose UUID begins with 7.
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

  /// The recordings, given newest first, that it names: one for `latest`; else all with the number; if none has it, all
  /// whose UUIDs begin with the digits.
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
