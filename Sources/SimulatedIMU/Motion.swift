public import IMUModel

/// What happens to a simulated chip: a movement in physical units, or a recording of counts.
///
/// Time 0 of a motion is the instant at which its ``SimulatedBus`` was made.
public struct Motion: Sendable {
  /// What really is, in SI units, in the chip's own axes (right-handed, as printed on the parts).
  public struct Truth: Equatable, Sendable, BitwiseCopyable {
    /// Specific force in m/s²: what an accelerometer feels. At rest it is 9.80665 upwards.
    public var acceleration: SIMD3<Double>
    /// Angular rate in rad/s, by the right-hand rule.
    public var angularRate: SIMD3<Double>
    /// The chip's temperature in °C.
    public var temperature: Double

    /// A state of motion; at 25 °C by default.
    public init(
      acceleration: SIMD3<Double>, angularRate: SIMD3<Double>, temperature: Double = 25
    ) {
      self.acceleration = acceleration
      self.angularRate = angularRate
      self.temperature = temperature
    }
  }

  /// One line of a recording.
  struct Row: Equatable, Sendable, BitwiseCopyable {
    /// Nanoseconds from the recording's first line.
    var time: Int64
    /// What the registers are to hold.
    var counts: RawSample
  }

  enum Kind: Sendable {
    case steady(Truth)
    case tumble
    case recording(rows: [Row], hasTemperature: Bool)
  }

  let kind: Kind

  init(kind: Kind) {
    self.kind = kind
  }

  /// Standard gravity in m/s² (CGPM 1901).
  public static let standardGravity = 9.80665

  /// The chip lies flat: 1 g along Z, no rotation, 25 °C.
  public static let still = steady(
    Truth(acceleration: SIMD3(0, 0, standardGravity), angularRate: SIMD3(0, 0, 0)))

  /// The chip turns about Y, a turn in 8 s with a wobble upon it, while it is shaken along Y, and
  /// warms and cools by 2 °C. Acceleration and rate belong together: the one's angle is the other's
  /// integral.
  public static let tumble = Motion(kind: .tumble)

  /// The same for ever.
  public static func steady(_ truth: Truth) -> Motion {
    Motion(kind: .steady(truth))
  }

  /// What really is `nanoseconds` after the motion's start; `nil` for a recording, whose scale is
  /// not known.
  public func truth(at nanoseconds: Int64) -> Truth? {
    withSource { $0.truth(at: nanoseconds) }
  }

  /// The recorded counts `nanoseconds` after the motion's start; `nil` unless it is a recording.
  ///
  /// The last line at or before that time. A recording starts over when it is through: its last
  /// line lasts as long as the lines before it did on the average, or 1 s when it is the only one.
  ///
  /// - Complexity: O(log lines).
  public func counts(at nanoseconds: Int64) -> RawSample? {
    withSource { $0.counts(at: nanoseconds) }
  }

  private func withSource<Value>(_ body: (MotionSource) -> Value) -> Value {
    switch kind {
    case .steady(let truth): return body(.steady(truth))
    case .tumble: return body(.tumble)
    case .recording(let rows, let hasTemperature):
      // Safe: the source does not leave the closure, in which the array's storage stays.
      return rows.withUnsafeBufferPointer { body(.recording($0, hasTemperature: hasTemperature)) }
    }
  }
}
