/// What a read showed besides its result: of the samples before it, and of the chip.
public struct ReadEvidence: Equatable, Sendable, BitwiseCopyable {
  /// The chip had its configuration when the read began, so whatever was read before that is right.
  ///
  /// Nothing but bring-up restores a configuration that was lost.
  public var isConfigured = false
  /// The read took three bursts, and the sample may be younger than one of two bursts by the third of the read.
  public var isLate = false
  /// All outputs of the chip, also those that are not recorded; of the last new sample when there is none.
  public var outputs = SensorOutputs()

  /// Nothing shown yet.
  public init() {}

  /// What a test's chip shows.
  public init(isConfigured: Bool, outputs: SensorOutputs) {
    self.isConfigured = isConfigured
    self.outputs = outputs
  }
}

/// The bytes of all output registers, for telling whether any of them changed.
public struct SensorOutputs: Equatable, Sendable, BitwiseCopyable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// All bytes 0.
  public init() {}

  /// Sixteen bytes.
  public init(low: UInt64, high: UInt64) {
    (self.low, self.high) = (low, high)
  }

  /// Fourteen bytes of `burst` from `start` on.
  @usableFromInline
  init(_ burst: Burst, from start: Int) {
    for index in 0..<8 { low = low << 8 | UInt64(burst[start + index]) }
    for index in 8..<14 { high = high << 8 | UInt64(burst[start + index]) }
  }
}

/// How often, and for how long, a chip must have given the very same outputs to be proved stuck.
///
/// Both must be reached. Less than that is suspicion.
public struct LifeLimit: Equatable, Sendable, BitwiseCopyable {
  /// Looks with equal outputs, the first one included.
  public var looks: Int
  /// From the first look to the last, in nanoseconds.
  public var time: Int64

  /// A limit of `looks` equal looks over `time` nanoseconds.
  public init(looks: Int, time: Int64) {
    (self.looks, self.time) = (looks, time)
  }
}
