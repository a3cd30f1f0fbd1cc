// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import LogFormat
package import LogStore
import Text

extension SampleColumns {
  /// Reads a stretch of a recording into columns.
  ///
  /// - Parameters:
  ///   - from: Nanoseconds since tick 0's deadline: samples before it are left out; `nil` for none.
  ///   - to: Nanoseconds since tick 0's deadline: samples at it and after it are left out; `nil` for none.
  ///   - channels: The channels of interest; those that the recording lacks have no column.
  /// - Throws: ``AnalysisError`` when the log cannot be read, or when the stretch has too many samples, none, or no segment.
  package static func read<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>, from: Int64? = nil, to: Int64? = nil,
    channels: ChannelSet = [.accelerometer, .gyroscope], limit: Int = SampleColumns.limit
  ) throws(AnalysisError) -> SampleColumns {
    var reading = ColumnReading(
      SampleColumns(reader.description, channels, capacity: limit), from: from ?? .min, to: to)
    var hasRoom = true
    do throws(LogError) {
      if let from { try reader.seek(toTime: from) } else { reader.rewind() }
      reading: while hasRoom, let item = try reader.next() {
        switch item {
        case .samples:
          hasRoom = reading.add(reader.block, reader.earliest, reader.latest)
          if let to, let last = reader.block.times.last, last >= to { break reading }
        case .damage: reading.columns.account.damages += 1
        default: break
        }
      }
    } catch {
      throw .log(error)
    }
    guard hasRoom else {
      throw .refused(
        "there are more than the \(limit) samples that can be analysed at once",
        remedy: "choose a stretch with --from and --to")
    }
    reading.endSegment()
    let columns = reading.columns
    guard columns.segments.isEmpty else { return columns }
    let longest = columns.account.longestLeftOut
    let isStretch = from != nil || to != nil
    guard longest > 0 else {
      throw .refused(
        "there is no sample to analyse",
        remedy: "choose another " + (isStretch ? "stretch with --from and --to" : "recording"),
        isRequest: isStretch)
    }
    throw .refused(
      Plain.count(longest, "sample is", "samples are")
        + " the longest run without a gap or an uneven time, and an analysis needs \(shortest)",
      remedy: columns.divisionRemedy
        ?? (isStretch ? "choose another stretch, or record for longer" : "record for longer"),
      isRequest: isStretch)
  }

  /// The remedy where something divides the samples again and again, so that recording for longer does not help; `nil` where
  /// it happened now and then.
  private var divisionRemedy: String? {
    // Where the rows of a table are too far apart for the grid, its times make gaps too.
    let isTable = description.isImported
    guard account.gaps + (isTable ? account.unevenTimes : 0) >= 3 else { return nil }
    return isTable
      ? "its times come in bursts or leave gaps: if no row is missing, import the table again with --rate and without time= in --columns, which places its rows evenly"
      : "gaps leave no longer one, and recording for longer does not help: end what `imulog info` names as their cause, or choose another recording"
  }
}

/// Where the reading of columns has got to.
private struct ColumnReading {
  let columns: SampleColumns
  private let from: Int64
  private let to: Int64?
  /// The least and the greatest time between two samples of a segment.
  private let spacing: ClosedRange<Int64>
  /// Whether times, and not only ticks, divide the samples into segments.
  private let isFreeRunning: Bool
  private var last: (tick: UInt64, time: Int64)?
  /// What the instants of the segment's first and last sample may be off.
  private var firstError: Int64 = 0
  private var lastError: Int64 = 0

  init(_ columns: SampleColumns, from: Int64, to: Int64?) {
    (self.columns, self.from, self.to) = (columns, from, to)
    let period = max(2, columns.description.rate.periodNanoseconds)
    spacing = (period / 2)...(period / 2 + min(period, .max / 2))
    isFreeRunning = columns.description.isFreeRunning
  }

  /// Adds those samples of a block that are in the stretch; `false` when there is no room.
  mutating func add(
    _ block: borrowing SampleBlock, _ earliest: UnsafeBufferPointer<Int64>,
    _ latest: UnsafeBufferPointer<Int64>
  ) -> Bool {
    let (ticks, times) = (block.ticks, block.times)
    var start: Int?
    var end = 0
    for row in 0..<block.count {
      let (tick, time) = (ticks[row], times[row])
      var isFirst = false
      guard time >= from, to.map({ time < $0 }) ?? true else { continue }
      if let last, tick == last.tick + 1, isEven(time, after: last.time) {
        if start == nil { start = row }
      } else {
        if let start, !columns.append(start..<row, of: block) { return false }
        if let last, tick != last.tick + 1 { columns.account.gaps += 1 }
        endSegment()
        columns.begin(at: time)
        start = row
        isFirst = true
      }
      if !earliest.isEmpty {
        lastError = error(row, time, earliest, latest)
        if isFirst { firstError = lastError }
      }
      last = (tick, time)
      end = row + 1
    }
    if let start, !columns.append(start..<end, of: block) { return false }
    return true
  }

  func endSegment() {
    guard columns.endSegment() else { return }
    columns.account.lengthError += firstError + lastError
  }

  /// Whether a time continues a segment; one that is off is counted.
  private mutating func isEven(_ time: Int64, after last: Int64) -> Bool {
    guard !spacing.contains(time &- last) else { return true }
    columns.account.unevenTimes += 1
    return !isFreeRunning
  }

  /// What a sample's instant may be off, as the readings of the chip's clock prove.
  private func error(
    _ row: Int, _ time: Int64, _ earliest: UnsafeBufferPointer<Int64>,
    _ latest: UnsafeBufferPointer<Int64>
  ) -> Int64 {
    guard earliest[row] > .min, latest[row] < .max else {
      columns.account.unproved += 1
      return 0
    }
    // Readings of nonsense may bound an instant by 2⁶² on both sides.
    let half = max(time / 2 - earliest[row] / 2, latest[row] / 2 - time / 2)
    return min(half, 1 << 40) * 2 + 1
  }
}
