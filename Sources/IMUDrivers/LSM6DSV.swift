// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension SensorFamily {
  /// ST LSM6DSV: status and outputs as in an LSM6DS, other control registers and data rates.
  ///
  /// LSM6DSV16BX and ISM330BX (identity 71), whose acceleration is in the order Z, Y, X, are not of this family.
  public static let lsm6dsv = SensorFamily(
    addresses: [0x6A, 0x6B], identityRegister: LSM6DSRegister.identity,
    registers: LSM6DSVRegister.all, unsupported: [:],
    rateLimitReason:
      "it would need a data rate of 1920 Hz, 0.52 ms a sample, and where the registers are read "
      + "twice the bursts of a tick take "
      + "\(BusTiming.milliseconds(bits: BusTiming.bits(ofBurst: 16) + BusTiming.bits(ofBurst: 12), busClock: 400_000)) "
      + "ms at 400 kHz",
    layout: .lsm6, settings: LSM6DSVRegister.settings, selfTest: LSM6DSVRegister.selfTest,
    fifo: LSM6DSGeneration.fifoProfile)
}

extension SensorModel {
  static let lsm6dsvFamily = [lsm6dsv, lsm6dsv16x, lsm6dsv32x]

  package static let lsm6dsv = dsv("lsm6dsv")
  package static let lsm6dsv16x = dsv("lsm6dsv16x")
  /// Answers like an LSM6DSV, measures twice the range. It must be declared.
  package static let lsm6dsv32x = dsv("lsm6dsv32x", finest: 4)

  private static func dsv(_ rawValue: String, finest: Int = 2) -> SensorModel {
    // FS_XL, CTRL8 [1:0], and FS_G, CTRL6 [3:0]. 960 Hz / 1.1.
    lsm6(
      rawValue, .lsm6dsv, 0x70, finest: finest,
      codes: ([0x00, 0x01, 0x02, 0x03], [0x00, 0x01, 0x02, 0x03, 0x04, 0x0C]),
      noise: ([60e-6, 60e-6, 60e-6, 60e-6], 0.0028), maximumBusClock: 1_000_000,
      maximumPolledRate: 872)
  }
}

/// Registers that the driver uses and an LSM6DSO has not, or by another name (LSM6DSV16X data sheet, section 9).
enum LSM6DSVRegister {
  private typealias Map = LSM6DSRegister

  /// [6:4] operating mode of the accelerometer, 0 for high performance; [3:0] ODR_XL.
  static var control1: Register { Register(0x10, "CTRL1") }
  /// The same for the gyroscope.
  static var control2: Register { Register(0x11, "CTRL2") }
  /// [7] BOOT, [6] BDU, [2] IF_INC, [0] SW_RESET. Reset 44.
  static var control3: Register { Register(0x12, "CTRL3") }
  static var control4: Register { Register(0x13, "CTRL4") }
  /// [6:4] LPF1_G_BW, [3:0] FS_G.
  static var control6: Register { Register(0x15, "CTRL6") }
  /// [0] LPF1_G_EN.
  static var control7: Register { Register(0x16, "CTRL7") }
  /// [7:5] HP_LPF2_XL_BW, [1:0] FS_XL.
  static var control8: Register { Register(0x17, "CTRL8") }
  /// [3] LPF2_XL_EN, [1:0] user offsets.
  static var control9: Register { Register(0x18, "CTRL9") }
  /// First of two registers: [7:0] words in the FIFO; WTM, OVR, FULL, BDR, OVR_LATCHED, –, –, [8] words.
  static var fifoStatus: Register { Register(0x1B, "FIFO_STATUS1") }
  /// [6] lets the counter run.
  static var functions: Register { Register(0x50, "FUNCTIONS_ENABLE") }

  static var all: [Register] {
    [
      Map.bank, Map.fifoControl1, Map.fifoControl2, Map.fifoControl3, Map.fifoControl4,
      Map.interrupt2, Map.identity, control1, control2, control3, control4, control6, control7,
      control8, control9, fifoStatus, Map.status, Map.output, Map.angularRate, Map.acceleration,
      Map.timestamp, functions, Map.fifoTag,
    ]
  }

  /// Filters of the accelerometer, widest first (table 69).
  private static func accelerometerFilters(_ dataRate: DataRate) -> [ChipFilter] {
    let half = ChipFilter(name: "ODR/2", bandwidth: dataRate.hertz / 2, settlingSamples: 1)
    return LSM6DSGeneration.secondFilters(dataRate, after: half) {
      [control8: $0, control9: 0x08]
    }
  }

  /// Filters of the gyroscope, widest first: LPF2 (table 21), and from 60 Hz on with LPF1 where that makes it narrower
  /// (table 64). LPF2's bandwidth at 3840 Hz is not published; it is between those at 1920 and 7680 Hz.
  private static func gyroscopeFilters(_ dataRate: DataRate) -> [ChipFilter] {
    let index = Int(dataRate.code) - 2
    let second = [3.4, 6.6, 13, 24.6, 49.4, 96, 187, 342, 491, nil, 537][index]
    let first: [[Double]] = [
      [], [], [], [24.6, 24.6, 24.6, 24.6, 24.6, 24.6, 18, 12.1],
      [49.4, 49.4, 49.4, 49.4, 49.4, 42.6, 24.2, 13.6], [96, 96, 96, 96, 78.4, 53, 27.3, 14.2],
      [175, 157, 131, 188, 94, 56.7, 28.4, 14.3], [241, 195, 149, 310, 100, 57.9, 28.7, 14.4], [],
      [], [],
    ]
    func samples(_ bandwidth: Double) -> Int {
      max(4, (0.8 * dataRate.hertz / bandwidth).roundedUp)
    }
    let narrower = first[index].enumerated().filter { $0.element < second ?? 0 }
      .sorted { $0.element > $1.element }
    return [ChipFilter(name: "LPF2", bandwidth: second, settlingSamples: samples(second ?? 491))]
      + narrower.map { code, bandwidth in
        ChipFilter(
          name: "LPF1_G_BW \(code)", bandwidth: bandwidth, settlingSamples: samples(bandwidth),
          bits: [control6: UInt8(code) << 4, control7: 0x01])
      }
  }

  /// The register contents for a configuration.
  @Sendable
  static func settings(_ configuration: SensorConfiguration, _ model: SensorModel) -> ChipSettings {
    let generation = LSM6DSGeneration.dsv
    let dataRate = DataRate.choose(
      generation.dataRates, fifo: generation.fifoDataRates, configuration, model.family)
    let filters = accelerometerFilters(dataRate)
    var sensors = TwofoldSensors(
      configuration, model, dataRate, filters, gyroscopeFilters(dataRate))
    // At 16 g the narrow filters leave so little noise that a chip at rest looks stuck: take one step wider.
    let (range, filter) = sensors.accelerometer
    if range.noise(bandwidth: filter.bandwidth ?? 0).deviation < 0.5,
      let wider = filters.last(where: { $0.settlingSamples < filter.settlingSamples })
    {
      sensors.accelerometer.filter = wider
    }
    let (accelerometer, gyroscope) = (sensors.accelerometer, sensors.gyroscope)

    // SW_RESET with BDU and IF_INC; up to 150 µs.
    var settings = ChipSettings(
      reset: ChipSettings.Reset(
        register: control3, value: 0x45, bit: 0x01, firstWait: 150_000, wait: 1_000_000),
      status: LSM6DSRegister.status)
    // The reset requires both sensors to be off.
    settings.preparation = [LSM6DSRegister.bank: 0x00, control1: 0x00, control2: 0x00]
    settings.writes = [
      LSM6DSRegister.bank: 0x00, control3: 0x44, control4: 0x00,
      control6: gyroscope.range.code | gyroscope.filter[control6],
      control7: gyroscope.filter[control7],
      control8: accelerometer.range.code | accelerometer.filter[control8],
      control9: accelerometer.filter[control9], control1: dataRate.code,
      control2: configuration.channels.contains(.gyroscope) ? dataRate.code : 0x00,
    ]
    generation.conclude(&settings, configuration, model, sensors)
    return settings
  }
}
