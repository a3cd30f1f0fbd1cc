import IMUModel

/// The register contents that a configuration comes to on a chip of the LSM6DS family.
///
/// Filters: the widest of about half the rate or less, but none that would settle for longer than
/// 105 ms (accelerometer) or, after the gyroscope's turn-on of 70 ms, 40 ms (gyroscope): below some
/// 20 Hz a quick start was put before a narrower filter.
struct LSM6DSSettings {
  /// To be written after the reset, in this order: data rates last, they start the sensors.
  private(set) var writes = RegisterList()
  /// What every register must hold afterwards, by rising number.
  let image: RegisterList
  /// What CTRL1_XL must hold: never its reset value, as the accelerometer is always on.
  let control1: UInt8
  /// The chip's own rate.
  let dataRate: LSM6DSDataRate
  /// The filters in the data sheet's words.
  let filter: String
  /// From the last write until samples can be believed, in nanoseconds.
  let turnOn: Int64
  /// How long outputs may rightly stand still.
  let lifeLimit: LifeLimit?

  /// `configuration` must have been validated for `model`.
  init(_ configuration: SensorConfiguration, model: SensorModel) {
    let generation = LSM6DSGeneration(model)
    let rate = configuration.rate.hertz
    let dataRate = LSM6DSDataRate.choose(rate: rate, busClock: configuration.busClock)
    let hasAccelerometer = configuration.channels.contains(.accelerometer)
    let hasGyroscope = configuration.channels.contains(.gyroscope)
    let filters = generation.accelerometerFilters(dataRate)
    // One that is not recorded is there for its noise: the widest filter, the finest range.
    let accelerometer =
      hasAccelerometer
      ? LSM6DSSettings.choose(filters, rate, bandwidth: \.bandwidth) {
        Double($0.settlingSamples) / dataRate.hertz <= 0.105
      } : filters[0]
    let accelerometerRange =
      hasAccelerometer ? configuration.accelerometerRange : model.accelerometerRanges[0]
    let gyroscope = LSM6DSSettings.choose(
      generation.gyroscopeFilters(dataRate), rate, bandwidth: \.bandwidth
    ) { Double($0.settlingSamples) / dataRate.hertz <= 0.040 || dataRate == .hertz1666 }
    let odr = dataRate.rawValue << 4

    writes.append(LSM6DSRegister.bank, 0x00)
    if generation.hasI3C {
      writes.append(LSM6DSRegister.control9, LSM6DSRegister.Control9.i3cDisabled)
    }
    writes.append(LSM6DSRegister.control3, LSM6DSRegister.Control3.running)
    writes.append(LSM6DSRegister.control4, accelerometer.control4 | gyroscope.control4)
    writes.append(LSM6DSRegister.control6, gyroscope.control6)
    writes.append(LSM6DSRegister.control8, accelerometer.control8)
    if generation == .ds3 {
      writes.append(LSM6DSRegister.control9, LSM6DSRegister.Control9.allAxes)
      writes.append(LSM6DSRegister.control10, LSM6DSRegister.Control9.allAxes)
    }
    let acceleration =
      odr | LSM6DSSettings.accelerometerCode(accelerometerRange, model) << 2
      | accelerometer.control1
    writes.append(LSM6DSRegister.control1, acceleration)
    control1 = acceleration
    let rotation = odr | LSM6DSSettings.gyroscopeBits(configuration.gyroscopeRange)
    writes.append(LSM6DSRegister.control2, hasGyroscope ? rotation : 0x00)

    self.dataRate = dataRate
    image = writes.sorted()
    var words: [String] = []
    if hasAccelerometer {
      words.append("accelerometer \(accelerometer.name): \(accelerometer.bandwidth.briefly) Hz")
    }
    if hasGyroscope {
      let bandwidth = gyroscope.bandwidth.map { ": \($0.briefly) Hz" } ?? ""
      words.append("gyroscope \(gyroscope.name)\(bandwidth)")
    }
    filter = words.joined(separator: ", ")
    var noise = [
      model.accelerometerNoise(range: accelerometerRange, bandwidth: accelerometer.bandwidth)
    ]
    if hasGyroscope {
      noise.append(
        model.gyroscopeNoise(
          range: configuration.gyroscopeRange,
          bandwidth: gyroscope.bandwidth ?? dataRate.hertz / 3))
    }
    lifeLimit = configuration.hasNoise ? LifeLimit(noise) : nil

    // 5 % for the chip's clock. Turn-on: 35 ms and, from power-down, 70 ms for the gyroscope
    // (AN5130).
    let period = dataRate.periodNanoseconds * 21 / 20
    let accelerometerTime = max(35_000_000, Int64(accelerometer.settlingSamples) * period)
    let gyroscopeTime = 70_000_000 + Int64(gyroscope.settlingSamples) * period
    turnOn = max(accelerometerTime, hasGyroscope ? gyroscopeTime : 0)
  }

  /// The widest of `filters` that is narrow enough for `rate`, else the narrowest, among those
  /// quick enough.
  private static func choose<Filter>(
    _ filters: [Filter], _ rate: Double, bandwidth: (Filter) -> Double?,
    where isQuick: (Filter) -> Bool
  ) -> Filter {
    let quick = filters.filter(isQuick)
    let fitting = quick.first { bandwidth($0).map { $0 <= 0.55 * rate } ?? false }
    return fitting ?? quick.last ?? filters[0]
  }

  /// FS_XL: 0, 2, 3, 1 for the four ranges as they rise.
  private static func accelerometerCode(_ range: Int, _ model: SensorModel) -> UInt8 {
    [0, 2, 3, 1][model.accelerometerRanges.position(of: range)]
  }

  /// Bits [3:0] of CTRL2_G.
  private static func gyroscopeBits(_ range: Int) -> UInt8 {
    switch range {
    case 125: return 0x02
    case 250: return 0x00
    case 500: return 0x04
    case 1000: return 0x08
    case 2000: return 0x0C
    case 4000: return 0x01
    default: preconditionFailure("no range of the chip")
    }
  }
}
