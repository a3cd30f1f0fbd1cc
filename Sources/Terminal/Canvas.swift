// SPDX-License-Identifier: Apache-2.0

import Graph

/// A drawing area of up to three lines, made of a terminal's cells.
///
/// Dots count from the upper left corner. Dots outside are ignored.
protocol DotCanvas {
  /// Dots side by side in a cell.
  static var dotsAcross: Int { get }
  /// Dots one above the other in a cell.
  static var dotsDown: Int { get }

  init(columns: Int, rows: Int)

  /// Sets the dots of a column between two rows of dots, both included, in either order.
  mutating func fill(x: Int, from: Int, to: Int, axis: Int)

  /// The contents of a cell; `nil` for a blank one.
  func cell(row: Int, column: Int) -> Cell?
}

/// The inks of the axes X, Y, Z.
let axisInks: [Ink] = [.x, .y, .z]

/// Eight dots a cell, as braille characters have them (U+2800 and on):
///
///     1 4      bit 0  bit 3
///     2 5          1      4
///     3 6          2      5
///     7 8          6      7
///
/// A cell where several lines meet shows the dots of all, in the colour of the line with most dots.
struct BrailleCanvas: DotCanvas {
  static let dotsAcross = 2
  static let dotsDown = 4

  private let columns: Int
  private let rows: Int
  /// Dots of X, Y and Z for each cell.
  private var masks: [SIMD4<UInt8>]

  init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    masks = Array(repeating: SIMD4(), count: self.columns * self.rows)
  }

  mutating func fill(x: Int, from: Int, to: Int, axis: Int) {
    guard x >= 0, x < columns * 2 else { return }
    let top = max(0, min(from, to))
    let bottom = min(rows * 4 - 1, max(from, to))
    guard top <= bottom else { return }
    for y in top...bottom {
      masks[y / 4 * columns + x / 2][axis] |= BrailleCanvas.bit(x & 1, y & 3)
    }
  }

  func cell(row: Int, column: Int) -> Cell? {
    let mask = masks[row * columns + column]
    let dots = mask[0] | mask[1] | mask[2]
    guard dots != 0, let scalar = Unicode.Scalar(0x2800 + UInt32(dots)) else { return nil }
    var axis = 0
    for other in 1...2 where mask[other].nonzeroBitCount > mask[axis].nonzeroBitCount {
      axis = other
    }
    return Cell(scalar, CellStyle(axisInks[axis]))
  }

  private static func bit(_ x: Int, _ y: Int) -> UInt8 {
    y == 3 ? 0x40 << UInt8(x) : 1 << UInt8(3 * x + y)
  }
}

/// One dot a cell, for terminals with ASCII only: lines consist of their names, `x`, `y`, `z`, and of `*` where several
/// meet.
struct LetterCanvas: DotCanvas {
  static let dotsAcross = 1
  static let dotsDown = 1

  private let columns: Int
  private let rows: Int
  /// A bit for each axis.
  private var masks: [UInt8]

  init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    masks = Array(repeating: 0, count: self.columns * self.rows)
  }

  /// Sets dots; axes are 0 to 2.
  mutating func fill(x: Int, from: Int, to: Int, axis: Int) {
    guard x >= 0, x < columns else { return }
    let top = max(0, min(from, to))
    let bottom = min(rows - 1, max(from, to))
    guard top <= bottom else { return }
    for y in top...bottom { masks[y * columns + x] |= 1 << UInt8(axis) }
  }

  func cell(row: Int, column: Int) -> Cell? {
    switch masks[row * columns + column] {
    case 0: return nil
    case 1: return Cell("x", CellStyle(.x))
    case 2: return Cell("y", CellStyle(.y))
    case 4: return Cell("z", CellStyle(.z))
    default: return Cell("*", .plain)
    }
  }
}

/// Draws one channel of an envelope as a line.
///
/// X is solid, Y dashed, Z dotted, so that they differ without colours. Dashes apply to flat parts only: a column of
/// several dots is drawn whole, so that no peak falls between two dashes.
struct PanelPlot {
  let envelope: Envelope
  let scale: Double
  let range: ClosedRange<Double>

  func draw<Canvas: DotCanvas>(
    channel: Int, axis: Int, on canvas: inout Canvas, rows: Int
  ) {
    let height = Double(rows * Canvas.dotsDown - 1)
    let extent = range.extent > 0 ? range.extent : 1
    func dot(_ count: Int16) -> Int {
      let share = (range.upperBound - Double(count) * scale) / extent
      // Clamped, because a value far outside would trap in the conversion.
      return Int((share * height).rounded().clamped(to: -1...height + 1))
    }
    let hasDashes = Canvas.dotsAcross > 1
    var previous: Int?
    for (x, column) in envelope.columns.enumerated() where column.sampleCount > 0 {
      if let previous, envelope.joins(previous, x) {
        let from = dot(envelope.columns[previous].last[channel])
        let to = dot(column.first[channel])
        PanelPlot.line(
          from: (previous, from), to: (x, to), axis: axis, hasDashes: hasDashes, on: &canvas)
      }
      PanelPlot.fill(
        x, dot(column.minimum[channel]), dot(column.maximum[channel]), axis: axis,
        hasDashes: hasDashes, on: &canvas)
      previous = x
    }
  }

  private static func fill<Canvas: DotCanvas>(
    _ x: Int, _ from: Int, _ to: Int, axis: Int, hasDashes: Bool, on canvas: inout Canvas
  ) {
    if hasDashes, abs(from - to) < 2, !isInked(x, axis) { return }
    canvas.fill(x: x, from: from, to: to, axis: axis)
  }

  /// A straight line between two columns, without the first column.
  private static func line<Canvas: DotCanvas>(
    from: (x: Int, y: Int), to: (x: Int, y: Int), axis: Int, hasDashes: Bool,
    on canvas: inout Canvas
  ) {
    let width = to.x - from.x
    var last = from.y
    for step in 1...width {
      let y = from.y + (to.y - from.y) * step / width
      // Begins beside the previous dot, so that a steep line repeats no step.
      let near = y > last ? last + 1 : y < last ? last - 1 : y
      fill(from.x + step, near, y, axis: axis, hasDashes: hasDashes, on: &canvas)
      last = y
    }
  }

  /// Whether an axis' flat line has a dot in a column.
  private static func isInked(_ x: Int, _ axis: Int) -> Bool {
    switch axis {
    case 0: return true
    case 1: return x % 6 < 4
    default: return x % 3 == 0
    }
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
