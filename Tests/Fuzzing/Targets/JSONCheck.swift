// SPDX-License-Identifier: Apache-2.0

/// Whether bytes are JSON by the letter of RFC 8259: an independent checker, quick enough to fuzz with.
public struct JSONCheck {
  private let bytes: ArraySlice<UInt8>
  private var place: Int
  private var depth = 0

  private init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    place = bytes.startIndex
  }

  /// Whether they are one value, white space around it.
  public static func isValue(_ bytes: ArraySlice<UInt8>) -> Bool {
    var check = JSONCheck(bytes)
    guard check.value() else { return false }
    check.space()
    return check.place == bytes.endIndex && String(validating: bytes, as: UTF8.self) != nil
  }

  /// Whether they are a number.
  static func isNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
    var check = JSONCheck(bytes)
    return check.number() && check.place == bytes.endIndex
  }

  private var next: UInt8? { place < bytes.endIndex ? bytes[place] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func take(word: StaticString) -> Bool {
    word.withUTF8Buffer { word in
      guard bytes[place...].starts(with: word) else { return false }
      place += word.count
      return true
    }
  }

  private mutating func space() {
    while let byte = next, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { place += 1 }
  }

  private mutating func value() -> Bool {
    space()
    switch next {
    case UInt8(ascii: "{"): return members()
    case UInt8(ascii: "["): return elements()
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "t"): return take(word: "true")
    case UInt8(ascii: "f"): return take(word: "false")
    case UInt8(ascii: "n"): return take(word: "null")
    default: return number()
    }
  }

  private mutating func members() -> Bool {
    list(to: "}") { check in
      check.space()
      guard check.string() else { return false }
      check.space()
      return check.take(":") && check.value()
    }
  }

  private mutating func elements() -> Bool { list(to: "]") { $0.value() } }

  private mutating func list(
    to end: Unicode.Scalar, _ item: (inout JSONCheck) -> Bool
  ) -> Bool {
    depth += 1
    defer { depth -= 1 }
    place += 1
    space()
    if take(end) { return true }
    guard depth < 20 else { return false }
    repeat {
      guard item(&self) else { return false }
      space()
    } while take(",")
    return take(end)
  }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while let byte = next {
      place += 1
      switch byte {
      case UInt8(ascii: "\""): return true
      case 0..<0x20: return false
      case UInt8(ascii: "\\"): if !escape() { return false }
      default: break
      }
    }
    return false
  }

  private mutating func escape() -> Bool {
    guard let byte = next else { return false }
    place += 1
    if "\"\\/bfnrt".utf8.contains(byte) { return true }
    guard byte == UInt8(ascii: "u"), bytes.endIndex - place >= 4 else { return false }
    defer { place += 4 }
    return bytes[place..<place + 4].allSatisfy { "0123456789abcdefABCDEF".utf8.contains($0) }
  }

  private mutating func number() -> Bool {
    _ = take("-")
    if !take("0") { guard digits() else { return false } }
    if take("."), !digits() { return false }
    if take("e") || take("E") {
      if !take("-") { _ = take("+") }
      return digits()
    }
    return true
  }

  private mutating func digits() -> Bool {
    let begin = place
    while let byte = next, byte &- 48 < 10 { place += 1 }
    return place > begin
  }
}
