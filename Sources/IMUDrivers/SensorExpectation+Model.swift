// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The figures of a data sheet that say how good a chip is.
private struct ChipFigures {
  /// Typical zero-g level of X, Y and Z in g.
  let zeroG: SIMD3<Double>
  /// Typical zero-rate level in °/s.
  let zeroRate: Double
  /// Of the output data rate.
  let rate: SensorExpectation.Tolerance
  /// Whether the data sheet gives the densities of noise.
  var hasNoise = true
  /// About chips with this identity.
  var remark = ""
}

extension ChipFigures {
  /// PLL on the gyroscope: ±1 % over temperature (PS-MPU-6000A 7.15); the internal oscillator as the fallback, ±5 %.
  private static let pll = SensorExpectation.Tolerance(usual: 0.01, largest: 0.05)
  /// ST's data sheets state none. The program follows a chip that is up to 10 % off.
  private static let ring = SensorExpectation.Tolerance(usual: 0.05, largest: 0.1)

  init(_ model: SensorModel) {
    func st(_ zeroG: Double, _ zeroRate: Double, hasNoise: Bool = true) -> ChipFigures {
      ChipFigures(
        zeroG: SIMD3(repeating: zeroG), zeroRate: zeroRate, rate: ChipFigures.ring,
        hasNoise: hasNoise)
    }
    switch model {
    case .mpu6050:
      // PS-MPU-6000A 6.2: ±50 mg X and Y, ±80 mg Z; 6.1: ±20 °/s.
      self.init(zeroG: SIMD3(0.05, 0.05, 0.08), zeroRate: 20, rate: ChipFigures.pll)
    case .mpu6500, .mpu9250, .mpu9255, .icm20689:
      // PS-MPU-9250A 1.1, tables 1 and 2: ±60 mg X and Y, ±80 mg Z, ±5 °/s; assumed for the others.
      self.init(
        zeroG: SIMD3(0.06, 0.06, 0.08), zeroRate: 5, rate: ChipFigures.pll,
        remark: model == .icm20689 || model == .mpu6500
          ? "which boards sold as MPU-6050 have too" : "")
    case .icm20948:
      // DS-000189, tables 1 and 2: ±50 mg on a board, ±5 °/s. The clock's deviation differs from part to part (4.14), and
      // TIMEBASE_CORRECTION_PLL can state 10 %.
      self.init(zeroG: SIMD3(repeating: 0.05), zeroRate: 5, rate: ChipFigures.ring)
    case .lsm6ds3, .lsm6ds33:
      // DocID026899, table 3: ±40 mg, ±10 °/s.
      self = st(0.04, 10)
    case .lsm6dsl, .lsm6dsm, .lsm6ds3trc:
      // DocID030071, table 3: ±40 mg, ±3 °/s.
      self = st(0.04, 3)
    case .lsm9ds1:
      // DocID025715, table 3: ±90 mg, ±30 °/s; no density of noise.
      self = st(0.09, 30, hasNoise: false)
    default:
      // LSM6DSO (DS12140, table 2) and relatives: ±20 mg, ±1 °/s; LSM6DSV16X, table 3: ±12 mg, ±1 °/s.
      self = st(model.family == .lsm6dsv ? 0.012 : 0.02, 1)
    }
  }
}

extension SensorModel {
  /// The typical zero-rate level of its gyroscope by the data sheet, in °/s.
  public var zeroRate: Double { ChipFigures(self).zeroRate }
}

extension SensorExpectation {
  /// The expectation of an identified chip as it is set up.
  init(_ chip: SensorIdentity, _ configuration: SensorConfiguration, _ settings: ChipSettings) {
    let model = chip.model
    let figures = ChipFigures(model)
    self.init(
      identity: model.identity, maximumBusClock: model.maximumBusClock,
      zeroG: (figures.zeroG * figures.zeroG).sum().squareRoot(), zeroRate: figures.zeroRate,
      rateTolerance: figures.rate)
    let others = chip.alternatives.map(\.name).joined(separator: ", ")
    remark = others.isEmpty ? figures.remark : "or \(others), which answer the same"
    busClock = configuration.busClock
    let image = settings.image
    registers = (0..<image.count).map {
      RegisterContent(register: image[$0].register, value: image[$0].value)
    }
    isPlayed = !configuration.hasNoise
    let ranges = configuration.ranges(of: model)
    acceleration = Noise(
      density: ranges.accelerometer.noise, bandwidth: settings.bandwidths.accelerometer,
      isPublished: figures.hasNoise)
    angularRate = settings.bandwidths.gyroscope.map {
      Noise(density: ranges.gyroscope.noise, bandwidth: $0, isPublished: figures.hasNoise)
    }
  }
}
