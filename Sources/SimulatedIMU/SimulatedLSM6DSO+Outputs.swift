import IMUModel

extension SimulatedLSM6DSO {
  /// STATUS_REG: bit 0 acceleration, bit 1 angular rate, bit 2 temperature, each set by a new
  /// sample.
  ///
  /// With DRDY_MASK (CTRL4_C bit 3) a sensor that has yet to settle raises nothing.
  func statusByte(atTick tick: Int64) -> UInt8 {
    let tick = freeze?.flagged(at: tick) ?? tick
    let masks = registers[Self.control4] & 0x08 != 0
    func isReady(_ stage: OutputStage) -> Bool {
      let newest = stage.newest(atTick: tick)
      return newest > stage.acknowledged && !(masks && newest <= stage.settled)
    }
    return (isReady(accelerometer) ? 1 : 0) | (isReady(gyroscope) ? 2 : 0)
      | (isReady(thermometer) ? 4 : 0)
  }

  /// A byte of the output registers, as a reader finds it at `tick`; `offset` from register 0x20.
  ///
  /// Little-endian: temperature, then angular rate, then acceleration, low byte first. The high
  /// byte of any axis takes down the data-ready bit of its sensor.
  mutating func fetchOutput(_ offset: Int, atTick tick: Int64) -> UInt8 {
    let (pair, isHigh) = (offset / 2, offset % 2 == 1)
    let shown = freeze?.shown(at: tick) ?? tick
    let flagged = freeze?.flagged(at: tick) ?? tick
    var word: Int16
    switch pair {
    case 0:
      refreshThermometer(atTick: shown)
      word = thermometer.recent[0]
      if isHigh { thermometer.acknowledged = thermometer.newest(atTick: flagged) }
    case 1...3:
      refreshGyroscope(atTick: shown)
      word = gyroscope.recent[pair - 1]
      if isHigh { gyroscope.acknowledged = gyroscope.newest(atTick: flagged) }
    default:
      refreshAccelerometer(atTick: shown)
      word = accelerometer.recent[pair - 4]
      if isHigh { accelerometer.acknowledged = accelerometer.newest(atTick: flagged) }
    }
    // BDU, CTRL3_C bit 6.
    if registers[Self.control3] & 0x40 != 0 {
      word = lock.word(pair, newest: word)
      lock.didRead(pair, isHigh: isHigh, word: word)
    }
    return UInt8(truncatingIfNeeded: isHigh ? word >> 8 : word)
  }

  /// What the output registers hold after `tick`, under the present configuration, all of one
  /// instant.
  func outputs(atTick tick: Int64) -> RawSample {
    let tick = freeze?.shown(at: tick) ?? tick
    let acceleration = acceleration(atTick: tick)
    let rate = angularRate(atTick: tick)
    return RawSample(
      ax: acceleration.x, ay: acceleration.y, az: acceleration.z, gx: rate.x, gy: rate.y,
      gz: rate.z, temperature: temperature(atTick: tick).x)
  }

  private mutating func refreshAccelerometer(atTick tick: Int64) {
    let sample = accelerometer.newest(atTick: tick)
    guard sample != accelerometer.recentTick else { return }
    accelerometer.recent = acceleration(atTick: tick)
    accelerometer.recentTick = sample
  }

  private mutating func refreshGyroscope(atTick tick: Int64) {
    let sample = gyroscope.newest(atTick: tick)
    guard sample != gyroscope.recentTick else { return }
    gyroscope.recent = angularRate(atTick: tick)
    gyroscope.recentTick = sample
  }

  private mutating func refreshThermometer(atTick tick: Int64) {
    let sample = thermometer.newest(atTick: tick)
    guard sample != thermometer.recentTick else { return }
    thermometer.recent = temperature(atTick: tick)
    thermometer.recentTick = sample
  }

  private func acceleration(atTick tick: Int64) -> SIMD3<Int16> {
    if let kept = freeze?.kept(at: tick) { return SIMD3(kept.ax, kept.ay, kept.az) }
    let sample = accelerometer.newest(atTick: tick)
    guard sample > accelerometer.start else { return accelerometer.held }
    guard sample > accelerometer.settled else { return path.garbage(tick: sample, axis: 0) }
    return path.acceleration(
      at: oscillator.instant(ofTick: sample), tick: sample, sensitivity: countsPerG,
      deviation: accelerometerNoise)
  }

  private func angularRate(atTick tick: Int64) -> SIMD3<Int16> {
    if let kept = freeze?.kept(at: tick) { return SIMD3(kept.gx, kept.gy, kept.gz) }
    let sample = gyroscope.newest(atTick: tick)
    guard sample > gyroscope.start else { return gyroscope.held }
    guard sample > gyroscope.settled else { return path.garbage(tick: sample, axis: 3) }
    return path.angularRate(
      at: oscillator.instant(ofTick: sample), tick: sample, sensitivity: countsPerDegree,
      deviation: gyroscopeNoise)
  }

  private func temperature(atTick tick: Int64) -> SIMD3<Int16> {
    if let kept = freeze?.kept(at: tick) { return SIMD3(kept.temperature, 0, 0) }
    let sample = thermometer.newest(atTick: tick)
    guard sample > thermometer.start else { return thermometer.held }
    // 256 LSB/°C; LSM6DS3 and LSM6DS33 16 LSB/°C.
    let count = path.temperature(
      at: oscillator.instant(ofTick: sample), sensitivity: identity == 0x69 ? 16 : 256, zero: 25)
    return SIMD3(count, 0, 0)
  }

  /// Takes over `content` into a register that governs sampling.
  mutating func reconfigure(_ register: UInt8, _ content: UInt8, at instant: Int64) {
    let tick = oscillator.tick(at: instant)
    // What was sampled until now was sampled under the old configuration.
    let now = outputs(atTick: tick)
    accelerometer.hold(SIMD3(now.ax, now.ay, now.az), atTick: tick)
    gyroscope.hold(SIMD3(now.gx, now.gy, now.gz), atTick: tick)
    thermometer.hold(SIMD3(now.temperature, 0, 0), atTick: tick)

    let before = self
    registers[register] = content
    accelerometer.period = accelerometerPeriod
    gyroscope.period = gyroscopePeriod
    thermometer.period = thermometerPeriod

    if accelerometer.period > 0, accelerometerModes != before.accelerometerModes {
      accelerometer.settled = tick + Int64(accelerometerDiscards) * accelerometer.period
    }
    if gyroscope.period > 0, gyroscopeModes != before.gyroscopeModes {
      let wasOff = before.registers[Self.control2] >> 4 == 0
      let begin = wasOff ? oscillator.tick(at: instant + Self.gyroscopeTurnOn) : tick
      gyroscope.settled = begin + Int64(gyroscopeDiscards) * gyroscope.period
    }
  }
}

extension OutputStage {
  /// The configuration changes at `tick`; until the next sample the registers keep `counts`.
  fileprivate mutating func hold(_ counts: SIMD3<Int16>, atTick tick: Int64) {
    held = counts
    heldTick = newest(atTick: tick)
    start = tick
    recentTick = -1
  }
}
