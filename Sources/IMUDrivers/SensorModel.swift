public import IMUModel

/// The two register maps that this module knows.
public enum SensorFamily: Sendable, CaseIterable {
  /// InvenSense MPU-6050 and its successors: big-endian, acceleration first, shadow registers.
  case mpu6050
  /// ST LSM6DS: little-endian, temperature and angular rate first, no shadow registers.
  case lsm6ds

  /// Where a chip of this family can be, by its address pin low or high.
  public var addresses: [I2CAddress] {
    switch self {
    case .mpu6050: return [I2CAddress(known: 0x68), I2CAddress(known: 0x69)]
    case .lsm6ds: return [I2CAddress(known: 0x6A), I2CAddress(known: 0x6B)]
    }
  }

  /// The register that says which chip it is.
  public var identityRegister: Register {
    switch self {
    case .mpu6050: return MPU6050Register.identity
    case .lsm6ds: return LSM6DSRegister.identity
    }
  }

  /// Bytes in the burst that reads one sample, status included, and what proves the configuration.
  public var burstByteCount: Int {
    switch self {
    case .mpu6050: return 18
    case .lsm6ds: return 16
    }
  }

  /// The register with number `address`, by its name in the data sheet.
  func register(_ address: UInt8) -> Register {
    let map: [Register]
    switch self {
    case .mpu6050: map = MPU6050Register.all
    case .lsm6ds: map = LSM6DSRegister.all
    }
    return map.first { $0.address == address } ?? Register(address, "register")
  }
}

/// The chips that this module knows. Raw values are the names used on the command line.
public enum SensorModel: String, CaseIterable, Sendable {
  /// MPU-6050; MPU-6000 and the motion half of MPU-9150 are the same.
  case mpu6050
  /// MPU-6500.
  case mpu6500
  /// MPU-9250, without its magnetometer.
  case mpu9250
  /// MPU-9255, without its magnetometer.
  case mpu9255
  /// ICM-20689; also what many modules sold as MPU-6050 carry.
  case icm20689
  /// LSM6DS3.
  case lsm6ds3
  /// LSM6DS33.
  case lsm6ds33
  /// LSM6DSL.
  case lsm6dsl
  /// LSM6DSM.
  case lsm6dsm
  /// LSM6DS3TR-C: in spite of its name of the LSM6DSL's generation.
  case lsm6ds3trc = "lsm6ds3tr-c"
  /// LSM6DSO.
  case lsm6dso
  /// LSM6DSOX.
  case lsm6dsox
  /// LSM6DSO32: answers like an LSM6DSO, measures twice the range. It must be declared.
  case lsm6dso32
  /// LSM6DSR.
  case lsm6dsr

  /// Its register map.
  public var family: SensorFamily {
    switch self {
    case .mpu6050, .mpu6500, .mpu9250, .mpu9255, .icm20689: return .mpu6050
    case .lsm6ds3, .lsm6ds33, .lsm6dsl, .lsm6dsm, .lsm6ds3trc, .lsm6dso, .lsm6dsox, .lsm6dso32,
      .lsm6dsr:
      return .lsm6ds
    }
  }

  /// What its identity register holds.
  public var identity: UInt8 {
    switch self {
    case .mpu6050: return 0x68
    case .mpu6500: return 0x70
    case .mpu9250: return 0x71
    case .mpu9255: return 0x73
    case .icm20689: return 0x98
    case .lsm6ds3, .lsm6ds33: return 0x69
    case .lsm6dsl, .lsm6dsm, .lsm6ds3trc: return 0x6A
    case .lsm6dsr: return 0x6B
    case .lsm6dso, .lsm6dsox, .lsm6dso32: return 0x6C
    }
  }

  /// The name as its maker writes it.
  public var name: String {
    switch self {
    case .mpu6050: return "MPU-6050"
    case .mpu6500: return "MPU-6500"
    case .mpu9250: return "MPU-9250"
    case .mpu9255: return "MPU-9255"
    case .icm20689: return "ICM-20689"
    default: return rawValue.uppercased()
    }
  }

  /// Where it can be on a bus.
  public var addresses: [I2CAddress] { family.addresses }

  /// The fastest bus clock it takes, in hertz.
  ///
  /// 400 kHz; the LSM6DSR's data sheet (table 6) adds fast mode plus.
  public var maximumBusClock: Int { self == .lsm6dsr ? 1_000_000 : 400_000 }

  /// The highest rate at which it is polled, in hertz.
  ///
  /// The MPU-6050 family's accelerometer gives 1000 samples a second. An LSM6DS polled faster would
  /// need a data rate whose samples pass faster than a burst can read one at 400 kHz.
  public var maximumPolledRate: Int { 1000 }

  /// The model taken for a chip of `family` that answers `identity`: the first of those that answer
  /// so.
  static func assumed(identity: UInt8, family: SensorFamily) -> SensorModel? {
    allCases.first { $0.family == family && $0.identity == identity }
  }
}
