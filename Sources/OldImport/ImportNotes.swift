// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import Text

/// What this program's document says beside its samples, and a new recording can keep.
///
///     "marks":[{"t_ns":250000000,"label":"jump"},…]
///     "labels":[{"from_ns":0,"to_ns":9,"name":"walk"},…]
///     "gaps":[{"t_ns":100000000,"tick":1,"count":2,"cause":"busError","errno":5},…]
///     "sensorEvents":[{"t_ns":100000000,"tick":1,"kind":"lost","fault":"bus"},…]
///
/// Items of another form, and what is no list, are left out, which a remark says.
struct ImportNotes: Equatable {
  /// The lists that are read.
  static let keys: Set = ["marks", "labels", "gaps", "sensorEvents"]
  /// The most bytes of a mark's text in a log.
  private static let longestMark = 200
  /// The most items of a list that are kept in memory.
  private static var most: Int { RecordingNotes.markLimit }

  private(set) var marks: [Mark] = []
  private(set) var labels: [RecordingLabel] = []
  private var gaps: [ImportCauses.StatedGap] = []
  private var events: [ImportCauses.StatedEvent] = []
  /// The lists that were there, and their items so far.
  private var items: [String: Int] = [:]
  /// Items, by their list, that no recording can have: how many, and of the first one its number in the list and why.
  private var refused: [String: Refusal] = [:]
  private struct Refusal: Equatable {
    var count: Int
    let first: Int?
    let why: String
  }
  /// Keys of lists that had another value.
  private var unlisted: Set<String> = []
  /// Ticks of all gaps in rows so far.
  private var gapTicks: UInt64 = 0

  /// The gaps and events, for the samples.
  ///
  /// - Parameter origin: The tick of the first sample, if the ticks of gaps are those of the samples.
  func causes(from origin: UInt64?) -> ImportCauses {
    ImportCauses(gaps, events, origin: origin)
  }

  /// All gaps in the order of ticks; `nil` when some are not known.
  ///
  /// - Parameter isTable: Whether gaps have rows.
  func statedGaps(isTable: Bool) -> [ImportCauses.StatedGap]? {
    guard isTable || items["gaps"] != nil, refused["gaps"] == nil else { return nil }
    return gaps.sorted { $0.gap.firstTick < $1.gap.firstTick }
  }

  /// Begins the list with this key.
  mutating func begin(_ key: String) { items[key] = items[key] ?? 0 }

  /// Takes a value that is no list, where the one with this key should be.
  mutating func takeUnlisted(_ key: String) { unlisted.insert(key) }

  /// Takes an item of the list with this key that is of another form.
  mutating func takeOther(_ key: String) {
    items[key, default: 0] += 1
    refuseForm(key)
  }

  private mutating func refuseForm(_ key: String) {
    let members = ImportNotes.kinds.first { $0.key == key }?.members ?? ""
    refuse(key, "each needs \(members)")
  }

  /// Leaves out the item that was read last.
  private mutating func refuse(_ key: String, _ why: @autoclosure () -> String) {
    if refused[key] == nil { refused[key] = Refusal(count: 0, first: items[key], why: why()) }
    refused[key]?.count += 1
  }

  private static func tooMany(_ most: Int) -> String { "a recording has at most \(most)" }

  /// Takes an item of the list with this key.
  ///
  /// - Parameter place: Where it begins in the file.
  mutating func take(_ key: String, _ object: [UInt8], at place: ImportPlace) {
    items[key, default: 0] += 1
    var json = JSONReader(object)
    var texts: [String: String] = [:]
    var numbers: [String: Int64] = [:]
    do throws(JSONReader.Failure) {
      guard try json.enterObject() else { return refuseForm(key) }
      while let member = try json.nextKey() {
        switch try json.kind() {
        case .string: texts[member.text] = try json.string()
        case .number: numbers[member.text] = try json.integer()
        default: try json.skip()
        }
      }
    } catch {
      return refuseForm(key)
    }
    switch key {
    case "marks":
      guard let time = numbers["t_ns"], let text = texts["label"] else {
        return refuseForm(key)
      }
      guard RecordingTime.contains(time) else {
        return refuse(key, "its time is 146 years or more away")
      }
      guard text.utf8.count <= ImportNotes.longestMark else {
        return refuse(key, "its text is longer than \(ImportNotes.longestMark) bytes")
      }
      guard marks.count < ImportNotes.most else {
        return refuse(key, ImportNotes.tooMany(ImportNotes.most))
      }
      marks.append(Mark(time: time, label: text))
    case "labels":
      guard let from = numbers["from_ns"], let to = numbers["to_ns"], let name = texts["name"]
      else { return refuseForm(key) }
      guard labels.count < RecordingLabel.mostOfRecording else {
        return refuse(key, ImportNotes.tooMany(RecordingLabel.mostOfRecording))
      }
      do throws(LabelProblem) {
        labels.append(try .given(name, from: from, to: to))
      } catch {
        refuse(key, "\(error)")
      }
    case "gaps": takeGap(numbers, texts, place)
    default: takeEvent(numbers, texts)
    }
  }

  /// Takes the gap of a row between samples.
  ///
  /// - Parameters:
  ///   - row: Where it is, and its time.
  ///   - time: That of the sample before it; `Int64.min` if there is none.
  ///   - samples: The samples before it.
  mutating func take(
    _ gap: Gap, in row: ImportCauses.StatedGap.Row, after time: Int64, samples: UInt64
  ) {
    guard gaps.count < ImportNotes.most else {
      return refuse("gaps", ImportNotes.tooMany(ImportNotes.most))
    }
    var gap = gap
    gap.firstTick = samples.addingSaturated(gapTicks)
    gapTicks = gapTicks.addingSaturated(gap.count)
    gaps.append(ImportCauses.StatedGap(time: time, gap: gap, row: row))
  }

  /// Leaves gaps and events out: samples of one time have no place for them.
  mutating func refuseCauses() {
    for (key, count) in [("gaps", gaps.count), ("sensorEvents", events.count)] where count > 0 {
      let before = refused[key]
      refused[key] = Refusal(
        count: count + (before?.count ?? 0), first: before?.first,
        why: before?.why ?? "all samples have one time, which has no place for them")
    }
    (gaps, events) = ([], [])
  }

  /// The number of gaps.
  var gapCount: Int { gaps.count }

  private mutating func takeGap(
    _ numbers: [String: Int64], _ texts: [String: String], _ place: ImportPlace
  ) {
    guard let time = numbers["t_ns"], let tick = numbers["tick"], let count = numbers["count"],
      let name = texts["cause"]
    else { return refuseForm("gaps") }
    guard gaps.count < ImportNotes.most else {
      return refuse("gaps", ImportNotes.tooMany(ImportNotes.most))
    }
    guard let tick = UInt64(exactly: tick) else { return refuse("gaps", "its tick is below 0") }
    guard count > 0 else { return refuse("gaps", "its count is not above 0") }
    guard let code = Int32(exactly: numbers["errno"] ?? 0) else {
      return refuse("gaps", "its errno is no error's number")
    }
    guard let cause = GapCause(name: name) else {
      let causes = GapCause.allCases.map(\.name).joined(separator: ", ")
      return refuse("gaps", "its cause is none of \(causes)")
    }
    let gap = Gap(firstTick: tick, count: UInt64(count), cause: cause, code: code)
    var place = place
    place.gap = items["gaps"]
    let row = ImportCauses.StatedGap.Row(place: place, time: time)
    gaps.append(ImportCauses.StatedGap(time: time, gap: gap, row: row))
  }

  private mutating func takeEvent(_ numbers: [String: Int64], _ texts: [String: String]) {
    guard let time = numbers["t_ns"], let tick = numbers["tick"], let kind = texts["kind"],
      let fault = texts["fault"]
    else { return refuseForm("sensorEvents") }
    guard events.count < ImportNotes.most else {
      return refuse("sensorEvents", ImportNotes.tooMany(ImportNotes.most))
    }
    guard let tick = UInt64(exactly: tick) else {
      return refuse("sensorEvents", "its tick is below 0")
    }
    guard let kind = SensorEvent.Kind.allCases.first(where: { $0.name == kind }),
      let fault = SensorEvent.Fault.allCases.first(where: { $0.name == fault })
    else { return refuse("sensorEvents", "its kind or its fault is none that is known") }
    let event = SensorEvent(tick: tick, kind: kind, fault: fault)
    events.append(ImportCauses.StatedEvent(time: time, event: event))
  }

  private static let kinds: [(key: String, one: String, several: String, members: String)] = [
    ("marks", "mark", "marks", "the time t_ns and the text label"),
    ("labels", "label", "labels", "the times from_ns and to_ns and the text name"),
    ("gaps", "gap", "gaps", "t_ns, tick, count and cause"),
    ("sensorEvents", "sensor event", "sensor events", "t_ns, tick, kind and fault"),
  ]

  /// What is left out.
  ///
  /// - Parameter unplaced: Gaps whose cause could not be kept.
  func remarks(_ name: String, unplaced: Int) -> [String] {
    var remarks: [String] = []
    if unplaced > 0 {
      remarks.append(
        "\(unplaced == 1 ? "the cause of 1 gap" : "the causes of \(unplaced) gaps") of \(name) \(unplaced == 1 ? "is" : "are") "
          + "left out: the samples have no such hole there")
    }
    for (key, one, several, _) in ImportNotes.kinds {
      if unlisted.contains(key) {
        remarks.append("\(several) of \(name) are left out: \"\(key)\" is no list")
      }
      guard let refusal = refused[key] else { continue }
      let count = refusal.count
      let place = refusal.first.map { ", the first as item \($0) of \"\(key)\"" } ?? ""
      remarks.append(
        "\(count) \(count == 1 ? one : several) of \(name) \(count == 1 ? "is" : "are") left out\(place): "
          + refusal.why)
    }
    return remarks
  }
}
