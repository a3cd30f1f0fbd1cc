// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore

/// What this program's document says beside its samples, and a new recording can keep.
///
///     "marks":[{"t_ns":250000000,"label":"jump"},…]
///     "labels":[{"from_ns":0,"to_ns":9,"name":"walk"},…]
///     "gaps":[{"t_ns":100000000,"tick":1,"count":2,"cause":"busError","errno":5},…]
///     "sensorEvents":[{"t_ns":100000000,"tick":1,"kind":"lost","fault":"bus"},…]
///
/// Items of another form are left out, which a remark says.
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
  /// Items, by their list, that no recording can have, or beyond the most that it can.
  private var refused: [String: Int] = [:]
  /// Items that lack a member or have one of another kind: how many, and the first one's number in the list.
  private var malformed: [String: Malformed] = [:]
  private struct Malformed: Equatable {
    let count: Int
    let first: Int
  }
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
    guard isTable || items["gaps"] != nil, refused["gaps"] == nil, malformed["gaps"] == nil else {
      return nil
    }
    return gaps.sorted { $0.gap.firstTick < $1.gap.firstTick }
  }

  /// Begins the list with this key.
  mutating func begin(_ key: String) { items[key] = items[key] ?? 0 }

  /// Takes an item of the list with this key that is of another form.
  mutating func takeOther(_ key: String) {
    items[key, default: 0] += 1
    refuseForm(key)
  }

  private mutating func refuseForm(_ key: String) {
    let first = malformed[key]?.first ?? items[key] ?? 1
    malformed[key] = Malformed(count: (malformed[key]?.count ?? 0) + 1, first: first)
  }

  private mutating func refuse(_ key: String) { refused[key, default: 0] += 1 }

  /// Takes an item of the list with this key.
  mutating func take(_ key: String, _ object: [UInt8]) {
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
      guard text.utf8.count <= ImportNotes.longestMark, marks.count < ImportNotes.most
      else { return refuse(key) }
      marks.append(Mark(time: time, label: text))
    case "labels":
      guard let from = numbers["from_ns"], let to = numbers["to_ns"], let name = texts["name"]
      else { return refuseForm(key) }
      guard labels.count < RecordingLabel.mostOfRecording else { return refuse(key) }
      do throws(LabelProblem) {
        labels.append(try .given(name, from: from, to: to))
      } catch {
        refuse(key)
      }
    case "gaps": takeGap(numbers, texts)
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
    guard gaps.count < ImportNotes.most else { return refuse("gaps") }
    var gap = gap
    gap.firstTick = samples.addingSaturated(gapTicks)
    gapTicks = gapTicks.addingSaturated(gap.count)
    gaps.append(ImportCauses.StatedGap(time: time, gap: gap, row: row))
  }

  /// Leaves gaps and events out: samples of one time have no place for them.
  mutating func refuseCauses() {
    if !gaps.isEmpty { refused["gaps", default: 0] += gaps.count }
    if !events.isEmpty { refused["sensorEvents", default: 0] += events.count }
    (gaps, events) = ([], [])
  }

  /// The number of gaps.
  var gapCount: Int { gaps.count }

  private mutating func takeGap(_ numbers: [String: Int64], _ texts: [String: String]) {
    guard let time = numbers["t_ns"], let tick = numbers["tick"], let count = numbers["count"],
      let name = texts["cause"]
    else { return refuseForm("gaps") }
    guard gaps.count < ImportNotes.most, let tick = UInt64(exactly: tick), count > 0,
      let code = Int32(exactly: numbers["errno"] ?? 0),
      let cause = GapCause(name: name)
    else { return refuse("gaps") }
    let gap = Gap(firstTick: tick, count: UInt64(count), cause: cause, code: code)
    gaps.append(ImportCauses.StatedGap(time: time, gap: gap))
  }

  private mutating func takeEvent(_ numbers: [String: Int64], _ texts: [String: String]) {
    guard let time = numbers["t_ns"], let tick = numbers["tick"], let kind = texts["kind"],
      let fault = texts["fault"]
    else { return refuseForm("sensorEvents") }
    guard events.count < ImportNotes.most, let tick = UInt64(exactly: tick),
      let kind = SensorEvent.Kind.allCases.first(where: { $0.name == kind }),
      let fault = SensorEvent.Fault.allCases.first(where: { $0.name == fault })
    else { return refuse("sensorEvents") }
    let event = SensorEvent(tick: tick, kind: kind, fault: fault)
    events.append(ImportCauses.StatedEvent(time: time, event: event))
  }

  private static let kinds = [
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
    for (key, one, several, members) in ImportNotes.kinds {
      if let count = refused[key] {
        remarks.append(
          "\(count) \(count == 1 ? one : several) of \(name) \(count == 1 ? "is" : "are") left out: no recording can have "
            + (count == 1 ? "it, or so many" : "them, or so many"))
      }
      if let malformed = malformed[key] {
        let (count, first) = (malformed.count, malformed.first)
        remarks.append(
          "\(count) \(count == 1 ? one : several) of \(name) \(count == 1 ? "is" : "are") left out: each needs \(members); the first "
            + "is item \(first) of \"\(key)\"")
      }
    }
    return remarks
  }
}
