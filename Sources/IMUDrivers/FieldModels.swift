// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A magnetometer beside an accelerometer and gyroscope: a line of the table that drives it. Each is one object.
public final class FieldModel: Sendable, Equatable {
  /// The name as its maker writes it.
  public let name: String
  /// The addresses that it can have.
  public let addresses: [I2CAddress]
  /// The accelerometer's x, y and z along its axes.
  public let axes: AxisMap
  /// µT a count.
  public let scale: Fraction
  /// The chip in whose package it is.
  let host: SensorModel
  /// A register, and what it holds.
  let identity: (register: UInt8, value: UInt8)
  /// Written first; it clears all other registers.
  let reset: (register: UInt8, value: UInt8)
  /// Its rates, rising, each with its writes; the last write starts the measurement.
  let settings: [(rate: SampleRate, writes: RegisterList)]
  let layout: FieldLayout

  init(
    _ name: String, in host: SensorModel, addresses: [UInt8], axes: String, scale: Fraction,
    identity: (UInt8, UInt8), reset: (UInt8, UInt8), settings: [(SampleRate?, RegisterList)],
    layout: FieldLayout
  ) {
    guard let axes = AxisMap(axes) else { preconditionFailure("axes are x, y and z") }
    (self.name, self.host, self.axes, self.scale) = (name, host, axes, scale)
    self.addresses = addresses.map { I2CAddress(known: $0) }
    (self.identity, self.reset, self.layout) = (identity, reset, layout)
    self.settings = settings.compactMap { rate, writes in rate.map { ($0, writes) } }
  }

  /// Every supported magnetometer.
  public static let all = [ak09916, lsm9ds1]

  /// The one in the package of `model`; `nil` where there is none.
  public static func inside(_ model: SensorModel) -> FieldModel? {
    all.first { $0.host.family == model.family }
  }

  /// Its rates, rising.
  public var rates: [SampleRate] { settings.map(\.rate) }

  /// The magnetometer at one of its rates.
  package func description(at rate: SampleRate) -> FieldDescription {
    FieldDescription(model: name, scale: scale, rate: rate, axes: axes)
  }

  /// A line of the table equals itself only.
  public static func == (left: FieldModel, right: FieldModel) -> Bool { left === right }
}

/// The burst that reads a value: the status, three little-endian axes, and perhaps more.
struct FieldLayout: Sendable, BitwiseCopyable {
  /// The number that the burst begins with on the bus.
  let register: UInt8
  let count: Int
  /// Bits of the first byte: a new value is there; one before it was not read.
  let ready: UInt8
  let skipped: UInt8
  /// The byte, and its bit, that show a field beyond the range.
  var overflow: (place: Int, bit: UInt8)?
  /// Counts of the range's end.
  let greatest: Int
  /// Whether the axes of a burst are of one value: the chip keeps them until the burst's last byte is read.
  let isShadowed: Bool
}

extension FieldModel {
  /// Asahi Kasei AK09916, in an ICM-20948 (DS-000189 sections 12 and 13). It is on the bus behind that chip, which connects
  /// both by BYPASS_EN.
  ///
  /// The register ST2, at the end of the burst, releases the data; without it they would stand still for ever. That the die
  /// is turned by half a turn about X is in the data sheet's figure of the axes; InvenSense's own driver has the same matrix.
  static let ak09916 = FieldModel(
    "AK09916", in: .icm20948, addresses: [0x0C], axes: "x,-y,-z", scale: Fraction(3, 20),
    identity: (0x01, 0x09), reset: (0x32, 0x01),
    settings: [(10, 0x02), (20, 0x04), (50, 0x06), (100, 0x08)].map { hertz, mode in
      (SampleRate(hertz), [Register(0x31, "CNTL2"): mode])
    },
    layout: FieldLayout(
      register: 0x10, count: 9, ready: 0x01, skipped: 0x02, overflow: (8, 0x08), greatest: 32752,
      isShadowed: true))

  /// The magnetometer of an LSM9DS1, another device on the bus (DocID025715 section 8), at ±4 gauss, in ultra-high
  /// performance and with temperature compensation.
  ///
  /// Its X points against the accelerometer's (figure 1), which the driver of that reverses. Bit 7 of the first register
  /// makes a burst move on (5.1.1). Two bursts tell a value from a mixture of two, so block data update stays off.
  static let lsm9ds1 = FieldModel(
    "LSM9DS1", in: .lsm9ds1, addresses: [0x1C, 0x1E], axes: "x,y,z", scale: Fraction(7, 500),
    identity: (0x0F, 0x3D), reset: (0x21, 0x04),
    // The code DO: 0.625 Hz, doubled seven times.
    settings: (0..<8 as Range<UInt8>).map { code in
      // TEMP_COMP, OM 3, DO; OMZ 3; MD 0: continuous.
      let writes: RegisterList = [
        Register(0x20, "CTRL_REG1_M"): 0xE0 | code << 2, Register(0x23, "CTRL_REG4_M"): 0x0C,
        Register(0x22, "CTRL_REG3_M"): 0x00,
      ]
      return (SampleRate(5 << UInt32(code), per: 8), writes)
    },
    layout: FieldLayout(
      register: 0xA7, count: 7, ready: 0x08, skipped: 0x80, greatest: 28571, isShadowed: false))
}
