// SPDX-License-Identifier: Apache-2.0

import Graph

/// A drawing area of up to four lines, made of a terminal's cells.
///
/// Dots count from the upper left corner. Dots outside are ignored. A cell where several lines meet shows them in turn:
/// its colour, or its letter, is that of one of them, and the next cell's is that of another.
///
///     cells of x and z    x z x z
///                         z x z x
protocol DotCanvas {
  /// Dots side by side in a cell.
  static var dotsAcross: Int { get }
  /// Dots one above the other in a cell.
  static var dotsDown: Int { get }

  init(columns: Int, rows: Int)

  /// Sets the dots of a column between two rows of dots, both included, in either order.
  mutating func fill(x: Int, from: Int, to: Int, line: GraphLine)

  /// The contents of a cell; `nil` for a blank one.
  func cell(row: Int, column: Int) -> Cell?
}

extension DotCanvas {
  /// The line that a cell shows of those that meet in it.
  fileprivate static func line(
    row: Int, column: Int, where isPresent: (GraphLine) -> Bool
  ) -> GraphLine? {
    let present = GraphLine.allCases.filter(isPresent)
    return present.isEmpty ? nil : present[(row + column) % present.count]
  }
}

/// Eight dots a cell, as braille characters have them (U+2800 and on):
///
///     1 4      bit 0  bit 3
///     2 5          1      4
///     3 6          2      5
///     7 8          6      7
///
/// A cell shows the dots of all its lines.
struct BrailleCanvas: DotCanvas {
  static let dotsAcross = 2
  static let dotsDown = 4

  private let columns: Int
  private let rows: Int
  /// Each line's dots for each cell.
  private var masks: [SIMD4<UInt8>]

  init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    masks = Array(repeating: SIMD4(), count: self.columns * self.rows)
  }

  mutating func fill(x: Int, from: Int, to: Int, line: GraphLine) {
    guard x >= 0, x < columns * 2 else { return }
    let top = max(0, min(from, to))
    let bottom = min(rows * 4 - 1, max(from, to))
    guard top <= bottom else { return }
    for y in top...bottom {
      masks[y / 4 * columns + x / 2][line.rawValue] |= BrailleCanvas.bit(x & 1, y & 3)
    }
  }

  func cell(row: Int, column: Int) -> Cell? {
    let mask = masks[row * columns + column]
    let dots = mask[0] | mask[1] | mask[2] | mask[3]
    let line = BrailleCanvas.line(row: row, column: column) { mask[$0.rawValue] != 0 }
    guard let line, let scalar = Unicode.Scalar(0x2800 + UInt32(dots)) else { return nil }
    return Cell(scalar, CellStyle(line.ink))
  }

  private static func bit(_ x: Int, _ y: Int) -> UInt8 {
    y == 3 ? 0x40 << UInt8(x) : 1 << UInt8(3 * x + y)
  }
}

/// One dot a cell, for terminals with ASCII only: lines consist of their letters, `x`, `y`, `z`, `v`.
struct LetterCanvas: DotCanvas {
  static let dotsAcross = 1
  static let dotsDown = 1

  private let columns: Int
  private let rows: Int
  /// A bit for each line.
  private var masks: [UInt8]

  init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    masks = Array(repeating: 0, count: self.columns * self.rows)
  }

  mutating func fill(x: Int, from: Int, to: Int, line: GraphLine) {
    guard x >= 0, x < columns else { return }
    let top = max(0, min(from, to))
    let bottom = min(rows - 1, max(from, to))
    guard top <= bottom else { return }
    for y in top...bottom { masks[y * columns + x] |= LetterCanvas.bit(line) }
  }

  func cell(row: Int, column: Int) -> Cell? {
    let mask = masks[row * columns + column]
    let line = LetterCanvas.line(row: row, column: column) { mask & LetterCanvas.bit($0) != 0 }
    return line.map { Cell($0.letter, CellStyle($0.ink)) }
  }

  private static func bit(_ line: GraphLine) -> UInt8 { 1 << UInt8(line.rawValue) }
}

/// Draws one line of a panel.
///
/// X is solid, Y dashed, Z dotted, the magnitude dotted twice as wide, so that they differ without colours. Dashes apply
/// to flat parts only: a column of several dots is drawn whole, so that no peak falls between two dashes.
struct PanelPlot {
  let envelope: Envelope
  let kind: PanelKind
  let scale: Double
  let range: ClosedRange<Double>

  func draw<Canvas: DotCanvas>(_ line: GraphLine, on canvas: inout Canvas, rows: Int) {
    let height = Double(rows * Canvas.dotsDown - 1)
    let extent = range.extent > 0 ? range.extent : 1
    let scale = line.scale(scale)
    func dot(_ count: Int32) -> Int {
      let share = (range.upperBound - Double(count) * scale) / extent
      // Clamped, because a value far outside would trap in the conversion.
      return Int((share * height).rounded().clamped(to: -1...height + 1))
    }
    let hasDashes = Canvas.dotsAcross > 1
    var previous: (x: Int, last: Int32)?
    for (x, column) in envelope.columns.enumerated() {
      guard let counts = LineCounts(line, of: kind, in: column) else { continue }
      if let previous, envelope.joins(previous.x, x) {
        PanelPlot.join(
          from: (previous.x, dot(previous.last)), to: (x, dot(counts.first)), line,
          hasDashes: hasDashes, on: &canvas)
      }
      PanelPlot.fill(
        x, dot(counts.low), dot(counts.high), line, hasDashes: hasDashes, on: &canvas)
      previous = (x, counts.last)
    }
  }

  private static func fill<Canvas: DotCanvas>(
    _ x: Int, _ from: Int, _ to: Int, _ line: GraphLine, hasDashes: Bool, on canvas: inout Canvas
  ) {
    if hasDashes, abs(from - to) < 2, !isInked(x, line) { return }
    canvas.fill(x: x, from: from, to: to, line: line)
  }

  /// A straight line between two columns, without the first column.
  private static func join<Canvas: DotCanvas>(
    from: (x: Int, y: Int), to: (x: Int, y: Int), _ line: GraphLine, hasDashes: Bool,
    on canvas: inout Canvas
  ) {
    let width = to.x - from.x
    var last = from.y
    for step in 1...width {
      let y = from.y + (to.y - from.y) * step / width
      // Begins beside the previous dot, so that a steep line repeats no step.
      let near = y > last ? last + 1 : y < last ? last - 1 : y
      fill(from.x + step, near, y, line, hasDashes: hasDashes, on: &canvas)
      last = y
    }
  }

  /// Whether a flat line has a dot in a column.
  private static func isInked(_ x: Int, _ line: GraphLine) -> Bool {
    switch line {
    case .x: true
    case .y: x % 6 < 4
    case .z: x % 3 == 0
    case .magnitude: x % 6 < 2
    }
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
