// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

/// The result of a first pass over a log: the sums of the plan's range, which an export writes before the samples.
struct LogAccount {
  /// Kinds of records that are listed; raw values are their keys in JSON.
  enum Section: String {
    case clockPairs = "pairs"
    case field = "values"
    case gaps, marks, sensorEvents, damage
  }

  /// Takes a record of the plan's range, and the beginning of its grid, as in ``ExportPlan/origin``.
  typealias Body = (Section, LogItem, Int64) throws(ExportError) -> Void

  /// Everything that was read.
  private var log: Account
  /// What happened to the ticks in the plan's range, as the log reports it.
  private(set) var reported = TickTally()
  private(set) var end: RecordingEnd?
  /// The index of the clock pair that dates the recording.
  private(set) var bestPairIndex: UInt64?
  private var lists: [Section: ItemList] = [:]
  /// What the readings show of the times that were read; `nil` where the computer dates the samples.
  private(set) var chipClock: ClockAccount?
  private var places: EventPlaces
  /// The gaps that the log has, without those that damage made.
  private(set) var recordedGapCount: UInt64 = 0
  /// The first and the last tick with a sample in the plan's range.
  private(set) var sampledTicks: ClosedRange<UInt64>?
  /// The tick after the last one that the log reports as missing in the plan's range.
  private var gapsEnd: UInt64 = 0
  /// From the first to the last tick of the plan's range that the log reports as missing or has lost.
  private var missing: Range<UInt64>?
  /// Time of the last sample in the plan's range.
  private(set) var lastTime: Int64?
  /// Whether a sample lies at the end of the range or after it.
  private var continuesAfterRange = false
  /// The tick after the last one that the log reports; the whole recording's.
  private(set) var lastTick: UInt64 = 0
  /// Ticks in the plan's range that should be in the log and are neither samples nor gaps.
  private(set) var ticksLost: UInt64 = 0
  private var order: GapOrder
  private var last: (tick: UInt64, time: Int64)?
  /// Whether only the range was read, and the first and the last page.
  private(set) var isPart = false

  /// Reads the whole log, or, of a recording that has ended, only the plan's range.
  ///
  /// - Parameters:
  ///   - judgesSamples: Whether ``verdict`` is to take the samples into account, which takes time.
  ///   - list: Is given every record, also those for which the lists have no room.
  init<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>, _ plan: ExportPlan, judgesSamples: Bool = false,
    list: Body = { _, _, _ in }
  ) throws(ExportError) {
    reader.rewind()
    places = EventPlaces(plan)
    log = Account(reader.description, ofSamples: judgesSamples)
    order = GapOrder(reader)
    guard plan.hasRange, let (first, last, end) = try LogAccount.outermostRecords(&reader) else {
      while let item = try reader.nextItem() { try add(item, of: reader, in: plan, list) }
      for place in places.finish() { try add(place, in: plan, list) }
      log.finish(reader)
      chipClock = reader.clockAccount
      (lastTick, end) = (log.nextTick, log.end)
      for place in order.rest(upTo: log.tickCount) { try add(place, plan.after(last), list) }
      return
    }
    (isPart, lastTick) = (true, end.tally.scheduled)
    for pair in first { try add(.clock(pair), of: reader, in: plan, list) }
    try reader.begin(plan)
    order = GapOrder(reader)
    var isOver = false
    // Its values may come long after samples of the same time.
    var awaitsField = reader.description.sensor.field != nil
    while !isOver || awaitsField, let item = try reader.nextItem() {
      if case .clock(let pair) = item, first.contains(pair) || last.contains(pair) { continue }
      try add(item, of: reader, in: plan, list)
      if case .field(let value) = item, plan.isOver(at: value.time) { awaitsField = false }
      isOver = isOver || plan.isOver(item, of: reader)
    }
    for place in order.rest(upTo: isOver ? nil : log.tickCount) {
      try add(place, plan.after(self.last), list)
    }
    for place in places.finish() { try add(place, in: plan, list) }
    for pair in last { try add(.clock(pair), of: reader, in: plan, list) }
    chipClock = reader.clockAccount
    self.end = end
  }

  /// The first and the last clock pairs and the end; `nil` without an end.
  private static func outermostRecords<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>
  ) throws(ExportError) -> (first: [ClockPair], last: [ClockPair], end: RecordingEnd)? {
    do {
      let (first, last, end, _) = try reader.outerPages()
      return end.map { (first, last, $0) }
    } catch {
      throw .log(error)
    }
  }

  private mutating func add<Storage: LogStorage & ~Copyable>(
    _ item: LogItem, of reader: borrowing LogReader<Storage>, in plan: ExportPlan, _ list: Body
  ) throws(ExportError) {
    for place in places.consume(item, reader.block) { try add(place, in: plan, list) }
    if case .clock(let pair) = item, pair.isBetter(than: log.clock) {
      bestPairIndex = self[.clockPairs].count
    }
    log.add(item, from: reader)
    switch item {
    case .samples: try addSamples(reader.block, plan, list)
    case .mark(let mark): if plan.contains(mark.time) { try add(item, to: .marks, list) }
    case .clock: try add(item, to: .clockPairs, list)
    case .damage: try add(item, to: .damage, list)
    case .gap(let gap):
      order.add(gap)
      while let place = order.overdue() { try add(place, plan.after(last), list) }
    case .field(let value): if plan.contains(value.time) { try add(item, to: .field, list) }
    case .sensor, .reading, .busClock, .certificate, .end: break
    }
  }

  private mutating func add(_ place: EventPlaces.Place, in plan: ExportPlan, _ list: Body)
    throws(ExportError)
  {
    let plan = plan.on(place.origin)
    guard plan.contains(plan.time(ofTick: place.event.tick)) else { return }
    try add(.sensor(place.event), to: .sensorEvents, origin: place.origin, list)
  }

  private mutating func add(
    _ item: LogItem, to section: Section, origin: Int64 = 0, _ list: Body
  ) throws(ExportError) {
    lists[section, default: ItemList()].add(item, origin: origin)
    try list(section, item, origin)
  }

  /// Adds the part of a gap that is in the range of a plan that has it on its grid.
  private mutating func add(_ place: GapOrder.Place, _ plan: ExportPlan, _ list: Body)
    throws(ExportError)
  {
    guard let part = plan.part(of: place.gap) else { return }
    try add(.gap(part), to: .gaps, origin: plan.origin, list)
    let end = part.firstTick.addingSaturated(part.count)
    let known = missing ?? part.firstTick..<end
    missing = min(known.lowerBound, part.firstTick)..<max(known.upperBound, end)
    guard place.isRecorded else {
      ticksLost = ticksLost.addingSaturated(part.count)
      return
    }
    recordedGapCount += 1
    reported.add(part.count, part.cause)
    gapsEnd = max(gapsEnd, end)
  }

  private mutating func addSamples(
    _ block: borrowing SampleBlock, _ plan: ExportPlan, _ list: Body
  ) throws(ExportError) {
    for rows in plan.rows(of: block) {
      reported.sampled += UInt64(rows.count)
      let (first, last) = (block.ticks[rows.lowerBound], block.ticks[rows.upperBound - 1])
      sampledTicks = min(sampledTicks?.lowerBound ?? first, first)...last
      lastTime = block.times[rows.upperBound - 1]
    }
    if let last = block.times.last, plan.isOver(at: last) { continuesAfterRange = true }
    var row = 0
    while row < block.count {
      let next = (tick: block.ticks[row], time: block.times[row])
      while let place = order.take(before: next.tick) {
        try add(place, plan.after(last ?? next), list)
      }
      row = order.takeRun(row..<block.count, of: block)
      last = (block.ticks[row - 1], block.times[row - 1])
    }
  }

  subscript(_ section: Section) -> ItemList { lists[section] ?? ItemList() }

  /// What happened to every tick in the plan's range; those that damage took are lost.
  var tally: TickTally {
    var tally = reported
    tally.add(ticksLost, .lost)
    return tally
  }

  /// Ticks of the plan's range before its first sample and after its last one.
  var ticksAround: UInt64 {
    let gaps = reported.scheduled - reported.sampled
    return gaps - min(missingTicks, gaps)
  }

  /// Ticks of the plan's range after its last sample, if it has one.
  var ticksAfter: UInt64 {
    sampledTicks.map { gapsEnd > $0.upperBound ? gapsEnd - $0.upperBound - 1 : 0 } ?? 0
  }

  /// The ticks that a drawing of the plan's range shows: those of the samples and, before and after them, those that
  /// the log reports or has lost. A time does not prove a tick: samples come late, and chips run fast or slow.
  func ticks(_ plan: ExportPlan) -> Range<UInt64> {
    let begin = min(sampledTicks?.lowerBound ?? .max, missing?.lowerBound ?? .max)
    let end = max(sampledTicks?.upperBound.addingSaturated(1) ?? 0, missing?.upperBound ?? 0)
    if !plan.hasRange { return 0..<max(end, lastTick, self.end?.tally.scheduled ?? 0) }
    guard self[.damage].count > 0, !plan.description.isFreeRunning else {
      return min(begin, end)..<end
    }
    // What is damaged has no gaps; the grid shows which ticks it had.
    let asked = plan.ticks(upTo: max(end, lastTick))
    return min(begin, asked.lowerBound)..<max(end, asked.upperBound)
  }

  /// Ticks between the first and the last sample that have none.
  var missingTicks: UInt64 {
    sampledTicks.map { $0.upperBound - $0.lowerBound + 1 - reported.sampled } ?? 0
  }

  /// Nanoseconds, as those of samples, at which the recording, or the part of it in the plan's range, begins and ends.
  func ends(_ plan: ExportPlan) -> (begin: Int64, end: Int64) {
    let rate = plan.description.rate
    var end = rate.nanoseconds(atTick: max(self.end?.tally.scheduled ?? 0, lastTick))
    if plan.description.isFreeRunning {
      let last = sampledTicks?.upperBound
      let known = max(lastTick, self.end?.tally.scheduled ?? 0)
      // Those missing at the end have no samples that date them.
      let after = last.map { known > $0 ? known - $0 : 1 } ?? 1
      let (time, overflow) = (lastTime ?? plan.origin).addingReportingOverflow(
        rate.nanoseconds(atTick: after))
      end = overflow || continuesAfterRange ? .max : time
    }
    end = min(end, plan.to)
    return (max(plan.origin, min(plan.from, end)), end)
  }

  /// Whether nothing recorded is missing, here or in the log that this one was salvaged from.
  var isWhole: Bool {
    guard let end else { return false }
    return end.reason != .recovered && self[.damage].count == 0 && ticksLost == 0
      && (isPart || log.isIntact)
  }

  /// What the recorder found out about the sensor; `nil` without a certificate, and where only a part of the recording was
  /// read, which may lack the last one.
  var certificate: SensorCertificate? { isPart ? nil : log.certificate }

  var busClock: BusClockAccount { log.busClock }

  var description: RecordingDescription { log.description }

  /// Whether the recording can be used, on one line.
  var verdict: String {
    if isPart { return "a part of the recording" }
    if end == nil, self[.damage].count == 0 {
      return "without an end: it is being recorded, or was cut off"
    }
    return log.sentence
  }

  var bestPair: ClockPair? { log.clock }

  /// Nanoseconds since 1970 at tick 0's deadline, by the best pair.
  var started: Int64? { log.clock?.wallAtStart }

  /// Nanoseconds since 1970 at the plan's zero: by the best pair, or by the times themselves where they are such.
  func wallAtZero(_ plan: ExportPlan) -> Int64? {
    guard let started = plan.started(bestPair) else { return nil }
    let (wall, overflow) = started.addingReportingOverflow(plan.zero)
    return overflow ? nil : wall
  }
}

/// Records of one kind: their number, and the first of them.
struct ItemList {
  /// Items that are kept. A longer list is read from the log again when it is written.
  private static let limit = 1000

  private(set) var count: UInt64 = 0
  /// Each with the beginning of its grid, as in ``ExportPlan/origin``.
  private(set) var items: [(item: LogItem, origin: Int64)] = []

  /// Whether ``items`` are all of them.
  var isWhole: Bool { count == items.count }

  mutating func add(_ item: LogItem, origin: Int64) {
    count += 1
    if items.count < ItemList.limit { items.append((item, origin)) }
  }
}

/// Finds the times of sensor events, which have ticks only: on the grid, or, where times and not the rate place the ticks,
/// right after the samples before them.
///
/// A log may have an event before the samples that precede it, so there it waits for a later sample.
private struct EventPlaces {
  /// An event, and the beginning of its grid, as in ``ExportPlan/origin``.
  typealias Place = (event: SensorEvent, origin: Int64)

  private let plan: ExportPlan
  private var waiting: [SensorEvent] = []
  private var last: (tick: UInt64, time: Int64)?

  /// The most that wait: more than a log has before the samples that precede them.
  private static let limit = 4096

  init(_ plan: ExportPlan) {
    self.plan = plan
  }

  /// Those whose places are known after this item, in order.
  mutating func consume(_ item: LogItem, _ block: borrowing SampleBlock) -> [Place] {
    switch item {
    case .sensor(let event):
      guard plan.description.isFreeRunning else { return [(event, plan.origin)] }
      waiting.append(event)
      return waiting.count > EventPlaces.limit ? [place(waiting.removeFirst(), last)] : []
    case .samples where plan.description.isFreeRunning:
      var places: [Place] = []
      for row in 0..<block.count {
        let sample = (tick: block.ticks[row], time: block.times[row])
        while let first = waiting.first, first.tick < sample.tick {
          places.append(place(waiting.removeFirst(), last ?? sample))
        }
        last = sample
      }
      return places
    default: return []
    }
  }

  /// Those that no sample follows.
  func finish() -> [Place] { waiting.map { place($0, last) } }

  private func place(_ event: SensorEvent, _ sample: (tick: UInt64, time: Int64)?) -> Place {
    (event, plan.after(sample).origin)
  }
}

extension ExportPlan {
  /// Whether all items after this one are after the range.
  func isOver<Storage: LogStorage & ~Copyable>(
    _ item: LogItem, of reader: borrowing LogReader<Storage>
  ) -> Bool {
    guard case .samples = item, let last = reader.block.times.last else { return false }
    return isOver(at: last)
  }
}
