// SPDX-License-Identifier: Apache-2.0

/// Finds the weights of a linear predictor for a run of counts, with integers only.
///
/// Autocorrelation of the windowed run without its mean, Levinson-Durbin recursion in fixed point, and rounding to few bits,
/// as in FLAC. The result need not be the best one: the encoder counts what it costs.
struct LinearAnalysis: ~Copyable {
  // Safe: `windowed` has an element for each value of a run, the others one for each order from 0 to 8.

  private let windowed = OwnedMemory<Int32>(SampleBlock.capacity, repeating: 0)
  /// Sums of products at distances 0 to 8, and the recursion's weights; index 0 of the latter is unused.
  private let lags = OwnedMemory<Int64>(LinearAnalysis.orders, repeating: 0)
  private let weights = OwnedMemory<Int64>(LinearAnalysis.orders, repeating: 0)
  private let chosen = OwnedMemory<Int64>(LinearAnalysis.orders, repeating: 0)

  private static var orders: Int { StreamMethod.maximumOrder + 1 }

  /// Shortest run worth an analysis: its weights cost as much as ten residuals or more.
  static let shortestRun = 64
  /// Fraction bits of the recursion's weights.
  private static let fraction: Int64 = 22
  /// Bound of the recursion's weights: 2⁷ in front of the point, so that sums of products fit 64 bits.
  private static let weightLimit: Int64 = 1 << 29

  /// A predictor for `count` values, without an offset; `nil` when they are too few or too simple.
  func predictor(_ values: UnsafePointer<Int16>, count: Int, spacing: Spacing) -> Predictor? {
    guard count >= LinearAnalysis.shortestRun else { return nil }
    window(values, count)
    correlate(count)
    guard lags[0] > 0 else { return nil }
    let bits = count < 384 ? 9 : 10
    let order = recurse(count, coefficientBits: bits)
    guard order > 0 else { return nil }
    return round(order, bits, spacing)
  }

  /// Copies the run without its mean; the first and the last quarter rise and fall as parabolas.
  private func window(_ values: UnsafePointer<Int16>, _ count: Int) {
    var sum: Int64 = 0
    for index in 0..<count { sum &+= Int64(values[index]) }
    let mean = Int32(truncatingIfNeeded: sum / Int64(count))
    // 18 bits, and 4 more of fraction, which small noise needs under the window.
    for index in 0..<count { windowed[index] = (Int32(values[index]) &- mean) &<< 4 }
    let edge = count / 4
    for index in 0..<edge {
      // 1 − (1 − t)² with 10 bits.
      let rest = Int64(((edge - index) << 10) / (edge + 1))
      let weight = Int64(1 << 10) - (rest * rest) >> 10
      let mirror = count - 1 - index
      windowed[index] = Int32(truncatingIfNeeded: (Int64(windowed[index]) &* weight) &>> 10)
      windowed[mirror] = Int32(truncatingIfNeeded: (Int64(windowed[mirror]) &* weight) &>> 10)
    }
  }

  /// Sums of products, below 2⁴⁴ · 2¹⁰, scaled down to below 2³⁰.
  private func correlate(_ count: Int) {
    for lag in 0..<LinearAnalysis.orders {
      var sum: Int64 = 0
      for index in lag..<count {
        sum &+= Int64(windowed[index]) &* Int64(windowed[index &- lag])
      }
      lags[lag] = sum
    }
    let surplus = (Int64.bitWidth - lags[0].leadingZeroBitCount) - 30
    guard surplus != 0 else { return }
    // All lags are at most the first one in size, so none overflows.
    for lag in 0..<LinearAnalysis.orders {
      lags[lag] = surplus > 0 ? lags[lag] >> Int64(surplus) : lags[lag] << Int64(-surplus)
    }
  }

  /// Levinson-Durbin up to order 8; leaves the weights of the order that seems to take the fewest bits in `chosen` and
  /// returns it, 0 when none can be used.
  private func recurse(_ count: Int, coefficientBits: Int) -> Int {
    var error = lags[0]
    var order = 0
    // In sixteenths of a bit: half a logarithm of the error for each value, and the weights.
    var fewest = UInt64(count) * LinearAnalysis.logarithm16(UInt64(error)) / 2
    for step in 1..<LinearAnalysis.orders {
      var sum = lags[step] << LinearAnalysis.fraction
      for tap in 1..<step { sum &-= weights[tap] &* lags[step - tap] }
      let reflection = sum / error
      guard abs(reflection) < 1 << LinearAnalysis.fraction else { break }
      reflect(step, reflection)
      guard (1...step).allSatisfy({ abs(weights[$0]) < LinearAnalysis.weightLimit }) else { break }
      let square = (reflection &* reflection) >> LinearAnalysis.fraction
      error &-= (square &* error) >> LinearAnalysis.fraction
      guard error > 0 else { break }
      let bits =
        UInt64(count) * LinearAnalysis.logarithm16(UInt64(error)) / 2
        + UInt64(16 * step * coefficientBits)
      if bits < fewest {
        (fewest, order) = (bits, step)
        chosen.base.update(from: weights.base, count: step + 1)
      }
    }
    return order
  }

  private func reflect(_ step: Int, _ reflection: Int64) {
    var low = 1
    var high = step - 1
    while low <= high {
      let (a, b) = (weights[low], weights[high])
      weights[low] = a &- (reflection &* b) >> LinearAnalysis.fraction
      weights[high] = b &- (reflection &* a) >> LinearAnalysis.fraction
      low += 1
      high -= 1
    }
    weights[step] = reflection
  }

  /// Rounds the chosen weights to `bits` bits each; the error of one is carried to the next.
  private func round(_ order: Int, _ bits: Int, _ spacing: Spacing) -> Predictor {
    var largest: Int64 = 1
    for tap in 1...order { largest = max(largest, abs(chosen[tap])) }
    let integerBits = Int64.bitWidth - largest.leadingZeroBitCount - Int(LinearAnalysis.fraction)
    let shift = min(max(bits - 1 - integerBits, 0), 15)
    let limit = Int64(1) << Int64(bits - 1)
    var predictor = Predictor(.linear(order), spacing: spacing)
    predictor.shift = shift
    var lost: Int64 = 0
    let drop = LinearAnalysis.fraction - Int64(shift)
    for tap in 1...order {
      let exact = chosen[tap] + lost
      let rounded = min(max((exact + 1 << (drop - 1)) >> drop, -limit), limit - 1)
      lost = exact - rounded << drop
      predictor.coefficients[tap - 1] = Int32(truncatingIfNeeded: rounded)
    }
    return predictor
  }

  /// 16 · log₂ of a number, to about one; 0 for 0.
  static func logarithm16(_ number: UInt64) -> UInt64 {
    guard number > 0 else { return 0 }
    let zeros = UInt64(number.leadingZeroBitCount)
    // The bits after the leading one are nearly the logarithm's fraction.
    let mantissa = (number << zeros) >> 59 & 15
    return (63 - zeros) * 16 + mantissa
  }
}

/// Finds linear predictors that pay over many small chunks, though their weights cost too much for any one.
///
/// A log that is made durable once a second has chunks of ten or a hundred samples. The trainer looks at the last 256
/// samples and advises a predictor that would have taken fewer bits for them, with its weights, than the one in use.
struct LinearTrainer: ~Copyable {
  static let window = 256
  /// Samples after which it is worth looking again.
  private static let interval = 64
  private static var past: Int { StreamMethod.maximumOrder }
  private static var row: Int { past + window }

  /// For each channel, the spacing of its latest values.
  private(set) var spacing = [Spacing](repeating: .dense, count: 7)
  /// For each channel, the predictor to change to, `nil` for none.
  private(set) var advice: [Predictor?] = Array(repeating: nil, count: 7)
  private var fresh = [Int](repeating: 0, count: 7)
  private var known = [Int](repeating: 0, count: 7)
  // Safe: `recent` has seven rows, the others one.

  /// The last values of each channel, the latest last.
  private let recent = OwnedMemory<Int16>(7 * LinearTrainer.row, repeating: 0)
  private let numbers = OwnedMemory<Int16>(LinearTrainer.row, repeating: 0)
  private let codes = OwnedMemory<UInt16>(LinearTrainer.window, repeating: 0)
  private let analysis = LinearAnalysis()

  /// Learns the next values of a channel (0...6), and the predictor that the last chunk used.
  mutating func learn(
    _ channel: Int, _ values: UnsafePointer<Int16>, count: Int, after current: Predictor,
    _ lattices: borrowing LatticeSearch
  ) {
    let row = recent.base + channel * LinearTrainer.row
    let new = min(count, LinearTrainer.row)
    row.update(from: row + new, count: LinearTrainer.row - new)
    (row + LinearTrainer.row - new).update(from: values + count - new, count: new)
    known[channel] = min(known[channel] + new, LinearTrainer.row)
    fresh[channel] += new
    // Advice that was followed is not given again, nor advice to continue as before.
    if advice[channel] == current { advice[channel] = nil }
    guard fresh[channel] >= LinearTrainer.interval, known[channel] == LinearTrainer.row else {
      return
    }
    fresh[channel] = 0
    // Large chunks pay for weights of their own.
    guard count < LinearTrainer.window else {
      advice[channel] = nil
      if current.spacing != .dense { spacing[channel] = current.spacing }
      return
    }
    spacing[channel] = lattices.spacing(
      row, LinearTrainer.row, after: current.spacing, choice: nil, hint: spacing[channel])
    advice[channel] = better(row, spacing[channel], than: current)
  }

  /// A predictor that takes fewer bits, its head included, for the values of a row.
  private func better(
    _ row: UnsafeMutablePointer<Int16>, _ spacing: Spacing, than current: Predictor
  ) -> Predictor? {
    for index in 0..<LinearTrainer.row { numbers[index] = spacing.number(of: row[index]) }
    let values = UnsafePointer(numbers.base + LinearTrainer.past)
    guard
      var candidate = analysis.predictor(values, count: LinearTrainer.window, spacing: spacing)
    else { return nil }
    candidate.computeCodes(
      codes.base, values, count: LinearTrainer.window, known: LinearTrainer.past)
    candidate.offset = StreamEncoder<Int16>.mean(UnsafePointer(codes.base), LinearTrainer.window)
    var fewest = bits(values, current)
    for order in 0...FixedPredictor.maximumOrder {
      fewest = min(fewest, bits(values, Predictor(.fixed(order))))
    }
    let head = UInt64(candidate.headBits(after: current, for: Int16.self))
    return bits(values, candidate) + head < fewest ? candidate : nil
  }

  private func bits(_ values: UnsafePointer<Int16>, _ predictor: Predictor) -> UInt64 {
    predictor.computeCodes(
      codes.base, values, count: LinearTrainer.window, known: LinearTrainer.past)
    return StreamEncoder<Int16>.estimate(UnsafePointer(codes.base), LinearTrainer.window)
  }
}
