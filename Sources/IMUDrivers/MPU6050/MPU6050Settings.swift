import IMUModel

/// What differs between the chips of the MPU-6050 family, apart from scales.
struct MPU6050Profile {
  /// A filter code and its bandwidth in hertz.
  typealias Filter = (code: UInt8, bandwidth: Double)

  /// DLPF_CFG 1...6 with the gyroscope's bandwidths, widest first; all of them at 1 kHz.
  let gyroscopeFilters: [Filter]
  /// The gyroscope's bandwidth with DLPF_CFG 0, at 8 kHz.
  let gyroscopeWideBandwidth: Double
  /// Codes of the accelerometer's own filter, ACCEL_CONFIG_2, widest first; `nil` in a chip that
  /// has one code for both.
  let ownAccelerometerFilters: [Filter]?
  /// Without a filter of its own: the accelerometer's bandwidths with DLPF_CFG 0...6.
  let sharedAccelerometerBandwidths: [Double]
  /// From wake-up until the gyroscope can be believed, in nanoseconds.
  let gyroscopeStartUp: Int64

  init(_ model: SensorModel) {
    switch model {
    case .icm20689:
      // DS-000143, table of registers 26 and 29.
      gyroscopeFilters = MPU6050Profile.codes([176, 92, 41, 20, 10, 5])
      gyroscopeWideBandwidth = 250
      ownAccelerometerFilters =
        [(7, 420)] + MPU6050Profile.codes([218.1, 99, 44.8, 21.2, 10.2, 5.1])
      sharedAccelerometerBandwidths = []
      gyroscopeStartUp = 70_000_000
    case .mpu6500, .mpu9250, .mpu9255:
      // RM-MPU-9250A 1.4, registers 26 and 29.
      gyroscopeFilters = MPU6050Profile.codes([184, 92, 41, 20, 10, 5])
      gyroscopeWideBandwidth = 250
      ownAccelerometerFilters = [(0, 460)] + MPU6050Profile.codes([184, 92, 41, 20, 10, 5])
      sharedAccelerometerBandwidths = []
      gyroscopeStartUp = 70_000_000
    default:
      // RM-MPU-6000A 4.2, section 4.3.
      gyroscopeFilters = MPU6050Profile.codes([188, 98, 42, 20, 10, 5])
      gyroscopeWideBandwidth = 256
      ownAccelerometerFilters = nil
      sharedAccelerometerBandwidths = [260, 184, 94, 44, 21, 10, 5]
      gyroscopeStartUp = 60_000_000
    }
  }

  /// Codes 1, 2, 3 … with these bandwidths.
  private static func codes(_ bandwidths: [Double]) -> [Filter] {
    bandwidths.enumerated().map { (UInt8($0.offset + 1), $0.element) }
  }
}

extension MPU6050Profile {
  /// What PWR_MGMT_1 holds when the chip is awake.
  private static var awake: UInt8 { MPU6050Register.Power1.clockFromGyroscope }

  /// The register contents that a configuration comes to on a chip of the MPU-6050 family.
  ///
  /// The chip runs faster than it is polled, so that a sample is at most 1 ms old: at 1 kHz for rates
  /// up to 500 Hz, else with the gyroscope's 8 kHz base, divided to 2 kHz where the divider has an
  /// effect. The accelerometer never gives more than 1000 samples a second; at rates near that one in
  /// a hundred of its values may come twice, as the chip's clock is off by up to 1 %. Both sensors
  /// stay on whatever channels are wanted: the gyroscope is the chip's clock. The one that is not recorded has its
  /// finest range, in which its noise shows that the chip lives.
  @Sendable
  static func settings(_ configuration: SensorConfiguration, _ model: SensorModel) -> ChipSettings {
    let profile = MPU6050Profile(model)
    let rate = configuration.rate.hertz
    let isFast = rate > 500
    let gyroscope: Filter =
      isFast ? (0, profile.gyroscopeWideBandwidth) : profile.gyroscopeFilter(rate)
    let own = profile.ownAccelerometerFilters.map {
      ChipSettings.choose($0, rate: rate, bandwidth: \.bandwidth)
    }
    // The successors' divider is dead at the 8 kHz base: they give 8000 samples a second then.
    let divider: UInt8 = isFast && own == nil ? 3 : 0
    let accelerometerRange = model.accelerometer.range(
      configuration.accelerometerRange, isRecorded: configuration.channels.contains(.accelerometer))
    let gyroscopeRange = model.gyroscope.range(
      configuration.gyroscopeRange, isRecorded: configuration.channels.contains(.gyroscope))

    var settings = ChipSettings(
      reset: ChipSettings.Reset(
        register: MPU6050Register.power1, value: MPU6050Register.Power1.deviceReset,
        bit: MPU6050Register.Power1.deviceReset, firstWait: 5_000_000, wait: 2_000_000),
      status: MPU6050Register.interruptStatus)
    settings.wake = (MPU6050Register.power1, awake)
    settings.writes.append(MPU6050Register.power2, 0x00)
    settings.writes.append(MPU6050Register.configuration, gyroscope.code)
    settings.writes.append(MPU6050Register.sampleRateDivider, divider)
    settings.writes.append(MPU6050Register.gyroscope, gyroscopeRange.code)
    settings.writes.append(MPU6050Register.accelerometer, accelerometerRange.code)
    if let own { settings.writes.append(MPU6050Register.accelerometer2, own.code) }
    settings.writes.append(MPU6050Register.interruptPin, MPU6050Register.InterruptPin.latched)
    settings.writes.append(MPU6050Register.interruptEnable, MPU6050Register.Interrupt.dataReady)
    settings.witnesses = [
      MPU6050Register.interruptPin.address, MPU6050Register.interruptEnable.address,
    ]
    settings.turnOn = profile.gyroscopeStartUp
    // The first may be from before the wait, the second is the first of the settled chip.
    settings.discards = (2, 1_100_000)

    settings.outputDataRate = isFast ? 8000 / Double(own == nil ? 1 + divider : 1) : 1000
    // Two samples of the chip, or what a slow bus needs.
    settings.readLimit = max(
      2_000_000,
      BusTiming.patience(
        bits: BusTiming.bits(ofTick: model.family), busClock: configuration.busClock))
    let accelerometerBandwidth =
      own?.bandwidth ?? profile.sharedAccelerometerBandwidths[Int(gyroscope.code)]
    settings.lifeLimit =
      configuration.hasNoise
      ? LifeLimit([
        accelerometerRange.noise(bandwidth: accelerometerBandwidth),
        gyroscopeRange.noise(bandwidth: gyroscope.bandwidth),
      ]) : nil
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
