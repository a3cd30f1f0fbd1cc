import IMUModel

/// The register contents that a configuration comes to on a chip of the MPU-6050 family.
///
/// The chip runs faster than it is polled, so that a sample is at most 1 ms old: at 1 kHz for rates
/// up to 500 Hz, else with the gyroscope's 8 kHz base, divided to 2 kHz where the divider has an
/// effect. The accelerometer never gives more than 1000 samples a second; at rates near that one in
/// a hundred of its values may come twice, as the chip's clock is off by up to 1 %. Both sensors
/// stay on whatever channels are wanted: the gyroscope is the chip's clock. The one that is not recorded has its
/// finest range, in which its noise shows that the chip lives.
struct MPU6050Settings {
  /// What ``MPU6050Register/power1`` holds when awake.
  static var awake: UInt8 { MPU6050Register.Power1.clockFromGyroscope }

  /// To be written after wake-up, in this order.
  private(set) var writes = RegisterList()
  /// What every register must hold afterwards, by rising number.
  let image: RegisterList
  /// The chip's own rate in hertz.
  let outputDataRate: Double
  /// The filters in the data sheet's words.
  let filter: String
  /// From wake-up until the gyroscope can be believed, in nanoseconds.
  let gyroscopeStartUp: Int64
  /// How long outputs may rightly stand still.
  let lifeLimit: LifeLimit?

  /// `configuration` must have been validated for `model`.
  init(_ configuration: SensorConfiguration, model: SensorModel) {
    let profile = MPU6050Profile(model)
    let rate = configuration.rate.hertz
    let isFast = rate > 500
    let gyroscope: MPU6050Profile.Filter =
      isFast
      ? (0, profile.gyroscopeWideBandwidth)
      : MPU6050Settings.choose(profile, rate)
    let own = profile.ownAccelerometerFilters.map { MPU6050Profile.choose($0, rate: rate) }
    // The successors' divider is dead at the 8 kHz base: they give 8000 samples a second then.
    let divider: UInt8 = isFast && own == nil ? 3 : 0

    let accelerometerRange =
      configuration.channels.contains(.accelerometer)
      ? configuration.accelerometerRange : model.accelerometerRanges[0]
    let gyroscopeRange =
      configuration.channels.contains(.gyroscope)
      ? configuration.gyroscopeRange : model.gyroscopeRanges[0]

    writes.append(MPU6050Register.power2, 0x00)
    writes.append(MPU6050Register.configuration, gyroscope.code)
    writes.append(MPU6050Register.sampleRateDivider, divider)
    writes.append(
      MPU6050Register.gyroscope,
      MPU6050Settings.fullScale(gyroscopeRange, in: model.gyroscopeRanges))
    writes.append(
      MPU6050Register.accelerometer,
      MPU6050Settings.fullScale(accelerometerRange, in: model.accelerometerRanges))
    if let own { writes.append(MPU6050Register.accelerometer2, own.code) }
    writes.append(MPU6050Register.interruptPin, MPU6050Register.InterruptPin.latched)
    writes.append(MPU6050Register.interruptEnable, MPU6050Register.Interrupt.dataReady)

    var image = writes
    image.append(MPU6050Register.power1, MPU6050Settings.awake)
    self.image = image.sorted()
    outputDataRate = isFast ? 8000 / Double(own == nil ? 1 + divider : 1) : 1000
    gyroscopeStartUp = profile.gyroscopeStartUp
    let accelerometerBandwidth =
      own?.bandwidth ?? profile.sharedAccelerometerBandwidths[Int(gyroscope.code)]
    lifeLimit =
      configuration.hasNoise
      ? LifeLimit([
        model.accelerometerNoise(range: accelerometerRange, bandwidth: accelerometerBandwidth),
        model.gyroscopeNoise(range: gyroscopeRange, bandwidth: gyroscope.bandwidth),
      ]) : nil
    let accelerometerWords: String
    if let own {
      accelerometerWords = "A_DLPF_CFG \(own.code): accelerometer \(own.bandwidth.briefly) Hz"
    } else {
      accelerometerWords = "accelerometer \(accelerometerBandwidth.briefly) Hz"
    }
    filter =
      "DLPF_CFG \(gyroscope.code): gyroscope \(gyroscope.bandwidth.briefly) Hz, "
      + accelerometerWords
  }

  /// The gyroscope's filter at 1 kHz; one code for both sensors must suit the wider of the two.
  private static func choose(_ profile: MPU6050Profile, _ rate: Double) -> MPU6050Profile.Filter {
    guard profile.ownAccelerometerFilters == nil else {
      return MPU6050Profile.choose(profile.gyroscopeFilters, rate: rate)
    }
    let wider = profile.gyroscopeFilters.map { filter in
      (filter.code, max(filter.bandwidth, profile.sharedAccelerometerBandwidths[Int(filter.code)]))
    }
    let code = MPU6050Profile.choose(wider, rate: rate).code
    return profile.gyroscopeFilters[Int(code) - 1]
  }

  /// FS_SEL or AFS_SEL, bits [4:3]: the position of the range among those that rise by two.
  private static func fullScale(_ range: Int, in ranges: [Int]) -> UInt8 {
    UInt8(ranges.position(of: range)) << 3
  }
}
