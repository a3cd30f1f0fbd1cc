// SPDX-License-Identifier: Apache-2.0

import Calibration
import IMUModel
import Text

/// The next step of a calibration by hand, above the graph.
///
///     lay it so that −y points up, and hold it still for 3 s
///     now: +z up, still for 1.5 s
///     faces +x✓ −x✓ +y✓ −y· +z· −z·   edges xy·· xz·· yz··   turns x· y· z·
///     it moved too early with +z up: hold it still again
struct GuidePicture {
  let guide: CalibrationGuide
  let glyphs: GlyphSet

  static let rows = 4

  func draw(on screen: inout Screen, row: Int) {
    screen.put(glyphs.plain(instruction), row: row, column: 1, .bold)
    screen.put(glyphs.plain(state), row: row + 1, column: 1)
    drawParts(on: &screen, row: row + 2)
    if let trouble = guide.trouble {
      screen.put(glyphs.plain(sentence(trouble)), row: row + 3, column: 1, CellStyle(.alert))
    }
  }

  private var instruction: String {
    switch guide.next {
    case .face(let side): "lay it so that \(name(side)) points up, and hold it still for 3 s"
    case .diagonal(let pose):
      "lay it on an edge, with \(name(pose.first)) and \(name(pose.second)) up alike, and hold it still for 3 s"
    case .turn(let axis):
      "from rest, turn it by 360° about \(name(axis)), and lay it back as it lay, for 3 s"
    case .done: "complete: s ends the recording and calibrates"
    }
  }

  private var state: String {
    let up = guide.up.map { "\(name($0)) up" } ?? "no side up"
    guard let stillFor = guide.stillFor else { return "now: \(up), moving" }
    let state = "now: \(up), still for \(Plain.number(stillFor / 100_000_000, per: 10)) s"
    return guide.isTaken ? state + ": taken, go on" : state
  }

  private func drawParts(on screen: inout Screen, row: Int) {
    var column = 1
    func put(_ text: String, _ style: CellStyle) {
      guard column + CellWidth.of(text) <= screen.columns else { return }
      column = screen.put(text, row: row, column: column, style)
    }
    func part(_ name: String, _ done: Int, of count: Int = 1) {
      put(" " + glyphs.plain(name), done == count ? .bold : .faint)
      for place in 0..<count {
        let isDone = place < done
        put(isDone ? (glyphs.isASCII ? "*" : "✓") : "\(glyphs.zero)", isDone ? .bold : .faint)
      }
    }
    put("faces", .plain)
    for axis in 0..<3 {
      for isPositive in [true, false] {
        let side = CalibrationGuide.Side(axis: axis, isPositive: isPositive)
        part(name(side), guide.faces.contains(side) ? 1 : 0)
      }
    }
    put("   edges", .plain)
    for (axis, other) in CalibrationGuide.planes {
      let count = guide.diagonals.filter { $0.level == 3 - axis - other }.count
      part(name(axis) + name(other), count, of: 2)
    }
    guard guide.hasTurns else { return }
    put("   turns", .plain)
    for axis in 0..<3 { part(name(axis), guide.turns.contains(axis) ? 1 : 0) }
  }

  private func sentence(_ trouble: CalibrationGuide.Trouble) -> String {
    switch trouble {
    case .moved(let side?): "it moved too early with \(name(side)) up: hold it still again"
    case .moved(nil): "it moved too early on an edge: hold it still again"
    case .notWhole(let axis, let degrees):
      "that was a turn by \(Plain.number(degrees, per: 1))° about \(name(axis)):"
        + " turn it by 360° again"
    case .tilted(let axis, let other):
      "it was turned about \(name(axis)) and \(name(other)) at once: turn it again, along an edge of the table"
    case .contradicted(let axis):
      "gravity turned about \(name(axis)) by another angle than its rate says: the rate's scale is wrong"
    case .clipped: "it was turned too fast, or samples are missing: turn it again"
    case .tooSlow: "it was turned so slowly that the rate at rest hides it: turn it faster"
    }
  }

  private func name(_ axis: Int) -> String { ["x", "y", "z"][axis] }

  private func name(_ side: CalibrationGuide.Side) -> String {
    (side.isPositive ? "+" : "−") + name(side.axis)
  }
}

extension GlyphSet {
  fileprivate func plain(_ text: String) -> String {
    guard isASCII else { return text }
    return text.map { $0 == "−" ? "-" : $0 == "°" ? " deg" : "\($0)" }.joined()
  }
}
