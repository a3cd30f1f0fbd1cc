extension SimulatedLSM6DSO {
  // Register numbers (DS12140 section 8).
  static let functionAccess: UInt8 = 0x01
  static let pinControl: UInt8 = 0x02
  static let whoAmI: UInt8 = 0x0F
  static let control1: UInt8 = 0x10
  static let control2: UInt8 = 0x11
  static let control3: UInt8 = 0x12
  static let control4: UInt8 = 0x13
  static let control6: UInt8 = 0x15
  static let control7: UInt8 = 0x16
  static let control8: UInt8 = 0x17
  static let control9: UInt8 = 0x18
  static let control10: UInt8 = 0x19
  static let status: UInt8 = 0x1E
  static let firstOutput: UInt8 = 0x20
  static let lastOutput: UInt8 = 0x2D
  static let internalFrequencyFine: UInt8 = 0x63
  static let fifoTag: UInt8 = 0x78
  static let fifoEnd: UInt8 = 0x7E

  /// Whether the relative has the LSM6DSO's newer registers, and not those of LSM6DS3 and LSM6DSL.
  private var isNewGeneration: Bool { identity != 0x69 && identity != 0x6A }

  /// The bits that a write changes; 0 for registers that are read-only, reserved or absent.
  private static func writableBits(_ register: UInt8) -> UInt8 {
    switch register {
    case functionAccess: return 0xE0
    case pinControl: return 0xFF
    case 0x06...0x0C: return 0xFF  // FIFO control, COUNTER_BDR
    case 0x0D, 0x0E: return 0xFF  // interrupt pins
    case control1, control2: return 0xFF
    case control3: return 0xFD  // bit 1 (byte order) went with the LSM6DSO
    case control4...control10: return 0xFF
    case 0x56...0x5F: return 0xFF  // taps, wake-up, free fall, interrupt routing
    case 0x62: return 0x19
    case 0x73...0x75: return 0xFF  // user offsets
    default: return 0
    }
  }

  mutating func loadResetValues() {
    registers = RegisterFile()
    registers[Self.whoAmI] = identity
    registers[Self.control3] = 0x04
    if isNewGeneration {
      registers[Self.pinControl] = 0x3F
      registers[Self.control9] = 0xE0
      registers[Self.internalFrequencyFine] = UInt8(bitPattern: frequencyFine)
    } else if identity == 0x69 {
      registers[Self.control9] = 0x38
      registers[Self.control10] = 0x38
    }
  }

  /// Whether register numbers mean something else just now: a bank of embedded functions.
  private var isOtherBank: Bool { registers[Self.functionAccess] != 0 }

  /// Nothing to do: the outputs do not wait for a burst to end.
  mutating func beginRead(at instant: Int64) {}

  /// Nothing to do.
  mutating func endRead() {}

  /// The byte in `register`, fetched at `instant`.
  mutating func fetch(_ register: UInt8, at instant: Int64) -> UInt8 {
    if isOtherBank { return register == Self.functionAccess ? registers[register] : 0 }
    switch register {
    case Self.status: return statusByte(atTick: oscillator.tick(at: instant))
    case Self.firstOutput...Self.lastOutput:
      return fetchOutput(Int(register - Self.firstOutput), atTick: oscillator.tick(at: instant))
    case Self.control3: return registers[register] | (instant < resetEnds ? 0x01 : 0)
    default: return registers[register]
    }
  }

  /// The register after `register` in a burst: the same without IF_INC; the FIFO's words go round.
  func successor(of register: UInt8) -> UInt8 {
    guard registers[Self.control3] & 0x04 != 0 else { return register }
    return register == Self.fifoEnd ? Self.fifoTag : register &+ 1
  }

  /// A write of `value` that is through at `instant`. During a reset, writes are lost.
  mutating func store(_ register: UInt8, value: UInt8, at instant: Int64) {
    guard instant >= resetEnds, !isOtherBank || register == Self.functionAccess else { return }
    let tick = oscillator.tick(at: instant)
    if register == Self.control3, value & 0x01 != 0 {
      reset(at: tick)
      resetEnds = instant + Self.resetTime
      return
    }
    let writable = Self.writableBits(register)
    let content = registers[register] & ~writable | value & writable
    switch register {
    case Self.control1, Self.control2, Self.control4, Self.control6...Self.control8:
      reconfigure(register, content, at: instant)
    case Self.control3:
      // BOOT loads the trim again and keeps the control registers.
      if content & 0x80 != 0 { usableFrom = instant + Self.bootTime }
      registers[register] = content & 0x7E
      if content & 0x40 == 0 { lock = BlockUpdateLock() }
    default: registers[register] = content
    }
  }
}
