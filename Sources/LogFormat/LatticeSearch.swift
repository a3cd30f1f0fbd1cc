// SPDX-License-Identifier: Apache-2.0

/// Finds the lattice that all counts of a run lie on, if there is one.
///
/// Sorted distinct counts whose gaps are nearly the same are neighbours on the lattice. The longest row of them gives its
/// step well enough to number the counts beside the row, which refines the step. With all numbers known, step and base must
/// keep each rounded value right: a convex problem in one variable, solved by bisection. Integers only; about 60 looks at
/// each count.
struct LatticeSearch: ~Copyable {
  // Safe: `seen` has 65 536 bits, all 0 between runs; the others have an element for each count of a run.

  /// A bit for each count of 16 bits.
  private let seen = OwnedMemory<UInt64>(1024, repeating: 0)
  /// The distinct counts in order, and their numbers on the lattice from some count on.
  private let counts = OwnedMemory<Int64>(SampleBlock.capacity, repeating: 0)
  private let numbers = OwnedMemory<Int64>(SampleBlock.capacity, repeating: 0)

  /// Shortest run worth a search.
  static let shortestRun = 64
  /// Bits of fraction of the search.
  private static let precision = Int64(Lattice.maximumPrecision)

  /// A lattice for `count` counts (at most 1024); `nil` when there is none that pays.
  func lattice(_ run: UnsafePointer<Int16>, count: Int) -> Lattice? {
    guard count >= LatticeSearch.shortestRun, count <= SampleBlock.capacity else { return nil }
    // Nearly every channel without a lattice ends here, after few samples.
    for index in 1..<count where run[index] &- run[index - 1] == 1 { return nil }
    let length = sortDistinct(run, count)
    guard let steps = number(length) else { return nil }
    guard let step = bestStep(steps, length), let lattice = rounded(step, length) else {
      return nil
    }
    // In sixteenths of a bit: the saving of each residual, less step and base.
    let saved =
      count * Int(LinearAnalysis.logarithm16(UInt64(step))) - count * 16 * Lattice.maximumPrecision
    return saved > 16 * lattice.bits ? lattice : nil
  }

  /// Puts the distinct counts in order; returns how many there are.
  private func sortDistinct(_ run: UnsafePointer<Int16>, _ count: Int) -> Int {
    var (first, last) = (1023, 0)
    for index in 0..<count {
      let place = Int(run[index]) + 32768
      seen[place >> 6] |= 1 << UInt64(place & 63)
      (first, last) = (min(first, place >> 6), max(last, place >> 6))
    }
    var length = 0
    for word in first...last {
      var bits = seen[word]
      seen[word] = 0
      while bits != 0 {
        counts[length] = Int64(word << 6 + bits.trailingZeroBitCount - 32768)
        length += 1
        bits &= bits - 1
      }
    }
    return length
  }

  /// Numbers the counts; returns bounds of the step.
  private func number(_ length: Int) -> ClosedRange<Int64>? {
    guard length >= 4 else { return nil }
    var smallest = Int64.max
    for index in 1..<length { smallest = min(smallest, counts[index] - counts[index - 1]) }
    guard smallest >= 2, smallest < 1 << Int64(Lattice.integerBits) else { return nil }
    var (low, high) = longestRow(length, gap: smallest)
    var bounds = LatticeSearch.bounds(
      distance: counts[high] - counts[low], numbers: Int64(high - low))
    for index in low...high { numbers[index] = Int64(index - low) }
    while low > 0 || high < length - 1 {
      let below = low > 0 ? counts[low] - counts[low - 1] : .max
      let above = high < length - 1 ? counts[high + 1] - counts[high] : .max
      let middle = (bounds.lowerBound + bounds.upperBound) / 2
      let gap = (min(below, above) << LatticeSearch.precision + middle / 2) / middle
      if below <= above {
        low -= 1
        numbers[low] = numbers[low + 1] - gap
      } else {
        high += 1
        numbers[high] = numbers[high - 1] + gap
      }
      let new = LatticeSearch.bounds(
        distance: counts[high] - counts[low], numbers: numbers[high] - numbers[low])
      guard bounds.overlaps(new) else { return nil }
      bounds = bounds.clamped(to: new)
    }
    return bounds
  }

  /// The longest row of counts whose gaps are the smallest one or one more.
  private func longestRow(_ length: Int, gap: Int64) -> (low: Int, high: Int) {
    var (low, best) = (0, (low: 0, high: 0))
    for index in 1..<length {
      if counts[index] - counts[index - 1] > gap + 1 { low = index }
      if index - low > best.high - best.low { best = (low, index) }
    }
    return best
  }

  /// Steps with which rounded values can have this distance.
  private static func bounds(distance: Int64, numbers: Int64) -> ClosedRange<Int64> {
    let low = ((distance - 1) << precision) / numbers
    return low...(((distance + 1) << precision) / numbers + 1)
  }

  /// A step that leaves room for a base: the most that bisection finds.
  private func bestStep(_ bounds: ClosedRange<Int64>, _ length: Int) -> Int64? {
    var (low, high) = (bounds.lowerBound, bounds.upperBound)
    var (best, bestRoom) = (Int64(0), Int64(0))
    while low <= high {
      let step = low + (high - low) / 2
      let (base, limit, isRising) = bases(step, length)
      if limit - base > bestRoom { (best, bestRoom) = (step, limit - base) }
      if isRising { low = step + 1 } else { high = step - 1 }
    }
    return bestRoom > 0 ? best : nil
  }

  /// The bases from `base` to below `limit` that are right for all counts (none when the limit is not above), and whether a
  /// greater step would leave more room between them. Right means: count <= number · step + base < count + 1, all times
  /// 2^precision.
  private func bases(_ step: Int64, _ length: Int) -> (base: Int64, limit: Int64, isRising: Bool) {
    var (base, limit) = (Int64.min, Int64.max)
    var (atBase, atLimit) = (0, 0)
    for index in 0..<length {
      let rest = counts[index] &<< LatticeSearch.precision &- numbers[index] &* step
      if rest > base { (base, atBase) = (rest, index) }
      if rest < limit { (limit, atLimit) = (rest, index) }
    }
    return (base, limit &+ 1 << LatticeSearch.precision, numbers[atLimit] < numbers[atBase])
  }

  /// A lattice near `step` with as few bits of fraction as suffice.
  private func rounded(_ step: Int64, _ length: Int) -> Lattice? {
    for precision in stride(from: 6, through: Lattice.maximumPrecision, by: 2) {
      let drop = LatticeSearch.precision - Int64(precision)
      let short = (step + (1 << drop) / 2) >> drop
      let (base, limit, _) = bases(short << drop, length)
      let shortBase = -((-base) >> drop)
      guard shortBase << drop < limit else { continue }
      // Another numbering makes the base small.
      let least = shortBase - floorDivide(shortBase, short) * short
      return Lattice(precision: precision, step: short, base: least)
    }
    return nil
  }

  /// The spacing of a run of counts: `choice` of a longer or shorter run of the same counts, `last` of the chunk before, or
  /// `hint` of some hundred counts before, if it fits.
  func spacing(
    _ counts: UnsafePointer<Int16>, _ count: Int, after last: Spacing, choice: Spacing?,
    hint: Spacing
  ) -> Spacing {
    for known in [choice, last.lattice == nil ? nil : last] {
      if let known, known.lattice != nil, known.fits(counts, count) { return known }
    }
    let wasting = Spacing.wasting(counts, count, after: last)
    if wasting != .dense { return wasting }
    if hint != .dense, hint.fits(counts, count) { return hint }
    return Spacing(lattice: lattice(counts, count: count))
  }
}
