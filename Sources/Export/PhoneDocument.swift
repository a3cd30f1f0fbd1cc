import FoundationEssentials

/// What a document of the phone apps says, in either shape.
struct PhoneDocument {
  private static let sizeLimit = 64 * 1024 * 1024

  let sensor: ExportChannels
  let vectors: [(x: Double, y: Double, z: Double)]
  /// Nanoseconds since 1970; `nil` without a date.
  let wall: Int64?
  /// Whether the date is the last sample's and not the first one's.
  let isDatedAtEnd: Bool
  /// Seconds that the recording took, if it says so.
  let duration: Double?

  /// The largest magnitude of any value.
  var largest: Double {
    vectors.reduce(0) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
  }

  init<Source: ImportSource & ~Copyable>(_ source: inout Source) throws(ImportError) {
    let name = source.name
    let bytes = try PhoneDocument.bytes(&source)
    guard !bytes.isEmpty else { throw .empty(name: name) }
    // The library takes UTF-16 and UTF-32 as well, of which JSON has bytes of 0, but the search for keys does not.
    guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
      throw .notUTF8(name: name)
    }
    let shape: Shape
    let repeated: String?
    do {
      shape = try JSONDecoder().decode(Shape.self, from: Data(bytes))
      repeated = try PhoneDocument.repeatedKey(in: bytes)
    } catch {
      throw .document(name: name, what: PhoneDocument.clause(error))
    }
    guard shape.coordinateList == nil || shape.axisValues == nil else {
      throw .document(
        name: name, what: "it has both \"coordinateList\" and \"axisValues\": take one of them out")
    }
    if let key = repeated {
      throw .document(
        name: name, what: "\(JSONText.quoted(key)) stands twice in one object: take one of them out"
      )
    }
    if let (key, own, list) = shape.foreignKey {
      throw .document(
        name: name,
        what:
          "\"\(key)\" does not go with \"\(list)\", whose documents have \"\(own)\": rename it, or take it out"
      )
    }
    let (list, key, listName): ([Vector], Int?, String)
    if let coordinates = shape.coordinateList {
      (list, key, listName) = (coordinates, shape.dataType, "dataType")
      isDatedAtEnd = true
      duration = shape.duration
    } else if let values = shape.axisValues {
      (list, key, listName) = (values, shape.sensor, "sensor")
      isDatedAtEnd = false
      duration = shape.time
    } else {
      throw .document(name: name, what: "it has neither \"coordinateList\" nor \"axisValues\"")
    }
    switch key {
    case 0: sensor = .accel
    case 1: sensor = .gyro
    case let other?:
      throw .document(
        name: name, what: "\"\(listName)\" is \(other), not 0 (accelerometer) or 1 (gyroscope)")
    case nil: throw .document(name: name, what: "\"\(listName)\" is missing")
    }
    vectors = list.map { ($0.x, $0.y, $0.z) }
    wall = try shape.date.map { (date) throws(ImportError) in
      // Within what 64 bits of nanoseconds hold, and then some years off the ends.
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
    // The library takes UTF-8 with a byte order mark for garbage.
    if bytes.starts(with: ImportFormat.byteOrderMark) {
      bytes.removeFirst(ImportFormat.byteOrderMark.count)
    }
    return bytes
  }

  /// A key that stands twice in one object of valid JSON, of which the library takes one silently; `nil` when there is none.
  ///
  /// Keys are compared without their escapes, as the library compares them. Of other bytes the result means nothing.
  private static func repeatedKey(in bytes: [UInt8]) throws -> String? {
    // The keys of each object around the place; `nil` for a list.
    var keys: [Set<String>?] = []
    var (place, isKey) = (0, false)
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "{"):
        keys.append([])
        isKey = true
      case UInt8(ascii: "["): keys.append(nil)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = keys.popLast()
      case UInt8(ascii: ","): isKey = true
      case UInt8(ascii: ":"): isKey = false
      case UInt8(ascii: "\""):
        let begin = place
        var isEscaped = false
        place += 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
          if bytes[place] == UInt8(ascii: "\\") {
            isEscaped = true
            place += 1
          }
          place += 1
        }
        guard place < bytes.count, isKey, let object = keys.indices.last else { break }
        let key =
          isEscaped
          ? try JSONDecoder().decode(String.self, from: Data(bytes[begin...place]))
          : String(decoding: bytes[begin + 1..<place], as: UTF8.self)
        guard keys[object]?.insert(key).inserted != false else { return key }
      default: break
      }
      place += 1
    }
    return nil
  }

  private struct Vector: Decodable {
    var x: Double
    var y: Double
    var z: Double
  }

  /// The keys of both shapes that an import needs.
  private struct Shape: Decodable {
    var dataType: Int?
    var coordinateList: [Vector]?
    var sensor: Int?
    var axisValues: [Vector]?
    var date: Double?
    var duration: Double?
    var time: Double?

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
  }

  /// The library's error as a clause.
  private static func clause(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "it cannot be decoded" }
    switch error {
    case .keyNotFound(let key, let context): return "\(path(context.codingPath + [key])) is missing"
    case .valueNotFound(_, let context): return "\(path(context.codingPath)) is null"
    case .typeMismatch(let type, let context):
      return context.codingPath.isEmpty
        ? "the document is not an object" : "\(path(context.codingPath)) is not \(noun(type))"
    case .dataCorrupted(let context):
      return context.codingPath.isEmpty
        ? "it is not valid JSON" : "\(path(context.codingPath)) is not a number that can be read"
    @unknown default: return "it cannot be decoded"
    }
  }

  private static func noun(_ type: any Any.Type) -> String {
    if type == Double.self || type == Int.self { return "a number" }
    if type == [Any].self || type == [Vector].self { return "a list" }
    return "what the apps write there"
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    var text = ""
    for key in keys {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return "\"\(text)\""
  }
}
