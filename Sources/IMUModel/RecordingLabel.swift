// SPDX-License-Identifier: Apache-2.0

import Text

/// A name for a stretch of a recording, such as `walking`.
///
///     time   0 s        3 s                  8 s
///     label             [ walking            )
public struct RecordingLabel: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// 1 to ``longestName`` bytes of UTF-8.
  public let name: String
  /// The first instant inside, in nanoseconds since tick 0's deadline, as the times of samples.
  public let from: Int64
  /// The first instant after it, above ``from``.
  public let to: Int64

  /// The most bytes of a name.
  public static let longestName = 60
  /// The most labels of a recording: together they need less than 64 KiB in a row of a table.
  public static let mostOfRecording = 1000

  /// A label; throws ``LabelProblem`` for an invalid name or an empty stretch.
  public init(_ name: String, from: Int64, to: Int64) throws(LabelProblem) {
    if let flaw = RecordingLabel.flaw(of: name) { throw .name(name, flaw: flaw) }
    guard from < to else { throw .empty(from: from, to: to) }
    (self.name, self.from, self.to) = (name, from, to)
  }

  /// A label that a person gives: its name must also be all UTF-8, and nothing that a spreadsheet reads as a formula. Labels
  /// in a store may have such names, and are read as they are.
  public static func given(
    _ name: String, from: Int64, to: Int64
  ) throws(LabelProblem) -> RecordingLabel {
    let label = try RecordingLabel(name, from: from, to: to)
    if let flaw = label.flawAsGiven { throw .name(name, flaw: flaw) }
    return label
  }

  /// Whether ``given(_:from:to:)`` accepts it, as labels from another machine must be.
  public var isGivable: Bool { flawAsGiven == nil }

  private var flawAsGiven: String? {
    if let first = name.unicodeScalars.first(where: { !RecordingLabel.isBlank($0) }),
      "=+-@\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains(first)
    {
      return "begins with \(first), which spreadsheets take for a formula"
    }
    if name.unicodeScalars.allSatisfy(RecordingLabel.isBlank) { return "has no visible character" }
    if let first = name.unicodeScalars.first, let last = name.unicodeScalars.last,
      RecordingLabel.isBlank(first) || RecordingLabel.isBlank(last)
    {
      return "begins or ends with a space"
    }
    // The replacement for bytes that were not UTF-8, as a command line may have them.
    return name.unicodeScalars.contains("\u{FFFD}") ? "is not all UTF-8" : nil
  }

  /// Whether a character is invisible: spaces, and empty letters and signs.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0: true
    default: scalar.properties.generalCategory == .spaceSeparator
    }
  }

  /// Whether it is all within a recording, whose end is `nil` while it is being written.
  public func isWithin(first: Int64, end: Int64?) -> Bool {
    from >= first && end.map { from < $0 && to <= $0 } ?? true
  }

  /// What makes a name unusable; `nil` for a usable one. Tables join the names at one instant with `;` and write them
  /// between quotes, so those are excluded.
  private static func flaw(of name: String) -> String? {
    if name.isEmpty { return "is empty" }
    if name.utf8.count > longestName { return "has more than \(longestName) bytes" }
    if name.first == " " || name.last == " " { return "begins or ends with a space" }
    for scalar in name.unicodeScalars {
      if ";\"\\".unicodeScalars.contains(scalar) { return "has the character '\(scalar)'" }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
        .unassigned:
        return "has a character that cannot be seen"
      default: break
      }
    }
    return nil
  }

  /// By their beginnings, then by their ends, then by the bytes of their names.
  public static func < (left: RecordingLabel, right: RecordingLabel) -> Bool {
    if left.from != right.from { return left.from < right.from }
    if left.to != right.to { return left.to < right.to }
    return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
  }

  /// Whether stretch and name are the same, the name byte for byte, as it is in files.
  public static func == (left: RecordingLabel, right: RecordingLabel) -> Bool {
    left.from == right.from && left.to == right.to && left.name.utf8.elementsEqual(right.name.utf8)
  }

  /// Consistent with `==`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(from)
    hasher.combine(to)
    for byte in name.utf8 { hasher.combine(byte) }
  }

  /// As the command line reads it: `3s..8s walking`.
  public var description: String {
    "\(SpanText.text(time: from))..\(SpanText.text(time: to)) \(name)"
  }
}

/// A label in a store: present or removed, and how often that changed.
public struct LabelChange: Hashable, Sendable {
  /// The label.
  public let label: RecordingLabel
  /// 1 for a new label, and 1 more for each removal and return: odd while it is present.
  public let revision: UInt64
  /// The largest revision: far more than a person's changes.
  public static let last: UInt64 = 1 << 53

  /// A change of a label.
  public init(_ label: RecordingLabel, revision: UInt64 = 1) {
    (self.label, self.revision) = (label, revision)
  }

  /// Whether the label is removed.
  public var isRemoval: Bool { revision % 2 == 0 }
}

/// Why something is not a label.
public enum LabelProblem: StatusError, Equatable {
  /// The name cannot be used.
  case name(String, flaw: String)
  /// The stretch holds no instant.
  case empty(from: Int64, to: Int64)

  /// One sentence with the remedy.
  public var description: String {
    switch self {
    case .name(let name, let flaw):
      "the label \"\(Plain.text(name))\" \(flaw); use at most \(RecordingLabel.longestName) bytes of visible "
        + "characters without ; \" and \\, and none of = + - @ at the beginning"
    case .empty(let from, let to):
      "a label from \(Plain.seconds(from)) to \(Plain.seconds(to)) has no length; give an end that is later"
    }
  }

  /// The command line was wrong.
  public var exitStatus: ExitStatus { .usage }
}
