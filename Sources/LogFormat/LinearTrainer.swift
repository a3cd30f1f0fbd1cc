/// Finds linear predictors that pay over many small chunks, though their weights cost too much for any one.
///
/// A log that is made durable once a second has chunks of ten or a hundred samples. The trainer looks at the
/// last 256 samples, whichever chunks they went into, and advises a predictor that would have taken fewer bits
/// for them, its weights included, than the predictor in use.
struct LinearTrainer: ~Copyable {
  /// Samples that are looked at.
  static let window = 256
  /// Samples after which it is worth looking again.
  private static let interval = 64
  private static var past: Int { StreamMethod.maximumOrder }
  private static var row: Int { past + window }

  /// For each channel, which values were used lately.
  private(set) var spacing = [Spacing](repeating: .dense, count: 7)
  /// For each channel, the predictor to change to, `nil` for none.
  private(set) var advice: [Predictor?] = Array(repeating: nil, count: 7)
  private var fresh = [Int](repeating: 0, count: 7)
  private var known = [Int](repeating: 0, count: 7)
  /// The last values of each channel, the latest last.
  private let recent: UnsafeMutablePointer<Int16>
  private let numbers: UnsafeMutablePointer<Int16>
  private let codes: UnsafeMutablePointer<UInt16>
  private let analysis = LinearAnalysis()

  // Safe: the allocations are owned by this value alone; `recent` has seven rows, the others one.

  init() {
    recent = .allocate(capacity: 7 * LinearTrainer.row)
    recent.initialize(repeating: 0, count: 7 * LinearTrainer.row)
    numbers = .allocate(capacity: LinearTrainer.row)
    numbers.initialize(repeating: 0, count: LinearTrainer.row)
    codes = .allocate(capacity: LinearTrainer.window)
    codes.initialize(repeating: 0, count: LinearTrainer.window)
  }

  deinit {
    recent.deallocate()
    numbers.deallocate()
    codes.deallocate()
  }

  /// Takes note of the next values of a channel (0...6) and of the predictor that the last chunk used.
  mutating func learn(
    _ channel: Int, _ values: UnsafePointer<Int16>, count: Int, after current: Predictor,
    _ lattices: borrowing LatticeSearch
  ) {
    let row = recent + channel * LinearTrainer.row
    let new = min(count, LinearTrainer.row)
    row.update(from: row + new, count: LinearTrainer.row - new)
    (row + LinearTrainer.row - new).update(from: values + count - new, count: new)
    known[channel] = min(known[channel] + new, LinearTrainer.row)
    fresh[channel] += new
    // Advice that was followed is not given again; advice to continue as before is none.
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
    let values = UnsafePointer(numbers + LinearTrainer.past)
    guard
      var candidate = analysis.predictor(values, count: LinearTrainer.window, spacing: spacing)
    else { return nil }
    LinearPredictor.computeCodes(
      codes, values, count: LinearTrainer.window, candidate, known: LinearTrainer.past)
    candidate.offset = StreamEncoder<Int16>.mean(UnsafePointer(codes), LinearTrainer.window)
    var fewest = bits(values, current)
    for order in 0...FixedPredictor.maximumOrder {
      fewest = min(fewest, bits(values, Predictor(.fixed(order))))
    }
    let head = UInt64(candidate.headBits(after: current, for: Int16.self))
    return bits(values, candidate) + head < fewest ? candidate : nil
  }

  private func bits(_ values: UnsafePointer<Int16>, _ predictor: Predictor) -> UInt64 {
    if predictor.method.isLinear {
      LinearPredictor.computeCodes(
        codes, values, count: LinearTrainer.window, predictor, known: LinearTrainer.past)
    } else {
      FixedPredictor.computeCodes(
        codes, values, count: LinearTrainer.window, predictor, known: LinearTrainer.past)
    }
    return StreamEncoder<Int16>.estimate(UnsafePointer(codes), LinearTrainer.window)
  }
}
