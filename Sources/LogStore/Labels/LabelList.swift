// SPDX-License-Identifier: Apache-2.0

import Files
public import IMUModel
import Text

/// The labels of a recording, and the other lines of its file.
///
///     1b2c3d4e + 3000000000 8000000000 walking
///     9f00aa11 - 3000000000 8000000000 walking
///     5ac7be02 +3 3000000000 8000000000 walking
///     │        │ │          │          └ name, up to the line feed
///     │        │ │          └ end     ┐ nanoseconds since
///     │        │ └ beginning          ┘ tick 0's deadline
///     │        └ + adds, - removes; with its revision from the third on
///     └ CRC-32C of what follows the space, in hexadecimal
///
/// A line is never changed; removal is one more line. A line that passes its check and is neither of these is a later
/// version's, and skipped. A last line whose line feed is lost or damaged counts if it passes its check.
///
/// A label's revision counts its additions and removals: odd while it is there. The store with the higher one knows better.
public struct LabelList: Sendable {
  /// The labels in order.
  public var labels: [RecordingLabel] { present.sorted() }
  /// Their names, each once, in the order of their beginnings. Two spellings of one word are two names.
  public var names: [String] {
    var seen: Set<[UInt8]> = []
    return labels.map(\.name).filter { seen.insert(Array($0.utf8)).inserted }
  }
  /// How many lines fail their check, and the number of the first, from 1.
  public private(set) var damage: (count: Int, first: Int)?
  /// Bytes after the last whole line, cut off or damaged, including zeros at the end.
  public private(set) var cutBytes = 0
  private(set) var present: Set<RecordingLabel> = []
  /// Labels beyond the most that a recording has, which are not shown; only a file written by hand has them.
  private(set) var surplus: Set<RecordingLabel> = []
  /// Labels that are removed.
  public private(set) var removed: Set<RecordingLabel> = []
  private var revisions: [RecordingLabel: UInt64] = [:]
  /// Bytes of whole lines; what follows was never confirmed.
  private(set) var wholeByteCount = 0
  private(set) var isOpen = false
  /// Lines that are damaged or a later version's, verbatim.
  private var foreign: [UInt8] = []

  /// Whether whole lines are damaged, so that labels may be missing. What was cut off was never confirmed.
  public var isDamaged: Bool { damage != nil }

  /// A remark about labels that cannot be read or are too many; `nil` when all are shown.
  public var damageSentence: String? {
    var parts: [String] = []
    if let damage {
      parts.append(
        damage.count == 1
          ? "line \(damage.first) of its labels is damaged and left out"
          : "\(damage.count) lines of its labels are damaged and left out, the first is line \(damage.first)"
      )
    }
    if cutBytes > 0 {
      parts.append(
        "its file of labels ends in \(Plain.count(cutBytes, "byte")) without a whole line, left out"
      )
    }
    if !surplus.isEmpty {
      parts.append(
        "\(Plain.count(surplus.count, "label")) beyond the \(RecordingLabel.mostOfRecording) of a recording left out"
      )
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// No labels.
  public init() {}

  /// Reads a file's bytes, any bytes.
  package init(_ bytes: some Collection<UInt8>) {
    var number = 0
    var rest = Array(bytes)[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      number += 1
      if !add(rest[..<end]) {
        damage = (count: (damage?.count ?? 0) + 1, first: damage?.first ?? number)
        foreign += rest[...end]
      }
      wholeByteCount += end - rest.startIndex + 1
      rest = rest[(end + 1)...]
    }
    let length = (rest.lastIndex { $0 != 0 } ?? rest.startIndex - 1) + 1 - rest.startIndex
    // The next line's writer puts a line feed in the place of a damaged one.
    if let end = [length, length - 1].first(where: { $0 > 0 && add(rest.prefix($0)) }) {
      wholeByteCount += end
      isOpen = true
    } else {
      cutBytes = rest.count
    }
    guard present.count > RecordingLabel.mostOfRecording else { return }
    let all = labels
    present = Set(all.prefix(RecordingLabel.mostOfRecording))
    surplus = Set(all.dropFirst(RecordingLabel.mostOfRecording))
  }

  /// - Returns: Whether the line passes its check.
  private mutating func add(_ line: ArraySlice<UInt8>) -> Bool {
    guard let text = CheckedLine.text(of: line) else { return false }
    let words = text.split(
      separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
    guard words.count == 4, let change = LabelList.change(words[0]),
      let from = LabelList.number(words[1]), let to = LabelList.number(words[2])
    else {
      keep(line)
      return true
    }
    let label: RecordingLabel
    do throws(LabelProblem) {
      // A repaired name would be another one.
      guard let name = String(validating: words[3], as: UTF8.self) else { return false }
      label = try RecordingLabel(name, from: from, to: to)
    } catch {
      // A later version may accept the name.
      keep(line)
      return true
    }
    let known = revision(of: label)
    let next = max(known, change.revision ?? revision(of: label, adding: change.isAdding))
    revisions[label] = next
    present.remove(label)
    removed.remove(label)
    if next % 2 == 1 { present.insert(label) } else { removed.insert(label) }
    return true
  }

  /// A label's revision; 0 for an unknown one.
  public func revision(of label: RecordingLabel) -> UInt64 { revisions[label] ?? 0 }

  /// A label's revision after it is added or removed here.
  func revision(of label: RecordingLabel, adding isAdding: Bool) -> UInt64 {
    let known = revision(of: label)
    if known == 0 { return isAdding ? 1 : 2 }
    return known % 2 == (isAdding ? 1 : 0) ? known : known + 1
  }

  /// `+` or `-`, alone or before a revision that fits it.
  private static func change(
    _ word: ArraySlice<UInt8>
  ) -> (isAdding: Bool, revision: UInt64?)? {
    guard let sign = word.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
      return nil
    }
    let isAdding = sign == UInt8(ascii: "+")
    guard word.count > 1 else { return (isAdding, nil) }
    guard let revision = UInt64(String(decoding: word.dropFirst(), as: UTF8.self)),
      revision <= LabelChange.last, revision % 2 == (isAdding ? 1 : 0), revision > 0
    else { return nil }
    return (isAdding, revision)
  }

  private mutating func keep(_ line: ArraySlice<UInt8>) {
    foreign += line
    foreign.append(UInt8(ascii: "\n"))
  }

  /// The file's contents without changes that later ones replaced.
  package var compacted: [UInt8] {
    lines + (surplus.sorted() + removed.sorted()).flatMap { LabelList.line(change($0)) } + foreign
  }

  /// The lines of a new file with these labels, determined by labels and revisions.
  public var lines: [UInt8] { labels.flatMap { LabelList.line(change($0)) } }

  private func change(_ label: RecordingLabel) -> LabelChange {
    LabelChange(label, revision: revision(of: label))
  }

  /// The line of a change, with its line feed.
  static func line(_ change: LabelChange) -> [UInt8] {
    let (label, revision) = (change.label, change.revision)
    let sign = change.isRemoval ? "-" : "+"
    let text = Array(
      "\(sign)\(revision > 2 ? "\(revision)" : "") \(label.from) \(label.to) \(label.name)".utf8)
    return CheckedLine.line(text)
  }

  private static func number(_ word: ArraySlice<UInt8>) -> Int64? {
    Int64(String(decoding: word, as: UTF8.self))
  }
}
