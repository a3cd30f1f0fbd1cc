import IMUModel

/// Text as it stands in HTML and XML, between tags and in quoted attributes.
enum MarkupText {
  /// `text` without anything that a reader would take for markup.
  ///
  /// Characters that XML 1.0 does not allow at all (section 2.2: control characters but tab, line feed and
  /// carriage return, and U+FFFE and U+FFFF) become U+FFFD; so does all else that a terminal could obey, and what
  /// turns the direction of the words around it.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\t", "\n", "\r": escaped += " "
      case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      case _ where ForeignText.isObeyed(scalar): escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// JSON as it stands in a script element: without `<`, no end tag and no comment begins in it, and `<` is
  /// only ever part of a string, where it may be written as an escape (RFC 8259, section 7).
  static func script(json: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(json.count)
    for byte in json {
      if byte == UInt8(ascii: "<") {
        bytes.append(contentsOf: "\\u003c".utf8)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}
