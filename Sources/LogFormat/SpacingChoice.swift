// Which values a run of a stream is said to use.

extension Spacing {
  /// Low zero bits that all values share; for short runs, which share some by chance, those of the last chunk.
  static func wasting<Value: StreamValue>(
    _ values: UnsafePointer<Value>, _ count: Int, after last: Spacing
  ) -> Spacing {
    if count < shortRun { return last.lattice == nil && last.fits(values, count) ? last : .dense }
    var union: Value = 0
    for index in 0..<count { union |= values[index] }
    return Spacing(wastedBits: min(union.trailingZeroBitCount, Value.bitWidth - 1))
  }

  /// Runs below this keep what there was, because a new head costs about as many bits as they can save.
  static let shortRun = 16
}

extension LatticeSearch {
  /// The spacing of a run of counts.
  ///
  /// `last` is that of the chunk before; `choice` that of a longer or shorter run of the same counts, and `hint`
  /// that of some hundred counts before, to be used when it can be.
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
