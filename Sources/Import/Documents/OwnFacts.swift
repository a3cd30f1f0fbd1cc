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
  private(set) var started: Int64?
  private(set) var note: String?
  /// The nominal rate.
  private(set) var rate: SampleRate?
  /// Nominal full scales in g and °/s.
  private(set) var (accelerometerRange, gyroscopeRange): (Int?, Int?)
  /// Units of the columns of values.
  private(set) var units: [Group: Unit] = [:]
  /// What counts mean.
  private(set) var scales: [Group: Scale] = [:]
  /// The channels that have a unit.
  private(set) var channels = ChannelSet()
  private var (statedSamples, statedTicks): (UInt64?, UInt64?)
  /// Nanoseconds by which stamps exceed times in a file without a date.
  private(set) var shift: Int64 = 0
  /// Whether the file says that it is one of this program.
  private(set) var isOwn = false
  /// Whether the file says that it is a part of a recording, or resampled, or that its recording was damaged or running.
  private(set) var (isPart, isIncomplete) = (false, false)
  /// Marks, labels, gaps, events.
  var notes = OwnNotes()
  /// The first fact that makes the file unreadable, and where it is.
  private var problem: Problem?
  private struct Problem: Equatable {
    let error: FieldError
    let place: Place
  }
  private var temperatureOffset: Fraction?

  /// The samples and all ticks of a recording, as the file counts them; `nil` of a part, and of one that was damaged or not at
  /// its end.
  var samples: UInt64? { isOwn && !isPart && !isIncomplete ? statedSamples : nil }
  var ticks: UInt64? { isOwn && !isPart && !isIncomplete ? statedTicks : nil }

  /// Takes a fact by its name; one that is not needed is passed over.
  ///
  /// - Parameter place: Where it is in the file.
  mutating func take(_ name: String, _ text: String, at place: Place = 1) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 1, parts[0] == "imulog" else { return }
    let last = String(parts[parts.count - 1])
    switch parts.dropFirst().joined(separator: ".") {
    case "format": isOwn = true
    case "schema":
      guard let schema = Int64(text), schema > JSONWriter.schema else { return }
      refuse(
        "it is of schema \(schema), which a later version of imulog writes",
        "import it with that version", place)
    case "note":
      let text = EscapedLine.plain(text)
      take(note: text, at: place)
    case "started": started = value(RFC3339.nanoseconds(text), last, text, "date from 1678 to 2261")
    case "rate_hz": rate = value(SampleRate(stated: text), last, text, "rate in hertz")
    case "sensor.accelerometerRange_g": accelerometerRange = Int(text)
    case "sensor.gyroscopeRange_dps": gyroscopeRange = Int(text)
    case "sensor.accelerometerScale_g", "sensor.gyroscopeScale_dps", "sensor.temperatureScale_c":
      guard let ratio = ratio(last, text), ratio.numerator != 0 else { return }
      let group: Group =
        last.hasPrefix("a") ? .accelerometer : last.hasPrefix("g") ? .gyroscope : .temperature
      scales[group] = Scale(
        ratio: ratio, offset: group == .temperature ? temperatureOffset ?? .zero : .zero)
    case "sensor.temperatureOffset_c":
      guard let ratio = ratio(last, text) else { return }
      temperatureOffset = ratio
      scales[.temperature]?.offset = ratio
    case "ticks.sampled": statedSamples = UInt64(text)
    case "ticks.scheduled": statedTicks = UInt64(text)
    case "damage" where text != "0": takeIncomplete()
    case "range.from_ns", "range.to_ns", "resampled.rate_hz": isPart = true
    case "axes":
      notes.faults.append("its axes are left out: values are taken as they are in the file")
    case "calibration":
      notes.faults.append("its calibration is left out: values are taken as they are in the file")
    case "calibrated":
      notes.faults.append(
        "its values are calibrated already, which the new recording does not show: do not calibrate it again"
      )
    case "shift_ns": shift = Int64(text) ?? 0
    case "times":
      // As versions before `shift_ns` say it, in whole seconds.
      let words = text.parts(around: ", with ")?.after.split(separator: " ") ?? []
      if words.count == 3, words[1] == "s", let seconds = Int64(words[0]),
        seconds.magnitude < 1 << 32
      {
        shift = seconds * 1_000_000_000
      }
    case "marks", "labels", "marksAfterLastRow":
      notes.take(list: last == "labels" ? last : "marks", text, at: place)
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

  /// Takes the instant of time 0, in nanoseconds since 1970.
  mutating func take(started instant: Int64) { started = instant }

  /// Notes that the recording was damaged or not at its end.
  mutating func takeIncomplete() {
    guard !isIncomplete else { return }
    isIncomplete = true
    notes.faults.append(
      "the recording of the file was damaged or not at its end, which the new one does not show")
  }

  /// Notes that the file has only a part of its recording, or other samples.
  mutating func takePart() { isPart = true }

  /// - Throws: What makes the file unreadable.
  func check(_ file: String) throws(ImportError) {
    if let problem { throw problem.error.at(file, problem.place) }
  }

  private mutating func refuse(_ problem: String, _ remedy: String, _ place: Place) {
    if self.problem == nil {
      self.problem = Problem(error: FieldError(problem: problem, remedy: remedy), place: place)
    }
  }

  /// Takes the unit of a column; those of a group must agree.
  private mutating func takeUnit(_ column: String, _ text: String, _ place: Place) {
    guard let channel = ChannelSet.names.firstIndex(of: column) else { return }
    let group = Group(channel: channel)
    channels.insert(ChannelSet(rawValue: 1 << UInt8(channel)))
    guard let unit = Unit(word: text), unit.measures(group) else {
      return refuse(
        "the unit of \(column), \"\(FieldText.shown(text.utf8))\", is none that is known",
        "correct it, or state the unit with --units", place)
    }
    guard let other = units.updateValue(unit, forKey: group), other != unit else { return }
    refuse(
      "\(group.name) are in \(other.sign) and in \(unit.sign)",
      "give all columns of a sensor one unit", place)
  }

  private mutating func value<Value>(
    _ value: Value?, _ name: String, _ text: String, _ kind: String
  )
    -> Value?
  {
    if value == nil {
      notes.faults.append(
        "its \(name) \"\(FieldText.shown(text.utf8))\" is no \(kind), and is left out")
    }
    return value
  }

  /// A ratio as `61/1000000`.
  private mutating func ratio(_ name: String, _ text: String) -> Fraction? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let ratio =
      parts.count == 2
      ? Int64(parts[0]).flatMap { above in Int64(parts[1]).flatMap { Fraction(above, over: $0) } }
      : nil
    return value(ratio, name, text, "ratio of two whole numbers, such as 1/16384")
  }
}
