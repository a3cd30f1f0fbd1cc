/// One dot a cell, for terminals that know ASCII alone: lines are made of their names, `x`, `y`, `z`, and `*` is
/// where several meet.
public struct LetterCanvas: DotCanvas {
  /// 1.
  public static let dotsAcross = 1
  /// 1.
  public static let dotsDown = 1

  private let columns: Int
  private let rows: Int
  /// A bit for each axis.
  private var masks: [UInt8]

  /// An empty canvas.
  public init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    masks = Array(repeating: 0, count: self.columns * self.rows)
  }

  /// Sets dots; axes are 0 to 2.
  public mutating func fill(x: Int, from: Int, to: Int, axis: Int) {
    guard x >= 0, x < columns else { return }
    let top = max(0, min(from, to))
    let bottom = min(rows - 1, max(from, to))
    guard top <= bottom else { return }
    for y in top...bottom { masks[y * columns + x] |= 1 << UInt8(axis) }
  }

  /// The letter of a cell.
  public func cell(row: Int, column: Int) -> Cell? {
    switch masks[row * columns + column] {
    case 0: return nil
    case 1: return Cell("x", CellStyle(.x))
    case 2: return Cell("y", CellStyle(.y))
    case 4: return Cell("z", CellStyle(.z))
    default: return Cell("*", .plain)
    }
  }
}
