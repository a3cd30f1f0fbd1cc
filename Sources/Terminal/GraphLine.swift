// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel

enum GraphLine: Int, CaseIterable, Sendable {
  case x
  case y
  case z
  /// The length of the vector: √(x² + y² + z²).
  case magnitude

  var ink: Ink {
    switch self {
    case .x: .x
    case .y: .y
    case .z: .z
    case .magnitude: .magnitude
    }
  }

  /// The line's unit per count, where its axes have `scale`: no length is negative.
  func scale(_ scale: Double) -> Double { self == .magnitude ? abs(scale) : scale }

  var name: String { self == .magnitude ? "|v|" : "\(letter)" }

  /// The key that shows and hides it, and its points in ASCII.
  var letter: Unicode.Scalar {
    switch self {
    case .x: "x"
    case .y: "y"
    case .z: "z"
    case .magnitude: "v"
    }
  }
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
