// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import Text

/// The contents of a document of the phone apps, in either shape.
struct PhoneDocument {
  typealias Vector = (x: Double, y: Double, z: Double)

  private static let sizeLimit = 64 * 1024 * 1024

  let sensor: ExportChannels
  let vectors: [Vector]
  /// Nanoseconds since 1970; `nil` without a date.
  let wall: Int64?
  /// Whether the date is the last sample's and not the first one's.
  let isDatedAtEnd: Bool
  /// Seconds that the recording took, if the document has them.
  let duration: Double?

  /// The largest magnitude of any value.
  var largest: Double {
    vectors.reduce(0) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
  }

  init<Source: ImportSource & ~Copyable>(_ source: inout Source) throws(ImportError) {
    let name = source.name
    let bytes = try PhoneDocument.bytes(&source)
    guard !bytes.isEmpty else { throw .empty(name: name) }
    // UTF-16 and UTF-32 have bytes of 0, which JSON has not.
    guard !bytes.contains(0), PhoneDocument.isUTF8(bytes) else {
      throw .notUTF8(name: name)
    }
    let members: PhoneMembers
    do {
      members = try PhoneMembers(bytes)
    } catch let fault as PhoneMembers.Fault {
      let place = fault.byte.map { ", before byte \($0)" } ?? ""
      throw .document(name: name, what: fault.clause + place)
    } catch {
      // The reader has no other errors.
      throw .document(name: name, what: "it is not valid JSON")
    }
    guard members.coordinateList == nil || members.axisValues == nil else {
      throw .document(
        name: name, what: "it has both \"coordinateList\" and \"axisValues\": take one of them out")
    }
    if let (key, own, list) = members.foreignKey {
      throw .document(
        name: name,
        what:
          "\"\(key)\" does not go with \"\(list)\", whose documents have \"\(own)\": rename it, or take it out"
      )
    }
    let (key, keyName): (Int?, String)
    if let coordinates = members.coordinateList {
      (vectors, key, keyName) = (coordinates, members.dataType, "dataType")
      (isDatedAtEnd, duration) = (true, members.duration)
    } else if let values = members.axisValues {
      (vectors, key, keyName) = (values, members.sensor, "sensor")
      (isDatedAtEnd, duration) = (false, members.time)
    } else {
      let other = members.isEdgeImpulse ? ForeignFormat.edgeImpulse : ForeignFormat.otherJSON
      throw .otherFormat(name: name, format: other.name, remedy: other.remedy)
    }
    switch key {
    case 0: sensor = .accel
    case 1: sensor = .gyro
    case let other?:
      throw .document(
        name: name, what: "\"\(keyName)\" is \(other), not 0 (accelerometer) or 1 (gyroscope)")
    case nil: throw .document(name: name, what: "\"\(keyName)\" is missing")
    }
    wall = try members.date.map { (date) throws(ImportError) in
      // Within the range of 64 bits of nanoseconds, less some years at the ends.
      guard abs(date) < 8e9 else {
        throw .document(name: name, what: "\"date\" is \(date), which is no date")
      }
      return Int64((date * 1e9).rounded()) + Exporter.phoneReferenceDate
    }
  }

  /// Whether all bytes are UTF-8; in pieces, since a text of all would take their memory again.
  private static func isUTF8(_ bytes: [UInt8]) -> Bool {
    var place = 0
    while place < bytes.count {
      var end = min(place + 65_536, bytes.count)
      // Not within a character.
      while end < bytes.count, end > place, bytes[end] & 0xC0 == 0x80 { end -= 1 }
      guard end > place, String(validating: bytes[place..<end], as: UTF8.self) != nil else {
        return false
      }
      place = end
    }
    return true
  }

  private static func bytes<Source: ImportSource & ~Copyable>(_ source: inout Source)
    throws(ImportError) -> [UInt8]
  {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    defer { piece.deallocate() }
    var length = 0
    source.rewind()
    while case let count = try source.read(into: piece), count > 0 {
      length += count
      guard length <= sizeLimit else {
        throw .document(name: source.name, what: "it is larger than 64 MiB")
      }
    }
    var bytes: [UInt8] = []
    // At once: an array that grows needs as much again.
    bytes.reserveCapacity(length)
    source.rewind()
    while case let count = try source.read(into: piece), count > 0 {
      guard bytes.count + count <= length else { throw .changed(name: source.name) }
      bytes.append(contentsOf: piece[..<count])
    }
    if bytes.starts(with: ImportFormat.byteOrderMark) {
      bytes.removeFirst(ImportFormat.byteOrderMark.count)
    }
    return bytes
  }
}

/// The members of both shapes that an import needs; all others are skipped. A member that is `null` is missing.
private struct PhoneMembers {
  /// The error in the document, as a clause, and the byte before which it is.
  struct Fault: Error {
    let clause: String
    var byte: Int?
  }

  private(set) var dataType: Int?
  private(set) var coordinateList: [PhoneDocument.Vector]?
  private(set) var sensor: Int?
  private(set) var axisValues: [PhoneDocument.Vector]?
  private(set) var date: Double?
  private(set) var duration: Double?
  private(set) var time: Double?
  private var (hasPayload, hasSignature) = (false, false)
  /// Whether it is a sample for Edge Impulse.
  var isEdgeImpulse: Bool { hasPayload && hasSignature }

  /// A key of the other shape than that of the list, the list's own key for that, and the list.
  var foreignKey: (key: String, own: String, list: String)? {
    if coordinateList != nil {
      if sensor != nil { return ("sensor", "dataType", "coordinateList") }
      if time != nil { return ("time", "duration", "coordinateList") }
    } else if axisValues != nil {
      if dataType != nil { return ("dataType", "sensor", "axisValues") }
      if duration != nil { return ("duration", "time", "axisValues") }
    }
    return nil
  }

  /// Throws ``Fault`` for JSON that the apps do not write, else `JSONReader.Failure`.
  init(_ bytes: [UInt8]) throws {
    // Hand-edited documents may have a trailing comma, which other readers accept.
    var json = JSONReader(bytes, allowsTrailingCommas: true)
    do {
      let isObject = try json.enterObject()
      while isObject, let key = try json.nextKey() { try read(key, &json) }
      try json.end()
      guard isObject else { throw Fault(clause: "the document is not an object") }
    } catch JSONReader.Failure.repeatedKey(let key) {
      var quoted = JSONWriter()
      let shown = String(key.text.unicodeScalars.prefix(ImportText.shownLimit))
      quoted.string(shown.utf8.count == key.text.utf8.count ? shown : shown + "…")
      throw Fault(
        clause:
          "\(quoted.text) stands twice in one object, the second time before byte \(json.offset): take one of them out"
      )
    } catch JSONReader.Failure.notJSON {
      throw Fault(
        clause: json.isDeepest
          ? "at byte \(json.offset) more than \(JSONReader.depthLimit) objects and lists are in each other"
          : json.offset == bytes.count
            ? "it ends at byte \(json.offset), inside a value or a list: it is cut off, so fetch it again"
            : "it is not valid JSON at byte \(json.offset): correct it, or fetch it again")
    }
  }

  private mutating func read(_ key: JSONReader.Key, _ json: inout JSONReader) throws {
    guard try json.kind() != .null else { return try json.skip() }
    switch key {
    case "dataType": dataType = try PhoneMembers.integer(key.text, &json)
    case "coordinateList": coordinateList = try PhoneMembers.vectors(key.text, &json)
    case "sensor": sensor = try PhoneMembers.integer(key.text, &json)
    case "axisValues": axisValues = try PhoneMembers.vectors(key.text, &json)
    case "date": date = try PhoneMembers.double(key.text, &json)
    case "duration": duration = try PhoneMembers.double(key.text, &json)
    case "time": time = try PhoneMembers.double(key.text, &json)
    case "payload", "signature":
      if key.text == "payload" { hasPayload = true } else { hasSignature = true }
      try json.skip()
    default: try json.skip()
    }
  }

  private static func integer(_ path: String, _ json: inout JSONReader) throws -> Int {
    let isNumber = try json.kind() == .number
    guard let value: Int = try json.integer() else { throw noNumber(path, isNumber, json.offset) }
    return value
  }

  private static func double(
    _ path: @autoclosure () -> String, _ json: inout JSONReader
  ) throws -> Double {
    let kind = try json.kind()
    guard let value = try json.double() else {
      throw kind == .null
        ? Fault(clause: "\"\(path())\" is null", byte: json.offset)
        : noNumber(path(), kind == .number, json.offset)
    }
    return value
  }

  private static func noNumber(_ path: String, _ isNumber: Bool, _ byte: Int) -> Fault {
    Fault(
      clause: "\"\(path)\" is not a number" + (isNumber ? " that can be read" : ""), byte: byte)
  }

  private static func vectors(
    _ name: String, _ json: inout JSONReader
  ) throws -> [PhoneDocument.Vector] {
    guard try json.enterList() else {
      throw Fault(clause: "\"\(name)\" is not a list", byte: json.offset)
    }
    var vectors: [PhoneDocument.Vector] = []
    while try json.nextElement() {
      vectors.append(try vector("\(name)[\(vectors.count)]", &json))
    }
    return vectors
  }

  private static func vector(
    _ path: @autoclosure () -> String, _ json: inout JSONReader
  ) throws -> PhoneDocument.Vector {
    let kind = try json.kind()
    guard try json.enterObject() else {
      let what = kind == .null ? "is null" : "is not what the apps write there"
      throw Fault(clause: "\"\(path())\" \(what)", byte: json.offset)
    }
    var (x, y, z) = (nil as Double?, nil as Double?, nil as Double?)
    while let key = try json.nextKey() {
      switch key {
      case "x": x = try double("\(path()).x", &json)
      case "y": y = try double("\(path()).y", &json)
      case "z": z = try double("\(path()).z", &json)
      default: try json.skip()
      }
    }
    guard let x else { throw missing("\(path()).x", json.offset) }
    guard let y else { throw missing("\(path()).y", json.offset) }
    guard let z else { throw missing("\(path()).z", json.offset) }
    return (x, y, z)
  }

  private static func missing(_ path: String, _ byte: Int) -> Fault {
    Fault(clause: "\"\(path)\" is missing", byte: byte)
  }
}
