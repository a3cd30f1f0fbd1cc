// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Text

/// The colours of inks: the terminal's own 16 (ECMA-48, SGR 30 to 37; aixterm's bright ones, 90 to 97), which the user chose
/// to suit the background.
enum Palette: Equatable, Sendable {
  case dark
  case light
  /// No colours, only bold and reversed.
  case none

  /// The SGR parameter of an ink; 39 is the terminal's own foreground.
  func foreground(_ ink: Ink) -> Int {
    let (dark, light) =
      switch ink {
      case .text: (39, 39)
      case .faint: (90, 90)
      case .x: (91, 31)
      case .y: (92, 32)
      case .z: (94, 34)
      case .magnitude: (96, 36)
      case .gap: (35, 35)
      case .mark: (93, 35)
      case .alert: (93, 31)
      case .recording: (91, 31)
      }
    return self == .dark ? dark : self == .light ? light : 39
  }
}

extension Palette {
  /// None with `NO_COLOR` (https://no-color.org), else by `COLORFGBG` or the terminal's reply; dark when both are unknown.
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

  /// `COLORFGBG` is `FOREGROUND;BACKGROUND`, numbers of the 16 colours, sometimes with a word between them: 7 and the bright
  /// ones except dark grey are light. (rxvt's manual.)
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
/// Every terminal replies to the second question: that, or a tenth of a second, ends the wait for the first reply. (xterm
/// control sequences: OSC 10 and on; Primary DA.)
enum BackgroundColour {
  private static let patience: Int64 = 100_000_000

  /// Whether it is light; `nil` without a reply. `typed` receives all bytes meanwhile; the key parser ignores replies.
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
    let rest = text.parts(around: "\u{1B}[?")?.after.drop { $0.isNumber || $0 == ";" }
    return rest?.first == "c"
  }

  /// Reads `rgb:R/G/B`, each of one to four hexadecimal digits.
  static func isLight(_ bytes: [UInt8]) -> Bool? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let colour = text.parts(around: "]11;rgb:")?.after else { return nil }
    let parts = colour.prefix { $0.isHexDigit || $0 == "/" }.split(separator: "/")
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

/// The glyphs that a terminal can show.
struct GlyphSet: Equatable, Sendable {
  var isASCII = false

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
    isASCII
      ? String(repeating: "\(line.letter)", count: 3)
      : ["━━━", "━╸━", "┅┅┅", "╺━╺"][line.rawValue]
  }
}
