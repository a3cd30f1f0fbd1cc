/// Eight dots a cell, as braille characters have them (U+2800 and on):
///
///     1 4      bit 0  bit 3
///     2 5          1      4
///     3 6          2      5
///     7 8          6      7
///
/// A cell in which several lines meet shows the dots of all, in the colour of the one with most of them.
public struct BrailleCanvas: DotCanvas {
  /// 2.
  public static let dotsAcross = 2
  /// 4.
  public static let dotsDown = 4

  private let columns: Int
  private let rows: Int
  /// Dots of X, Y and Z for each cell.
  private var masks: [SIMD4<UInt8>]

  /// An empty canvas.
  public init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    masks = Array(repeating: SIMD4(), count: self.columns * self.rows)
  }

  /// Sets dots; axes are 0 to 2.
  public mutating func fill(x: Int, from: Int, to: Int, axis: Int) {
    guard x >= 0, x < columns * 2 else { return }
    let top = max(0, min(from, to))
    let bottom = min(rows * 4 - 1, max(from, to))
    guard top <= bottom else { return }
    for y in top...bottom {
      masks[y / 4 * columns + x / 2][axis] |= BrailleCanvas.bit(x & 1, y & 3)
    }
  }

  /// The braille character of a cell.
  public func cell(row: Int, column: Int) -> Cell? {
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
