// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// An LSM6DSV as the data sheet of its relative LSM6DSV16X describes it.
///
/// Not simulated: the FIFO's compression and its modes that wait for an event, user offsets, high-pass filters, low power's
/// filters, high-accuracy and triggered data rates (as high performance), embedded functions (their banks read 0), Qvar,
/// the channels for image stabilisation.
struct SimulatedLSM6DSV: LSM6Chip, BitwiseCopyable {
  // Register numbers (section 9).
  private static let interface: UInt8 = 0x03
  private static let internalFrequencyFine: UInt8 = 0x4F
  private static let functions: UInt8 = 0x50
  /// A tick of the time stamp is 21.7 µs.
  static let fifoMap = LSM6FIFOMap(
    status: 0x1B, words: 256, timer: (functions, 0x40), hasParity: false,
    governing: [control1...control2, control6...control9, functions...functions])

  static let bootTime: Int64 = 10_000_000
  /// From SW_RESET until the bit clears itself.
  private static let resetTime: Int64 = 150_000
  /// From SW_POR until the chip answers.
  private static let globalResetTime: Int64 = 30_000_000
  private static let gyroscopeTurnOn: Int64 = 30_000_000
  /// The fastest output data rate; all others are fractions of it.
  private static let baseHertz = 7680.0

  private let identity: UInt8
  private let frequencyFine: Int8
  var registers = RegisterFile()
  var stages: OutputStages
  var fifo = TaggedFIFO()
  var timer = TimestampCounter()
  var usableFrom: Int64 = 0
  var resetEnds: Int64 = 0

  init(_ chip: SimulatedChip, source: MotionSource, motionOrigin: Int64, poweredOn instant: Int64) {
    identity = chip.identity
    // INTERNAL_FREQ_FINE in steps of 0.13 %; ODR_actual = 7680·(1 + 0.0013·FREQ_FINE)/coefficient.
    frequencyFine = chip.frequencySteps(of: 1300)
    // Zero-g level ±12 mg, zero-rate level ±1 °/s.
    stages = OutputStages(
      chip, source, origin: motionOrigin, poweredOn: instant,
      hertz: Self.baseHertz * (1 + 0.0013 * Double(frequencyFine)), tolerances: (0.012, 1))
    powerOn(at: instant)
  }

  var resetValues: RegisterFile {
    var values = RegisterFile()
    values[Self.pinControl] = 0x23
    values[Self.whoAmI] = identity
    values[Self.control3] = 0x44
    values[Self.internalFrequencyFine] = UInt8(bitPattern: frequencyFine)
    values[0x51] = 0x0E
    values[0x54] = 0x04
    return values
  }

  func acknowledges(at instant: Int64) -> Bool {
    // IF_CFG bit 0 switches I2C off.
    instant >= usableFrom && registers[Self.interface] & 0x01 == 0
  }

  // MARK: The bus

  /// Banks of embedded functions and of the sensor hub.
  var isOtherBank: Bool { registers[Self.functionAccess] & 0xC0 != 0 }

  mutating func fetchFIFO(_ register: UInt8, at instant: Int64) -> UInt8? {
    fetchTaggedFIFO(register, at: instant)
  }

  mutating func isInterruptHigh(at instant: Int64) -> Bool { isTaggedInterruptHigh(at: instant) }

  mutating func loseFromFIFO(at instant: Int64) { fifo.lose(atTick: oscillator.tick(at: instant)) }

  mutating func store(_ register: UInt8, value: UInt8, at instant: Int64) {
    guard instant >= resetEnds, !isOtherBank || register == Self.functionAccess else { return }
    switch register {
    case Self.functionAccess where value & 0x04 != 0:
      powerOn(at: instant)
      usableFrom = instant + Self.globalResetTime
    case Self.functionAccess: registers[register] = value & 0xCA
    case Self.control3: control(value, at: instant)
    case Self.control1, Self.control2, Self.control4, Self.control6...Self.control9:
      reconfigure(register, value, at: instant)
    case Self.control10:
      registers[register] = value
      stages.switchSelfTest(
        value, isFineRange: registers[Self.control6] & 0x0F == 1, at: instant)
    // Pins, FIFO control, interrupts, CTRL5, functions, taps, user offsets; the rest is read-only or reserved.
    case 0x02, 0x03, 0x07...0x0E, 0x14, 0x50, 0x51, 0x54...0x5F, 0x62, 0x73...0x75:
      registers[register] = value
    case Self.timestamp2 where value == 0xAA:
      timer.start = oscillator.phase(at: instant)
    default: break
    }
    noteFIFO(register, at: instant)
  }

  /// CTRL3: [0] SW_RESET keeps PIN_CTRL and IF_CFG.
  private mutating func control(_ value: UInt8, at instant: Int64) {
    if value & 0x01 != 0 {
      let (pins, interface) = (registers[Self.pinControl], registers[Self.interface])
      reset(at: instant, until: instant + Self.resetTime)
      registers[Self.pinControl] = pins
      registers[Self.interface] = interface
      return
    }
    setControl3(value, kept: 0x44, at: instant)
  }

  // MARK: The settings in the control registers

  /// Ticks a sample by ODR code: 2 is 7.5 Hz, 12 is 7680 Hz.
  static func ticks(_ code: UInt8) -> Int64 {
    (2...12).contains(code) ? 4096 >> Int64(code) : 0
  }

  static func batchTicks(_ code: UInt8) -> Int64 { code == 1 ? 4096 : ticks(code) }

  private var accelerometerMode: UInt8 { registers[Self.control1] >> 4 & 7 }
  private var isLowPower: Bool { (4...6).contains(accelerometerMode) }

  /// Ticks a sample of acceleration; 0 when off. Code 1 is 1.875 Hz in low power.
  var accelerometerPeriod: Int64 {
    let code = registers[Self.control1] & 0x0F
    return code == 1 && isLowPower ? 4096 : Self.ticks(code)
  }

  /// Ticks a sample of angular rate; 0 when off or asleep, mode 4.
  var gyroscopePeriod: Int64 {
    let control = registers[Self.control2]
    return control >> 4 & 7 == 4 ? 0 : Self.ticks(control & 0x0F)
  }

  private mutating func reconfigure(_ register: UInt8, _ content: UInt8, at instant: Int64) {
    let tick = oscillator.tick(at: instant)
    stages.hold(atTick: tick)
    let before = self
    registers[register] = content
    // 60 µg/√Hz in high performance, 100 in the normal mode and, without a published figure, in low power.
    stages.accelerometer.set(
      accelerometerPeriod, countsPerG,
      (accelerometerMode < 4 ? 60e-6 : 100e-6) * accelerometerBandwidth.squareRoot())
    stages.gyroscope.set(
      gyroscopePeriod, countsPerDegree, 2.8e-3 * gyroscopeBandwidth.squareRoot())
    // 60 Hz.
    stages.thermometer.set(accelerometerPeriod + gyroscopePeriod > 0 ? 128 : 0, 256)

    let filters = [Self.control1, Self.control8, Self.control9]
    if accelerometerPeriod > 0, filters.contains(where: { registers[$0] != before.registers[$0] }) {
      let samples = usesSecondFilter ? max(2, Int64(secondFilterDivider * 4 / 5)) : 1
      stages.accelerometer.settled = tick + samples * accelerometerPeriod
    }
    if gyroscopePeriod > 0, register == Self.control2 || register == Self.control7 {
      let begin =
        before.gyroscopePeriod == 0 ? oscillator.tick(at: instant + Self.gyroscopeTurnOn) : tick
      let hertz = Self.baseHertz / Double(gyroscopePeriod)
      let samples = max(3, Int64((0.8 * hertz / gyroscopeBandwidth).rounded()))
      stages.gyroscope.settled = begin + samples * gyroscopePeriod
    }
  }

  /// 2, 4, 8 and 16 g: 0.061, 0.122, 0.244, 0.488 mg a count.
  private var countsPerG: Double {
    1 / [0.061e-3, 0.122e-3, 0.244e-3, 0.488e-3][Int(registers[Self.control8] & 3)]
  }

  /// 125, 250, 500, 1000, 2000 °/s and with code 12 4000 °/s; the others are reserved, here 125.
  private var countsPerDegree: Double {
    let scales = [4.375e-3, 8.75e-3, 17.5e-3, 35e-3, 70e-3]
    let code = Int(registers[Self.control6] & 0x0F)
    return 1 / (code == 12 ? 140e-3 : scales[code < 5 ? code : 0])
  }

  private var usesSecondFilter: Bool { registers[Self.control9] & 0x08 != 0 }

  /// Hertz: half the output data rate, or the part of it that LPF2 passes.
  private var accelerometerBandwidth: Double {
    guard accelerometerPeriod > 0 else { return 0 }
    return Self.baseHertz / Double(accelerometerPeriod)
      / Double(usesSecondFilter ? secondFilterDivider : 2)
  }

  /// Hertz: tables 21 and 64 by LPF1_G_BW, which the slower data rates lack.
  private var gyroscopeBandwidth: Double {
    let code = Int(registers[Self.control2] & 0x0F)
    guard (2...12).contains(code) else { return 0 }
    let second = [3.4, 6.6, 13, 24.6, 49.4, 96, 187, 342, 491, 528, 537][code - 2]
    guard registers[Self.control7] & 0x01 != 0, code >= 5 else { return second }
    let rows: [[Double]] = [
      [24.6, 49.4, 96, 175, 241, 273, 280, 281], [24.6, 49.4, 96, 157, 195, 210, 213, 213],
      [24.6, 49.4, 96, 131, 149, 155, 156, 156], [24.6, 49.4, 96, 188, 310, 387, 403, 407],
      [24.6, 49.4, 78.4, 94, 100, 101, 102, 102], [24.6, 42.6, 53, 56.7, 57.9, 58.2, 58.3, 58],
      [18, 24.2, 27.3, 28.4, 28.7, 28.8, 28.8, 28.8],
      [12.1, 13.6, 14.2, 14.3, 14.4, 14.4, 14.4, 14.4],
    ]
    return rows[Int(registers[Self.control6] >> 4 & 7)][code - 5]
  }
}
