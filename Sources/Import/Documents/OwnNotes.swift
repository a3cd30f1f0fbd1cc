// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// What this program's document says beside its samples, and a new recording can keep.
///
///     "marks":[{"t_ns":250000000,"label":"jump"},…]
///     "labels":[{"from_ns":0,"to_ns":9,"name":"walk"},…]
///     "gaps":[{"t_ns":100000000,"tick":1,"count":2,"cause":"busError","errno":5},…]
///     "sensorEvents":[{"t_ns":100000000,"tick":1,"kind":"lost","fault":"bus"},…]
///
/// Leaves out items of another form, and anything but a list, and remarks on it.
struct OwnNotes: Equatable, Sendable {
  /// The most bytes of a mark's text, and the most items of a list, that are kept.
  private static let (longestMark, most) = (200, 20_000)

  private(set) var marks: [Mark] = []
  private(set) var labels: [RecordingLabel] = []
  private(set) var events: [SensorEvent] = []
  private var allGaps: [Gap] = []
  /// Items so far, by the list's key.
  private var items: [String: Int] = [:]
  /// Items, by their list, that no recording can have: how many, and of the first one its number in the list and why.
  private var refused: [String: Refusal] = [:]
  private struct Refusal: Equatable {
    var count = 0
    let first: Int
    let why: String
  }
  /// What is left out of the facts: clauses.
  var faults: [String] = []

  /// The lists that are read, the name of an item, and what each needs.
  private static let kinds = [
    ("marks", "mark", "the time t_ns and the text label"),
    ("labels", "label", "the times from_ns and to_ns and the text name"),
    ("gaps", "gap", "t_ns, tick, count and cause"),
    ("sensorEvents", "sensor event", "t_ns, tick, kind and fault"),
  ]
  static let keys = Set(kinds.map(\.0))

  /// All gaps in the order of ticks, which count from the recording's first; `nil` where the file does not state all.
  var gaps: [Gap]? {
    guard items["gaps"] != nil, refused["gaps"] == nil else { return nil }
    return allGaps.sorted { $0.firstTick < $1.firstTick }
  }

  /// What is left out: clauses.
  var leftOut: [String] {
    faults
      + OwnNotes.kinds.compactMap { key, noun, _ in
        refused[key].map { refusal in
          let place = refusal.first > 0 ? ", the first as item \(refusal.first) of \"\(key)\"" : ""
          return
            "\(Plain.count(refusal.count, noun)) \(refusal.count == 1 ? "is" : "are") left out\(place): \(refusal.why)"
        }
      }
  }

  /// Begins the list with this key, or takes another value that is there instead.
  mutating func begin(_ key: String, isList: Bool) {
    if isList { return items[key] = items[key] ?? 0 }
    faults.append("\"\(key)\" is no list, and is left out")
    // Without them the file does not state that nothing is missing.
    refused[key] = nil
  }

  /// Takes a list as text.
  mutating func take(list key: String, _ text: String, at place: Place) {
    var json = JSONReader(Array(text.utf8))
    do throws(JSONReader.Failure) {
      guard try json.enterList() else { return begin(key, isList: false) }
      begin(key, isList: true)
      while try json.nextElement() { try take(key, &json) }
    } catch {
      refuse(key, OwnNotes.form(key))
    }
  }

  /// Takes an item of the list with this key.
  mutating func take(_ key: String, _ object: [UInt8]) {
    var json = JSONReader(object)
    do throws(JSONReader.Failure) { try take(key, &json) } catch { refuse(key, OwnNotes.form(key)) }
  }

  /// Takes a label as text, such as `3s..8s walking`.
  mutating func take(label text: String) {
    items["labels", default: 0] += 1
    guard let (from, rest) = text.parts(around: ".."), let (to, name) = rest.parts(around: " "),
      let from = SpanText.time(String(from)), let to = SpanText.time(String(to))
    else { return refuse("labels", OwnNotes.form("labels")) }
    add(label: String(name), from, to)
  }

  /// Takes a mark of a row or a message.
  mutating func take(mark text: String, at time: Int64) {
    items["marks", default: 0] += 1
    add(mark: text, time)
  }

  private static func form(_ key: String) -> String {
    "each needs \(kinds.first { $0.0 == key }?.2 ?? "")"
  }

  /// Leaves out the item that was read last.
  private mutating func refuse(_ key: String, _ why: @autoclosure () -> String) {
    if refused[key] == nil { refused[key] = Refusal(first: items[key] ?? 0, why: why()) }
    refused[key]?.count += 1
  }

  private mutating func take(_ key: String, _ json: inout JSONReader) throws(JSONReader.Failure) {
    items[key, default: 0] += 1
    guard try json.kind() == .object, try json.enterObject() else {
      refuse(key, OwnNotes.form(key))
      return try json.skip()
    }
    var (texts, numbers): ([String: String], [String: Int64]) = ([:], [:])
    while let member = try json.nextKey() {
      switch try json.kind() {
      case .string: texts[member.text] = try json.string()
      case .number: numbers[member.text] = try json.integer()
      default: try json.skip()
      }
    }
    switch key {
    case "marks":
      guard let time = numbers["t_ns"], let text = texts["label"] else { break }
      return add(mark: text, time)
    case "labels":
      guard let from = numbers["from_ns"], let to = numbers["to_ns"], let name = texts["name"]
      else { break }
      return add(label: name, from, to)
    case "gaps":
      guard let tick = numbers["tick"], let count = numbers["count"], let name = texts["cause"]
      else { break }
      return add(gap: name, tick, count, numbers["errno"] ?? 0)
    default:
      guard let tick = numbers["tick"], let kind = texts["kind"], let fault = texts["fault"]
      else { break }
      return add(event: kind, fault, tick)
    }
    refuse(key, OwnNotes.form(key))
  }

  private mutating func add(mark text: String, _ time: Int64) {
    if !RecordingTime.contains(time) {
      return refuse("marks", "its time is 146 years or more away")
    }
    if text.utf8.count > OwnNotes.longestMark {
      return refuse("marks", "its text is longer than \(OwnNotes.longestMark) bytes")
    }
    if marks.count == OwnNotes.most { return refuse("marks", "\(OwnNotes.most) are kept") }
    // In the order of times: those of rows come after those of the facts.
    let place = marks.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
    marks.insert(Mark(time: time, label: text), at: place)
  }

  private mutating func add(label name: String, _ from: Int64, _ to: Int64) {
    if labels.count == RecordingLabel.mostOfRecording {
      return refuse("labels", "a recording has at most \(RecordingLabel.mostOfRecording)")
    }
    do throws(LabelProblem) {
      labels.append(try .given(name, from: from, to: to))
    } catch {
      refuse("labels", "\(error)")
    }
  }

  private mutating func add(gap name: String, _ tick: Int64, _ count: Int64, _ code: Int64) {
    guard let tick = UInt64(exactly: tick), count > 0, let code = Int32(exactly: code) else {
      return refuse("gaps", "its tick, count or errno is beyond those of a log")
    }
    guard let cause = GapCause(name: name) else {
      let causes = GapCause.allCases.map(\.name).joined(separator: ", ")
      return refuse("gaps", "its cause is none of \(causes)")
    }
    if allGaps.count == OwnNotes.most { return refuse("gaps", "\(OwnNotes.most) are kept") }
    allGaps.append(Gap(firstTick: tick, count: UInt64(count), cause: cause, code: code))
  }

  private mutating func add(event kind: String, _ fault: String, _ tick: Int64) {
    guard let tick = UInt64(exactly: tick),
      let kind = SensorEvent.Kind.allCases.first(where: { $0.name == kind }),
      let fault = SensorEvent.Fault.allCases.first(where: { $0.name == fault })
    else { return refuse("sensorEvents", "its tick, kind or fault is none that is known") }
    if events.count == OwnNotes.most { return refuse("sensorEvents", "\(OwnNotes.most) are kept") }
    events.append(SensorEvent(tick: tick, kind: kind, fault: fault))
  }
}
