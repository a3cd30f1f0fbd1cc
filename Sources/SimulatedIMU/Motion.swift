// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// The motion of a simulated chip: a movement in physical units, or a recording of counts.
///
/// Time 0 of a motion is the instant at which its ``SimulatedBus`` was made.
public struct Motion: Sendable {
  /// The true state, in SI units, in the chip's axes (right-handed; against an LSM9DS1's own X).
  public struct Truth: Equatable, Sendable, BitwiseCopyable {
    /// Specific force in m/s², which an accelerometer measures. At rest it is 9.80665 upwards.
    public var acceleration: SIMD3<Double>
    /// Angular rate in rad/s, by the right-hand rule.
    public var angularRate: SIMD3<Double>
    /// The chip's temperature in °C.
    public var temperature: Double
    /// The magnetic field in µT.
    public var field: SIMD3<Double>

    /// A state of motion; at 25 °C in the ``Motion/earthField`` by default.
    public init(
      acceleration: SIMD3<Double>, angularRate: SIMD3<Double>, temperature: Double = 25,
      field: SIMD3<Double> = Motion.earthField
    ) {
      (self.acceleration, self.angularRate) = (acceleration, angularRate)
      (self.temperature, self.field) = (temperature, field)
    }
  }

  /// One line of a recording.
  struct Row: Equatable, Sendable, BitwiseCopyable {
    /// Nanoseconds from the recording's first line.
    var time: Int64
    /// The contents of the registers.
    var counts: RawSample
  }

  enum Shape: Sendable, BitwiseCopyable {
    case steady(Truth)
    case tumble
    case turn
    case recording(hasTemperature: Bool)
  }

  let shape: Shape
  /// Of a recording.
  var rows: [Row] = []

  /// Standard gravity in m/s² (CGPM 1901).
  public static let standardGravity = 9.80665

  /// The earth's field in µT where ``turn`` and ``tumble`` are, in the axes of a chip that lies flat and does not turn: 49.2 µT,
  /// 61° down, and 17° to the right of X.
  public static let earthField = SIMD3(23.0, -7.0, -43.0)

  /// The chip lies flat: 1 g along Z, no rotation, 25 °C.
  public static let still = steady(
    Truth(acceleration: SIMD3(0, 0, standardGravity), angularRate: SIMD3(0, 0, 0)))

  /// The chip turns about Y, a turn in 8 s with a wobble, while it is shaken along Y, and warms and cools by 2 °C.
  /// Acceleration and rate are consistent.
  public static let tumble = Motion(shape: .tumble)

  /// The chip is still for 5 s, then turns about all three axes, at up to 144 °/s, in gravity alone.
  public static let turn = Motion(shape: .turn)

  /// The same state for ever.
  public static func steady(_ truth: Truth) -> Motion { Motion(shape: .steady(truth)) }

  /// See ``MotionSource/truth(at:)``.
  package func truth(at nanoseconds: Int64) -> Truth? { withSource { $0.truth(at: nanoseconds) } }

  /// See ``MotionSource/counts(at:)``.
  package func counts(at nanoseconds: Int64) -> RawSample? {
    withSource { $0.counts(at: nanoseconds) }
  }

  private func withSource<Value>(_ body: (MotionSource) -> Value) -> Value {
    // Safe: the source does not leave the closure, in which the array's storage stays.
    rows.withUnsafeBufferPointer { body(MotionSource(shape: shape, rows: $0)) }
  }
}

/// A motion as the chips read it: without reference counts, because they read it during transfers.
struct MotionSource: @unchecked Sendable, BitwiseCopyable {
  let shape: Motion.Shape
  // Safe: the maker keeps the rows alive and unchanged for as long as they may be used (`Wire` owns its copy of them;
  // `Motion` uses them inside the array's closure only).
  let rows: UnsafeBufferPointer<Motion.Row>

  /// The true state `nanoseconds` after the motion's start; `nil` for a recording, whose scale is not known.
  func truth(at nanoseconds: Int64) -> Motion.Truth? {
    switch shape {
    case .steady(let truth): return truth
    case .tumble: return Self.tumble(at: Double(nanoseconds) / 1e9)
    case .turn: return Self.turn(at: Double(nanoseconds) / 1e9)
    case .recording: return nil
    }
  }

  /// The recorded counts `nanoseconds` after the motion's start, by the last line at or before that time; `nil` unless it is
  /// a recording. A recording starts over at its end: its last line lasts as long as the others on average, or 1 s when it
  /// is the only one.
  ///
  /// - Complexity: O(log lines).
  func counts(at nanoseconds: Int64) -> RawSample? {
    guard case .recording = shape else { return nil }
    let cycle = cycle
    var time = nanoseconds % cycle
    if time < 0 { time += cycle }
    // The last row at or before `time`; the first row is at 0.
    var (first, end) = (0, rows.count)
    while end - first > 1 {
      let middle = (first + end) / 2
      if rows[middle].time <= time { first = middle } else { end = middle }
    }
    return rows[first].counts
  }

  private var cycle: Int64 {
    let last = rows[rows.count - 1].time
    guard last > 0 else { return 1_000_000_000 }
    return last + max(1, last / Int64(rows.count - 1))
  }

  private static func turn(at seconds: Double) -> Motion.Truth {
    // About the world's X by a quarter of a turn a second, and about the chip's Y by 5/16: R = Rx(a) · Ry(b).
    let time = max(0, seconds - 5)
    let speed = seconds > 5 ? 2 * Double.pi : 0
    let (a, b) = (0.25 * time, 0.3125 * time)
    let (sine, cosine) = (Sinusoid.sine(turns: b), Sinusoid.cosine(turns: b))
    return Motion.Truth(
      acceleration: Motion.standardGravity * turned(SIMD3(0, 0, 1), a, b),
      angularRate: speed * SIMD3(0.25 * cosine, 0.3125, 0.25 * sine),
      field: turned(Motion.earthField, a, b))
  }

  /// A vector of the world in the axes of a chip that is turned about the world's X by `a` turns and its own Y by `b`.
  private static func turned(_ vector: SIMD3<Double>, _ a: Double, _ b: Double) -> SIMD3<Double> {
    var (sine, cosine) = (Sinusoid.sine(turns: a), Sinusoid.cosine(turns: a))
    let (y, z) = (vector.y * cosine + vector.z * sine, vector.z * cosine - vector.y * sine)
    (sine, cosine) = (Sinusoid.sine(turns: b), Sinusoid.cosine(turns: b))
    return SIMD3(vector.x * cosine - z * sine, y, z * cosine + vector.x * sine)
  }

  private static func tumble(at seconds: Double) -> Motion.Truth {
    // Angle in turns: 1/8 a second, and a wobble of 1/40 turn at 0.9 Hz.
    let angle = 0.125 * seconds + 0.025 * Sinusoid.sine(turns: 0.9 * seconds)
    let turnsPerSecond =
      0.125 + 0.025 * 0.9 * 2 * Double.pi * Sinusoid.cosine(turns: 0.9 * seconds)
    let gravity = Motion.standardGravity
    // The world's upward direction in the turned chip's axes. The shaking is along the axis of rotation, which is the same
    // in both frames.
    return Motion.Truth(
      acceleration: SIMD3(
        -gravity * Sinusoid.sine(turns: angle), 1.5 * Sinusoid.sine(turns: 2.3 * seconds),
        gravity * Sinusoid.cosine(turns: angle)),
      angularRate: SIMD3(0, 2 * Double.pi * turnsPerSecond, 0),
      temperature: 25 + 2 * Sinusoid.sine(turns: seconds / 120),
      field: turned(Motion.earthField, 0, angle))
  }
}

/// Sine and cosine of an angle in full turns, by arithmetic alone: the C library's differ in the last place from one machine
/// to the next, and simulated recordings must be the same everywhere.
enum Sinusoid {
  /// sin(2π·turns), right to 1e-13 for angles up to a million turns and less so beyond.
  static func sine(turns: Double) -> Double {
    var part = turns - turns.rounded()
    if part > 0.25 { part = 0.5 - part }
    if part < -0.25 { part = -0.5 - part }
    let x = part * 2 * Double.pi
    let square = x * x
    // Taylor's series by Horner's scheme; the remainder is below (π/2)^19/19!.
    var sum = 1.0
    var n = 16.0
    while n > 0 {
      sum = 1 - square / (n * (n + 1)) * sum
      n -= 2
    }
    return x * sum
  }

  /// cos(2π·turns), as ``sine(turns:)``.
  static func cosine(turns: Double) -> Double { sine(turns: turns + 0.25) }
}
