/// Encodes one stream of a samples body: the times, or the counts of one channel.
///
/// It tries the methods that may pay, counts their bits exactly, and writes the smallest.
struct StreamEncoder<Value: StreamValue>: ~Copyable {
  /// Values without their wasted bits, after `past` values of history.
  private let shifted: UnsafeMutablePointer<Value>
  /// Folded residuals of the fixed predictors, one run of 1024 for each order.
  private let codes: UnsafeMutablePointer<Value.Magnitude>
  private let planner: PartitionPlanner<Value.Magnitude>

  // Safe: both allocations are owned by this value alone; runs have at most 1024 values.

  init() {
    shifted = .allocate(capacity: StreamEncoder.past + SampleBlock.capacity)
    shifted.initialize(repeating: 0, count: StreamEncoder.past + SampleBlock.capacity)
    codes = .allocate(capacity: StreamEncoder.candidates * SampleBlock.capacity)
    codes.initialize(repeating: 0, count: StreamEncoder.candidates * SampleBlock.capacity)
    planner = PartitionPlanner()
  }

  deinit {
    shifted.deallocate()
    codes.deallocate()
  }

  private static var past: Int { StreamMethod.maximumOrder }
  private static var candidates: Int { FixedPredictor.maximumOrder + 1 }

  /// Writes `count` values (1...1024) and carries `state` over to the next chunk.
  mutating func encode(
    _ writer: inout BitWriter, _ state: inout StreamState, _ values: UnsafePointer<Value>,
    count: Int
  ) {
    if isConstant(values, count, state) {
      writeConstant(&writer, &state, values[0])
      state.remember(values, count: count)
      return
    }
    let first = state.known == 0 ? 1 : 0
    var next = state
    if first == 1 { next.remember(Int64(values[0])) }
    next.wastedBits = wastedBits(values, count, state)
    let rest = count - first
    prepare(values + first, rest, next)
    let order = bestFixedOrder(rest, known: next.known)
    next.method = .fixed(order)
    writeMethod(&writer, state, next)
    if first == 1 {
      writer.writeWide(UInt64(truncatingIfNeeded: values[0]) & StreamEncoder.mask, Value.bitWidth)
    }
    if rest > 0 {
      let run = UnsafePointer(codes + order * SampleBlock.capacity)
      let plan = planner.plan(run, count: rest, after: next.parameterIndex)
      next.parameterIndex = planner.write(
        &writer, run, count: rest, after: next.parameterIndex, plan)
      next.remember(values + first, count: rest)
    }
    state = next
  }

  private static var mask: UInt64 { UInt64.max >> UInt64(64 - Value.bitWidth) }

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
    var next = state
    next.method = .constant
    next.wastedBits = 0
    writeMethod(&writer, state, next)
    let isKnown = state.known > 0 && Int64(value) == state.latest
    writer.write(!isKnown)
    if !isKnown {
      writer.writeWide(UInt64(truncatingIfNeeded: value) & StreamEncoder.mask, Value.bitWidth)
    }
    state = next
  }

  /// Low zero bits that all values share, when leaving them out pays.
  private func wastedBits(
    _ values: UnsafePointer<Value>, _ count: Int, _ state: StreamState
  ) -> Int {
    var union: Value = 0
    for index in 0..<count { union |= values[index] }
    let zeros = min(union.trailingZeroBitCount, Value.bitWidth - 1)
    // Short runs have zeros by chance, and changing the method costs a few bits.
    if count < 16 { return state.wastedBits <= zeros ? state.wastedBits : 0 }
    return zeros
  }

  /// Puts history and values, shifted, side by side.
  private func prepare(_ values: UnsafePointer<Value>, _ count: Int, _ state: StreamState) {
    let shift = Value(truncatingIfNeeded: state.wastedBits)
    for tap in 0..<StreamEncoder.past {
      shifted[StreamEncoder.past - 1 - tap] =
        Value(truncatingIfNeeded: state.history[tap]) &>> shift
    }
    let target = shifted + StreamEncoder.past
    for index in 0..<count { target[index] = values[index] &>> shift }
  }

  /// Computes the folded residuals of all fixed predictors; returns the order with the smallest sum.
  private func bestFixedOrder(_ count: Int, known: Int) -> Int {
    var best = 0
    var bestSum = UInt64.max
    for order in 0...FixedPredictor.maximumOrder {
      let sum = computeCodes(order: order, count, known: known)
      if sum < bestSum { (best, bestSum) = (order, sum) }
    }
    return best
  }

  private func computeCodes(order: Int, _ count: Int, known: Int) -> UInt64 {
    let run = codes + order * SampleBlock.capacity
    let y = shifted + StreamEncoder.past
    var index = 0
    var sum: UInt64 = 0
    while index < count && known + index < order {
      let prediction = FixedPredictor.predict(
        order: known + index, y[index - 1], y[index - 2], y[index - 3])
      run[index] = RiceCode.fold(y[index] &- prediction)
      sum += StreamEncoder.weight(run[index])
      index += 1
    }
    let start = index
    switch order {
    case 0: for index in start..<max(start, count) { run[index] = RiceCode.fold(y[index]) }
    case 1:
      for index in start..<max(start, count) {
        run[index] = RiceCode.fold(y[index] &- y[index - 1])
      }
    case 2:
      for index in start..<max(start, count) {
        run[index] = RiceCode.fold(y[index] &- (2 &* y[index - 1] &- y[index - 2]))
      }
    default:
      for index in start..<max(start, count) {
        let prediction = 3 &* (y[index - 1] &- y[index - 2]) &+ y[index - 3]
        run[index] = RiceCode.fold(y[index] &- prediction)
      }
    }
    for index in start..<max(start, count) { sum &+= StreamEncoder.weight(run[index]) }
    return sum
  }

  /// A code as a summand: bounded, so that a sum of 1024 of them cannot overflow.
  @inline(__always)
  private static func weight(_ code: Value.Magnitude) -> UInt64 {
    Value.bitWidth <= 32 ? UInt64(code) : min(UInt64(code), 1 << 52)
  }

  private func writeMethod(
    _ writer: inout BitWriter, _ state: StreamState, _ next: StreamState
  ) {
    var isSame = next.method == state.method && next.wastedBits == state.wastedBits
    if next.method.isLinear {
      isSame = isSame && next.coefficients == state.coefficients && next.shift == state.shift
    }
    writer.write(!isSame)
    guard !isSame else { return }
    writer.write(UInt64(next.method.rawValue), 4)
    guard next.method != .constant else { return }
    writer.write(next.wastedBits > 0)
    if next.wastedBits > 0 { writer.write(UInt64(next.wastedBits), Value.bitWidth == 16 ? 4 : 6) }
  }
}
