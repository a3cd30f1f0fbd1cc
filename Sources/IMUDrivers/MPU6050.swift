// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension SensorFamily {
  /// InvenSense MPU-6050 and its successors: big-endian, acceleration first, shadow registers.
  public static let mpu6050 = SensorFamily(
    addresses: [0x68, 0x69], identityRegister: MPU6050Register.identity,
    registers: MPU6050Register.all,
    unsupported: [
      0x11: "ICM-20600 does", 0x12: "ICM-20602 does", 0x20: "ICM-20690 does",
      0x74: "MPU-6515 does", 0x78: "MPU-6880 does", 0xA6: "ICM-20609 does",
      0xA9: "IAM-20680 does", 0xAE: "ICM-20608 does", 0xAF: "ICM-20608 does",
    ],
    rateLimitReason: "its accelerometer samples 1000 times a second",
    // From INT_PIN_CFG on: the configuration's proof and the status come before the outputs.
    layout: BurstLayout(
      method: .shadowed, register: MPU6050Register.interruptPin.address, count: 18, outputs: 4,
      angularRate: 12, acceleration: 4, temperature: 10, status: 3,
      proof: (MPU6050Register.latched, MPU6050Register.dataReady)),
    settings: MPU6050Profile.settings,
    selfTest: MPU6050Profile.selfTest,
    fifo: FIFOProfile(
      rates: { _, _ in MPU6050Profile.fifoRates },
      method: { _ in .packets }))
}

extension SensorModel {
  static let mpu6050Family = [mpu6050, mpu6500, mpu9250, mpu9255, icm20689]

  /// MPU-6000 and the motion half of MPU-9150 are the same.
  public static let mpu6050 = mpu(
    "mpu6050", "MPU-6050", 0x68, noise: (400e-6, 0.005),
    temperature: (Fraction(1, 340), Fraction(3653, 100)))
  package static let mpu6500 = mpu("mpu6500", "MPU-6500", 0x70)
  /// Without its magnetometer.
  package static let mpu9250 = mpu("mpu9250", "MPU-9250", 0x71)
  /// Without its magnetometer.
  package static let mpu9255 = mpu("mpu9255", "MPU-9255", 0x73)
  /// Many modules sold as MPU-6050 carry it.
  package static let icm20689 = mpu(
    "icm20689", "ICM-20689", 0x98, noise: (150e-6, 0.006),
    temperature: (Fraction(10, 3268), Fraction(25, 1)))

  /// Scales: RM-MPU-6000A 4.4 and 4.5. FS_SEL and AFS_SEL, bits [4:3], rise with the range.
  private static func mpu(
    _ rawValue: String, _ name: String, _ identity: UInt8,
    noise: (accelerometer: Double, gyroscope: Double) = (300e-6, 0.01),
    temperature: (scale: Fraction, offset: Fraction) = (Fraction(100, 33387), Fraction(21, 1))
  ) -> SensorModel {
    SensorModel(
      rawValue, name: name, .mpu6050, identity: identity,
      accelerometer: SensorRange.invenSenseAccelerometer(codeShift: 3, noise.accelerometer),
      gyroscope: SensorRange.invenSenseGyroscope(codeShift: 3, noise.gyroscope),
      temperature: temperature)
  }
}

extension SensorRange {
  /// The ranges of an accelerometer of InvenSense's, whose codes rise with them from bit `codeShift` on.
  static func invenSenseAccelerometer(codeShift: UInt8, _ noise: Double) -> [SensorRange] {
    [2, 4, 8, 16].enumerated().map { code, range in
      SensorRange(
        fullScale: range, scale: Fraction(1, Int64(32768 / range)), code: UInt8(code) << codeShift,
        noise: noise)
    }
  }

  /// The same of a gyroscope.
  static func invenSenseGyroscope(codeShift: UInt8, _ noise: Double) -> [SensorRange] {
    [Fraction(1, 131), Fraction(10, 655), Fraction(10, 328), Fraction(10, 164)].enumerated().map {
      SensorRange(
        fullScale: 250 << $0, scale: $1, code: UInt8($0) << codeShift, noise: noise)
    }
  }
}

/// Registers of the MPU-6050 family that the driver uses.
///
/// Section numbers are those of the register map RM-MPU-6000A, revision 4.2. Numbers and resets hold for the MPU-6500,
/// 9250, 9255 (RM-MPU-9250A 1.4) and ICM-20689 too unless a line says otherwise. Two-byte quantities have their high byte
/// at the lower address.
@usableFromInline
package enum MPU6050Register {
  /// 4.2: output rate = base / (1 + value); base 8 kHz with DLPF_CFG 0 or 7, else 1 kHz. MPU-6500 and later: has an
  /// effect with DLPF_CFG 1...6 only.
  static var sampleRateDivider: Register { Register(0x19, "SMPLRT_DIV") }
  /// 4.3: [5:3] EXT_SYNC_SET, [2:0] DLPF_CFG.
  static var configuration: Register { Register(0x1A, "CONFIG") }
  /// 4.4: [7:5] self-test, [4:3] FS_SEL. MPU-6500 and later: [1:0] FCHOICE_B, 0 for the DLPF.
  static var gyroscope: Register { Register(0x1B, "GYRO_CONFIG") }
  /// 4.5: [7:5] self-test, [4:3] AFS_SEL.
  static var accelerometer: Register { Register(0x1C, "ACCEL_CONFIG") }
  /// MPU-6500 and later: [3] ACCEL_FCHOICE_B, [2:0] A_DLPF_CFG. MPU-6050: FF_THR.
  static var accelerometer2: Register { Register(0x1D, "ACCEL_CONFIG_2") }
  /// 4.7: [7] temperature, [6:4] angular rate X, Y, Z, [3] acceleration.
  static var fifoEnable: Register { Register(0x23, "FIFO_EN") }
  /// 4.14: [5] LATCH_INT_EN, [4] INT_RD_CLEAR, [1] I2C_BYPASS_EN.
  static var interruptPin: Register { Register(0x37, "INT_PIN_CFG") }
  /// 4.15: [0] DATA_RDY_EN.
  static var interruptEnable: Register { Register(0x38, "INT_ENABLE") }
  /// 4.16: [0] DATA_RDY_INT. Reading it clears it.
  package static var interruptStatus: Register { Register(0x3A, "INT_STATUS") }
  /// 4.17: first of 14 bytes: acceleration X, Y, Z; temperature; angular rate X, Y, Z.
  static var output: Register { Register(0x3B, "ACCEL_XOUT_H") }
  /// 4.27: [6] FIFO_EN, [2] FIFO_RESET, which has no effect while FIFO_EN is 1 and clears itself.
  static var userControl: Register { Register(0x6A, "USER_CTRL") }
  /// 4.28: [7] DEVICE_RESET (clears itself), [6] SLEEP, [2:0] CLKSEL. Resets into sleep.
  package static var power1: Register { Register(0x6B, "PWR_MGMT_1") }
  /// 4.29: [5:0] standby of each axis.
  static var power2: Register { Register(0x6C, "PWR_MGMT_2") }
  /// 4.30: first of two bytes, which a read of this one latches.
  static var fifoCount: Register { Register(0x72, "FIFO_COUNTH") }
  /// 4.31: a burst stays here and takes out a byte with each it reads.
  static var fifoData: Register { Register(0x74, "FIFO_R_W") }
  /// 4.32: 0x68 in an MPU-6050, whatever its address pin says.
  static var identity: Register { Register(0x75, "WHO_AM_I") }

  /// The names that errors use.
  static var all: [Register] {
    [
      sampleRateDivider, configuration, gyroscope, accelerometer, accelerometer2, fifoEnable,
      interruptPin, interruptEnable, interruptStatus, output, userControl, power1, power2,
      fifoCount, fifoData, identity,
    ]
  }

  /// DEVICE_RESET of ``power1``.
  static var deviceReset: UInt8 { 0x80 }
  /// CLKSEL 1 of ``power1``: the X gyroscope's oscillator, ±1 %, where the internal one is ±5 %.
  static var clockFromGyroscope: UInt8 { 0x01 }
  /// Of ``interruptPin``: the flag stays until ``interruptStatus`` is read; by it the driver tells new samples from old.
  @inlinable package static var latched: UInt8 { 0x20 }
  /// Of ``interruptEnable`` and ``interruptStatus``.
  @inlinable package static var dataReady: UInt8 { 0x01 }
}

/// What differs between the chips of the MPU-6050 family, apart from scales.
struct MPU6050Profile {
  /// A filter code and its bandwidth in hertz.
  typealias Filter = (code: UInt8, bandwidth: Double)

  /// DLPF_CFG 1...6 with the gyroscope's bandwidths, widest first; all of them at 1 kHz.
  let gyroscopeFilters: [Filter]
  /// The gyroscope's bandwidth with DLPF_CFG 0, at 8 kHz.
  var gyroscopeWideBandwidth = 250.0
  /// Codes of the accelerometer's own filter, ACCEL_CONFIG_2, widest first; `nil` in a chip that has one code for both.
  var ownAccelerometerFilters: [Filter]?
  /// Without a filter of its own: the accelerometer's bandwidths with DLPF_CFG 0...6.
  var sharedAccelerometerBandwidths: [Double] = []
  /// From wake-up until the gyroscope's samples are valid, in nanoseconds.
  var gyroscopeStartUp: Int64 = 70_000_000

  static func of(_ model: SensorModel) -> MPU6050Profile {
    switch model {
    case .icm20689:
      // DS-000143, table of registers 26 and 29.
      MPU6050Profile(
        gyroscopeFilters: codes([176, 92, 41, 20, 10, 5]),
        ownAccelerometerFilters: [(7, 420)] + codes([218.1, 99, 44.8, 21.2, 10.2, 5.1]))
    case .mpu6500, .mpu9250, .mpu9255:
      // RM-MPU-9250A 1.4, registers 26 and 29.
      MPU6050Profile(
        gyroscopeFilters: codes([184, 92, 41, 20, 10, 5]),
        ownAccelerometerFilters: [(0, 460)] + codes([184, 92, 41, 20, 10, 5]))
    default:
      // RM-MPU-6000A 4.2, section 4.3.
      MPU6050Profile(
        gyroscopeFilters: codes([188, 98, 42, 20, 10, 5]), gyroscopeWideBandwidth: 256,
        sharedAccelerometerBandwidths: [260, 184, 94, 44, 21, 10, 5],
        gyroscopeStartUp: 60_000_000)
    }
  }

  /// Codes 1, 2, 3 … with these bandwidths.
  private static func codes(_ bandwidths: [Double]) -> [Filter] {
    bandwidths.enumerated().map { (UInt8($0.offset + 1), $0.element) }
  }

  /// The register contents for a configuration on a chip of the MPU-6050 family.
  ///
  /// The chip runs faster than it is polled, so that a sample is at most 1 ms old: at 1 kHz for rates up to 500 Hz, else
  /// with the gyroscope's 8 kHz base, divided to 2 kHz where the divider has an effect. The accelerometer delivers at most
  /// 1000 samples a second; near that rate one in a hundred may come twice. Both sensors are always on: the gyroscope is
  /// the chip's clock, and the noise of both, in the finest range, shows that the chip works.
  @Sendable
  static func settings(_ configuration: SensorConfiguration, _ model: SensorModel) -> ChipSettings {
    typealias Map = MPU6050Register
    let profile = MPU6050Profile.of(model)
    let rate = configuration.rate.hertz
    // The FIFO has one sample of each sensor, so 1 kHz, divided, is the base.
    let isFast = rate > 500 && !configuration.readsFIFO
    let gyroscope: Filter =
      isFast ? (0, profile.gyroscopeWideBandwidth) : profile.gyroscopeFilter(rate)
    let own = profile.ownAccelerometerFilters.map {
      ChipSettings.choose($0, rate: rate, bandwidth: \.bandwidth)
    }
    // The successors' divider has no effect at the 8 kHz base: they then deliver 8000 samples a second.
    let divider: UInt8 =
      configuration.readsFIFO ? UInt8(1000 / rate - 0.5) : isFast && own == nil ? 3 : 0
    let division = Int64(divider) + 1
    let ranges = configuration.ranges(of: model)

    var settings = ChipSettings(
      reset: ChipSettings.Reset(
        register: Map.power1, value: Map.deviceReset, bit: Map.deviceReset,
        firstWait: 5_000_000, wait: 2_000_000),
      status: Map.interruptStatus)
    settings.wake = (Map.power1, Map.clockFromGyroscope)
    settings.writes = [
      Map.power2: 0x00, Map.configuration: gyroscope.code, Map.sampleRateDivider: divider,
      Map.gyroscope: ranges.gyroscope.code, Map.accelerometer: ranges.accelerometer.code,
    ]
    if let own {
      // FIFO_SIZE, [7:6]: the ICM-20689's 4096 bytes.
      let size: UInt8 = configuration.readsFIFO && model == .icm20689 ? 0xC0 : 0
      settings.writes.append(Map.accelerometer2, own.code | size)
    }
    settings.writes.append([
      Map.interruptPin: Map.latched, Map.interruptEnable: Map.dataReady,
    ])
    settings.witnesses = [Map.interruptPin.address, Map.interruptEnable.address]
    settings.turnOn = profile.gyroscopeStartUp
    // The first may be older than the wait; the second is the first of the settled chip.
    settings.discards = (2, 1_100_000 * (isFast ? 1 : division))
    if configuration.readsFIFO { settings.fifo = fifo(configuration.channels, model) }

    settings.outputDataRate =
      isFast ? 8000 / Double(own == nil ? division : 1) : 1000 / Double(division)
    // Two sample periods of the chip, or the time that a slow bus needs.
    settings.readLimit = max(
      2_000_000,
      BusTiming.patience(
        bits: BusTiming.bits(ofTick: model), busClock: configuration.busClock))
    let accelerometerBandwidth =
      own?.bandwidth ?? profile.sharedAccelerometerBandwidths[Int(gyroscope.code)]
    settings.bandwidths = (accelerometerBandwidth, gyroscope.bandwidth)
    let noise = [
      ranges.accelerometer.noise(bandwidth: accelerometerBandwidth),
      ranges.gyroscope.noise(bandwidth: gyroscope.bandwidth),
    ]
    settings.lifeLimit = configuration.hasNoise ? LifeLimit(noise) : nil
    let prefix = own.map { "A_DLPF_CFG \($0.code): " } ?? ""
    settings.filter =
      "DLPF_CFG \(gyroscope.code): gyroscope \(gyroscope.bandwidth.briefly) Hz, "
      + "\(prefix)accelerometer \(accelerometerBandwidth.briefly) Hz"
    return settings
  }

  /// The gyroscope's filter at 1 kHz; one code for both sensors must suit the wider of the two.
  private func gyroscopeFilter(_ rate: Double) -> Filter {
    guard ownAccelerometerFilters == nil else {
      return ChipSettings.choose(gyroscopeFilters, rate: rate, bandwidth: \.bandwidth)
    }
    return ChipSettings.choose(gyroscopeFilters, rate: rate) { filter in
      max(filter.bandwidth, sharedAccelerometerBandwidths[Int(filter.code)])
    }
  }
}

/// The FIFO of the MPU-6050 family (RM-MPU-6000A 4.7, 4.27, 4.30, 4.31).
///
///     USER_CTRL FIFO_RESET ─► count 0 ─► FIFO_EN ─► ax ax ay ay az az  t t  gx gx gy gy gz gz  ax ax …
///
/// It holds the recorded channels by rising register number. A full FIFO overwrites its oldest bytes, and its size is a
/// multiple of few packets: from then on, no byte's place says what it is.
extension MPU6050Profile {
  /// 1000 / (1 + SMPLRT_DIV) hertz, rising.
  static let fifoRates: [SampleRate] = (1...256).reversed().compactMap {
    SampleRate(1000, per: $0)
  }

  /// Its layout for these channels.
  static func fifo(_ channels: ChannelSet, _ model: SensorModel) -> FIFOLayout {
    let size =
      switch model {
      case .icm20689: 4096
      case .mpu6500, .mpu9250, .mpu9255: 512
      default: 1024
      }
    let selected: UInt8 =
      (channels.contains(.accelerometer) ? 0x08 : 0) | (channels.contains(.gyroscope) ? 0x70 : 0)
      | (channels.contains(.temperature) ? 0x80 : 0)
    typealias Map = MPU6050Register
    // The packets begin with the last write.
    return FIFOLayout(
      method: .packets, size: size, status: Map.fifoCount.address, data: Map.fifoData.address,
      channels: channels,
      stop: [Map.interruptEnable: 0, Map.fifoEnable: 0, Map.userControl: 0, Map.userControl: 0x04],
      start: [
        Map.userControl: 0x40, Map.interruptEnable: Map.dataReady,
        Map.fifoEnable: selected,
      ])
  }
}
