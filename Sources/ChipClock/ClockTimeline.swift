// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// When a chip made its samples, over a whole recording: epochs joined to lines where the gap between them is proved.
///
///     epoch 0          epoch 1          epoch 2
///     slots 1 … 950    slots 1 … 400    slots 1 … 9000
///     └────── line 0: 1 … 950, 1041 … 1440 ──┘└─ line 1, if the gap is not certain ─
///
/// Epochs begin with ``beginEpoch(_:delivered:)``; readings are added in order; instants are asked for in order.
public struct ClockTimeline {
  private struct Pending {
    var cause: EpochCause
    /// Samples missing before it, by estimate.
    var estimate: Int64
    var readings: [FillReading] = []
  }

  /// An epoch as it is now known.
  public struct Epoch: Equatable, Sendable {
    /// Why it began.
    public var cause: EpochCause
    /// Samples missing before it, at least and at most; equal where proved, `nil` when the readings do not show it.
    public var missing: ClosedRange<Int64>?
    /// The line that it belongs to.
    fileprivate var line: Int
    /// Its slot 1 is this slot of the line, less one.
    fileprivate var shift: Int64
  }

  private let assumptions: ClockAssumptions
  private let grid: SlotGrid
  private var lines: [ClockEpoch] = []
  private var droppedLines = 0
  private var dropped = ClockTotals()
  private var isFinished = false
  /// The present epoch's cause and readings, until it is joined or not, and bounds by its edges and stamps.
  private var pending: Pending?
  private var pendingAsides: [ClockBound] = []
  /// Slots delivered in the last epoch of the last line, numbered as the line's.
  private var delivered: Int64 = 0
  /// The instant before the last reading.
  private var latest = Int64.min
  /// Where the slots asked for are, usually.
  private var near: (epoch: Int, shift: Int64, segment: ClockSegment)?
  private var lastSlot: (epoch: Int, slot: Int64, instant: SampleInstant)?

  /// The epochs so far, but for one whose first readings are still being looked at.
  public private(set) var epochs: [Epoch] = []

  /// Findings that were not taken, in order, at most a thousand: each is here before its slots have instants.
  public private(set) var findings: [ClockAnomaly] = []

  /// How many findings there were, including taken and dropped ones.
  public private(set) var findingCount = 0

  /// Readings left out as impossible: an instant that goes back, or a value out of its range.
  public private(set) var refusedCount = 0

  private static let findingLimit = 1000

  /// Most lines that wait for their slots to be asked for: with a new one each reading, more than a minute.
  private static let lineLimit = 4096

  /// A timeline without epochs.
  ///
  /// - Parameters:
  ///   - nominalPeriod: Nanoseconds a slot as configured, more than 0. All parts of a recording need the same, which decides
  ///     where the clock's knots are.
  public init(nominalPeriod: Double, _ assumptions: ClockAssumptions) {
    (grid, self.assumptions) = (SlotGrid(period: nominalPeriod), assumptions)
  }

  /// Begins an epoch.
  ///
  /// - Parameters:
  ///   - count: Slots of the epoch before that were delivered.
  ///   - estimate: Slots missing in between, as far as known: of use where the chip counted them in part.
  public mutating func beginEpoch(
    _ cause: EpochCause, delivered count: Int64, estimate: Int64 = 0
  ) {
    settlePending()
    delivered = count + (epochs.last?.shift ?? 0)
    pending = Pending(cause: cause, estimate: estimate)
  }

  /// Adds a reading of the present epoch.
  public mutating func add(_ reading: FillReading) {
    guard reading.isPossible, reading.before >= latest else {
      refusedCount += 1
      return
    }
    latest = reading.before
    guard pending != nil else { return addShifted(reading) }
    pending?.readings.append(reading)
    guard let pending, !pending.cause.runsOn || pending.readings.count >= EpochJoin.readingCount
    else { return }
    settlePending()
  }

  /// Adds an edge of the line from the chip's watermark interrupt in the present epoch: a slot was whole at the kernel's
  /// stamp, in nanoseconds of `CLOCK_MONOTONIC_RAW` rounded up, at the latest. It is used beside the readings; one that
  /// contradicts them is left out.
  public mutating func add(edgeOf slot: Int64, at time: Int64) {
    let isPossible = FillReading(count: slot, before: time, after: nil).isPossible
    add(isPossible ? [ClockBound(slot: slot, time: time, isUpper: true)] : nil)
  }

  /// Adds a reading of the chip's counter in the present epoch.
  public mutating func add(_ stamp: FillStamp) {
    add(stamp.isPossible ? stamp.bounds : nil)
  }

  private mutating func add(_ asides: [ClockBound]?) {
    guard let asides else {
      refusedCount += 1
      return
    }
    guard pending != nil else { return addShifted(asides) }
    if pendingAsides.count < EpochJoin.readingCount { pendingAsides += asides }
  }

  private mutating func addShifted(_ asides: [ClockBound]) {
    guard let epoch = epochs.last else { return }
    for var bound in asides {
      bound.slot += epoch.shift
      lines[lines.count - 1].add(aside: bound)
    }
  }

  /// Ends the timeline: no reading follows.
  public mutating func finish() {
    settlePending()
    finishLine()
    isFinished = true
  }

  private mutating func finishLine() {
    guard !lines.isEmpty else { return }
    lines[lines.count - 1].finish()
    takeLineFindings()
  }

  private mutating func addShifted(_ reading: FillReading) {
    guard let epoch = epochs.last else { return }
    var shifted = reading
    shifted.count += epoch.shift
    lines[lines.count - 1].add(shifted)
    takeLineFindings()
  }

  /// Joins the present epoch to the last line, or begins another line.
  private mutating func settlePending() {
    guard let pending else { return }
    let (cause, readings) = (pending.cause, pending.readings)
    self.pending = nil
    var epoch = Epoch(cause: cause, missing: nil, line: droppedLines + lines.count, shift: 0)
    // An oscillator that runs on keeps its period.
    let period = cause.runsOn ? lines.last?.period ?? grid.period : grid.period
    if cause.runsOn, let last = lines.last {
      let join = EpochJoin(after: last.tail, grid, known: period, assumptions)
      let counted = cause == .countedOverflow ? delivered + pending.estimate : nil
      switch join?.result(readings, counted: counted) ?? .none {
      case .joined(let shift) where shift >= delivered:
        epoch.missing = shift - delivered...shift - delivered
        (epoch.line, epoch.shift) = (droppedLines + lines.count - 1, shift)
        lines[lines.count - 1].renumber(at: shift)
      case .several(let shifts) where shifts.upperBound >= delivered:
        epoch.missing = max(0, shifts.lowerBound - delivered)...shifts.upperBound - delivered
      case .joined, .several, .none: break
      }
    }
    if epoch.line == droppedLines + lines.count {
      finishLine()
      if lines.count >= ClockTimeline.lineLimit {
        dropLines(lines.count / 2)
      }
      lines.append(ClockEpoch(grid, known: period, assumptions))
    }
    epochs.append(epoch)
    // First, as a break among the readings drops those after it.
    addShifted(pendingAsides)
    pendingAsides.removeAll()
    for reading in readings { addShifted(reading) }
  }
}

// MARK: - Instants

extension ClockTimeline {
  /// When a slot of an epoch was whole; `nil` while readings after it are missing. Slots are asked for in order, and their
  /// likely instants rise.
  public mutating func instant(of slot: Int64, in epoch: Int) -> SampleInstant? {
    if let near, near.epoch == epoch {
      let place = slot + near.shift
      if near.segment.slots.contains(place) {
        return rising(near.segment.instant(of: place), slot, epoch)
      }
    }
    guard epochs.indices.contains(epoch) else { return nil }
    let (line, shift) = (epochs[epoch].line - droppedLines, epochs[epoch].shift)
    guard lines.indices.contains(line) else { return nil }
    if line > 0 { dropLines(line) }
    switch lines[0].known(of: slot + shift) {
    case .segment(let segment):
      near = (epoch, shift, segment)
      return rising(segment.instant(of: slot + shift), slot, epoch)
    case .instant(let instant): return rising(instant, slot, epoch)
    case nil: return nil
    }
  }

  /// Whether later readings cannot change the instant of a slot of an epoch, nor the findings up to it.
  public func isSettled(_ slot: Int64, in epoch: Int) -> Bool {
    guard epochs.indices.contains(epoch) else { return false }
    let (line, shift) = (epochs[epoch].line - droppedLines, epochs[epoch].shift)
    return isDecided(epoch) || lines.indices.contains(line) && lines[line].isSettled(slot + shift)
  }

  /// The mean rate so far, over all epochs.
  public var rate: ClockRate { totals.rate }

  /// Places so far, one each half second, whose edges and stamps contradict the readings and were left out.
  public var leftOutCount: Int { totals.leftOutCount }

  private var totals: ClockTotals { lines.reduce(into: dropped) { $0.add($1.totals) } }

  private mutating func dropLines(_ count: Int) {
    for line in lines[..<count] { dropped.add(line.totals) }
    lines.removeFirst(count)
    droppedLines += count
  }

  /// Whether all is known of an epoch: a slot without an instant now will never have one.
  public func isDecided(_ epoch: Int) -> Bool {
    epochs.indices.contains(epoch)
      && (isFinished || epochs[epoch].line < droppedLines + lines.count - 1)
  }

  private mutating func rising(_ instant: SampleInstant, _ slot: Int64, _ epoch: Int)
    -> SampleInstant
  {
    var instant = instant
    if let last = lastSlot {
      if (epoch, slot) == (last.epoch, last.slot) { return last.instant }
      if (epoch, slot) > (last.epoch, last.slot), instant.likely <= last.instant.likely {
        instant.likely = last.instant.likely + 1
        instant.latest = max(instant.latest, instant.likely)
      }
    }
    lastSlot = (epoch, slot, instant)
    return instant
  }
}

// MARK: - Findings

extension ClockTimeline {
  /// Takes the ``findings``.
  public mutating func takeFindings() -> [ClockAnomaly] {
    defer { findings = [] }
    return findings
  }

  private mutating func takeLineFindings() {
    guard !lines[lines.count - 1].findings.isEmpty else { return }
    let line = droppedLines + lines.count - 1
    for var finding in lines[lines.count - 1].takeFindings() {
      findingCount += 1
      guard findings.count < ClockTimeline.findingLimit else { continue }
      let epoch = epochs.lastIndex { $0.line == line && $0.shift < finding.slots.upperBound }
      if let epoch {
        let (slots, shift) = (finding.slots, epochs[epoch].shift)
        finding.epoch = epoch
        finding.slots = slots.lowerBound - shift...slots.upperBound - shift
      }
      findings.append(finding)
    }
  }
}
