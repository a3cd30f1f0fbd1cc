// SPDX-License-Identifier: Apache-2.0

import Analysis
import Graph

/// Curves of three axes over logarithmic axes, as an SVG element of a page, 960 by 360 units and at most 30 kB.
///
///     Density of the acceleration in g²/Hz         ── x  -- y  ·· z
///     1e-3 ┌────────────────────────────┐
///     1e-5 │╲__╱╲______╱╲_______________│
///          └────────────────────────────┘
///            0.1      1      10     100   Frequency in Hz
///
/// The highest point in two units' width is drawn, so that a peak keeps its height.
struct PageCurves {
  private typealias Point = (x: Double, y: Double)

  private let title: String
  private let across: String
  private let curves: [(channel: Int, points: [Point])]
  private let horizontal: LogAxis
  private let vertical: LogAxis

  private static let (left, right, top, bottom) = (90.0, 930.0, 40.0, 310.0)

  /// Densities and Allan deviations, accelerations first; none for what has no positive values.
  static func all(_ analysis: RecordingAnalysis) -> [PageCurves] {
    let sensors = [
      (name: "acceleration", unit: "g", axes: analysis.axes.filter(\.isAcceleration)),
      (name: "angular rate", unit: "°/s", axes: analysis.axes.filter { !$0.isAcceleration }),
    ]
    let densities = sensors.compactMap { sensor in
      PageCurves(
        "Density of the \(sensor.name) in \(sensor.unit == "g" ? "g²/Hz" : "(°/s)²/Hz")",
        across: "Frequency in Hz",
        sensor.axes.map { axis in
          let values = axis.spectrum.density.enumerated().dropFirst()
          let points: [Point] = values.map { (Double($0) * axis.spectrum.resolution, $1) }
          return (axis.channel, points)
        })
    }
    let deviations = sensors.compactMap { sensor in
      PageCurves(
        "Allan deviation of the \(sensor.name) in \(sensor.unit)", across: "Averaging time in s",
        sensor.axes.map { axis in
          let points: [Point] = axis.allan.points.map { ($0.tau, $0.deviation * axis.scale) }
          return (axis.channel, points)
        })
    }
    return densities + deviations
  }

  private init?(_ title: String, across: String, _ curves: [(channel: Int, points: [Point])]) {
    let positive = curves.map { curve in
      (curve.channel, curve.points.filter { $0.x > 0 && $0.y > 0 && $0.y.isFinite })
    }
    let all = positive.flatMap { $0.1 }
    guard let horizontal = LogAxis(all.map(\.x)), let vertical = LogAxis(all.map(\.y)) else {
      return nil
    }
    (self.title, self.across, self.curves) = (title, across, positive)
    (self.horizontal, self.vertical) = (horizontal, vertical)
  }

  var text: String {
    var text = """
      <figure><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 360" role="img" \
      font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222">
      <title>\(title)</title>
      <text x="90" y="20" font-size="15">\(title)</text>

      """
    let (top, bottom) = (SVGNumber.text(PageCurves.top), SVGNumber.text(PageCurves.bottom))
    for (value, label) in vertical.ticks {
      let y = SVGNumber.text(y(value))
      text +=
        "<path class=\"line\" stroke=\"#888\" d=\"M90 \(y)H930\"/>"
        + "<text x=\"82\" y=\"\(y)\" dy=\"4.5\" text-anchor=\"end\">\(label)</text>\n"
    }
    for (value, label) in horizontal.ticks {
      let x = SVGNumber.text(x(value))
      text +=
        "<path class=\"line\" stroke=\"#888\" d=\"M\(x) \(top)V\(bottom)\"/>"
        + "<text x=\"\(x)\" y=\"328\" text-anchor=\"middle\">\(label)</text>\n"
    }
    for (index, curve) in curves.enumerated() {
      let style = LineStyle(channel: curve.channel)
      text +=
        style.legend(index, y: 15)
        + "<path class=\"\(style.name)\" d=\"\(path(curve.points))\" \(style.attributes)/>\n"
    }
    return text
      + "<text x=\"510\" y=\"348\" text-anchor=\"middle\">\(across)</text>\n</svg></figure>\n"
  }

  private func path(_ points: [Point]) -> String {
    var path = DrawingPath()
    var highest: Point?
    func end() {
      guard let highest else { return }
      let place = (x(highest.x), y(highest.y))
      if path.data.isEmpty { path.move(to: place) } else { path.line(to: place) }
    }
    for point in points {
      if let before = highest, column(point) == column(before) {
        if point.y > before.y { highest = point }
      } else {
        end()
        highest = point
      }
    }
    end()
    return path.data
  }

  private func column(_ point: Point) -> Int { Int(x(point.x) / 2) }

  private func x(_ value: Double) -> Double {
    PageCurves.left + horizontal.share(value) * (PageCurves.right - PageCurves.left)
  }

  private func y(_ value: Double) -> Double {
    PageCurves.bottom + vertical.share(value) * (PageCurves.top - PageCurves.bottom)
  }
}
