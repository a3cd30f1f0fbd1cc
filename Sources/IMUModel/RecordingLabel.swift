// SPDX-License-Identifier: Apache-2.0

import Text

/// A name for a stretch of a recording, such as `walking`: what training data and analyses need.
///
///     time   0 s        3 s                  8 s
///     label             [ walking            )
public struct RecordingLabel: Hashable, Sendable {
  /// 1 to ``longestName`` bytes of UTF-8.
  public let name: String
  /// Nanoseconds since tick 0's deadline, as the times of samples: the first one inside.
  public let from: Int64
  /// The first one after it, above ``from``.
  public let to: Int64

  /// The most bytes of a name.
  public static let longestName = 60
  /// The most labels of a recording: what all of them need together in a row of a table stays below 64 KiB.
  public static let mostOfRecording = 1000

  /// A label; throws ``LabelProblem`` for a name or a stretch that none can have.
  public init(_ name: String, from: Int64, to: Int64) throws(LabelProblem) {
    if let flaw = RecordingLabel.flaw(of: name) { throw .name(name, flaw: flaw) }
    guard from < to else { throw .empty(from: from, to: to) }
    (self.name, self.from, self.to) = (name, from, to)
  }

  /// A label that a person gives: a name, besides, that is all UTF-8, and that a spreadsheet does not take for a formula
  /// when it opens a table. Labels in a store may have such names, and are read as they are.
  public static func given(
    _ name: String, from: Int64, to: Int64
  ) throws(LabelProblem) -> RecordingLabel {
    let label = try RecordingLabel(name, from: from, to: to)
    if let flaw = label.flawAsGiven { throw .name(name, flaw: flaw) }
    return label
  }

  /// Whether a person could give it, and so another machine may.
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
    // It stands for bytes that were no UTF-8, as a command line may have them.
    return name.unicodeScalars.contains("\u{FFFD}") ? "is not all UTF-8" : nil
  }

  /// Whether a character leaves no mark on the screen: spaces, and letters and signs that are empty.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0: true
    default: scalar.properties.generalCategory == .spaceSeparator
    }
  }

  /// Whether it is all within a recording.
  ///
  /// - Parameter end: `nil` while the recording is being written.
  public func isWithin(first: Int64, end: Int64?) -> Bool {
    from >= first && end.map { from < $0 && to <= $0 } ?? true
  }

  /// What makes a name unusable; `nil` for one that can be used.
  ///
  /// Tables join the names at one instant with `;` and write them between quotes, so those are excluded.
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
}

extension RecordingLabel: Comparable {
  /// By their beginnings, then by their ends, then by the bytes of their names.
  public static func < (left: RecordingLabel, right: RecordingLabel) -> Bool {
    if left.from != right.from { return left.from < right.from }
    if left.to != right.to { return left.to < right.to }
    return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
  }

  /// Whether stretch and name are the same, the latter byte for byte: as lines in a file they must be.
  public static func == (left: RecordingLabel, right: RecordingLabel) -> Bool {
    left.from == right.from && left.to == right.to && left.name.utf8.elementsEqual(right.name.utf8)
  }

  /// Of what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(from)
    hasher.combine(to)
    for byte in name.utf8 { hasher.combine(byte) }
  }
}

extension RecordingLabel: CustomStringConvertible {
  /// As the command line reads it: `3s..8s walking`.
  public var description: String {
    "\(SpanText.text(time: from))..\(SpanText.text(time: to)) \(name)"
  }
}

/// A label as a store knows it: there or removed, and how often that changed.
public struct LabelChange: Hashable, Sendable {
  /// The label.
  public let label: RecordingLabel
  /// Odd while the label is there, even once it was removed: 1 for a new one, 2 for one that was removed.
  public let revision: UInt64
  /// The last revision that a store takes: far more than a person changes.
  public static let last: UInt64 = 1 << 53

  /// A change of a label.
  public init(_ label: RecordingLabel, revision: UInt64 = 1) {
    (self.label, self.revision) = (label, revision)
  }

  /// Whether the label is removed.
  public var isRemoval: Bool { revision % 2 == 0 }
}

/// Why something is no label.
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
