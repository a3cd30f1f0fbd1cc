// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel
import Text

/// A recording as an SVG 1.1 drawing of 960 units width, and of at most 170 kB whatever the recording is:
///
///     6 lines of 1433 columns, of two points each, 13 bytes a column     112 kB
///     2 panels of at most 717 gaps, of 9 bytes each                       13 kB
///     2 panels of at most 430 marks, of 9 bytes, and 86 flags             11 kB
///     2 panels of at most 430 bars of labels, of 2 × 9 bytes              15 kB
///     words of marks and labels, titles, axes                             18 kB
///
/// A column has either a line or a gap, so that the sum is less.
///
///     ┌ title ───────────────────────────────┐
///     │ Acceleration in g    ── x  -- y  ·· z│
///     │ 1.0 ┌──────▼──────────░░░──────────┐ │   ▼ mark, ░ gap
///     │ 0.0 │    ├walking──                │z│
///     │     └──────────────────────────────┘ │
///     │ Angular rate in °/s  …               │
///     │     0     10     20     30        s  │
///     └ sensor, rate, length, … ─────────────┘
struct Drawing {
  struct Panel {
    let name: String
    /// Positions of its channels, in `ChannelSet`.
    let channels: [Int]
    let top: Double
  }

  static let width = 960.0
  static let left = 70.0
  static let right = 930.0
  static let panelHeight = 220.0
  private static let firstTop = 84.0
  private static let pitch = 296.0

  let plan: ExportPlan
  let account: LogAccount
  let trace: DrawingTrace
  let marks: DrawingMarks
  let labels: DrawingLabels

  var panels: [Panel] {
    var panels: [Panel] = []
    for (name, channels) in [("Acceleration", [0, 1, 2]), ("Angular rate", [3, 4, 5])] {
      let recorded = channels.filter { plan.channels.contains($0) }
      guard !recorded.isEmpty else { continue }
      let top = Drawing.firstTop + Drawing.pitch * Double(panels.count)
      panels.append(Panel(name: name, channels: recorded, top: top))
    }
    return panels
  }

  private var facts: RecordingFacts { RecordingFacts(plan: plan, account: account) }

  private var height: Double {
    Drawing.firstTop + Drawing.pitch * Double(panels.count) + 4
      + Drawing.captionPitch * Double(caption.count - 1)
  }

  private static let captionPitch = 16.0

  /// The lines below the panels, as long as the drawing is wide, at some 6 units a letter.
  private var caption: [String] {
    let wanted: Set = [
      "Times", "Started", "Length", "Rate", "Sensor", "Axes", "Calibrated", "Samples",
    ]
    var lines = [""]
    var parts = [account.verdict] + facts.rows.filter { wanted.contains($0.name) }.map(\.value)
    for (count, name, words) in [
      (marks.silent, "mark", "words"), (labels.silent, "label", "the name"),
    ] where count > 0 {
      parts.append("\(Plain.count(count, name)) without room for \(words)")
    }
    for words in parts.map({ Drawing.cut($0, 130) }) {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = words
      } else if line.count + 3 + words.count <= 130 {
        lines[lines.count - 1] = line + " · " + words
      } else {
        lines.append(words)
      }
    }
    return lines
  }

  var head: String {
    let title = MarkupText.escaped(Drawing.cut(facts.title, 300))
    let line = MarkupText.escaped(Drawing.cut(facts.title, 90))
    let size = "\(SVGNumber.text(Drawing.width)) \(SVGNumber.text(height))"
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" version="1.1" viewBox="0 0 \(size)" role="img" \
      font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222">
      <title>\(title)</title>
      <rect width="100%" height="100%" fill="#fff"/>
      <text x="\(SVGNumber.text(Drawing.left))" y="30" font-size="18">\(line)</text>

      """
  }

  var tail: String {
    let lines = caption
    let text = lines.enumerated().map { index, words in
      let y = height - 14 - Drawing.captionPitch * Double(lines.count - 1 - index)
      return
        "<text x=\"\(SVGNumber.text(Drawing.left))\" y=\"\(SVGNumber.text(y))\" font-size=\"12\" fill=\"#555\">"
        + "\(MarkupText.escaped(words))</text>\n"
    }
    return text.joined() + "</svg>\n"
  }

  /// A text of at most `most` Unicode scalars: a single letter may have thousands of accents.
  static func cut(_ text: String, _ most: Int) -> String {
    let scalars = text.unicodeScalars
    return scalars.count > most ? String(scalars.prefix(most - 1)) + "…" : text
  }

  private func x(_ time: Int64) -> Double { Drawing.x(time, in: trace.span) }

  static func x(_ time: Int64, in span: Range<Int64>) -> Double {
    let length = Double(span.upperBound - span.lowerBound)
    let part = Double(time - span.lowerBound) / length
    return Drawing.left + min(max(part, 0), 1) * (Drawing.right - Drawing.left)
  }

  /// A panel's text, in pieces that do not grow with the recording.
  func parts(of panel: Panel) -> [String] {
    let vertical = VerticalAxis(plan, panel, trace.envelope)
    let name = "\(panel.name) in \(plan.unit(ofChannel: panel.channels[0]).symbol)"
    var parts = ["<g>\n<text x=\"70\" y=\"\(SVGNumber.text(panel.top - 14))\">\(name)</text>\n"]
    parts += panel.channels.enumerated().map { index, channel in
      LineStyle(channel: channel).legend(index, y: panel.top - 18)
    }
    parts.append(frame(of: panel, vertical))
    parts.append(bands(of: panel))
    for channel in panel.channels { parts.append(line(channel, vertical)) }
    parts.append(names(of: panel, vertical))
    parts.append(flags(of: panel))
    parts.append(bars(of: panel))
    parts.append("</g>\n")
    return parts
  }

  private func frame(of panel: Panel, _ vertical: VerticalAxis) -> String {
    let bottom = panel.top + Drawing.panelHeight
    var text = "<g stroke=\"#ccc\" stroke-width=\"0.7\">\n"
    var labels = ""
    for tick in vertical.ticks {
      let y = SVGNumber.text(vertical.y(value: tick.value))
      text += "<path d=\"M70 \(y)H930\"/>"
      let lower = SVGNumber.text(vertical.y(value: tick.value) + 4.5)
      labels += "<text x=\"62\" y=\"\(lower)\" text-anchor=\"end\">\(tick.label)</text>"
    }
    let span = plan.sinceZero(trace.span.lowerBound)...plan.sinceZero(trace.span.upperBound)
    let times = TimeTicks(span, atMost: 9)
    for tick in times.ticks {
      let x = SVGNumber.text(x(plan.zero + tick.time))
      text += "<path d=\"M\(x) \(SVGNumber.text(panel.top))V\(SVGNumber.text(bottom + 4))\"/>"
      labels +=
        "<text x=\"\(x)\" y=\"\(SVGNumber.text(bottom + 18))\" text-anchor=\"middle\">\(tick.label)</text>"
    }
    labels +=
      "<text x=\"500\" y=\"\(SVGNumber.text(bottom + 36))\" text-anchor=\"middle\">Time in \(times.unit)</text>"
    return text + "\n</g>\n" + labels + "\n"
  }

  /// The gaps: one line as thick as the panel is high.
  private func bands(of panel: Panel) -> String {
    guard !trace.holes.isEmpty else { return "" }
    let middle = panel.top + Drawing.panelHeight / 2
    var path = DrawingPath()
    for hole in trace.holes {
      let begin = x(hole.lowerBound)
      path.line(from: (begin, middle), to: (max(x(hole.upperBound), begin + 0.6), middle))
    }
    return "<path class=\"gap\" d=\"\(path.data)\" \(DrawingPath.transform) stroke=\"#b3261e\" "
      + "stroke-opacity=\"0.2\" stroke-width=\"\(Int(Drawing.panelHeight * 10))\"/>\n"
  }

  /// A line: every sample where there are few, the peaks of each column where there are many.
  private func line(_ channel: Int, _ vertical: VerticalAxis) -> String {
    let envelope = trace.envelope
    let filled = envelope.columns.indices.filter { envelope.columns[$0].sampleCount > 0 }
    guard !filled.isEmpty else { return "" }
    var path = DrawingPath()
    // Samples between two gaps have no line.
    var dots = DrawingPath()
    var travel = 0.0
    var wasJoined = false
    /// Where the line has got to: the nearer end of the next column's peaks comes first.
    var height = 0.0
    for (place, index) in filled.enumerated() {
      let column = envelope.columns[index]
      let isJoined = place + 1 < filled.count && envelope.joins(index, filled[place + 1])
      defer { wasJoined = isJoined }
      let first = vertical.y(count: column.first[channel])
      if column.sampleCount == 1 {
        let point = (x(column.firstTime), first)
        if wasJoined { path.line(to: point) } else if isJoined { path.move(to: point) }
        if !wasJoined, !isJoined { dots.dot(at: point) }
        height = first
        continue
      }
      var ends = [
        vertical.y(count: column.minimum[channel]), vertical.y(count: column.maximum[channel]),
      ]
      travel += abs(ends[0] - ends[1])
      let before = wasJoined ? height : first
      if abs(ends[1] - before) < abs(ends[0] - before) { ends.swapAt(0, 1) }
      let middle = x(column.firstTime / 2 + column.lastTime / 2)
      if wasJoined { path.line(to: (middle, ends[0])) } else { path.move(to: (middle, ends[0])) }
      path.line(to: (middle, ends[1]))
      if ends[0] == ends[1], !wasJoined, !isJoined { dots.dot(at: (middle, ends[0])) }
      height = ends[1]
    }
    let style = LineStyle(channel: channel)
    // Dashes of a line that rises and falls in every column would look like noise.
    let isDense = travel > 4 * Double(envelope.columns.count)
    let attributes = isDense ? style.solidAttributes : style.attributes
    return (path.data.isEmpty ? "" : "<path d=\"\(path.data)\" \(attributes)/>\n")
      + (dots.data.isEmpty ? "" : "<path d=\"\(dots.data)\" \(style.solidAttributes)/>\n")
  }

  /// Letters at the ends of the lines, which distinguish them without colour, moved so that they do not overlap.
  private func names(of panel: Panel, _ vertical: VerticalAxis) -> String {
    guard let last = trace.envelope.columns.last(where: { $0.sampleCount > 0 })?.last else {
      return ""
    }
    let places = panel.channels.map { (channel: $0, y: vertical.y(count: last[$0])) }
      .sorted { $0.y < $1.y }
    var text = ""
    var free = panel.top
    for place in places {
      let y = max(place.y, free)
      free = y + 13
      let style = LineStyle(channel: place.channel)
      text +=
        "<text x=\"936\" y=\"\(SVGNumber.text(y + 4))\" fill=\"\(style.colour)\" font-weight=\"bold\">"
        + "\(style.name)</text>\n"
    }
    return text
  }

  /// Labels and those of their names for which there is room.
  private func bars(of panel: Panel) -> String {
    guard !labels.bars.isEmpty else { return "" }
    let bottom = panel.top + Drawing.panelHeight - 5
    var path = DrawingPath()
    for bar in labels.bars { path.line(from: (bar.begin, bottom), to: (bar.end, bottom)) }
    for place in labels.begins { path.line(from: (place, bottom - 4), to: (place, bottom + 4)) }
    return
      "<path class=\"label\" d=\"\(path.data)\" \(DrawingPath.transform) stroke=\"#00695c\" "
      + "stroke-width=\"20\" fill=\"none\"/>\n" + text(labels.words, at: bottom - 4, "#00695c")
  }

  /// Marks and those of their words for which there is room.
  private func flags(of panel: Panel) -> String {
    guard !marks.lines.isEmpty else { return "" }
    var (lines, flags) = (DrawingPath(), DrawingPath())
    let (top, foot) = (panel.top - 1, panel.top + 7)
    for place in marks.lines {
      lines.line(from: (place, panel.top), to: (place, panel.top + Drawing.panelHeight))
    }
    for place in marks.flags {
      flags.line(from: (place, foot), to: (place - 5, top), (place + 5, top), (place, foot))
    }
    return
      "<path class=\"mark\" d=\"\(lines.data)\" \(DrawingPath.transform) stroke=\"#7a3fb0\" "
      + "stroke-width=\"10\" stroke-dasharray=\"10 30\" fill=\"none\"/>"
      + "<path d=\"\(flags.data)\" \(DrawingPath.transform) fill=\"#7a3fb0\"/>\n"
      + text(marks.words, at: panel.top + 12, "#7a3fb0")
  }

  private func text(_ words: [DrawingMarks.Words], at y: Double, _ colour: String) -> String {
    words.map { words in
      let anchor = words.isLeft ? " text-anchor=\"end\"" : ""
      return "<text x=\"\(SVGNumber.text(words.x))\" y=\"\(SVGNumber.text(y))\" "
        + "font-size=\"12\" fill=\"\(colour)\"\(anchor)>\(MarkupText.escaped(words.text))</text>\n"
    }.joined()
  }
}

/// The vertical axis of a panel: its range and its labels.
struct VerticalAxis {
  let ticks: [AxisTicks.Tick]
  private let range: ClosedRange<Double>
  private let scale: Double
  private let top: Double

  /// A range with some room around the lowest and highest count of the panel's channels.
  init(_ plan: ExportPlan, _ panel: Drawing.Panel, _ envelope: Envelope) {
    let factors = plan.line(ofChannel: panel.channels[0], in: plan.units).factors
    let scale = factors.reduce(1.0) { $0 * $1.value }
    let channels = ChannelSet(rawValue: panel.channels.reduce(0) { $0 | 1 << UInt8($1) })
    let counts = envelope.range(of: channels) ?? 0...0
    let ends = [Double(counts.lowerBound) * scale, Double(counts.upperBound) * scale].sorted()
    let room = max((ends[1] - ends[0]) * 0.06, abs(scale) * 4)
    range = (ends[0] - room)...(ends[1] + room)
    self.scale = scale
    top = panel.top
    ticks = AxisTicks(range, atMost: 6).ticks
  }

  func y(value: Double) -> Double {
    let part = (range.upperBound - value) / (range.upperBound - range.lowerBound)
    return top + (part.isFinite ? part : 0.5) * Drawing.panelHeight
  }

  func y(count: Int16) -> Double { y(value: Double(count) * scale) }
}

/// Coordinates with two decimals at most.
enum SVGNumber {
  /// `value` rounded to a hundredth; values that are not finite or beyond any drawing become 0.
  static func text(_ value: Double) -> String {
    guard value.magnitude < 1e9 else { return "0" }
    return Plain.number(value, per: 100)
  }
}
