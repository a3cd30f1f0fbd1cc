// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Text

/// The colours of inks.
///
/// They are the terminal's own 16 colours (ECMA-48, SGR 30 to 37, and the bright ones of aixterm, 90 to 97): the user
/// chose them to suit the background.
enum Palette: Equatable, Sendable {
  /// For a dark background.
  case dark
  /// For a light background.
  case light
  /// No colours, only bold and reversed.
  case none

  /// The SGR parameter of an ink; 39 is the terminal's own foreground.
  func foreground(_ ink: Ink) -> Int {
    switch self {
    case .none: return 39
    case .dark:
      switch ink {
      case .text: return 39
      case .faint: return 90
      case .x: return 91
      case .y: return 92
      case .z: return 94
      case .magnitude: return 96
      case .gap: return 35
      case .mark: return 93
      case .alert: return 93
      case .recording: return 91
      }
    case .light:
      switch ink {
      case .text: return 39
      case .faint: return 90
      case .x: return 31
      case .y: return 32
      case .z: return 34
      case .magnitude: return 36
      case .gap: return 35
      case .mark: return 35
      case .alert: return 31
      case .recording: return 31
      }
    }
  }
}

extension Palette {
  /// The palette for the environment: none with `NO_COLOR` (https://no-color.org), else the one for the
  /// background in `COLORFGBG`, or for the terminal's reply; dark when both are unknown.
  init(_ device: borrowing TerminalDevice, typed: inout [UInt8]) {
    if Environment.value("NO_COLOR")?.isEmpty == false {
      self = .none
    } else if let isLight = Environment.value("COLORFGBG").flatMap(Palette.isLight) {
      self = isLight ? .light : .dark
    } else if Environment.value("TERM") == "linux" {
      // The kernel's console is dark and does not reply.
      self = .dark
    } else {
      self = BackgroundColour.ask(device, &typed) == true ? .light : .dark
    }
  }

  /// `COLORFGBG` is `FOREGROUND;BACKGROUND`, numbers of the 16 colours, sometimes with a word between them: 7 and
  /// the bright ones except dark grey are light. (rxvt's manual.)
  private static func isLight(_ text: String) -> Bool? {
    guard let last = text.split(separator: ";").last, text.contains(";"), let number = Int(last),
      (0...15).contains(number)
    else { return nil }
    return number == 7 || number > 8
  }
}

/// Asks a terminal for its background.
///
///     program   OSC 11 ; ? ST    CSI c
///     terminal  OSC 11 ; rgb:ffff/ffff/dddd ST      CSI ? … c
///
/// Every terminal replies to the second question: with that reply, or after a tenth of a second, the wait for the first
/// ends. (xterm control sequences: OSC 10 and on; Primary DA.)
private enum BackgroundColour {
  private static let patience: Int64 = 100_000_000

  /// Whether it is light; `nil` without a reply.
  ///
  /// - Parameter typed: Receives all bytes meanwhile, keys among them; the key parser ignores replies.
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

  /// Whether the reply to the second question is there: CSI ? digits c.
  private static func isAnswered(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let start = text.range(of: "\u{1B}[?") else { return false }
    let rest = text[start.upperBound...].drop { $0.isNumber || $0 == ";" }
    return rest.first == "c"
  }

  /// Reads `rgb:R/G/B`, each of one to four hexadecimal digits.
  private static func isLight(_ bytes: [UInt8]) -> Bool? {
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
  /// Where a text occurs in this one; without Foundation.
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

/// The glyphs that a terminal can show.
struct GlyphSet: Equatable, Sendable {
  /// Whether only ASCII is available.
  var isASCII: Bool

  /// Unicode or ASCII glyphs.
  init(isASCII: Bool = false) {
    self.isASCII = isASCII
  }

  var vertical: Unicode.Scalar { isASCII ? "|" : "│" }
  var tick: Unicode.Scalar { isASCII ? "+" : "┤" }
  var horizontal: Unicode.Scalar { isASCII ? "-" : "─" }
  var timeTick: Unicode.Scalar { isASCII ? "+" : "┬" }
  var corner: Unicode.Scalar { isASCII ? "+" : "└" }
  var gap: Unicode.Scalar { isASCII ? "#" : "░" }
  var mark: Unicode.Scalar { isASCII ? "^" : "▲" }
  /// On the time axis, below a part with a name.
  var label: Unicode.Scalar { isASCII ? "=" : "━" }
  var markLine: Unicode.Scalar { isASCII ? ":" : "┊" }
  var zero: Unicode.Scalar { isASCII ? "." : "·" }
  var dot: String { isASCII ? "*" : "●" }
  var separator: String { isASCII ? " - " : " · " }
  var minus: String { isASCII ? "-" : "−" }
  var degreesPerSecond: String { isASCII ? "deg/s" : "°/s" }
  var degreesCelsius: String { isASCII ? "C" : "°C" }
  var pointer: String { isASCII ? ">" : "▶" }
  var paused: String { isASCII ? "||" : "⏸" }

  /// The names of arrow keys in a line of hints.
  var leftRight: String { isASCII ? "left/right" : "←→" }
  var upDown: String { isASCII ? "up/down" : "↑↓" }

  /// How a line looks in the legend.
  func sample(of line: GraphLine) -> String {
    if isASCII { return String(repeating: "\(line.letter)", count: 3) }
    switch line {
    case .x: return "━━━"
    case .y: return "━╸━"
    case .z: return "┅┅┅"
    case .magnitude: return "╺━╺"
    }
  }
}
