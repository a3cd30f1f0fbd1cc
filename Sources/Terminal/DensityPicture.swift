// SPDX-License-Identifier: Apache-2.0

package import Analysis
import Graph
import IMUModel
import Text

/// The power spectral density of a sensor, summed over its axes, as text of 80 columns with logarithmic axes.
///
///     acceleration of all axes together, g²/Hz
///       1e-3 ┤⡠⠤⠒⠢⢄
///       1e-6 ┤      ⠑⠢⠤⠤⠒⠒
///            └──┬───────┬───
///              0.1      1  Hz
///
/// A column of dots shows its highest value, so that a peak keeps its height.
package struct DensityPicture {
  private let title: String
  private let points: [(frequency: Double, density: Double)]
  private let horizontal: LogAxis
  private let vertical: LogAxis

  private static let (columns, rows, left) = (80, 10, 10)

  /// The sensors of an analysis, the accelerometer first; none for one without any motion.
  package static func all(_ analysis: RecordingAnalysis) -> [DensityPicture] {
    [
      ("acceleration", "g²/Hz", analysis.axes.filter(\.isAcceleration)),
      ("angular rate", "(°/s)²/Hz", analysis.axes.filter { !$0.isAcceleration }),
    ].compactMap(DensityPicture.init)
  }

  private init?(_ name: String, _ unit: String, _ axes: [AxisAnalysis]) {
    guard let first = axes.first?.spectrum else { return nil }
    points = first.density.indices.dropFirst().map { place in
      (Double(place) * first.resolution, axes.reduce(0) { $0 + $1.spectrum.density[place] })
    }.filter { $0.1 > 0 }
    guard let horizontal = LogAxis(points.map(\.frequency)),
      let vertical = LogAxis(points.map(\.density))
    else { return nil }
    title = name + (axes.count > 1 ? " of all axes together, " : " of \(axes[0].name), ") + unit
    (self.horizontal, self.vertical) = (horizontal, vertical)
  }

  /// The picture's lines, in the characters that the terminal has.
  package var lines: [String] {
    let glyphs = GlyphSet(isASCII: Environment.isASCII)
    var screen = Screen(columns: DensityPicture.columns, rows: DensityPicture.rows + 3)
    screen.put(Plain.text(title), row: 0, column: 1)
    draw(on: &screen, glyphs)
    drawAxes(on: &screen, glyphs)
    return screen.lines
  }

  private func draw(on screen: inout Screen, _ glyphs: GlyphSet) {
    let (rows, left) = (DensityPicture.rows, DensityPicture.left)
    let columns = DensityPicture.columns - left
    var canvas = DotCanvas(columns: columns, rows: rows, glyphs)
    let width = Double(columns * canvas.dots.across - 1)
    let height = Double(rows * canvas.dots.down - 1)
    var highest = [Double](repeating: 0, count: columns * canvas.dots.across)
    for (frequency, density) in points {
      let x = Int((horizontal.share(frequency) * width).rounded())
      highest[x] = max(highest[x], density)
    }
    var last: (x: Int, y: Int)?
    for (x, density) in highest.enumerated() where density > 0 {
      let y = Int(((1 - vertical.share(density)) * height).rounded())
      let from = last ?? (x, y)
      // Low frequencies are farther apart than dots: a flat line leads to the next one.
      for between in from.x..<x {
        canvas.fill(x: between, from: from.y, to: from.y, line: .magnitude)
      }
      canvas.fill(x: x, from: from.y, to: y, line: .magnitude)
      last = (x, y)
    }
    for row in 0..<rows {
      for column in 0..<columns {
        guard let cell = canvas.cell(row: row, column: column) else { continue }
        screen[row + 1, column + left] = cell
      }
    }
  }

  private func drawAxes(on screen: inout Screen, _ glyphs: GlyphSet) {
    let (rows, left) = (DensityPicture.rows, DensityPicture.left)
    for row in 1...rows { screen.put(String(glyphs.vertical), row: row, column: left - 1) }
    var free = rows + 1
    for (value, label) in vertical.ticks {
      let row = 1 + Int(((1 - vertical.share(value)) * Double(rows - 1)).rounded())
      guard row < free else { continue }
      free = row - 1
      screen.put(label, row: row, endingBefore: left - 2)
      screen.put(String(glyphs.tick), row: row, column: left - 1)
    }
    let width = DensityPicture.columns - left
    screen.put(String(glyphs.corner), row: rows + 1, column: left - 1)
    let rule = String(repeating: String(glyphs.horizontal), count: width)
    screen.put(rule, row: rows + 1, column: left)
    screen.put("Hz", row: rows + 2, endingBefore: left - 2)
    var end = left - 1
    for (value, label) in horizontal.ticks {
      let column = left + Int((horizontal.share(value) * Double(width - 1)).rounded())
      let begin = min(column - label.count / 2, DensityPicture.columns - label.count)
      guard begin > end else { continue }
      end = screen.put(label, row: rows + 2, column: begin)
      screen.put(String(glyphs.timeTick), row: rows + 1, column: column)
    }
  }
}
