// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import Text

/// A member of an object; objects and lists in it have nothing of a sensor.
struct ImportMember {
  let key: String

  /// The members of an object, in its order, and the sensor that it names.
  static func all(of object: UnsafeRawBufferPointer) throws(ImportFieldError) -> (
    members: [ImportMember], sensor: String?
  ) {
    var (members, sensor) = ([ImportMember](), nil as String?)
    try each(of: object) { key, value in
      members.append(ImportMember(key: String(decoding: key, as: UTF8.self)))
      if key.elementsEqual("sensor".utf8) { sensor = String(decoding: value, as: UTF8.self) }
    }
    return (members, sensor)
  }

  /// Whether a value is none: rows of other programs have all members.
  static func isNull(_ value: UnsafeRawBufferPointer) -> Bool { value.elementsEqual("null".utf8) }

  /// Calls `body` with the bytes of each key and of its value, without quotes; escapes in keys are read as what they stand
  /// for.
  static func each(
    of object: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) throws(ImportFieldError) {
    var place = 1
    func skipBlanks() {
      while place < object.count, object[place] <= UInt8(ascii: " ") { place += 1 }
    }
    func text() throws(ImportFieldError) -> UnsafeRawBufferPointer {
      skipBlanks()
      var scan = ImportJSONScan()
      let begin = place
      while place < object.count, !scan.isEnd(before: object[place]) {
        place += 1
        if scan.isOver { break }
      }
      guard place > begin else { throw ImportFieldError(.notJSON) }
      return UnsafeRawBufferPointer(rebasing: object[begin..<place])
    }
    func plain(_ key: UnsafeRawBufferPointer) throws(ImportFieldError) -> [UInt8] {
      var json = JSONReader(Array(key))
      do throws(JSONReader.Failure) {
        if let name = try json.string() { return Array(name.utf8) }
      } catch {
        throw ImportFieldError(.notJSON)
      }
      throw ImportFieldError(.notJSON)
    }
    skipBlanks()
    if place < object.count, object[place] == UInt8(ascii: "}") { return }
    while true {
      let key = try text()
      skipBlanks()
      guard key.first == UInt8(ascii: "\""), place < object.count,
        object[place] == UInt8(ascii: ":")
      else { throw ImportFieldError(.notJSON) }
      place += 1
      let value = try text()
      if value.first != UInt8(ascii: "{"), value.first != UInt8(ascii: "[") {
        if key.contains(UInt8(ascii: "\\")) {
          try plain(key).withUnsafeBytes { body($0, ImportText.unquoted(value)) }
        } else {
          body(ImportText.unquoted(key), ImportText.unquoted(value))
        }
      }
      skipBlanks()
      guard place < object.count else { throw ImportFieldError(.notJSON) }
      if object[place] == UInt8(ascii: "}") { return }
      guard object[place] == UInt8(ascii: ",") else { throw ImportFieldError(.notJSON) }
      place += 1
    }
  }
}
