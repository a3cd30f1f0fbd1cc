// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import Text

/// What a file of this program says about its samples, wherever it stands: in the preamble of a CSV, in the members of a
/// document of JSON, in the metadata of Parquet and MCAP.
///
///     imulog.started = 2026-11-21T02:38:07Z      imulog.units.ax = m/s²      imulog.sensor.accelerometerScale_g = 1/16384
struct OwnFacts: Equatable, Sendable {
  /// Nanoseconds since 1970 at time 0.
  var started: Int64?
  private(set) var note: String?
  /// The nominal rate.
  var rate: SampleRate?
  /// Nominal full scales in g and °/s.
  private(set) var (accelerometerRange, gyroscopeRange): (Int?, Int?)
  /// Units of the columns of values.
  var units: [Group: Unit] = [:]
  private(set) var scales: [Group: Scale] = [:]
  /// The channels that have a unit.
  private(set) var channels = ChannelSet()
  private var statedTicks: UInt64?
  /// Nanoseconds by which stamps exceed times in a file without a date.
  private(set) var shift: Int64 = 0
  /// Whether the file says that it is one of this program.
  private(set) var isOwn = false
  /// Whether it counts samples: neither resampled, nor of a damaged recording; whether it is a part of one.
  private(set) var (isCounted, isPart) = (true, false)
  var notes = OwnNotes()
  /// The first fact that makes the file unreadable.
  private var problem: ImportError?
  private var temperatureOffset = Fraction.zero

  /// The ticks of a recording, as the file counts them; `nil` of a part, and of a damaged one.
  var ticks: UInt64? { isPart ? nil : ticksHere }
  /// Those of a part, too.
  var ticksHere: UInt64? { isOwn && isCounted ? statedTicks : nil }

  /// Takes a fact by its name; one that is not needed is passed over.
  mutating func take(_ name: String, _ text: String, at place: Place = 1) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 1, parts[0] == "imulog" else { return }
    let last = String(parts[parts.count - 1])
    switch parts.dropFirst().joined(separator: ".") {
    case "format": isOwn = text.hasPrefix("imulog-")
    case "schema":
      guard let schema = Int64(text), schema > JSONWriter.schema else { return }
      refuse(
        "it is of schema \(schema), which a later version of imulog writes",
        "import it with that version", place)
    case "note": take(note: EscapedLine.plain(text), at: place)
    case "started": started = known(RFC3339.nanoseconds(text), last, text)
    case "rate_hz": rate = known(SampleRate(stated: text), last, text)
    case "sensor.accelerometerRange_g": accelerometerRange = Int(text)
    case "sensor.gyroscopeRange_dps": gyroscopeRange = Int(text)
    case "sensor.accelerometerScale_g": takeScale(.accelerometer, last, text)
    case "sensor.gyroscopeScale_dps": takeScale(.gyroscope, last, text)
    case "sensor.temperatureScale_c": takeScale(.temperature, last, text)
    case "sensor.temperatureOffset_c":
      temperatureOffset = known(OwnFacts.ratio(text), last, text) ?? .zero
      scales[.temperature]?.offset = temperatureOffset
    case "ticks.scheduled": statedTicks = UInt64(text)
    case "damage" where text != "0", "complete" where text == "false":
      // Without an end, its rows and gaps add up as far as it was synced.
      if last == "damage" { isCounted = false }
      notes.faults.append(
        "its recording was damaged or not at its end, which the new one does not show")
    case "range.from_ns", "range.to_ns": isPart = true
    case "resampled.rate_hz": isCounted = false
    case "axes", "calibration":
      notes.faults.append("its \(last) is left out: values are taken as they are in the file")
    case "field.model": notes.faults.append("the values of its magnetometer are left out")
    case "calibrated":
      notes.faults.append("its values are calibrated already: do not calibrate the new recording")
    case "times":
      // "…, with 6 s added": in whole seconds.
      let words = text.parts(around: ", with ")?.after.split(separator: " ") ?? []
      if words.count > 2, words[1] == "s", let seconds = Int32(words[0]) {
        shift = Int64(seconds) * 1_000_000_000
      }
    case "labels": notes.take(list: last, text)
    case "marksAfterLastRow": notes.take(list: "marks", text)
    case _ where parts.count == 3 && parts[1] == "labels": notes.take(label: text)
    case _ where parts.count == 3 && parts[1] == "units": takeUnit(last, text, place)
    default: break
    }
  }

  /// Takes a note, which an option may replace.
  mutating func take(note text: String, at place: Place) {
    note = text.isEmpty ? nil : text
    guard text.utf8.count > LogFormat.noteLength else { return }
    refuse(
      "its note has \(text.utf8.count) bytes, and a log has room for \(LogFormat.noteLength)",
      "shorten it there", place)
  }

  /// Takes a member of a JSON document, or the members of an object; other forms are passed over.
  mutating func take(member key: String, _ bytes: [UInt8], at place: Place) {
    let text = String(decoding: bytes, as: UTF8.self)
    var json = JSONReader(bytes)
    do throws(JSONReader.Failure) {
      switch (key, try json.kind()) {
      case (_, .null): return
      case ("note", .string): take(note: try json.string() ?? "", at: place)
      case (_, .string): take("imulog.\(key)", try json.string() ?? "", at: place)
      case ("calibration", _), ("calibrated", _), (_, .number), (_, .bool):
        take("imulog.\(key)", text, at: place)
      case (_, .object):
        guard try json.enterObject() else { return }
        while let member = try json.nextKey() {
          guard let fact = try json.fact() else { continue }
          take("imulog.\(key).\(member.text)", fact, at: place)
        }
      default: return
      }
    } catch {
      // Not the document's header then: what is needed and missing is asked for later.
      return
    }
  }

  /// - Throws: What makes the file unreadable.
  func check(_ file: String) throws(ImportError) {
    guard let problem else { return }
    throw ImportError(file, at: problem.place, problem.problem, remedy: problem.remedy)
  }

  private mutating func refuse(_ words: String, _ remedy: String, _ place: Place) {
    problem = problem ?? ImportError("", at: place, words, remedy: remedy)
  }

  /// Takes the unit of a column; a group's must agree.
  private mutating func takeUnit(_ column: String, _ text: String, _ place: Place) {
    guard let channel = ChannelSet.names.firstIndex(of: column) else { return }
    let group = Group(channel: channel)
    channels.insert(ChannelSet(rawValue: 1 << UInt8(channel)))
    guard let unit = Unit(word: text), unit.measures(group) else {
      return refuse(
        "the unit of \(column), \"\(FieldText.shown(text.utf8))\", is not known",
        "correct it, or state the unit with --units", place)
    }
    guard let other = units.updateValue(unit, forKey: group), other != unit else { return }
    refuse(
      "\(group.name) are in \(other.sign) and in \(unit.sign)",
      "give all columns of a sensor one unit", place)
  }

  private mutating func takeScale(_ group: Group, _ name: String, _ text: String) {
    guard let ratio = known(OwnFacts.ratio(text), name, text), ratio.numerator != 0 else { return }
    scales[group] = Scale(ratio: ratio, offset: group == .temperature ? temperatureOffset : .zero)
  }

  private mutating func known<Value>(_ value: Value?, _ name: String, _ text: String) -> Value? {
    if value == nil {
      notes.faults.append(
        "its \(name) \"\(FieldText.shown(text.utf8))\" is not known, and left out")
    }
    return value
  }

  /// A ratio as `61/1000000`.
  private static func ratio(_ text: String) -> Fraction? {
    guard let (above, below) = text.parts(around: "/"), let above = Int64(above),
      let below = Int64(below)
    else { return nil }
    return Fraction(above, over: below)
  }
}

extension JSONReader {
  /// A value as a fact has it, a ratio as `61/1000000`; `nil` of others.
  fileprivate mutating func fact() throws(Failure) -> String? {
    switch try kind() {
    case .string: return try string()
    case .number:
      return try double().map { number in Int64(exactly: number).map { "\($0)" } ?? "\(number)" }
    case .list:
      guard try enterList() else { return nil }
      var terms: [String] = []
      while try nextElement() { terms.append(try fact() ?? "?") }
      return terms.joined(separator: "/")
    case .object, .bool, .null:
      try skip()
      return nil
    }
  }
}

extension OwnFacts {
  /// Takes what the document of a phone app says beside its samples, which have no times; the keys of its axes.
  ///
  ///     {"identifier":…,"dataType":0|1,"coordinateList":[{"x":…,"y":…,"z":…},…],"date":…,"duration":…}
  ///     {"sensor":0|1,"axisValues":[{"x":…,"y":…,"z":…},…],"date":…,"time":…}
  ///
  /// 0 is the accelerometer in g, 1 the gyroscope in rad/s. The rate is that of the duration, or 10 Hz, for which both apps
  /// ask, where that is nearer than a twentieth. `date` counts seconds from 2001 to the last sample in the first shape and
  /// to the first sample in the second.
  mutating func takePhone(
    _ numbers: [String: Decimal], _ count: UInt64, isSecond: Bool, _ given: SampleRate?
  ) throws(FieldError) -> ColumnsOption? {
    let key = isSecond ? "sensor" : "dataType"
    guard let kind = numbers[key]?.value, kind == 0 || kind == 1 else {
      throw FieldError(
        problem: "\"\(key)\" is not 0 (accelerometer) or 1 (gyroscope)", remedy: "correct it")
    }
    units = kind == 0 ? [.accelerometer: .g] : [.gyroscope: .radianPerSecond]
    var rate = given ?? SampleRate(10)
    if let duration = numbers[isSecond ? "time" : "duration"]?.value, given == nil {
      let hertz = Double(count) / duration
      if !(9.5...10.5).contains(hertz) {
        let thousandths = hertz < 1e6 ? UInt32(exactly: (hertz * 1000).rounded()) : nil
        rate = thousandths.flatMap { SampleRate($0, per: 1000) }
      }
    } else if given == nil {
      notes.faults.append(
        "it does not say how long it took: 10 Hz is what the app asks for; state another rate with --rate"
      )
    }
    guard let rate else {
      throw FieldError(problem: "its duration makes no rate", remedy: "state it with --rate")
    }
    self.rate = rate
    if let date = numbers["date"] {
      guard let since = date.whole(tenTo: 9)?.value, since.magnitude < 8_000_000_000_000_000_000,
        case let back = isSecond ? 0 : rate.nanoseconds(atTick: max(count, 1) - 1), back < 1 << 60
      else {
        throw FieldError(problem: "\"date\" is not a date", remedy: "correct it, or take it out")
      }
      started = since + ExportedNames.phoneReferenceDate - back
    }
    return ColumnsOption(kind == 0 ? "ax=x,ay=y,az=z" : "gx=x,gy=y,gz=z")
  }
}
