public import IMUModel

/// A chip on a bus, polled: the driver for every ``SensorFamily``.
///
/// Owns its bus; ``releaseBus()`` gives it back. Bring it up before the first read. A sensor whose channels are not
/// wanted sleeps where the chip can do without it; else it runs in its finest range, in which its noise shows that
/// the chip is alive.
public struct PolledSensor<Bus: I2CBus & ~Copyable>: IMUSensor, ~Copyable {
  @usableFromInline var bus: Bus
  @usableFromInline let address: I2CAddress
  @usableFromInline let identity: UInt8
  @usableFromInline let identityRegister: UInt8
  @usableFromInline let image: RegisterList
  @usableFromInline let layout: BurstLayout
  @usableFromInline let channels: ChannelSet
  @usableFromInline let look: TwofoldLook
  /// The last burst that was handed on, by which a repeated one is known after a failed transfer.
  @usableFromInline var last = Burst()
  @usableFromInline var lastEvidence = ReadEvidence()
  /// What a look at the configuration found in a thermometer that is not in the burst.
  @usableFromInline var slowTemperature: Int16 = 0
  let model: SensorModel
  let settings: ChipSettings
  var state = BringUpState.identify(attempt: 0)

  /// The chip as it is configured.
  public let description: SensorDescription
  /// How long outputs may rightly stand still; `nil` when that is no sign of anything.
  public let lifeLimit: LifeLimit?
  /// How long a read may take in nanoseconds: what its wholeness allows, or what a slow bus needs.
  public let readLimit: Int64

  /// A driver for the chip that was identified; sends nothing yet.
  ///
  /// - Throws: ``SensorError`` when the chip or the bus cannot do what is configured.
  public init(
    bus: consuming Bus, identity: SensorIdentity, configuration: SensorConfiguration
  ) throws(SensorError) {
    let model = identity.model
    try configuration.validate(for: model)
    let settings = model.family.settings(configuration, model)
    self.description = SensorDescription(
      identity, configuration, outputDataRate: settings.outputDataRate, filter: settings.filter)
    self.readLimit = settings.readLimit
    self.lifeLimit = settings.lifeLimit
    self.bus = bus
    self.address = identity.address
    self.identity = identity.identity
    self.identityRegister = model.family.identityRegister.address
    self.image = settings.image
    self.layout = model.family.layout
    self.channels = configuration.channels
    self.look = TwofoldLook(configuration.channels, model.family.layout)
    self.model = model
    self.settings = settings
  }

  /// Ends the driver and gives the bus back.
  public consuming func releaseBus() -> Bus { bus }
}

extension PolledSensor: Sendable where Bus: Sendable & ~Copyable {}

extension PolledSensor where Bus: ~Copyable {
  /// What the last read showed besides its result.
  @inlinable
  public var evidence: ReadEvidence { lastEvidence }

  /// Reads one sample; see ``IMUSensor/read(into:)``.
  ///
  /// - Complexity: one to three transfers, by family.
  @inlinable
  public mutating func read(into sample: inout RawSample) throws(BusError) -> Reading {
    switch layout.method {
    case .shadowed: try readShadowed(into: &sample)
    case .twofold: try readTwofold(into: &sample)
    }
  }

  /// Compares identity and configuration with what bring-up left, and reads a thermometer that is not in the burst:
  /// four transfers.
  @inlinable
  public mutating func checkConfiguration() throws(BusError) -> ConfigurationCheck {
    if let register = layout.slowTemperature {
      slowTemperature = try bus.readBurstPatiently(address, register: register, count: 2)
        .littleEndian(0)
    }
    return try bus.compare(
      address, identityRegister: identityRegister, identity: identity, image: image)
  }
}
