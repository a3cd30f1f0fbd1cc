// SPDX-License-Identifier: Apache-2.0

import IMUModel
public import LogFormat

extension LogReader where Storage: ~Copyable {
  /// Writes everything readable of this log into a new one and ends it: every scheduled tick that the log shows becomes
  /// a sample, a gap as recorded, or a gap with the cause `lost`.
  ///
  /// If nothing is missing, the new log ends as this one did. Otherwise it ends as `recovered`, with this log's lateness
  /// if its end can be read. Marks that are too long are cut. The reader is at the end afterwards.
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
      case .end, .damage: break
      }
      try drain(&writer, into: &storage)
    }
    found.finish(self)
    written.close(upTo: found.tickCount, in: &writer)
    if let end, found.damageCount == 0, end.ledger == written.ledger {
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
    do {
      try writer.drain(into: &storage)
    } catch {
      throw .storage(error)
    }
  }
}

/// Writes each tick of a salvaged log once: as a sample, as a gap that was read, or as lost.
///
///     samples   ■ ■ ■ ■           ■ ■ ■
///     gaps              ▒ ▒           ▒   the second one reports a tick that has its sample
///     written   ■ ■ ■ ■ ▒ ▒ lost  ■ ■ ■
///
/// A reader returns gaps before the samples that follow them, so a tick without either is lost. Gaps wait for the
/// samples between them, up to a limit that bounds the memory for any log.
struct SalvageAccount {
  private static let waitingLimit = 4096

  /// The ticks that were written.
  private(set) var ledger = TickLedger()
  private let timeUnit: Int64
  /// The tick after the last one that was written.
  private var nextTick: UInt64 = 0
  /// Gaps that were read but not yet written, in order of their first ticks.
  private var waiting: [Gap] = []

  init(timeUnit: Int64) {
    self.timeUnit = timeUnit
  }

  /// Writes samples, and the gaps before and between them.
  mutating func add(_ block: borrowing SampleBlock, to writer: inout LogEncoder) {
    for index in 0..<block.count {
      let (tick, time, sample) = block[index]
      // Times are modulo 2⁶⁴: one that wrapped cannot be written, and no clock ever had it.
      guard tick >= nextTick, time % timeUnit == 0 else { continue }
      account(upTo: tick, in: &writer)
      writer.append(TickRecord(tick: tick, time: time, sample: sample))
      ledger.sampled += 1
      nextTick = tick + 1
    }
  }

  /// Adds a gap that was read.
  mutating func add(_ gap: Gap, to writer: inout LogEncoder) {
    let place = waiting.lastIndex { $0.firstTick <= gap.firstTick }.map { $0 + 1 } ?? 0
    waiting.insert(gap, at: place)
    guard waiting.count > SalvageAccount.waitingLimit else { return }
    account(upTo: waiting[0].firstTick + waiting[0].count, in: &writer)
  }

  /// Writes the waiting gaps, and whatever else is missing before `tick`.
  mutating func close(upTo tick: UInt64, in writer: inout LogEncoder) {
    let last = waiting.map { $0.firstTick + $0.count }.max() ?? 0
    account(upTo: min(max(tick, last), LogFormat.tickLimit), in: &writer)
  }

  /// The end of the new log: `recovered`.
  func end(_ source: RecordingEnd?) -> RecordingEnd {
    // The largest count that an end can hold. A log that reports more ticks does not add up anyway.
    var ledger = ledger
    for cause in GapCause.allCases { ledger[cause] = min(ledger[cause], (1 << 60) - 1) }
    return RecordingEnd(
      reason: .recovered, ledger: ledger, lateness: source?.lateness ?? LatenessSummary())
  }

  private mutating func account(upTo tick: UInt64, in writer: inout LogEncoder) {
    var used = 0
    while nextTick < tick {
      guard used < waiting.count, waiting[used].firstTick < tick else {
        write(.lost, upTo: tick, in: &writer)
        break
      }
      let gap = waiting[used]
      let end = gap.firstTick + gap.count
      if gap.firstTick > nextTick { write(.lost, upTo: gap.firstTick, in: &writer) }
      write(gap.cause, code: gap.code, upTo: min(end, tick), in: &writer)
      if end <= tick { used += 1 }
    }
    waiting.removeFirst(used)
  }

  private mutating func write(
    _ cause: GapCause, code: Int32 = 0, upTo end: UInt64, in writer: inout LogEncoder
  ) {
    guard end > nextTick else { return }
    let gap = Gap(firstTick: nextTick, count: end - nextTick, cause: cause, code: code)
    writer.append(TickRecord(gap))
    ledger.add(gap.count, cause)
    nextTick = end
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
