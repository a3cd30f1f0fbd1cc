/// What differs between the generations of the LSM6DS family, apart from scales.
enum LSM6DSGeneration {
  /// LSM6DS3, LSM6DS33.
  case ds3
  /// LSM6DSL, LSM6DSM, LSM6DS3TR-C.
  case dsl
  /// LSM6DSO, LSM6DSOX, LSM6DSO32, LSM6DSR.
  case dso

  init(_ model: SensorModel) {
    switch model.identity {
    case 0x69: self = .ds3
    case 0x6A: self = .dsl
    default: self = .dso
    }
  }

  /// Whether the chip can leave I2C for I3C, and must be kept from it.
  var hasI3C: Bool { self == .dso }
}

/// A setting of the accelerometer's filters.
struct LSM6DSAccelerometerFilter {
  /// In the data sheet's words.
  let name: String
  /// In hertz.
  let bandwidth: Double
  /// Samples until the output is within 1 %.
  let settlingSamples: Int
  /// Bits of CTRL1_XL, CTRL4_C and CTRL8_XL.
  var control1: UInt8 = 0
  var control4: UInt8 = 0
  var control8: UInt8 = 0
}

/// A setting of the gyroscope's filter.
struct LSM6DSGyroscopeFilter {
  /// In the data sheet's words.
  let name: String
  /// In hertz; `nil` where the data sheet gives none.
  let bandwidth: Double?
  /// Samples until the output is within 1 %, from the end of the gyroscope's turn-on.
  let settlingSamples: Int
  /// Bits of CTRL4_C and CTRL6_C.
  var control4: UInt8 = 0
  var control6: UInt8 = 0
}

extension LSM6DSGeneration {
  /// Filters of the accelerometer at `dataRate`, widest first; at least one.
  ///
  /// Settling: AN5130 tables 9 and 13 (LSM6DSL generation: 15, 40, 80 and 320 samples for ODR/9,
  /// 50, 100 and 400), which is 0.8 periods of the bandwidth; by that the LSM6DSO's are reckoned.
  func accelerometerFilters(_ dataRate: DataRate) -> [LSM6DSAccelerometerFilter] {
    let hertz = dataRate.hertz
    let half = LSM6DSAccelerometerFilter(
      name: "ODR/2", bandwidth: hertz / 2, settlingSamples: dataRate.code == 8 ? 2 : 1)
    switch self {
    case .ds3:
      // BW_XL with XL_BW_SCAL_ODR: the analogue filter. Below 104 Hz none is narrow enough.
      let bandwidths: [Double] = [400, 200, 100, 50]
      let fitting = bandwidths.enumerated().filter { $0.element <= max(50, hertz / 2) }
      return fitting.map { code, bandwidth in
        LSM6DSAccelerometerFilter(
          name: "BW_XL \(code)", bandwidth: bandwidth,
          settlingSamples: max(2, (0.8 * hertz / bandwidth).roundedUp),
          control1: UInt8(code), control4: 0x80)
      }
    case .dsl:
      let quarter = LSM6DSAccelerometerFilter(
        name: "LPF1 ODR/4", bandwidth: hertz / 4, settlingSamples: 2, control1: 0x02)
      // Divisor, HPCF_XL, samples. INPUT_COMPOSITE for the low-noise path.
      let second: [(Int, UInt8, Int)] = [(9, 2, 15), (50, 0, 40), (100, 1, 80), (400, 3, 320)]
      return [half, quarter]
        + second.map { divisor, code, samples in
          LSM6DSAccelerometerFilter(
            name: "LPF2 ODR/\(divisor)", bandwidth: hertz / Double(divisor),
            settlingSamples: samples, control8: 0x88 | code << 5)
        }
    case .dso:
      let divisors = [4, 10, 20, 45, 100, 200, 400, 800]
      return [half]
        + divisors.enumerated().map { code, divisor in
          LSM6DSAccelerometerFilter(
            name: "LPF2 ODR/\(divisor)", bandwidth: hertz / Double(divisor),
            settlingSamples: max(2, (4 * divisor + 4) / 5), control1: 0x02,
            control8: UInt8(code) << 5)
        }
    }
  }

  /// Filters of the gyroscope at `dataRate`, widest first; at least one.
  ///
  /// Bandwidths: LSM6DSO data sheet table "Gyroscope LPF1 bandwidth selection"; LSM6DSL data sheet,
  /// CTRL6_C. Settling: AN5130 table 15 and 0.8 periods of the bandwidth, whichever is longer.
  func gyroscopeFilters(_ dataRate: DataRate) -> [LSM6DSGyroscopeFilter] {
    let hertz = dataRate.hertz
    let bandwidths: [Double]
    switch (self, dataRate.code) {
    case (.dsl, 5): bandwidths = [67, 67, 67, 67]
    case (.dsl, 6): bandwidths = [138, 131, 121, 138]
    case (.dsl, 7): bandwidths = [245, 195, 155, 293]
    case (.dsl, 8): bandwidths = [315, 224, 168, 505]
    case (.dso, 5): bandwidths = [67, 67, 67, 67, 62.4, 43.2, 23.1, 12.2]
    case (.dso, 6): bandwidths = [136.6, 130.5, 120.3, 137.1, 86.7, 48, 24.6, 12.4]
    case (.dso, 7): bandwidths = [239.2, 192.4, 154.2, 281.8, 96.6, 49.4, 25, 12.5]
    case (.dso, 8): bandwidths = [304.2, 220.7, 166.6, 453.2, 99.6, 49.8, 25.1, 12.5]
    default:
      let samples = [2, 3, 3, 3, 3, 3, 3, 135][Int(dataRate.code) - 1]
      return [
        LSM6DSGyroscopeFilter(name: "LPF1 off", bandwidth: nil, settlingSamples: samples)
      ]
    }
    let table = [2, 3, 3, 4, 5, 6, 9, 135][Int(dataRate.code) - 1]
    let widestFirst = bandwidths.enumerated().sorted { $0.element > $1.element }
    return widestFirst.map { code, bandwidth in
      LSM6DSGyroscopeFilter(
        name: "LPF1 FTYPE \(code)", bandwidth: bandwidth,
        settlingSamples: max(table, (0.8 * hertz / bandwidth).roundedUp),
        control4: 0x02, control6: UInt8(code))
    }
  }
}
