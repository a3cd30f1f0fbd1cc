// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// An MPU-6050 as its register map (RM-MPU-6000A) and product specification (PS-MPU-6000A) describe it.
///
///     oscillator ─► sampling ─► shadow registers ─► (not during a burst) ─► registers 3B…48 ─► bus
///
/// The state is computed from the time that each call passes, which never runs backwards.
///
/// Not simulated: the offset registers' effect, cycle mode, the auxiliary bus, the motion processor.
struct SimulatedMPU6050: RegisterChip, Sendable, BitwiseCopyable {
  /// From power-on until the registers answer; 20 ms typical (PS 6.3).
  static let startUp: Int64 = 20_000_000
  /// From DEVICE_RESET until the bit clears itself. No data sheet gives it; drivers wait 1 to 100 ms.
  static let resetTime: Int64 = 5_000_000
  /// From wake-up until acceleration is valid.
  static let accelerometerStartUp: Int64 = 20_000_000
  /// From wake-up until the angular rate is valid.
  static let gyroscopeStartUp: Int64 = 60_000_000
  /// The gyroscope's own rate; all others are fractions of it.
  static let baseHertz = 8000.0

  let identity: UInt8
  var oscillator: Oscillator
  let path: SignalPath

  var registers = RegisterFile()
  var usableFrom: Int64 = 0
  /// The instant at which the last DEVICE_RESET ends.
  var resetEnds: Int64 = 0

  /// The contents of the output registers when the configuration last changed, and the tick of that sample.
  var held = RawSample()
  var heldTick: Int64 = 0
  /// Samples are made at ticks after this one.
  var startTick: Int64 = 0
  /// Samples up to this tick are garbage.
  var accelerometerSettled: Int64 = 0
  var gyroscopeSettled: Int64 = 0
  /// What the self-test adds.
  var accelerometerForce = SelfTestForce()
  var gyroscopeForce = SelfTestForce()
  /// The newest sample at the last time when the data-ready bit was cleared.
  var acknowledgedTick: Int64 = 0
  var freeze: OutputFreeze?
  var fifo = ByteFIFO()
  /// The instant of the last read of the FIFO's data, and the tick then.
  private var (fetchInstant, fetchTick) = (Int64.min, Int64(0))

  /// The outputs during the present burst: the shadow registers wait until it ends.
  var burst = RawSample()
  var burstTick: Int64 = 0

  init(_ chip: SimulatedChip, source: MotionSource, motionOrigin: Int64, poweredOn instant: Int64) {
    identity = chip.identity
    oscillator = Oscillator(
      origin: instant,
      hertz: Self.baseHertz * (1 + Double(chip.clockErrorPartsPerMillion) * 1e-6),
      wander: chip.clockDriftPartsPerMillion, middle: motionOrigin)
    // Zero-g level ±50 mg in X and Y, ±80 mg in Z; zero-rate level ±20 °/s (PS 6.1, 6.2); of the successors ±5 °/s.
    path = SignalPath(
      chip: chip, source: source, origin: motionOrigin,
      accelerometerTolerance: SIMD3(0.05, 0.05, 0.08),
      gyroscopeTolerance: chip.identity == 0x68 ? 20 : 5)
    powerOn(at: instant)
  }

  mutating func powerOn(at instant: Int64) {
    loadResetValues()
    usableFrom = instant + Self.startUp
    resetEnds = instant
    forgetOutputs(at: oscillator.tick(at: instant))
    settle(at: instant)
  }

  /// Sensors begin to settle.
  private mutating func settle(
    accelerometer: Bool = true, gyroscope: Bool = true, at instant: Int64
  ) {
    if accelerometer {
      accelerometerSettled = oscillator.tick(at: instant + Self.accelerometerStartUp)
    }
    if gyroscope { gyroscopeSettled = oscillator.tick(at: instant + Self.gyroscopeStartUp) }
  }

  mutating func forgetOutputs(at tick: Int64) {
    held = RawSample()
    (heldTick, startTick, acknowledgedTick) = (tick, tick, tick)
    (accelerometerForce, gyroscopeForce) = (SelfTestForce(), SelfTestForce())
    if freeze?.kept == nil { freeze = nil }
    fifo = ByteFIFO()
  }

  // Register numbers (RM section 3).
  static let sampleRateDivider: UInt8 = 0x19
  static let config: UInt8 = 0x1A
  static let gyroConfig: UInt8 = 0x1B
  static let accelConfig: UInt8 = 0x1C
  /// FF_THR of the MPU-6050, ACCEL_CONFIG_2 of the MPU-6500 and later.
  static let accelConfig2: UInt8 = 0x1D
  static let interruptPin: UInt8 = 0x37
  static let interruptEnable: UInt8 = 0x38
  static let interruptStatus: UInt8 = 0x3A
  static let firstOutput: UInt8 = 0x3B
  static let lastOutput: UInt8 = 0x48
  static let signalPathReset: UInt8 = 0x68
  static let userControl: UInt8 = 0x6A
  static let powerManagement1: UInt8 = 0x6B
  static let powerManagement2: UInt8 = 0x6C
  static let fifoData: UInt8 = 0x74
  static let whoAmI: UInt8 = 0x75

  /// The bits that a write changes; 0 for registers that are read-only, reserved or absent.
  private static func writableBits(_ register: UInt8) -> UInt8 {
    switch register {
    case 0x10: return 0x3F
    case config: return 0x7F
    case interruptEnable: return 0x59
    case userControl: return 0xF0
    case powerManagement1: return 0x6F
    // Offsets, self-test, and all other settings.
    case 0x06...0x0B, 0x0D...0x0F, 0x13...accelConfig2, fifoEnable, interruptPin, powerManagement2:
      return 0xFF
    default: return 0
    }
  }

  mutating func loadResetValues() {
    registers = RegisterFile()
    registers[Self.powerManagement1] = wakesAfterReset ? 0x01 : 0x40
    registers[Self.whoAmI] = identity
    loadTrim()
  }

  /// From now on the outputs hold still.
  mutating func beginRead(at instant: Int64) {
    burstTick = oscillator.tick(at: instant)
    burst = outputs(atTick: burstTick)
  }

  mutating func fetch(_ register: UInt8, at instant: Int64) -> UInt8 {
    switch register {
    case Self.firstOutput...Self.lastOutput:
      return Self.byte(Int(register - Self.firstOutput), of: burst)
    case Self.interruptStatus: return readInterruptStatus()
    case Self.fifoCountHigh:
      fifo.latchedCount = fillFIFO(atTick: oscillator.tick(at: instant))
      return UInt8(truncatingIfNeeded: fifo.latchedCount >> 8)
    case Self.fifoCountLow: return UInt8(truncatingIfNeeded: fifo.latchedCount)
    case Self.fifoData:
      // On a bus without a clock, all bytes of a burst are of one instant.
      if instant != fetchInstant {
        (fetchInstant, fetchTick) = (instant, oscillator.tick(at: instant))
      }
      return popFIFO(atTick: fetchTick)
    case Self.powerManagement1:
      return registers[register] | (instant < resetEnds ? 0x80 : 0)
    default: return registers[register]
    }
  }

  /// A burst of the FIFO's data stays at its register.
  func successor(of register: UInt8) -> UInt8 {
    register == Self.fifoData ? register : register &+ 1
  }

  mutating func endRead() {
    // INT_RD_CLEAR: any read clears, not only a read of INT_STATUS.
    guard registers[Self.interruptPin] & 0x10 != 0 else { return }
    acknowledgedTick = flaggedTick(at: burstTick)
  }

  /// A byte of the output registers. Big-endian: the high byte has the lower address.
  static func byte(_ offset: Int, of sample: RawSample) -> UInt8 {
    // Temperature comes fourth.
    let word = sample[SIMD8(0, 1, 2, 6, 3, 4, 5, 0)[offset / 2]]
    return UInt8(truncatingIfNeeded: offset % 2 == 0 ? word >> 8 : word)
  }

  /// MPU-6500, 9250 and 9255: PWR_MGMT_1 is 01 after a reset, the chip awake (RM-MPU-9250A, register 107).
  var wakesAfterReset: Bool { [0x70, 0x71, 0x73].contains(identity) }

  /// A flag is raised only while INT_ENABLE enables it, except in chips that are awake after a reset; reading clears it.
  private mutating func readInterruptStatus() -> UInt8 {
    let enabled = wakesAfterReset ? 0xFF : registers[Self.interruptEnable]
    var status: UInt8 = 0
    if enabled & 1 != 0 {
      let newest = flaggedTick(at: burstTick)
      if newest > acknowledgedTick { status = 1 }
      acknowledgedTick = newest
    }
    _ = fillFIFO(atTick: burstTick)
    if fifo.hasOverflowed { status |= Self.fifoOverflow & enabled }
    fifo.hasOverflowed = false
    return status
  }

  mutating func store(_ register: UInt8, value: UInt8, at instant: Int64) {
    guard instant >= resetEnds else { return }
    let tick = oscillator.tick(at: instant)
    if register == Self.powerManagement1, value & 0x80 != 0 {
      loadResetValues()
      forgetOutputs(at: tick)
      resetEnds = instant + Self.resetTime
      return
    }
    // Earlier samples were made under the old configuration.
    (held, heldTick) = (outputs(atTick: tick), newestSample(atTick: tick))
    startTick = tick
    let (before, wasAwake) = (registers[register], isRunning)
    registers[register] = before & ~Self.writableBits(register)
    registers[register] |= value & Self.writableBits(register)

    if registers[Self.userControl] & Self.fifoIsOn != 0, Self.changesSamples(register) {
      restartFIFO(atTick: tick)
    }
    switch register {
    case Self.powerManagement1 where isRunning && !wasAwake:
      settle(at: instant)
    case Self.powerManagement2:
      let released = before & ~value
      settle(accelerometer: released & 0x38 != 0, gyroscope: released & 0x07 != 0, at: instant)
    case Self.interruptEnable where before & 1 == 0: acknowledgedTick = flaggedTick(at: tick)
    case Self.userControl:
      if value & 1 != 0 { held = RawSample() }
      changeFIFO(from: before, to: value, atTick: tick)
    case Self.signalPathReset: resetSignalPaths(value)
    case Self.gyroConfig, Self.accelConfig: switchSelfTest(register, at: instant)
    default: break
    }
  }

  private mutating func resetSignalPaths(_ paths: UInt8) {
    if paths & 1 != 0 { held.temperature = 0 }
    if paths & 2 != 0 { (held.ax, held.ay, held.az) = (0, 0, 0) }
    if paths & 4 != 0 { (held.gx, held.gy, held.gz) = (0, 0, 0) }
  }
}
