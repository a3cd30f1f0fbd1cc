// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// How late the sampler woke, counted in buckets whose width grows with the lateness.
///
///     below 32 ns        one bucket a nanosecond
///     2^n ..< 2^(n+1)    32 buckets of equal width, for n from 5 to 34
///
/// A figure that is read back is at most 1/32 above the true one, from a nanosecond to 34 s; later ones fall into the last
/// bucket, and the maximum is kept exactly. 8 KB, allocated once.
public struct LatenessHistogram: ~Copyable {
  /// Values recorded so far.
  public private(set) var count: UInt64 = 0
  /// The largest value recorded; 0 when there is none.
  public private(set) var maximum: Int64 = 0
  @usableFromInline let counts: UnsafeMutablePointer<UInt64>

  /// Buckets an octave: the inverse of the largest relative error.
  static let resolution = 32
  private static var octaves: Int { 30 }
  package static var bucketCount: Int { resolution * (octaves + 1) }

  /// An empty histogram: one allocation.
  public init() {
    // Safe: owned by this value alone, which cannot be copied, and freed with it. Every index comes from `bucket(of:)`,
    // which is in 0..<bucketCount, or runs over that range.
    counts = .allocate(capacity: LatenessHistogram.bucketCount)
    counts.initialize(repeating: 0, count: LatenessHistogram.bucketCount)
  }

  @inlinable
  deinit {
    counts.deallocate()
  }

  /// Counts one lateness in nanoseconds; negative ones count as 0. Some ten instructions.
  public mutating func record(_ nanoseconds: Int64) {
    let value = max(0, nanoseconds)
    (counts + LatenessHistogram.bucket(of: value)).pointee += 1
    count += 1
    maximum = max(maximum, value)
  }

  /// The smallest figure that at least `percent` of the values do not exceed, rounded up to the end of its bucket and
  /// never above ``maximum``; 0 when there are no values. Traps unless `percent` is in 0...100.
  public func percentile(_ percent: Double) -> Int64 {
    precondition((0...100).contains(percent), "a percentile is between 0 and 100")
    let rank = max(1, UInt64((percent / 100 * Double(count)).rounded(.up)))
    var seen: UInt64 = 0
    for index in 0..<LatenessHistogram.bucketCount {
      seen += counts[index]
      if seen >= rank { return min(maximum, LatenessHistogram.range(ofBucket: index).upperBound) }
    }
    return maximum
  }

  /// Median, 99th percentile and maximum.
  public var summary: LatenessSummary {
    LatenessSummary(median: percentile(50), percentile99: percentile(99), maximum: maximum)
  }

  /// The bucket that a value, not negative, is counted in.
  package static func bucket(of value: Int64) -> Int {
    guard value >= resolution else { return Int(value) }
    let octave = 63 - value.leadingZeroBitCount
    // The top six bits of the value: a one, then the five that number the bucket inside the octave.
    let mantissa = Int(value >> (octave - 5)) - resolution
    return min((octave - 4) * resolution + mantissa, bucketCount - 1)
  }

  /// The values of a bucket.
  package static func range(ofBucket index: Int) -> ClosedRange<Int64> {
    guard index >= resolution else { return Int64(index)...Int64(index) }
    guard index < bucketCount - 1 else { return lowest(ofBucket: index)...Int64.max }
    return lowest(ofBucket: index)...lowest(ofBucket: index + 1) - 1
  }

  private static func lowest(ofBucket index: Int) -> Int64 {
    let octave = index / resolution + 4
    return Int64(resolution + index % resolution) << (octave - 5)
  }
}
