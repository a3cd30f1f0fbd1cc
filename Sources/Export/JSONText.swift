import IMUModel

/// JSON text under construction: puts the commas and escapes the strings; the caller balances the braces.
package struct JSONText {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// Forgets the bytes, which were passed on, but not whether a comma is due.
  mutating func removeBytes() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// `"name":` of an object's entry; with `onNewLine` after a line feed.
  mutating func key(_ name: String, onNewLine: Bool = false) {
    separate()
    if onNewLine { bytes.append(UInt8(ascii: "\n")) }
    appendQuoted(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// `{` or `[`.
  mutating func open(_ bracket: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(ascii: bracket))
    needsComma = false
  }

  /// `}` or `]`.
  mutating func close(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    needsComma = true
  }

  mutating func string(_ value: String?) {
    guard let value else { return word("null") }
    separate()
    appendQuoted(value)
    needsComma = true
  }

  mutating func integer(_ value: some BinaryInteger) {
    separate()
    DecimalText.append(value, to: &bytes)
    needsComma = true
  }

  mutating func bool(_ value: Bool) {
    word(value ? "true" : "false")
  }

  mutating func null() {
    word("null")
  }

  /// `numerator`/`denominator` with at most `decimals` digits after the point, rounded half up; both are
  /// positive or 0.
  mutating func ratio(_ numerator: UInt64, _ denominator: UInt64, decimals: Int) {
    separate()
    var power: UInt64 = 1
    for _ in 0..<decimals { power *= 10 }
    let whole = numerator / denominator
    // At most denominator × power: full width, so that nothing can overflow.
    let product = (numerator % denominator).multipliedFullWidth(by: power)
    let (quotient, remainder) = denominator.dividingFullWidth(product)
    var fraction = quotient + (remainder >= denominator - remainder ? 1 : 0)
    let carry = fraction / power
    fraction %= power
    DecimalText.append(whole + carry, to: &bytes)
    if fraction != 0 {
      var digits: [UInt8] = []
      DecimalText.append(
        units: fraction, decimals: decimals, least: 0, isNegative: false, to: &digits)
      bytes.append(contentsOf: digits.dropFirst())
    }
    needsComma = true
  }

  /// Digits that are a JSON number already.
  mutating func number(_ digits: [UInt8]) {
    separate()
    bytes.append(contentsOf: digits)
    needsComma = true
  }

  /// Text that is JSON already.
  mutating func word(_ text: StaticString) {
    separate()
    bytes.append(contentsOf: text.description.utf8)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  /// RFC 8259, section 7: quotation mark, backslash and U+0000 to U+001F must be escaped. What a terminal or a script
  /// could obey is too.
  private mutating func appendQuoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": bytes.append(contentsOf: "\\\"".utf8)
      case "\\": bytes.append(contentsOf: "\\\\".utf8)
      case "\n": bytes.append(contentsOf: "\\n".utf8)
      case "\r": bytes.append(contentsOf: "\\r".utf8)
      case "\t": bytes.append(contentsOf: "\\t".utf8)
      case _ where ForeignText.isObeyed(scalar):
        bytes.append(contentsOf: ForeignText.escapedForJSON(scalar).utf8)
      default: bytes.append(contentsOf: String(scalar).utf8)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension JSONText {
  /// `text` as a JSON string with its quotes: escaped so that no terminal obeys what is in it.
  package static func quoted(_ text: String) -> String {
    var json = JSONText()
    json.string(text)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
