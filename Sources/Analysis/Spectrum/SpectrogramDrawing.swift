// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel
import Text

/// A spectrogram as an SVG 1.1 drawing of 960 by 480 units, of at most 250 kB whatever the recording is.
///
///     ┌ title ──────────────────────────────┐
///     │ Hz ┌───────────────────────────┐ dB │
///     │    │▒▒▒░░░▒▒▒                  │ █  │   █ the colours with their values
///     │    └───────────────────────────┘ ▒  │
///     └────── time ─────────────────────────┘     the cells from 70 to 850 and from 60 to 420
///
/// Colours rise in lightness and are told apart by colour-blind people; the sheet is white or, where the reader's screen is
/// dark, dark. Within a page the drawing has neither sheet nor style of its own: the page styles the class `line`.
package struct SpectrogramDrawing {
  /// From low to high: twelve of matplotlib's viridis.
  private static let colours = [
    "#440154", "#482173", "#433e85", "#38588c", "#2d708e", "#25858e", "#1e9b8a", "#2ab07f",
    "#52c569", "#86d549", "#c2df23", "#fde725",
  ]

  private let spectrogram: Spectrogram
  private let number: UInt32
  /// Decibels from the darkest colour to the lightest.
  private let range: ClosedRange<Double>

  /// - Parameter number: The recording's number in its store.
  package init(_ spectrogram: Spectrogram, number: UInt32) {
    self.spectrogram = spectrogram
    self.number = number
    // Most cells are noise: their level, and what stands out of it.
    let values = spectrogram.columns.joined().sorted()
    let high = values.last.map(Double.init) ?? 0
    let low = values.isEmpty ? high : Double(values[values.count / 20])
    range = max(low, high - 90)...max(high, max(low, high - 90) + 12)
  }

  /// Gives the drawing's text, in pieces of at most a row of cells.
  ///
  /// - Parameter isInPage: Whether it becomes an element of an HTML page and not a file.
  package func write<Failure>(
    isInPage: Bool = false, _ put: (String) throws(Failure) -> Void
  ) throws(Failure) {
    let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    try put((isInPage ? opening : declaration + opening + sheet) + beforeCells)
    for (level, colour) in SpectrogramDrawing.colours.enumerated() {
      try put("<path stroke=\"\(colour)\" d=\"")
      for row in 0..<spectrogram.rows { try put(runs(ofRow: row, level)) }
      try put("\"/>\n")
    }
    try put("</g>\n" + frequencies + times + key + "</svg>\n")
  }

  private var title: String { "Recording \(number): \(spectrogram.title)" }

  private var opening: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" version="1.1" viewBox="0 0 960 480" role="img" \
    font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222">
    <title>\(title)</title>

    """
  }

  private var sheet: String {
    """
    <style>.sheet { fill: #fff } .line { stroke: #888; fill: none }
    @media (prefers-color-scheme: dark) { svg { fill: #ddd } .sheet { fill: #181818 } }</style>
    <rect class="sheet" fill="#fff" width="100%" height="100%"/>

    """
  }

  private var beforeCells: String {
    """
    <text x="70" y="36" font-size="18">\(title)</text>
    <g fill="none" shape-rendering="crispEdges" stroke-width="1.05" transform="\(cells)">

    """
  }

  /// From cells, counted from the lower left corner, to the drawing's units.
  private var cells: String {
    let (across, up) = (780 / Double(spectrogram.columns.count), 360 / Double(spectrogram.rows))
    return "translate(70 \(decimal(420 - up / 2))) scale(\(decimal(across)) -\(decimal(up)))"
  }

  private func level(_ column: Int, _ row: Int) -> Int? {
    guard column < spectrogram.columns.count, !spectrogram.columns[column].isEmpty else {
      return nil
    }
    let last = SpectrogramDrawing.colours.count - 1
    let part =
      (Double(spectrogram.columns[column][row]) - range.lowerBound)
      / (range.upperBound - range.lowerBound)
    return Int(min(max(part * Double(last + 1), 0), Double(last)))
  }

  /// The cells of a row that have a level, joined where they are neighbours; in units of a cell, from the last one on.
  private func runs(ofRow row: Int, _ level: Int) -> String {
    var text = ""
    var column = 0
    var last: Int?
    while column < spectrogram.columns.count {
      guard self.level(column, row) == level else {
        column += 1
        continue
      }
      let begin = column
      while self.level(column, row) == level { column += 1 }
      text += last.map { "m\(begin - $0) 0" } ?? "M\(begin) \(row)"
      text += "h\(column - begin)"
      last = column
    }
    return text
  }

  private var frequencies: String {
    // A cell reaches half a step below and above its frequency, and the lowest is a step above 0.
    let lowest = spectrogram.top / Double(spectrogram.rows) / 2
    let ticks = AxisTicks(lowest...max(spectrogram.top + lowest, 1e-9), atMost: 8).ticks
    let labels = ticks.map { tick in
      let y = 420 - 360 * (tick.value - lowest) / spectrogram.top
      return "<path class=\"line\" stroke=\"#888\" d=\"M65 \(decimal(y))H70\"/>"
        + "<text x=\"60\" y=\"\(decimal(y + 4.5))\" text-anchor=\"end\">\(tick.label)</text>\n"
    }
    return labels.joined()
      + "<text transform=\"translate(18 240) rotate(-90)\" text-anchor=\"middle\">"
      + "Frequency in Hz</text>\n"
      + "<rect class=\"line\" fill=\"none\" stroke=\"#888\" x=\"70\" y=\"60\" width=\"780\" height=\"360\"/>\n"
  }

  private var times: String {
    let span = spectrogram.span
    let axis = TimeTicks(span.lowerBound...span.upperBound, atMost: 9)
    let length = Double(span.upperBound - span.lowerBound)
    let labels = axis.ticks.map { tick in
      let x = 70 + 780 * Double(tick.time - span.lowerBound) / length
      return "<path class=\"line\" stroke=\"#888\" d=\"M\(decimal(x)) 420V425\"/>"
        + "<text x=\"\(decimal(x))\" y=\"440\" text-anchor=\"middle\">\(tick.label)</text>\n"
    }
    return labels.joined()
      + "<text x=\"460\" y=\"464\" text-anchor=\"middle\">Time in \(axis.unit)</text>\n"
  }

  /// The colours with their decibels.
  private var key: String {
    let height = 360 / Double(SpectrogramDrawing.colours.count)
    let boxes = SpectrogramDrawing.colours.enumerated().map { level, colour in
      "<rect x=\"870\" y=\"\(decimal(420 - height * Double(level + 1)))\" width=\"18\" "
        + "height=\"\(decimal(height))\" fill=\"\(colour)\"/>"
    }
    let labels = AxisTicks(range, atMost: 8).ticks.map { tick in
      let part = (tick.value - range.lowerBound) / (range.upperBound - range.lowerBound)
      return
        "<text x=\"893\" y=\"\(decimal(424.5 - 360 * part))\">\(tick.label)</text>"
    }
    return boxes.joined() + "\n" + labels.joined(separator: "\n")
      + "\n<text x=\"870\" y=\"50\">dB</text>\n"
  }

  private func decimal(_ value: Double) -> String {
    Plain.number(value, per: 10_000)
  }
}
