// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A chip on a bus, polled: the driver for every ``SensorFamily``.
///
/// Owns its bus; ``releaseBus()`` gives it back. Bring it up before the first read. A sensor that is not recorded is off
/// where the chip works without it; otherwise it runs in its finest range, where its noise shows that the chip works.
public struct PolledSensor<Bus: I2CBus & ~Copyable>: IMUSensor, ~Copyable {
  @usableFromInline var bus: Bus
  @usableFromInline let address: I2CAddress
  @usableFromInline let identity: UInt8
  @usableFromInline let identityRegister: UInt8
  /// Every register that was written, with its contents.
  @usableFromInline var image: RegisterList
  @usableFromInline let layout: BurstLayout
  @usableFromInline let channels: ChannelSet
  @usableFromInline let look: TwofoldLook
  /// The last burst with a sample; an equal one after a failed transfer is a repeat.
  @usableFromInline var last = Burst()
  @usableFromInline var lastEvidence = ReadEvidence()
  /// The temperature at the last configuration check, where the burst has none.
  @usableFromInline var slowTemperature: Int16 = 0
  /// The FIFO of one sample, where the chip has one that is trusted.
  @usableFromInline let newest: FIFOLayout?
  /// Whether samples are read from it.
  @usableFromInline var usesNewest: Bool
  /// Whether it has replaced a sample that was not read.
  @usableFromInline var hasReplaced = false
  /// The slot that is read from it.
  @usableFromInline var assembly: SlotAssembly
  /// Whether bank 0 is selected; not after a transfer to another bank that failed.
  @usableFromInline var isInFirstBank = true
  let model: SensorModel
  let settings: ChipSettings
  var state = BringUpState.identify(attempt: 0)
  /// The magnetometer in its package, where that is recorded.
  ///
  /// Spelled out, it has no value before the initialiser gives it one, which Swift 6.0 needs where that throws.
  var field: Optional<FieldSensor>

  /// See ``ChipSetUp/description``.
  public let description: SensorDescription
  /// See ``ChipSetUp/expectation``.
  public let expectation: SensorExpectation?
  /// See ``IMUSensor/lifeLimit``.
  public let lifeLimit: LifeLimit?
  /// See ``IMUSensor/readLimit``: as long as a read stays whole, or as a slow bus needs.
  public let readLimit: Int64

  /// A driver for the identified chip; sends nothing yet.
  ///
  /// - Throws: ``SensorError`` when the chip or the bus cannot provide the configuration.
  public init(
    bus: consuming Bus, identity: SensorIdentity, configuration: SensorConfiguration
  ) throws(SensorError) {
    let model = identity.model
    try configuration.validate(for: model)
    var settings = model.family.settings(configuration, model)
    // The FIFO of an unidentified chip is not trusted.
    if identity.identity != model.identity { settings.newest = nil }
    if let newest = settings.newest { settings.writes.append(newest.start) }
    self.description = SensorDescription(
      identity, configuration, outputDataRate: settings.outputDataRate, filter: settings.filter)
    self.expectation = SensorExpectation(identity, configuration, settings)
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
    self.newest = settings.newest
    self.usesNewest = settings.newest != nil
    self.assembly = SlotAssembly(settings.newest?.channels ?? configuration.channels)
    self.model = model
    self.settings = settings
    self.field = configuration.fieldRate.flatMap { FieldSensor(inside: model, rate: $0) }
  }

  /// Ends the driver and gives the bus back.
  public consuming func releaseBus() -> Bus { bus }
}

extension PolledSensor: Sendable where Bus: Sendable & ~Copyable {}

extension PolledSensor where Bus: ~Copyable {
  /// See ``IMUSensor/evidence``.
  @inlinable
  public var evidence: ReadEvidence { lastEvidence }

  /// Reads one sample; see ``IMUSensor/read(into:)``.
  ///
  /// - Complexity: one to five transfers, by family.
  @inlinable
  public mutating func read(into sample: inout RawSample) throws(BusError) -> Reading {
    if usesNewest, let newest {
      var failure: BusError?
      let reading = try readNewest(newest, into: &sample, &failure)
      if reading == .stale, let failure { throw failure }
      return reading
    }
    switch layout.method {
    case .shadowed: return try readShadowed(into: &sample)
    case .twofold: return try readTwofold(into: &sample)
    }
  }

  /// The first register of a temperature that is not read with the axes.
  @inlinable
  var temperatureRegister: UInt8? {
    if usesNewest, let newest { return newest.slowTemperature }
    return layout.slowTemperature
  }

  /// Compares identity and configuration, and reads a temperature that is not in the burst: six transfers at most.
  @inlinable
  public mutating func checkConfiguration() throws(BusError) -> ConfigurationCheck {
    try leaveOtherBank()
    if let register = temperatureRegister {
      slowTemperature = try bus.readBurstPatiently(address, register: register, count: 2)
        .value(0)
      assembly.temperature = slowTemperature
    }
    isInFirstBank = !image.isBanked
    let check = try bus.compare(
      address, identityRegister: identityRegister, identity: identity, image: image)
    isInFirstBank = true
    return check
  }

  /// Selects bank 0 again after a transfer to another one failed: registers with the same numbers have other contents there.
  @inlinable
  mutating func leaveOtherBank() throws(BusError) {
    guard !isInFirstBank else { return }
    try bus.selectFirstBank(address)
    isInFirstBank = true
  }
}

/// Reading a chip of the MPU-6050 family or an ICM-20948, which holds a sample still in shadow registers.
extension PolledSensor where Bus: ~Copyable {
  /// Reads one sample.
  ///
  ///     MPU-6050     S 68+W 37 Sr 68+R  pin enable – status  ax ax ay ay az az  t t  gx gx gy gy gz gz  P
  ///     ICM-20948    S 68+W 1A Sr 68+R  status  – … –  ax ax ay ay az az  gx gx gy gy gz gz  t t  P
  ///
  /// The chip holds its output registers still while it is read (PS-MPU-6000A 7.16), so a burst is one sample. Reading the
  /// status clears its data-ready flag, also in a transfer that fails: after a failure, bytes that differ from the last
  /// sample's are new too, and equal ones are unannounced.
  ///
  /// INT_PIN_CFG and INT_ENABLE are 0 after a reset, also in chips that come back awake, and FF when no chip answers. They
  /// come first, so they prove the samples before this burst: a reset in its middle shows in the next one. An ICM-20948
  /// sleeps after a reset, so that the status proves them when it announces a sample.
  ///
  /// - Complexity: one transfer; three when transfers fail.
  @inlinable
  mutating func readShadowed(into sample: inout RawSample) throws(BusError) -> Reading {
    lastEvidence.isConfigured = false
    try leaveOtherBank()
    var transfers = 0
    var failure: BusError?
    let burst = try read(layout.register, layout.count, &transfers, &failure)
    let status = burst[layout.status]
    let isReady = status & 0x01 != 0
    if let proof = layout.proof {
      guard burst[0] == proof.first, burst[1] == proof.second, status != 0xFF else {
        return .doubtful
      }
      lastEvidence.isConfigured = true
    } else {
      guard status & 0xFE == 0 else { return .doubtful }
      lastEvidence.isConfigured = isReady
    }
    guard isReady || failure != nil else { return .stale }
    sample = decode(burst, isBigEndian: true)
    guard isReady || !burst.matches(last, in: layout.outputs..<layout.count) else {
      return .unannounced
    }
    last = burst
    lastEvidence.outputs = SensorOutputs(burst, from: layout.outputs)
    return .fresh
  }

  /// Counts from the output bytes, on right-handed axes; unused channels are 0.
  @inlinable
  func decode(_ burst: Burst, isBigEndian: Bool) -> RawSample {
    var sample = RawSample()
    if channels.contains(.accelerometer) {
      (sample.ax, sample.ay, sample.az) = burst.axes(layout.acceleration, isBigEndian: isBigEndian)
    }
    if channels.contains(.gyroscope) {
      (sample.gx, sample.gy, sample.gz) = burst.axes(layout.angularRate, isBigEndian: isBigEndian)
    }
    if layout.isLeftHanded { (sample.ax, sample.gx) = (sample.ax.opposite, sample.gx.opposite) }
    if channels.contains(.temperature) {
      sample.temperature =
        layout.temperature.map { burst.value($0, isBigEndian: isBigEndian) } ?? slowTemperature
    }
    return sample
  }
}
