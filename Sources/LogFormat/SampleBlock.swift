// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Up to 1024 samples as columns: ticks, times, and counts for each of the seven channels, zeros in absent ones. Its memory
/// (33 KiB) is allocated once.
///
///     tick   │ 0      1      2      …                1023
///     time   │ 0      …
///     ax     │ …
///     ⋮
///     temp   │ …
public struct SampleBlock: ~Copyable, @unchecked Sendable {
  // Safe: the three allocations are owned by this value alone, which is not copyable, live until deinit, hold `capacity` (7
  // × `capacity`) initialised elements, and are handed out only while the value is unchanged. Sending the value to another
  // thread sends its memory.

  /// Samples that fit.
  @inlinable
  public static var capacity: Int { 1024 }

  /// Samples in the block.
  public internal(set) var count = 0

  @usableFromInline let tickColumn: UnsafeMutablePointer<UInt64>
  @usableFromInline let timeColumn: UnsafeMutablePointer<Int64>
  @usableFromInline let countColumns: UnsafeMutablePointer<Int16>

  /// An empty block.
  public init() {
    tickColumn = .allocate(capacity: SampleBlock.capacity)
    timeColumn = .allocate(capacity: SampleBlock.capacity)
    countColumns = .allocate(capacity: 7 * SampleBlock.capacity)
    tickColumn.initialize(repeating: 0, count: SampleBlock.capacity)
    timeColumn.initialize(repeating: 0, count: SampleBlock.capacity)
    countColumns.initialize(repeating: 0, count: 7 * SampleBlock.capacity)
  }

  deinit {
    tickColumn.deallocate()
    timeColumn.deallocate()
    countColumns.deallocate()
  }

  /// Whether the block has no samples.
  public var isEmpty: Bool { count == 0 }

  /// Numbers of the ticks. Valid until the block is changed or destroyed.
  @inlinable
  public var ticks: UnsafeBufferPointer<UInt64> {
    UnsafeBufferPointer(start: tickColumn, count: count)
  }

  /// Nanoseconds from tick 0's deadline. Valid until the block is changed or destroyed.
  @inlinable
  public var times: UnsafeBufferPointer<Int64> {
    UnsafeBufferPointer(start: timeColumn, count: count)
  }

  /// Counts of a channel, by its position in `ChannelSet`; traps unless 0...6. Valid until the block is changed or destroyed.
  public func counts(ofChannel channel: Int) -> UnsafeBufferPointer<Int16> {
    UnsafeBufferPointer(start: column(channel), count: count)
  }

  /// One sample; traps unless `index` is in 0..<count.
  @inlinable
  public subscript(index: Int) -> (tick: UInt64, time: Int64, sample: RawSample) {
    precondition(index >= 0 && index < count, "no such sample in the block")
    let sample = RawSample(
      ax: countColumns[index], ay: countColumns[SampleBlock.capacity + index],
      az: countColumns[2 * SampleBlock.capacity + index],
      gx: countColumns[3 * SampleBlock.capacity + index],
      gy: countColumns[4 * SampleBlock.capacity + index],
      gz: countColumns[5 * SampleBlock.capacity + index],
      temperature: countColumns[6 * SampleBlock.capacity + index])
    return (tickColumn[index], timeColumn[index], sample)
  }

  /// Adds a sample at the end; traps when the block is full.
  public mutating func append(tick: UInt64, time: Int64, sample: RawSample) {
    precondition(count < SampleBlock.capacity, "the block is full")
    tickColumn[count] = tick
    timeColumn[count] = time
    countColumns[count] = sample.ax
    countColumns[SampleBlock.capacity + count] = sample.ay
    countColumns[2 * SampleBlock.capacity + count] = sample.az
    countColumns[3 * SampleBlock.capacity + count] = sample.gx
    countColumns[4 * SampleBlock.capacity + count] = sample.gy
    countColumns[5 * SampleBlock.capacity + count] = sample.gz
    countColumns[6 * SampleBlock.capacity + count] = sample.temperature
    count += 1
  }

  /// The ticks and times, to be replaced by better ones: `count` of each.
  package var mutableTicks: UnsafeMutablePointer<UInt64> { tickColumn }
  package var mutableTimes: UnsafeMutablePointer<Int64> { timeColumn }

  /// Empties the block.
  public mutating func removeAll() { count = 0 }

  /// Removes the first `n` samples and moves the others to the front.
  mutating func removeFirst(_ n: Int) {
    precondition(n >= 0 && n <= count, "the block has fewer samples")
    let rest = count - n
    tickColumn.update(from: tickColumn + n, count: rest)
    timeColumn.update(from: timeColumn + n, count: rest)
    for channel in 0..<7 { column(channel).update(from: column(channel) + n, count: rest) }
    count = rest
  }

  /// The address of a channel's counts; traps unless 0...6.
  func column(_ channel: Int) -> UnsafeMutablePointer<Int16> {
    precondition(channel >= 0 && channel < 7, "a sample has channels 0 to 6")
    return countColumns + channel * SampleBlock.capacity
  }
}
