// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The rows of a file of JSON, and what the document says about them.
///
///     {"t_ns":0,"ax":1}⏎{"t_ns":…        a sequence, as NDJSON
///     [{"t_ns":0,"ax":1},{…},…]          a list
///     {"format":…,"samples":[{…},…]}     a list in an object: this program's document, or that of a phone app
final class JSONRows {
  private(set) var shape = Syntax.Shape.sequence
  private(set) var facts = OwnFacts()
  /// The keys of the first rows with a sample.
  private(set) var names: [String] = []
  /// The keys of axes where the document says whose they are.
  private(set) var columns: ColumnsOption?
  /// Whether members beside the rows are not known.
  private(set) var hasUnread = false
  private let source: any ImportSource
  private var json: JSONStream<JSONBytes>
  /// The key of the list in an object.
  private var list = ""
  /// Whether no row was read since the list began.
  private var isFirst = true

  var name: String { source.name }
  /// Where the row is that was returned last, and where reading can go on with it.
  var place: Place { Place(json.valuePlace) }
  var mark: RowMark { RowMark(byte: json.valuePlace.byte, line: json.valuePlace.line) }

  /// Reads the members before the rows, and the first row.
  init(_ source: any ImportSource, rate: SampleRate? = nil) throws(ImportError) {
    self.source = source
    json = JSONStream(JSONBytes(base: source))
    try json.rewind()
    if try json.consume("[") {
      shape = .list
    } else if try readMembers(rate) {
      shape = .document
    } else {
      // The members belong to the first row.
      hasUnread = false
    }
    try facts.check(name)
    try rewind()
    var (rows, known): (Int, Set<String>) = (0, [])
    while rows < FirstRows.limit, let object = try next() {
      do throws(FieldError) {
        // A row of a gap has the names of no values.
        let key = Array(ExportedNames.gaps[1].utf8)
        guard try Members.cells(of: object, [key], untilFound: true)[0].isEmpty else { continue }
        names += try Members.names(of: object).filter { known.insert($0).inserted }
        guard names.count <= 4096 else {
          throw FieldError(problem: "the first rows have over 4096 keys", remedy: "take some out")
        }
        rows += 1
      } catch {
        throw error.at(name, place)
      }
    }
    guard !names.isEmpty else {
      throw ImportError(name, "has no samples", remedy: "there is nothing to import")
    }
    // Rows of gaps may come after the first ones.
    if Dialect.own.times.keys.contains(names[0]) {
      for gap in ExportedNames.gaps where !names.contains(gap) { names.append(gap) }
    }
    try rewind()
  }

  /// Goes to the first row, or to one that was returned before.
  func rewind(to mark: RowMark? = nil) throws(ImportError) {
    isFirst = true
    if let mark { return try json.rewind(to: mark.byte, line: mark.line) }
    try json.rewind()
    if shape == .list { try json.require("[") }
    guard shape == .document else { return }
    try json.require("{")
    while let key = try json.nextKey() {
      if key == list { return try json.require("[") }
      try json.skipValue()
    }
    throw .changed(name)
  }

  /// The next row's object, valid until the next call; `nil` after the last one, when all that follows was read, too.
  func next() throws(ImportError) -> UnsafeRawBufferPointer? {
    if shape == .sequence {
      guard try json.peek() != nil else { return nil }
    } else if try !nextItem() {
      if shape == .document {
        while let key = try json.nextKey() {
          if key == list { throw twice(key) }
          try json.skipValue()
        }
      }
      guard let byte = try json.peek() else { return nil }
      guard shape == .document, byte == UInt8(ascii: "{") else { throw try json.wrong() }
      throw ImportError(
        name, at: Place(json.nextPlace), "another document follows",
        remedy: "import each as a file of its own")
    }
    guard try json.peek() == UInt8(ascii: "{") else {
      throw try json.wrongKind(of: "a sample", expected: "an object with a time and values")
    }
    return try json.value()
  }

  /// Goes to the next item of the list that was entered; whether there is one.
  private func nextItem() throws(ImportError) -> Bool {
    if try json.consume("]") {
      json.sample = nil
      return false
    }
    if !isFirst { try json.require(",") }
    json.sample = (json.sample ?? 0) + 1
    isFirst = false
    return true
  }

  /// What a document says of its samples, and the keys of these.
  private static let members = OwnNotes.keys.union([
    "samples", "coordinateList", "axisValues", "format", "schema", "note", "started", "rate_hz",
    "complete", "range", "resampled", "sensor", "units", "ticks", "axes", "calibration",
    "calibrated", "dataType", "date", "duration", "time",
  ])

  private func twice(_ key: String) -> ImportError {
    ImportError(
      name, at: Place(json.nextPlace), "\"\(key)\" is there twice", remedy: "take one of them out")
  }

  /// Takes the members of a document; whether it has a list of samples.
  private func readMembers(_ rate: SampleRate?) throws(ImportError) -> Bool {
    guard try json.consume("{") else { throw try json.wrong() }
    var (numbers, count): ([String: Decimal], UInt64) = ([:], 0)
    var seen: Set<String> = []
    while let key = try json.nextKey() {
      guard JSONRows.members.contains(key) else {
        try pass(key)
        continue
      }
      guard seen.insert(key).inserted else { throw twice(key) }
      switch key {
      case "samples":
        guard try json.peek() == UInt8(ascii: "[") else {
          throw try json.wrongKind(of: "\"samples\"", expected: "a list of objects")
        }
        list = key
        // This program writes them last.
        if !facts.scales.isEmpty, !facts.units.isEmpty { return true }
        try json.skipValue()
      case "coordinateList", "axisValues":
        list = key
        count = try eachItem { _ in }
      case _ where OwnNotes.keys.contains(key):
        // A list that is not known may be null.
        guard try json.peek() == UInt8(ascii: "[") else { try json.skipValue(); continue }
        facts.notes.begin(key)
        _ = try eachItem { facts.notes.take(key, Array($0)) }
      default:
        guard try json.peek() != nil else { throw try json.wrong() }
        let value = try json.value()
        if case .number(let number) = DecimalField(value) { numbers[key] = number }
        facts.take(member: key, Array(value), at: place)
      }
    }
    if list == "coordinateList" || list == "axisValues" {
      do throws(FieldError) {
        hasUnread = false
        columns = try facts.takePhone(numbers, count, isSecond: list == "axisValues", rate)
      } catch {
        throw error.at(name, Place(json.nextPlace))
      }
    }
    return !list.isEmpty
  }

  /// Passes a member that is not known, of any length. Unless this program wrote it, a list of objects may be rows of
  /// another sensor, and is refused.
  private func pass(_ key: String) throws(ImportError) {
    if facts.isOwn {
      if key == "field", try json.peek() == UInt8(ascii: "{") {
        facts.take("imulog.field.model", "")
      }
      return try json.skipValue()
    }
    let place = Place(json.nextPlace)
    hasUnread = true
    if try json.consume("[") {
      isFirst = true
      while try nextItem() {
        guard try json.peek() != UInt8(ascii: "{") else {
          throw ImportError(
            name, at: place,
            "\"\(FieldText.shown(key.utf8))\" is a list of objects that is not read",
            remedy: "take it out, or import it as a file of its own")
        }
        try json.skipValue()
      }
    } else {
      try json.skipValue()
    }
  }

  /// Calls `body` with each item of the list that is next; their number.
  private func eachItem(_ body: (UnsafeRawBufferPointer) -> Void) throws(ImportError) -> UInt64 {
    try json.require("[")
    isFirst = true
    var count: UInt64 = 0
    while try nextItem() {
      body(try json.value())
      count += 1
    }
    return count
  }
}

/// The bytes of a source for a stream of JSON, and its errors.
struct JSONBytes: JSONStreamSource {
  let base: any ImportSource

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    try base.read(into: buffer)
  }

  func seek(to byte: UInt64) throws(ImportError) { try base.seek(to: byte) }

  func failure(_ problem: String, at place: JSONStreamPlace, remedy: String) -> ImportError {
    ImportError(base.name, at: Place(place), problem, remedy: remedy)
  }
}

extension Place {
  init(_ place: JSONStreamPlace) {
    self.init(line: place.line, byte: place.byte, sample: place.sample)
  }
}
