public import IMUModel

/// What one address gave when it was asked for its identity.
public struct ProbeFinding: Equatable, Sendable {
  /// The address asked.
  public let address: I2CAddress
  /// The family whose identity register was read.
  public let family: SensorFamily
  /// What the register held, or why it could not be read.
  public let result: Result<UInt8, BusError>

  /// One answer.
  public init(address: I2CAddress, family: SensorFamily, result: Result<UInt8, BusError>) {
    self.address = address
    self.family = family
    self.result = result
  }
}

extension ProbeFinding {
  /// The sensor that answered; `nil` when it was no chip that this module can drive unasked.
  var sensor: SensorIdentity? {
    guard case .success(let identity) = result,
      let model = SensorModel.assumed(identity: identity, family: family)
    else { return nil }
    return SensorIdentity(model: model, address: address, identity: identity)
  }

  /// Whether a chip answered, and not a wire, whose identity none of the models has.
  var isUnknownChip: Bool {
    guard case .success(let identity) = result else { return false }
    return identity != 0x00 && identity != 0xFF && sensor == nil
  }
}

extension ProbeFinding: CustomStringConvertible {
  /// Such as `0x68: no chip acknowledged` or `0x6a: WHO_AM_I (0x0f) reads 0x70, as LSM6DSV does`.
  public var description: String {
    switch result {
    case .failure(let error):
      return "\(address): \(error.kind.meaning)\(error.errno == 0 ? "" : " (errno \(error.errno))")"
    case .success(let identity):
      let register = family.identityRegister
      return "\(address): \(register) reads \(hexadecimal(identity)), "
        + ProbeFinding.meaning(of: identity, family: family)
    }
  }

  /// Which chips answer so, those included that this module cannot drive.
  private static func meaning(of identity: UInt8, family: SensorFamily) -> String {
    let known = SensorModel.allCases.filter { $0.family == family && $0.identity == identity }
    if !known.isEmpty { return "as \(known.map(\.name).joined(separator: ", ")) does" }
    switch (family, identity) {
    case (_, 0x00): return "which is a line held low and no chip"
    case (_, 0xFF): return "which is a line that nothing drives and no chip"
    case (.mpu6050, 0x74): return "as MPU-6515 does, which is not supported"
    case (.mpu6050, 0x78): return "as MPU-6880 does, which is not supported"
    case (.mpu6050, 0xAE), (.mpu6050, 0xAF): return "as ICM-20608 does, which is not supported"
    case (.mpu6050, 0xA6): return "as ICM-20609 does, which is not supported"
    case (.mpu6050, 0xA9): return "as IAM-20680 does, which is not supported"
    case (.mpu6050, 0x11): return "as ICM-20600 does, which is not supported"
    case (.mpu6050, 0x12): return "as ICM-20602 does, which is not supported"
    case (.mpu6050, 0x20): return "as ICM-20690 does, which is not supported"
    case (.lsm6ds, 0x70): return "as LSM6DSV and LSM6DSV16X do, whose registers differ"
    case (.lsm6ds, 0x68): return "as LSM9DS1 and LSM6DS0 do, whose registers differ"
    default: return "as no chip known here does"
    }
  }
}
