// SPDX-License-Identifier: Apache-2.0

import Glibc
import Text

/// The members of an object of JSON; the value of an object or a list is its text.
enum Members {
  static func names(of object: UnsafeRawBufferPointer) throws(FieldError) -> [String] {
    var names: [String] = []
    try each(of: object) { key, _ in
      names.append(String(decoding: key, as: UTF8.self))
      return true
    }
    return names
  }

  /// The values of keys, without quotes; empty ones for keys that are not there, and for `null`.
  /// - Throws: That the object is not JSON, has one of the keys twice, or a value with another key.
  static func cells(
    of object: UnsafeRawBufferPointer, _ keys: [[UInt8]], untilFound: Bool = false
  ) throws(FieldError) -> [UnsafeRawBufferPointer] {
    var cells = keys.map { _ in UnsafeRawBufferPointer(start: nil, count: 0) }
    // Most rows have the keys in one order.
    var (next, left) = (0, keys.count)
    var (doubled, other): (Int?, String?)
    if left == 0 { return cells }
    try each(of: object) { key, value in
      if next == keys.count || !isSame(key, keys[next]) {
        guard let place = keys.firstIndex(where: { isSame(key, $0) }) else {
          if !untilFound, !value.elementsEqual("null".utf8) { other = FieldText.shown(key) }
          return other == nil
        }
        next = place
      }
      guard cells[next].baseAddress == nil else {
        doubled = next
        return false
      }
      let isNull = value.elementsEqual("null".utf8)
      cells[next] = isNull ? UnsafeRawBufferPointer(rebasing: value[..<0]) : value
      (next, left) = (next + 1, left - 1)
      return left > 0 || !untilFound
    }
    if let other {
      throw FieldError(
        column: "\"\(other)\"", problem: "the rows before it do not have this key",
        remedy: "give all rows the same keys, null where there is no value")
    }
    guard let doubled else { return cells }
    throw FieldError(
      column: "\"\(FieldText.shown(keys[doubled]))\"", problem: "the key is there twice",
      remedy: "take one of them out")
  }

  private static func isSame(_ key: UnsafeRawBufferPointer, _ other: [UInt8]) -> Bool {
    guard key.count == other.count, let base = key.baseAddress else {
      return key.count == other.count
    }
    return other.withUnsafeBytes { memcmp(base, $0.baseAddress ?? base, key.count) == 0 }
  }

  /// Calls `body` with the bytes of each key and of its value, without quotes, until it returns `false`; escapes in keys
  /// are read as what they stand for.
  private static func each(
    of object: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) throws(FieldError) {
    let notJSON = FieldError(
      problem: "is not JSON", remedy: "correct it, or export the file again")
    var place = 1
    /// The next byte after blanks, 0 at the end.
    func peek() -> UInt8 {
      while place < object.count, object[place] <= UInt8(ascii: " ") { place += 1 }
      return place < object.count ? object[place] : 0
    }
    func value() throws(FieldError) -> UnsafeRawBufferPointer {
      let (first, begin) = (peek(), place)
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
        var scan = JSONScan()
        while place < object.count, !scan.isOver, !scan.isEnd(before: object[place]) { place += 1 }
      } else if first == UInt8(ascii: "\"") {
        place += 1
        while place < object.count, object[place] != first {
          place += object[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        place += 1
      } else {
        while place < object.count, object[place] > UInt8(ascii: " "),
          !isMark(object[place])
        { place += 1 }
      }
      guard place > begin, place < object.count else { throw notJSON }
      return UnsafeRawBufferPointer(rebasing: object[begin..<place])
    }
    func pass(_ mark: UInt8) throws(FieldError) {
      guard peek() == mark else { throw notJSON }
      place += 1
    }
    if peek() == UInt8(ascii: "}") { return }
    while true {
      let key = try value()
      guard key.first == UInt8(ascii: "\"") else { throw notJSON }
      try pass(UInt8(ascii: ":"))
      let value = try value()
      let plain = FieldText.unquoted(value)
      let goesOn =
        key.contains(UInt8(ascii: "\\"))
        ? try unescaped(key, notJSON).withUnsafeBytes { body($0, plain) }
        : body(FieldText.unquoted(key), plain)
      guard goesOn else { return }
      if peek() == UInt8(ascii: "}") { return }
      try pass(UInt8(ascii: ","))
    }
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "}"), UInt8(ascii: "]"): true
    default: false
    }
  }

  private static func unescaped(_ key: UnsafeRawBufferPointer, _ notJSON: FieldError)
    throws(FieldError) -> [UInt8]
  {
    var json = JSONReader(Array(key))
    do throws(JSONReader.Failure) { return Array((try json.string() ?? "").utf8) } catch {
      throw notJSON
    }
  }
}
