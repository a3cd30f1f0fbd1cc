// SPDX-License-Identifier: Apache-2.0

/// The errors of one sensor, as a calibration found them.
///
///     acceleration = M · (a − offset − drift(T))            a, offset in g
///     rate         = scale · (ω − offset − drift(T))        ω, offset in °/s
///     field        = M · (m − offset)                       m, offset in µT
///
/// It belongs to one chip on its board: another of the same model has other errors, and no chip has a serial number. It
/// never changes the counts in a log.
public struct SensorCalibration: Equatable, Sendable {
  /// Its own identity: two calibrations of one sensor differ.
  public var id: RecordingID
  /// The user's name for the sensor, such as `left shoe`.
  public var name: String
  /// The chip's name, as ``SensorDescription/model`` has it.
  public var sensor: String
  /// Nanoseconds since 1970 at which it was made.
  public var made: Int64
  /// `nil` when the accelerometer was not calibrated.
  public var accelerometer: Accelerometer?
  /// `nil` when the gyroscope was not calibrated.
  public var gyroscope: Gyroscope?
  /// `nil` when the magnetometer was not calibrated.
  public var field: Field?
  /// The conditions that it was made at; `nil` when its file has none.
  public var conditions: Conditions?

  /// The part of it that applies to samples of these channels, and to a magnetometer's values where there are any; `nil`
  /// for none. An accelerometer with a missing axis is not corrected: cross terms need all of them.
  public func limited(to channels: ChannelSet, hasField: Bool = false) -> SensorCalibration? {
    var part = self
    if !channels.isSuperset(of: .accelerometer) { part.accelerometer = nil }
    if channels.isDisjoint(with: .gyroscope) { part.gyroscope = nil }
    if !hasField { part.field = nil }
    return part.isEmpty ? nil : part
  }

  /// Whether no sensor is calibrated.
  package var isEmpty: Bool { accelerometer == nil && gyroscope == nil && field == nil }

  /// The conditions that a calibration was made at. Offsets differ between full scales and between temperatures.
  public struct Conditions: Equatable, Sendable {
    /// Samples a second.
    public var rate: Double
    /// Full scale in g.
    public var accelerometerRange: Int
    /// Full scale in °/s.
    public var gyroscopeRange: Int
    /// At rest, in °C; `nil` when the temperature was not recorded.
    public var temperatures: ClosedRange<Double>?

    /// The conditions of a recording.
    public init(
      rate: Double, accelerometerRange: Int, gyroscopeRange: Int,
      temperatures: ClosedRange<Double>? = nil
    ) {
      (self.rate, self.temperatures) = (rate, temperatures)
      (self.accelerometerRange, self.gyroscopeRange) = (accelerometerRange, gyroscopeRange)
    }
  }

  /// Errors of an accelerometer.
  public struct Accelerometer: Equatable, Sendable {
    /// In g.
    public var offset: Vector3
    /// Scales on the diagonal, cross terms above it.
    public var matrix: SensorMatrix
    /// `nil` when the temperature did not change enough to see it.
    public var drift: TemperatureDrift?
    /// Poses or still windows that it comes from.
    public var points: Int
    /// Poses among them whose movement no other one would show.
    public var unchecked: Int
    /// Error of the magnitude at rest before and afterwards, in g.
    public var residual: (before: Double, after: Double)

    /// The errors that a calibration found.
    public init(
      offset: Vector3, matrix: SensorMatrix, drift: TemperatureDrift? = nil, points: Int,
      unchecked: Int = 0, residual: (before: Double, after: Double)
    ) {
      (self.offset, self.matrix, self.drift) = (offset, matrix, drift)
      (self.points, self.unchecked, self.residual) = (points, unchecked, residual)
    }

    /// Whether all values are equal.
    public static func == (left: Accelerometer, right: Accelerometer) -> Bool {
      left.offset == right.offset && left.matrix == right.matrix && left.drift == right.drift
        && left.points == right.points && left.unchecked == right.unchecked
        && left.residual == right.residual
    }
  }

  /// Errors of a gyroscope.
  public struct Gyroscope: Equatable, Sendable {
    /// The rate that it shows at rest, in °/s.
    public var offset: Vector3
    /// Factor by axis; 1 for an axis that was not turned.
    public var scale: Vector3
    /// `nil` when the temperature did not change enough to see it.
    public var drift: TemperatureDrift?

    /// The errors that a calibration found.
    public init(offset: Vector3, scale: Vector3 = Vector3(1, 1, 1), drift: TemperatureDrift? = nil)
    {
      (self.offset, self.scale, self.drift) = (offset, scale, drift)
    }
  }

  /// What iron that moves with a magnetometer does to the field.
  public struct Field: Equatable, Sendable {
    /// Hard iron, in µT along the accelerometer's axes.
    public let offset: Vector3
    /// The inverse of what soft iron does, with a determinant of 1: the field keeps the strength that was measured.
    public let matrix: SensorMatrix

    /// The errors that a calibration found, to a millionth: all digits would not fit into a header beside the others'.
    public init(offset: Vector3, matrix: SensorMatrix) {
      func rounded(_ value: Vector3) -> Vector3 {
        // Beyond that nothing is rounded, and a product would not come back.
        let short = (value * 1e6).rounded(.toNearestOrEven) / 1e6
        return short.replacing(with: value, where: value * value .>= 1e18)
      }
      var short = matrix
      for row in 0..<3 { short.rows[row] = rounded(matrix.rows[row]) }
      (self.offset, self.matrix) = (rounded(offset), short)
    }

    /// The field outside by a measured one, both in µT along the accelerometer's axes.
    public func corrected(_ field: Vector3) -> Vector3 { matrix * (field - offset) }
  }

  /// A calibration as it was made.
  public init(
    id: RecordingID, name: String, sensor: String, made: Int64,
    accelerometer: Accelerometer? = nil, gyroscope: Gyroscope? = nil, field: Field? = nil,
    conditions: Conditions? = nil
  ) {
    (self.id, self.name, self.sensor, self.made) = (id, name, sensor, made)
    (self.accelerometer, self.gyroscope, self.field) = (accelerometer, gyroscope, field)
    self.conditions = conditions
  }
}

extension SensorCalibration.Accelerometer {
  /// The true acceleration by a measured one, both in g; without a temperature the drift is left out.
  public func corrected(_ acceleration: Vector3, temperature: Double?) -> Vector3 {
    var centred = acceleration - offset
    if let drift, let temperature { centred -= drift.offset(at: temperature) }
    return matrix * centred
  }
}

extension SensorCalibration.Gyroscope {
  /// The true rate by a measured one, both in °/s; without a temperature the drift is left out.
  public func corrected(_ rate: Vector3, temperature: Double?) -> Vector3 {
    var centred = rate - offset
    if let drift, let temperature { centred -= drift.offset(at: temperature) }
    return scale * centred
  }
}

extension SensorCalibration {
  /// Scales that a chip can need (clones are off by up to a tenth), and whose corrected values stay in the range of
  /// corrected counts.
  public static let scales = 0.8...1.25
  /// The largest element of a matrix beside its diagonal.
  private static let largestCrossTerm = 0.25
  /// The largest offset of an axis in g, with its change with temperature: ten times a chip's.
  public static let largestOffset = 1.0
  /// The largest rate at rest of an axis in °/s, with its change with temperature.
  public static let largestRate = 100.0
  /// The largest hard iron of an axis in µT: beyond that magnetometers are saturated.
  public static let largestField = 5000.0
  /// Parts of the span at whose ends a drift is checked: between these a polynomial of third order exceeds a bound by some
  /// per cent at most.
  private static let driftSteps = 20

  /// The first implausible value, as a clause; `nil` when there is none.
  public var implausible: String? {
    for (key, matrix) in [
      ("accelerometer-matrix", accelerometer?.matrix), ("field-matrix", field?.matrix),
    ] {
      for (row, values) in (matrix?.rows ?? []).enumerated() {
        if !SensorCalibration.scales.contains(values[row]) { return scaleFault(key, values[row]) }
        for column in 0..<3 where column != row {
          guard abs(values[column]) > SensorCalibration.largestCrossTerm else { continue }
          return
            "\(key) has \(values[column]) beside its diagonal, at most ±\(SensorCalibration.largestCrossTerm) are accepted"
        }
      }
    }
    if let gyroscope {
      let scale = gyroscope.scale
      for axis in 0..<3 where !SensorCalibration.scales.contains(scale[axis]) {
        return scaleFault("gyroscope-scale", scale[axis])
      }
    }
    return offsetFault(
      "accelerometer", accelerometer?.offset, accelerometer?.drift,
      SensorCalibration.largestOffset, "g")
      ?? offsetFault(
        "gyroscope", gyroscope?.offset, gyroscope?.drift, SensorCalibration.largestRate, "°/s")
      ?? offsetFault("field", field?.offset, nil, SensorCalibration.largestField, "µT")
  }

  private func scaleFault(_ key: String, _ value: Double) -> String {
    "\(key) has a scale of \(value), and \(SensorCalibration.scales.lowerBound) to \(SensorCalibration.scales.upperBound) are accepted"
  }

  private func offsetFault(
    _ sensor: String, _ offset: Vector3?, _ drift: TemperatureDrift?, _ most: Double, _ unit: String
  ) -> String? {
    guard let offset else { return nil }
    for axis in 0..<3 where abs(offset[axis]) > most {
      return "\(sensor)-offset has \(offset[axis]) \(unit), at most ±\(most) are accepted"
    }
    guard let drift else { return nil }
    let span = drift.span
    let steps = SensorCalibration.driftSteps
    // The ends first, where a monotonic change is largest.
    for step in [0, steps] + Array(1..<steps) {
      let share = Double(step) / Double(steps)
      // In this form the ends are exact, and no span overflows.
      let temperature = span.lowerBound * (1 - share) + span.upperBound * share
      let change = drift.offset(at: temperature)
      for axis in 0..<3 where !(abs(change[axis]) <= most) {
        return
          "\(sensor)-drift has \(change[axis]) \(unit) at \(temperature) °C, at most ±\(most) are accepted"
      }
    }
    return nil
  }
}
