public import IMUModel

/// A chip of the LSM6DS family, polled.
///
/// Owns its bus; ``releaseBus()`` gives it back. Bring it up before the first read. A sensor whose
/// channels are not wanted stays in power-down, but for the accelerometer beside the gyroscope: its noise in the
/// finest range shows that the chip lives, when that of a coarse angular rate does not.
public struct LSM6DSSensor<Bus: I2CBus & ~Copyable>: IMUSensor, ~Copyable {
  @usableFromInline var bus: Bus
  @usableFromInline let address: I2CAddress
  @usableFromInline let identity: UInt8
  @usableFromInline let image: RegisterList
  @usableFromInline let channels: ChannelSet
  /// The flags of STATUS_REG that a new sample sets.
  @usableFromInline let readyMask: UInt8
  /// The last burst that was handed on, by which a repeated one is known after a failed transfer.
  @usableFromInline var last = Burst()
  @usableFromInline let look: LSM6DSLook
  @usableFromInline var lastEvidence = ReadEvidence()
  /// How long outputs may rightly stand still.
  public let lifeLimit: LifeLimit?
  let model: SensorModel
  let settings: LSM6DSSettings
  var state = LSM6DSBringUp.identify(attempt: 0)

  /// The chip as it is configured.
  public let description: SensorDescription
  /// One sample of the chip: within it no two updates fall into the bursts (``LSM6DSLook``). Where
  /// the bus is too slow for that, what it needs.
  public let readLimit: Int64

  /// A driver for the chip that was identified; nothing is sent yet.
  ///
  /// Traps when the chip is of another family.
  ///
  /// - Throws: ``SensorError`` when the chip or the bus cannot do what is configured.
  public init(
    bus: consuming Bus, identity: SensorIdentity, configuration: SensorConfiguration
  ) throws(SensorError) {
    precondition(identity.model.family == .lsm6ds, "not of the LSM6DS family")
    try configuration.validate(for: identity.model)
    let settings = LSM6DSSettings(configuration, model: identity.model)
    let channels = configuration.channels
    self.description = SensorDescription(
      identity, configuration, outputDataRate: settings.dataRate.hertz, filter: settings.filter)
    self.readLimit = settings.dataRate.readLimit(
      rate: configuration.rate.hertz, busClock: configuration.busClock)
    self.lifeLimit = settings.lifeLimit
    self.bus = bus
    self.address = identity.address
    self.identity = identity.identity
    self.image = settings.image
    self.channels = channels
    self.look = LSM6DSLook(channels)
    self.readyMask =
      (channels.contains(.accelerometer) ? LSM6DSRegister.Status.accelerometer : 0)
      | (channels.contains(.gyroscope) ? LSM6DSRegister.Status.gyroscope : 0)
    self.model = identity.model
    self.settings = settings
  }

  /// Ends the driver and gives the bus back.
  public consuming func releaseBus() -> Bus { bus }
}

extension LSM6DSSensor: Sendable where Bus: Sendable & ~Copyable {}

extension LSM6DSSensor where Bus: ~Copyable {
  /// What the last read showed besides its result.
  @inlinable
  public var evidence: ReadEvidence { lastEvidence }

  /// Compares identity and configuration with what bring-up left: three transfers.
  @inlinable
  public mutating func checkConfiguration() throws(BusError) -> ConfigurationCheck {
    try bus.compare(
      address, identityRegister: LSM6DSRegister.identity.address, identity: identity, image: image)
  }
}
