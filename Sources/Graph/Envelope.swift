// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A span of time in columns of equal width, each with its lowest, highest, first and last counts. A drawing with one
/// pixel or dot per column shows every peak, for any number of samples.
///
///     samples   ·. ˙· .·˙ ˙      ·.. ·˙·
///     columns  │   │   │   │   │   │   │
///               low, high …  gap  …
///
/// Samples are added in order of time, gaps before or after those around them. Memory depends only on the number of columns.
public struct Envelope: Sendable {
  /// The first column's beginning, in nanoseconds.
  public private(set) var start: Int64
  /// A column's width in nanoseconds.
  public let columnWidth: Int64
  /// The columns, from the earliest to the latest.
  public private(set) var columns: [EnvelopeColumn]

  /// Empty columns from `start` on.
  ///
  /// Traps unless there is a column, of a nanosecond at least, and all of them end before `Int64.max`.
  public init(start: Int64, columnWidth: Int64, columns: Int) {
    precondition(columns > 0 && columnWidth > 0, "an envelope has a column, which has a width")
    let (length, isTooLong) = columnWidth.multipliedReportingOverflow(by: Int64(columns))
    precondition(
      !isTooLong && !start.addingReportingOverflow(length).overflow, "the envelope's end overflows")
    self.start = start
    self.columnWidth = columnWidth
    self.columns = Array(repeating: EnvelopeColumn(), count: columns)
  }

  /// Empty columns of equal width that cover `span`: the least width in whole nanoseconds.
  ///
  /// Traps when there is no column, or their end overflows.
  public init(covering span: Range<Int64>, columns: Int) {
    precondition(columns > 0, "an envelope has a column")
    let length = span.upperBound - span.lowerBound
    let width = length / Int64(columns) + (length % Int64(columns) == 0 ? 0 : 1)
    self.init(start: span.lowerBound, columnWidth: max(1, width), columns: columns)
  }

  /// The last column's end, in nanoseconds.
  public var end: Int64 { start + columnWidth * Int64(columns.count) }

  /// The column that contains a time; `nil` outside.
  ///
  /// - Complexity: one division.
  public func column(at time: Int64) -> Int? {
    guard time >= start, time < end else { return nil }
    return Int(UInt64(bitPattern: time &- start) / UInt64(columnWidth))
  }

  /// Adds a sample; one outside the columns is ignored.
  ///
  /// - Complexity: one division and two comparisons of all channels at once.
  public mutating func add(_ time: Int64, _ sample: RawSample) {
    guard let column = column(at: time) else { return }
    columns[column].add(time, sample)
  }

  /// Adds a sample and the lengths of its vectors: for drawings that show these.
  ///
  /// - Parameter magnitudes: Of the sample, or of all samples that it stands for.
  public mutating func add(_ time: Int64, _ sample: RawSample, _ magnitudes: MagnitudeRange) {
    guard let column = column(at: time) else { return }
    columns[column].add(time, sample)
    columns[column].add(magnitudes)
  }

  /// Adds a time without scheduled samples; the part outside the columns is ignored.
  ///
  /// - Complexity: O(columns that it reaches).
  public mutating func addGap(_ times: Range<Int64>) {
    let clamped = times.clamped(to: start..<end)
    guard let first = column(at: clamped.lowerBound), !clamped.isEmpty else { return }
    let last = column(at: clamped.upperBound - 1) ?? columns.count - 1
    columns[first].addGap(from: clamped.lowerBound)
    guard last > first else { return }
    for column in (first + 1)...last {
      columns[column].addGap(from: start + columnWidth * Int64(column))
    }
  }

  /// Advances by `count` columns: drops that many at the beginning and appends empty ones.
  ///
  /// Traps when `count` is negative or the end overflows.
  ///
  /// - Complexity: O(columns).
  public mutating func advance(by count: Int) {
    precondition(count >= 0, "an envelope moves on and not back")
    let dropped = min(count, columns.count)
    columns.removeFirst(dropped)
    columns.append(contentsOf: repeatElement(EnvelopeColumn(), count: dropped))
    start += columnWidth * Int64(count)
  }

  /// Whether a line may join the last sample of one column and the first of a later one: they are neighbours in the
  /// recording. `false` when either column has no samples, or one between them has.
  ///
  /// - Complexity: O(columns between them).
  public func joins(_ earlier: Int, _ later: Int) -> Bool {
    let (from, to) = (columns[earlier], columns[later])
    guard earlier < later, from.sampleCount > 0, to.sampleCount > 0 else { return false }
    if let starts = from.gapStarts, starts.upperBound > from.lastTime { return false }
    if let starts = to.gapStarts, starts.lowerBound < to.firstTime { return false }
    return columns[(earlier + 1)..<later].allSatisfy { $0.sampleCount == 0 && !$0.hasGap }
  }

  /// The lowest and the highest count of the given channels; `nil` without samples or channels.
  public func range(of channels: ChannelSet) -> ClosedRange<Int16>? {
    var range: ClosedRange<Int16>?
    for column in columns where column.sampleCount > 0 {
      let (low, high) = (column.minimum, column.maximum)
      for channel in channels.indices {
        let known = range ?? low[channel]...high[channel]
        range = min(known.lowerBound, low[channel])...max(known.upperBound, high[channel])
      }
    }
    return range
  }
}

/// One column of an ``Envelope``.
public struct EnvelopeColumn: Sendable {
  /// Samples in the column; without any, the other properties are meaningless.
  public private(set) var sampleCount = 0
  /// Time of the column's first sample.
  public private(set) var firstTime: Int64 = 0
  /// Time of the column's last sample.
  public private(set) var lastTime: Int64 = 0
  /// Where the first and the last gap begin in the column; `nil` when none reaches it.
  private(set) var gapStarts: ClosedRange<Int64>?
  /// The lengths of the samples' vectors; `nil` without samples that were added with them.
  public private(set) var magnitudes: MagnitudeRange?
  /// The lengths of the first sample's vectors.
  public private(set) var firstMagnitudes: Magnitudes?
  /// The lengths of the last sample's vectors.
  public private(set) var lastMagnitudes: Magnitudes?

  // Seven channels and a spare, so that a sample is two instructions.
  private var low = SIMD8<Int16>()
  private var high = SIMD8<Int16>()
  private var start = SIMD8<Int16>()
  private var end = SIMD8<Int16>()

  /// The lowest count of every channel.
  public var minimum: RawSample { RawSample(low) }
  /// The highest count of every channel.
  public var maximum: RawSample { RawSample(high) }
  /// The counts of the first sample.
  public var first: RawSample { RawSample(start) }
  /// The counts of the last sample.
  public var last: RawSample { RawSample(end) }
  /// Whether a gap, or a part of one, lies in the column.
  public var hasGap: Bool { gapStarts != nil }

  mutating func add(_ time: Int64, _ sample: RawSample) {
    let counts = SIMD8(sample)
    if sampleCount == 0 {
      (low, high, start, firstTime) = (counts, counts, counts, time)
    } else {
      low.replace(with: counts, where: counts .< low)
      high.replace(with: counts, where: counts .> high)
    }
    end = counts
    lastTime = time
    sampleCount += 1
  }

  mutating func add(_ range: MagnitudeRange) {
    if firstMagnitudes == nil { firstMagnitudes = range.low }
    lastMagnitudes = range.high
    if magnitudes == nil { magnitudes = range } else { magnitudes?.include(range) }
  }

  mutating func addGap(from start: Int64) {
    guard let starts = gapStarts else {
      gapStarts = start...start
      return
    }
    gapStarts = min(starts.lowerBound, start)...max(starts.upperBound, start)
  }
}

extension SIMD8<Int16> {
  fileprivate init(_ sample: RawSample) {
    self.init(
      sample.ax, sample.ay, sample.az, sample.gx, sample.gy, sample.gz, sample.temperature, 0)
  }
}

extension RawSample {
  fileprivate init(_ counts: SIMD8<Int16>) {
    self.init(
      ax: counts[0], ay: counts[1], az: counts[2], gx: counts[3], gy: counts[4], gz: counts[5],
      temperature: counts[6])
  }
}

/// The lengths of a sample's two vectors, in counts: √(x² + y² + z²), rounded to whole counts.
///
/// The greatest, of three counts of −32,768, is 56,756. An axis that was not recorded counts as 0.
public struct Magnitudes: Equatable, Sendable {
  /// Acceleration, rotation.
  fileprivate let lanes: SIMD2<UInt16>

  /// Of the acceleration.
  public var acceleration: UInt16 { lanes[0] }
  /// Of the rotation.
  public var rotation: UInt16 { lanes[1] }

  /// The lengths of a sample's vectors.
  ///
  /// - Complexity: two square roots.
  public init(_ sample: RawSample) {
    lanes = SIMD2(
      Magnitudes.length(sample.ax, sample.ay, sample.az),
      Magnitudes.length(sample.gx, sample.gy, sample.gz))
  }

  fileprivate init(_ lanes: SIMD2<UInt16>) { self.lanes = lanes }

  private static func length(_ x: Int16, _ y: Int16, _ z: Int16) -> UInt16 {
    let (x, y, z) = (Double(x), Double(y), Double(z))
    return UInt16((x * x + y * y + z * z).squareRoot().rounded())
  }
}

/// The lowest and the highest lengths of some samples' vectors.
public struct MagnitudeRange: Equatable, Sendable {
  /// The lowest of each.
  public private(set) var low: Magnitudes
  /// The highest of each.
  public private(set) var high: Magnitudes

  /// Of a single sample.
  public init(_ magnitudes: Magnitudes) {
    (low, high) = (magnitudes, magnitudes)
  }

  /// Includes those of other samples.
  public mutating func include(_ other: MagnitudeRange) {
    low = Magnitudes(pointwiseMin(low.lanes, other.low.lanes))
    high = Magnitudes(pointwiseMax(high.lanes, other.high.lanes))
  }
}
