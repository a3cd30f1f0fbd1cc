// SPDX-License-Identifier: Apache-2.0

import Graph
public import IMUModel

/// What a graph needs of a recording's sensor.
public struct GraphSensor: Sendable {
  let channels: ChannelSet
  /// g per count.
  private let accelerometerScale: Double
  /// °/s per count.
  private let gyroscopeScale: Double
  /// °C per count, and °C at count 0.
  let temperature: (scale: Double, offset: Double)

  /// The sensor of a recording with these channels.
  public init(_ sensor: SensorDescription, channels: ChannelSet) {
    self.channels = channels
    accelerometerScale = sensor.accelerometerScale.value
    gyroscopeScale = sensor.gyroscopeScale.value
    temperature = (sensor.temperatureScale.value, sensor.temperatureOffset.value)
  }

  /// Panels of its graph, from the top.
  var panels: [PanelKind] { PanelKind.allCases.filter { !channels.isDisjoint(with: $0.channels) } }

  /// Recorded axes of a panel: 0 for x, 1 for y, 2 for z.
  func axes(of kind: PanelKind) -> [Int] {
    (0..<3).filter { channels.rawValue >> UInt8(kind.firstChannel + $0) & 1 == 1 }
  }

  /// A panel's unit per count.
  func scale(_ kind: PanelKind) -> Double {
    kind == .acceleration ? accelerometerScale : gyroscopeScale
  }

  /// The least extent of a panel's y axis: 40 counts, so that noise does not fill it.
  func leastExtent(_ kind: PanelKind) -> Double { 40 * abs(scale(kind)) }

  /// A line's counts in its panel's unit. A negative scale exchanges the ends.
  func values(
    _ counts: ClosedRange<Int32>, of line: GraphLine, _ kind: PanelKind
  ) -> ClosedRange<Double> {
    let scale = line.scale(scale(kind))
    let (one, other) = (Double(counts.lowerBound) * scale, Double(counts.upperBound) * scale)
    return min(one, other)...max(one, other)
  }

  /// A panel's chosen lines, or its axes where it has none of these. A magnitude needs all three axes.
  func lines(of kind: PanelKind, _ choice: LineChoice) -> [GraphLine] {
    let axes = axes(of: kind).compactMap(GraphLine.init(rawValue:))
    let drawable = axes.count == 3 ? GraphLine.allCases : axes
    let chosen = drawable.filter(choice.contains)
    return chosen.isEmpty ? axes : chosen
  }

  /// The lowest and the highest value of a panel's lines, in its unit; `nil` without samples.
  func values(
    _ kind: PanelKind, in envelope: Envelope, _ choice: LineChoice
  ) -> ClosedRange<Double>? {
    var values: ClosedRange<Double>?
    for column in envelope.columns {
      for line in lines(of: kind, choice) {
        guard let found = LineCounts(line, of: kind, in: column) else { continue }
        let own = self.values(found.low...found.high, of: line, kind)
        let known = values ?? own
        values = min(known.lowerBound, own.lowerBound)...max(known.upperBound, own.upperBound)
      }
    }
    return values
  }

  /// A sample as a line of ASCII: `12.345 s  0.006 0.148 0.924 g  19.5 83.2 14.3 deg/s`.
  public func line(_ sample: RawSample, at time: Int64) -> String {
    var line = Figures.time(time, decimals: 3)
    for kind in panels {
      let values = axes(of: kind).map { axis in
        let value = Double(sample[kind.firstChannel + axis]) * scale(kind)
        return (value < 0 ? "-" : "") + Figures.plain(abs(value), kind.decimals)
      }
      line += "  " + values.joined(separator: " ") + " " + kind.unit(GlyphSet(isASCII: true))
    }
    return line
  }
}

enum PanelKind: CaseIterable, Sendable {
  case acceleration
  case rotation

  var channels: ChannelSet { self == .acceleration ? .accelerometer : .gyroscope }
  var firstChannel: Int { self == .acceleration ? 0 : 3 }
  var title: String { self == .acceleration ? "acceleration" : "rotation" }
  /// Decimals of a value beside the graph.
  var decimals: Int { self == .acceleration ? 3 : 1 }

  func unit(_ glyphs: GlyphSet) -> String { self == .acceleration ? "g" : glyphs.degreesPerSecond }
}

enum GraphLine: Int, CaseIterable, Sendable {
  case x
  case y
  case z
  /// The length of the vector: √(x² + y² + z²).
  case magnitude

  private static let inks: [Ink] = [.x, .y, .z, .magnitude]
  private static let letters: [Unicode.Scalar] = ["x", "y", "z", "v"]

  var ink: Ink { GraphLine.inks[rawValue] }

  /// The line's unit per count, where its axes have `scale`: no length is negative.
  func scale(_ scale: Double) -> Double { self == .magnitude ? abs(scale) : scale }

  var name: String { self == .magnitude ? "|v|" : "\(letter)" }

  /// The key that shows and hides it, and its points in ASCII.
  var letter: Unicode.Scalar { GraphLine.letters[rawValue] }
}

/// The lines that a graph shows: at least one.
struct LineChoice: Equatable, Sendable {
  private var shown: [GraphLine] = [.x, .y, .z]

  func contains(_ line: GraphLine) -> Bool { shown.contains(line) }

  /// Shows or hides a key's line; the last one stays. `false` for other keys.
  mutating func handle(_ key: Key) -> Bool {
    guard case .character(let character) = key,
      let line = GraphLine.allCases.first(where: { $0.letter == character })
    else { return false }
    if !shown.contains(line) {
      shown.append(line)
    } else if shown.count > 1 {
      shown.removeAll { $0 == line }
    }
    return true
  }

  static let hint: KeyHint = ("xyzv", "lines")
}

/// The values beside a graph: one sample's, or the lowest and the highest of several.
struct GraphValues: Equatable, Sendable {
  let low: RawSample
  let high: RawSample
  let magnitudes: MagnitudeRange

  init(_ sample: RawSample) {
    (low, high, magnitudes) = (sample, sample, MagnitudeRange(Magnitudes(sample)))
  }

  init(_ reading: Trace.Reading) {
    (low, high, magnitudes) = (reading.low, reading.high, reading.magnitudes)
  }

  /// The lowest and the highest value of a line, in counts.
  func counts(_ line: GraphLine, of kind: PanelKind) -> ClosedRange<Int32> {
    guard line == .magnitude else {
      let channel = kind.firstChannel + line.rawValue
      return Int32(low[channel])...Int32(high[channel])
    }
    return kind.counts(magnitudes.low)...kind.counts(magnitudes.high)
  }
}

extension PanelKind {
  /// The length of its vector, in counts.
  func counts(_ magnitudes: Magnitudes) -> Int32 {
    Int32(self == .acceleration ? magnitudes.acceleration : magnitudes.rotation)
  }
}

/// One line's counts in a column of an envelope.
struct LineCounts {
  let first: Int32
  let last: Int32
  let low: Int32
  let high: Int32

  /// `nil` for a column without samples of the line.
  init?(_ line: GraphLine, of kind: PanelKind, in column: EnvelopeColumn) {
    guard column.sampleCount > 0 else { return nil }
    guard line == .magnitude else {
      let channel = kind.firstChannel + line.rawValue
      first = Int32(column.first[channel])
      last = Int32(column.last[channel])
      low = Int32(column.minimum[channel])
      high = Int32(column.maximum[channel])
      return
    }
    guard let range = column.magnitudes, let from = column.firstMagnitudes,
      let to = column.lastMagnitudes
    else { return nil }
    first = kind.counts(from)
    last = kind.counts(to)
    low = kind.counts(range.low)
    high = kind.counts(range.high)
  }
}
