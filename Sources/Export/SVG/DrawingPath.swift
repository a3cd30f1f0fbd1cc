// SPDX-License-Identifier: Apache-2.0

/// The data of an SVG path in whole tenths of the drawing's unit, in few bytes: all but the first point are given by
/// their distance from the one before. (SVG 1.1, section 8.3)
///
///     M700 1234l6-45v310m12-8l5 3
///
/// Points are rounded before their distances are taken, so that errors do not add up.
struct DrawingPath {
  /// The path's `transform`: its coordinates are tenths.
  static let transform = "transform=\"scale(.1)\""

  private(set) var data = ""
  private var last: (x: Int, y: Int)?

  mutating func move(to point: (x: Double, y: Double)) {
    let (x, y) = (DrawingPath.tenths(point.x), DrawingPath.tenths(point.y))
    data += last.map { "m\(DrawingPath.pair(x - $0.x, y - $0.y))" } ?? "M\(DrawingPath.pair(x, y))"
    last = (x, y)
  }

  mutating func line(to point: (x: Double, y: Double)) {
    guard let last else { return move(to: point) }
    let (x, y) = (DrawingPath.tenths(point.x), DrawingPath.tenths(point.y))
    if x == last.x {
      if y != last.y { data += "v\(y - last.y)" }
    } else if y == last.y {
      data += "h\(x - last.x)"
    } else {
      data += "l\(DrawingPath.pair(x - last.x, y - last.y))"
    }
    self.last = (x, y)
  }

  /// A line from a point to others.
  mutating func line(from begin: (x: Double, y: Double), to ends: (x: Double, y: Double)...) {
    move(to: begin)
    for end in ends { line(to: end) }
  }

  /// A line of no length, which round ends of lines show as a point.
  mutating func dot(at point: (x: Double, y: Double)) {
    move(to: point)
    data += "h0"
  }

  private static func pair(_ x: Int, _ y: Int) -> String { y < 0 ? "\(x)\(y)" : "\(x) \(y)" }

  /// Tenths of a unit; values that are not finite or beyond any drawing become 0.
  private static func tenths(_ value: Double) -> Int {
    value.magnitude < 1e6 ? Int((value * 10).rounded()) : 0
  }
}

/// The style of a channel's line: colours that colour-blind people can distinguish, and dashes.
struct LineStyle {
  let name: String
  let colour: String
  /// Lengths of dashes and blanks in tenths of a unit; empty for a solid line.
  private let dashes: String

  init(channel: Int) {
    switch channel % 3 {
    case 0: (name, colour, dashes) = ("x", "#c04a00", "")
    case 1: (name, colour, dashes) = ("y", "#0067ad", "70 30")
    default: (name, colour, dashes) = ("z", "#007a55", "15 20")
    }
  }

  var attributes: String {
    stroke(13, dashes.isEmpty ? "" : " stroke-dasharray=\"\(dashes)\"")
  }

  /// An entry of a legend, counted from 0: a piece of the line at a height, and the axis's name beside it.
  func legend(_ index: Int, y: Double) -> String {
    let begin = 690 + 80 * Double(index)
    var sample = DrawingPath()
    sample.line(from: (begin, y), to: (begin + 40, y))
    return "<path class=\"\(name)\" d=\"\(sample.data)\" \(attributes)/>"
      + "<text x=\"\(SVGNumber.text(begin + 46))\" y=\"\(SVGNumber.text(y + 4))\">\(name)</text>\n"
  }

  /// For lines so dense that dashes would look like noise, and for points.
  var solidAttributes: String { stroke(8, " stroke-linecap=\"round\"") }

  private func stroke(_ width: Int, _ more: String) -> String {
    "\(DrawingPath.transform) fill=\"none\" stroke=\"\(colour)\" stroke-width=\"\(width)\" "
      + "stroke-linejoin=\"round\"\(more)"
  }
}
