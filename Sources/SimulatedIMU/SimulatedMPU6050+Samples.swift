// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// What the chip measures, and when.
extension SimulatedMPU6050 {
  /// Whether samples are made: awake, and its clock not stopped.
  var isRunning: Bool {
    let power = registers[Self.powerManagement1]
    return power & 0x40 == 0 && power & 0x07 != 7
  }

  /// Whether this is the MPU-6050 itself and not one of its successors.
  private var isFirstGeneration: Bool { identity == 0x68 }

  private var filter: Int { Int(registers[Self.config] & 0x07) }

  /// Ticks from one sample to the next: 1 for 8 kHz, 8 for 1 kHz. The base is 8 kHz without the low-pass filter, else 1 kHz
  /// (RM 4.2). The successors divide the filtered rate only.
  var ticksPerSample: Int64 {
    let divider = Int64(registers[Self.sampleRateDivider]) + 1
    if filter != 0 && filter != 7 { return 8 * divider }
    return isFirstGeneration ? divider : 1
  }

  /// The tick of the newest sample made until `tick`.
  func newestSample(atTick tick: Int64) -> Int64 {
    guard isRunning else { return heldTick }
    let sample = tick / ticksPerSample * ticksPerSample
    return sample > startTick ? sample : heldTick
  }

  /// As ``newestSample(atTick:)``, for the data-ready bit.
  func flaggedTick(at tick: Int64) -> Int64 {
    newestSample(atTick: freeze?.flagged(at: tick) ?? tick)
  }

  /// The contents of the output registers after `tick`, under the present configuration.
  func outputs(atTick tick: Int64) -> RawSample {
    if let kept = freeze?.kept(at: tick) { return kept }
    let sample = newestSample(atTick: freeze?.shown(at: tick) ?? tick)
    guard isRunning, sample > startTick else { return held }
    var counts = held
    let standby = registers[Self.powerManagement2]
    // The accelerometer is never faster than 1 kHz; a faster sample repeats its last one (RM 4.2).
    let accelerometerTick = sample / 8 * 8
    if accelerometerTick > startTick {
      let value = acceleration(atTick: accelerometerTick)
      if standby & 0x20 == 0 { counts.ax = value.x }
      if standby & 0x10 == 0 { counts.ay = value.y }
      if standby & 0x08 == 0 { counts.az = value.z }
    }
    let value = angularRate(atTick: sample)
    if standby & 0x04 == 0 { counts.gx = value.x }
    if standby & 0x02 == 0 { counts.gy = value.y }
    if standby & 0x01 == 0 { counts.gz = value.z }
    // TEMP_DIS: the register stands still.
    if registers[Self.powerManagement1] & 0x08 == 0 {
      let (sensitivity, zero) = temperatureScale
      counts.temperature = path.temperature(
        at: oscillator.instant(ofTick: sample), sensitivity: sensitivity, zero: zero)
    }
    return counts
  }

  private func acceleration(atTick tick: Int64) -> SIMD3<Int16> {
    guard tick > accelerometerSettled else { return path.garbage(tick: tick, axis: 0) }
    // 16384, 8192, 4096, 2048 LSB/g.
    let range = registers[Self.accelConfig] >> 3 & 3
    // 400 µg/√Hz (PS 6.2); MPU-6500, 9250 and 9255 300; ICM-20689 150 (DS-000143).
    let density = isFirstGeneration ? 400e-6 : identity == 0x98 ? 150e-6 : 300e-6
    return path.axes(
      from: 0, at: oscillator.instant(ofTick: tick), tick: tick,
      sensitivity: Double(16384 >> Int(range)),
      deviation: density * accelerometerBandwidth.squareRoot(),
      force: accelerometerForce.value(atTick: tick))
  }

  private func angularRate(atTick tick: Int64) -> SIMD3<Int16> {
    guard tick > gyroscopeSettled else { return path.garbage(tick: tick, axis: 3) }
    let sensitivity = SIMD4(131, 65.5, 32.8, 16.4)[Int(registers[Self.gyroConfig] >> 3 & 3)]
    // 0.005 °/s/√Hz (PS 6.1); MPU-6500, 9250 and 9255 0.01; ICM-20689 0.006 (DS-000143).
    let density = isFirstGeneration ? 0.005 : identity == 0x98 ? 0.006 : 0.01
    return path.axes(
      from: 3, at: oscillator.instant(ofTick: tick), tick: tick, sensitivity: sensitivity,
      deviation: density * gyroscopeBandwidth.squareRoot(),
      force: gyroscopeForce.value(atTick: tick))
  }

  /// Hertz, by DLPF_CFG (RM 4.3). The successors' accelerometer has a filter register of its own.
  private var accelerometerBandwidth: Double {
    if isFirstGeneration { return SIMD8(260, 184, 94, 44, 21, 10, 5, 260)[filter] }
    let control = registers[Self.accelConfig2]
    if control & 0x08 != 0 { return 1130 }
    return SIMD8(460, 184, 92, 41, 20, 10, 5, 460)[Int(control & 0x07)]
  }

  /// Hertz, by DLPF_CFG (RM 4.3).
  private var gyroscopeBandwidth: Double {
    isFirstGeneration
      ? SIMD8(256, 188, 98, 42, 20, 10, 5, 256)[filter]
      : SIMD8(250, 184, 92, 41, 20, 10, 5, 3600)[filter]
  }

  /// LSB/°C, and °C at count 0.
  private var temperatureScale: (sensitivity: Double, zero: Double) {
    switch identity {
    case 0x68: return (340, 36.53)
    case 0x70, 0x71, 0x73, 0x74: return (333.87, 21)
    default: return (326.8, 25)
    }
  }
}
