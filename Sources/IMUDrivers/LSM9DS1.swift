// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension SensorFamily {
  /// ST LSM9DS1, the accelerometer and gyroscope of the Sense HAT: little-endian, no shadow registers. Its
  /// magnetometer is another chip on the bus: see ``FieldModel``.
  public static let lsm9ds1 = SensorFamily(
    addresses: [0x6A, 0x6B], identityRegister: LSM9DS1Register.identity,
    registers: LSM9DS1Register.all, unsupported: [:],
    rateLimitReason:
      "its fastest data rate is 952 Hz, and a tick needs a tenth more than one sample",
    // With both sensors on, a burst continues after 1D, the last byte of angular rate, at 28 with acceleration.
    layout: BurstLayout(
      method: .twofold, register: LSM9DS1Register.status.address, count: 13, outputs: 1,
      angularRate: 1,
      acceleration: 7, temperature: nil, slowTemperature: LSM9DS1Register.temperature.address,
      axisRegisters: (
        LSM9DS1Register.angularRate.address, LSM9DS1Register.acceleration.address
      ),
      // Both sensors have X against the magnetometer's, Y and Z along it, and a rate is by the right-hand rule about its own
      // axis: the drivers of RTIMULib, ArduPilot and Navio2 mirror an axis of both.
      isLeftHanded: true),
    settings: LSM9DS1Register.settings,
    selfTest: LSM9DS1Register.selfTest)
}

extension SensorModel {
  static let lsm9ds1Family = [lsm9ds1]

  /// DocID025715 table 3. The 16 g scale is not twice the 8 g one: the range spans ±21858
  /// counts. The data sheet gives no noise; these figures are below a chip's, so that one at rest never counts as stuck.
  package static let lsm9ds1 = SensorModel(
    "lsm9ds1", .lsm9ds1, identity: 0x68,
    // FS_XL, CTRL_REG6_XL [4:3], and FS_G, CTRL_REG1_G [4:3].
    accelerometer: [(2, 61, 0x00), (4, 122, 0x10), (8, 244, 0x18), (16, 732, 0x08)].map {
      SensorRange(fullScale: $0, scale: Fraction($1, 1_000_000), code: $2, noise: 60e-6)
    },
    gyroscope: [(245, 8750, 0x00), (500, 17500, 0x08), (2000, 70000, 0x18)].map {
      SensorRange(fullScale: $0, scale: Fraction($1, 1_000_000), code: $2, noise: 0.004)
    },
    temperature: (Fraction(1, 16), Fraction(25, 1)),
    // 952 Hz / 1.1.
    maximumPolledRate: 865)
}

/// Registers of the LSM9DS1 that the driver uses (DocID025715, section 7).
enum LSM9DS1Register {
  static var identity: Register { Register(0x0F, "WHO_AM_I") }
  /// [7:5] ODR_G, [4:3] FS_G, [1:0] BW_G.
  static var control1: Register { Register(0x10, "CTRL_REG1_G") }
  /// [1:0] OUT_SEL: 0 takes the angular rate after LPF1, 2 after LPF2.
  static var control2: Register { Register(0x11, "CTRL_REG2_G") }
  /// [7] low power, [6] high-pass filter.
  static var control3: Register { Register(0x12, "CTRL_REG3_G") }
  static var orientation: Register { Register(0x13, "ORIENT_CFG_G") }
  /// Two bytes: 16 counts a °C, 0 at 25 °C.
  static var temperature: Register { Register(0x15, "OUT_TEMP_L") }
  /// [2] TDA, [1] GDA, [0] XLDA. There is a second copy at 27.
  static var status: Register { Register(0x17, "STATUS_REG") }
  static var angularRate: Register { Register(0x18, "OUT_X_L_G") }
  /// [5:3] gyroscope axes on: reset 38.
  static var control4: Register { Register(0x1E, "CTRL_REG4") }
  /// [5:3] accelerometer axes on: reset 38.
  static var control5: Register { Register(0x1F, "CTRL_REG5_XL") }
  /// [7:5] ODR_XL, [4:3] FS_XL, [2] BW_SCAL_ODR, [1:0] BW_XL.
  static var control6: Register { Register(0x20, "CTRL_REG6_XL") }
  static var control7: Register { Register(0x21, "CTRL_REG7_XL") }
  /// [7] BOOT, [6] BDU, [2] IF_ADD_INC, [0] SW_RESET. Reset 04.
  static var control8: Register { Register(0x22, "CTRL_REG8") }
  /// [2] I2C_DISABLE: never set.
  static var control9: Register { Register(0x23, "CTRL_REG9") }
  static var acceleration: Register { Register(0x28, "OUT_X_L_XL") }

  static var all: [Register] {
    [
      identity, control1, control2, control3, orientation, temperature, status, angularRate,
      control4, control5, control6, control7, control8, control9, acceleration,
    ]
  }

  /// Codes of ODR_G, which also runs the accelerometer.
  private static let dataRates = DataRate.ladder([14.9, 59.5, 119, 238, 476, 952], from: 1)

  /// BW_XL, widest first, without those that pass more than half the data rate. Samples to discard: table 12; the row of
  /// 119 Hz also for the slower rates, which the table lacks.
  private static func accelerometerFilters(_ dataRate: DataRate) -> [ChipFilter] {
    let discards = [
      [1, 1, 1, 2], [1, 1, 1, 2], [1, 1, 1, 2], [1, 1, 2, 4], [1, 2, 4, 7], [2, 4, 7, 14],
    ][Int(dataRate.code) - 1]
    let bandwidths: [Double] = [408, 211, 105, 50]
    return bandwidths.enumerated().filter { $0.element <= max(50, dataRate.hertz / 2) }.map {
      ChipFilter(
        name: "BW_XL \($0.offset)", bandwidth: $0.element,
        settlingSamples: discards[$0.offset], bits: [control6: UInt8($0.offset)])
    }
  }

  /// LPF1, then LPF2 by BW_G, the widest first (tables 46 and 47); discards: table 11.
  private static func gyroscopeFilters(_ dataRate: DataRate) -> [ChipFilter] {
    let index = Int(dataRate.code) - 1
    let first: [Double] = [5, 19, 38, 76, 100, 100]
    let second: [[Double]] = [
      [], [16], [14, 31], [14, 29, 63, 78], [21, 28, 57, 100], [33, 40, 58, 100],
    ]
    let (one, two) = ([2, 3, 3, 4, 5, 8][index], [13, 13, 13, 14, 15, 18][index])
    let narrow = second[index].enumerated().filter { $0.element < first[index] }
    return [ChipFilter(name: "LPF1", bandwidth: first[index], settlingSamples: one)]
      + narrow.reversed().map {
        ChipFilter(
          name: "LPF2 BW_G \($0.offset)", bandwidth: $0.element, settlingSamples: two,
          bits: [control1: UInt8($0.offset), control2: 0x02])
      }
  }

  /// The register contents for a configuration.
  ///
  /// Both sensors are always on: they then share one data rate, and one burst has both. Every control register is written,
  /// because the Sense HAT's own library leaves other settings there: increment off, no block data update.
  @Sendable
  static func settings(_ configuration: SensorConfiguration, _ model: SensorModel) -> ChipSettings {
    let dataRate = DataRate.choose(
      among: dataRates, model.family, rate: configuration.rate.hertz,
      busClock: configuration.busClock)
    let sensors = TwofoldSensors(
      configuration, model, dataRate, accelerometerFilters(dataRate), gyroscopeFilters(dataRate))
    let (accelerometer, gyroscope) = (sensors.accelerometer, sensors.gyroscope)

    // SW_RESET with IF_ADD_INC. Drivers wait 10 to 50 ms.
    var settings = ChipSettings(
      reset: ChipSettings.Reset(
        register: control8, value: 0x05, bit: 0x01, firstWait: 20_000_000, wait: 2_000_000),
      status: status)
    let odr = dataRate.code << 5
    settings.writes = [
      control8: 0x44, control9: 0x00, control2: gyroscope.filter[control2], control3: 0x00,
      orientation: 0x00, control4: 0x38, control5: 0x38, control7: 0x00,
      // BW_SCAL_ODR: the bandwidth is BW_XL's.
      control6: odr | accelerometer.range.code | 0x04 | accelerometer.filter[control6],
      control1: odr | gyroscope.range.code | gyroscope.filter[control1],
    ]
    settings.witnesses = [control6.address, control1.address]
    // The data sheet gives no turn-on time; 70 ms is that of the LSM6DS, and 5 % for the chip's clock.
    let samples = max(accelerometer.filter.settlingSamples, gyroscope.filter.settlingSamples)
    settings.turnOn = 70_000_000 + Int64(samples) * dataRate.periodNanoseconds * 21 / 20
    settings.conclude(configuration, model, sensors, isGyroscopeOn: true)
    return settings
  }
}
