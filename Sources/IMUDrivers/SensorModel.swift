// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// One full scale of a sensor: a line of the data sheet's table "Mechanical characteristics".
struct SensorRange: Sendable {
  /// In g or °/s.
  let fullScale: Int
  /// g or °/s a count.
  let scale: Fraction
  /// The bits that select it, where the family's register has them.
  let code: UInt8
  /// White noise in g/√Hz or °/s/√Hz.
  let noise: Double

  /// Its white noise after a filter of `bandwidth` hertz.
  func noise(bandwidth: Double) -> NoisyAxes {
    NoisyAxes(deviation: noise * bandwidth.squareRoot() / scale.value, bandwidth: bandwidth)
  }
}

/// A supported chip: its name, identity, ranges and scales. Each is one object, declared in its family's file.
public final class SensorModel: Sendable, Hashable, CustomStringConvertible {
  /// The name used on the command line, such as `lsm6ds3tr-c`.
  public let rawValue: String
  /// The name as its maker writes it.
  public let name: String
  /// Its register map.
  public let family: SensorFamily
  /// The contents of its identity register.
  public let identity: UInt8
  /// Ranges of both sensors, rising.
  let accelerometer: [SensorRange]
  let gyroscope: [SensorRange]
  /// °C a count, and °C at count 0.
  public let temperature: (scale: Fraction, offset: Fraction)
  /// The fastest bus clock it takes, in hertz.
  public let maximumBusClock: Int
  /// The highest rate at which it is polled, in hertz; the family says why.
  public let maximumPolledRate: Int

  init(
    _ rawValue: String, name: String? = nil, _ family: SensorFamily, identity: UInt8,
    accelerometer: [SensorRange], gyroscope: [SensorRange],
    temperature: (scale: Fraction, offset: Fraction), maximumBusClock: Int = 400_000,
    maximumPolledRate: Int = 1000
  ) {
    (self.rawValue, self.name) = (rawValue, name ?? rawValue.uppercased())
    (self.family, self.identity) = (family, identity)
    (self.accelerometer, self.gyroscope) = (accelerometer, gyroscope)
    self.temperature = temperature
    (self.maximumBusClock, self.maximumPolledRate) = (maximumBusClock, maximumPolledRate)
  }

  /// Every supported chip. Of those with the same identity, the first is assumed.
  public static let allCases: [SensorModel] =
    mpu6050Family + icm20948Family + lsm6dsFamily + lsm9ds1Family + lsm6dsvFamily

  /// The chip with that name on the command line.
  public static func named(_ name: String) -> SensorModel? {
    allCases.first { $0.rawValue == name }
  }

  /// The addresses that it can have on a bus.
  public var addresses: [I2CAddress] { family.addresses }

  /// Full scales of the accelerometer in g, rising.
  package var accelerometerRanges: [Int] { accelerometer.map(\.fullScale) }

  /// Full scales of the gyroscope in °/s, rising.
  package var gyroscopeRanges: [Int] { gyroscope.map(\.fullScale) }

  /// g a count in the range of `range` g; `nil` when the chip lacks the range.
  public func accelerometerScale(range: Int) -> Fraction? {
    accelerometer.first { $0.fullScale == range }?.scale
  }

  /// °/s a count in the range of `range` °/s; `nil` when the chip lacks the range.
  public func gyroscopeScale(range: Int) -> Fraction? {
    gyroscope.first { $0.fullScale == range }?.scale
  }

  /// A model equals itself only.
  public static func == (left: SensorModel, right: SensorModel) -> Bool { left === right }

  /// By identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The name used on the command line.
  public var description: String { rawValue }
}
