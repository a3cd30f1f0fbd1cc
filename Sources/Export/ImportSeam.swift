import Glibc

/// Finds where the ticks of a rate lie among the times of a table: half a period from the place where no sample is.
///
///     time in a period    0 ····▁▃▆▇▆▃▁················ 1     all samples of the table, one period over the other
///     seam                                  ↑
///
/// Samples that were taken at one rate have such a place when they jitter by less than half a period, rounding
/// included, whatever is missing among them. Of a clock that drifts by a period against the rate they have none.
struct ImportSeam {
  private static let bins = 4096

  private let period: Double
  private var isTaken = [Bool](repeating: false, count: bins)
  private var first: Int64 = 0
  private var last: Int64 = 0
  private var count: UInt64 = 0
  private var shortest = Double.infinity

  /// - Parameter period: Nanoseconds, above 0.
  init(period: Double) { self.period = period }

  mutating func add(_ time: Int64) {
    if count == 0 { first = time } else { shortest = min(shortest, periods(last, time)) }
    let phase = periods(first, time)
    let bin = Int((phase - phase.rounded(.down)) * Double(ImportSeam.bins))
    isTaken[min(bin, ImportSeam.bins - 1)] = true
    last = time
    count += 1
  }

  /// Periods from the first sample to the middle of the widest place without one; and whether a tick may be lost where
  /// the samples around it are little more than a period apart. `nil` when samples are everywhere.
  ///
  /// They may when the intervals show that the samples jitter, and the place is wider than chance makes it: of N
  /// phases without a grid the widest one is about ln N / N.
  var seam: (phase: Double, mayCrowd: Bool)? {
    var (widest, end, run) = (0, 0, 0)
    // Twice around, because the widest place may lie across the beginning.
    for step in 0..<2 * ImportSeam.bins {
      run = isTaken[step % ImportSeam.bins] ? 0 : min(run + 1, ImportSeam.bins)
      if run > widest { (widest, end) = (run, step + 1) }
    }
    guard widest > 0 else { return nil }
    let bins = Double(ImportSeam.bins)
    let middle = (Double(end) - Double(widest) / 2) / bins
    let width = Double(widest) / bins
    let byChance = 3 * log(Double(count)) / Double(count)
    let mayCrowd = shortest < 0.7 && width > max(1.0 / 64, byChance)
    return (middle - middle.rounded(.down), mayCrowd)
  }

  private func periods(_ earlier: Int64, _ later: Int64) -> Double {
    let (difference, overflow) = later.subtractingReportingOverflow(earlier)
    return (overflow ? Double(later) - Double(earlier) : Double(difference)) / period
  }
}
