// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension SensorFamily {
  /// ST LSM6DSV: status and outputs as in an LSM6DS, other control registers and data rates.
  ///
  /// LSM6DSV16BX and ISM330BX (identity 71), whose acceleration is in the order Z, Y, X, are not of this family.
  public static let lsm6dsv = SensorFamily(
    addresses: [0x6A, 0x6B], identityRegister: LSM6DSVRegister.identity,
    registers: LSM6DSVRegister.all, unsupported: [:],
    rateLimitReason:
      "it would need a data rate of 1920 Hz, 0.52 ms a sample, and where the registers are read "
      + "twice the bursts of a tick take "
      + "\(BusTiming.milliseconds(bits: BusTiming.bits(ofBurst: 16) + BusTiming.bits(ofBurst: 12), busClock: 400_000)) "
      + "ms at 400 kHz",
    layout: BurstLayout(
      .twofold, register: LSM6DSVRegister.status.address, count: 16, outputs: 2, angularRate: 4,
      acceleration: 10, temperature: 2,
      axisRegisters: (
        LSM6DSVRegister.angularRate.address, LSM6DSVRegister.acceleration.address
      )),
    settings: LSM6DSVRegister.settings,
    selfTest: LSM6DSVRegister.selfTest,
    fifo: FIFOProfile(
      rates: { _, _ in LSM6DSVRegister.fifoDataRates.compactMap(\.rate) },
      method: { _ in .tagged }))
}

extension SensorModel {
  static let lsm6dsvFamily = [lsm6dsv, lsm6dsv16x, lsm6dsv32x]

  /// LSM6DSV.
  public static let lsm6dsv = dsv("lsm6dsv")
  /// LSM6DSV16X.
  public static let lsm6dsv16x = dsv("lsm6dsv16x")
  /// LSM6DSV32X: answers like an LSM6DSV, measures twice the range. It must be declared.
  public static let lsm6dsv32x = dsv("lsm6dsv32x", finest: 4)

  /// Ranges, scales and noise: data sheets, table "Mechanical characteristics".
  private static func dsv(_ rawValue: String, finest: Int = 2) -> SensorModel {
    // FS_XL, CTRL8 [1:0], and FS_G, CTRL6 [3:0].
    let gyroscopeCodes: [UInt8] = [0x00, 0x01, 0x02, 0x03, 0x04, 0x0C]
    return SensorModel(
      rawValue, .lsm6dsv, identity: 0x70,
      accelerometer: (0..<4).map { code in
        SensorRange(
          finest << code, Fraction(Int64(61 * finest / 2) << Int64(code), 1_000_000),
          code: UInt8(code), noise: 60e-6)
      },
      gyroscope: gyroscopeCodes.enumerated().map { index, code in
        SensorRange(
          125 << index, Fraction(4375 << Int64(index), 1_000_000), code: code, noise: 0.0028)
      },
      temperature: (Fraction(1, 256), Fraction(25, 1)), maximumBusClock: 1_000_000,
      // 960 Hz / 1.1.
      maximumPolledRate: 872)
  }
}

/// Registers of the LSM6DSV that the driver uses (LSM6DSV16X data sheet, section 9).
enum LSM6DSVRegister {
  /// FUNC_CFG_ACCESS: selects banks. Unless 0, all other numbers mean other registers.
  static var bank: Register { Register(0x01, "FUNC_CFG_ACCESS") }
  /// [7:0] watermark.
  static var fifoControl1: Register { Register(0x07, "FIFO_CTRL1") }
  /// [7] STOP_ON_WTM, [6] compression, [0] second channel of the accelerometer.
  static var fifoControl2: Register { Register(0x08, "FIFO_CTRL2") }
  /// [7:4] BDR_GY, [3:0] BDR_XL: codes of the data rate.
  static var fifoControl3: Register { Register(0x09, "FIFO_CTRL3") }
  /// [7:6] time stamps, [5:4] temperature, [2:0] mode: 0 empties the FIFO, 6 is continuous.
  static var fifoControl4: Register { Register(0x0A, "FIFO_CTRL4") }
  /// What raises the second interrupt output: bit 3 the FIFO's watermark.
  static var interrupt2: Register { Register(0x0E, "INT2_CTRL") }
  static var watermarkInterrupt: UInt8 { 0x08 }
  static var identity: Register { Register(0x0F, "WHO_AM_I") }
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
  static var status: Register { Register(0x1E, "STATUS_REG") }
  static var angularRate: Register { Register(0x22, "OUTX_L_G") }
  static var acceleration: Register { Register(0x28, "OUTX_L_A") }
  /// First of four registers of the counter.
  static var timestamp: Register { Register(0x40, "TIMESTAMP0") }
  /// [6] lets the counter run.
  static var functions: Register { Register(0x50, "FUNCTIONS_ENABLE") }
  /// First of seven registers, to which a burst comes back after each word.
  static var fifoTag: Register { Register(0x78, "FIFO_DATA_OUT_TAG") }
  static var temperature: Register { Register(0x20, "OUT_TEMP_L") }

  static var all: [Register] {
    [
      bank, fifoControl1, fifoControl2, fifoControl3, fifoControl4, interrupt2, identity, control1,
      control2, control3, control4, control6, control7, control8, control9, fifoStatus, status,
      temperature, angularRate, acceleration, timestamp, functions, fifoTag,
    ]
  }
}

extension LSM6DSVRegister {
  /// ODR codes of both sensors. Code 1 is for the accelerometer in low power alone.
  private static let dataRates = [7.5, 15, 30, 60, 120, 240, 480, 960].enumerated().map {
    DataRate(code: UInt8($0.offset + 2), hertz: $0.element)
  }

  /// Those of the FIFO: three more.
  static let fifoDataRates =
    dataRates
    + [1920, 3840, 7680].enumerated().map {
      DataRate(code: UInt8($0.offset + 10), hertz: $0.element)
    }

  /// Filters of the accelerometer, widest first (table 69). Settling is 0.8 periods of the bandwidth, as in the
  /// LSM6DSL's application note.
  private static func accelerometerFilters(_ dataRate: DataRate) -> [ChipFilter] {
    let divisors = [4, 10, 20, 45, 100, 200, 400, 800]
    return [ChipFilter(name: "ODR/2", bandwidth: dataRate.hertz / 2, settlingSamples: 1)]
      + divisors.enumerated().map { code, divisor in
        ChipFilter(
          name: "LPF2 ODR/\(divisor)", bandwidth: dataRate.hertz / Double(divisor),
          settlingSamples: max(2, (4 * divisor + 4) / 5),
          bits: [control8: UInt8(code) << 5, control9: 0x08])
      }
  }

  /// Filters of the gyroscope, widest first: LPF2 (table 21), and from 60 Hz on with LPF1 where that makes it narrower
  /// (table 64). The former's bandwidth at 3840 Hz is not known, but between those at 1920 and 7680 Hz.
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

  /// The register contents for a configuration. Filters settle within 105 and 40 ms, as in an LSM6DS.
  @Sendable
  static func settings(_ configuration: SensorConfiguration, _ model: SensorModel) -> ChipSettings {
    let rate = configuration.rate.hertz
    let dataRate = DataRate.choose(
      dataRates, fifo: fifoDataRates, configuration, model.family)
    let ranges = configuration.ranges(of: model)
    let hasGyroscope = configuration.channels.contains(.gyroscope)
    let gyroscope = ChipSettings.choose(
      gyroscopeFilters(dataRate), rate: rate, bandwidth: \.bandwidth
    ) { Double($0.settlingSamples) / dataRate.hertz <= 0.040 }
    let filters = accelerometerFilters(dataRate)
    // An unrecorded accelerometer only has to show by its noise that the chip works: the widest filter.
    var accelerometer = filters[0]
    if configuration.channels.contains(.accelerometer) {
      accelerometer = ChipSettings.choose(filters, rate: rate, bandwidth: \.bandwidth) {
        Double($0.settlingSamples) / dataRate.hertz <= 0.105
      }
      // At 16 g the narrow filters leave so little noise that a chip at rest looks stuck: one step wider.
      let deviation = ranges.accelerometer.noise(bandwidth: accelerometer.bandwidth ?? 0).deviation
      if deviation < 0.5,
        let wider = filters.last(where: { $0.settlingSamples < accelerometer.settlingSamples })
      {
        accelerometer = wider
      }
    }

    // SW_RESET with BDU and IF_INC; up to 150 µs.
    var settings = ChipSettings(
      reset: ChipSettings.Reset(
        register: control3, value: 0x45, bit: 0x01, firstWait: 150_000, wait: 1_000_000),
      status: status)
    // The reset requires both sensors to be off.
    for register in [bank, control1, control2] { settings.preparation.append(register, 0x00) }
    settings.writes.append(bank, 0x00)
    settings.writes.append(control3, 0x44)
    settings.writes.append(control4, 0x00)
    settings.writes.append(control6, ranges.gyroscope.code | gyroscope[control6])
    settings.writes.append(control7, gyroscope[control7])
    settings.writes.append(control8, ranges.accelerometer.code | accelerometer[control8])
    settings.writes.append(control9, accelerometer[control9])
    settings.writes.append(control1, dataRate.code)
    settings.writes.append(control2, hasGyroscope ? dataRate.code : 0x00)
    // Never its reset value, as the accelerometer is always on.
    settings.witnesses = [control1.address]
    settings.discards = (1, dataRate.periodNanoseconds * 11 / 10)
    if configuration.readsFIFO {
      settings.fifo = fifo(
        configuration.channels, dataRate.code, configuration.watermark,
        isStamped: configuration.stampsSamples)
    } else {
      // The accelerometer is always in it: its noise shows that the chip works.
      settings.newest = fifo(
        configuration.channels.union(.accelerometer), dataRate.code, 1, isLimited: true)
    }
    // 5 % for the chip's clock. The LSM6DSV's data sheet gives 30 ms for the gyroscope, those of the LSM6DS 35 ms. Used
    // here: 70 ms from power-down, from the LSM6DS's application note.
    let period = dataRate.periodNanoseconds * 21 / 20
    let accelerometerTime = max(35_000_000, Int64(accelerometer.settlingSamples) * period)
    let gyroscopeTime = 70_000_000 + Int64(gyroscope.settlingSamples) * period
    settings.turnOn = max(accelerometerTime, hasGyroscope ? gyroscopeTime : 0)
    settings.conclude(
      configuration, model, dataRate, accelerometer: (ranges.accelerometer, accelerometer),
      gyroscope: (ranges.gyroscope, gyroscope), isGyroscopeOn: hasGyroscope)
    return settings
  }

  /// The FIFO's layout: 256 words, or with `isLimited` only up to the watermark, in which the temperature is not.
  private static func fifo(
    _ channels: ChannelSet, _ code: UInt8, _ watermark: Int?, isStamped: Bool = false,
    isLimited: Bool = false
  ) -> FIFOLayout {
    let rates: UInt8 =
      (channels.contains(.gyroscope) ? code << 4 : 0)
      | (channels.contains(.accelerometer) ? code : 0)
    let slot = FIFOLayout.slotUnits(.tagged, channels, isStamped: isStamped)
    let units = min((watermark ?? 0) * slot, 254 / slot * slot)
    var stop = RegisterList()
    stop.append(fifoControl4, 0x00)
    var start = RegisterList()
    start.append(fifoControl1, UInt8(units))
    start.append(fifoControl2, isLimited ? 0x80 : 0x00)
    if units > 0, !isLimited { start.append(interrupt2, watermarkInterrupt) }
    start.append(fifoControl3, rates)
    if isStamped { start.append(functions, 0x40) }
    // [7:6] 1: a stamp in each slot.
    start.append(fifoControl4, isStamped ? 0x46 : 0x06)
    return FIFOLayout(
      .tagged, size: 256 * 7, status: fifoStatus.address, upperCount: 0x01, reserved: 0x06,
      data: fifoTag.address, channels: channels,
      // A slot of 7680 Hz, code 12, has 6 ticks of 21.7 µs.
      counter: isStamped
        ? StampCounter(timestamp, count: 4, ticksPerSlot: 6 << (12 - UInt16(code))) : nil,
      slowTemperature: temperature.address, watermark: units, stop: stop, start: start)
  }
}
