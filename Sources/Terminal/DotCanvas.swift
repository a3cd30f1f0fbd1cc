/// Something to draw up to three lines on, made of a terminal's cells.
///
/// Dots count from the upper left corner. Dots outside are left out.
public protocol DotCanvas: Sendable {
  /// Dots side by side in a cell.
  static var dotsAcross: Int { get }
  /// Dots one above the other in a cell.
  static var dotsDown: Int { get }

  /// An empty canvas.
  init(columns: Int, rows: Int)

  /// Sets the dots of a column from one row of dots to another, both included, in either order.
  mutating func fill(x: Int, from: Int, to: Int, axis: Int)

  /// What is drawn in a cell; `nil` when nothing is.
  func cell(row: Int, column: Int) -> Cell?
}

/// The inks of the axes X, Y, Z.
let axisInks: [Ink] = [.x, .y, .z]
