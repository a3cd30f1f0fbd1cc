// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import LogFormat

/// A run of consecutive, evenly spaced samples.
package struct SampleSegment: Equatable, Sendable {
  /// The place of its first sample in the columns.
  package let first: Int
  package private(set) var count: Int
  /// Nanoseconds since tick 0's deadline at its first sample.
  package let firstTime: Int64
  /// Nanoseconds since tick 0's deadline at its last sample.
  package private(set) var lastTime: Int64

  /// One of its samples: the number from 1 on, and the time.
  struct Instant: Equatable, Sendable {
    let number: Int
    let time: Int64
  }

  /// Some of its samples, about evenly spaced: from the 16th part of a long segment to the 32nd.
  private(set) var instants: [Instant] = []
  private var spacing = 64
  private static let mostInstants = 32

  init(first: Int, at time: Int64) {
    (self.first, count, firstTime, lastTime) = (first, 0, time, time)
  }

  mutating func append(_ number: Int, upTo time: Int64) {
    count += number
    lastTime = time
    guard count >= (instants.last?.number ?? 0) + spacing else { return }
    instants.append(Instant(number: count, time: time))
    guard instants.count == SampleSegment.mostInstants else { return }
    spacing *= 2
    instants = instants.indices.filter { $0 % 2 == 1 }.map { instants[$0] }
  }

  /// The places of its samples in the columns.
  package var places: Range<Int> { first..<(first + count) }
}

/// The counts of a stretch of a recording in memory: a column for each channel, and the segments that they form.
///
///     log        s s s s s gap s s s s s s s ┆ s s s s s      ┆ a time that is off
///     columns    s s s s s s s s s s s s s s s s s            14 bytes a sample of seven channels
///     segments   ├───────┤ ├───────────┤ ├───────┤
///
/// Nothing is made up between two segments. Runs of fewer than ``shortest`` samples are left out, so that the number of
/// segments is bounded too.
package final class SampleColumns {
  /// The most samples: 224 MB of seven channels, which take memory as they are filled.
  package static let limit = 16_000_000
  /// Samples of the shortest segment.
  package static let shortest = 64

  /// What is not in the columns, and what is doubtful in them.
  package struct Account: Equatable, Sendable {
    /// Samples in runs that are too short.
    package internal(set) var leftOut: UInt64 = 0
    /// Samples of the longest such run.
    package internal(set) var longestLeftOut = 0
    /// Places where ticks are missing between two samples.
    package internal(set) var gaps: UInt64 = 0
    /// Places where the time between two consecutive samples is off by more than half a period: a new segment where the
    /// times place the samples, else a reading that came late.
    package internal(set) var unevenTimes: UInt64 = 0
    /// Parts of the log that cannot be read.
    package internal(set) var damages: UInt64 = 0
    /// Samples whose instants no reading of the chip's clock proves.
    package internal(set) var unproved: UInt64 = 0
    /// Nanoseconds by which the lengths of all segments together may be wrong; only for a chip that keeps the time.
    package internal(set) var lengthError: Int64 = 0
  }

  package let description: RecordingDescription
  /// The channels that have a column.
  package let channels: ChannelSet
  package private(set) var count = 0
  package private(set) var segments: [SampleSegment] = []
  /// Whether the recording was found to be cut off within the columns' stretch.
  package var isCutOff = false
  /// What is not in the columns.
  package internal(set) var account = Account()
  private let memory: UnsafeMutablePointer<Int16>
  private let capacity: Int
  private let positions: [Int]

  /// Empty columns of those of `mask` that the recording has.
  init(_ description: RecordingDescription, _ mask: ChannelSet, capacity: Int = SampleColumns.limit)
  {
    self.description = description
    self.capacity = capacity
    channels = description.channels.intersection(mask)
    var positions = [Int](repeating: -1, count: 7)
    for (place, channel) in channels.indices.enumerated() { positions[channel] = place }
    self.positions = positions
    // Memory of this size comes from the kernel and takes room only where it is written.
    memory = .allocate(capacity: max(1, capacity * channels.indices.count))
  }

  deinit { memory.deallocate() }

  /// The counts of a segment of a channel, by the channel's position in ``ChannelSet``; traps unless ``channels`` has it.
  /// Valid while the columns are.
  package func counts(ofChannel channel: Int, in segment: SampleSegment) -> UnsafeBufferPointer<
    Int16
  > {
    precondition(positions[channel] >= 0, "the columns have no such channel")
    precondition(segment.places.upperBound <= count, "the columns have no such segment")
    return UnsafeBufferPointer(
      start: memory + positions[channel] * capacity + segment.first, count: segment.count)
  }

  package func runs(ofChannel channel: Int) -> [UnsafeBufferPointer<Int16>] {
    segments.map { counts(ofChannel: channel, in: $0) }
  }

  package var longest: Int { segments.reduce(0) { max($0, $1.count) } }

  /// Samples a second: the nominal rate where the computer reads the chip on its grid, else the mean of the times.
  package var rate: Double {
    let nominal = description.rate.hertz
    guard description.isFreeRunning else { return nominal }
    let periods = segments.reduce(0) { $0 + $1.count - 1 }
    let length = segments.reduce(0.0) { $0 + Double($1.lastTime - $1.firstTime) }
    return periods > 0 && length > 0 ? Double(periods) / length * 1e9 : nominal
  }

  /// By how much of itself the rate may be wrong, as the readings of the chip's clock prove; `nil` where they do not, and
  /// where no chip keeps the time.
  package var rateError: Double? {
    guard description.clock != .grid, account.unproved == 0 else { return nil }
    let length = segments.reduce(0.0) { $0 + Double($1.lastTime - $1.firstTime) }
    return length > 0 ? Double(account.lengthError) / length : nil
  }

  /// By how much of itself the rate changes between segments, and between the 16 to 32 parts of a long one; parts of fewer
  /// than `length` samples are taken together. 0 where the computer reads the chip on its grid.
  func rateDrift(length: Int) -> Double {
    guard description.isFreeRunning else { return 0 }
    var (shortest, longest) = (Double.infinity, 0.0)
    func add(_ count: Int, _ time: Int64) {
      guard count >= length, time > 0 else { return }
      let period = Double(time) / Double(count)
      (shortest, longest) = (min(shortest, period), max(longest, period))
    }
    for segment in segments {
      var begin = SampleSegment.Instant(number: 1, time: segment.firstTime)
      for instant in segment.instants {
        // What is left after it must be as long.
        guard instant.number - begin.number >= length, segment.count - instant.number >= length
        else { continue }
        add(instant.number - begin.number, instant.time - begin.time)
        begin = instant
      }
      add(segment.count - begin.number, segment.lastTime - begin.time)
    }
    return longest > 0 ? longest / shortest - 1 : 0
  }

  package var duration: Double { Double(count) / rate }

  // MARK: - Filling

  func begin(at time: Int64) {
    segments.append(SampleSegment(first: count, at: time))
  }

  /// Adds consecutive samples of a block to the last segment; `false` when there is no room.
  func append(_ rows: Range<Int>, of block: borrowing SampleBlock) -> Bool {
    guard rows.count <= capacity - count else { return false }
    for channel in channels.indices {
      guard let source = block.counts(ofChannel: channel).baseAddress else { continue }
      // Safe: there is room for the rows, and the block has them.
      (memory + positions[channel] * capacity + count)
        .update(from: source + rows.lowerBound, count: rows.count)
    }
    count += rows.count
    segments[segments.count - 1].append(rows.count, upTo: block.times[rows.upperBound - 1])
    return true
  }

  /// Ends the last segment, and leaves it out if it is too short; returns whether it stays.
  func endSegment() -> Bool {
    guard let last = segments.last else { return false }
    guard last.count < SampleColumns.shortest else { return true }
    segments.removeLast()
    count = last.first
    account.leftOut += UInt64(last.count)
    account.longestLeftOut = max(account.longestLeftOut, last.count)
    return false
  }
}
