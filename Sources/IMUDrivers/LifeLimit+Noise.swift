import IMUModel

/// The noise of three axes as it comes out of a chip's filter.
struct NoisyAxes {
  /// Standard deviation in counts.
  let deviation: Double
  /// Of the filter, in hertz.
  let bandwidth: Double

  /// White noise of `density` units/√Hz through a filter, in steps of `scale` units.
  init(density: Double, bandwidth: Double, scale: Double) {
    deviation = density * bandwidth.squareRoot() / scale
    self.bandwidth = bandwidth
  }

  /// The probability that all three axes have the count that they had, at most.
  ///
  /// A density of 1/(σ·√2π) over one count is above it wherever in the count the axis stands.
  var repetition: Double {
    let axis = min(1, 0.4 / deviation)
    return axis * axis * axis
  }
}

extension LifeLimit {
  /// The limit for a chip at rest whose sensors in use have this noise; `nil` when noise cannot tell within a
  /// second.
  ///
  /// Looks until chance would give equal counts once in 3.6 · 10^13 times: in ten thousand years at 100 Hz.
  /// Noise in a band of B hertz changes its value over 1/(4 B) seconds (Rice: a count of σ is left some
  /// 2 · B times a second by each axis), so closer looks tell no more and the time must pass as well. A quarter of a
  /// second at least, because there may be clones whose registers change less often than they say.
  init?(_ sensors: [NoisyAxes]) {
    let telling = sensors.filter { $0.repetition < 1 }
    guard let bandwidth = telling.map(\.bandwidth).min() else { return nil }
    let each = telling.map(\.repetition).reduce(1, *)
    var chance = 1.0
    var looks = 1
    while chance > 2.8e-14 {
      chance *= each
      looks += 1
      guard looks <= 40 else { return nil }
    }
    let time = Double(looks - 1) / (4 * bandwidth) * 1e9
    self.init(
      looks: max(5, looks), time: Int64(min(max(time, 250_000_000), LifeLimit.longest)))
  }

  /// What is noticed within a second, together with the time until the first look, in nanoseconds.
  private static let longest = 800_000_000.0
}

extension SensorModel {
  /// The accelerometer's noise in g/√Hz in its range at `position`: data sheets, table "Mechanical characteristics".
  private func accelerometerNoise(position: Int) -> Double {
    switch self {
    case .mpu6050: return 400e-6
    case .mpu6500, .mpu9250, .mpu9255: return 300e-6
    case .icm20689: return 150e-6
    case .lsm6ds3, .lsm6ds33: return 90e-6
    case .lsm6dsl, .lsm6dsm, .lsm6ds3trc: return [90e-6, 90e-6, 90e-6, 130e-6][position]
    case .lsm6dso32: return [120e-6, 130e-6, 160e-6, 220e-6][position]
    case .lsm6dso, .lsm6dsox, .lsm6dsr: return [70e-6, 75e-6, 80e-6, 110e-6][position]
    }
  }

  /// The gyroscope's noise in °/s/√Hz.
  var gyroscopeNoise: Double {
    switch self {
    case .mpu6050: return 0.005
    case .mpu6500, .mpu9250, .mpu9255: return 0.01
    case .icm20689: return 0.006
    case .lsm6ds3, .lsm6ds33: return 0.007
    case .lsm6dsl, .lsm6dsm, .lsm6ds3trc, .lsm6dsr: return 0.005
    case .lsm6dso, .lsm6dsox, .lsm6dso32: return 0.0038
    }
  }

  /// The noise of the accelerometer in one of its ranges; traps when it is none.
  func accelerometerNoise(range: Int, bandwidth: Double) -> NoisyAxes {
    guard let scale = accelerometerScale(range: range) else {
      preconditionFailure("no range of the chip")
    }
    let position = accelerometerRanges.position(of: range)
    return NoisyAxes(
      density: accelerometerNoise(position: position), bandwidth: bandwidth, scale: scale.value)
  }

  /// The noise of the gyroscope in one of its ranges; traps when it is none.
  func gyroscopeNoise(range: Int, bandwidth: Double) -> NoisyAxes {
    guard let scale = gyroscopeScale(range: range) else {
      preconditionFailure("no range of the chip")
    }
    return NoisyAxes(density: gyroscopeNoise, bandwidth: bandwidth, scale: scale.value)
  }
}
