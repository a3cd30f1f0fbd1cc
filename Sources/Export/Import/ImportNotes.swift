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
/// Items of another form are passed over.
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
  /// Items that no recording can have, or beyond the most that it can.
  private var refused = 0

  /// The gaps and events, for the samples.
  var causes: ImportCauses { ImportCauses(gaps, events) }

  /// Takes an item of the list with this key.
  mutating func take(_ key: String, _ object: [UInt8]) {
    var json = JSONReader(object)
    var texts: [String: String] = [:]
    var numbers: [String: Int64] = [:]
    do throws(JSONReader.Failure) {
      guard try json.enterObject() else { return }
      while let member = try json.nextKey() {
        switch try json.kind() {
        case .string: texts[member.text] = try json.string()
        case .number: numbers[member.text] = try json.integer()
        default: try json.skip()
        }
      }
    } catch {
      // The rows' reader finds what is wrong with the document.
      return
    }
    switch key {
    case "marks":
      guard let time = numbers["t_ns"], let text = texts["label"] else { return }
      guard text.utf8.count <= ImportNotes.longestMark, marks.count < ImportNotes.most
      else { return refused += 1 }
      marks.append(Mark(time: time, label: text))
    case "labels":
      guard let from = numbers["from_ns"], let to = numbers["to_ns"], let name = texts["name"]
      else { return }
      guard labels.count < RecordingLabel.mostOfRecording else { return refused += 1 }
      do throws(LabelProblem) {
        labels.append(try .given(name, from: from, to: to))
      } catch {
        refused += 1
      }
    case "gaps": takeGap(numbers, texts)
    default: takeEvent(numbers, texts)
    }
  }

  /// Takes the gap of a row between samples.
  ///
  /// - Parameter time: That of the sample before it; `Int64.min` if there is none.
  mutating func take(_ gap: Gap, after time: Int64) {
    guard gaps.count < ImportNotes.most else { return refused += 1 }
    var gap = gap
    // Only the order counts.
    gap.firstTick = UInt64(gaps.count)
    gaps.append(ImportCauses.StatedGap(time: time, gap: gap))
  }

  /// Leaves gaps and events out: samples of one time have no place for them.
  mutating func refuseCauses() {
    refused += gaps.count + events.count
    (gaps, events) = ([], [])
  }

  /// The number of gaps.
  var gapCount: Int { gaps.count }

  private mutating func takeGap(_ numbers: [String: Int64], _ texts: [String: String]) {
    guard let time = numbers["t_ns"], let tick = numbers["tick"], let count = numbers["count"],
      let name = texts["cause"]
    else { return }
    guard gaps.count < ImportNotes.most, let tick = UInt64(exactly: tick), count > 0,
      let code = Int32(exactly: numbers["errno"] ?? 0),
      let cause = GapCause.allCases.first(where: { $0.name == name })
    else { return refused += 1 }
    let gap = Gap(firstTick: tick, count: UInt64(count), cause: cause, code: code)
    gaps.append(ImportCauses.StatedGap(time: time, gap: gap))
  }

  private mutating func takeEvent(_ numbers: [String: Int64], _ texts: [String: String]) {
    guard let time = numbers["t_ns"], let tick = numbers["tick"], let kind = texts["kind"],
      let fault = texts["fault"]
    else { return }
    guard events.count < ImportNotes.most, let tick = UInt64(exactly: tick),
      let kind = SensorEvent.Kind.allCases.first(where: { $0.name == kind }),
      let fault = SensorEvent.Fault.allCases.first(where: { $0.name == fault })
    else { return refused += 1 }
    let event = SensorEvent(tick: tick, kind: kind, fault: fault)
    events.append(ImportCauses.StatedEvent(time: time, event: event))
  }

  /// What is left out.
  ///
  /// - Parameter unplaced: Gaps whose cause could not be kept.
  func remarks(_ name: String, unplaced: Int) -> [String] {
    var remarks: [String] = []
    if unplaced > 0 {
      remarks.append(
        "\(unplaced == 1 ? "the cause of 1 gap" : "the causes of \(unplaced) gaps") of \(name) left out: the samples "
          + "have no such hole there")
    }
    if refused > 0 {
      remarks.append(
        "\(refused) marks, labels, gaps or sensor events of \(name) left out: no recording can have them, or so many"
      )
    }
    return remarks
  }
}
