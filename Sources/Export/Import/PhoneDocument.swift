// SPDX-License-Identifier: Apache-2.0

import IMUModel

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
    guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
      throw .notUTF8(name: name)
    }
    let members: PhoneMembers
    do {
      members = try PhoneMembers(bytes)
    } catch let fault as PhoneMembers.Fault {
      throw .document(name: name, what: fault.clause)
    } catch {
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
      throw .document(name: name, what: "it has neither \"coordinateList\" nor \"axisValues\"")
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

  private static func bytes<Source: ImportSource & ~Copyable>(_ source: inout Source)
    throws(ImportError) -> [UInt8]
  {
    source.rewind()
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    defer { piece.deallocate() }
    var bytes: [UInt8] = []
    while true {
      let count = try source.read(into: piece)
      guard count > 0 else { break }
      bytes.append(contentsOf: piece[..<count])
      guard bytes.count <= sizeLimit else {
        throw .document(name: source.name, what: "it is larger than 64 MiB")
      }
    }
    if bytes.starts(with: ImportFormat.byteOrderMark) {
      bytes.removeFirst(ImportFormat.byteOrderMark.count)
    }
    return bytes
  }
}

/// The members of both shapes that an import needs; all others are skipped. A member that is `null` is missing.
private struct PhoneMembers {
  /// The error in the document, as a clause.
  struct Fault: Error {
    let clause: String
  }

  private(set) var dataType: Int?
  private(set) var coordinateList: [PhoneDocument.Vector]?
  private(set) var sensor: Int?
  private(set) var axisValues: [PhoneDocument.Vector]?
  private(set) var date: Double?
  private(set) var duration: Double?
  private(set) var time: Double?

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
      throw Fault(clause: "\(quoted.text) stands twice in one object: take one of them out")
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
    default: try json.skip()
    }
  }

  private static func integer(_ path: String, _ json: inout JSONReader) throws -> Int {
    let isNumber = try json.kind() == .number
    guard let value: Int = try json.integer() else { throw noNumber(path, isNumber) }
    return value
  }

  private static func double(
    _ path: @autoclosure () -> String, _ json: inout JSONReader
  ) throws -> Double {
    let kind = try json.kind()
    guard let value = try json.double() else {
      throw kind == .null
        ? Fault(clause: "\"\(path())\" is null") : noNumber(path(), kind == .number)
    }
    return value
  }

  private static func noNumber(_ path: String, _ isNumber: Bool) -> Fault {
    Fault(clause: "\"\(path)\" is not a number" + (isNumber ? " that can be read" : ""))
  }

  private static func vectors(
    _ name: String, _ json: inout JSONReader
  ) throws -> [PhoneDocument.Vector] {
    guard try json.enterList() else { throw Fault(clause: "\"\(name)\" is not a list") }
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
      throw Fault(clause: "\"\(path())\" \(what)")
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
    guard let x else { throw Fault(clause: "\"\(path()).x\" is missing") }
    guard let y else { throw Fault(clause: "\"\(path()).y\" is missing") }
    guard let z else { throw Fault(clause: "\"\(path()).z\" is missing") }
    return (x, y, z)
  }
}
