public import Graph
public import IMUModel

/// A graph as it is at one moment: what is in sight, and of what.
public struct GraphPicture: Sendable {
  /// Whose samples.
  public var sensor: GraphSensor
  /// The samples in sight, a column of it for each column of dots.
  public var envelope: Envelope
  /// The y axis of the accelerations, in g; `nil` where nothing is known yet.
  public var acceleration: ClosedRange<Double>?
  /// The y axis of the rotations, in °/s.
  public var rotation: ClosedRange<Double>?
  /// Times of the marks.
  public var marks: [Int64]
  /// Where a line stands.
  public var cursor: Int64?
  /// The values after the names of the axes: the least and the greatest counts.
  public var values: (low: RawSample, high: RawSample)?

  /// A picture without marks, cursor and values.
  public init(
    sensor: GraphSensor, envelope: Envelope, acceleration: ClosedRange<Double>?,
    rotation: ClosedRange<Double>?
  ) {
    self.sensor = sensor
    self.envelope = envelope
    self.acceleration = acceleration
    self.rotation = rotation
    marks = []
  }

  /// Cells at the left that the y axis takes.
  static let axisWidth = 8

  /// Cells that a graph is wide on a screen.
  public static func plotColumns(screenColumns: Int) -> Int {
    max(1, screenColumns - axisWidth - 1)
  }

  /// An empty envelope for a screen.
  public static func envelope(
    covering span: Range<Int64>, screenColumns: Int, look: Look
  ) -> Envelope {
    let across = look.isASCII ? LetterCanvas.dotsAcross : BrailleCanvas.dotsAcross
    return Envelope(
      covering: span, columns: across * plotColumns(screenColumns: screenColumns))
  }

  func range(_ kind: PanelKind) -> ClosedRange<Double>? {
    kind == .acceleration ? acceleration : rotation
  }

  /// The range of one panel's values in sight, in its unit.
  public static func values(
    _ envelope: Envelope, _ sensor: GraphSensor, acceleration: Bool
  ) -> ClosedRange<Double>? {
    let kind: PanelKind = acceleration ? .acceleration : .rotation
    let channels = sensor.channels.intersection(kind.channels)
    guard let counts = envelope.range(of: channels) else { return nil }
    let scale = sensor.scale(kind)
    return Double(counts.lowerBound) * scale...Double(counts.upperBound) * scale
  }

  /// The least extent of a panel's y axis: some counts.
  public static func leastExtent(_ sensor: GraphSensor, acceleration: Bool) -> Double {
    40 * sensor.scale(acceleration ? .acceleration : .rotation)
  }
}
