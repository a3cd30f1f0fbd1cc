// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension SensorFamily {
  /// ST LSM6DS: little-endian, temperature and angular rate first, no shadow registers.
  public static let lsm6ds = SensorFamily(
    addresses: [0x6A, 0x6B], identityRegister: LSM6DSRegister.identity,
    registers: LSM6DSRegister.all,
    unsupported: [
      0x22: "LSM6DSO16IS and ISM330IS do", 0x6D: "LSM6DST does",
      0x71: "LSM6DSV16BX and ISM330BX do", 0x73: "LSM6DSV80X and LSM6DSV320X do",
    ],
    // At this data rate a sample is shorter than the burst that reads it at 400 kHz.
    rateLimitReason: "it would need a data rate of 3333 Hz, 0.30 ms a sample, and a 16-byte burst "
      + "takes \(BusTiming.milliseconds(bits: BusTiming.bits(ofBurst: 16), busClock: 400_000)) ms "
      + "at 400 kHz",
    layout: .lsm6, settings: LSM6DSGeneration.settings, selfTest: LSM6DSGeneration.selfTest,
    fifo: LSM6DSGeneration.fifoProfile)
}

extension BurstLayout {
  /// The status, and after a reserved byte temperature, angular rate, acceleration: of LSM6DS and LSM6DSV.
  static let lsm6 = BurstLayout(
    method: .twofold, register: LSM6DSRegister.status.address, count: 16, outputs: 2,
    angularRate: 4, acceleration: 10, temperature: 2,
    axisRegisters: (LSM6DSRegister.angularRate.address, LSM6DSRegister.acceleration.address))
}

extension SensorModel {
  static let lsm6dsFamily = [
    lsm6ds3, lsm6ds33, lsm6dsl, lsm6dsm, lsm6ds3trc, lsm6dso, lsm6dsox, lsm6dso32, lsm6dsr,
  ]

  package static let lsm6ds3 = ds3("lsm6ds3")
  package static let lsm6ds33 = ds3("lsm6ds33")
  package static let lsm6dsl = dsl("lsm6dsl")
  package static let lsm6dsm = dsl("lsm6dsm")
  /// Despite its name of the LSM6DSL's generation.
  package static let lsm6ds3trc = dsl("lsm6ds3tr-c")
  package static let lsm6dso = dso("lsm6dso")
  package static let lsm6dsox = dso("lsm6dsox")
  /// Answers like an LSM6DSO, measures twice the range. It must be declared.
  package static let lsm6dso32 = lsm(
    "lsm6dso32", 0x6C, finest: 4, noise: ([120e-6, 130e-6, 160e-6, 220e-6], 0.0038))
  /// The data sheet (table 6) adds fast mode plus.
  package static let lsm6dsr = lsm(
    "lsm6dsr", 0x6B, noise: ([70e-6, 75e-6, 80e-6, 110e-6], 0.005), hasFS4000: true,
    maximumBusClock: 1_000_000)

  private static func ds3(_ rawValue: String) -> SensorModel {
    lsm(rawValue, 0x69, noise: ([90e-6, 90e-6, 90e-6, 90e-6], 0.007), countsPerDegree: 16)
  }

  private static func dsl(_ rawValue: String) -> SensorModel {
    lsm(rawValue, 0x6A, noise: ([90e-6, 90e-6, 90e-6, 130e-6], 0.005))
  }

  private static func dso(_ rawValue: String) -> SensorModel {
    lsm(rawValue, 0x6C, noise: ([70e-6, 75e-6, 80e-6, 110e-6], 0.0038))
  }

  private static func lsm(
    _ rawValue: String, _ identity: UInt8, finest: Int = 2,
    noise: (accelerometer: [Double], gyroscope: Double), hasFS4000: Bool = false,
    countsPerDegree: Int64 = 256, maximumBusClock: Int = 400_000
  ) -> SensorModel {
    // FS_XL, CTRL1_XL [3:2], and FS_G with FS_125 and FS_4000, CTRL2_G [3:0].
    lsm6(
      rawValue, .lsm6ds, identity, finest: finest,
      codes: (
        [0x00, 0x08, 0x0C, 0x04], [0x02, 0x00, 0x04, 0x08, 0x0C] + (hasFS4000 ? [0x01] : [])
      ),
      noise: noise, countsPerDegree: countsPerDegree, maximumBusClock: maximumBusClock)
  }

  /// Ranges, scales and noise: data sheets, table "Mechanical characteristics". 0.061 mg a count at 2 g: a nominal 32767.2
  /// counts, not 32768. 4.375 m°/s a count at 125 °/s: the registers reach 15 % beyond the nominal range.
  static func lsm6(
    _ rawValue: String, _ family: SensorFamily, _ identity: UInt8, finest: Int,
    codes: (accelerometer: [UInt8], gyroscope: [UInt8]),
    noise: (accelerometer: [Double], gyroscope: Double), countsPerDegree: Int64 = 256,
    maximumBusClock: Int, maximumPolledRate: Int = 1000
  ) -> SensorModel {
    SensorModel(
      rawValue, family, identity: identity,
      accelerometer: codes.accelerometer.enumerated().map { index, code in
        SensorRange(
          fullScale: finest << index,
          scale: Fraction(Int64(61 * finest / 2) << Int64(index), 1_000_000), code: code,
          noise: noise.accelerometer[index])
      },
      gyroscope: codes.gyroscope.enumerated().map { index, code in
        SensorRange(
          fullScale: 125 << index, scale: Fraction(4375 << Int64(index), 1_000_000), code: code,
          noise: noise.gyroscope)
      },
      temperature: (Fraction(1, countsPerDegree), Fraction(25, 1)),
      maximumBusClock: maximumBusClock, maximumPolledRate: maximumPolledRate)
  }
}

/// Registers of the LSM6DS family that the driver uses.
///
/// Names and fields follow the LSM6DSO data sheet (DS12140), section 9; notes give the differences of the LSM6DS3 and
/// LSM6DSL generations. Two-byte quantities have their low byte at the lower address.
enum LSM6DSRegister {
  /// Selects banks. Unless 0, all other numbers mean other registers.
  static var bank: Register { Register(0x01, "FUNC_CFG_ACCESS") }
  /// LSM6DSO: [7:0] watermark.
  static var fifoControl1: Register { Register(0x07, "FIFO_CTRL1") }
  /// LSM6DSO: [7] STOP_ON_WTM, [6] compression, [0] watermark.
  static var fifoControl2: Register { Register(0x08, "FIFO_CTRL2") }
  /// LSM6DSO: [7:4] BDR_GY, [3:0] BDR_XL.
  static var fifoControl3: Register { Register(0x09, "FIFO_CTRL3") }
  /// LSM6DSO: [7:6] time stamps, [5:4] temperature, [2:0] mode.
  static var fifoControl4: Register { Register(0x0A, "FIFO_CTRL4") }
  /// What raises the second interrupt output: [3] the FIFO's watermark.
  static var interrupt2: Register { Register(0x0E, "INT2_CTRL") }
  static var watermarkInterrupt: UInt8 { 0x08 }
  /// LSM6DS3 and LSM6DSL: [7:0] watermark.
  static var patternControl1: Register { Register(0x06, "FIFO_CTRL1") }
  /// LSM6DS3 and LSM6DSL: [7] time stamps and steps, [3] temperature, then watermark.
  static var patternControl2: Register { Register(0x07, "FIFO_CTRL2") }
  /// LSM6DS3 and LSM6DSL: [5:3] DEC_FIFO_GYRO, [2:0] DEC_FIFO_XL.
  static var patternControl3: Register { Register(0x08, "FIFO_CTRL3") }
  /// LSM6DS3 and LSM6DSL: third and fourth data set.
  static var patternControl4: Register { Register(0x09, "FIFO_CTRL4") }
  /// LSM6DS3 and LSM6DSL: [6:3] ODR_FIFO, [2:0] FIFO_MODE.
  static var patternControl5: Register { Register(0x0A, "FIFO_CTRL5") }
  static var identity: Register { Register(0x0F, "WHO_AM_I") }
  /// [7:4] ODR_XL, [3:2] FS_XL, then [1] LPF2_XL_EN. LSM6DSL: [1] LPF1_BW_SEL. LSM6DS3: [1:0] BW_XL.
  static var control1: Register { Register(0x10, "CTRL1_XL") }
  /// [7:4] ODR_G, [3:2] FS_G, [1] FS_125. LSM6DSR: [0] FS_4000.
  static var control2: Register { Register(0x11, "CTRL2_G") }
  /// [7] BOOT, [6] BDU, [2] IF_INC, [0] SW_RESET (clears itself).
  static var control3: Register { Register(0x12, "CTRL3_C") }
  /// [6] SLEEP_G, [3] DRDY_MASK, [1] LPF1_SEL_G. LSM6DS3: [7] XL_BW_SCAL_ODR, [0] STOP_ON_FTH.
  static var control4: Register { Register(0x13, "CTRL4_C") }
  /// LSM6DS3: STOP_ON_FTH of ``control4``, which limits the FIFO to its threshold.
  static var stopOnThreshold: UInt8 { 0x01 }
  /// [4] XL_HM_MODE (1 disables high performance), [2:0] FTYPE (LSM6DSL: [1:0]; LSM6DS3: none).
  static var control6: Register { Register(0x15, "CTRL6_C") }
  /// [7:5] HPCF_XL. LSM6DSL: [7] LPF2_XL_EN, [6:5] HPCF_XL, [3] INPUT_COMPOSITE.
  static var control8: Register { Register(0x17, "CTRL8_XL") }
  /// [7:5] DEN, [1] I3C_disable. LSM6DS3: [5:3] axis enables, reset 0x38. LSM6DSL: reset 0xE0.
  static var control9: Register { Register(0x18, "CTRL9_XL") }
  /// [5] lets the time stamp's counter run. LSM6DS3: [5:3] axis enables of the gyroscope, reset 0x38.
  static var control10: Register { Register(0x19, "CTRL10_C") }
  /// [0] XLDA, [1] GDA, [2] TDA. A flag clears when a high byte of its sensor is read.
  static var status: Register { Register(0x1E, "STATUS_REG") }
  /// First of 14 bytes: temperature; angular rate X, Y, Z; acceleration X, Y, Z.
  static var output: Register { Register(0x20, "OUT_TEMP_L") }
  static var angularRate: Register { Register(0x22, "OUTX_L_G") }
  static var acceleration: Register { Register(0x28, "OUTX_L_A") }
  /// First of two registers of the count and its flags; in LSM6DS3 and LSM6DSL two of the pattern follow.
  static var fifoStatus: Register { Register(0x3A, "FIFO_STATUS1") }
  /// First of four registers of the counter, of three in LSM6DS3 and LSM6DSL.
  static var timestamp: Register { Register(0x40, "TIMESTAMP0") }
  /// LSM6DS3: [7] TIMER_EN.
  static var tapConfiguration: Register { Register(0x58, "TAP_CFG") }
  /// LSM6DS3 and LSM6DSL: [4] TIMER_HR, 25 µs instead of 6.4 ms.
  static var wakeUpDuration: Register { Register(0x5C, "WAKE_UP_DUR") }
  /// LSM6DS3 and LSM6DSL; a burst comes back here after each two bytes.
  static var patternData: Register { Register(0x3E, "FIFO_DATA_OUT_L") }
  /// LSM6DSO; a burst comes back here after each seven bytes.
  static var fifoTag: Register { Register(0x78, "FIFO_DATA_OUT_TAG") }

  /// The names that errors use; with the same number, the first counts.
  static var all: [Register] {
    [
      bank, interrupt2, identity, control1, control2, control3, control4, control6, control8,
      control9, control10, status, output, angularRate, acceleration, fifoStatus, patternData,
      timestamp, tapConfiguration, wakeUpDuration, fifoTag,
    ]
  }
  /// SW_RESET of ``control3``.
  static var softwareReset: UInt8 { 0x01 }
  /// BDU and IF_INC of ``control3``: both bytes of a value are of one sample, and bursts advance.
  static var running: UInt8 { 0x44 }
}

/// What differs between the generations of LSM6DS and LSM6DSV, apart from scales.
enum LSM6DSGeneration {
  /// LSM6DS3, LSM6DS33.
  case ds3
  /// LSM6DSL, LSM6DSM, LSM6DS3TR-C.
  case dsl
  /// LSM6DSO, LSM6DSOX, LSM6DSO32, LSM6DSR.
  case dso
  /// LSM6DSV, LSM6DSV16X, LSM6DSV32X.
  case dsv

  init(_ model: SensorModel) {
    switch model.identity {
    case 0x69: self = .ds3
    case 0x6A: self = .dsl
    case 0x70: self = .dsv
    default: self = .dso
    }
  }

  static let fifoProfile = FIFOProfile(
    rates: { model, channels in LSM6DSGeneration(model).fifoRates(channels) },
    method: { LSM6DSGeneration($0).fifoMethod })

  /// The reset value with I3C_disable, bit 1: an LSM6DSO that sees I3C on its lines leaves I2C.
  var i3cDisabled: RegisterList { self == .dso ? [LSM6DSRegister.control9: 0xE2] : [:] }

  /// LSM6DS3: Z, Y and X of both sensors on.
  var allAxes: RegisterList { [LSM6DSRegister.control9: 0x38, LSM6DSRegister.control10: 0x38] }

  /// LPF2 of the accelerometer behind half the data rate, widest first; settling is 0.8 periods of the bandwidth.
  static func secondFilters(
    _ dataRate: DataRate, after half: ChipFilter, bits: (UInt8) -> KeyValuePairs<Register, UInt8>
  ) -> [ChipFilter] {
    let divisors = [4, 10, 20, 45, 100, 200, 400, 800]
    return [half]
      + divisors.enumerated().map { code, divisor in
        ChipFilter(
          name: "LPF2 ODR/\(divisor)", bandwidth: dataRate.hertz / Double(divisor),
          settlingSamples: max(2, (4 * divisor + 4) / 5), bits: bits(UInt8(code) << 5))
      }
  }

  /// Filters of the accelerometer at `dataRate`, widest first; at least one.
  ///
  /// Settling: AN5130 tables 9 and 13 (LSM6DSL generation: 15, 40, 80 and 320 samples for ODR/9, 50, 100 and 400). That is
  /// 0.8 periods of the bandwidth, from which the LSM6DSO's are computed.
  func accelerometerFilters(_ dataRate: DataRate) -> [ChipFilter] {
    let hertz = dataRate.hertz
    let half = ChipFilter(
      name: "ODR/2", bandwidth: hertz / 2,
      settlingSamples: [8: 2, 9: 3, 10: 13][dataRate.code] ?? 1)
    switch self {
    case .ds3:
      // BW_XL with XL_BW_SCAL_ODR: the analogue filter. Below 104 Hz none is narrow enough.
      let bandwidths: [Double] = [400, 200, 100, 50]
      let fitting = bandwidths.enumerated().filter { $0.element <= max(50, hertz / 2) }
      return fitting.map { code, bandwidth in
        ChipFilter(
          name: "BW_XL \(code)", bandwidth: bandwidth,
          settlingSamples: max(2, (0.8 * hertz / bandwidth).roundedUp),
          bits: [LSM6DSRegister.control1: UInt8(code), LSM6DSRegister.control4: 0x80])
      }
    case .dsl:
      let quarter = ChipFilter(
        name: "LPF1 ODR/4", bandwidth: hertz / 4,
        settlingSamples: [9: 4, 10: 13][dataRate.code] ?? 2,
        bits: [LSM6DSRegister.control1: 0x02])
      // Divisor, HPCF_XL, samples. INPUT_COMPOSITE for the low-noise path.
      let second: [(Int, UInt8, Int)] = [(9, 2, 15), (50, 0, 40), (100, 1, 80), (400, 3, 320)]
      return [half, quarter]
        + second.map { divisor, code, samples in
          ChipFilter(
            name: "LPF2 ODR/\(divisor)", bandwidth: hertz / Double(divisor),
            settlingSamples: samples, bits: [LSM6DSRegister.control8: 0x88 | code << 5])
        }
    case .dso, .dsv:
      return LSM6DSGeneration.secondFilters(dataRate, after: half) {
        [LSM6DSRegister.control1: 0x02, LSM6DSRegister.control8: $0]
      }
    }
  }

  /// Filters of the gyroscope at `dataRate`, widest first; at least one.
  ///
  /// Bandwidths: LSM6DSO data sheet, table "Gyroscope LPF1 bandwidth selection"; LSM6DSL data sheet, CTRL6_C. Settling:
  /// AN5130 table 15 and 0.8 periods of the bandwidth, whichever is longer.
  func gyroscopeFilters(_ dataRate: DataRate) -> [ChipFilter] {
    let hertz = dataRate.hertz
    let bandwidths: [Double]
    switch (self, dataRate.code) {
    case (.dsl, 5): bandwidths = [67, 67, 67, 67]
    case (.dsl, 6): bandwidths = [138, 131, 121, 138]
    case (.dsl, 7): bandwidths = [245, 195, 155, 293]
    case (.dsl, 8): bandwidths = [315, 224, 168, 505]
    case (.dsl, 9): bandwidths = [343, 234, 172, 925]
    case (.dsl, 10): bandwidths = [351, 237, 173, 937]
    case (.dso, 5): bandwidths = [67, 67, 67, 67, 62.4, 43.2, 23.1, 12.2]
    case (.dso, 6): bandwidths = [136.6, 130.5, 120.3, 137.1, 86.7, 48, 24.6, 12.4]
    case (.dso, 7): bandwidths = [239.2, 192.4, 154.2, 281.8, 96.6, 49.4, 25, 12.5]
    case (.dso, 8): bandwidths = [304.2, 220.7, 166.6, 453.2, 99.6, 49.8, 25.1, 12.5]
    case (.dso, 9): bandwidths = [328.5, 229.6, 170.1, 559.2]
    case (.dso, 10): bandwidths = [335.5, 232, 171.1, 609]
    default:
      let samples = [2, 3, 3, 3, 3, 3, 3, 135, 270, 540][Int(dataRate.code) - 1]
      return [ChipFilter(name: "LPF1 off", bandwidth: nil, settlingSamples: samples)]
    }
    let table = [2, 3, 3, 4, 5, 6, 9, 135, 270, 540][Int(dataRate.code) - 1]
    let widestFirst = bandwidths.enumerated().sorted { $0.element > $1.element }
    return widestFirst.map { code, bandwidth in
      ChipFilter(
        name: "LPF1 FTYPE \(code)", bandwidth: bandwidth,
        settlingSamples: max(table, (0.8 * hertz / bandwidth).roundedUp),
        bits: [LSM6DSRegister.control4: 0x02, LSM6DSRegister.control6: UInt8(code)])
    }
  }

  /// Codes of ODR_XL and ODR_G with their rates in hertz. The LSM6DSV's code 1 is for the accelerometer in low power alone.
  var dataRates: [DataRate] {
    self == .dsv
      ? DataRate.ladder([7.5, 15, 30, 60, 120, 240, 480, 960], from: 2)
      : DataRate.ladder([12.5, 26, 52, 104, 208, 416, 833, 1666], from: 1)
  }

  /// Sets what follows from data rate and filters, and the FIFO.
  ///
  /// Turn-on: 35 ms, and from power-down 70 ms for the gyroscope (AN5130; the LSM6DSV's data sheet gives 30 ms); 5 % for
  /// the chip's clock. The FIFO of one sample always has the accelerometer, whose noise shows that the chip works.
  func conclude(
    _ settings: inout ChipSettings, _ configuration: SensorConfiguration, _ model: SensorModel,
    _ sensors: TwofoldSensors
  ) {
    let (channels, dataRate) = (configuration.channels, sensors.dataRate)
    // Never its reset value, as the accelerometer is always on.
    settings.witnesses = [LSM6DSRegister.control1.address]
    if configuration.readsFIFO {
      settings.fifo = fifo(
        channels, dataRate, watermark: configuration.watermark,
        isStamped: configuration.stampsSamples)
    } else {
      settings.newest = fifo(
        channels.union(.accelerometer), dataRate, watermark: 1, isLimited: true)
    }
    let period = dataRate.periodNanoseconds * 21 / 20
    let accelerometerTime = Int64(sensors.accelerometer.filter.settlingSamples) * period
    let gyroscopeTime = 70_000_000 + Int64(sensors.gyroscope.filter.settlingSamples) * period
    let isGyroscopeOn = channels.contains(.gyroscope)
    settings.turnOn = max(35_000_000, accelerometerTime, isGyroscopeOn ? gyroscopeTime : 0)
    settings.conclude(configuration, model, sensors, isGyroscopeOn: isGyroscopeOn)
  }

  /// The register contents for a configuration on a chip of the LSM6DS family.
  @Sendable
  static func settings(_ configuration: SensorConfiguration, _ model: SensorModel) -> ChipSettings {
    typealias Map = LSM6DSRegister
    let generation = LSM6DSGeneration(model)
    let dataRate = DataRate.choose(
      generation.dataRates, fifo: generation.fifoDataRates, configuration, model.family)
    let sensors = TwofoldSensors(
      configuration, model, dataRate, generation.accelerometerFilters(dataRate),
      generation.gyroscopeFilters(dataRate), isSlow: dataRate.code >= 8)
    let (accelerometer, gyroscope) = (sensors.accelerometer, sensors.gyroscope)
    let odr = dataRate.code << 4

    var settings = ChipSettings(
      reset: ChipSettings.Reset(
        register: Map.control3, value: Map.softwareReset,
        bit: Map.softwareReset, firstWait: 50_000, wait: 1_000_000),
      status: Map.status)
    settings.preparation = [Map.bank: 0x00]
    settings.preparation.append(generation.i3cDisabled)
    // The reset requires the gyroscope in power-down and the accelerometer in high performance (AN5130 5.6).
    settings.preparation.append([Map.control2: 0x00, Map.control6: 0x00, Map.control1: 0x60])

    settings.writes = [Map.bank: 0x00]
    settings.writes.append(generation.i3cDisabled)
    settings.writes.append(Map.control3, Map.running)
    let limit = generation == .ds3 && !configuration.readsFIFO ? Map.stopOnThreshold : 0
    for (register, more) in [(Map.control4, limit), (Map.control6, 0), (Map.control8, 0)] {
      settings.writes.append(
        register, accelerometer.filter[register] | gyroscope.filter[register] | more)
    }
    if generation == .ds3 { settings.writes.append(generation.allAxes) }
    settings.writes.append([
      Map.control1: odr | accelerometer.range.code | accelerometer.filter[Map.control1],
      Map.control2: configuration.channels.contains(.gyroscope) ? odr | gyroscope.range.code : 0,
    ])
    generation.conclude(&settings, configuration, model, sensors)
    return settings
  }
}
