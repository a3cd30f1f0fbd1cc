// SPDX-License-Identifier: Apache-2.0

import Text

/// How the first rows of a table are written: the decimal mark, the shapes of times, the number of cells. What values mean
/// is not in them.
struct FirstRows {
  /// Rows that are looked at.
  static let limit = 64

  struct Column {
    /// The forms of time that the first one and those like it have by their shape; `nil` where all are empty.
    private(set) var forms: Set<TimeForm>?
    /// Whether a cell is neither a number nor a time.
    private(set) var hasText = false
    /// The most digits behind a mark, and the least.
    private(set) var (decimals, fewest) = (0, Int.max)
    /// Whether two or more of them end with 0.
    private var endsWithZero = false
    /// Whether milliseconds may lack the zeros before them: 7.5 beside 7.120.
    var mayLackZeros: Bool {
      let numbers = turns.compactMap { Double($0) }
      let turnsBack = zip(numbers, numbers.dropFirst()).contains { $0 > $1 }
      return (endsWithZero || turnsBack) && fewest < decimals && decimals < 4
    }
    /// Whether all that are not empty are written as whole numbers of 16 bits.
    private(set) var areCounts = true
    /// The texts that followed each other; one that comes back is there again.
    private(set) var turns: [String] = []
    private(set) var first = ""
    fileprivate var rows = 0

    fileprivate mutating func add(_ cell: UnsafeRawBufferPointer) {
      rows += 1
      if rows == 1 { first = FieldText.shown(cell) }
      if case .missing = DecimalField(cell) { return }
      if turns.count < 64 {
        let text = FieldText.shown(cell)
        if text != turns.last { turns.append(text) }
      }
      let marks = cell.indices.filter {
        cell[$0] == UInt8(ascii: ".") || cell[$0] == UInt8(ascii: ",")
      }
      let digits = marks.last.map { cell[($0 + 1)...].prefix(while: FieldText.isDigit).count } ?? 0
      if digits > 0 { fewest = min(fewest, digits) }
      if digits > 1, cell.last == UInt8(ascii: "0") { endsWithZero = true }
      let power = cell.contains { $0 | 0x20 == UInt8(ascii: "e") }
      decimals = max(decimals, power ? 9 : digits)
      if Int16(String(decoding: cell.prefix(8), as: UTF8.self)) == nil { areCounts = false }
      let shape = TimeParser.forms(of: cell)
      hasText = hasText || shape.isEmpty
      // A cell unlike all before it is refused with its line when rows are read.
      let both = forms.map { $0.intersection(shape) } ?? shape
      if forms == nil || !both.isEmpty { forms = both }
    }
  }

  private(set) var columns: [Column] = []
  private(set) var rows = 0
  /// The cells of a row, without empty ones behind those that have a name; `nil` where rows differ.
  private(set) var width: Int?
  private var (commas, points, groups) = (0, 0, 0)
  /// Whether the first cells of all rows are in quotes, as R writes the names of rows.
  private(set) var haveNames = true

  /// Before decimals. Between commas, a decimal comma stands in quotes, and is one where no other mark is.
  func decimalMark(_ separator: UInt8) -> UInt8 {
    let comma = UInt8(ascii: ",")
    let isComma = commas > points && (separator != comma || points + groups == 0)
    return isComma ? comma : UInt8(ascii: ".")
  }

  /// Adds the cells of a row, without quotes.
  mutating func add(_ cells: [UnsafeRawBufferPointer], names: Int) {
    if cells[0].first != UInt8(ascii: "\"") { haveNames = false }
    let cells = cells.map { FieldText.trimmed(FieldText.unquoted(FieldText.trimmed($0))) }
    var width = cells.count
    while width > names, cells[width - 1].isEmpty { width -= 1 }
    self.width = rows == 0 || self.width == width ? width : nil
    rows += 1
    while columns.count < cells.count { columns.append(Column()) }
    for (place, cell) in cells.enumerated() {
      columns[place].add(cell)
      takeMark(cell)
    }
  }

  private mutating func takeMark(_ cell: UnsafeRawBufferPointer) {
    let comma = UInt8(ascii: ",")
    if cell.contains(UInt8(ascii: ".")), case .number = DecimalField(cell) { points += 1 }
    guard let place = cell.firstIndex(of: comma),
      case .number = DecimalField(cell, mark: comma)
    else { return }
    // `1,160` alone may have a comma between thousands, and is refused; beside `0,98` it is a decimal.
    let isGroup =
      cell.count - place == 4
      && cell[..<place].drop { "+-".utf8.contains($0) }.first != UInt8(ascii: "0")
    if isGroup { groups += 1 } else { commas += 1 }
  }

  /// A first row that numbers the columns, as pandas writes a header, or repeats one number with decimals where the rows
  /// after it are whole numbers, as the rate or the start before an Empatica E4's rows: a clause.
  var doubt: String? {
    let isNamed = columns.contains { column in
      let later = column.turns.dropFirst()
      return column.first != "" && Double(column.first) == nil && !later.isEmpty
        && later.allSatisfy { Double($0) != nil }
    }
    // pandas numbers a table's columns, or a part of another one's.
    let counted = columns.filter { column in
      column.first != "" && column.turns.count > 1
        && column.turns.dropFirst().allSatisfy { Double($0) != nil }
    }
    let numbers = counted.map { Double($0.first) ?? .nan }
    let steps = zip(numbers, numbers.dropFirst()).map { $1 - $0 }
    let areWhole = numbers.allSatisfy { $0.rounded() == $0 } && steps.allSatisfy { $0 > 0 }
    let haveDecimals = counted.dropFirst().allSatisfy { column in
      column.turns.dropFirst().contains { $0.contains(".") }
    }
    let isCount = areWhole && numbers.first ?? 2 < 2 && steps.allSatisfy { $0 == 1 }
    if rows > 1, isNamed || numbers.count > 2 && (isCount || areWhole && haveDecimals) {
      return
        "the first row \(isNamed ? "names" : "numbers") the columns: it is a header, not a sample"
    }
    guard rows > 1, columns.count >= 3, let first = columns.first?.first, first.contains("."),
      columns.allSatisfy({
        $0.first == first && $0.turns.dropFirst().allSatisfy { !$0.contains(".") }
      })
    else { return nil }
    return
      "the first row repeats \(first), and the rows after it are whole numbers: it is a rate or a start, as an Empatica E4 writes it, not a sample"
  }
}
