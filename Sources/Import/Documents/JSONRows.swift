// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The rows that are read of a list with the records of several sensors.
struct JSONFilter: Equatable, Sendable {
  let key: String
  let value: String
}

/// The rows of a file of JSON, and what the document says about them.
///
///     {"t_ns":0,"ax":1}⏎{"t_ns":…        a sequence, as NDJSON
///     [{"t_ns":0,"ax":1},{…},…]          a list
///     {"format":…,"samples":[{…},…]}     the member `samples` of an object: this program's document
struct JSONRows<Source: ImportSource & ~Copyable>: ~Copyable {
  private(set) var shape = Syntax.Shape.sequence
  private(set) var facts = OwnFacts()
  /// The keys of the first row with a sample.
  private(set) var names: [String] = []
  private var json: JSONStream<JSONBytes<Source>>
  private let filter: JSONFilter?
  /// Whether no row was read since the list began.
  private var isFirst = true

  var name: String { json.source.name }
  /// Where the row is that was returned last, and where reading can go on with it.
  var place: Place { Place(json.valuePlace) }
  var mark: RowMark { RowMark(byte: json.valuePlace.byte, line: json.valuePlace.line) }

  /// Reads the members before the rows, and the first row.
  init(_ source: consuming Source, _ filter: JSONFilter? = nil) throws(ImportError) {
    self.filter = filter
    json = JSONStream(JSONBytes(base: source))
    try readHead()
  }

  private mutating func readHead() throws(ImportError) {
    try json.rewind()
    if try json.consume("[") {
      shape = .list
    } else if try json.enterSamples(&facts) {
      shape = .document
    } else {
      try json.rewind()
    }
    try facts.check(name)
    while names.isEmpty, let object = try next() {
      do throws(FieldError) {
        // A row of a gap has the names of no values.
        if try Members.value(ExportedNames.gaps[1], of: object) != nil { continue }
        names = try Members.names(of: object)
      } catch {
        throw error.at(name, place)
      }
    }
    guard !names.isEmpty else {
      throw ImportError(name, "has no samples", remedy: "there is nothing to import")
    }
    // Rows of gaps are among those of samples, and as rare.
    if names[0].hasPrefix("t_") {
      names += ExportedNames.gaps.filter { !names.contains($0) }
    }
    try rewind()
  }

  /// Goes to the first row, or to one that was returned before.
  mutating func rewind(to mark: RowMark? = nil) throws(ImportError) {
    isFirst = true
    if let mark { return try json.rewind(to: mark.byte, line: mark.line) }
    try json.rewind()
    if shape == .list { try json.require("[") }
    guard shape == .document else { return }
    try json.require("{")
    var isFirst = true
    while let key = try json.nextKey(isFirst: isFirst) {
      isFirst = false
      if key == "samples" { return try json.require("[") }
      try json.skipValue()
    }
    throw .changed(name)
  }

  /// The next row's object, valid until the next call; `nil` after the last one, when all that follows was read, too.
  mutating func next() throws(ImportError) -> UnsafeRawBufferPointer? {
    while let object = try nextObject() {
      guard let filter else { return object }
      do throws(FieldError) {
        let value = try Members.value(filter.key, of: object)
        if value?.elementsEqual(filter.value.utf8) == true { return object }
      } catch {
        throw error.at(name, place)
      }
    }
    return nil
  }

  private mutating func nextObject() throws(ImportError) -> UnsafeRawBufferPointer? {
    if shape == .sequence {
      guard try json.peek() != nil else { return nil }
    } else {
      if try json.consume("]") {
        json.sample = nil
        if shape == .document {
          while try json.nextKey(isFirst: false) != nil { try json.skipValue() }
        }
        guard try json.peek() == nil else { throw try json.wrong() }
        return nil
      }
      if !isFirst { try json.require(",") }
      json.sample = (json.sample ?? 0) + 1
      isFirst = false
    }
    guard try json.peek() == UInt8(ascii: "{") else {
      throw try json.wrongKind(of: "a sample", expected: "an object with a time and values")
    }
    return try json.value()
  }
}

extension JSONStream where Source: ~Copyable, Source.Failure == ImportError {
  /// Enters the list `samples` of a document, after the members that say something about it; whether there is one.
  ///
  /// Members behind the list are read as well, and the list is then entered again.
  fileprivate mutating func enterSamples(_ facts: inout OwnFacts) throws(ImportError) -> Bool {
    guard try consume("{") else { throw try wrong() }
    var (isFirst, hasSamples) = (true, false)
    while let key = try nextKey(isFirst: isFirst) {
      isFirst = false
      switch key {
      case "samples":
        guard try peek() == UInt8(ascii: "[") else {
          throw try wrongKind(of: "\"samples\"", expected: "a list of objects")
        }
        // This program writes them last.
        if !facts.scales.isEmpty, !facts.units.isEmpty { return try consume("[") }
        hasSamples = true
        try skipValue()
      case "format", "schema", "note", "started", "rate_hz", "complete", "range", "resampled",
        "sensor", "units", "ticks", "axes", "calibration", "calibrated":
        guard try peek() != nil else { throw try wrong() }
        let bytes = Array(try value())
        facts.take(member: key, bytes, at: Place(valuePlace))
      case _ where OwnNotes.keys.contains(key): try takeList(key, &facts.notes)
      default: try skipValue()
      }
    }
    guard hasSamples else { return false }
    try rewind()
    try require("{")
    var isAgain = false
    while let key = try nextKey(isFirst: !isAgain) {
      isAgain = true
      if key == "samples" { return try consume("[") }
      try skipValue()
    }
    return false
  }

  /// Takes the items of a list of the document, one at a time.
  private mutating func takeList(_ key: String, _ notes: inout OwnNotes) throws(ImportError) {
    let isList = try consume("[")
    // A list that is not known may be null.
    let isNull = try peek() == UInt8(ascii: "n")
    if isList || !isNull { notes.begin(key, isList: isList) }
    guard isList else { return try skipValue() }
    var isFirst = true
    while try !consume("]") {
      if !isFirst { try require(",") }
      isFirst = false
      notes.take(key, Array(try value()))
    }
  }
}

extension OwnFacts {
  /// Takes a member of this program's document; one of another form is passed over.
  fileprivate mutating func take(member key: String, _ bytes: [UInt8], at place: Place) {
    if bytes.elementsEqual("null".utf8) { return }
    var json = JSONReader(bytes)
    do throws(JSONReader.Failure) {
      switch (key, try json.kind()) {
      case ("complete", _): if bytes.elementsEqual("false".utf8) { takeIncomplete() }
      case ("range", _), ("resampled", _): takePart()
      case ("note", .string): take(note: try json.string() ?? "", at: place)
      case (_, .string): take("imulog.\(key)", try json.string() ?? "", at: place)
      case ("calibration", _), ("calibrated", _): take("imulog.\(key)", "", at: place)
      case (_, .number): take("imulog.\(key)", String(decoding: bytes, as: UTF8.self), at: place)
      case (_, .object):
        guard try json.enterObject() else { return }
        while let member = try json.nextKey() {
          guard let text = try json.factText() else { continue }
          take("imulog.\(key).\(member.text)", text, at: place)
        }
      default: return
      }
    } catch {
      // Not the document's header then: what is needed and missing is asked for later.
      return
    }
  }
}

extension JSONReader {
  /// A value as a fact has it, a ratio as `61/1000000`; `nil` of others.
  fileprivate mutating func factText() throws(Failure) -> String? {
    switch try kind() {
    case .string: return try string()
    case .number:
      return try double().map { number in Int64(exactly: number).map { "\($0)" } ?? "\(number)" }
    case .list:
      guard try enterList() else { return nil }
      var terms: [String] = []
      while try nextElement() { terms.append(try factText() ?? "?") }
      return terms.joined(separator: "/")
    case .object, .bool, .null:
      try skip()
      return nil
    }
  }
}

/// The bytes of a source for a stream of JSON, and its errors.
struct JSONBytes<Base: ImportSource & ~Copyable>: JSONStreamSource, ~Copyable {
  var base: Base

  var name: String { base.name }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    try base.read(into: buffer)
  }

  mutating func rewind(to byte: UInt64) throws(ImportError) {
    if byte == 0 { base.rewind() } else { try base.skip(to: byte) }
  }

  func failure(_ fault: JSONStreamFault, at place: JSONStreamPlace) -> ImportError {
    let (problem, remedy) =
      switch fault {
      case .notJSON: ("this is not JSON", "correct it, or export the file again")
      case .zeros:
        (
          "bytes of 0 follow, as a card has that lost power",
          "take them out, or fetch the file again"
        )
      case .endsInside:
        ("the file ends inside a value or a list", "it is cut off, so fetch it again")
      case .tooLong(let limit):
        ("a value has more than \(limit) bytes", "no sample is that long: take it out")
      case .otherKind(let value, let expected, let found):
        ("\(value) is \(found) where \(expected) must be", "correct it, or export the file again")
      }
    return ImportError(name, at: Place(place), problem, remedy: remedy)
  }
}

extension Place {
  init(_ place: JSONStreamPlace) {
    self.init(line: place.line, byte: place.byte, sample: place.sample)
  }
}
