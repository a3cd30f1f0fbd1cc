// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Gives the holes among a document's samples the causes that it states, and the sensor's events their ticks.
///
///     document   gaps    t 100, 2 ticks, missed    t 300, 1 tick, busError      sensorEvents   t 300, back
///     samples    t 0  ────────────── 3 ticks without a sample ────────────── t 400
///     log        tick 0  gap 1 2 missed            gap 3 busError, event at 3   tick 4
///
/// Stated gaps between two samples count if they have as many ticks as the hole there. Those before the first sample and
/// after the last one are taken as they are: no sample contradicts them.
struct ImportCauses: Equatable {
  /// A gap as a document or a row states it.
  struct StatedGap: Equatable {
    let time: Int64
    let gap: Gap
    /// Where it is in the file, and the time there.
    var row: Row?

    struct Row: Equatable {
      let place: ImportPlace
      let time: Int64
    }
  }
  /// An event as the document states it.
  struct StatedEvent: Equatable {
    let time: Int64
    let event: SensorEvent
  }

  /// Most ticks of all gaps together, so that no tick leaves the range of a log.
  private static let mostTicks: UInt64 = 1 << 57

  private var gaps: ArraySlice<StatedGap>
  private var events: ArraySlice<StatedEvent>
  /// Ticks before the first sample.
  private var shift: UInt64 = 0
  private var hasBegun = false
  /// The tick after the last one so far.
  private var next: UInt64 = 0
  /// Ticks without a sample so far, by cause.
  private(set) var ledger = TickLedger()
  /// Gaps whose cause could not be kept.
  private(set) var unplaced = 0
  /// What rows of gaps are checked by; `nil` when they are known to fit.
  var check: Check?
  /// The first row whose gap does not fit, its ticks, and how many do.
  private(set) var misfit: Misfit?
  private var lastTime: Int64?

  struct Misfit: Equatable {
    let place: ImportPlace
    let ticks: UInt64
    /// `nil` where it has more than a log can count.
    let fitting: UInt64?
  }

  /// How many ticks fit between two times: those of the rate, and a twentieth more.
  struct Check: Equatable {
    /// Nanoseconds.
    let period: Double
    /// Ticks by which samples may be late.
    let allowance: Double
    /// Whether only what is before the first sample is open.
    let isBeginningOnly: Bool
  }

  /// The tick of the first sample, if stated ticks are those of the samples; else times tell which gaps are before a sample.
  private let origin: UInt64?

  /// - Parameters:
  ///   - origin: See there.
  ///   - gaps: In any order.
  ///   - events: In any order.
  init(_ gaps: [StatedGap], _ events: [StatedEvent], origin: UInt64? = nil) {
    self.origin = origin
    let ticks = gaps.reduce(0 as UInt64) { $0.addingSaturated($1.gap.count) }
    if ticks <= ImportCauses.mostTicks {
      let byTime = gaps.sorted { ($0.time, $0.gap.firstTick) < ($1.time, $1.gap.firstTick) }
      self.gaps =
        (origin == nil ? byTime : byTime.sorted { $0.gap.firstTick < $1.gap.firstTick })[...]
    } else {
      self.gaps = []
      unplaced = gaps.count
      let longest = gaps.max { $0.gap.count < $1.gap.count }
      misfit = longest.flatMap { item in
        item.row.map { Misfit(place: $0.place, ticks: item.gap.count, fitting: nil) }
      }
    }
    let byTime = events.sorted { ($0.time, $0.event.tick) < ($1.time, $1.event.tick) }
    self.events = (origin == nil ? byTime : byTime.sorted { $0.event.tick < $1.event.tick })[...]
  }

  /// Whether there is nothing to place.
  var isEmpty: Bool { gaps.isEmpty && events.isEmpty && !hasBegun && misfit == nil }

  /// The tick of a sample in the log.
  ///
  /// - Parameter tick: Its tick, counted from the first sample.
  func tick(_ tick: UInt64) -> UInt64 { tick + shift }

  /// The gaps and events before a sample, in their order.
  ///
  /// - Parameters:
  ///   - time: When the sample was made.
  ///   - tick: Its tick, counted from the first sample.
  ///   - lost: Ticks without a sample before it.
  mutating func records(before time: Int64, tick: UInt64, lost: UInt64) -> [TickRecord] {
    var records: [TickRecord] = []
    let absolute = origin.map { $0 + tick }
    let stated = gaps.prefix { gap in absolute.map { gap.gap.firstTick < $0 } ?? (gap.time < time) }
    gaps = gaps.dropFirst(stated.count)
    let sum = stated.reduce(0 as UInt64) { $0 + $1.gap.count }
    look(at: stated, ticks: sum, before: time)
    var first = tick + shift - lost
    var placed: [(stated: Gap, first: UInt64)] = []
    if !hasBegun {
      (hasBegun, shift, first) = (true, sum, 0)
      placed = place(stated, from: first, &records)
    } else if sum == lost {
      placed = place(stated, from: first, &records)
    } else {
      unplaced += stated.count { $0.gap.cause != .lost }
      if lost > 0 {
        records.append(TickRecord(Gap(firstTick: first, count: lost, cause: .lost)))
        ledger.add(lost, .lost)
      }
    }
    let here = events.prefix { item in
      absolute.map { item.event.tick <= $0 } ?? (item.time <= time)
    }
    events = events.dropFirst(here.count)
    records += ImportCauses.records(of: here, placed, else: tick + shift)
    next = tick + shift + 1
    return records
  }

  /// Notes the first of the gaps after the last sample that ends beyond the times of a log.
  private mutating func lookAtRest() {
    guard let check, let lastTime else { return }
    let fitting = Int64.max.nanoseconds(since: lastTime) / check.period
    var ticks = 0.0
    for item in gaps {
      ticks += Double(item.gap.count)
      guard misfit == nil, let row = item.row, ticks > fitting else { continue }
      misfit = Misfit(
        place: row.place, ticks: item.gap.count, fitting: UInt64(max(0, min(fitting, 0x1p58))))
    }
  }

  /// Notes the first of the gaps if all of them have more ticks than fit before a sample.
  private mutating func look(
    at stated: ArraySlice<StatedGap>, ticks: UInt64, before time: Int64
  ) {
    defer { lastTime = time }
    guard let check, misfit == nil, let row = stated.lazy.compactMap(\.row).first,
      lastTime == nil || !check.isBeginningOnly
    else { return }
    let periods = time.nanoseconds(since: lastTime ?? row.time) / check.period
    guard Double(ticks) > max(0, 1.05 * periods + 1) + check.allowance else { return }
    let fitting = periods.rounded() - (lastTime == nil ? 0 : 1)
    misfit = Misfit(place: row.place, ticks: ticks, fitting: UInt64(max(0, min(fitting, 0x1p58))))
  }

  /// The gaps and events after the last sample.
  mutating func rest() -> [TickRecord] {
    lookAtRest()
    var records: [TickRecord] = []
    let placed = place(gaps, from: next, &records)
    records += ImportCauses.records(of: events, placed, else: max(next, 1) - 1)
    (gaps, events) = ([], [])
    return records
  }

  private mutating func place(
    _ stated: ArraySlice<StatedGap>, from first: UInt64, _ records: inout [TickRecord]
  ) -> [(stated: Gap, first: UInt64)] {
    var tick = first
    var placed: [(stated: Gap, first: UInt64)] = []
    for item in stated {
      var gap = item.gap
      gap.firstTick = tick
      records.append(TickRecord(gap))
      ledger.add(gap.count, gap.cause)
      placed.append((item.gap, tick))
      tick += gap.count
    }
    return placed
  }

  /// Events at the tick in a gap at which each was, or at that of a sample.
  private static func records(
    of stated: ArraySlice<StatedEvent>, _ gaps: [(stated: Gap, first: UInt64)], else tick: UInt64
  ) -> [TickRecord] {
    guard !stated.isEmpty else { return [] }
    let gaps = gaps.sorted { $0.stated.firstTick < $1.stated.firstTick }
    return stated.map { item in
      var event = item.event
      // By halving: a hostile file may have as many gaps as events.
      let index = gaps.partitioningIndex { $0.stated.firstTick > event.tick }
      let gap = index > 0 ? gaps[index - 1] : nil
      let place = gap.flatMap { gap -> UInt64? in
        let past = event.tick - gap.stated.firstTick
        return past < gap.stated.count ? gap.first + past : nil
      }
      event.tick = place ?? tick
      return TickRecord(event)
    }
  }
}

extension ImportCauses.Misfit {
  /// The error of a gap of a file at this rate.
  func error(_ name: String, _ rate: SampleRate) -> ImportError {
    .line(
      name: name, line: place,
      problem: .gapBeyondTimes(ticks: ticks, fitting: fitting, hertz: Plain.hertz(rate)))
  }
}
