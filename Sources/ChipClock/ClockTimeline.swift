/// When a chip made its samples, over a whole recording: epochs joined to lines where the gap between them is proved.
///
///     epoch 0          epoch 1          epoch 2
///     slots 1 … 950    slots 1 … 400    slots 1 … 9000
///     └────── line 0: 1 … 950, 1041 … 1440 ──┘└─ line 1, if the gap is not certain ─
///
/// Epochs begin with ``beginEpoch(_:delivered:)``; readings are added in order; instants are asked for in order.
public struct ClockTimeline {
  /// Why an epoch begins.
  public enum Cause: UInt8, CaseIterable, Sendable {
    /// The recording begins.
    case start = 1
    /// The FIFO was reset.
    case reset
    /// The FIFO was full, and samples were lost.
    case overflow
    /// A burst failed, so that how many bytes it took out is not known.
    case burstFailed
    /// The chip was set to another rate.
    case rateChanged
    /// The chip was reset.
    case chipReset

    /// Whether the chip's oscillator ran on, so that the gap is a whole number of samples.
    public var runsOn: Bool {
      switch self {
      case .start, .rateChanged, .chipReset: false
      case .reset, .overflow, .burstFailed: true
      }
    }
  }

  /// An epoch as it is now known.
  public struct Epoch: Equatable, Sendable {
    /// Why it began.
    public var cause: Cause
    /// Samples missing between the one before and it: exactly so many, or at least and at most. `nil` when the readings do
    /// not show it.
    public var missing: ClosedRange<Int64>?
    /// The line that it belongs to.
    fileprivate var line: Int
    /// Its slot 1 is this slot of the line, less one.
    fileprivate var shift: Int64
  }

  private let assumptions: ClockAssumptions
  private let nominalPeriod: Double
  private var lines: [ClockEpoch] = []
  /// The present epoch's cause and readings, until it is joined or not.
  private var pending: (cause: Cause, readings: [ClockReading])?
  /// Slots that were delivered in the last epoch of the last line, numbered as the line's.
  private var delivered: Int64 = 0

  /// The epochs so far, but for one whose first readings are still being looked at.
  public private(set) var epochs: [Epoch] = []

  /// A timeline without epochs.
  ///
  /// - Parameters:
  ///   - nominalPeriod: Nanoseconds a slot, if the readings do not show it.
  ///   - assumptions: See ``ClockAssumptions/refuted(by:)``.
  public init(nominalPeriod: Double, _ assumptions: ClockAssumptions) {
    (self.nominalPeriod, self.assumptions) = (nominalPeriod, assumptions)
  }

  /// Begins an epoch.
  ///
  /// - Parameter count: Slots of the epoch before that were delivered.
  public mutating func beginEpoch(_ cause: Cause, delivered count: Int64) {
    settlePending()
    delivered = count + (epochs.last?.shift ?? 0)
    pending = (cause, [])
  }

  /// Adds a reading of the present epoch.
  public mutating func add(_ reading: ClockReading) {
    guard pending != nil else { return addShifted(reading) }
    pending?.readings.append(reading)
    guard let pending, !pending.cause.runsOn || pending.readings.count >= EpochJoin.readingCount
    else { return }
    settlePending()
  }

  /// Ends the timeline: no reading follows.
  public mutating func finish() {
    settlePending()
    if !lines.isEmpty { lines[lines.count - 1].finish() }
  }

  private mutating func addShifted(_ reading: ClockReading) {
    guard let epoch = epochs.last else { return }
    var shifted = reading
    shifted.count += epoch.shift
    lines[epoch.line].add(shifted)
  }

  /// Joins the present epoch to the last line, or begins another line.
  private mutating func settlePending() {
    guard let (cause, readings) = pending else { return }
    pending = nil
    var epoch = Epoch(cause: cause, missing: nil, line: lines.count, shift: 0)
    if cause.runsOn, let last = lines.last {
      let join = EpochJoin(
        after: last.tail, nominalPeriod: last.period ?? nominalPeriod, assumptions)
      switch join?.result(readings) ?? .none {
      case .joined(let shift) where shift >= delivered:
        epoch.missing = shift - delivered...shift - delivered
        (epoch.line, epoch.shift) = (lines.count - 1, shift)
      case .several(let shifts) where shifts.upperBound >= delivered:
        epoch.missing = max(0, shifts.lowerBound - delivered)...shifts.upperBound - delivered
      case .joined, .several, .none: break
      }
    }
    if epoch.line == lines.count {
      let period = lines.last?.period ?? nominalPeriod
      if !lines.isEmpty { lines[lines.count - 1].finish() }
      lines.append(ClockEpoch(nominalPeriod: period, assumptions))
    }
    epochs.append(epoch)
    for reading in readings { addShifted(reading) }
  }

  /// When a slot of an epoch was whole; `nil` while readings after it are missing.
  public mutating func instant(of slot: Int64, in epoch: Int) -> SampleInstant? {
    guard epochs.indices.contains(epoch) else { return nil }
    return lines[epochs[epoch].line].instant(of: slot + epochs[epoch].shift)
  }

  /// The findings of each line, in order.
  public var findings: [ClockFinding] { lines.flatMap(\.findings) }
}
