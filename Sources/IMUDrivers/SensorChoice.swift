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
    let all = model?.addresses ?? SensorFamily.allCases.flatMap(\.addresses)
    return all.filter { address == nil || $0 == address }
  }

  func mayBe(at address: I2CAddress) -> Bool { addresses.contains(address) }
}
