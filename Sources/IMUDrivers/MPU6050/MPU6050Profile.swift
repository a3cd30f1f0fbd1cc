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

  /// The widest filter that keeps out what a recording at `rate` hertz would fold, else the
  /// narrowest.
  ///
  /// "Keeps out" means a bandwidth of about half the rate: 10 % more is let pass, so that the 21 Hz
  /// filter serves a recording at 40 Hz.
  static func choose(_ filters: [Filter], rate: Double) -> Filter {
    let fitting = filters.first { $0.bandwidth <= 0.55 * rate }
    return fitting ?? filters[filters.count - 1]
  }

  /// Codes 1, 2, 3 … with these bandwidths.
  private static func codes(_ bandwidths: [Double]) -> [Filter] {
    bandwidths.enumerated().map { (UInt8($0.offset + 1), $0.element) }
  }
}
