// SPDX-License-Identifier: Apache-2.0

/// JSON text under construction: places the commas and escapes the strings. All JSON of the program is written here.
///
/// A document that fits into memory is one call of ``document(_:)``. A stream, such as an export, opens and closes its
/// brackets itself and passes ``bytes`` on in between.
public struct JSONWriter {
  /// The schema's version, `schema` in every document. Changing a key's name or meaning raises it; a new key does not.
  public static let schema = 1

  /// The bytes written and not yet removed.
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false
  /// The words for the times and rates among the keys so far.
  public var times = TimeWords()
  /// Keys of the open objects and lists; the items of a list have the list's.
  private var objects: [String] = []
  private var latestKey: String?

  /// Empty text.
  public init() {}

  /// An object that begins with the version of the schema and ends with ``words(onNewLine:)``, on one line except where
  /// members ask for a new one.
  public static func document(_ fill: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("schema", schema)
      fill(&json)
      json.words()
    }
    return json.text
  }

  /// The member `words`: the word for each time and rate so far; nothing without one.
  public mutating func words(onNewLine: Bool = false) {
    let words = times.all
    guard !words.isEmpty else { return }
    key("words", onNewLine: onNewLine)
    object { json in for (name, word) in words { json.member(name, word.rawValue) } }
  }

  /// ``bytes`` as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Forgets the bytes, but not whether a comma is due.
  public mutating func removeBytes() { bytes.removeAll(keepingCapacity: true) }
}

// MARK: - Members

extension JSONWriter {
  /// A string, or `null`.
  public mutating func member(_ name: String, _ value: String?) {
    key(name)
    string(value)
  }

  /// `true` or `false`.
  public mutating func member(_ name: String, _ value: Bool) {
    key(name)
    bool(value)
  }

  /// A whole number, or `null`.
  public mutating func member(_ name: String, _ value: (some BinaryInteger)?) {
    key(name)
    if let value { integer(value) } else { null() }
  }

  /// A number already in digits, such as those of `Plain.number`, or `null`.
  public mutating func member(_ name: String, number digits: String?) {
    key(name)
    if let digits { number(digits) } else { null() }
  }

  /// A list of strings.
  public mutating func member(_ name: String, _ values: [String]) {
    member(name, values) { $0.string($1) }
  }

  /// A list of `values`, each written by `item`; with `onNewLines`, every item but the first begins a line.
  public mutating func member<Value>(
    _ name: String, _ values: some Sequence<Value>, onNewLines: Bool = false,
    _ item: (inout JSONWriter, Value) -> Void
  ) {
    key(name)
    open("[")
    for value in values {
      if onNewLines, needsComma {
        bytes.append(contentsOf: ",\n ".utf8)
        needsComma = false
      }
      item(&self, value)
    }
    close("]")
  }

  /// An object with the members that `fill` writes.
  public mutating func member(_ name: String, object fill: (inout JSONWriter) -> Void) {
    key(name)
    object(fill)
  }

  /// An object with the members that `fill` writes.
  public mutating func object(_ fill: (inout JSONWriter) -> Void) {
    open("{")
    fill(&self)
    close("}")
  }
}

// MARK: - Parts

extension JSONWriter {
  /// `"name":` of a member; with `onNewLine` after a line feed.
  public mutating func key(_ name: String, onNewLine: Bool = false) {
    separate()
    if onNewLine { bytes.append(UInt8(ascii: "\n")) }
    appendQuoted(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
    times.note(name, in: objects.last ?? "")
    latestKey = name
  }

  /// `{` or `[`.
  public mutating func open(_ bracket: Unicode.Scalar) {
    separate()
    objects.append(latestKey ?? objects.last ?? "")
    latestKey = nil
    bytes.append(UInt8(ascii: bracket))
    needsComma = false
  }

  /// `}` or `]`.
  public mutating func close(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    needsComma = true
    _ = objects.popLast()
    latestKey = nil
  }

  /// A string, or `null`.
  public mutating func string(_ value: String?) {
    guard let value else { return null() }
    separate()
    appendQuoted(value)
    needsComma = true
  }

  /// A whole number. Specialised for its callers, because a document may have a million of them.
  @inlinable
  public mutating func integer(_ value: some BinaryInteger) { number(String(value)) }

  /// `true` or `false`.
  public mutating func bool(_ value: Bool) { number(value ? "true" : "false") }

  /// `null`.
  public mutating func null() { number("null") }

  /// A number already in digits, or another JSON literal.
  public mutating func number(_ digits: String) {
    separate()
    bytes.append(contentsOf: digits.utf8)
    needsComma = true
  }

  /// `numerator`/`denominator` with at most `decimals` digits after the point, rounded half up.
  public mutating func ratio(_ numerator: UInt64, _ denominator: UInt64, decimals: Int) {
    var power: UInt64 = 1
    for _ in 0..<decimals { power *= 10 }
    let whole = numerator / denominator
    // At most denominator × power, in full width.
    let product = (numerator % denominator).multipliedFullWidth(by: power)
    let (quotient, remainder) = denominator.dividingFullWidth(product)
    let rounded = quotient + (remainder >= denominator - remainder ? 1 : 0)
    let digits = Plain.number(Int64(rounded % power), per: Int64(power)).dropFirst()
    number("\(whole + rounded / power)" + digits)
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  /// RFC 8259, section 7, requires to escape quotation mark, backslash and U+0000 to U+001F; so are characters that a
  /// terminal or a script could obey.
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
