// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// A label while its ends are set and its name is typed.
///
///     l, or a press of the mouse ──► l at another place, or a release there ──► letters ──► Enter
///                 begins                           ends                                      keeps it
struct LabelDraft: Equatable {
  /// The answer to a key of its name.
  enum Answer: Equatable {
    case stay
    case cancel
    case refuse(String)
    case label(String, Range<Int64>)
  }

  /// Where it was begun: its earlier or its later end.
  let from: Int64
  /// The other end; `nil` while it follows the cursor.
  private var to: Int64?
  /// The typed name; `nil` until it has two ends.
  private(set) var name: String?

  init(from: Int64) {
    self.from = from
  }

  /// From its earlier to its later end, which is `cursor` while it has one end.
  func span(to cursor: Int64) -> Range<Int64> {
    let other = to ?? cursor
    return min(from, other)..<max(from, other)
  }

  /// Sets its other end; has no effect at the first one.
  mutating func end(at time: Int64) {
    guard time != from else { return }
    (to, name) = (time, "")
  }

  mutating func type(_ key: Key) -> Answer {
    let typed = name ?? ""
    switch key {
    case .escape, .control("c"): return .cancel
    case .backspace, .delete: name = String(typed.dropLast())
    case .enter:
      guard let to, !typed.isEmpty else { return .refuse("type a name, or leave it with Escape") }
      return .label(typed, span(to: to))
    case .character(let letter):
      guard typed.utf8.count < RecordingLabel.longestName else {
        return .refuse("a name has at most \(RecordingLabel.longestName) bytes")
      }
      name = typed + String(Character(letter))
    default: break
    }
    return .stay
  }
}
