// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
public import LogFormat

extension LogReader where Storage: ~Copyable {
  /// Writes everything readable of this log into a new one and ends it: every scheduled tick that the log shows becomes a
  /// sample, a gap as recorded, or a gap with the cause `lost`. If nothing is missing, the new log ends as this one, else as
  /// `recovered`. The reader is at the end afterwards.
  ///
  /// - Parameters:
  ///   - writer: The new log's, after its header.
  ///   - storage: Where the new log goes; the caller finishes it.
  /// - Returns: What was found in this log.
  /// - Throws: ``LogError/storage(_:)`` of either storage.
  @discardableResult
  public mutating func salvage<Target: LogStorage & ~Copyable>(
    into writer: inout LogEncoder, _ storage: inout Target
  ) throws(LogError) -> Account {
    rewind()
    isAsRecorded = true
    defer { isAsRecorded = false }
    var found = Account(description)
    found.byteCount = try byteCount()
    var written = SalvageAccount(timeUnit: description.timeUnit)
    while let item = try next() {
      found.add(item, from: self)
      switch item {
      case .samples: written.add(block, to: &writer)
      case .gap(let gap): written.add(gap, to: &writer)
      case .mark(let mark): writer.append(mark.shortened)
      case .clock(let pair): writer.append(pair)
      case .sensor(let event): writer.append(TickRecord(event))
      case .certificate(let certificate): writer.append(certificate.shortened)
      case .reading(let reading): writer.append(TickRecord(reading))
      case .busClock(let reading): writer.append(reading)
      case .field(let reading): writer.append(reading)
      case .end, .damage: break
      }
      try drain(&writer, into: &storage)
    }
    found.finish(self)
    written.close(upTo: found.tickCount, in: &writer)
    if let end, found.damageCount == 0, end.tally == written.tally {
      writer.finish(end)
    } else {
      writer.finish(written.end(end))
    }
    try drain(&writer, into: &storage)
    return found
  }

  private func drain<Target: LogStorage & ~Copyable>(
    _ writer: inout LogEncoder, into storage: inout Target
  ) throws(LogError) {
    try LogError.wrapped { () throws(StorageError) in try writer.drain(into: &storage) }
  }
}

/// Writes each tick of a salvaged log once: as a sample, as a gap that was read, or as lost.
///
///     samples   ■ ■ ■ ■           ■ ■ ■
///     gaps              ▒ ▒           ▒   the second one reports a tick that has its sample
///     written   ■ ■ ■ ■ ▒ ▒ lost  ■ ■ ■
struct SalvageAccount {
  private(set) var tally = TickTally()
  private let timeUnit: Int64
  private var order = GapOrder()

  init(timeUnit: Int64) { self.timeUnit = timeUnit }

  /// Writes samples, and the gaps before and between them.
  mutating func add(_ block: borrowing SampleBlock, to writer: inout LogEncoder) {
    for row in 0..<block.count {
      let (tick, time, sample) = block[row]
      // Times are modulo 2⁶⁴: one that wrapped cannot be written, and no clock ever had it.
      guard tick >= order.next, time % timeUnit == 0 else { continue }
      while let place = order.take(before: tick) { write(place.gap, to: &writer) }
      _ = order.takeRun(row..<row + 1, of: block)
      writer.append(TickRecord(tick: tick, time: time, sample: sample))
      tally.sampled += 1
    }
  }

  mutating func add(_ gap: Gap, to writer: inout LogEncoder) {
    order.add(gap)
    while let place = order.overdue() { write(place.gap, to: &writer) }
  }

  /// Writes the waiting gaps, and what else is missing before `tick`.
  mutating func close(upTo tick: UInt64, in writer: inout LogEncoder) {
    for place in order.rest(upTo: min(tick, LogFormat.tickLimit)) { write(place.gap, to: &writer) }
  }

  func end(_ source: RecordingEnd?) -> RecordingEnd {
    // The largest count that an end can hold; a log with more ticks does not add up anyway.
    var tally = tally
    for cause in GapCause.allCases { tally[cause] = min(tally[cause], (1 << 60) - 1) }
    return RecordingEnd(
      reason: .recovered, tally: tally, lateness: source?.lateness ?? LatenessSummary())
  }

  private mutating func write(_ gap: Gap, to writer: inout LogEncoder) {
    writer.append(TickRecord(gap))
    tally.add(gap.count, gap.cause)
  }
}

extension Mark {
  /// The mark with as much of its label as fits a log.
  fileprivate var shortened: Mark {
    var mark = self
    while mark.label.utf8.count > LogFormat.markLabelLength { mark.label.removeLast() }
    return mark
  }
}
