// SPDX-License-Identifier: Apache-2.0

enum Key: Hashable, Sendable {
  /// A letter, digit, sign or space.
  case character(Unicode.Scalar)
  /// Ctrl and a letter, in lower case: `.control("c")`.
  case control(Unicode.Scalar)
  case up, down, left, right
  case shiftLeft, shiftRight
  case home, end, pageUp, pageDown
  case enter, escape, backspace, delete, tab
  /// The left button of the mouse, at a cell counted from 0.
  case pressed(column: Int), dragged(column: Int), released(column: Int)
}

/// Turns a terminal's bytes into keys, in any fragmentation.
///
///          ESC            [            0-9 ;            letter or ~
///     ground ──► escape ──► sequence ──┐        ──────► key, ground
///       │          │ O ──► letter ─► key       │
///       │          └ timeout: the Escape key   └ any other: ignored
///       └ 0xC2 … 0xF4 ──► character (UTF-8) ──► key
///
/// An escape sequence may arrive in pieces over a slow link; only a pause shows that a lone ESC was the key (``flush()``).
/// (ECMA-48; xterm control sequences.)
struct KeyParser: Sendable {
  /// The longest sequence of a key.
  private static let longest = 32

  private var pending: [UInt8] = []

  /// Whether a sequence is incomplete: after 50 ms without further bytes call ``flush()``.
  var hasPending: Bool { !pending.isEmpty }

  /// The keys that these bytes complete.
  mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes {
      // A new sequence begins: the previous ESC was the key.
      if byte == 0x1B, !pending.isEmpty { keys += flush() }
      pending.append(byte)
      switch read() {
      case .unfinished: break
      case .nothing: pending = []
      case .key(let key):
        keys.append(key)
        pending = []
      }
    }
    return keys
  }

  /// The key of the pending bytes when nothing follows.
  mutating func flush() -> [Key] {
    defer { pending = [] }
    // Other bytes are Alt and a letter, or a sequence that never ended.
    return pending == [0x1B] ? [.escape] : []
  }

  private enum Result {
    case unfinished
    case nothing
    case key(Key)
  }

  private func read() -> Result {
    guard let first = pending.first else { return .unfinished }
    if first == 0x1B { return escape() }
    if first >= 0x80 { return character() }
    switch first {
    case 0x0D, 0x0A: return .key(.enter)
    case 0x09: return .key(.tab)
    case 0x08, 0x7F: return .key(.backspace)
    case 0x01...0x1A: return .key(.control(Unicode.Scalar(first + 0x60)))
    case 0x20...0x7E: return .key(.character(Unicode.Scalar(first)))
    default: return .nothing
    }
  }

  private func character() -> Result {
    let wanted: Int
    switch pending[0] {
    case 0xC2...0xDF: wanted = 2
    case 0xE0...0xEF: wanted = 3
    case 0xF0...0xF4: wanted = 4
    default: return .nothing
    }
    guard pending.count >= wanted else { return .unfinished }
    guard let scalar = String(validating: pending, as: UTF8.self)?.unicodeScalars.first else {
      return .nothing
    }

    return .key(.character(scalar))
  }

  private func escape() -> Result {
    guard pending.count >= 2 else { return .unfinished }
    switch pending[1] {
    case UInt8(ascii: "["):
      guard pending.count >= 3, let last = pending.last else { return .unfinished }
      // Parameters and intermediates continue, a final byte ends. (ECMA-48, 5.4)
      if (0x20...0x3F).contains(last) {
        return pending.count < KeyParser.longest ? .unfinished : .nothing
      }
      return sequence(final: last, parameters: pending[2..<(pending.count - 1)])
    case UInt8(ascii: "O"):
      guard pending.count >= 3 else { return .unfinished }
      return sequence(final: pending[2], parameters: [])
    case UInt8(ascii: "]"):
      // A reply of the terminal (OSC), which ends in BEL or ST.
      let isOver = pending.last == 0x07 || pending.count >= 128
      return isOver ? .nothing : .unfinished
    default: return .nothing
    }
  }

  private func sequence(final: UInt8, parameters: ArraySlice<UInt8>) -> Result {
    if parameters.first == UInt8(ascii: "<") { return mouse(final, parameters.dropFirst()) }
    let numbers = parameters.split(separator: UInt8(ascii: ";")).map {
      Int(String(decoding: $0, as: UTF8.self)) ?? 0
    }
    let isShifted = numbers.count == 2 && numbers[1] == 2
    let key: Key? =
      switch final {
      case UInt8(ascii: "A"): .up
      case UInt8(ascii: "B"): .down
      case UInt8(ascii: "C"): isShifted ? .shiftRight : .right
      case UInt8(ascii: "D"): isShifted ? .shiftLeft : .left
      case UInt8(ascii: "H"): .home
      case UInt8(ascii: "F"): .end
      case UInt8(ascii: "~"): numbers.first.flatMap { KeyParser.numbered[$0] }
      default: nil
      }
    return key.map(Result.key) ?? .nothing
  }

  private static let numbered: [Int: Key] = [
    1: .home, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
  ]

  /// A report of the mouse: button, column, row, and `M` for a press or move, `m` for a release (xterm's SGR mode 1006).
  private func mouse(_ final: UInt8, _ parameters: ArraySlice<UInt8>) -> Result {
    let numbers = parameters.split(separator: UInt8(ascii: ";")).compactMap {
      Int(String(decoding: $0, as: UTF8.self))
    }
    guard numbers.count == 3, [UInt8(ascii: "M"), UInt8(ascii: "m")].contains(final) else {
      return .nothing
    }
    let column = max(0, min(numbers[1], 10_000) - 1)
    switch (numbers[0], final) {
    case (0, UInt8(ascii: "m")): return .key(.released(column: column))
    case (0, _): return .key(.pressed(column: column))
    case (32, _): return .key(.dragged(column: column))
    // The wheel.
    case (64, _): return .key(.up)
    case (65, _): return .key(.down)
    default: return .nothing
    }
  }
}
