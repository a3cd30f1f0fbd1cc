import Glibc
import IMUModel
import LinuxIO

/// Asks a terminal for its background.
///
///     program   OSC 11 ; ? ST    CSI c
///     terminal  OSC 11 ; rgb:ffff/ffff/dddd ST      CSI ? … c
///
/// The second question is one that every terminal answers: with that answer, or after a tenth of a second, waiting
/// for the first is over. (xterm control sequences: OSC 10 and on; Primary DA.)
enum BackgroundColour {
  private static let patience: Int64 = 100_000_000

  /// Whether it is light; `nil` when the terminal does not say.
  ///
  /// - Parameter typed: Gets all that came meanwhile, keys among it; answers are no keys to the parser.
  static func ask(_ device: borrowing TerminalDevice, _ typed: inout [UInt8]) -> Bool? {
    _ = device.write(Array("\u{1B}]11;?\u{1B}\\\u{1B}[c".utf8)[...])
    let clock = SystemClock()
    let end = clock.now() + patience
    while clock.now() < end {
      var descriptor = pollfd(fd: device.fileDescriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&descriptor, 1, PollTimeout.milliseconds(until: end, now: clock.now()))
      guard let bytes = device.read() else { return nil }
      typed += bytes
      if isAnswered(typed) { break }
    }
    return isLight(typed)
  }

  /// Whether the answer to the second question is there: CSI ? digits c.
  static func isAnswered(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let start = text.range(of: "\u{1B}[?") else { return false }
    let rest = text[start.upperBound...].drop { $0.isNumber || $0 == ";" }
    return rest.first == "c"
  }

  /// Reads `rgb:R/G/B`, each of one to four hexadecimal digits.
  static func isLight(_ bytes: [UInt8]) -> Bool? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let start = text.range(of: "]11;rgb:") else { return nil }
    let parts = text[start.upperBound...].prefix { $0.isHexDigit || $0 == "/" }.split(
      separator: "/")
    guard parts.count == 3 else { return nil }
    var values: [Double] = []
    for part in parts {
      guard (1...4).contains(part.count), let value = UInt32(part, radix: 16) else { return nil }
      values.append(Double(value) / Double((1 << (4 * UInt32(part.count))) - 1))
    }
    // Luma. (ITU-R BT.601)
    return 0.299 * values[0] + 0.587 * values[1] + 0.114 * values[2] > 0.5
  }
}

extension String {
  /// Where a text begins and ends in this one.
  fileprivate func range(of text: String) -> Range<String.Index>? {
    let wanted = Array(text.utf8)
    let all = Array(utf8)
    guard wanted.count <= all.count else { return nil }
    for start in 0...(all.count - wanted.count)
    where all[start..<start + wanted.count].elementsEqual(wanted) {
      let lower = utf8.index(utf8.startIndex, offsetBy: start)
      return lower..<utf8.index(lower, offsetBy: wanted.count)
    }
    return nil
  }
}
