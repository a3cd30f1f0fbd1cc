// SPDX-License-Identifier: Apache-2.0

import ChipClock
import IMUModel
import LogFormat

extension LogReader where Storage: ~Copyable {
  /// The earliest instant of each sample of ``block`` in nanoseconds since tick 0's deadline, `Int64.min` where unproved.
  /// Empty on a grid. Valid until the next call.
  public var earliest: UnsafeBufferPointer<Int64> { bounds { $0.earliest.base } }

  /// The latest instants, as ``earliest``; `Int64.max` where unproved.
  public var latest: UnsafeBufferPointer<Int64> { bounds { $0.latest.base } }

  /// The ticks of findings, from those of ``block`` on: samples lost or doubled, a change of the rate, a contradiction. The
  /// instants of these samples are those of two clocks.
  public var brackets: [ClosedRange<UInt64>] { times?.times.brackets ?? [] }

  /// What the readings of the chip's FIFO show so far; `nil` on a grid.
  public var clockAccount: ClockAccount? { times?.times.found }

  private func bounds(
    _ column: (borrowing ChipTimes) -> UnsafeMutablePointer<Int64>
  ) -> UnsafeBufferPointer<Int64> {
    guard let times else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(start: column(times.times), count: block.count)
  }

  func tick(_ tick: UInt64) -> UInt64 { times?.times.tick(tick) ?? tick }

  mutating func nextDerived() throws(LogError) -> LogItem? {
    let times = try startTimes()
    while true {
      if !waiting.isEmpty { return waiting.removeFirst() }
      guard let item = try nextRecorded() else { return nil }
      switch item {
      case .samples(let count):
        let last = block.ticks[count - 1]
        try times.times.derive(&block, &storage)
        waiting = times.times.lostGaps(through: last).map(LogItem.gap)
        waiting.append(item)
      case .gap(let gap):
        if let gap = try times.times.derive(gap, &storage) { return .gap(gap) }
      case .sensor(var event):
        try times.times.settle(before: event.tick + 1, &storage)
        event.tick = tick(event.tick)
        return .sensor(event)
      case .end(let end):
        try times.times.readToEnd(&storage)
        waiting = times.times.lostGaps(through: .max).map(LogItem.gap)
        waiting.append(.end(times.times.derive(end)))
      case .damage:
        times.times.noteDamage()
        return item
      case .mark, .clock, .reading, .busClock, .field, .certificate: return item
      }
    }
  }

  private mutating func startTimes() throws(LogError) -> ChipTimesBox {
    if let times { return times }
    var assumptions = ClockAssumptions()
    if case .chip(let hertz?) = description.clock, (10_000...10_000_000).contains(hertz) {
      assumptions.busHertz = hertz
    }
    let started = ChipTimesBox(ChipTimes(description, assumptions, fromPage: scanStart))
    times = started
    return started
  }

  /// Forgets what was read ahead.
  mutating func restartTimes() {
    times = nil
    waiting = []
    scanStart = 0
  }
}

final class ChipTimesBox {
  var times: ChipTimes

  init(_ times: consuming ChipTimes) { self.times = times }
}
