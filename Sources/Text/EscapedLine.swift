// SPDX-License-Identifier: Apache-2.0

/// Text on one line of a CSV preamble, and back.
///
///     text    C:\log ⏎ a;=b
///     line    C:\\log \u000a a\u003b=b
///
/// A backslash is doubled. What cannot be seen or would end the line is `\u` and four hexadecimal digits, twice above
/// U+FFFF; so are a space at an end, and a separator before what a spreadsheet takes for a formula.
package enum EscapedLine {
  package static func line(_ text: String) -> String {
    var line = ""
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let next = index + 1 < scalars.count ? scalars[index + 1] : nil
      let isEnd = index == 0 || next == nil
      let isBeforeFormula =
        (scalar == "," || scalar == ";") && next.map { "=+-@".unicodeScalars.contains($0) } ?? false
      if scalar == "\\" {
        line += "\\\\"
      } else if ForeignText.isObeyed(scalar) || isBeforeFormula || (isEnd && scalar == " ") {
        line += ForeignText.escapedForJSON(scalar)
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  /// The text of a line. A backslash that escapes nothing stays, as earlier versions wrote it.
  package static func plain(_ line: String) -> String {
    guard line.utf8.contains(UInt8(ascii: "\\")) else { return line }
    var units: [UInt16] = []
    var rest = Array(line.utf16)[...]
    let backslash = UInt16(UInt8(ascii: "\\"))
    while let unit = rest.popFirst() {
      guard unit == backslash, let next = rest.first else {
        units.append(unit)
        continue
      }
      let digits = rest.dropFirst().prefix(4)
      if next == backslash {
        units.append(unit)
        rest.removeFirst()
      } else if next == UInt16(UInt8(ascii: "u")), digits.count == 4, let code = code(digits) {
        units.append(code)
        rest.removeFirst(5)
      } else {
        units.append(unit)
      }
    }
    return String(decoding: units, as: UTF16.self)
  }

  private static func code(_ digits: ArraySlice<UInt16>) -> UInt16? {
    let text = String(decoding: digits, as: UTF16.self)
    return text.utf8.allSatisfy { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }
      ? UInt16(text, radix: 16) : nil
  }
}
