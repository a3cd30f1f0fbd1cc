/// Bytes as base64 (RFC 4648, section 4), piece by piece: what does not fill a group waits for the next piece.
struct Base64Writer {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Up to two bytes that do not fill a group of three yet.
  private var rest: [UInt8] = []

  /// Appends the characters of all groups that are full with `bytes`.
  mutating func append(_ bytes: [UInt8], to text: inout [UInt8]) {
    rest.append(contentsOf: bytes)
    let groups = rest.count / 3
    text.reserveCapacity(text.count + 4 * groups)
    Base64Writer.alphabet.withUnsafeBufferPointer { alphabet in
      rest.withUnsafeBufferPointer { rest in
        for group in 0..<groups {
          let word =
            UInt32(rest[3 * group]) << 16 | UInt32(rest[3 * group + 1]) << 8
            | UInt32(rest[3 * group + 2])
          text.append(alphabet[Int(word >> 18)])
          text.append(alphabet[Int(word >> 12 & 63)])
          text.append(alphabet[Int(word >> 6 & 63)])
          text.append(alphabet[Int(word & 63)])
        }
      }
    }
    rest.removeFirst(3 * groups)
  }

  /// Appends the last group, filled up with `=`.
  mutating func finish(to text: inout [UInt8]) {
    guard !rest.isEmpty else { return }
    let missing = 3 - rest.count
    append(Array(repeating: 0, count: missing), to: &text)
    text.removeLast(missing)
    text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: missing))
  }
}
