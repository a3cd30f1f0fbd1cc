import Graph

/// Draws one channel of an envelope as a line.
///
/// X is solid, Y dashed, Z dotted, so that they can be told apart without colours. Only where a line is flat: a column
/// of which it takes several dots is drawn whole, so that no peak falls between two dashes.
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
      // Outside by far is outside; a trap it is not.
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

  /// A straight line between two columns, the first of them left out.
  private static func line<Canvas: DotCanvas>(
    from: (x: Int, y: Int), to: (x: Int, y: Int), axis: Int, hasDashes: Bool,
    on canvas: inout Canvas
  ) {
    let width = to.x - from.x
    var last = from.y
    for step in 1...width {
      let y = from.y + (to.y - from.y) * step / width
      // From the dot next to the one before, so that a steep line has no steps twice.
      let near = y > last ? last + 1 : y < last ? last - 1 : y
      fill(from.x + step, near, y, axis: axis, hasDashes: hasDashes, on: &canvas)
      last = y
    }
  }

  /// Whether a flat line of an axis has a dot in a column.
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
