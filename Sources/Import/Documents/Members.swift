// SPDX-License-Identifier: Apache-2.0

import Text

/// The members of an object of JSON that are values; objects and lists in it have nothing of a sensor.
enum Members {
  /// Whether a value is none: rows of other programs have all members.
  static func isNull(_ value: UnsafeRawBufferPointer) -> Bool { value.elementsEqual("null".utf8) }

  /// The keys of an object, in its order.
  static func names(of object: UnsafeRawBufferPointer) throws(FieldError) -> [String] {
    var names: [String] = []
    try each(of: object) { key, _ in names.append(String(decoding: key, as: UTF8.self)) }
    return names
  }

  /// The value of a key, without quotes; `nil` of none, and of `null`.
  static func value(_ name: String, of object: UnsafeRawBufferPointer) throws(FieldError)
    -> UnsafeRawBufferPointer?
  {
    var found: UnsafeRawBufferPointer?
    try each(of: object) { key, value in
      if key.elementsEqual(name.utf8), !isNull(value) { found = value }
    }
    return found
  }

  /// Calls `body` with the bytes of each key and of its value, without quotes; escapes in keys are read as what they stand
  /// for.
  static func each(
    of object: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) throws(FieldError) {
    let notJSON = FieldError(
      problem: "is not JSON", remedy: "correct it, or export the file again")
    var place = 1
    func skipBlanks() {
      while place < object.count, object[place] <= UInt8(ascii: " ") { place += 1 }
    }
    func text() throws(FieldError) -> UnsafeRawBufferPointer {
      skipBlanks()
      guard place < object.count else { throw notJSON }
      let begin = place
      switch object[begin] {
      case UInt8(ascii: "\""):
        place += 1
        while place < object.count, object[place] != UInt8(ascii: "\"") {
          place += object[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        place += 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        var scan = JSONScan()
        while place < object.count, !scan.isOver {
          _ = scan.isEnd(before: object[place])
          place += 1
        }
      default:
        while place < object.count, object[place] > UInt8(ascii: " "),
          object[place] != UInt8(ascii: ","), object[place] != UInt8(ascii: ":"),
          object[place] != UInt8(ascii: "}"), object[place] != UInt8(ascii: "]")
        {
          place += 1
        }
      }
      guard place > begin, place < object.count else { throw notJSON }
      return UnsafeRawBufferPointer(rebasing: object[begin..<place])
    }
    func plain(_ key: UnsafeRawBufferPointer) throws(FieldError) -> [UInt8] {
      var json = JSONReader(Array(key))
      var name: String?
      do throws(JSONReader.Failure) { name = try json.string() } catch { throw notJSON }
      return Array((name ?? "").utf8)
    }
    skipBlanks()
    if place < object.count, object[place] == UInt8(ascii: "}") { return }
    while true {
      let key = try text()
      skipBlanks()
      guard key.first == UInt8(ascii: "\""), place < object.count,
        object[place] == UInt8(ascii: ":")
      else { throw notJSON }
      place += 1
      let value = try text()
      if value.first != UInt8(ascii: "{"), value.first != UInt8(ascii: "[") {
        if key.contains(UInt8(ascii: "\\")) {
          try plain(key).withUnsafeBytes { body($0, FieldText.unquoted(value)) }
        } else {
          body(FieldText.unquoted(key), FieldText.unquoted(value))
        }
      }
      skipBlanks()
      guard place < object.count, [UInt8(ascii: "}"), UInt8(ascii: ",")].contains(object[place])
      else { throw notJSON }
      if object[place] == UInt8(ascii: "}") { return }
      place += 1
    }
  }
}
