// SPDX-License-Identifier: Apache-2.0

import Graph

/// A drawing area of up to four lines, made of a terminal's cells. In Unicode a cell has eight dots, as braille characters
/// (U+2800 and on); in ASCII it has one, shown as its line's letter:
///
///     1 4      bit 0  bit 3
///     2 5          1      4
///     3 6          2      5
///     7 8          6      7
///
/// Dots count from the upper left corner; dots outside are ignored. A cell shows the dots of all its lines, in the colour or
/// letter of one of them; the next cell has that of another:
///
///     cells of x and z    x z x z
///                         z x z x
struct DotCanvas {
  /// Dots of a cell, side by side and one above the other.
  let dots: (across: Int, down: Int)
  private let isASCII: Bool
  private let columns: Int
  private let rows: Int
  /// Each line's dots for each cell.
  private var masks: [SIMD4<UInt8>]

  init(columns: Int, rows: Int, _ glyphs: GlyphSet) {
    (self.columns, self.rows) = (max(0, columns), max(0, rows))
    isASCII = glyphs.isASCII
    dots = DotCanvas.dots(glyphs)
    masks = Array(repeating: SIMD4(), count: self.columns * self.rows)
  }

  static func dots(_ glyphs: GlyphSet) -> (across: Int, down: Int) {
    glyphs.isASCII ? (1, 1) : (2, 4)
  }

  /// Sets the dots of a column between two rows of dots, both included, in either order.
  mutating func fill(x: Int, from: Int, to: Int, line: GraphLine) {
    guard x >= 0, x < columns * dots.across else { return }
    let top = max(0, min(from, to))
    let bottom = min(rows * dots.down - 1, max(from, to))
    guard top <= bottom else { return }
    for y in top...bottom {
      masks[y / dots.down * columns + x / dots.across][line.rawValue] |=
        DotCanvas.bit(x % dots.across, y % dots.down)
    }
  }

  /// The contents of a cell; `nil` for a blank one.
  func cell(row: Int, column: Int) -> Cell? {
    let mask = masks[row * columns + column]
    let present = GraphLine.allCases.filter { mask[$0.rawValue] != 0 }
    guard !present.isEmpty else { return nil }
    let line = present[(row + column) % present.count]
    let braille = Unicode.Scalar(0x2800 + UInt32(mask[0] | mask[1] | mask[2] | mask[3]))
    return (isASCII ? line.letter : braille).map { Cell($0, CellStyle(line.ink)) }
  }

  private static func bit(_ x: Int, _ y: Int) -> UInt8 {
    y == 3 ? 0x40 << UInt8(x) : 1 << UInt8(3 * x + y)
  }
}

/// Draws one line of a panel: X solid, Y dashed, Z dotted, the magnitude dotted twice as wide, to differ without colours.
/// Only flat parts are dashed, so that no peak falls between two dashes.
struct PanelPlot {
  let envelope: Envelope
  let kind: PanelKind
  let scale: Double
  let range: ClosedRange<Double>

  func draw(_ line: GraphLine, on canvas: inout DotCanvas, rows: Int) {
    let height = Double(rows * canvas.dots.down - 1)
    let extent = range.extent > 0 ? range.extent : 1
    let scale = line.scale(scale)
    func dot(_ count: Int32) -> Int {
      let share = (range.upperBound - Double(count) * scale) / extent
      // Clamped, because a value far outside would trap in the conversion.
      return Int(min(max((share * height).rounded(), -1), height + 1))
    }
    var previous: (x: Int, last: Int32)?
    for (x, column) in envelope.columns.enumerated() {
      guard let counts = LineCounts(line, of: kind, in: column) else { continue }
      if let previous, envelope.joins(previous.x, x) {
        PanelPlot.join(
          from: (previous.x, dot(previous.last)), to: (x, dot(counts.first)), line, on: &canvas)
      }
      PanelPlot.fill(x, dot(counts.low), dot(counts.high), line, on: &canvas)
      previous = (x, counts.last)
    }
  }

  private static func fill(
    _ x: Int, _ from: Int, _ to: Int, _ line: GraphLine, on canvas: inout DotCanvas
  ) {
    if canvas.dots.across > 1, abs(from - to) < 2, !isInked(x, line) { return }
    canvas.fill(x: x, from: from, to: to, line: line)
  }

  /// A straight line between two columns, without the first column.
  private static func join(
    from: (x: Int, y: Int), to: (x: Int, y: Int), _ line: GraphLine, on canvas: inout DotCanvas
  ) {
    let width = to.x - from.x
    var last = from.y
    for step in 1...width {
      let y = from.y + (to.y - from.y) * step / width
      // Begins beside the previous dot, so that a steep line repeats no step.
      let near = y > last ? last + 1 : y < last ? last - 1 : y
      fill(from.x + step, near, y, line, on: &canvas)
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
