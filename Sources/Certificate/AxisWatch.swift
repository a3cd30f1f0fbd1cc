// SPDX-License-Identifier: Apache-2.0

import Calibration
import Glibc
import IMUModel

/// Watches the six axes for those that cannot be alive: the same count for too long, or two with the same counts.
///
///     ax   ▁▃▂▄▂▃▁▂▃▄▂▃▂      alive
///     ay   ▂▃▂▄▃▃▃▃▃▃▃▃▃      held from here on: stuck once that has lasted for the limit
///     az   ▁▃▂▄▂▃▁▂▃▄▂▃▂      the same as ax in each sample: one of them is not measured
///
/// An axis is stuck
/// - when it has one count for longer than its noise allows by chance (``limit(deviation:bandwidth:rate:)``): this stays;
/// - when it was at an end of its range from the first sample on, for three seconds, until it has another count;
/// - when most other axes move in three seconds in which it does not, until it changes. It must have had one count so far, or
///   once have moved by more than rounding. For an axis of the gyroscope both others of it must move, not in proportion, as
///   they do in a turn about one askew axis; or gravity turns about it (``markUnanswered(_:)``);
/// - while no axis of its sensor changes for longer than half of the data sheet's noise allows.
///
/// Two axes are the same when both move by hundreds of counts in three seconds without differing in a sample, or when they
/// never differ for as long as their noise rules that out.
///
/// Constant memory; a sample costs a few comparisons of integers and allocates nothing.
struct AxisWatch {
  let axes: [Int]
  /// Samples that each axis may have one count; 0 while its noise is not known.
  private var limits = [UInt64](repeating: 0, count: 6)
  /// The same for all axes of each sensor, and for how many samples these have their counts now.
  private var sensorLimits: [UInt64] = [0, 0]
  private var sensorRuns: [UInt64] = [0, 0]
  /// The least limit: the samples in ``CertificateBounds/stillTime``.
  private let shortest: UInt64
  private var counts = [Int16](repeating: 0, count: 6)
  private var runs = [UInt64](repeating: 0, count: 6)
  /// The tick at which each run began.
  private var starts = [UInt64](repeating: 0, count: 6)
  private var held: [Stuck?] = Array(repeating: nil, count: 6)
  /// Whether only the motion of the others shows that it is stuck.
  private var isHeldBeside = [Bool](repeating: false, count: 6)
  /// Whether axes i and j ever differed, at bit 6 · i + j.
  private var differs: UInt64 = 0
  /// The same in the open window.
  private var differsNow: UInt64 = 0
  /// Whether they moved in a window without differing.
  private var movedAlike: UInt64 = 0
  private var hasChanged = [Bool](repeating: false, count: 6)
  /// Whether it ever moved by more than rounding in a window.
  private var wasLively = [Bool](repeating: false, count: 6)
  private static let lively = 8
  private var wasZero = [Bool](repeating: true, count: 6)
  /// Whether an axis ever had the same count for ``shortest`` samples.
  private var wasHeld = [Bool](repeating: false, count: 6)
  private(set) var sampleCount: UInt64 = 0
  private var window = MotionWindow()

  struct Stuck: Equatable {
    let count: Int16
    /// The tick of its first sample; `nil` if the axis never had another count.
    let tick: UInt64?
  }

  init(_ channels: ChannelSet, rate: SampleRate) {
    axes = channels.indices.filter { $0 < 6 }
    shortest = max(
      AxisWatch.leastSamples, rate.tick(atNanoseconds: CertificateBounds.stillTime))
  }

  /// Samples in which an axis that is alive changes at the lowest rates.
  private static let leastSamples: UInt64 = 30

  /// Sets for how many samples an axis, and all axes of its sensor, may have one count; 0 without a known noise.
  mutating func setLimit(_ samples: UInt64, ofSensor together: UInt64, of axis: Int) {
    sensorLimits[axis / 3] = max(together, shortest)
    limits[axis] = samples == 0 ? 0 : max(samples, shortest)
    // `add` compares for equality, and a run may be longer already.
    if limits[axis] > 0, runs[axis] >= limits[axis] { markStuck(axis) }
  }

  var longestLimit: UInt64 { (limits + sensorLimits).reduce(shortest) { max($0, $1) } }

  mutating func add(_ tick: UInt64, _ sample: RawSample) {
    for axis in 0..<6 {
      let count = sample[axis]
      if sampleCount == 0 || count != counts[axis] {
        if sampleCount > 0 { hasChanged[axis] = true }
        if isHeldBeside[axis] { (held[axis], isHeldBeside[axis]) = (nil, false) }
        (counts[axis], runs[axis], starts[axis]) = (count, 0, tick)
        sensorRuns[axis / 3] = 0
        if count != 0 { wasZero[axis] = false }
      }
      runs[axis] += 1
      if runs[axis] == shortest {
        wasHeld[axis] = true
        if AxisWatch.isEnd(count), !hasChanged[axis] { markStuck(axis) }
      }
      if runs[axis] == limits[axis] { markStuck(axis) }
    }
    for sensor in 0..<2 { sensorRuns[sensor] += 1 }
    if differsNow != AxisWatch.allDiffer {
      for first in 0..<5 {
        for second in first + 1..<6 where counts[first] != counts[second] {
          differsNow |= AxisWatch.bit(first, second)
        }
      }
      differs |= differsNow
    }
    sampleCount += 1
    window.add(sample)
    if window.count == shortest { closeWindow() }
  }

  private mutating func markStuck(_ axis: Int) {
    isHeldBeside[axis] = false
    if known(held[axis], axis) == nil { held[axis] = known(now(axis), axis) }
  }

  var stuck: [Stuck?] {
    held.indices.map { axis in
      known(held[axis] ?? (isHeld(sensor: axis / 3) ? now(axis) : nil), axis)
    }
  }

  /// Drops a count at an end of the range unless the axis never had another one: large motion may hold it there.
  private func known(_ stuck: Stuck?, _ axis: Int) -> Stuck? {
    stuck.flatMap { hasChanged[axis] && AxisWatch.isEnd($0.count) ? nil : $0 }
  }

  private func now(_ axis: Int) -> Stuck {
    Stuck(count: counts[axis], tick: hasChanged[axis] ? starts[axis] : nil)
  }

  private func isHeld(sensor: Int) -> Bool {
    sensorLimits[sensor] > 0 && sensorRuns[sensor] >= sensorLimits[sensor]
  }

  private static func isEnd(_ count: Int16) -> Bool { count == .max || count == .min }

  private mutating func closeWindow() {
    defer { (window, differsNow) = (MotionWindow(), 0) }
    for axis in axes where window.spread(axis) >= AxisWatch.lively { wasLively[axis] = true }
    for (first, second) in pairs(outside: differsNow)
    where min(window.spread(first), window.spread(second)) >= CertificateBounds.motion {
      movedAlike |= AxisWatch.bit(first, second)
    }
    // A made-up motion in a plane moves three; a hand, a vehicle and a shaking wheel move four of five.
    for axis in axes where window.spread(axis) == 0 {
      let moving = axes.reduce(0) {
        $0 + (window.spread($1) >= CertificateBounds.motion ? 1 : 0)
      }
      guard moving >= max(2, axes.count - 2), axis < 3 || isTurned(about: axis),
        !hasChanged[axis] || wasLively[axis]
      else { continue }
      markStuckBeside(axis)
    }
  }

  /// Whether both other axes of the gyroscope show turns that this axis would see.
  private func isTurned(about axis: Int) -> Bool {
    let others = axes.filter { $0 >= 3 && $0 != axis }
    return others.count == 2
      && others.allSatisfy { window.spread($0) >= CertificateBounds.motion }
      && window.leastDeviation(others[0], others[1]) >= CertificateBounds.turnDeviation
  }

  private mutating func markStuckBeside(_ axis: Int) {
    guard held[axis] == nil else { return }
    markStuck(axis)
    isHeldBeside[axis] = held[axis] != nil
  }

  /// Marks axes of the gyroscope as stuck that gravity turned about without an answer, and that have one count now.
  mutating func markUnanswered(_ unanswered: [Int]) {
    for axis in unanswered where axes.contains(axis) && runs[axis] >= shortest {
      markStuckBeside(axis)
    }
  }

  private static func bit(_ first: Int, _ second: Int) -> UInt64 {
    1 << UInt64(6 * first + second)
  }

  private static let allDiffer: UInt64 = (0..<5).reduce(0) { bits, first in
    (first + 1..<6).reduce(bits) { $0 | bit(first, $1) }
  }

  var equal: [(Int, Int)] {
    let still = alike.filter { hasChanged[$0.0] && isKnown($0.0) && isKnown($0.1) }
    let moved = pairs(outside: ~movedAlike)
    return moved + still.filter { pair in !moved.contains { $0 == pair } }
  }

  private var alike: [(Int, Int)] { sampleCount < shortest ? [] : pairs(outside: differs) }

  /// Pairs of recorded axes whose bits are not set.
  private func pairs(outside bits: UInt64) -> [(Int, Int)] {
    axes.flatMap { first in
      axes.filter { $0 > first && bits & AxisWatch.bit(first, $0) == 0 }.map { (first, $0) }
    }
  }

  /// Whether there are enough samples for an axis's limit.
  private func isKnown(_ axis: Int) -> Bool { limits[axis] > 0 && sampleCount >= limits[axis] }

  /// Whether only the motion of the others shows an axis to be stuck.
  var isStuckBeside: Bool { isHeldBeside.contains(true) }

  /// Axes that had one count for three seconds, dead or with noise far below a count.
  var undecided: [Int] {
    axes.filter { axis in
      sampleCount < shortest || wasHeld[axis] && !isKnown(axis) && stuck[axis] == nil
    }
  }

  /// Those of them that are always 0.
  var undecidedZeros: [Int] { undecided.filter { wasZero[$0] } }

  /// Axes with the counts of another one, and too still to judge.
  var undecidedCopies: [Int] {
    guard sampleCount >= shortest else { return axes }
    let found = alike.filter { pair in
      !(isKnown(pair.0) && isKnown(pair.1)) && movedAlike & AxisWatch.bit(pair.0, pair.1) == 0
    }
    return axes.filter { axis in found.contains { $0.0 == axis || $0.1 == axis } }
  }

  /// Whether more samples at rest would judge no further axis.
  var isConclusive: Bool {
    sampleCount >= shortest
      && axes.allSatisfy { !wasHeld[$0] || limits[$0] == 0 || isKnown($0) || stuck[$0] != nil }
  }
}

/// The range of each axis in consecutive samples, and how those of the gyroscope vary together.
private struct MotionWindow {
  private(set) var count: UInt64 = 0
  private var least = SIMD8<Int16>(repeating: .max)
  private var greatest = SIMD8<Int16>(repeating: .min)
  /// Of gx, gy and gz; the products are gx · gy, gy · gz and gz · gx.
  private var sums = SIMD4<Int64>()
  private var squares = SIMD4<Int64>()
  private var products = SIMD4<Int64>()

  mutating func add(_ sample: RawSample) {
    let counts = SIMD8<Int16>(
      sample.ax, sample.ay, sample.az, sample.gx, sample.gy, sample.gz, 0, 0)
    least = pointwiseMin(least, counts)
    greatest = pointwiseMax(greatest, counts)
    let rates = SIMD4(Int64(sample.gx), Int64(sample.gy), Int64(sample.gz), 0)
    sums &+= rates
    squares &+= rates &* rates
    products &+= rates &* SIMD4(rates.y, rates.z, rates.x, 0)
    count += 1
  }

  /// The least standard deviation of two axes of the gyroscope in any direction between them: 0 if they move in proportion.
  func leastDeviation(_ first: Int, _ second: Int) -> Double {
    let n = Double(count)
    let (i, j) = (first - 3, second - 3)
    let (meanI, meanJ) = (Double(sums[i]) / n, Double(sums[j]) / n)
    let (a, b) = (
      Double(squares[i]) / n - meanI * meanI, Double(squares[j]) / n - meanJ * meanJ
    )
    let product = products[(i + 1) % 3 == j ? i : j]
    let c = Double(product) / n - meanI * meanJ
    return max(0, (a + b) / 2 - hypot((a - b) / 2, c)).squareRoot()
  }

  func spread(_ axis: Int) -> Int { Int(greatest[axis]) - Int(least[axis]) }
}

extension AxisWatch {
  /// An axis is stuck after so many samples with one count: chance gives six healthy axes that run on one day in a million.
  /// 0 if a count is so coarse that it may hide the noise.
  ///
  /// A Gaussian in the middle of a count repeats it most. A run begins where the last one ended, so the longer they are, the
  /// fewer there are. Samples within half a period of the filter's bandwidth are not independent, and count as one.
  ///
  /// - Parameter deviation: The least noise of the axis, in counts.
  static func limit(deviation: Double, bandwidth: Double, rate: SampleRate) -> UInt64 {
    guard deviation >= CertificateBounds.leastDeviation * CertificateBounds.noiseFarBelow else {
      return 0
    }
    // The probability of more than half a count.
    let leaving = erfc(0.5 / (deviation * 2.0.squareRoot()))
    let spacing = max(1, rate.hertz / (2 * bandwidth))
    let runs = 6 * 86_400 * rate.hertz / spacing * leaving
    let looks = (log(1e-6 / runs) / log1p(-leaving)).rounded(.up)
    let samples = (looks * spacing).rounded(.up)
    return UInt64(max(1, min(1e12, samples)))
  }
}

extension AxisJudge {
  var finding: CertificateFinding {
    func finding(_ value: String, _ verdict: CertificateFinding.Verdict) -> CertificateFinding {
      CertificateFinding("axes", value, "both sensors turn alike", verdict)
    }
    if !silent.isEmpty {
      let names = silent.map { ChannelSet.names[3 + $0] }.joined(separator: ", ")
      return finding("\(names) \(silent.count == 1 ? "does" : "do") not answer", .fail)
    }
    guard case .columns(let found) = verdict else {
      return finding(verdict == .unclear ? "not clear" : "not turned enough", .unknown)
    }
    let columns = found.compactMap { $0 }
    guard columns.count == 3 else { return finding("not turned enough", .unknown) }
    let gyroscope = columns.map { column in
      var direction = Vector3()
      direction[column.axis] = column.factor < 0 ? -1 : 1
      return direction
    }
    if (gyroscope[0].cross(gyroscope[1]) * gyroscope[2]).sum() < 0 {
      return finding("the gyroscope's are \(AxisJudge.text(gyroscope))", .fail)
    }
    let order = (0..<3).map { row in
      Vector3(gyroscope[0][row], gyroscope[1][row], gyroscope[2][row])
    }
    // Reversed axes of the accelerometer look the same; the fewer minus signs are shown.
    let isFlipped = order.reduce(0) { $0 + $1.sum() } < 0
    let text = AxisJudge.text(isFlipped ? order.map { -$0 } : order)
    return text == "x, y, z"
      ? finding(text, .pass) : finding("the accelerometer's are \(text)", .fail)
  }

  /// Directions along axes, such as `z, y, -x`.
  private static func text(_ directions: [Vector3]) -> String {
    directions.map { direction in
      let axis = (0..<3).first { direction[$0] != 0 } ?? 0
      return (direction[axis] < 0 ? "-" : "") + ["x", "y", "z"][axis]
    }.joined(separator: ", ")
  }
}
