/// The members of a JSON object whose values are no objects and no lists: what the service answers with.
struct JSONMembers {
  enum Value: Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
  }

  private(set) var values: [String: Value] = [:]
  private var rest: Substring.UnicodeScalarView

  /// The object on `line`; `nil` when it is another kind of JSON, or none.
  init?(_ line: String) {
    rest = line.unicodeScalars[...]
    guard take("{") else { return nil }
    if !take("}") {
      repeat {
        guard let name = string(), take(":"), let value = value() else { return nil }
        values[name] = value
      } while take(",")
      guard take("}") else { return nil }
    }
    skipSpace()
    guard rest.isEmpty else { return nil }
  }

  func bool(_ name: String) -> Bool? {
    guard case .bool(let value) = values[name] else { return nil }
    return value
  }

  func string(_ name: String) -> String? {
    guard case .string(let value) = values[name] else { return nil }
    return value
  }

  /// A member that is a whole number in the type's range.
  func integer<Integer: FixedWidthInteger>(_ name: String) -> Integer? {
    guard case .number(let digits) = values[name] else { return nil }
    return Integer(digits)
  }

  func double(_ name: String) -> Double? {
    guard case .number(let digits) = values[name] else { return nil }
    return Double(digits)
  }

  private mutating func skipSpace() {
    rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skipSpace()
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func value() -> Value? {
    skipSpace()
    if rest.first == "\"" { return string().map { .string($0) } }
    let word = String(rest.prefix { $0 != "," && $0 != "}" && $0 != " " })
    rest = rest.dropFirst(word.unicodeScalars.count)
    switch word {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default:
      let isNumber = !word.isEmpty && word.utf8.allSatisfy { "+-.0123456789Ee".utf8.contains($0) }
      return isNumber ? .number(word) : nil
    }
  }

  /// A string with its quotes.
  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return String(text)
      case "\\":
        guard let escaped = escapedScalar() else { return nil }
        text.append(escaped)
      case "\u{0}"..."\u{1F}": return nil
      default: text.append(scalar)
      }
    }
    return nil
  }

  /// What follows a backslash. The service writes no surrogates, so they are not joined.
  private mutating func escapedScalar() -> Unicode.Scalar? {
    switch rest.popFirst() {
    case "\""?: return "\""
    case "\\"?: return "\\"
    case "/"?: return "/"
    case "b"?: return "\u{8}"
    case "f"?: return "\u{C}"
    case "n"?: return "\n"
    case "r"?: return "\r"
    case "t"?: return "\t"
    case "u"?:
      let digits = rest.prefix(4)
      rest = rest.dropFirst(4)
      guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
      return UInt32(String(digits), radix: 16).flatMap { Unicode.Scalar($0) }
    default: return nil
    }
  }
}
