// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel

/// A recording as an SVG 1.1 drawing of 960 units width.
///
///     ┌ title ───────────────────────────────┐
///     │ Acceleration in g    ── x  -- y  ·· z│
///     │ 1.0 ┌──────▼──────────░░░──────────┐ │   ▼ mark, ░ gap
///     │ 0.0 │                              │z│
///     │     └──────────────────────────────┘ │
///     │ Angular rate in °/s  …               │
///     │     0     10     20     30        s  │
///     └ sensor, rate, length, … ─────────────┘
struct Drawing {
  /// One graph of the drawing.
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

  private var facts: RecordingFacts { RecordingFacts(plan, account) }

  private var height: Double {
    Drawing.firstTop + Drawing.pitch * Double(panels.count) + 4
      + Drawing.captionPitch * Double(caption.count - 1)
  }

  private static let captionPitch = 16.0

  /// The lines below the panels, as long as the drawing is wide, at some 6 units a letter.
  private var caption: [String] {
    let wanted: Set = ["Started", "Length", "Rate", "Sensor", "Samples"]
    var lines = [""]
    for words in facts.rows.filter({ wanted.contains($0.name) }).map(\.value) {
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

  /// Everything before the panels.
  var head: String {
    let title = MarkupText.escaped(facts.title)
    let size = "\(SVGNumber.text(Drawing.width)) \(SVGNumber.text(height))"
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" version="1.1" viewBox="0 0 \(size)" role="img" \
      font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222">
      <title>\(title)</title>
      <rect width="100%" height="100%" fill="#fff"/>
      <text x="\(SVGNumber.text(Drawing.left))" y="30" font-size="18">\(MarkupText.escaped(shortTitle))</text>

      """
  }

  /// Everything after the panels.
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

  /// The title on one line of the drawing; the `title` element has all of it.
  private var shortTitle: String {
    facts.title.count > 90 ? facts.title.prefix(89) + "…" : facts.title
  }

  /// The horizontal position of a time.
  func x(_ time: Int64) -> Double {
    let length = Double(trace.span.upperBound - trace.span.lowerBound)
    let part = Double(time - trace.span.lowerBound) / length
    return Drawing.left + min(max(part, 0), 1) * (Drawing.right - Drawing.left)
  }

  /// A panel's text, in pieces that do not grow with the recording.
  func parts(of panel: Panel) -> [String] {
    let vertical = VerticalAxis(plan, panel, trace.envelope)
    let name = "\(panel.name) in \(plan.unitSymbol(ofChannel: panel.channels[0]))"
    var parts = ["<g>\n<text x=\"70\" y=\"\(SVGNumber.text(panel.top - 14))\">\(name)</text>\n"]
    parts.append(legend(of: panel))
    parts.append(frame(of: panel, vertical))
    parts.append(bands(of: panel))
    for channel in panel.channels { parts.append(line(channel, vertical)) }
    parts.append(names(of: panel, vertical))
    parts.append(flags(of: panel))
    parts.append("</g>\n")
    return parts
  }

  private func legend(of panel: Panel) -> String {
    var text = ""
    for (index, channel) in panel.channels.enumerated() {
      let style = LineStyle(channel: channel)
      let begin = 690 + 80 * Double(index)
      let y = SVGNumber.text(panel.top - 18)
      text += "<path d=\"M\(SVGNumber.text(begin)) \(y)h40\" \(style.attributes)/>"
      text +=
        "<text x=\"\(SVGNumber.text(begin + 46))\" y=\"\(SVGNumber.text(panel.top - 14))\">"
        + "\(style.name)</text>\n"
    }
    return text
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
    let times = TimeTicks(trace.span.lowerBound...trace.span.upperBound, atMost: 9)
    for tick in times.ticks {
      let x = SVGNumber.text(x(tick.time))
      text += "<path d=\"M\(x) \(SVGNumber.text(panel.top))V\(SVGNumber.text(bottom + 4))\"/>"
      labels +=
        "<text x=\"\(x)\" y=\"\(SVGNumber.text(bottom + 18))\" text-anchor=\"middle\">\(tick.label)</text>"
    }
    labels +=
      "<text x=\"500\" y=\"\(SVGNumber.text(bottom + 36))\" text-anchor=\"middle\">Time in \(times.unit)</text>"
    return text + "\n</g>\n" + labels + "\n"
  }

  private func bands(of panel: Panel) -> String {
    var text = ""
    for hole in trace.holes {
      let begin = x(hole.lowerBound)
      let width = SVGNumber.text(max(x(hole.upperBound) - begin, 0.6))
      text +=
        "<rect class=\"gap\" x=\"\(SVGNumber.text(begin))\" y=\"\(SVGNumber.text(panel.top))\" width=\"\(width)\" "
        + "height=\"\(SVGNumber.text(Drawing.panelHeight))\" fill=\"#b3261e\" fill-opacity=\"0.2\"/>\n"
    }
    return text
  }

  /// A line: every sample where there are few, the peaks of each column where there are many.
  private func line(_ channel: Int, _ vertical: VerticalAxis) -> String {
    var path = ""
    var dots = ""
    var previous: Int?
    var travel = 0.0
    let columns = trace.envelope.columns
    for (index, column) in columns.enumerated() where column.sampleCount > 0 {
      func point(_ time: Int64, _ sample: RawSample) -> String {
        "\(SVGNumber.text(x(time))) \(SVGNumber.text(vertical.y(count: sample[channel])))"
      }
      let isJoined = previous.map { trace.envelope.joins($0, index) } ?? false
      let start = point(column.firstTime, column.first)
      path += (isJoined ? "L" : "M") + start
      if column.sampleCount > 2 {
        travel += abs(
          vertical.y(count: column.minimum[channel]) - vertical.y(count: column.maximum[channel]))
        let middle = (column.firstTime + column.lastTime) / 2
        path += "L" + point(middle, column.minimum) + "L" + point(middle, column.maximum)
      }
      if column.sampleCount > 1 { path += "L" + point(column.lastTime, column.last) }
      // A sample between two gaps has no line: a point of no length, drawn by the round ends of lines.
      if !isJoined, column.sampleCount == 1 { dots += "M\(start)h0" }
      previous = index
    }
    guard !path.isEmpty else { return "" }
    let style = LineStyle(channel: channel)
    // Dashes of a line that rises and falls in every column would look like noise.
    let isDense = travel > 4 * Double(columns.count)
    return "<path d=\"\(path)\" \(isDense ? style.solidAttributes : style.attributes)/>\n"
      + (dots.isEmpty ? "" : "<path d=\"\(dots)\" \(style.solidAttributes)/>\n")
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

  private func flags(of panel: Panel) -> String {
    let top = SVGNumber.text(panel.top)
    var text = ""
    var free = 0.0
    for case .mark(let mark) in account.marks.items where trace.span.contains(mark.time) {
      let place = x(mark.time)
      let x = SVGNumber.text(place)
      text +=
        "<path class=\"mark\" d=\"M\(x) \(top)v\(SVGNumber.text(Drawing.panelHeight))\" stroke=\"#7a3fb0\" "
        + "stroke-dasharray=\"1 3\" fill=\"none\"/>"
        + "<path d=\"M\(x) \(SVGNumber.text(panel.top + 7))l-5 -8h10z\" fill=\"#7a3fb0\"/>"
      guard place >= free, !mark.label.isEmpty else { continue }
      let label = mark.label.count > 24 ? mark.label.prefix(23) + "…" : mark.label
      // Near the right end a label stands on the mark's other side.
      let length = 7 * Double(label.count)
      let isLeft = place + 7 + length > Drawing.right
      let anchor = isLeft ? " text-anchor=\"end\"" : ""
      text +=
        "<text x=\"\(SVGNumber.text(isLeft ? place - 7 : place + 7))\" "
        + "y=\"\(SVGNumber.text(panel.top + 12))\" font-size=\"12\" fill=\"#7a3fb0\"\(anchor)>"
        + "\(MarkupText.escaped(label))</text>\n"
      free = place + 14 + length
    }
    return text
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
    let factors = plan.line(ofChannel: panel.channels[0]).factors
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

/// The style of a channel's line: colours that colour-blind people can distinguish, and dashes.
struct LineStyle {
  let name: String
  let colour: String
  private let dashes: String

  init(channel: Int) {
    switch channel % 3 {
    case 0: (name, colour, dashes) = ("x", "#c04a00", "")
    case 1: (name, colour, dashes) = ("y", "#0067ad", " stroke-dasharray=\"7 3\"")
    default: (name, colour, dashes) = ("z", "#007a55", " stroke-dasharray=\"1.5 2\"")
    }
  }

  var attributes: String {
    "fill=\"none\" stroke=\"\(colour)\" stroke-width=\"1.3\" stroke-linejoin=\"round\"\(dashes)"
  }

  /// For lines so dense that dashes would look like noise, and for points.
  var solidAttributes: String {
    "fill=\"none\" stroke=\"\(colour)\" stroke-width=\"0.8\" stroke-linejoin=\"round\" stroke-linecap=\"round\""
  }
}

/// Coordinates with two decimals at most.
enum SVGNumber {
  /// `value` rounded to a hundredth; values that are not finite or beyond any drawing become 0.
  static func text(_ value: Double) -> String {
    guard value.magnitude < 1e9 else { return "0" }
    return Plain.number(Int64((value * 100).rounded()), per: 100)
  }
}
