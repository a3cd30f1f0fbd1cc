// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The samples of a document of one of the phone apps.
///
///     {"identifier":…,"dataType":0|1,"coordinateList":[{"x":…,"y":…,"z":…},…],"date":…,"duration":…}
///     {"sensor":0|1,"axisValues":[{"x":…,"y":…,"z":…},…],"date":…,"time":…}
///
/// 0 is the accelerometer in g, 1 the gyroscope in rad/s. The documents have no times of samples: their rate is that of
/// the duration, or 10 Hz, for which both apps ask. `date` counts seconds from 2001 to the last sample in the first shape
/// and to the first sample in the second.
struct PhoneDocument<Source: ImportSource & ~Copyable>: SampleRows, ~Copyable {
  private(set) var understanding: Understanding
  private(set) var facts = OwnFacts()
  private(set) var numbers = Array(repeating: Decimal(digits: 0), count: 7)
  var incomplete: (rows: UInt64, first: Place?) { (0, nil) }
  private(set) var remarks: [String] = []
  private var json: JSONStream<JSONBytes<Source>>
  private var members = PhoneMembers()
  private var channels: Range<Int> { members.kind == 0 ? 0..<3 : 3..<6 }

  var name: String { json.source.name }
  var place: Place { Place(json.valuePlace) }
  var mark: RowMark { RowMark(byte: json.valuePlace.byte, line: json.valuePlace.line) }

  /// Reads the whole document once.
  init(_ source: consuming Source, _ request: ImportRequest) throws(ImportError) {
    understanding = Understanding(source.name)
    json = JSONStream(JSONBytes(base: source))
    try readMembers()
    try state(request)
    try rewind(to: nil)
  }

  private mutating func readMembers() throws(ImportError) {
    try json.rewind()
    guard try json.consume("{") else {
      throw try json.wrongKind(of: "the document", expected: "an object")
    }
    var isFirst = true
    while let key = try json.nextKey(isFirst: isFirst) {
      isFirst = false
      switch key {
      case "coordinateList", "axisValues":
        guard members.list.isEmpty else {
          throw wrong("it has two lists of samples", "take one of them out")
        }
        guard try json.consume("[") else {
          throw try json.wrongKind(of: "\"\(key)\"", expected: "a list")
        }
        (members.list, json.sample) = (key, nil)
        while try nextObject() != nil { members.count += 1 }
      case "dataType", "sensor", "date", "duration", "time":
        let value = Array(try json.value())
        if value.elementsEqual("null".utf8) { continue }
        guard case .number(let number) = value.withUnsafeBytes({ DecimalField($0) }) else {
          throw wrong("\"\(key)\" is not a number", "correct it")
        }
        members.numbers[key] = number
      default: try json.skipValue()
      }
    }
    guard try json.peek() == nil else { throw try json.wrong() }
  }

  /// States what the app means.
  private mutating func state(_ request: ImportRequest) throws(ImportError) {
    let isFirstShape = members.list == "coordinateList"
    guard !members.list.isEmpty else {
      throw wrong(
        "it has no \"coordinateList\" and no \"axisValues\"", "import another kind with --format")
    }
    // A key of the other shape would be that of another value.
    for key in isFirstShape ? ["sensor", "time"] : ["dataType", "duration"]
    where members.numbers[key] != nil {
      throw wrong("\"\(key)\" does not go with \"\(members.list)\"", "rename it, or take it out")
    }
    let kindKey = isFirstShape ? "dataType" : "sensor"
    members.kind = members.numbers[kindKey]?.whole(tenTo: 0)?.value
    guard members.kind == 0 || members.kind == 1 else {
      throw wrong("\"\(kindKey)\" is not 0 (accelerometer) or 1 (gyroscope)", "correct it")
    }
    guard members.count > 0 else { throw wrong("it has no samples", "there is nothing to import") }
    let app = Understanding.Source.program("the phone app")
    understanding.program = "the phone apps"
    understanding.syntax.shape = .document
    for (index, channel) in channels.enumerated() {
      understanding.columns.append(
        Understanding.Column(
          index: index, name: ["x", "y", "z"][index], role: .channel(channel, isReversed: false),
          source: app))
    }
    let group: Group = members.kind == 0 ? .accelerometer : .gyroscope
    understanding.units[group] = .init(members.kind == 0 ? .g : .radianPerSecond, app)
    if let other = request.units?.units[group], other != understanding.units[group]?.value {
      understanding.contradictions.append(
        "the phone app writes \(group.name) in \(members.kind == 0 ? "g" : "rad/s")")
    }
    let rate = try rate(request.rate, members.numbers[isFirstShape ? "duration" : "time"])
    understanding.rate = .init(rate, request.rate == nil ? app : .option("--rate"))
    guard let date = members.numbers["date"] else { return }
    // From 2001, in nanoseconds; the first shape dates its last sample.
    guard let since = date.whole(tenTo: 9)?.value, since.magnitude < 8_000_000_000_000_000_000
    else {
      throw wrong("\"date\" is no date", "correct it, or take it out")
    }
    let back = isFirstShape ? rate.nanoseconds(atTick: members.count - 1) : 0
    let (started, overflow) = (since + ExportedNames.phoneReferenceDate)
      .subtractingReportingOverflow(back)
    if !overflow { facts.take(started: started) }
  }

  /// 10 Hz, unless the duration differs from that by more than a twentieth: then the rate of the duration, to a thousandth
  /// of a hertz.
  private mutating func rate(_ given: SampleRate?, _ duration: Decimal?) throws(ImportError)
    -> SampleRate
  {
    if let given { return given }
    let usual = SampleRate(10) ?? { preconditionFailure("10 Hz is a rate") }()
    guard let duration else {
      remarks.append(
        "\(name) does not say how long it took: 10 Hz is what the app asks for; state another one with --rate"
      )
      return usual
    }
    let hertz = Double(members.count) / duration.value
    if abs(hertz - 10) <= 0.5 { return usual }
    // A number of 32 bits is above 0 and finite.
    guard let thousandths = UInt32(exactly: (hertz * 1000).rounded()), hertz < 1e6,
      let rate = SampleRate(thousandths, per: 1000)
    else {
      throw wrong(
        "\(members.count) samples in \(duration.value) seconds make no rate", "state it with --rate"
      )
    }
    return rate
  }

  private func wrong(_ problem: String, _ remedy: String) -> ImportError {
    ImportError(name, at: Place(json.nextPlace), problem, remedy: remedy)
  }

  mutating func take(_ reading: Reading) {}

  mutating func rewind(to mark: RowMark?) throws(ImportError) {
    if let mark {
      try json.rewind(to: mark.byte, line: mark.line)
      return
    }
    try json.rewind()
    try json.require("{")
    var isFirst = true
    while let key = try json.nextKey(isFirst: isFirst) {
      isFirst = false
      if key == members.list { return try json.require("[") }
      try json.skipValue()
    }
    throw .changed(name)
  }

  mutating func nextTime() throws(ImportError) -> Row? {
    try nextObject().map { _ in Row(time: 0) }
  }

  mutating func next() throws(ImportError) -> Row? {
    guard let object = try nextObject() else { return nil }
    do throws(FieldError) {
      for (key, channel) in zip(["x", "y", "z"], channels) {
        let column = ImportError.Column(name: key)
        guard let value = try Members.value(key, of: object) else {
          throw FieldError(
            column: column, problem: "is missing", remedy: "correct it, or take the sample out")
        }
        guard case .number(let number) = DecimalField(value), number.value.magnitude < 1e9 else {
          throw FieldError(
            column: column, problem: "\"\(FieldText.shown(value))\" is no number of a sensor",
            remedy: "correct it")
        }
        numbers[channel] = number
      }
    } catch {
      throw error.at(name, place)
    }
    return Row(time: 0)
  }

  /// The next sample of the list; `nil` at its end.
  private mutating func nextObject() throws(ImportError) -> UnsafeRawBufferPointer? {
    if try json.consume("]") {
      json.sample = nil
      return nil
    }
    if json.sample != nil { try json.require(",") }
    json.sample = (json.sample ?? 0) + 1
    guard try json.peek() == UInt8(ascii: "{") else {
      throw try json.wrongKind(of: "a sample", expected: "an object with x, y and z")
    }
    return try json.value()
  }
}

/// What both shapes say beside their samples.
private struct PhoneMembers {
  /// The key of the list; empty without one.
  var list = ""
  var count: UInt64 = 0
  /// 0 or 1.
  var kind: Int64?
  var numbers: [String: Decimal] = [:]
}
