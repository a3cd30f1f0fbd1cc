public import IMUModel

/// Which sensor of a bus is wanted.
public struct SensorChoice: Equatable, Sendable {
  /// The chip is to be driven as this model; `nil` for whichever is found.
  public var model: SensorModel?
  /// It is at this address; `nil` for wherever it is found first.
  public var address: I2CAddress?

  /// A choice; the first sensor that is found when nothing is given.
  public init(model: SensorModel? = nil, address: I2CAddress? = nil) {
    self.model = model
    self.address = address
  }

  /// Where such a sensor can be.
  public var addresses: [I2CAddress] {
    (model?.addresses ?? SensorFamily.allAddresses).filter { address == nil || $0 == address }
  }
}

/// Which chip is where.
public struct SensorIdentity: Equatable, Sendable {
  /// The model it is driven as.
  public let model: SensorModel
  /// Its address.
  public let address: I2CAddress
  /// What its identity register held; another value than the model's when the model was forced.
  public let identity: UInt8
  /// Sensors on the same bus that could have been meant too.
  public private(set) var others: [SensorIdentity] = []

  /// A chip that is known to be there; `identity` is the model's own unless given.
  public init(model: SensorModel, address: I2CAddress, identity: UInt8? = nil) {
    self.model = model
    self.address = address
    self.identity = identity ?? model.identity
  }

  /// The other models that answer the same and would be driven differently or named differently.
  ///
  /// The LSM6DSO32 and LSM6DSV32X matter most: recorded as an LSM6DSO or LSM6DSV, their acceleration would be
  /// halved.
  public var alternatives: [SensorModel] {
    SensorModel.allCases.filter {
      $0 != model && $0.family == model.family && $0.identity == identity
    }
  }
}

extension SensorIdentity {
  /// Finds the sensor on a bus by reading identity registers; writes nothing to any chip.
  ///
  /// At each address, asks for the identity register of each family that can be there, until one of them answers as
  /// a chip of that family does. Clocks and other chips live at these addresses too; no other register is read, and
  /// no other address.
  ///
  /// - Parameters:
  ///   - bus: The bus.
  ///   - addresses: Addresses to ask, in this order; those at which no such chip can be are passed over.
  ///   - choice: What is wanted. A chip that answers as the wanted model does is preferred; else the
  ///     first one is taken for it that answers as no chip known here does.
  /// - Throws: ``SensorError/notFound(_:)`` with what each address gave;
  ///   ``SensorError/otherModel(_:found:)`` when the chip says that it is another known one.
  public static func identify<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus, addresses: [I2CAddress] = SensorFamily.allAddresses,
    choice: SensorChoice = SensorChoice()
  ) throws(SensorError) -> SensorIdentity {
    let wanted = choice.addresses
    let meant = addresses.filter { wanted.contains($0) }
    let findings = meant.flatMap { probe(&bus, $0) }
    let sensors = findings.compactMap(\.sensor)
    guard let model = choice.model else {
      guard var found = sensors.first else { throw SensorError.notFound(findings) }
      found.others = Array(sensors.dropFirst())
      return found
    }
    func answers(_ sensor: SensorIdentity) -> Bool {
      sensor.model.family == model.family && sensor.identity == model.identity
    }
    if var found = sensors.first(where: answers) {
      let others = sensors.filter { answers($0) && $0 != found }
      found = SensorIdentity(model: model, address: found.address)
      found.others = others
      return found
    }
    for finding in findings where finding.isUnknownChip {
      guard finding.register == model.family.identityRegister,
        case .success(let identity) = finding.result
      else { continue }
      return SensorIdentity(model: model, address: finding.address, identity: identity)
    }
    // Only for the sentence: what is there instead.
    let elsewhere = addresses.filter { !meant.contains($0) }.flatMap { probe(&bus, $0) }
    if let other = sensors.first ?? elsewhere.compactMap(\.sensor).first {
      throw SensorError.otherModel(choice, found: other)
    }
    throw SensorError.notFound(findings)
  }

  /// What the identity registers of the families at `address` hold, each register read once.
  private static func probe<Bus: I2CBus & ~Copyable>(
    _ bus: inout Bus, _ address: I2CAddress
  ) -> [ProbeFinding] {
    var findings: [ProbeFinding] = []
    for family in SensorFamily.all where family.addresses.contains(address) {
      let register = family.identityRegister
      if findings.contains(where: { $0.register == register }) { continue }
      do throws(BusError) {
        let identity = try bus.readBurstPatiently(address, register: register.address, count: 1)[0]
        findings.append(
          ProbeFinding(address: address, register: register, result: .success(identity)))
      } catch {
        findings.append(ProbeFinding(address: address, register: register, result: .failure(error)))
      }
      // A chip that is known, or none at all: no reason to ask for another register.
      guard let last = findings.last, last.isUnknownChip else { break }
    }
    return findings
  }
}

/// What one address gave when it was asked for one register.
public struct ProbeFinding: Equatable, Sendable {
  /// The address asked.
  public let address: I2CAddress
  /// The identity register that was read.
  public let register: Register
  /// What the register held, or why it could not be read.
  public let result: Result<UInt8, BusError>

  /// The families that have their identity there.
  private var families: [SensorFamily] {
    SensorFamily.all.filter {
      $0.identityRegister == register && $0.addresses.contains(address)
    }
  }

  /// The models that answer so.
  private var models: [SensorModel] {
    guard case .success(let identity) = result else { return [] }
    let families = families
    return SensorModel.allCases.filter { $0.identity == identity && families.contains($0.family) }
  }

  /// The sensor that answered; `nil` when it was no chip that this module can drive unasked.
  var sensor: SensorIdentity? {
    models.first.map { SensorIdentity(model: $0, address: address, identity: $0.identity) }
  }

  /// Whether a chip answered, and not a wire, whose identity none of the models has.
  var isUnknownChip: Bool {
    guard case .success(let identity) = result else { return false }
    return identity != 0x00 && identity != 0xFF && models.isEmpty
  }
}

extension ProbeFinding: CustomStringConvertible {
  /// Such as `0x68: no chip acknowledged` or `0x6a: WHO_AM_I (0x0f) reads 0x71, as LSM6DSV16BX does, which is not
  /// supported`.
  public var description: String {
    switch result {
    case .failure(let error):
      return "\(address): \(error.kind.meaning)\(error.errno == 0 ? "" : " (errno \(error.errno))")"
    case .success(let identity):
      return "\(address): \(register) reads \(hexadecimal(identity)), \(meaning(of: identity))"
    }
  }

  /// Which chips answer so, those included that this module cannot drive.
  private func meaning(of identity: UInt8) -> String {
    let known = models
    if !known.isEmpty { return "as \(known.map(\.name).joined(separator: ", ")) does" }
    if identity == 0x00 { return "which is a line held low and no chip" }
    if identity == 0xFF { return "which is a line that nothing drives and no chip" }
    for family in families {
      if let name = family.unsupported[identity] { return "as \(name), which is not supported" }
    }
    return "as no chip known here does"
  }
}
