// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// A setting of a sensor's filters.
struct ChipFilter {
  /// In the data sheet's words.
  let name: String
  /// In hertz; `nil` where the data sheet gives none.
  let bandwidth: Double?
  /// Samples until the output is within 1 %.
  let settlingSamples: Int
  /// The bits that select it; a register that is not listed has none.
  var bits: KeyValuePairs<Register, UInt8> = [:]

  /// Its bits in `register`.
  subscript(register: Register) -> UInt8 { bits.first { $0.key == register }?.value ?? 0 }
}

/// A configuration as a chip implements it: the bring-up table and the limits that follow from it.
struct ChipSettings: Sendable {
  struct Reset: Sendable {
    /// The register and value to write; ``bit`` of the value clears itself when the reset ends.
    let register: Register
    let value: UInt8
    let bit: UInt8
    /// Time until the first poll of ``bit``, in nanoseconds.
    let firstWait: Int64
    /// Time between further polls.
    let wait: Int64
  }

  /// Written before the reset.
  var preparation = RegisterList()
  let reset: Reset
  /// Takes the chip out of sleep after its reset; `nil` for a chip that has no sleep.
  var wake: (register: Register, value: UInt8)?
  /// Written afterwards, in this order. Data rates are last where they start the sensors.
  var writes = RegisterList()
  /// Registers whose contents a reset would clear, checked while the sensors turn on.
  var witnesses: [UInt8] = []
  /// From the last write until samples are valid, in nanoseconds.
  var turnOn: Int64 = 0
  /// New samples to discard after that, and the time between them in nanoseconds.
  var discards: (count: Int, wait: Int64) = (1, 0)
  /// The register that announces samples.
  let status: Register

  /// In hertz.
  var outputDataRate: Double = 0
  /// The filters in the data sheet's words.
  var filter = ""
  /// Of the filters, in hertz; of the gyroscope `nil` while it is off.
  var bandwidths: (accelerometer: Double, gyroscope: Double?) = (0, nil)
  /// How long a read may take, in nanoseconds.
  var readLimit: Int64 = 0
  /// How long the outputs of a working chip may stand still.
  var lifeLimit: LifeLimit?
  /// The FIFO, where the configuration reads it.
  var fifo: FIFOLayout?
  /// The FIFO of one sample, where a chip is polled that has one.
  var newest: FIFOLayout?

  /// The contents of every register after bring-up, by rising number.
  var image: RegisterList {
    var image = writes
    if let wake { image.append(wake.register, wake.value) }
    return image.sorted()
  }

  /// Among the filters that `isQuick` accepts, given widest first, the widest with a bandwidth of about half of `rate`
  /// hertz, else the narrowest. 10 % more is accepted, so that a 21 Hz filter serves a recording at 40 Hz.
  static func choose<Filter>(
    _ filters: [Filter], rate: Double, bandwidth: (Filter) -> Double?,
    where isQuick: (Filter) -> Bool = { _ in true }
  ) -> Filter {
    let quick = filters.filter(isQuick)
    let fitting = quick.first { bandwidth($0).map { $0 <= 0.55 * rate } ?? false }
    return fitting ?? quick.last ?? filters[0]
  }
}

/// The sensors of an ST chip, as they are set up.
struct TwofoldSensors {
  typealias Sensor = (range: SensorRange, filter: ChipFilter)

  let dataRate: DataRate
  var accelerometer: Sensor
  let gyroscope: Sensor

  /// Chooses for each sensor the widest filter of about half the rate or less that settles within 105 ms (accelerometer)
  /// or, after the gyroscope's turn-on, within 40 ms unless all of them are slow: below some 20 Hz a quick start has
  /// priority over a narrower filter. An accelerometer that is not recorded has the widest: noise shows that the chip works.
  init(
    _ configuration: SensorConfiguration, _ model: SensorModel, _ dataRate: DataRate,
    _ accelerometerFilters: [ChipFilter], _ gyroscopeFilters: [ChipFilter], isSlow: Bool = false
  ) {
    func choose(_ filters: [ChipFilter], within seconds: Double) -> ChipFilter {
      ChipSettings.choose(filters, rate: configuration.rate.hertz, bandwidth: \.bandwidth) {
        Double($0.settlingSamples) / dataRate.hertz <= seconds
      }
    }
    let ranges = configuration.ranges(of: model)
    self.dataRate = dataRate
    accelerometer = (
      ranges.accelerometer,
      configuration.channels.contains(.accelerometer)
        ? choose(accelerometerFilters, within: 0.105) : accelerometerFilters[0]
    )
    gyroscope = (ranges.gyroscope, choose(gyroscopeFilters, within: isSlow ? .infinity : 0.040))
  }
}

extension ChipSettings {
  /// Sets what follows from the data rate and the filters of an ST chip, whose accelerometer is always on.
  mutating func conclude(
    _ configuration: SensorConfiguration, _ model: SensorModel, _ sensors: TwofoldSensors,
    isGyroscopeOn: Bool
  ) {
    let dataRate = sensors.dataRate
    outputDataRate = dataRate.hertz
    discards = (1, dataRate.periodNanoseconds * 11 / 10)
    readLimit = dataRate.readLimit(
      model.family, rate: configuration.rate.hertz, busClock: configuration.busClock)
    let both = [
      ("accelerometer", ChannelSet.accelerometer, sensors.accelerometer),
      ("gyroscope", .gyroscope, sensors.gyroscope),
    ]
    filter = both.filter { configuration.channels.contains($0.1) }.map { name, _, sensor in
      "\(name) \(sensor.filter.name)"
        + (sensor.filter.bandwidth.map { ": \($0.briefly) Hz" } ?? "")
    }.joined(separator: ", ")
    let widths = both.map { $0.2.filter.bandwidth ?? dataRate.hertz / 3 }
    bandwidths = (widths[0], isGyroscopeOn ? widths[1] : nil)
    let noise = zip(both, widths).map { $0.2.range.noise(bandwidth: $1) }
    lifeLimit = configuration.hasNoise ? LifeLimit(Array(noise.prefix(isGyroscopeOn ? 2 : 1))) : nil
  }
}
