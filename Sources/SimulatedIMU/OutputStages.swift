// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The output registers of one sensor of a chip without shadow registers.
struct OutputStage: Sendable, BitwiseCopyable {
  /// Which of the chip's sensors, by the first of its channels.
  enum Sensor: Int, Sendable, BitwiseCopyable {
    case accelerometer = 0
    case gyroscope = 3
    case thermometer = 6
  }

  let sensor: Sensor
  /// Ticks from one sample to the next; 0 while the sensor is off.
  var period: Int64 = 0
  /// Counts a g, a °/s or a °C.
  var sensitivity = 0.0
  /// Standard deviation of the noise in g or °/s.
  var deviation = 0.0
  /// Samples are made at ticks after this one.
  var start: Int64
  /// Samples up to this tick are garbage.
  var settled: Int64 = 0
  /// The newest sample at the last time when the data-ready bit was cleared.
  var acknowledged: Int64
  /// The registers' contents when the configuration last changed, and the tick of that sample.
  var held = SIMD3<Int16>(repeating: 0)
  var heldTick: Int64
  /// What the self-test adds.
  var force = SelfTestForce()
  /// The last sample fetched, kept because a burst fetches each up to six times.
  var recent = SIMD3<Int16>(repeating: 0)
  var recentTick: Int64 = -1

  init(_ sensor: Sensor, at tick: Int64) {
    self.sensor = sensor
    (start, acknowledged, heldTick) = (tick, tick, tick)
  }

  mutating func set(_ period: Int64, _ sensitivity: Double, _ deviation: Double = 0) {
    (self.period, self.sensitivity, self.deviation) = (period, sensitivity, deviation)
  }

  /// The tick of the newest sample made until `tick`.
  func newest(atTick tick: Int64) -> Int64 {
    guard period > 0 else { return heldTick }
    let sample = tick / period * period
    return sample > start ? sample : heldTick
  }

  /// The configuration changes at `tick`; until the next sample the registers keep `counts`.
  mutating func hold(_ counts: SIMD3<Int16>, atTick tick: Int64) {
    held = counts
    heldTick = newest(atTick: tick)
    start = tick
    recentTick = -1
  }
}

/// The output registers of an ST chip: three sensors that sample by one oscillator.
///
///     oscillator ─► samples ─► output registers, 16 bits at a time ─► bus
///
/// There are no shadow registers: a new sample goes into the output registers while they are read. Block data update
/// holds back each 16-bit pair of which one byte was read, and only that pair.
struct OutputStages: Sendable, BitwiseCopyable {
  var oscillator: Oscillator
  let path: SignalPath
  var accelerometer = OutputStage(.accelerometer, at: 0)
  var gyroscope = OutputStage(.gyroscope, at: 0)
  var thermometer = OutputStage(.thermometer, at: 0)
  var freeze: OutputFreeze?
  /// Block data update: the values of the pairs of which one byte was read and the other was not.
  private var lockedWords = SIMD8<Int16>(repeating: 0)
  /// For each pair, bit 0: the low byte was read, bit 1: the high byte.
  private var readBytes = SIMD8<UInt8>(repeating: 0)
  /// See ``SimulatedChip/updatesHeldRegistersLate``.
  private let updatesLate: Bool
  /// With that, for each pair: the newest sample when it was released; up to that sample it keeps its locked value.
  private var missed = SIMD8<Int64>(repeating: -1)
  /// See ``SimulatedChip/stopsAtWatermark``.
  let stopsAtWatermark: Bool

  /// The stages of a chip whose power came on at `instant`. `hertz` is the oscillator's rate, nominal times the chip's error;
  /// `tolerances` are the largest zero-g level in g and zero-rate level in °/s.
  init(
    _ chip: SimulatedChip, _ source: MotionSource, origin: Int64, poweredOn instant: Int64,
    hertz: Double, tolerances: (acceleration: Double, angularRate: Double)
  ) {
    oscillator = Oscillator(
      origin: instant, hertz: hertz, wander: chip.clockDriftPartsPerMillion, middle: origin)
    path = SignalPath(
      chip: chip, source: source, origin: origin,
      accelerometerTolerance: SIMD3(repeating: tolerances.acceleration),
      gyroscopeTolerance: tolerances.angularRate)
    updatesLate = chip.updatesHeldRegistersLate
    stopsAtWatermark = chip.stopsAtWatermark
  }

  /// All sensors are off and all outputs 0, unless they are frozen through a reset.
  mutating func reset(at tick: Int64) {
    accelerometer = OutputStage(.accelerometer, at: tick)
    gyroscope = OutputStage(.gyroscope, at: tick)
    thermometer = OutputStage(.thermometer, at: tick)
    unlock()
    if freeze?.kept == nil { freeze = nil }
  }

  /// Block data update was switched off.
  mutating func unlock() {
    readBytes = SIMD8(repeating: 0)
    missed = SIMD8(repeating: -1)
  }

  /// Bit 0 acceleration, bit 1 angular rate, bit 2 temperature, each set by a new sample, with `masksUnsettled` only by one
  /// that has settled.
  func status(atTick tick: Int64, masksUnsettled: Bool = false) -> UInt8 {
    let tick = freeze?.flagged(at: tick) ?? tick
    func isReady(_ stage: OutputStage) -> Bool {
      let newest = stage.newest(atTick: tick)
      return newest > stage.acknowledged && !(masksUnsettled && newest <= stage.settled)
    }
    return (isReady(accelerometer) ? 1 : 0) | (isReady(gyroscope) ? 2 : 0)
      | (isReady(thermometer) ? 4 : 0)
  }

  /// A byte of the output registers at `tick`. Pair 0 is temperature, 1 to 3 angular rate, 4 to 6 acceleration; the low byte
  /// of each comes first. The high byte of any axis clears the data-ready bit of its sensor.
  mutating func fetch(_ pair: Int, isHigh: Bool, atTick tick: Int64, holdsPairs: Bool) -> UInt8 {
    let stage: OutputStage
    let axis = pair == 0 ? 0 : (pair - 1) % 3
    switch pair {
    case 0:
      stage = looked(at: thermometer, isHigh, tick)
      thermometer = stage
    case 1...3:
      stage = looked(at: gyroscope, isHigh, tick)
      gyroscope = stage
    default:
      stage = looked(at: accelerometer, isHigh, tick)
      accelerometer = stage
    }
    let live = stage.recent[axis]
    var word = live
    if holdsPairs {
      let newest = stage.newest(atTick: tick)
      if readBytes[pair] != 0 || newest <= missed[pair] { word = lockedWords[pair] }
      lockedWords[pair] = word
      readBytes[pair] |= isHigh ? 2 : 1
      if readBytes[pair] == 3 {
        readBytes[pair] = 0
        if updatesLate, word != live { missed[pair] = newest }
      }
    }
    return UInt8(truncatingIfNeeded: isHigh ? word >> 8 : word)
  }

  /// The stage after a byte of it was read.
  private func looked(at stage: OutputStage, _ isHigh: Bool, _ tick: Int64) -> OutputStage {
    var stage = stage
    let shown = freeze?.shown(at: tick) ?? tick
    let sample = stage.newest(atTick: shown)
    if sample != stage.recentTick {
      stage.recent = counts(stage, atTick: shown)
      stage.recentTick = sample
    }
    if isHigh { stage.acknowledged = stage.newest(atTick: freeze?.flagged(at: tick) ?? tick) }
    return stage
  }

  /// The tick up to which a FIFO has stored samples after `tick`.
  func stored(atTick tick: Int64) -> Int64 { freeze?.flagged(at: tick) ?? tick }

  /// The contents that a sensor's output registers had at `tick`, when a FIFO stored them.
  func stored(_ stage: OutputStage, atTick tick: Int64) -> SIMD3<Int16> {
    counts(stage, atTick: freeze?.shown(at: tick) ?? tick)
  }

  /// The contents of the output registers after `tick`, under the present configuration.
  func outputs(atTick tick: Int64) -> RawSample {
    let tick = freeze?.shown(at: tick) ?? tick
    let acceleration = counts(accelerometer, atTick: tick)
    let rate = counts(gyroscope, atTick: tick)
    return RawSample(
      ax: acceleration.x, ay: acceleration.y, az: acceleration.z, gx: rate.x, gy: rate.y,
      gz: rate.z, temperature: counts(thermometer, atTick: tick).x)
  }

  /// The contents of one sensor's output registers after `tick`.
  func counts(_ stage: OutputStage, atTick tick: Int64) -> SIMD3<Int16> {
    let first = stage.sensor.rawValue
    if let kept = freeze?.kept(at: tick) {
      return first == 6
        ? SIMD3(kept.temperature, 0, 0) : SIMD3(kept[first], kept[first + 1], kept[first + 2])
    }
    let sample = stage.newest(atTick: tick)
    guard sample > stage.start else { return stage.held }
    let instant = oscillator.instant(ofTick: sample)
    guard stage.sensor != .thermometer else {
      // All ST chips here have 25 °C at count 0.
      return SIMD3(path.temperature(at: instant, sensitivity: stage.sensitivity, zero: 25), 0, 0)
    }
    guard sample > stage.settled else { return path.garbage(tick: sample, axis: first) }
    return path.axes(
      from: first, at: instant, tick: sample, sensitivity: stage.sensitivity,
      deviation: stage.deviation, force: stage.force.value(atTick: sample))
  }

  /// The configuration changes at `tick`: earlier samples were made under the old one.
  mutating func hold(atTick tick: Int64) {
    let now = outputs(atTick: tick)
    accelerometer.hold(SIMD3(now.ax, now.ay, now.az), atTick: tick)
    gyroscope.hold(SIMD3(now.gx, now.gy, now.gz), atTick: tick)
    thermometer.hold(SIMD3(now.temperature, 0, 0), atTick: tick)
  }
}

/// An ST chip: power-on and resets.
protocol STChip: RegisterChip {
  /// From power-on, or BOOT, until the chip answers, in nanoseconds.
  static var bootTime: Int64 { get }
  var registers: RegisterFile { get set }
  var stages: OutputStages { get set }
  /// The instant at which the last SW_RESET ends.
  var resetEnds: Int64 { get set }
  /// The registers after power-on.
  var resetValues: RegisterFile { get }
}

extension STChip {
  var oscillator: Oscillator {
    get { stages.oscillator }
    set { stages.oscillator = newValue }
  }

  var freeze: OutputFreeze? {
    get { stages.freeze }
    set { stages.freeze = newValue }
  }

  func outputs(atTick tick: Int64) -> RawSample { stages.outputs(atTick: tick) }

  mutating func powerOn(at instant: Int64) {
    usableFrom = instant + Self.bootTime
    reset(at: instant, until: instant)
  }

  /// All registers are as after power-on; writes before `end` are lost.
  mutating func reset(at instant: Int64, until end: Int64) {
    resetEnds = end
    registers = resetValues
    stages.reset(at: oscillator.tick(at: instant))
  }
}
