public import IMUModel

/// A chip of the MPU-6050 family, polled.
///
/// Owns its bus; ``releaseBus()`` gives it back. Bring it up before the first read.
public struct MPU6050Sensor<Bus: I2CBus & ~Copyable>: IMUSensor, ~Copyable {
  @usableFromInline var bus: Bus
  @usableFromInline let address: I2CAddress
  @usableFromInline let identity: UInt8
  @usableFromInline let image: RegisterList
  @usableFromInline let channels: ChannelSet
  /// The last burst that was handed on, by which a repeated one is known after a failed transfer.
  @usableFromInline var last = Burst()
  @usableFromInline var lastEvidence = ReadEvidence()
  /// How long outputs may rightly stand still. Both sensors are always on, and the one that is not recorded is in
  /// its finest range.
  public let lifeLimit: LifeLimit?
  let model: SensorModel
  let settings: MPU6050Settings
  var state = MPU6050BringUp.identify(attempt: 0)

  /// The chip as it is configured.
  public let description: SensorDescription
  /// Two samples of the chip, or what a slow bus needs.
  public let readLimit: Int64

  /// A driver for the chip that was identified; nothing is sent yet.
  ///
  /// Traps when the chip is of another family.
  ///
  /// - Throws: ``SensorError`` when the chip or the bus cannot do what is configured.
  public init(
    bus: consuming Bus, identity: SensorIdentity, configuration: SensorConfiguration
  ) throws(SensorError) {
    precondition(identity.model.family == .mpu6050, "not of the MPU-6050 family")
    try configuration.validate(for: identity.model)
    let settings = MPU6050Settings(configuration, model: identity.model)
    self.description = SensorDescription(
      identity, configuration, outputDataRate: settings.outputDataRate, filter: settings.filter)
    self.readLimit = max(
      2_000_000,
      BusTiming.patience(
        bits: BusTiming.bits(ofTick: .mpu6050), busClock: configuration.busClock))
    self.lifeLimit = settings.lifeLimit
    self.bus = bus
    self.address = identity.address
    self.identity = identity.identity
    self.image = settings.image
    self.channels = configuration.channels
    self.model = identity.model
    self.settings = settings
  }

  /// Ends the driver and gives the bus back.
  public consuming func releaseBus() -> Bus { bus }
}

extension MPU6050Sensor: Sendable where Bus: Sendable & ~Copyable {}

extension MPU6050Sensor where Bus: ~Copyable {
  /// What the last read showed besides its result.
  @inlinable
  public var evidence: ReadEvidence { lastEvidence }

  /// Reads one sample.
  ///
  ///     S 68+W 37 Sr 68+R  pin enable – status  ax ax ay ay az az  t t  gx gx gy gy gz gz  P
  ///
  /// The chip holds its output registers still while it is read (PS-MPU-6000A 7.16), so a burst is
  /// one sample. Reading the status clears its data-ready flag; when a transfer failed, it may have
  /// cleared the flag without delivering the data: then bytes that differ from the last sample's are new too, and those
  /// that do not are unannounced.
  ///
  /// INT_PIN_CFG and INT_ENABLE are 0 after a reset, also in chips that come back awake, and FF when no chip
  /// answers. They come first, so they prove the samples before this burst: a reset in its middle shows in the
  /// next one.
  ///
  /// - Complexity: one transfer; three when transfers fail.
  @inlinable
  public mutating func read(into sample: inout RawSample) throws(BusError) -> Reading {
    lastEvidence.isConfigured = false
    var failures = 0
    var burst = Burst()
    while true {
      do throws(BusError) {
        burst = try bus.readBurst(
          address, register: MPU6050Register.interruptPin.address, count: 18)
        break
      } catch {
        failures += 1
        guard error.isTransient, failures < 3 else { throw error }
      }
    }
    guard burst[0] == MPU6050Register.InterruptPin.latched,
      burst[1] == MPU6050Register.Interrupt.dataReady, burst[3] != 0xFF
    else { return .doubtful }
    lastEvidence.isConfigured = true
    let isReady = burst[3] & MPU6050Register.Interrupt.dataReady != 0
    guard isReady || failures > 0 else { return .stale }
    sample = MPU6050Sensor.decode(burst, channels)
    guard isReady || !burst.matches(last, in: 4..<18) else { return .unannounced }
    last = burst
    lastEvidence.outputs = SensorOutputs(burst, from: 4)
    return .fresh
  }

  /// Counts from the 14 output bytes after the status; channels that are not wanted are 0.
  @inlinable
  static func decode(_ burst: Burst, _ channels: ChannelSet) -> RawSample {
    var sample = RawSample()
    if channels.contains(.accelerometer) {
      sample.ax = burst.bigEndian(4)
      sample.ay = burst.bigEndian(6)
      sample.az = burst.bigEndian(8)
    }
    if channels.contains(.temperature) {
      sample.temperature = burst.bigEndian(10)
    }
    if channels.contains(.gyroscope) {
      sample.gx = burst.bigEndian(12)
      sample.gy = burst.bigEndian(14)
      sample.gz = burst.bigEndian(16)
    }
    return sample
  }

  /// Compares identity and configuration with what bring-up left: four transfers.
  @inlinable
  public mutating func checkConfiguration() throws(BusError) -> ConfigurationCheck {
    try bus.compare(
      address, identityRegister: MPU6050Register.identity.address, identity: identity, image: image)
  }
}
