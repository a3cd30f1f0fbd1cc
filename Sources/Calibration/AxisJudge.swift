// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// Judges by turns in gravity whether the two sensors' axes agree: their order, their signs, and the scale of each rate.
///
/// A sensor that turns by a small angle φ sees gravity turn the other way: Δa = −φ × a. So a × Δa is −φ without its part along
/// gravity. The gyroscope records φ as g, by a matrix K that is 1 where the sensors agree:
///
///     a × Δa = −(│a│² − a aᵀ) K g      over turns of some 10° between windows of a tenth of a second with │a│ near 1 g
///
/// Least squares find K. Its column p shows about which of the accelerometer's axes, and how many times as far, gravity turns
/// when the gyroscope's axis p turns. Axes Q of the accelerometer give det(Q) · Q, always a rotation: gravity is twice in
/// a × Δa, so Q and −Q look the same. Axes exchanged alike in both sensors, by the mounting, show only if mirrored.
package struct AxisJudge {
  /// What gravity does when one of the gyroscope's axes turns.
  package struct Column: Equatable, Sendable {
    /// The accelerometer's axis about which it turns: 0 for x.
    package let axis: Int
    /// How many times as far as by the rate; negative for the other way.
    package let factor: Double
  }

  package enum Verdict: Equatable, Sendable {
    /// Gravity was not turned enough about any axis that answers.
    case notTurned
    /// Axes in no order explain what was seen.
    case unclear
    /// By axis of the gyroscope; `nil` for one that was not turned enough, which not all are.
    case columns([Column?])
  }

  private let length: Int
  private let mostWindows: Int
  private let gPerCount: Double
  private let radiansPerCount: Double
  private var count = 0
  private var nextTick: UInt64 = 0
  private var sums = SIMD8<Int64>(repeating: 0)
  private var before: (acceleration: Vector3, turn: Vector3)?
  /// The open turn: the acceleration at its beginning, g since then, and its windows.
  private var open = (acceleration: Vector3(), turn: Vector3(), windowCount: 0)
  /// K's columns, one after the other.
  private var equations = NormalEquations(unknowns: 9)
  private var seenSquares = 0.0
  /// By axis of the gyroscope, the squared turn across gravity for each of the accelerometer's axes.
  private var turned = [Vector3](repeating: Vector3(), count: 3)
  private var turnCount = 0
  private var windowCount = 0
  private var silence = SilentAxes()

  /// In nanoseconds: a window above a fifth of a second cannot follow a hand.
  private static let window: Int64 = 100_000_000
  /// The largest distance of an acceleration from 1 g, in g: a hand's own then turns the direction by 6°.
  private static let pull = 0.1
  /// Turns in radians: smaller ones may be a chip's zero-rate level, larger ones are not small angles.
  private static let angles = 0.05...0.5
  /// The angle that ends a turn, in radians: 10°.
  private static let wholeAngle = 0.17
  /// Most ns of a turn: one below 5 °/s may be a change of the rate at rest. Without a known one a turn is one window.
  private static let longest = 2_000_000_000.0
  /// The least of ``turned``: eight turns of 10° are 0.12 where gravity shows half of them.
  private static let leastTurn = 0.1
  /// The least part of what was seen that K explains; a swinging hand's own acceleration follows its turns, and explains less.
  private static let leastExplained = 0.8
  /// The largest standard deviation of K's elements.
  private static let largestDeviation = 0.15
  /// The largest other element of a column, as a part of its main one.
  private static let largestOther = 0.5
  /// The least windows in all turns.
  private static let leastWindows = 30

  package init(_ sensor: SensorDescription, rate: SampleRate) {
    length = Int(clamping: rate.tick(atNanoseconds: AxisJudge.window))
    gPerCount = sensor.accelerometerScale.value
    radiansPerCount = sensor.gyroscopeScale.value * Double.pi / 180 / rate.hertz
    mostWindows =
      Int((AxisJudge.longest / 1e9 * rate.hertz / Double(max(1, length))).rounded(.up))
  }

  /// - Parameter bias: The gyroscope's zero-rate level in counts, once known.
  package mutating func add(_ tick: UInt64, _ sample: RawSample, bias: Vector3?) {
    guard length > 0 else { return }
    if tick != nextTick {
      (count, before) = (0, nil)
      silence.restart()
    }
    if count == 0 { sums = SIMD8(repeating: 0) }
    sums &+= SIMD8<Int64>(
      truncatingIfNeeded: SIMD8<Int16>(
        sample.ax, sample.ay, sample.az, sample.gx, sample.gy, sample.gz, 0, 0))
    (count, nextTick) = (count + 1, tick &+ 1)
    if count == length { close(bias) }
  }

  /// Compares the window's mean acceleration with the last one's. Between their middles lies half of the turn in each.
  private mutating func close(_ bias: Vector3?) {
    let scale = gPerCount / Double(count)
    let a = Vector3(Double(sums[0]), Double(sums[1]), Double(sums[2])) * scale
    let rate = Vector3(Double(sums[3]), Double(sums[4]), Double(sums[5]))
    let turn = (rate - (bias ?? Vector3()) * Double(count)) * radiansPerCount
    defer { (before, count) = ((a, turn), 0) }
    guard AxisJudge.isGravity(a), let before else {
      open = (a, Vector3(), 0)
      return silence.restart()
    }
    let turned = (turn + before.turn) / 2
    let middle = (a + before.acceleration) / 2
    let seen = middle.cross(a - before.acceleration)
    if turned.length > AxisJudge.angles.upperBound {
      silence.restart()
    } else if bias != nil, AxisJudge.isGravity(before.acceleration) {
      // Less a × (a × φ), the part that the gyroscope explains.
      let said = middle * (middle * turned).sum() - turned * (middle * middle).sum()
      silence.add(seen - said, middle, turned: turned)
    }
    guard AxisJudge.isGravity(before.acceleration) else {
      open = (a, Vector3(), 0)
      return
    }
    extend(turned, until: a, from: before.acceleration, isBiasKnown: bias != nil)
  }

  /// Adds the turn between two windows' accelerations to the open turn, and takes that once it is whole.
  private mutating func extend(
    _ turned: Vector3, until a: Vector3, from before: Vector3, isBiasKnown: Bool
  ) {
    if (open.turn + turned).length < open.turn.length {
      // It turns back.
      take(until: before)
      open = (before, Vector3(), 0)
    }
    open.turn += turned
    open.windowCount += 1
    if isBiasKnown, open.turn.length < AxisJudge.wholeAngle {
      if open.windowCount >= mostWindows { open = (a, Vector3(), 0) }
      return
    }
    take(until: a)
    open = (a, Vector3(), 0)
  }

  /// Adds the open turn to the equations, if it is large enough.
  private mutating func take(until a: Vector3) {
    let turn = open.turn
    guard AxisJudge.angles.contains(turn.length) else { return }
    let middle = (a + open.acceleration) / 2
    let seen = middle.cross(a - open.acceleration)
    let square = (middle * middle).sum()
    for axis in 0..<3 {
      var across = middle * -middle[axis]
      across[axis] += square
      equations.add(
        (0..<9).map { (place: Int) -> Double in -across[place % 3] * turn[place / 3] },
        value: seen[axis])
      turned[axis] += (Vector3(repeating: square) - middle * middle) * (turn[axis] * turn[axis])
    }
    seenSquares += (seen * seen).sum()
    turnCount += 1
    windowCount += open.windowCount
  }

  /// Whether an acceleration in g is nearly gravity's.
  private static func isGravity(_ a: Vector3) -> Bool { abs(a.length - 1) < pull }

  /// Axes of the gyroscope that did not answer when gravity turned about them: 0 for x.
  package var silent: [Int] { silence.axes }

  package var verdict: Verdict {
    let isTurned = turned.map { $0.min() > AxisJudge.leastTurn }
    guard isTurned.contains(true) else { return .notTurned }
    var equations = equations
    // A small weight keeps the unknowns of axes that did not turn from leaving the others undetermined.
    for unknown in 0..<9 where !isTurned[unknown / 3] {
      equations.add((0..<9).map { $0 == unknown ? 1 : 0 }, value: 0, weight: 0.01)
    }
    guard windowCount >= AxisJudge.leastWindows, let factors = equations.factored() else {
      return .unclear
    }
    let left = max(0, seenSquares - factors.explained)
    let (elements, variances) = (factors.unknowns, factors.variances)
    let noise = left / Double(2 * turnCount)
    var columns = [Column?](repeating: nil, count: 3)
    for column in 0..<3 where isTurned[column] {
      let sizes = (0..<3).map { abs(elements[3 * column + $0]) }
      let axis = (0..<3).max { sizes[$0] < sizes[$1] } ?? 0
      let isKnown = (0..<3).allSatisfy { row in
        (variances[3 * column + row] * noise).squareRoot()
          < AxisJudge.largestDeviation * max(1, sizes[axis])
          && (row == axis || sizes[row] < AxisJudge.largestOther * sizes[axis])
      }
      guard isKnown, !columns.contains(where: { $0?.axis == axis }) else { return .unclear }
      columns[column] = Column(axis: axis, factor: elements[3 * column + axis])
    }
    return left > (1 - AxisJudge.leastExplained) * seenSquares ? .unclear : .columns(columns)
  }
}
