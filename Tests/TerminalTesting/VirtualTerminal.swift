// SPDX-License-Identifier: Apache-2.0

/// A terminal that shows what a real one would, for the sequences that this program writes; others are noted.
///
/// Written from ECMA-48 and xterm's control sequences, and not from the code that writes them.
public struct VirtualTerminal {
  /// Cells in a row.
  public let columns: Int
  /// Rows.
  public let rows: Int
  /// Whether the other screen is shown.
  public private(set) var isOnOtherScreen = false
  /// Whether the cursor is seen.
  public private(set) var isCursorShown = true
  /// Whether it reports presses and moves of the mouse, in decimal.
  public private(set) var isMouseReported = false
  /// Sequences that it does not know.
  public private(set) var unknown: [String] = []
  /// SGR parameters that were used.
  public private(set) var parametersSeen: Set<Int> = []

  private var cells: [[Character]]
  private var styles: [[[Int]]]
  private var row = 0
  private var column = 0
  private var style: [Int] = []
  private var pending: [UInt8] = []

  /// A blank terminal.
  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    styles = Array(repeating: Array(repeating: [], count: columns), count: rows)
  }

  /// The rows, without blanks at their ends.
  public var lines: [String] {
    cells.map { row in
      var line = String(row.filter { $0 != "\0" })
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// The rows as one text.
  public var text: String { lines.joined(separator: "\n") + "\n" }

  /// Whether a cell is blank.
  public func isBlank(row: Int, column: Int) -> Bool { cells[row][column] == " " }

  /// SGR parameters of a cell.
  public func style(row: Int, column: Int) -> [Int] { styles[row][column] }

  /// Takes bytes, however they are cut.
  public mutating func feed(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      pending.append(byte)
      if isWhole { take() }
    }
  }

  private var isWhole: Bool {
    guard let first = pending.first, let last = pending.last else { return false }
    if first == 0x1B {
      guard pending.count > 1 else { return false }
      switch pending[1] {
      case UInt8(ascii: "["): return pending.count > 2 && (0x40...0x7E).contains(last)
      case UInt8(ascii: "]"): return last == 0x07 || pending.suffix(2).elementsEqual([0x1B, 0x5C])
      default: return true
      }
    }
    switch first {
    case 0xC2...0xDF: return pending.count == 2
    case 0xE0...0xEF: return pending.count == 3
    case 0xF0...0xF4: return pending.count == 4
    default: return true
    }
  }

  private mutating func take() {
    defer { pending = [] }
    let text = String(decoding: pending, as: UTF8.self)
    guard pending[0] == 0x1B else { return write(text) }
    guard pending[1] == UInt8(ascii: "[") else {
      // Questions (OSC) show nothing.
      if pending[1] != UInt8(ascii: "]") { unknown.append(text) }
      return
    }
    let body = text.dropFirst(2).dropLast()
    let numbers = body.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    switch text.last {
    case "H":
      row = min(max((numbers.first ?? 1), 1), rows) - 1
      column = min(max(numbers.count > 1 ? numbers[1] : 1, 1), columns) - 1
    case "C": column = min(columns - 1, column + max(1, numbers.first ?? 1))
    case "J" where body == "2": for line in 0..<rows { blank(line, from: 0) }
    case "K" where body.isEmpty: blank(row, from: column)
    case "m": numbers.forEach { wear($0) }
    case "h" where body == "?1049": switchScreen(true)
    case "l" where body == "?1049": switchScreen(false)
    case "h" where body == "?25": isCursorShown = true
    case "l" where body == "?25": isCursorShown = false
    case "h" where body == "?1002" || body == "?1006": isMouseReported = body == "?1006"
    case "l" where body == "?1002" || body == "?1006": isMouseReported = false
    case "c" where body.isEmpty: break
    default: unknown.append(text)
    }
  }

  private mutating func switchScreen(_ isOther: Bool) {
    isOnOtherScreen = isOther
    for line in 0..<rows { blank(line, from: 0) }
    (row, column) = (0, 0)
  }

  private mutating func blank(_ line: Int, from start: Int) {
    for place in min(start, columns)..<columns {
      cells[line][place] = " "
      // Erasing paints the background of the style at hand.
      styles[line][place] = style.filter { $0 == 7 }
    }
  }

  private mutating func wear(_ parameter: Int) {
    parametersSeen.insert(parameter)
    switch parameter {
    case 0: style = []
    case 1, 7: style = (style.filter { $0 != parameter } + [parameter]).sorted()
    case 30...37, 90...97: style = (style.filter { $0 < 30 } + [parameter]).sorted()
    case 39: style = style.filter { $0 < 30 }
    default: unknown.append("SGR \(parameter)")
    }
  }

  private mutating func write(_ text: String) {
    switch text {
    case "\r": column = 0
    case "\n":
      if row == rows - 1 {
        cells.removeFirst()
        cells.append(Array(repeating: " ", count: columns))
      } else {
        row += 1
      }
    default:
      guard let character = text.first, let scalar = text.unicodeScalars.first else { return }
      if scalar.value < 0x20 { return unknown.append("control \(scalar.value)") }
      let isWide =
        (0x1100...0x115F).contains(scalar.value) || (0x2E80...0xD7A3).contains(scalar.value)
      if column + (isWide ? 2 : 1) > columns {
        // A screen is made to measure; a line of talk may be longer than a row, and wraps.
        guard !isOnOtherScreen else { return unknown.append("beyond the row") }
        column = 0
        write("\n")
      }
      cells[row][column] = character
      styles[row][column] = style
      column += 1
      if isWide {
        cells[row][column] = "\0"
        styles[row][column] = style
        column += 1
      }
    }
  }
}
