extension UInt64 {
  /// The sum, or the largest number where it would be larger.
  ///
  /// A log that is damaged, or was made to do harm, reports more ticks than there are numbers; a
  /// reader must not trap for it.
  package func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
