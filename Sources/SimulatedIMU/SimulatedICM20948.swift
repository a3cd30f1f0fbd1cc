// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// An ICM-20948 as its data sheet (DS-000189) describes it; its magnetometer is a chip of its own behind it.
///
///     oscillator ─► sampling ─► shadow registers ─► (not during a burst) ─► registers 2D…3A of bank 0 ─► bus
///                      └──────► FIFO
///
/// That a burst is of one sample, that an empty FIFO repeats its last byte, and that a packet is in the order of the
/// registers is as in the predecessors; the data sheet leaves it open.
///
/// Not simulated: bank 3 and the bus behind it, duty cycles, the FIFO's snapshot mode, the motion processor, averaging,
/// offsets, wake on motion, and the start and the rate of one sensor while the other is off.
struct SimulatedICM20948: RegisterChip, Sendable, BitwiseCopyable {
  static let whoAmI: UInt8 = 0x00
  /// From power-on until the registers answer, as of an MPU-6050; from DEVICE_RESET until it clears itself.
  static let startUp: Int64 = 20_000_000
  static let resetTime: Int64 = 5_000_000
  /// From sleep until a sensor's samples are valid (tables 1 and 2).
  static let accelerometerStartUp: Int64 = 20_000_000
  static let gyroscopeStartUp: Int64 = 35_000_000
  /// The gyroscope without its filter; with it 1125 Hz.
  static let baseHertz = 9000.0

  let identity: UInt8
  let fifoSize: Int64
  var oscillator: Oscillator
  let path: SignalPath

  /// The registers of banks 0, 1 and 2.
  private var user = RegisterFile()
  private var trim = RegisterFile()
  private var motion = RegisterFile()
  /// REG_BANK_SEL, in all banks.
  private var bankSelect: UInt8 = 0
  var usableFrom: Int64 = 0
  /// The instant at which the last DEVICE_RESET ends.
  private var resetEnds: Int64 = 0

  /// The outputs when the configuration last changed, and the tick of that sample. Samples are made at ticks after
  /// ``startTick``, and valid ones after a sensor has settled.
  private var held = RawSample()
  private var heldTick: Int64 = 0
  private var startTick: Int64 = 0
  private var accelerometerSettled: Int64 = 0
  private var gyroscopeSettled: Int64 = 0
  /// What the self-test adds.
  private var accelerometerForce = SelfTestForce()
  private var gyroscopeForce = SelfTestForce()
  /// The newest sample when RAW_DATA_0_RDY_INT was cleared.
  private var acknowledgedTick: Int64 = 0
  var freeze: OutputFreeze?
  private var fifo = ByteFIFO()
  /// The outputs during the present burst.
  private var burst = RawSample()
  private var burstTick: Int64 = 0

  init(_ chip: SimulatedChip, source: MotionSource, motionOrigin: Int64, poweredOn instant: Int64) {
    identity = chip.identity
    fifoSize = chip.hasLargeFIFO ? 4096 : 512
    oscillator = Oscillator(
      origin: instant,
      hertz: Self.baseHertz * (1 + Double(chip.clockErrorPartsPerMillion) * 1e-6),
      wander: chip.clockDriftPartsPerMillion, middle: motionOrigin)
    // Zero-g level ±50 mg on a board, zero-rate level ±5 °/s (tables 1 and 2).
    path = SignalPath(
      chip: chip, source: source, origin: motionOrigin,
      accelerometerTolerance: SIMD3(repeating: 0.05), gyroscopeTolerance: 5)
    powerOn(at: instant)
  }

  mutating func powerOn(at instant: Int64) {
    usableFrom = instant + Self.startUp
    resetEnds = instant
    reset(atTick: oscillator.tick(at: instant))
  }

  /// BYPASS_EN, INT_PIN_CFG bit 1, while I2C_MST_EN, USER_CTRL bit 5, is 0.
  var isBypassed: Bool { user[0x0F] & 0x02 != 0 && user[0x03] & 0x20 == 0 }

  /// All registers are as after power-on, and the chip sleeps.
  private mutating func reset(atTick tick: Int64) {
    (user, trim, motion, bankSelect) = (RegisterFile(), RegisterFile(), RegisterFile(), 0)
    user[0x00] = identity
    user[0x05] = 0x40
    user[0x06] = 0x41
    (motion[0x01], motion[0x14]) = (0x01, 0x01)
    if path.selfTest.hasTrim {
      for axis in 0..<3 {
        trim[0x02 + UInt8(axis)] = UInt8(Self.gyroscopeCodes[axis])
        trim[0x0E + UInt8(axis)] = UInt8(Self.accelerometerCodes[axis])
      }
    }
    held = RawSample()
    (heldTick, startTick, acknowledgedTick) = (tick, tick, tick)
    (accelerometerForce, gyroscopeForce) = (SelfTestForce(), SelfTestForce())
    if freeze?.kept == nil { freeze = nil }
    fifo = ByteFIFO()
  }

  /// Awake, and its clock not stopped.
  private var isRunning: Bool { user[0x06] & 0x40 == 0 && user[0x06] & 0x07 != 7 }

  /// Ticks from one sample of the gyroscope to the next: 1125 Hz / (1 + GYRO_SMPLRT_DIV) where GYRO_FCHOICE is 1.
  private var gyroscopePeriod: Int64 {
    motion[0x01] & 0x01 != 0 ? 8 * (Int64(motion[0x00]) + 1) : 1
  }

  /// The same of the accelerometer, whose divider has twelve bits; 4500 Hz without its filter.
  private var accelerometerPeriod: Int64 {
    let divider = Int64(motion[0x10] & 0x0F) << 8 | Int64(motion[0x11])
    return motion[0x14] & 0x01 != 0 ? 8 * (divider + 1) : 2
  }

  private func newestSample(atTick tick: Int64) -> Int64 {
    guard isRunning else { return heldTick }
    let sample = tick / gyroscopePeriod * gyroscopePeriod
    return sample > startTick ? sample : heldTick
  }

  private func flaggedTick(at tick: Int64) -> Int64 {
    newestSample(atTick: freeze?.flagged(at: tick) ?? tick)
  }

  func outputs(atTick tick: Int64) -> RawSample {
    if let kept = freeze?.kept(at: tick) { return kept }
    let sample = newestSample(atTick: freeze?.shown(at: tick) ?? tick)
    guard isRunning, sample > startTick else { return held }
    var counts = held
    let accelerometerTick = sample / accelerometerPeriod * accelerometerPeriod
    if user[0x07] & 0x38 == 0, accelerometerTick > startTick {
      let value = axes(from: 0, atTick: accelerometerTick)
      (counts.ax, counts.ay, counts.az) = (value.x, value.y, value.z)
    }
    if user[0x07] & 0x07 == 0 {
      let value = axes(from: 3, atTick: sample)
      (counts.gx, counts.gy, counts.gz) = (value.x, value.y, value.z)
    }
    // TEMP_DIS. (TEMP_OUT − offset) / 333.87 + 21 °C, the offset 0 (8.31, table 1).
    if user[0x06] & 0x08 == 0 {
      counts.temperature = path.temperature(
        at: oscillator.instant(ofTick: sample), sensitivity: 333.87, zero: 21)
    }
    return counts
  }

  /// The axes of a sensor whose first one is `first`, 0 or 3.
  private func axes(from first: Int, atTick tick: Int64) -> SIMD3<Int16> {
    let isRate = first == 3
    guard tick > (isRate ? gyroscopeSettled : accelerometerSettled) else {
      return path.garbage(tick: tick, axis: first)
    }
    // GYRO_DLPFCFG (10.2), ACCEL_DLPFCFG (10.15); 0.015 °/s/√Hz and 230 µg/√Hz (tables 1 and 2).
    let filters: SIMD8<Double> =
      isRate
      ? SIMD8(196.6, 151.8, 119.5, 51.2, 23.9, 11.6, 5.7, 361.4)
      : SIMD8(246, 246, 111.4, 50.4, 23.9, 11.5, 5.7, 473)
    let control = motion[isRate ? 0x01 : 0x14]
    let range = Int(control >> 1 & 3)
    let bandwidth = control & 0x01 == 0 ? (isRate ? 12106 : 1209) : filters[Int(control >> 3 & 7)]
    return path.axes(
      from: first, at: oscillator.instant(ofTick: tick), tick: tick,
      sensitivity: isRate ? SIMD4(131, 65.5, 32.8, 16.4)[range] : 16384 / Double(1 << range),
      deviation: (isRate ? 0.015 : 230e-6) * bandwidth.squareRoot(),
      force: (isRate ? gyroscopeForce : accelerometerForce).value(atTick: tick))
  }

  private static let accelerometerCodes = SIMD3(97, 109, 126)
  private static let gyroscopeCodes = SIMD3(101, 91, 113)

  /// The tests are switched: GYRO_CONFIG_2 [5:3] and ACCEL_CONFIG_2 [4:2], X first. The answers are those of the codes: 2620
  /// counts in the finest ranges at code 1, each code 1 % more.
  private mutating func switchSelfTest(at instant: Int64) {
    let shown = oscillator.tick(at: instant + SelfTestForce.delay)
    func force(_ codes: SIMD3<Int>, _ unit: Double, _ bits: UInt8) -> SIMD3<Double> {
      SIMD3(from: 0) {
        bits << UInt8($0) & 0x04 != 0
          ? SelfTestForce.ladder(2620 / unit, by: 1.01, to: codes[$0]) : 0
      }
    }
    accelerometerForce.change(
      to: force(Self.accelerometerCodes, 16384, motion[0x15] >> 2) * path.selfTest.acceleration,
      shownAfter: shown)
    gyroscopeForce.change(
      to: force(Self.gyroscopeCodes, 131, motion[0x02] >> 3) * path.selfTest.angularRate,
      shownAfter: shown)
  }

  /// The bits that a write changes.
  private static func writableBits(_ register: UInt8, bank: UInt8) -> UInt8 {
    switch (bank, register) {
    // USER_CTRL, INT_PIN_CFG; LP_CONFIG; PWR_MGMT_1.
    case (0, 0x03): 0xF0
    case (0, 0x0F): 0xFE
    case (0, 0x05): 0x70
    case (0, 0x06): 0x6F
    // PWR_MGMT_2; GYRO_CONFIG_1 and 2, ACCEL_CONFIG.
    case (0, 0x07), (2, 0x01), (2, 0x02), (2, 0x14): 0x3F
    // INT_ENABLE_1; ODR_ALIGN_EN.
    case (0, 0x11), (2, 0x09): 0x01
    // INT_ENABLE_2, FIFO_EN_2, FIFO_RST, FIFO_MODE; ACCEL_CONFIG_2.
    case (0, 0x12), (0, 0x67...0x69), (2, 0x15): 0x1F
    // FIFO_EN_1; the dividers.
    case (0, 0x66), (2, 0x10): 0x0F
    case (2, 0x00), (2, 0x11): 0xFF
    default: 0
    }
  }

  private var bank: UInt8 { bankSelect >> 4 & 3 }

  mutating func beginRead(at instant: Int64) {
    burstTick = oscillator.tick(at: instant)
    burst = outputs(atTick: burstTick)
  }

  mutating func fetch(_ register: UInt8, at instant: Int64) -> UInt8 {
    switch (bank, register) {
    case (_, 0x7F): return bankSelect
    case (1, _): return trim[register]
    case (2, _): return motion[register]
    case (3, _): return 0
    case (_, 0x2D...0x3A): return Self.byte(register - 0x2D, of: burst)
    case (_, 0x06): return user[register] | (instant < resetEnds ? 0x80 : 0)
    // INT_STATUS_1, raised only while INT_ENABLE_1 enables it; and INT_STATUS_2. Reading clears them.
    case (_, 0x1A):
      guard user[0x11] & 0x01 != 0 else { return 0 }
      let newest = flaggedTick(at: burstTick)
      defer { acknowledgedTick = newest }
      return newest > acknowledgedTick ? 0x01 : 0
    case (_, 0x1B):
      _ = fifo.count(newest: fifoSample(atTick: burstTick))
      defer { fifo.hasOverflowed = false }
      return fifo.hasOverflowed ? 0x01 & user[0x12] : 0
    case (_, 0x70):
      fifo.latchedCount = fifo.count(newest: fifoSample(atTick: oscillator.tick(at: instant)))
      return UInt8(truncatingIfNeeded: fifo.latchedCount >> 8)
    case (_, 0x71): return UInt8(truncatingIfNeeded: fifo.latchedCount)
    case (_, 0x72): return popFIFO(atTick: oscillator.tick(at: instant))
    default: return user[register]
    }
  }

  /// A burst of the FIFO's data stays at its register.
  func successor(of register: UInt8) -> UInt8 {
    register == 0x72 && bank == 0 ? register : register &+ 1
  }

  /// A byte of the output registers: acceleration, angular rate, temperature, the high byte of each first.
  private static func byte(_ place: UInt8, of sample: RawSample) -> UInt8 {
    let word = sample[Int(place / 2)]
    return UInt8(truncatingIfNeeded: place % 2 == 0 ? word >> 8 : word)
  }

  mutating func store(_ register: UInt8, value: UInt8, at instant: Int64) {
    guard instant >= resetEnds else { return }
    if register == 0x7F {
      bankSelect = value & 0x30
      return
    }
    let tick = oscillator.tick(at: instant)
    if bank == 0, register == 0x06, value & 0x80 != 0 {
      reset(atTick: tick)
      resetEnds = instant + Self.resetTime
      return
    }
    let mask = Self.writableBits(register, bank: bank)
    guard mask != 0 else { return }
    // Earlier samples were made under the old configuration.
    (held, heldTick) = (outputs(atTick: tick), newestSample(atTick: tick))
    startTick = tick
    let (wasRunning, before) = (isRunning, user[register])
    if bank == 0 {
      user[register] = user[register] & ~mask | value & mask
    } else {
      motion[register] = motion[register] & ~mask | value & mask
    }
    if isRunning, !wasRunning {
      accelerometerSettled = oscillator.tick(at: instant + Self.accelerometerStartUp)
      gyroscopeSettled = oscillator.tick(at: instant + Self.gyroscopeStartUp)
    }
    if bank == 0, register == 0x11, before & 0x01 == 0 { acknowledgedTick = flaggedTick(at: tick) }
    if bank == 2, register == 0x02 || register == 0x15 { switchSelfTest(at: instant) }
    if bank == 2 || [0x03, 0x06, 0x07, 0x67, 0x68].contains(register) { restartFIFO(atTick: tick) }
  }

  /// The number of the newest sample in the FIFO after `tick`.
  private func fifoSample(atTick tick: Int64) -> Int64 { flaggedTick(at: tick) / gyroscopePeriod }

  /// The words of a packet, as places in a sample, by FIFO_EN_2: [4] acceleration, [1] to [3] angular rate, [0] temperature.
  private var packetWords: (places: SIMD8<Int>, count: Int) {
    var words: (places: SIMD8<Int>, count: Int) = (SIMD8(repeating: 0), 0)
    for place in 0..<7 {
      let bit: UInt8 = place < 3 ? 0x10 : place < 6 ? 0x02 << UInt8(place - 3) : 0x01
      guard user[0x67] & bit != 0 else { continue }
      words.places[words.count] = place
      words.count += 1
    }
    return words
  }

  /// It begins anew with what is on now.
  private mutating func restartFIFO(atTick tick: Int64) {
    let packet = Int64(2 * packetWords.count)
    let isOn = user[0x03] & 0x40 != 0 && user[0x68] == 0 && packet > 0 && isRunning
    fifo = ByteFIFO(
      firstSample: isOn ? tick / gyroscopePeriod + 1 : nil, packet: packet, size: fifoSize,
      hasOverflowed: fifo.hasOverflowed, lastByte: fifo.lastByte)
  }

  private mutating func popFIFO(atTick tick: Int64) -> UInt8 {
    guard let (sample, place) = fifo.take(newest: fifoSample(atTick: tick)) else {
      return fifo.lastByte
    }
    if fifo.recentSample != sample {
      fifo.recentSample = sample
      fifo.recent = outputs(atTick: sample * gyroscopePeriod)
    }
    let word = packetWords.places[Int(place / 2)]
    fifo.lastByte = Self.byte(UInt8(2 * word) + UInt8(place % 2), of: fifo.recent)
    return fifo.lastByte
  }

  /// The oldest byte vanishes.
  mutating func loseFromFIFO(at instant: Int64) {
    _ = fifo.take(newest: fifoSample(atTick: oscillator.tick(at: instant)))
  }
}
