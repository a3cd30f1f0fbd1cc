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
/// Items of another form, and those for which a log has no room, are counted and left out.
struct OwnNotes: Equatable, Sendable {
  /// The most bytes of a mark's text, and the most items of a list, that are kept.
  private static let (longestMark, most) = (200, 20_000)
  static let keys: Set = ["marks", "labels", "gaps", "sensorEvents"]

  private(set) var marks: [Mark] = []
  private(set) var labels: [RecordingLabel] = []
  private(set) var events: [SensorEvent] = []
  private var allGaps: [Gap] = []
  /// Items that are left out, by the list's key, of each list that was there.
  private var refused: [String: UInt64] = [:]
  /// What is left out of the facts: clauses.
  var faults: [String] = []

  /// All gaps in the order of ticks, which count from the recording's first; `nil` where the file does not state all.
  var gaps: [Gap]? { refused["gaps"] == 0 ? allGaps.sorted { $0.firstTick < $1.firstTick } : nil }

  var leftOut: [String] {
    faults
      + refused.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { key, count in
        "items of \"\(key)\" that are not whole, or beyond what a log holds, are left out: \(count)"
      }
  }

  mutating func begin(_ key: String) { refused[key] = refused[key] ?? 0 }

  mutating func take(list key: String, _ text: String) {
    var json = JSONReader(Array(text.utf8))
    do throws(JSONReader.Failure) {
      begin(key)
      guard try json.enterList() else { return }
      while try json.nextElement() { try take(key, &json) }
    } catch {
      refused[key, default: 0] += 1
    }
  }

  mutating func take(_ key: String, _ object: [UInt8]) {
    var json = JSONReader(object)
    do throws(JSONReader.Failure) { try take(key, &json) } catch { refused[key, default: 0] += 1 }
  }

  /// Takes a label as text, such as `3s..8s walking`.
  mutating func take(label text: String) {
    guard let (from, rest) = text.parts(around: ".."), let (to, name) = rest.parts(around: " "),
      let from = SpanText.time(String(from)), let to = SpanText.time(String(to))
    else { return take("labels", [:], [:]) }
    take("labels", ["name": String(name)], ["from_ns": from, "to_ns": to])
  }

  mutating func take(mark text: String, at time: Int64) {
    take("marks", ["label": text], ["t_ns": time])
  }

  private mutating func take(_ key: String, _ json: inout JSONReader) throws(JSONReader.Failure) {
    var (texts, numbers): ([String: String], [String: Int64]) = ([:], [:])
    if try json.kind() != .object {
      try json.skip()
    } else if try json.enterObject() {
      while let member = try json.nextKey() {
        switch try json.kind() {
        case .string: texts[member.text] = try json.string()
        case .number: numbers[member.text] = try json.integer()
        default: try json.skip()
        }
      }
    }
    take(key, texts, numbers)
  }

  private mutating func take(
    _ key: String, _ texts: [String: String], _ numbers: [String: Int64]
  ) {
    if !add(key, texts, numbers) { refused[key, default: 0] += 1 }
  }

  /// Whether an item is whole and a log has room for it; it is then taken.
  private mutating func add(_ key: String, _ texts: [String: String], _ numbers: [String: Int64])
    -> Bool
  {
    let tick = numbers["tick"].flatMap { UInt64(exactly: $0) }
    switch key {
    case "marks":
      guard let time = numbers["t_ns"], let text = texts["label"],
        RecordingTime.contains(time), text.utf8.count <= OwnNotes.longestMark,
        marks.count < OwnNotes.most
      else { return false }
      // In the order of times: marks in facts are read before marks in rows.
      let place = marks.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
      marks.insert(Mark(time: time, label: text), at: place)
    case "labels":
      guard let from = numbers["from_ns"], let to = numbers["to_ns"], let name = texts["name"],
        labels.count < RecordingLabel.mostOfRecording
      else { return false }
      do throws(LabelProblem) {
        labels.append(try .given(name, from: from, to: to))
      } catch {
        return false
      }
    case "gaps":
      guard let tick, let count = numbers["count"], count > 0, allGaps.count < OwnNotes.most,
        let code = Int32(exactly: numbers["errno"] ?? 0),
        let cause = texts["cause"].flatMap(GapCause.init(name:))
      else { return false }
      allGaps.append(Gap(firstTick: tick, count: UInt64(count), cause: cause, code: code))
    default:
      guard let tick, events.count < OwnNotes.most,
        let kind = SensorEvent.Kind.allCases.first(where: { $0.name == texts["kind"] }),
        let fault = SensorEvent.Fault.allCases.first(where: { $0.name == texts["fault"] })
      else { return false }
      events.append(SensorEvent(tick: tick, kind: kind, fault: fault))
    }
    return true
  }
}
