/// The identity of a recording: a random (version 4) UUID, RFC 9562.
public struct RecordingID: Hashable, Sendable, BitwiseCopyable {
  /// Bytes 0 to 7, the first byte in the highest bits.
  public let high: UInt64
  /// Bytes 8 to 15, the first byte in the highest bits.
  public let low: UInt64

  /// The identity with exactly these bits.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A new identity from `generator`, with the version and variant bits of RFC 9562.
  public static func random(using generator: inout some RandomNumberGenerator) -> RecordingID {
    let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000
    let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return RecordingID(high: high, low: low)
  }

  /// The identity written as 32 hexadecimal digits in groups of 8-4-4-4-12, in either case; `nil` otherwise.
  public init?(_ text: some StringProtocol) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
    let digits = groups.joined()
    guard digits.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }
}

extension RecordingID: CustomStringConvertible {
  /// 36 lower-case characters, such as `1b4e28ba-2fa1-41d2-883f-0016d3cca427`.
  public var description: String {
    let digits = RecordingID.hexadecimal(high) + RecordingID.hexadecimal(low)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return text
  }

  private static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
