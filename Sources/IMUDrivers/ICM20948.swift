// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension SensorFamily {
  /// InvenSense ICM-20948: big-endian, acceleration first, registers in banks. Its magnetometer is another die: see
  /// ``FieldModel``.
  ///
  /// Register 00, in which it has its identity, is the seconds in a clock, which never read EA. The data sheet does not
  /// mention shadow registers; those of its predecessors are assumed.
  public static let icm20948 = SensorFamily(
    addresses: [0x68, 0x69], identityRegister: ICM20948.identity, registers: ICM20948.all,
    unsupported: [:],
    rateLimitReason: "its data rate is 1125 Hz, and a tick needs a tenth more than one sample",
    layout: BurstLayout(
      method: .shadowed, register: ICM20948.status.address, count: 33, outputs: 19, angularRate: 25,
      acceleration: 19, temperature: 31),
    settings: ICM20948.settings,
    selfTest: ICM20948.selfTest,
    fifo: FIFOProfile(rates: { _, _ in ICM20948.fifoRates }, method: { _ in .axes }))
}

extension SensorModel {
  static let icm20948Family = [icm20948]

  /// DS-000189 tables 1 and 2, section 8. FS_SEL, bits [2:1], rises with the range.
  package static let icm20948 = SensorModel(
    "icm20948", name: "ICM-20948", .icm20948, identity: 0xEA,
    accelerometer: SensorRange.invenSenseAccelerometer(codeShift: 1, 230e-6),
    gyroscope: SensorRange.invenSenseGyroscope(codeShift: 1, 0.015),
    temperature: (Fraction(100, 33387), Fraction(21, 1)))
}

/// Registers of the ICM-20948 that the driver uses (DS-000189, sections 7 to 10), and what it makes of them.
enum ICM20948 {
  static var identity: Register { Register(0x00, "WHO_AM_I") }
  /// [6] FIFO_EN, [5] I2C_MST_EN.
  static var userControl: Register { Register(0x03, "USER_CTRL") }
  /// [5] ACCEL_CYCLE, [4] GYRO_CYCLE: 0 for low noise. Reset 40.
  static var lowPower: Register { Register(0x05, "LP_CONFIG") }
  /// [7] DEVICE_RESET (clears itself), [6] SLEEP, [2:0] CLKSEL. Reset 41: asleep.
  static var power1: Register { Register(0x06, "PWR_MGMT_1") }
  /// [5:3] accelerometer off, [2:0] gyroscope off.
  static var power2: Register { Register(0x07, "PWR_MGMT_2") }
  /// [5] latched, [1] BYPASS_EN: the magnetometer's bus is connected with this one.
  static var interruptPin: Register { Register(0x0F, "INT_PIN_CFG") }
  /// [0] RAW_DATA_0_RDY_EN.
  static var interruptEnable: Register { Register(0x11, "INT_ENABLE_1") }
  /// [0] RAW_DATA_0_RDY_INT. Reading it clears it.
  static var status: Register { Register(0x1A, "INT_STATUS_1") }
  /// First of 14 bytes: acceleration, angular rate, temperature.
  static var output: Register { Register(0x2D, "ACCEL_XOUT_H") }
  static var temperature: Register { Register(0x39, "TEMP_OUT_H") }
  /// Of other chips on its own bus.
  static var fifoEnable1: Register { Register(0x66, "FIFO_EN_1") }
  /// [4] acceleration, [3:1] angular rate Z, Y, X, [0] temperature.
  static var fifoEnable2: Register { Register(0x67, "FIFO_EN_2") }
  /// [4:0] hold the FIFO empty.
  static var fifoReset: Register { Register(0x68, "FIFO_RST") }
  /// [4:0] 0: a full FIFO replaces its oldest bytes.
  static var fifoMode: Register { Register(0x69, "FIFO_MODE") }
  /// First of two bytes, which a read of this one latches.
  static var fifoCount: Register { Register(0x70, "FIFO_COUNTH") }
  /// A burst stays here and takes out a byte with each it reads.
  static var fifoData: Register { Register(0x72, "FIFO_R_W") }
  static var bankSelect: Register { Register(Register.bankSelect, "REG_BANK_SEL") }
  /// 1125 Hz / (1 + value).
  static var gyroscopeDivider: Register { Register(bank: 2, 0x00, "GYRO_SMPLRT_DIV") }
  /// [5:3] GYRO_DLPFCFG, [2:1] GYRO_FS_SEL, [0] GYRO_FCHOICE: 1 for the filter. Reset 01.
  static var gyroscope: Register { Register(bank: 2, 0x01, "GYRO_CONFIG_1") }
  /// [5:3] self-test X, Y, Z.
  static var gyroscope2: Register { Register(bank: 2, 0x02, "GYRO_CONFIG_2") }
  /// [0] both sensors begin anew, at once, when a divider is written.
  static var alignment: Register { Register(bank: 2, 0x09, "ODR_ALIGN_EN") }
  /// [3:0] the upper bits of the accelerometer's divider.
  static var accelerometerDivider1: Register { Register(bank: 2, 0x10, "ACCEL_SMPLRT_DIV_1") }
  static var accelerometerDivider2: Register { Register(bank: 2, 0x11, "ACCEL_SMPLRT_DIV_2") }
  /// [5:3] ACCEL_DLPFCFG, [2:1] ACCEL_FS_SEL, [0] ACCEL_FCHOICE. Reset 01.
  static var accelerometer: Register { Register(bank: 2, 0x14, "ACCEL_CONFIG") }
  /// [4:2] self-test X, Y, Z.
  static var accelerometer2: Register { Register(bank: 2, 0x15, "ACCEL_CONFIG_2") }

  static var all: [Register] {
    [
      identity, userControl, lowPower, power1, power2, interruptPin, interruptEnable, status,
      output, temperature, fifoEnable1, fifoEnable2, fifoReset, fifoMode, fifoCount, fifoData,
      bankSelect,
      gyroscopeDivider, gyroscope, gyroscope2, alignment, accelerometerDivider1,
      accelerometerDivider2, accelerometer, accelerometer2,
    ]
  }

  /// DLPFCFG 7, then those from `first` on, by falling bandwidth (sections 10.2 and 10.15). None settles more slowly than the
  /// gyroscope starts.
  private static func filters(_ name: String, from first: UInt8, _ widths: [Double]) -> [ChipFilter]
  {
    zip([7] + (first...6), widths).map { code, width in
      ChipFilter(
        name: "\(name)_DLPFCFG \(code)", bandwidth: width, settlingSamples: 0,
        bits: [gyroscope: code << 3, accelerometer: code << 3])
    }
  }

  private static let gyroscopeFilters = filters(
    "GYRO", from: 0, [361.4, 196.6, 151.8, 119.5, 51.2, 23.9, 11.6, 5.7])
  private static let accelerometerFilters = filters(
    "ACCEL", from: 1, [473, 246, 111.4, 50.4, 23.9, 11.5, 5.7])

  /// 1125 / (1 + divider) hertz, rising.
  static let fifoRates: [SampleRate] = (1...256).reversed().compactMap {
    SampleRate(1125, per: $0)
  }

  /// The register contents for a configuration.
  ///
  /// A chip that is polled runs at 1125 Hz, so that a sample is at most 0.9 ms old. Both sensors are always on: the gyroscope
  /// is the chip's clock, and the noise of both, in the finest range, shows that the chip works.
  @Sendable
  static func settings(_ configuration: SensorConfiguration, _ model: SensorModel) -> ChipSettings {
    let rate = configuration.rate.hertz
    let divider = configuration.readsFIFO ? UInt8(1125 / rate - 0.5) : 0
    func choose(_ filters: [ChipFilter]) -> ChipFilter {
      ChipSettings.choose(filters, rate: rate, bandwidth: \.bandwidth)
    }
    let (acceleration, rotation) = (choose(accelerometerFilters), choose(gyroscopeFilters))
    let ranges = configuration.ranges(of: model)

    var settings = ChipSettings(
      reset: ChipSettings.Reset(
        register: power1, value: 0x80, bit: 0x80, firstWait: 5_000_000, wait: 2_000_000),
      status: status)
    // A program that ended between two transfers may have left another bank.
    settings.preparation = [bankSelect: 0x00]
    // CLKSEL 1: the gyroscope's oscillator while that is on.
    settings.wake = (power1, 0x01)
    settings.writes = [
      power2: 0x00, userControl: 0x00, lowPower: 0x00,
      interruptPin: configuration.fieldRate == nil ? 0x20 : 0x22, interruptEnable: 0x01,
      fifoEnable1: 0x00, fifoEnable2: 0x00, fifoMode: 0x00,
      gyroscope: rotation[gyroscope] | ranges.gyroscope.code | 0x01, gyroscope2: 0x00,
      accelerometer: acceleration[accelerometer] | ranges.accelerometer.code | 0x01,
      accelerometer2: 0x00, alignment: 0x01, gyroscopeDivider: divider,
      accelerometerDivider1: 0x00, accelerometerDivider2: divider,
    ]
    settings.witnesses = [power1.address, interruptEnable.address]
    // The gyroscope starts in 35 ms from sleep, the accelerometer in 20 ms (tables 1 and 2).
    settings.turnOn = 50_000_000
    settings.discards = (2, 1_000_000 * (Int64(divider) + 1))
    settings.outputDataRate = 1125 / (Double(divider) + 1)
    settings.readLimit = max(
      2_000_000,
      BusTiming.patience(bits: BusTiming.bits(ofTick: model), busClock: configuration.busClock))
    let widths = [acceleration, rotation].map { $0.bandwidth ?? 0 }
    settings.bandwidths = (widths[0], widths[1])
    let noise = [
      ranges.accelerometer.noise(bandwidth: widths[0]),
      ranges.gyroscope.noise(bandwidth: widths[1]),
    ]
    settings.lifeLimit = configuration.hasNoise ? LifeLimit(noise) : nil
    settings.filter = zip([acceleration, rotation], widths).map {
      "\($0.name): \($1.briefly) Hz"
    }.joined(separator: ", ")
    if configuration.readsFIFO { settings.fifo = fifo(configuration.channels) }
    return settings
  }

  /// The FIFO with the recorded axes, acceleration first.
  ///
  /// The data sheet gives it 512 bytes, and the driver counts on no more; 4096 have been measured. The data sheet leaves open
  /// where a temperature would be in a packet, and how a watermark is set.
  private static func fifo(_ channels: ChannelSet) -> FIFOLayout {
    let selected: UInt8 =
      (channels.contains(.accelerometer) ? 0x10 : 0) | (channels.contains(.gyroscope) ? 0x0E : 0)
    // The packets begin with the last write.
    return FIFOLayout(
      method: .axes, size: 512, largestCount: 4096, status: fifoCount.address,
      data: fifoData.address, channels: channels, temperature: temperature.address,
      stop: [fifoEnable2: 0x00, userControl: 0x00, fifoReset: 0x1F, fifoReset: 0x00],
      start: [userControl: 0x40, fifoEnable2: selected])
  }
}
