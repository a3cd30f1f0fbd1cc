public import IMUModel

/// What is said beside a live graph.
public struct LiveStatus: Equatable, Sendable {
  /// Such as `recording 12`, `armed`, `ending`.
  public var state = ""
  /// Whether a recording runs.
  public var isRecording = false
  /// Nanoseconds since the recording began; `nil` while none does.
  public var elapsed: Int64?
  /// How long it is to be, in nanoseconds; `nil` for until stopped.
  public var planned: Int64?
  /// What happened to its ticks; `nil` when not known.
  public var ledger: TickLedger?
  /// Runs of ticks without samples; `nil` when not known.
  public var gapCount: Int?
  /// How late reads began: 99 of 100, in nanoseconds; `nil` when not known.
  public var latenessP99: Int64?
  /// The latest of all; `nil` when not known.
  public var latenessMaximum: Int64?
  /// Marks so far.
  public var markCount = 0
  /// Samples that came too fast to be shown.
  public var unseen: UInt64 = 0
  /// Something to report, such as what the storage lacks; empty for nothing.
  public var notice = ""

  /// Nothing known.
  public init() {}
}
