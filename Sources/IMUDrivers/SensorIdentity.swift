// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Which sensor on a bus to use.
public struct SensorChoice: Equatable, Sendable {
  /// The model that the chip is driven as; `nil` for whichever is found.
  public var model: SensorModel?
  /// Its address; `nil` for the first at which a sensor is found.
  public var address: I2CAddress?

  /// A choice; the first sensor that is found when nothing is given.
  public init(model: SensorModel? = nil, address: I2CAddress? = nil) {
    (self.model, self.address) = (model, address)
  }

  /// The addresses that such a sensor can have.
  public var addresses: [I2CAddress] {
    (model?.addresses ?? SensorFamily.allAddresses).filter { address == nil || $0 == address }
  }
}

extension SensorChoice {
  /// Reads `auto` or a model's name, and after an `@` an address that it can have, such as `0x69`; `nil` for another text.
  public init?(_ text: String) {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].lowercased()
    self.init(model: SensorModel.named(name))
    guard name == "auto" || model != nil else { return nil }
    guard parts.count == 2 else { return }
    let digits = parts[1].hasPrefix("0x") ? parts[1].dropFirst(2) : parts[1]
    guard let given = UInt8(digits, radix: 16).flatMap({ I2CAddress($0) }),
      addresses.contains(given)
    else { return nil }
    address = given
  }

  /// What ``init(_:)`` reads, as a clause.
  public static var accepts: String {
    let names = SensorModel.allCases.map(\.rawValue).joined(separator: ", ")
    return "give auto or one of \(names); its address may follow, as in mpu6050@0x69"
  }
}

/// Which chip is where.
public struct SensorIdentity: Equatable, Sendable {
  /// The model it is driven as.
  public let model: SensorModel
  /// Its address.
  public let address: I2CAddress
  /// The contents of its identity register; not the model's when the model was forced.
  public let identity: UInt8
  /// Other sensors on the same bus that match the choice.
  public private(set) var others: [SensorIdentity] = []

  /// A chip that is known to be there; `identity` is the model's own unless given.
  public init(model: SensorModel, address: I2CAddress, identity: UInt8? = nil) {
    (self.model, self.address, self.identity) = (model, address, identity ?? model.identity)
  }

  /// The other models with the same identity. Recorded as an LSM6DSO or LSM6DSV, an LSM6DSO32 or LSM6DSV32X would have
  /// half its acceleration.
  public var alternatives: [SensorModel] {
    SensorModel.allCases.filter {
      $0 != model && $0.family == model.family && $0.identity == identity
    }
  }

  /// Finds the sensor on a bus; writes nothing to any chip.
  ///
  /// At each address, in the given order, reads the identity registers of the families that can be there, until a chip of
  /// that family answers. Clocks and other chips have these addresses too, so nothing else is read. A chip with the wanted
  /// model's identity is preferred; otherwise the first chip with an unknown identity is driven as that model.
  ///
  /// - Throws: ``SensorError/notFound(_:)`` with the finding at each address, or a refusal when the chip identifies itself
  ///   as another known one.
  public static func identify<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus, addresses: [I2CAddress] = SensorFamily.allAddresses,
    choice: SensorChoice = SensorChoice()
  ) throws(SensorError) -> SensorIdentity {
    let wanted = choice.addresses
    let meant = addresses.filter { wanted.contains($0) }
    let findings = meant.flatMap { probe(&bus, $0) }
    let sensors = findings.compactMap(\.sensor)
    guard let model = choice.model else {
      guard var found = sensors.first else { throw SensorError.notFound(telling(findings)) }
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
    // Only for the error's sentence: the chips that are there instead.
    let elsewhere = addresses.filter { !meant.contains($0) }.flatMap { probe(&bus, $0) }
    if let other = sensors.first ?? elsewhere.compactMap(\.sensor).first {
      throw SensorError.refused(
        "no \(model.name) was found\(choice.address.map { " at \($0)" } ?? ""): the chip at "
          + "\(other.address) identifies itself as an \(other.model.name) "
          + "(\(model.family.identityRegister) reads \(hexadecimal(other.identity))); give --sensor "
          + "\(other.model.rawValue) or auto to record it", .unavailable)
    }
    throw SensorError.notFound(telling(findings))
  }

  /// One finding of each address: an unknown chip's, else the first.
  private static func telling(_ findings: [ProbeResult]) -> [ProbeResult] {
    findings.reduce(into: []) { told, finding in
      guard let last = told.last, last.address == finding.address else {
        return told.append(finding)
      }
      if finding.isUnknownChip, !last.isUnknownChip { told[told.count - 1] = finding }
    }
  }

  /// The contents of the identity registers of the families at `address`, each register read once.
  private static func probe<Bus: I2CBus & ~Copyable>(
    _ bus: inout Bus, _ address: I2CAddress
  ) -> [ProbeResult] {
    var findings: [ProbeResult] = []
    for family in SensorFamily.all where family.addresses.contains(address) {
      let register = family.identityRegister
      if findings.contains(where: { $0.register == register }) { continue }
      let result: Result<UInt8, BusError>
      do throws(BusError) {
        result = .success(
          try bus.readBurstPatiently(address, register: register.address, count: 1)[0])
      } catch {
        result = .failure(error)
      }
      let finding = ProbeResult(address: address, register: register, result: result)
      findings.append(finding)
      // A known chip, or none that answers: no reason to read another register.
      guard finding.sensor == nil, case .success = result else { break }
    }
    return findings
  }
}

/// The result of reading one identity register at one address.
public struct ProbeResult: Equatable, Sendable, CustomStringConvertible {
  /// The address read.
  public let address: I2CAddress
  /// The identity register that was read.
  public let register: Register
  /// The contents of the register, or why it could not be read.
  public let result: Result<UInt8, BusError>

  /// Whether a family has its identity register there.
  private func isHere(_ family: SensorFamily) -> Bool {
    family.identityRegister == register && family.addresses.contains(address)
  }

  /// The models with this identity.
  private var models: [SensorModel] {
    guard case .success(let identity) = result else { return [] }
    return SensorModel.allCases.filter { $0.identity == identity && isHere($0.family) }
  }

  /// The sensor that answered, as the first model with its identity; `nil` when no model has it.
  var sensor: SensorIdentity? {
    models.first.map { SensorIdentity(model: $0, address: address, identity: $0.identity) }
  }

  /// Whether a chip, not an idle line, answered with an identity that no model has.
  public var isUnknownChip: Bool {
    guard case .success(let identity) = result else { return false }
    return identity != 0x00 && identity != 0xFF && models.isEmpty
  }

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

  /// The chips with this identity, including those that this module cannot drive.
  private func meaning(of identity: UInt8) -> String {
    let known = models
    if !known.isEmpty { return "as \(known.map(\.name).joined(separator: ", ")) does" }
    if identity == 0x00 { return "which is a line held low and no chip" }
    if identity == 0xFF { return "which is a line that nothing drives and no chip" }
    let unsupported = SensorFamily.all.lazy.filter(isHere).compactMap { $0.unsupported[identity] }
    return unsupported.first.map { "as \($0), which is not supported" } ?? "as no known chip does"
  }
}
