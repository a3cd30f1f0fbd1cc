import IMUModel

extension LSM6DSGeneration {
  /// Codes of ODR_XL and ODR_G, and what they mean.
  static let dataRates = [12.5, 26, 52, 104, 208, 416, 833, 1666].enumerated().map {
    DataRate(code: UInt8($0.offset + 1), hertz: $0.element)
  }

  /// The register contents that a configuration comes to on a chip of the LSM6DS family.
  ///
  /// Filters: the widest of about half the rate or less, but none that would settle for longer than
  /// 105 ms (accelerometer) or, after the gyroscope's turn-on of 70 ms, 40 ms (gyroscope): below some
  /// 20 Hz a quick start was put before a narrower filter.
  @Sendable
  static func settings(_ configuration: SensorConfiguration, _ model: SensorModel) -> ChipSettings {
    let generation = LSM6DSGeneration(model)
    let rate = configuration.rate.hertz
    let dataRate = DataRate.choose(
      among: dataRates, model.family, rate: rate, busClock: configuration.busClock)
    let hasAccelerometer = configuration.channels.contains(.accelerometer)
    let hasGyroscope = configuration.channels.contains(.gyroscope)
    let filters = generation.accelerometerFilters(dataRate)
    // One that is not recorded is there for its noise: the widest filter, the finest range.
    let accelerometer =
      hasAccelerometer
      ? ChipSettings.choose(filters, rate: rate, bandwidth: \.bandwidth) {
        Double($0.settlingSamples) / dataRate.hertz <= 0.105
      } : filters[0]
    let accelerometerRange = model.accelerometer.range(
      configuration.accelerometerRange, isRecorded: hasAccelerometer)
    let gyroscope = ChipSettings.choose(
      generation.gyroscopeFilters(dataRate), rate: rate, bandwidth: \.bandwidth
    ) { Double($0.settlingSamples) / dataRate.hertz <= 0.040 || dataRate == dataRates.last }
    let gyroscopeRange = model.gyroscope.range(
      configuration.gyroscopeRange, isRecorded: hasGyroscope)
    let odr = dataRate.code << 4

    var settings = ChipSettings(
      reset: ChipSettings.Reset(
        register: LSM6DSRegister.control3, value: LSM6DSRegister.Control3.softwareReset,
        bit: LSM6DSRegister.Control3.softwareReset, firstWait: 50_000, wait: 1_000_000),
      status: LSM6DSRegister.status)
    settings.preparation.append(LSM6DSRegister.bank, 0x00)
    if generation.hasI3C {
      settings.preparation.append(LSM6DSRegister.control9, LSM6DSRegister.Control9.i3cDisabled)
    }
    // The reset wants the gyroscope in power-down and the accelerometer in high performance (AN5130 5.6).
    settings.preparation.append(LSM6DSRegister.control2, 0x00)
    settings.preparation.append(LSM6DSRegister.control6, 0x00)
    settings.preparation.append(LSM6DSRegister.control1, 0x60)

    settings.writes.append(LSM6DSRegister.bank, 0x00)
    if generation.hasI3C {
      settings.writes.append(LSM6DSRegister.control9, LSM6DSRegister.Control9.i3cDisabled)
    }
    settings.writes.append(LSM6DSRegister.control3, LSM6DSRegister.Control3.running)
    settings.writes.append(LSM6DSRegister.control4, accelerometer.control4 | gyroscope.control4)
    settings.writes.append(LSM6DSRegister.control6, gyroscope.control6)
    settings.writes.append(LSM6DSRegister.control8, accelerometer.control8)
    if generation == .ds3 {
      settings.writes.append(LSM6DSRegister.control9, LSM6DSRegister.Control9.allAxes)
      settings.writes.append(LSM6DSRegister.control10, LSM6DSRegister.Control9.allAxes)
    }
    settings.writes.append(
      LSM6DSRegister.control1, odr | accelerometerRange.code | accelerometer.control1)
    settings.writes.append(LSM6DSRegister.control2, hasGyroscope ? odr | gyroscopeRange.code : 0x00)
    // Never its reset value, as the accelerometer is always on.
    settings.witnesses = [LSM6DSRegister.control1.address]
    settings.discards = (1, dataRate.periodNanoseconds * 11 / 10)
    // 5 % for the chip's clock. Turn-on: 35 ms and, from power-down, 70 ms for the gyroscope (AN5130).
    let period = dataRate.periodNanoseconds * 21 / 20
    let accelerometerTime = max(35_000_000, Int64(accelerometer.settlingSamples) * period)
    let gyroscopeTime = 70_000_000 + Int64(gyroscope.settlingSamples) * period
    settings.turnOn = max(accelerometerTime, hasGyroscope ? gyroscopeTime : 0)

    settings.outputDataRate = dataRate.hertz
    settings.readLimit = dataRate.readLimit(
      model.family, rate: rate, busClock: configuration.busClock)
    var words: [String] = []
    if hasAccelerometer {
      words.append("accelerometer \(accelerometer.name): \(accelerometer.bandwidth.briefly) Hz")
    }
    if hasGyroscope {
      let bandwidth = gyroscope.bandwidth.map { ": \($0.briefly) Hz" } ?? ""
      words.append("gyroscope \(gyroscope.name)\(bandwidth)")
    }
    settings.filter = words.joined(separator: ", ")
    var noise = [accelerometerRange.noise(bandwidth: accelerometer.bandwidth)]
    if hasGyroscope {
      noise.append(gyroscopeRange.noise(bandwidth: gyroscope.bandwidth ?? dataRate.hertz / 3))
    }
    settings.lifeLimit = configuration.hasNoise ? LifeLimit(noise) : nil
    return settings
  }
}
