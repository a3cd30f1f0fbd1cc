import Graph
import IMUModel

/// The values of a panel and where they lie.
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

/// How a channel's line looks: in colours that colour-blind people tell apart, and in dashes.
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

  /// For lines so dense that dashes would be noise, and for points.
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
