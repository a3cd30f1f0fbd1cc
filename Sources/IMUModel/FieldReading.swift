// SPDX-License-Identifier: Apache-2.0

/// One value of a magnetometer, and the interval within which the chip completed it.
///
///     computer   ── finds no new value ──────── finds one, and reads it ──►
///     chip             └──────── completed ────────┘
///                 time − width                   time
///
/// A magnetometer has a rate of its own and no FIFO, so its values are not those of the samples' instants.
public struct FieldReading: Equatable, Sendable, BitwiseCopyable {
  /// What else the chip says of a value; raw values are part of the log format.
  public struct Flags: OptionSet, Sendable, BitwiseCopyable {
    /// Bit 0 saturated, 1 skipped.
    public let rawValue: UInt8

    /// The flags with the given bits; those that this version does not know are kept.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The field was beyond what the chip can measure: the counts mean nothing.
    public static let saturated = Flags(rawValue: 1)
    /// Nobody read the value before this one, nor perhaps others before that. A chip does not tell of each: the times do.
    public static let skipped = Flags(rawValue: 2)
    /// Those that this version knows.
    public static let known: Flags = [.saturated, .skipped]
  }

  /// Nanoseconds from tick 0's deadline to the end of the interval.
  public var time: Int64
  /// Nanoseconds from its beginning to its end.
  public var width: UInt32
  /// Counts along the magnetometer's own X.
  public var x: Int16
  /// Counts along its Y.
  public var y: Int16
  /// Counts along its Z.
  public var z: Int16
  /// What else the chip says of them.
  public var flags: Flags

  /// The middle of the interval.
  public var middle: Int64 { time &- Int64(width) / 2 }

  /// A value.
  public init(time: Int64, width: UInt32, x: Int16, y: Int16, z: Int16, flags: Flags = []) {
    (self.time, self.width, self.flags) = (time, width, flags)
    (self.x, self.y, self.z) = (x, y, z)
  }
}

/// The magnetometer whose values a log has beside its samples.
///
///     field [µT] = axes(count × scale)
public struct FieldDescription: Equatable, Sendable {
  /// The chip's name as its maker writes it, such as `AK09916`, without spaces.
  public var model: String
  /// µT a count.
  public var scale: Fraction
  /// Its nominal rate.
  public var rate: SampleRate
  /// The magnetometer's axes along the accelerometer's x, y and z.
  public var axes: AxisMap

  /// A magnetometer as it was set up.
  public init(model: String, scale: Fraction, rate: SampleRate, axes: AxisMap) {
    (self.model, self.scale, self.rate, self.axes) = (model, scale, rate, axes)
  }
}

extension FieldDescription {
  /// A value in µT along the accelerometer's axes, whatever its flags say.
  public func microteslas(_ reading: FieldReading) -> Vector3 {
    let along = axes.turned([reading.x, reading.y, reading.z].map { Double($0) * scale.value })
    return Vector3(along[0], along[1], along[2])
  }
}

extension RecordingDescription {
  /// A value in µT along the mounting's axes, to 1 nT; not numbers where the field was beyond what the chip can measure.
  ///
  /// - Parameter calibration: The iron whose effect is removed; `nil` for values as measured.
  public func microteslas(
    _ reading: FieldReading, without calibration: SensorCalibration.Field? = nil
  ) -> [Double] {
    guard let field = sensor.field, !reading.flags.contains(.saturated) else {
      return [.nan, .nan, .nan]
    }
    let measured = field.microteslas(reading)
    let along = calibration?.corrected(measured) ?? measured
    let values = [along.x, along.y, along.z]
    // A zero has no sign.
    return (axes?.turned(values) ?? values).map { ($0 * 1000).rounded() / 1000 + 0 }
  }
}

extension TickRecord {
  /// A value of the magnetometer, which stands before the tick of the next sample.
  ///
  ///     tick  of that sample      count   the width
  ///     time  the value's         detail  its flags
  ///     sample  its counts as ax, ay, az
  @inlinable
  public init(_ reading: FieldReading, before tick: UInt64) {
    self.init(
      tick: tick, time: reading.time,
      sample: RawSample(ax: reading.x, ay: reading.y, az: reading.z))
    (count, kind, detail) = (UInt64(reading.width), .field, reading.flags.rawValue)
  }

  /// The value of the magnetometer, if this record is one.
  public var field: FieldReading? {
    guard kind == .field else { return nil }
    return FieldReading(
      time: time, width: UInt32(clamping: count), x: sample.ax, y: sample.ay, z: sample.az,
      flags: FieldReading.Flags(rawValue: detail))
  }
}
