// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import Text

/// How a file's rows follow each other.
enum ImportShape: Equatable {
  /// Lines of fields.
  case lines
  /// JSON objects one after the other, as in NDJSON.
  case sequence
  /// JSON objects in a list.
  case list
  /// JSON objects in the list `samples` of an object: this program's document.
  case document
}

/// The rows that are imported of a list with the records of several sensors.
struct ImportFilter: Equatable {
  let key: String
  let value: String
}

// Finding rows among JSON, and what the document says about them.

extension ImportLayout {
  /// The layout of JSON, of which the members before the rows and the first row are read.
  static func read<Source: ImportSource & ~Copyable>(
    json lines: inout ImportLines<Source>, _ options: ImportOptions, _ filter: ImportFilter?
  ) throws(ImportError) -> ImportLayout {
    let name = lines.source.name
    lines.rewind()
    try lines.skipMark()
    var facts = ImportFacts()
    var shape = ImportShape.sequence
    if try lines.consume("[") {
      shape = .list
    } else if try lines.enterSamples(&facts) {
      shape = .document
    } else {
      lines.rewind()
      try lines.skipMark()
    }
    var layout = ImportLayout()
    layout.shape = shape
    var object: [UInt8]?
    var isFirst = true
    while object == nil, let next = try lines.nextObject(shape, isFirst: isFirst) {
      isFirst = false
      if let filter, !layout.matches(filter, next) { continue }
      // A row of a gap has the names of no values.
      if layout.has(ImportLayout.ticksName, next) { continue }
      object = Array(next)
    }
    guard let object else { throw .noSamples(name: name) }
    let place = lines.valuePlace
    do throws(ImportFieldError) {
      typealias Found = (names: (members: [ImportMember], sensor: String?), form: ImportObjectForm)
      let (names, form) = try object.withUnsafeBytes { bytes -> Result<Found, ImportFieldError> in
        do throws(ImportFieldError) {
          return .success(
            (try ImportMember.all(of: bytes), try ImportObjectForm(bytes, constant: filter?.key)))
        } catch {
          return .failure(error)
        }
      }.get()
      let headings = names.members.map { ImportHeading($0.key.utf8) }
      let found = try ImportHead.layout(
        headings, options.columns, file: filter?.value ?? names.sensor ?? name,
        ignoring: ["sensor"])
      guard var known = found else {
        throw ImportFieldError(
          ImportLayout.problem(ofUnknown: headings)
            ?? .noTimeKey(found: ImportText.shown(object)))
      }
      known.shape = shape
      known.headLines = 0
      known.facts = facts
      known.filter = filter
      // By key: the members of a row may have any order.
      for place in known.columns.indices {
        known.columns[place].name = names.members[known.columns[place].index].key
      }
      if known.columns.allSatisfy({ column in form.values.contains { $0.index == column.index } }) {
        known.objectForm = form
      }
      layout = known
    } catch {
      throw .line(name: name, line: place, problem: error.problem)
    }
    return layout
  }
}

extension ImportLines where Source: ~Copyable {
  /// Enters the list `samples` of a document, after the members that say something about it; whether there is one.
  ///
  /// Members behind the list are read as well, and the list is then entered again.
  fileprivate mutating func enterSamples(_ facts: inout ImportFacts) throws(ImportError) -> Bool {
    guard try consume("{") else { throw try wrongJSON() }
    var (isFirst, hasSamples) = (true, false)
    while let key = try nextKey(isFirst: isFirst) {
      isFirst = false
      switch key {
      case "samples":
        guard try peek() == UInt8(ascii: "[") else {
          throw try wrongKind(of: "\"samples\"", expected: "a list of objects")
        }
        hasSamples = true
        // This program writes them last.
        if facts.hasHeader { return try consume("[") }
        try skipRows()
      case "sensor", "units", "started", "note", "rate_hz", "ticks":
        guard try peek() != nil else { throw try wrongJSON() }
        facts.take(member: key, Array(try value()))
        facts.place(valuePlace)
        if let problem = facts.unitProblem {
          throw .line(name: source.name, line: valuePlace, problem: problem)
        }
      case "schema": try checkSchema()
      case "axes", "calibration", "calibrated", "complete":
        facts.note(key, begin: try peek())
        try skipValue()
      case _ where ImportNotes.keys.contains(key): try takeList(key, &facts.notes)
      default: try skipValue()
      }
    }
    guard hasSamples else { return false }
    rewind()
    try skipMark()
    try enterSamples()
    return true
  }

  /// Skips the list of rows, none of which may be longer than a line.
  private mutating func skipRows() throws(ImportError) {
    try require("[")
    var isFirst = true
    while try !consume("]") {
      if !isFirst { try require(",") }
      sample = isFirst ? 1 : (sample ?? 0) + 1
      isFirst = false
      _ = try value()
    }
    sample = nil
  }

  /// Takes the items of a list of the document, one at a time.
  private mutating func takeList(_ key: String, _ notes: inout ImportNotes) throws(ImportError) {
    guard try consume("[") else {
      // An optional list that is absent may be null.
      if try peek() != UInt8(ascii: "n") { notes.takeUnlisted(key) }
      return try skipValue()
    }
    notes.begin(key)
    var isFirst = true
    while try !consume("]") {
      if !isFirst { try require(",") }
      isFirst = false
      if try peek() == UInt8(ascii: "{") {
        notes.take(key, Array(try value()), at: valuePlace)
      } else {
        notes.takeOther(key)
        try skipValue()
      }
    }
  }

  /// Enters the list `samples` of a document that has one.
  mutating func enterSamples() throws(ImportError) {
    try require("{")
    var isFirst = true
    while let key = try nextKey(isFirst: isFirst) {
      isFirst = false
      if key == "samples" { return try require("[") }
      try skipValue()
    }
    throw .changed(name: source.name)
  }

  /// The next object among the rows; `nil` after the last one, when all that follows was read, too.
  mutating func nextObject(_ shape: ImportShape, isFirst: Bool) throws(ImportError)
    -> UnsafeRawBufferPointer?
  {
    if shape == .sequence {
      guard try peek() != nil else { return nil }
    } else {
      if try consume("]") {
        try passEnd(shape)
        return nil
      }
      if !isFirst { try require(",") }
      sample = isFirst ? 1 : (sample ?? 0) + 1
    }
    guard try peek() == UInt8(ascii: "{") else {
      throw try wrongKind(of: "a sample", expected: "an object with a time and values")
    }
    return try value()
  }

  /// The next line of a sequence, if all of it is in memory and looks like one object; it is not passed.
  mutating func objectLine() throws(ImportError) -> UnsafeRawBufferPointer? {
    guard try peek() == UInt8(ascii: "{"), let base = buffer.baseAddress,
      let found = memchr(base + begin, Int32(UInt8(ascii: "\n")), end - begin)
    else { return nil }
    let last = UnsafeRawPointer(found) - UnsafeRawPointer(base)
    return UnsafeRawBufferPointer(rebasing: buffer[begin..<last])
  }

  /// Passes what ``objectLine()`` returned.
  mutating func pass(_ line: UnsafeRawBufferPointer) {
    mark = byte
    begin += line.count
  }

  /// What follows the list of rows: the rest of the document, and then nothing.
  private mutating func passEnd(_ shape: ImportShape) throws(ImportError) {
    sample = nil
    if shape == .document {
      while try nextKey(isFirst: false) != nil { try skipValue() }
    }
    guard try peek() == nil else { throw try wrongJSON() }
  }
}

extension ImportFacts {
  /// Whether the members that matter were there.
  fileprivate var hasHeader: Bool {
    accelerometerScale != nil
      && (units.accelerometer != nil || units.gyroscope != nil || units.temperature != nil)
  }

  /// Takes a member of this program's document; one of another form is passed over.
  fileprivate mutating func take(member key: String, _ bytes: [UInt8]) {
    var json = JSONReader(bytes)
    do throws(JSONReader.Failure) {
      switch key {
      case "note", "started":
        if try json.kind() == .string, let text = try json.string() {
          take("imulog.\(key)", text)
        } else if !bytes.elementsEqual("null".utf8) {
          refuse(key, bytes, kind: key == "note" ? "text" : "date")
        }
      case "rate_hz": take("imulog.rate_hz", String(decoding: bytes, as: UTF8.self))
      default:
        guard try json.enterObject() else { return }
        while let member = try json.nextKey() {
          if ImportFacts.Ratio(rawValue: member.text) != nil {
            try takeRatio("imulog.\(key).\(member.text)", &json)
            continue
          }
          switch try json.kind() {
          case .string:
            if let text = try json.string() { take("imulog.\(key).\(member.text)", text) }
          case .number:
            if let number: Int64 = try json.integer() {
              take("imulog.\(key).\(member.text)", "\(number)")
            }
          default: try json.skip()
          }
        }
      }
    } catch {
      // Not the document's header then: what is needed and missing is asked for later.
      return
    }
  }

  /// Takes a ratio as `[61,1000000]`; one of another form is left out, which is said, and `null` is none.
  private mutating func takeRatio(_ name: String, _ json: inout JSONReader)
    throws(JSONReader.Failure)
  {
    switch try json.kind() {
    case .null: return try json.skip()
    case .list: break
    case .number:
      if let number = try json.double() { take(name, "\(number)") }
      return
    case let other:
      try json.skip()
      return take(name, other == .string ? "a text" : other == .object ? "an object" : "no list")
    }
    guard try json.enterList() else { return }
    var terms: [String] = []
    while try json.nextElement() {
      guard try json.kind() == .number, let term = try json.double() else {
        try json.skip()
        terms.append("?")
        continue
      }
      terms.append(Int64(exactly: term).map { "\($0)" } ?? "\(term)")
    }
    take(name, terms.joined(separator: "/"))
  }
}

extension ImportLayout {
  /// The values of an object by the columns' places; empty where there is none.
  func cells(of object: UnsafeRawBufferPointer) throws(ImportFieldError) -> [UnsafeRawBufferPointer]
  {
    var cells = [UnsafeRawBufferPointer](
      repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: fieldCount)
    try ImportMember.each(of: object) { key, value in
      for column in columns + instances where key.elementsEqual(column.name.utf8) {
        cells[column.index] = value
      }
    }
    return cells
  }

  /// Whether an object has a value of this name; `false` for what is no object, of which more is said elsewhere.
  fileprivate func has(_ name: String, _ object: UnsafeRawBufferPointer) -> Bool {
    var isThere = false
    do throws(ImportFieldError) {
      try ImportMember.each(of: object) { key, value in
        if key.elementsEqual(name.utf8), !ImportMember.isNull(value) { isThere = true }
      }
    } catch {
      return false
    }
    return isThere
  }

  /// Whether an object is of the sensor that is imported.
  func matches(_ filter: ImportFilter, _ object: UnsafeRawBufferPointer) -> Bool {
    var isMatch = false
    do throws(ImportFieldError) {
      try ImportMember.each(of: object) { key, value in
        if key.elementsEqual(filter.key.utf8) { isMatch = value.elementsEqual(filter.value.utf8) }
      }
    } catch {
      return false
    }
    return isMatch
  }
}
