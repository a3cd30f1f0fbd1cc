public import I2C

/// Which chip is where.
public struct SensorIdentity: Equatable, Sendable {
  /// The model it is driven as.
  public let model: SensorModel
  /// Its address.
  public let address: I2CAddress
  /// What its identity register held; another value than the model's when the model was forced.
  public let identity: UInt8

  /// A chip that is known to be there; `identity` is the model's own unless given.
  public init(model: SensorModel, address: I2CAddress, identity: UInt8? = nil) {
    self.model = model
    self.address = address
    self.identity = identity ?? model.identity
  }

  /// The other models that answer the same and would be driven differently or named differently.
  ///
  /// Of these the LSM6DSO32 matters: taken for an LSM6DSO, it would be recorded with half of what
  /// it measures.
  public var alternatives: [SensorModel] {
    SensorModel.allCases.filter {
      $0 != model && $0.family == model.family && $0.identity == identity
    }
  }

  /// Finds the sensor on a bus by reading identity registers; nothing is written to any chip.
  ///
  /// Clocks and other chips live at these addresses too, so one register is read a chip and no
  /// other address is touched. Reads 0x75 at 0x68 and 0x69, 0x0F at 0x6A and 0x6B.
  ///
  /// - Parameters:
  ///   - bus: The bus.
  ///   - addresses: Addresses to ask, in this order; others than the four are passed over.
  ///   - forced: Take the chip for this model. One that answers as the model does is preferred,
  ///     else the first that answers at all.
  /// - Throws: ``SensorError/notFound(_:)`` with what each address gave.
  public static func identify<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus, addresses: [I2CAddress] = SensorFamily.allCases.flatMap(\.addresses),
    forced: SensorModel? = nil
  ) throws(SensorError) -> SensorIdentity {
    var findings: [ProbeFinding] = []
    for address in addresses {
      guard let family = SensorFamily.allCases.first(where: { $0.addresses.contains(address) }),
        forced.map({ $0.family == family }) ?? true
      else { continue }
      let finding = probe(&bus, address, family)
      findings.append(finding)
      guard case .success(let identity) = finding.result else { continue }
      if let forced {
        guard identity == forced.identity else { continue }
        return SensorIdentity(model: forced, address: address, identity: identity)
      }
      if let model = SensorModel.assumed(identity: identity, family: family) {
        return SensorIdentity(model: model, address: address, identity: identity)
      }
    }
    guard let forced else { throw SensorError.notFound(findings) }
    for finding in findings {
      guard case .success(let identity) = finding.result else { continue }
      return SensorIdentity(model: forced, address: finding.address, identity: identity)
    }
    throw SensorError.notFound(findings)
  }

  private static func probe<Bus: I2CBus & ~Copyable>(
    _ bus: inout Bus, _ address: I2CAddress, _ family: SensorFamily
  ) -> ProbeFinding {
    let register = family.identityRegister.address
    do throws(BusError) {
      let identity = try bus.readBurstPatiently(address, register: register, count: 1)[0]
      return ProbeFinding(address: address, family: family, result: .success(identity))
    } catch {
      return ProbeFinding(address: address, family: family, result: .failure(error))
    }
  }
}
