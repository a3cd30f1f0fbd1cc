public import IMUModel

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
  ///   - choice: What is wanted. A chip that answers as the wanted model does is preferred; else the
  ///     first one is taken for it that answers as no chip known here does.
  /// - Throws: ``SensorError/notFound(_:)`` with what each address gave;
  ///   ``SensorError/otherModel(_:found:)`` when the chip says that it is another known one.
  public static func identify<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus, addresses: [I2CAddress] = SensorFamily.allCases.flatMap(\.addresses),
    choice: SensorChoice = SensorChoice()
  ) throws(SensorError) -> SensorIdentity {
    let meant = addresses.filter { choice.mayBe(at: $0) }
    let findings = meant.compactMap { probe(&bus, $0) }
    let sensors = findings.compactMap(\.sensor)
    guard let model = choice.model else {
      guard var found = sensors.first else { throw SensorError.notFound(findings) }
      found.others = Array(sensors.dropFirst())
      return found
    }
    if var found = sensors.first(where: { $0.identity == model.identity }) {
      let others = sensors.filter { $0.identity == model.identity && $0 != found }
      found = SensorIdentity(model: model, address: found.address)
      found.others = others
      return found
    }
    for finding in findings where finding.isUnknownChip {
      guard case .success(let identity) = finding.result else { continue }
      return SensorIdentity(model: model, address: finding.address, identity: identity)
    }
    // Only for the sentence: what is there instead.
    let elsewhere = addresses.filter { !meant.contains($0) }.compactMap { probe(&bus, $0) }
    if let other = sensors.first ?? elsewhere.compactMap(\.sensor).first {
      throw SensorError.otherModel(choice, found: other)
    }
    throw SensorError.notFound(findings)
  }

  private static func probe<Bus: I2CBus & ~Copyable>(
    _ bus: inout Bus, _ address: I2CAddress
  ) -> ProbeFinding? {
    guard let family = SensorFamily.allCases.first(where: { $0.addresses.contains(address) })
    else { return nil }
    let register = family.identityRegister.address
    do throws(BusError) {
      let identity = try bus.readBurstPatiently(address, register: register, count: 1)[0]
      return ProbeFinding(address: address, family: family, result: .success(identity))
    } catch {
      return ProbeFinding(address: address, family: family, result: .failure(error))
    }
  }
}
