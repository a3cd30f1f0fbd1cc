// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The requested setup of a chip.
public struct SensorConfiguration: Equatable, Sendable {
  /// How often it will be read. The chip's own data rate and filters follow from it.
  public var rate: SampleRate
  /// Full scale in g.
  public var accelerometerRange: Int
  /// Full scale in °/s.
  public var gyroscopeRange: Int
  /// The channels to record; the accelerometer, the gyroscope or both must be among them.
  public var channels: ChannelSet
  /// The clock of the bus in hertz; `nil` when not known.
  ///
  /// When not known, no rate is refused because of it, and an ST chip's data rate is chosen as for 100 kHz, the Raspberry
  /// Pi's default, as long as that clock can carry the rate.
  public var busClock: Int?
  /// Whether the samples are read from the chip's FIFO, so that the chip makes them at exactly this rate; see
  /// ``FIFOSensor``. Otherwise the chip is polled at it.
  public var readsFIFO = false
  /// The slots at which the FIFO's watermark raises the chip's second interrupt output, where ``SensorModel/hasWatermark``;
  /// `nil` for a line that is not wired.
  public var watermark: Int?
  /// Whether the chip stamps the samples in its FIFO with its own counter, where ``SensorModel/hasStamps``.
  public var stampsSamples = false
  /// The rate of the magnetometer in the chip's package, one of ``FieldModel/rates``; `nil` to leave it alone.
  public var fieldRate: SampleRate?
  /// Whether the outputs have noise, which tells a stuck chip from one at rest; `false` when a recording is played back.
  public var hasNoise = true

  /// A configuration; ranges are 4 g and 500 °/s unless given.
  public init(
    rate: SampleRate, accelerometerRange: Int = 4, gyroscopeRange: Int = 500,
    channels: ChannelSet = .all, busClock: Int? = nil
  ) {
    (self.rate, self.channels, self.busClock) = (rate, channels, busClock)
    (self.accelerometerRange, self.gyroscopeRange) = (accelerometerRange, gyroscopeRange)
  }

  /// Checks that `model` and the bus can do this.
  ///
  /// Traps when `channels` has neither accelerometer nor gyroscope, or `busClock` is not positive.
  ///
  /// - Throws: ``SensorError`` with the ranges and rates of the chip, or the arithmetic of the rate.
  public func validate(for model: SensorModel) throws(SensorError) {
    precondition(
      !channels.isDisjoint(with: [.accelerometer, .gyroscope]),
      "a configuration needs the accelerometer or the gyroscope")
    precondition(busClock.map { $0 > 0 } ?? true, "a bus clock is positive")
    let (accelerometer, gyroscope) = (model.accelerometerRanges, model.gyroscopeRanges)
    guard accelerometer.contains(accelerometerRange) else {
      throw .noRange(model, "accelerometer", accelerometerRange, of: accelerometer, unit: "g")
    }
    guard gyroscope.contains(gyroscopeRange) else {
      throw .noRange(model, "gyroscope", gyroscopeRange, of: gyroscope, unit: "dps")
    }
    let field = field(of: model)
    if let fieldRate {
      guard field?.rates.contains(fieldRate) == true else {
        throw .noFieldRate(model, field, asked: fieldRate)
      }
      // A history of samples keeps the values among them, and has room for as many.
      guard fieldRate.hertz <= rate.hertz else { throw .fieldAboveRate(fieldRate, rate) }
    }
    if readsFIFO {
      guard !model.fifoRates(channels: .all).isEmpty else { throw .noFIFO(model) }
      guard let exact = exact(for: model) else {
        throw .rateNotInFIFO(model, asked: rate, channels)
      }
      return try exact.validateDrains(of: model, longestBurst: 8192)
    }
    guard rate.hertz <= Double(model.maximumPolledRate) else {
      throw .rateAboveChip(model, asked: rate)
    }
    if let busClock, !BusTiming.carries(rate, model, with: field, busClock: busClock) {
      throw .rateAboveBus(model, with: field, asked: rate, busClock: busClock)
    }
  }

  /// The magnetometer that is recorded.
  private func field(of model: SensorModel) -> FieldModel? {
    fieldRate.flatMap { _ in FieldModel.inside(model) }
  }

  /// The same with the chip's own rate in its FIFO; `nil` where it has none.
  func exact(for model: SensorModel) -> SensorConfiguration? {
    guard let rate = model.fifoRate(rate, channels: channels) else { return nil }
    var exact = self
    exact.rate = rate
    return exact
  }

  /// Checks that the bus, or the fastest that the chip can be on where its clock is not known, carries the FIFO's rate in
  /// bursts of at most `longestBurst` bytes.
  func validateDrains(of model: SensorModel, longestBurst: Int) throws(SensorError) {
    let clock = busClock ?? model.maximumBusClock
    let asked = drainTiming(of: model, longestBurst: longestBurst)
    guard asked.fits(busClock: clock) else {
      var plain = self
      plain.stampsSamples = false
      throw .fifoRateAboveBus(
        model, asked, channels, plain: plain.drainTiming(of: model, longestBurst: longestBurst),
        busClock: clock)
    }
  }

  /// The cost of the drains at the FIFO's rate, in bursts of at most `longestBurst` bytes.
  func drainTiming(of model: SensorModel, longestBurst: Int) -> DrainTiming {
    var timing = model.drainTiming(
      rate, channels, isStamped: stampsSamples && model.hasStamps, longestBurst: longestBurst)
    if let fieldRate, let field = field(of: model) {
      timing.field = BusTiming.bits(following: field, at: fieldRate)
    }
    return timing
  }

  /// The requested ranges; for a sensor that is not recorded the finest, in which its noise shows that the chip works.
  /// Traps when the chip lacks one, which ``validate(for:)`` excludes.
  func ranges(of model: SensorModel) -> (accelerometer: SensorRange, gyroscope: SensorRange) {
    func range(_ ranges: [SensorRange], _ fullScale: Int, _ channels: ChannelSet) -> SensorRange {
      guard !self.channels.isDisjoint(with: channels) else { return ranges[0] }
      guard let range = ranges.first(where: { $0.fullScale == fullScale }) else {
        preconditionFailure("the configuration was not validated")
      }
      return range
    }
    return (
      range(model.accelerometer, accelerometerRange, .accelerometer),
      range(model.gyroscope, gyroscopeRange, .gyroscope)
    )
  }

  /// The registers of a chip that is set up so, by rising number, but for those that can only be read after a write; the
  /// configuration must have been validated for the model.
  package func registers(of model: SensorModel) -> [(register: Register, value: UInt8)] {
    let configuration = readsFIFO ? exact(for: model) ?? self : self
    let image = model.family.settings(configuration, model).image
    return (0..<image.count).map { (model.family.register(image[$0].register), image[$0].value) }
      .filter { !$0.0.isBanked }
  }
}

extension SensorDescription {
  /// A chip set up as configured; `configuration` must have been validated for the model.
  init(
    _ identity: SensorIdentity, _ configuration: SensorConfiguration, outputDataRate: Double,
    filter: String
  ) {
    let model = identity.model
    guard let acceleration = model.accelerometerScale(range: configuration.accelerometerRange),
      let rotation = model.gyroscopeScale(range: configuration.gyroscopeRange)
    else { preconditionFailure("the configuration was not validated") }
    self.init(
      model: model.name, identity: identity.identity, address: identity.address.rawValue,
      accelerometerRange: configuration.accelerometerRange,
      gyroscopeRange: configuration.gyroscopeRange, accelerometerScale: acceleration,
      gyroscopeScale: rotation, temperatureScale: model.temperature.scale,
      temperatureOffset: model.temperature.offset, outputDataRate: outputDataRate, filter: filter)
    field = configuration.fieldRate.flatMap { FieldModel.inside(model)?.description(at: $0) }
  }
}
