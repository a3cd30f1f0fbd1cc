// SPDX-License-Identifier: Apache-2.0

/// Encodes one stream of a samples body: the times, or the counts of one channel.
///
/// It tries the predictors that may pay, counts their bits exactly, and writes the smallest. All arithmetic is on integers,
/// so that every machine writes the same bytes.
struct StreamEncoder<Value: StreamValue>: ~Copyable {
  /// The numbers of eight values of history and of the run's values, among those that are used.
  private let numbers = OwnedMemory<Value>(StreamEncoder.past + SampleBlock.capacity, repeating: 0)
  /// Folded residuals: of the best predictor so far, and of the one on trial.
  private var best = OwnedMemory<Value.Magnitude>(SampleBlock.capacity, repeating: 0)
  private var spare = OwnedMemory<Value.Magnitude>(SampleBlock.capacity, repeating: 0)
  private var bestPlanner = PartitionPlanner<Value.Magnitude>()
  private var sparePlanner = PartitionPlanner<Value.Magnitude>()
  private var bestPredictor = Predictor(.fixed(1))
  private var bestPlan = PartitionPlanner<Value.Magnitude>.Plan()
  private var bestBits = Int.max
  private var analysis = LinearAnalysis()

  // Safe: runs have at most 1024 values, and each of these has room for them.

  private static var past: Int { StreamMethod.maximumOrder }
  private static var mask: UInt64 { UInt64.max >> UInt64(64 - Value.bitWidth) }
  /// From this length on ranking by estimates is better than trying everything.
  private static var longRun: Int { 64 }

  /// Writes `count` values (1...1024), which fit `spacing`, and carries `state` over; returns the predictor that was used.
  ///
  /// - Parameters:
  ///   - choice: The predictor that a longer or shorter run of the same values used, to be used again if possible.
  ///   - advice: A predictor that pays over many chunks, though perhaps not in this one.
  mutating func encode(
    _ writer: inout BitWriter, _ state: inout StreamState, _ values: UnsafePointer<Value>,
    count: Int, spacing: Spacing, choice: Predictor?, advice: Predictor? = nil
  ) -> Predictor {
    if isConstant(values, count, state) {
      writeConstant(&writer, &state, values[0])
      state.remember(values, count: count)
      return state.predictor
    }
    let first = state.known == 0 ? 1 : 0
    var next = state
    if first == 1 { next.remember(Int64(values[0])) }
    let rest = count - first
    bestBits = .max
    prepare(values + first, rest, next, spacing)
    if let choice, choice.method != .constant, choice.spacing == spacing {
      consider(choice, rest, next)
    } else {
      search(rest, next, spacing)
      if let advice, advice.spacing == spacing {
        consider(advice, rest, next, isLasting: true)
      }
    }
    next.predictor = bestPredictor
    next.predictor.write(&writer, after: state.predictor, for: Value.self)
    if first == 1 {
      writer.writeWide(UInt64(truncatingIfNeeded: values[0]) & StreamEncoder.mask, Value.bitWidth)
    }
    if rest > 0 {
      next.parameterIndex = bestPlanner.write(
        &writer, UnsafePointer(best.base), count: rest, after: next.parameterIndex, bestPlan)
      next.remember(values + first, count: rest)
    }
    state = next
    return bestPredictor
  }

  private func isConstant(
    _ values: UnsafePointer<Value>, _ count: Int, _ state: StreamState
  ) -> Bool {
    for index in 1..<max(count, 1) where values[index] != values[0] { return false }
    // A value of its own costs as much as a few residuals.
    return count >= 8 || state.known == 0 || Int64(values[0]) == state.latest
  }

  private func writeConstant(
    _ writer: inout BitWriter, _ state: inout StreamState, _ value: Value
  ) {
    let constant = Predictor(.constant)
    constant.write(&writer, after: state.predictor, for: Value.self)
    let isKnown = state.known > 0 && Int64(value) == state.latest
    writer.write(!isKnown)
    if !isKnown {
      writer.writeWide(UInt64(truncatingIfNeeded: value) & StreamEncoder.mask, Value.bitWidth)
    }
    state.predictor = constant
  }

  private func prepare(
    _ values: UnsafePointer<Value>, _ count: Int, _ state: StreamState, _ spacing: Spacing
  ) {
    for tap in 0..<StreamEncoder.past {
      numbers[StreamEncoder.past - 1 - tap] =
        spacing.number(of: Value(truncatingIfNeeded: state.history[tap]))
    }
    let target = numbers.base + StreamEncoder.past
    for index in 0..<count { target[index] = spacing.number(of: values[index]) }
  }

  private mutating func search(_ count: Int, _ state: StreamState, _ spacing: Spacing) {
    let last = state.predictor
    if count < 4 * StreamEncoder.longRun, last.method != .constant, last.spacing == spacing {
      consider(last, count, state)
    }
    let isLong = count >= StreamEncoder.longRun
    var favourite = Predictor(.fixed(0))
    var favouriteBits = UInt64.max
    for order in 0...FixedPredictor.maximumOrder {
      var candidate = Predictor(.fixed(order), spacing: spacing)
      computeCodes(candidate, count, state.known)
      // Noise around a constant, and times that drift against the grid.
      let centre = order < 2 ? centre(count) : 0
      guard isLong else {
        weigh(candidate, count, state)
        candidate.offset = centre
        if centre != 0 { consider(candidate, count, state) }
        continue
      }
      var bits = StreamEncoder.estimate(UnsafePointer(spare.base), count)
      if centre != 0 {
        subtract(centre, count)
        let centred = StreamEncoder.estimate(UnsafePointer(spare.base), count)
        if centred < bits { (candidate.offset, bits) = (centre, centred) }
      }
      if bits < favouriteBits { (favourite, favouriteBits) = (candidate, bits) }
    }
    if isLong { consider(favourite, count, state) }
    searchLinear(count, state, spacing)
  }

  private mutating func searchLinear(_ count: Int, _ state: StreamState, _ spacing: Spacing) {
    guard Value.bitWidth == 16 else { return }
    // Safe: the values are Int16, so this is the same type.
    let counts = UnsafeRawPointer(numbers.base + StreamEncoder.past).assumingMemoryBound(
      to: Int16.self)
    guard var candidate = analysis.predictor(counts, count: count, spacing: spacing) else {
      return
    }
    computeCodes(candidate, count, state.known)
    candidate.offset = centre(count)
    if candidate.offset != 0 { subtract(candidate.offset, count) }
    weigh(candidate, count, state)
  }

  private mutating func consider(
    _ candidate: Predictor, _ count: Int, _ state: StreamState, isLasting: Bool = false
  ) {
    computeCodes(candidate, count, state.known)
    weigh(candidate, count, state, isLasting: isLasting)
  }

  /// Counts the bits of a predictor whose codes are in `spare`, and keeps it if it is the best. A lasting one pays only a
  /// part of its head, because later chunks use it, too.
  private mutating func weigh(
    _ candidate: Predictor, _ count: Int, _ state: StreamState, isLasting: Bool = false
  ) {
    let plan = sparePlanner.plan(
      UnsafePointer(spare.base), count: count, after: state.parameterIndex)
    var head = candidate.headBits(after: state.predictor, for: Value.self)
    if isLasting { head = head * min(count, LinearTrainer.window) / LinearTrainer.window }
    let bits = Int(plan.bits) + head
    guard bits < bestBits else { return }
    (bestBits, bestPredictor, bestPlan) = (bits, candidate, plan)
    swap(&best, &spare)
    swap(&bestPlanner, &sparePlanner)
  }

  private func computeCodes(_ predictor: Predictor, _ count: Int, _ known: Int) {
    let values = UnsafePointer(numbers.base + StreamEncoder.past)
    predictor.computeCodes(spare.base, values, count: count, known: known)
  }

  /// Makes the codes in `spare` those of a predictor with an offset.
  private func subtract(_ offset: Int64, _ count: Int) {
    let offset = Value(truncatingIfNeeded: offset)
    for index in 0..<count {
      spare[index] = RiceCode.fold(RiceCode.unfold(spare[index], as: Value.self) &- offset)
    }
  }

  /// The offset that centres the residuals in `spare`: the median of a few for times, which have outliers, and the mean for
  /// counts, which have noise.
  private func centre(_ count: Int) -> Int64 {
    if Value.bitWidth == 16 { return StreamEncoder.mean(UnsafePointer(spare.base), count) }
    let step = max(count / 31, 1)
    var sorted = SIMD32<Int64>(repeating: 0)
    var length = 0
    for index in stride(from: 0, to: count, by: step) where length < 31 {
      let residual = Int64(RiceCode.unfold(spare[index], as: Value.self))
      var place = length
      while place > 0 && sorted[place - 1] > residual {
        sorted[place] = sorted[place - 1]
        place -= 1
      }
      sorted[place] = residual
      length += 1
    }
    return sorted[length / 2]
  }

  /// The rounded mean of the residuals of 16-bit codes.
  static func mean(_ codes: UnsafePointer<Value.Magnitude>, _ count: Int) -> Int64 {
    var sum: Int64 = 0
    for index in 0..<count { sum &+= Int64(RiceCode.unfold(codes[index], as: Value.self)) }
    return floorDivide(2 * sum + Int64(count), 2 * Int64(count))
  }

  /// Bits of a run, up to a constant: 16 · log₂ of the sum of each 16 codes.
  static func estimate(_ codes: UnsafePointer<Value.Magnitude>, _ count: Int) -> UInt64 {
    var total: UInt64 = 0
    var start = 0
    while start < count {
      let end = min(start + RiceCode.partitionUnit, count)
      // At least 1, so that it has a logarithm; a sum of 16 codes below 2⁵⁹ cannot overflow.
      var sum: UInt64 = 8
      for index in start..<end { sum &+= min(UInt64(codes[index]), 1 << 58) }
      total &+= LinearAnalysis.logarithm16(sum)
      start = end
    }
    return total
  }
}
