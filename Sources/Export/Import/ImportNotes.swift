// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore

/// What this program's document says beside its samples, and a new recording can keep: marks and labels.
///
///     "marks":[{"t_ns":250000000,"label":"jump"},…]      "gaps":[{…,"cause":"missed"},…]
///     "labels":[{"from_ns":0,"to_ns":9,"name":"walk"},…]  "sensorEvents":[{…},…]
///
/// An imported recording has ticks that are lost and no chip, so that the causes of gaps and the events of a chip are
/// counted for a remark. Items of another form are passed over.
struct ImportNotes: Equatable {
  /// The lists that are read.
  static let keys: Set = ["marks", "labels", "gaps", "sensorEvents"]
  /// The most bytes of a mark's text in a log.
  private static let longestMark = 200

  private(set) var marks: [Mark] = []
  private(set) var labels: [RecordingLabel] = []
  /// Marks and labels that no recording can have, or beyond the most that it can.
  private var refused = 0
  /// Gaps of another cause than `lost`, and sensor events.
  private var causes = 0
  private var events = 0

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
      guard text.utf8.count <= ImportNotes.longestMark, marks.count < RecordingNotes.markLimit
      else { return refused += 1 }
      marks.append(Mark(time: time, label: text))
    case "labels":
      guard let from = numbers["from_ns"], let to = numbers["to_ns"], let name = texts["name"]
      else { return }
      guard labels.count < RecordingLabel.mostOfRecording else { return refused += 1 }
      do throws(LabelProblem) {
        labels.append(try RecordingLabel(name, from: from, to: to))
      } catch {
        refused += 1
      }
    case "gaps": if let cause = texts["cause"], cause != GapCause.lost.name { causes += 1 }
    default: events += 1
    }
  }

  /// What is left out.
  func remarks(_ name: String) -> [String] {
    var words: [String] = []
    if causes > 0 {
      words.append(causes == 1 ? "the cause of 1 gap" : "the causes of \(causes) gaps")
    }
    if events > 0 { words.append("\(events) sensor \(events == 1 ? "event" : "events")") }
    var remarks: [String] = []
    if !words.isEmpty {
      remarks.append(
        "\(words.joined(separator: " and ")) of \(name) left out: an imported recording has no chip, and its gaps are lost ticks"
      )
    }
    if refused > 0 {
      remarks.append(
        "\(refused) marks or labels of \(name) left out: they are too long, empty, or more than a recording has"
      )
    }
    return remarks
  }
}
