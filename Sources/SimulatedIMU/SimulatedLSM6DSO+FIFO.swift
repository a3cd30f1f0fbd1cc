import IMUModel

/// Where the LSM6DSO's FIFO and its time stamp are in the register map (DS12140 9).
extension SimulatedLSM6DSO {
  static let fifoControl1: UInt8 = 0x07
  static let fifoControl2: UInt8 = 0x08
  static let fifoControl3: UInt8 = 0x09
  static let fifoControl4: UInt8 = 0x0A
  static let fifoStatus1: UInt8 = 0x3A
  static let fifoStatus2: UInt8 = 0x3B
  static let timestamp: ClosedRange<UInt8> = 0x40...0x43

  /// FIFO_MODE 6: continuous.
  private var isFIFOOn: Bool { registers[Self.fifoControl4] & 0x07 == 6 }

  private var watermark: Int64 {
    Int64(registers[Self.fifoControl1]) | Int64(registers[Self.fifoControl2] & 1) << 8
  }

  /// What the registers batch: BDR_GY and BDR_XL are ODR codes, the temperature has 1.6, 12.5 or 52 Hz.
  private var batch: TaggedFIFO.Batch {
    let rates = registers[Self.fifoControl3]
    let control = registers[Self.fifoControl4]
    let every: [Int64] = [0, 1, 8, 32]
    let temperature: [Int64] = [0, 4096, 512, 128]
    return TaggedFIFO.Batch(
      gyroscope: gyroscopePeriod > 0 ? Self.ticks(rates >> 4) : 0,
      accelerometer: accelerometerPeriod > 0 ? Self.ticks(rates & 0x0F) : 0,
      timestampEvery: registers[Self.control10] & 0x20 != 0 ? every[Int(control >> 6)] : 0,
      temperature: temperature[Int(control >> 4 & 3)])
  }

  /// A register that the FIFO depends on was written at `tick`: mode 0 empties it.
  mutating func restartFIFO(atTick tick: Int64) {
    fifo.restart(isFIFOOn ? batch : nil, atTick: tick)
  }

  /// The byte of a FIFO register, fetched at `instant`; `nil` for other registers.
  ///
  /// The two bytes of the count are of different instants: a carry between them shows as a wrong count.
  mutating func fetchFIFO(_ register: UInt8, at instant: Int64) -> UInt8? {
    let tick = oscillator.tick(at: instant)
    // Resets and power cuts clear the registers.
    if !isFIFOOn { fifo = TaggedFIFO() }
    switch register {
    case Self.fifoStatus1: return UInt8(truncatingIfNeeded: fifo.count(atTick: tick))
    case Self.fifoStatus2:
      let high = UInt8(truncatingIfNeeded: fifo.count(atTick: tick) >> 8) & 3
      return fifo.readStatus(atTick: tick, watermark: watermark) | high
    case Self.fifoTag...Self.fifoEnd:
      let stages = stages
      let isTimed = registers[Self.control10] & 0x20 != 0
      return fifo.fetch(Int(register - Self.fifoTag), atTick: tick) { kind, tick in
        switch kind {
        case .gyroscope: stages.counts(stages.gyroscope, atTick: tick)
        case .accelerometer: stages.counts(stages.accelerometer, atTick: tick)
        case .temperature: stages.counts(stages.thermometer, atTick: tick)
        case .timestamp:
          isTimed
            ? SIMD3(
              Int16(truncatingIfNeeded: tick * Self.stampsPerTick),
              Int16(truncatingIfNeeded: (tick * Self.stampsPerTick) >> 16), 0)
            : SIMD3(repeating: 0)
        }
      }
    case Self.timestamp:
      guard registers[Self.control10] & 0x20 != 0 else { return 0 }
      let stamp = oscillator.phase(at: instant) * Double(Self.stampsPerTick)
      return UInt8(truncatingIfNeeded: Int64(stamp) >> (8 * Int64(register - 0x40)))
    default: return nil
    }
  }

  /// The time stamp counts 25 µs where a tick of the oscillator is 150: both by the same clock.
  private static var stampsPerTick: Int64 { 6 }

  /// Whether a register decides what samples are, or which of them go into the FIFO.
  static func changesFIFO(_ register: UInt8) -> Bool {
    switch register {
    case fifoControl3, fifoControl4, control1, control2, control4, control6...control8, control10:
      true
    default: false
    }
  }
}
