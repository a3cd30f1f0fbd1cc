// SPDX-License-Identifier: Apache-2.0

/// Reads JSON (RFC 8259) value by value, in document order, and keeps none of it.
///
///     guard try json.enterObject() else { … }
///     while let key = try json.nextKey() {
///       switch key {
///       case "number": number = try json.integer()
///       default: try json.skip()
///       }
///     }
///     try json.end()
///
/// After each key and element the caller reads or skips exactly one value. A skipped one is examined only to find its end.
public struct JSONReader {
  /// The kinds of error.
  public enum Failure: Error, Equatable, Sendable {
    /// It is not JSON, or is nested more deeply than ``JSONReader/depthLimit``.
    case notJSON
    /// An object has this key twice.
    case repeatedKey(Key)
  }

  /// A key of an object. Two keys are equal if their characters are, as RFC 8259 has it, not if they only look the same.
  public struct Key: Hashable, Sendable {
    /// The key as text; invalid UTF-8 is repaired.
    public let text: String

    /// Whether both have the same bytes.
    public static func == (left: Key, right: Key) -> Bool {
      left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
      var text = text
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Whether a key is `name`, which must be ASCII: no other text of that length equals it.
    public static func ~= (name: String, key: Key) -> Bool {
      name.utf8.count == key.text.utf8.count && name == key.text
    }
  }

  /// The kinds of value.
  public enum Kind: Sendable {
    case object
    case list
    case string
    case number
    case bool
    case null
  }

  /// The deepest nesting of objects and lists.
  public static let depthLimit = 512

  private let bytes: [UInt8]
  private let allowsTrailingCommas: Bool
  private var place = 0
  /// Whether nothing of the innermost object or list was read yet.
  private var isFirst = true
  private var depth = 0
  /// The keys seen so far in each enclosing object, by depth.
  private var keys: [Set<Key>] = []

  /// Keys that the sets have room for, and so the cost of emptying them; for tests.
  package var keyCapacity: Int { keys.reduce(0) { $0 + $1.capacity } }

  /// A reader of UTF-8.
  ///
  /// - Parameter allowsTrailingCommas: Whether to accept a comma after the last member or element.
  public init(_ bytes: [UInt8], allowsTrailingCommas: Bool = false) {
    self.bytes = bytes
    self.allowsTrailingCommas = allowsTrailingCommas
  }

  /// Bytes read so far: after an error, its place.
  public var offset: Int { min(place, bytes.count) }

  /// The kind of the next value.
  public mutating func kind() throws(Failure) -> Kind {
    skipSpace()
    guard let next else { throw .notJSON }
    switch Unicode.Scalar(next) {
    case "{": return .object
    case "[": return .list
    case "\"": return .string
    case "t", "f": return .bool
    case "n": return .null
    case "-", "0"..."9": return .number
    default: throw .notJSON
    }
  }

  /// Requires that nothing follows.
  public mutating func end() throws(Failure) {
    skipSpace()
    guard place == bytes.count else { throw .notJSON }
  }
}

// MARK: - Objects and lists

extension JSONReader {
  /// Enters the next value; skips it and returns `false` if it is not an object.
  public mutating func enterObject() throws(Failure) -> Bool {
    guard try isNext(.object) else { return false }
    try enter()
    while keys.count < depth { keys.append([]) }
    // Emptying a set takes as long as its capacity, which many small objects after one large would each pay.
    keys[depth - 1].removeAll(keepingCapacity: keys[depth - 1].capacity <= 64)
    return true
  }

  /// Enters the next value; skips it and returns `false` if it is not a list.
  public mutating func enterList() throws(Failure) -> Bool {
    guard try isNext(.list) else { return false }
    try enter()
    return true
  }

  /// The next key of the object; at its end, leaves the object and returns `nil`.
  public mutating func nextKey() throws(Failure) -> Key? {
    guard try isAtItem(before: "}") else { return nil }
    let key = Key(text: try readString())
    guard keys[depth - 1].insert(key).inserted else { throw .repeatedKey(key) }
    skipSpace()
    guard consume(":") else { throw .notJSON }
    return key
  }

  /// Whether the list has another element; if not, leaves the list.
  public mutating func nextElement() throws(Failure) -> Bool { try isAtItem(before: "]") }

  /// Skips the next value.
  public mutating func skip() throws(Failure) {
    switch try kind() {
    case .object:
      _ = try enterObject()
      while try nextKey() != nil { try skip() }
    case .list:
      _ = try enterList()
      while try nextElement() { try skip() }
    case .string: try skipString()
    case .number: _ = numberCharacters()
    case .bool: _ = try bool()
    case .null: try readWord("null")
    }
  }

  /// Whether the next value is of a kind; skips any other.
  private mutating func isNext(_ wanted: Kind) throws(Failure) -> Bool {
    if try kind() == wanted { return true }
    try skip()
    return false
  }

  private mutating func enter() throws(Failure) {
    guard depth < JSONReader.depthLimit else { throw .notJSON }
    depth += 1
    place += 1
    isFirst = true
  }

  private mutating func isAtItem(before end: Unicode.Scalar) throws(Failure) -> Bool {
    skipSpace()
    if !isFirst, !consume(",") {
      guard consume(end) else { throw .notJSON }
      depth -= 1
      return false
    }
    skipSpace()
    if isFirst || allowsTrailingCommas, consume(end) {
      isFirst = false
      depth -= 1
      return false
    }
    isFirst = false
    return true
  }
}

// MARK: - Values

extension JSONReader {
  /// The next value if it is a string; skips any other.
  public mutating func string() throws(Failure) -> String? {
    try isNext(.string) ? try readString() : nil
  }

  /// The next value if it is `true` or `false`; skips any other.
  public mutating func bool() throws(Failure) -> Bool? {
    guard try isNext(.bool) else { return nil }
    let isTrue = next == UInt8(ascii: "t")
    try readWord(isTrue ? "true" : "false")
    return isTrue
  }

  /// The next value if it is a whole number in the type's range, as `1e3` is; skips any other.
  public mutating func integer<Integer: FixedWidthInteger>() throws(Failure) -> Integer? {
    guard let digits = try number() else { return nil }
    return Integer(digits) ?? JSONReader.double(digits).flatMap { Integer(exactly: $0) }
  }

  /// The next value if it is a number that neither overflows nor underflows; skips any other.
  public mutating func double() throws(Failure) -> Double? {
    try number().flatMap(JSONReader.double)
  }

  private static func double(_ digits: String) -> Double? {
    guard let value = Double(digits), value.isFinite else { return nil }
    guard value == 0 else { return value }
    let isZero = digits.utf8.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
      .allSatisfy { "-0.".utf8.contains($0) }
    return isZero ? value : nil
  }

  /// The characters of the next value if it is a number; skips any other.
  private mutating func number() throws(Failure) -> String? {
    guard try isNext(.number) else { return nil }
    let digits = numberCharacters()
    guard JSONReader.isNumber(digits) else { throw .notJSON }
    return String(decoding: digits, as: UTF8.self)
  }

  private mutating func numberCharacters() -> ArraySlice<UInt8> {
    let begin = place
    while let byte = next, byte &- 48 < 10 || "+-.eE".utf8.contains(byte) { place += 1 }
    return bytes[begin..<place]
  }

  /// RFC 8259, section 6: `-` 0 or digits `.` digits `e` sign digits.
  private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    func digits() -> Int {
      let count = rest.prefix { $0 &- 48 < 10 }.count
      rest = rest.dropFirst(count)
      return count
    }
    func consumes(_ characters: StaticString) -> Bool {
      guard let first = rest.first, characters.description.utf8.contains(first) else {
        return false
      }
      rest = rest.dropFirst()
      return true
    }
    _ = consumes("-")
    if !consumes("0"), digits() == 0 { return false }
    if consumes("."), digits() == 0 { return false }
    if consumes("eE") {
      _ = consumes("+-")
      if digits() == 0 { return false }
    }
    return rest.isEmpty
  }
}

// MARK: - Characters

extension JSONReader {
  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      place += 1
    }
  }

  private mutating func consume(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func readWord(_ word: StaticString) throws(Failure) {
    guard bytes[place...].starts(with: word.description.utf8) else { throw .notJSON }
    place += word.utf8CodeUnitCount
  }

  /// Only finds the end; does not check the four digits of an escape.
  private mutating func skipString() throws(Failure) {
    place += 1
    while let byte = next {
      place += 1
      if byte == UInt8(ascii: "\"") { return }
      if byte == UInt8(ascii: "\\") { place += next == UInt8(ascii: "u") ? 5 : 1 }
    }
    throw .notJSON
  }

  private mutating func readString() throws(Failure) -> String {
    guard consume("\"") else { throw .notJSON }
    let begin = place
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      place += 1
    }
    if next == UInt8(ascii: "\"") {
      place += 1
      return String(decoding: bytes[begin..<place - 1], as: UTF8.self)
    }
    var text = Array(bytes[begin..<place])
    while let byte = next, byte >= 0x20 {
      place += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += Array(String(try escapedScalar()).utf8)
      default: text.append(byte)
      }
    }
    throw .notJSON
  }

  private static let escapes: [UInt8: Unicode.Scalar] = [
    UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/",
    UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n",
    UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
  ]

  /// The scalar of the escape after a backslash; a surrogate must have its other half.
  private mutating func escapedScalar() throws(Failure) -> Unicode.Scalar {
    defer { place += 1 }
    if let next, let scalar = JSONReader.escapes[next] { return scalar }
    guard next == UInt8(ascii: "u") else { throw .notJSON }
    let unit = try fourDigits()
    guard unit & 0xFC00 == 0xD800 else {
      guard let scalar = Unicode.Scalar(unit) else { throw .notJSON }
      return scalar
    }
    place += 1
    guard consume("\\"), next == UInt8(ascii: "u") else { throw .notJSON }
    let low = try fourDigits()
    guard low & 0xFC00 == 0xDC00,
      let scalar = Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF)
    else { throw .notJSON }
    return scalar
  }

  /// The value of the next four hexadecimal digits; ends at the last of them.
  private mutating func fourDigits() throws(Failure) -> UInt32 {
    let digits = bytes[place...].dropFirst().prefix(4)
    place += 4
    guard digits.count == 4, digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
      let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw .notJSON }
    return value
  }
}
