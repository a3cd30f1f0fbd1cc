// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Finds axes that are swapped or reversed in one of the two sensors, from turns in gravity.
///
/// A sensor that turns by a small angle φ sees gravity turn the other way: Δa = −φ × a. So a × Δa, which the
/// accelerometer gives, is −φ without its part along gravity, which the gyroscope gives, axis by axis. If the axes of a
/// sensor are another permutation, with signs, a × Δa = −M φ with a matrix M of that kind. One 3 × 3 matrix of the sums
///
///     C = Σ φ ⊗ (a × Δa)      over turns of some 10° between windows of a tenth of a second in which |a| is near to 1 g
///
/// is enough to judge all 48 of them: the one with the most of −Σ M(k, p) · C(p, k) explains what was seen. For axes Q of
/// the accelerometer, M is det(Q) · Q, always a rotation: gravity stands twice in a × Δa, so Q and −Q are the same. A
/// mirror image is the gyroscope's. Axes that are swapped alike in both sensors, by the way the chip is mounted, are no
/// fault, and are seen only where they are mirrored.
struct AxisOrder {
  private let length: Int
  private let mostWindows: Int
  private let gPerCount: Double
  private let radiansPerCount: Double
  private let isJudged: Bool
  private var count = 0
  private var nextTick: UInt64 = 0
  private var sums = SIMD8<Int64>(repeating: 0)
  private var before: (acceleration: SIMD3<Double>, turn: SIMD3<Double>)?
  /// The turn that is not over: the acceleration at its beginning, φ since then, and in how many windows.
  private var open = (acceleration: SIMD3<Double>(), turn: SIMD3<Double>(), windowCount: 0)
  /// The rows of C: one for each axis of the gyroscope. Radians, g².
  private var rows = (SIMD3<Double>(), SIMD3<Double>(), SIMD3<Double>())
  /// Σ φ² for each of the gyroscope's axes, and Σ (a × Δa)².
  private var turned = SIMD3<Double>()
  private var seenSquares = 0.0
  /// Of all turns that were taken.
  private var windowCount = 0
  private var silence = SilenceWatch()

  /// The length of a window in nanoseconds: one above a fifth of a second cannot follow a hand.
  private static let window: Int64 = 100_000_000
  /// What a window's acceleration may be off 1 g, in g: a hand's own adds to it, and turns its direction by 6° then.
  private static let pull = 0.1
  /// Of a turn, in radians: smaller ones are within the zero-rate level of a chip, larger ones are no small angles.
  private static let angles = 0.05...0.5
  /// A turn goes on until it has this, in radians, or turns back: 10°.
  private static let wholeAngle = 0.17
  /// The most nanoseconds of a turn: a slower one than 5 °/s is within what a rate at rest may change by. A turn is one window
  /// while the rate at rest is not known.
  private static let longest = 2_000_000_000.0
  /// What there must be of Σ φ² for each of the three axes: ten turns of 10° are 0.3.
  private static let leastTurn = 0.3
  /// How well the best order must agree with what was seen, as the cosine between the two: turns about every axis alike
  /// give 0.82, as what is about the vertical is not seen. A swinging hand, whose own acceleration follows its turns, gave
  /// 0.2 to 0.65 in recordings of third parties.
  private static let agreement = 0.75
  /// Windows that there must be in all turns.
  private static let leastWindows = 30
  /// By how much of what it explains it must exceed the order of the data sheet.
  private static let margin = 0.25

  init(_ description: RecordingDescription) {
    length = Int(clamping: description.rate.tick(atNanoseconds: AxisOrder.window))
    gPerCount = description.sensor.accelerometerScale.value
    radiansPerCount =
      description.sensor.gyroscopeScale.value * Double.pi / 180 / description.rate.hertz
    mostWindows =
      Int((AxisOrder.longest / 1e9 * description.rate.hertz / Double(max(1, length))).rounded(.up))
    isJudged =
      length > 0 && description.channels.isSuperset(of: [.accelerometer, .gyroscope])
      && !description.isImported
  }

  /// Adds a sample.
  ///
  /// - Parameter bias: The gyroscope's zero-rate level in counts; `nil` until it is known.
  mutating func add(_ tick: UInt64, _ sample: RawSample, bias: SIMD3<Double>?) {
    guard isJudged else { return }
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

  /// Compares the window's mean acceleration with that of the window before. Between the middles of the two, the sensor
  /// turned by half of what it turned in each.
  private mutating func close(_ bias: SIMD3<Double>?) {
    let scale = gPerCount / Double(count)
    let a = SIMD3(Double(sums[0]), Double(sums[1]), Double(sums[2])) * scale
    let rate = SIMD3(Double(sums[3]), Double(sums[4]), Double(sums[5]))
    let turn = (rate - (bias ?? SIMD3()) * Double(count)) * radiansPerCount
    defer { (before, count) = ((a, turn), 0) }
    guard AxisOrder.isGravity(a), let before else {
      open = (a, SIMD3(), 0)
      return silence.restart()
    }
    let turned = (turn + before.turn) / 2
    let middle = (a + before.acceleration) / 2
    let seen = middle.cross(a - before.acceleration)
    if turned.length > AxisOrder.angles.upperBound {
      silence.restart()
    } else if bias != nil, AxisOrder.isGravity(before.acceleration) {
      // Less a × (a × φ), which is what the gyroscope says of it.
      let said = middle * (middle * turned).sum() - turned * (middle * middle).sum()
      silence.add(seen - said, middle, turned: turned)
    }
    guard AxisOrder.isGravity(before.acceleration) else {
      open = (a, SIMD3(), 0)
      return
    }
    extend(turned, until: a, from: before.acceleration, isBiasKnown: bias != nil)
  }

  /// Adds what the sensor turned from one window's acceleration to the next one's to the open turn, and takes that once it is
  /// whole.
  private mutating func extend(
    _ turned: SIMD3<Double>, until a: SIMD3<Double>, from before: SIMD3<Double>, isBiasKnown: Bool
  ) {
    if (open.turn + turned).length < open.turn.length {
      // It turns back.
      take(until: before)
      open = (before, SIMD3(), 0)
    }
    open.turn += turned
    open.windowCount += 1
    if isBiasKnown, open.turn.length < AxisOrder.wholeAngle {
      if open.windowCount >= mostWindows { open = (a, SIMD3(), 0) }
      return
    }
    take(until: a)
    open = (a, SIMD3(), 0)
  }

  /// Sums up the open turn, if it is one.
  private mutating func take(until a: SIMD3<Double>) {
    let turn = open.turn
    guard AxisOrder.angles.contains(turn.length) else { return }
    let seen = ((a + open.acceleration) / 2).cross(a - open.acceleration)
    rows.0 += seen * turn.x
    rows.1 += seen * turn.y
    rows.2 += seen * turn.z
    turned += turn * turn
    seenSquares += (seen * seen).sum()
    windowCount += open.windowCount
  }

  /// Whether an acceleration in g is little more than gravity's.
  private static func isGravity(_ a: SIMD3<Double>) -> Bool {
    abs((a * a).sum().squareRoot() - 1) < pull
  }

  /// A permutation with signs: row k has `signs[k]` at `axes[k]`.
  struct Order: Equatable {
    var axes: SIMD3<Int>
    var signs: SIMD3<Double>

    /// All 48, those with the fewest minus signs first: the first one is that of the data sheet.
    static let all: [Order] = {
      let permutations = [
        SIMD3(0, 1, 2), SIMD3(0, 2, 1), SIMD3(1, 0, 2), SIMD3(1, 2, 0), SIMD3(2, 0, 1),
        SIMD3(2, 1, 0),
      ]
      return [0, 1, 2, 4, 3, 5, 6, 7].flatMap { bits in
        permutations.map { axes in
          Order(
            axes: axes,
            signs: SIMD3(
              bits & 1 == 0 ? 1 : -1, bits & 2 == 0 ? 1 : -1, bits & 4 == 0 ? 1 : -1))
        }
      }
    }()

    /// Whether it is no rotation.
    var isMirrored: Bool {
      let inversions = [(0, 1), (0, 2), (1, 2)].filter { axes[$0.0] > axes[$0.1] }.count
      return (inversions % 2 == 0 ? 1 : -1) * signs.x * signs.y * signs.z < 0
    }

    /// As the order of a sensor's axes, such as `z, y, -x`.
    var text: String {
      (0..<3).map { (signs[$0] < 0 ? "-" : "") + ["x", "y", "z"][axes[$0]] }
        .joined(separator: ", ")
    }

    /// Which sensor's axes are wrong, and how.
    var fault: String {
      if isMirrored {
        // The transposed matrix leads from the true axes to the gyroscope's.
        var transposed = self
        for row in 0..<3 {
          (transposed.axes[axes[row]], transposed.signs[axes[row]]) = (row, signs[row])
        }
        return "the gyroscope's are \(transposed.text)"
      }
      var order = self
      if signs.sum() < 0 { order.signs = -signs }
      return "the accelerometer's are \(order.text)"
    }
  }

  /// How much of what was seen an order explains.
  private func score(_ order: Order) -> Double {
    let rows = [self.rows.0, self.rows.1, self.rows.2]
    return (0..<3).reduce(0.0) { sum, axis in
      sum - order.signs[axis] * rows[order.axes[axis]][axis]
    }
  }

  /// The axes of the gyroscope that did not answer when gravity turned about them: 0 for x.
  var unanswered: [Int] { silence.axes }

  /// `nil` when the recording has only one of the two sensors.
  var finding: CertificateFinding? {
    guard isJudged else { return nil }
    func finding(_ value: String, _ verdict: CertificateFinding.Verdict) -> CertificateFinding {
      CertificateFinding(
        name: "axes", value: value, bound: "both sensors turn alike", verdict: verdict)
    }
    let silent = unanswered
    if !silent.isEmpty {
      let names = silent.map { ChannelSet.names[3 + $0] }.joined(separator: ", ")
      return finding("\(names) \(silent.count == 1 ? "does" : "do") not answer", .fail)
    }
    guard (0..<3).allSatisfy({ turned[$0] > AxisOrder.leastTurn }) else {
      return finding("not turned enough", .unknown)
    }
    var best = Order.all[0]
    for order in Order.all where score(order) > score(best) { best = order }
    let (whole, asMade) = (score(best), score(Order.all[0]))
    guard windowCount >= AxisOrder.leastWindows,
      whole > AxisOrder.agreement * (turned.sum() * seenSquares).squareRoot()
    else { return finding("not clear", .unknown) }
    if best == Order.all[0] { return finding("x, y, z", .pass) }
    return whole - asMade > AxisOrder.margin * whole
      ? finding(best.fault, .fail) : finding("not clear", .unknown)
  }
}
