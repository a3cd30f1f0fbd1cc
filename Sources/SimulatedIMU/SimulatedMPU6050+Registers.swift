import IMUModel

extension SimulatedMPU6050 {
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
    case 0x06...0x0B: return 0xFF  // accelerometer offsets
    case 0x0D...0x0F: return 0xFF  // self-test
    case 0x10: return 0x3F
    case 0x13...0x18: return 0xFF  // gyroscope offsets
    case sampleRateDivider: return 0xFF
    case config: return 0x7F
    case gyroConfig, accelConfig, accelConfig2: return 0xFF
    case 0x23: return 0xFF  // FIFO_EN
    case interruptPin: return 0xFF
    case interruptEnable: return 0x59
    case userControl: return 0xF0
    case powerManagement1: return 0x6F
    case powerManagement2: return 0xFF
    default: return 0
    }
  }

  mutating func loadResetValues() {
    registers = RegisterFile()
    registers[Self.powerManagement1] = wakesAfterReset ? 0x01 : 0x40
    registers[Self.whoAmI] = identity
  }

  /// A burst begins whose first byte is fetched at `instant`: from now on the outputs hold still.
  mutating func beginRead(at instant: Int64) {
    burstTick = oscillator.tick(at: instant)
    burst = outputs(atTick: burstTick)
  }

  /// The byte in `register`, fetched at `instant` within the burst.
  mutating func fetch(_ register: UInt8, at instant: Int64) -> UInt8 {
    switch register {
    case Self.firstOutput...Self.lastOutput: return outputByte(Int(register - Self.firstOutput))
    case Self.interruptStatus: return takeInterruptStatus()
    case Self.powerManagement1:
      return registers[register] | (instant < resetEnds ? 0x80 : 0)
    default: return registers[register]
    }
  }

  /// The register after `register` in a burst. The FIFO's is read again and again.
  func successor(of register: UInt8) -> UInt8 {
    register == Self.fifoData ? register : register &+ 1
  }

  /// The burst is through.
  mutating func endRead() {
    // INT_RD_CLEAR: any read clears, not only that of INT_STATUS.
    guard registers[Self.interruptPin] & 0x10 != 0 else { return }
    acknowledgedTick = flaggedTick(at: burstTick)
  }

  /// Big-endian: the high byte has the lower address.
  private func outputByte(_ offset: Int) -> UInt8 {
    let word: Int16
    switch offset / 2 {
    case 0: word = burst.ax
    case 1: word = burst.ay
    case 2: word = burst.az
    case 3: word = burst.temperature
    case 4: word = burst.gx
    case 5: word = burst.gy
    default: word = burst.gz
    }
    return UInt8(truncatingIfNeeded: offset % 2 == 0 ? word >> 8 : word)
  }

  /// MPU-6500, 9250 and 9255: PWR_MGMT_1 is 01 after a reset, the chip awake (RM-MPU-9250A, register 107).
  var wakesAfterReset: Bool { [0x70, 0x71, 0x73].contains(identity) }

  /// Data-ready is raised only while INT_ENABLE asks for it, but by chips that come back awake; reading takes it
  /// down.
  private mutating func takeInterruptStatus() -> UInt8 {
    guard registers[Self.interruptEnable] & 1 != 0 || wakesAfterReset else { return 0 }
    let newest = flaggedTick(at: burstTick)
    let isReady = newest > acknowledgedTick
    acknowledgedTick = newest
    return isReady ? 1 : 0
  }

  /// A write of `value` that is through at `instant`. During a reset, writes are lost.
  mutating func store(_ register: UInt8, value: UInt8, at instant: Int64) {
    guard instant >= resetEnds else { return }
    let tick = oscillator.tick(at: instant)
    if register == Self.powerManagement1, value & 0x80 != 0 {
      loadResetValues()
      forgetOutputs(at: tick)
      resetEnds = instant + Self.resetTime
      return
    }
    // What was sampled until now was sampled under the old configuration.
    held = outputs(atTick: tick)
    heldTick = newestSample(atTick: tick)
    startTick = tick
    let (before, wasAwake) = (registers[register], isRunning)
    registers[register] = before & ~Self.writableBits(register)
    registers[register] |= value & Self.writableBits(register)

    switch register {
    case Self.powerManagement1 where isRunning && !wasAwake:
      accelerometerSettled = oscillator.tick(at: instant + Self.accelerometerStartUp)
      gyroscopeSettled = oscillator.tick(at: instant + Self.gyroscopeStartUp)
    case Self.powerManagement2:
      let released = before & ~value
      if released & 0x38 != 0 {
        accelerometerSettled = oscillator.tick(at: instant + Self.accelerometerStartUp)
      }
      if released & 0x07 != 0 {
        gyroscopeSettled = oscillator.tick(at: instant + Self.gyroscopeStartUp)
      }
    case Self.interruptEnable where before & 1 == 0: acknowledgedTick = flaggedTick(at: tick)
    case Self.userControl where value & 1 != 0: held = RawSample()
    case Self.signalPathReset: resetSignalPaths(value)
    default: break
    }
  }

  private mutating func resetSignalPaths(_ paths: UInt8) {
    if paths & 1 != 0 { held.temperature = 0 }
    if paths & 2 != 0 { (held.ax, held.ay, held.az) = (0, 0, 0) }
    if paths & 4 != 0 { (held.gx, held.gy, held.gz) = (0, 0, 0) }
  }
}
