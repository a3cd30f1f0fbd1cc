// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Where the LSM6DSO's FIFO and its time stamp are in the register map (DS12140 9).
extension SimulatedLSM6DSO {
  static let fifoControl1: UInt8 = 0x07
  static let fifoControl2: UInt8 = 0x08
  static let fifoControl3: UInt8 = 0x09
  static let fifoControl4: UInt8 = 0x0A
  static let interrupt2Control: UInt8 = 0x0E
  static let fifoStatus1: UInt8 = 0x3A
  static let fifoStatus2: UInt8 = 0x3B
  static let timestamp: ClosedRange<UInt8> = 0x40...0x43

  /// FIFO_MODE: 1 stops when full, 6 is continuous; 3 is, too, until an event that never comes.
  private var fifoMode: UInt8 { registers[Self.fifoControl4] & 0x07 }
  private var isFIFOOn: Bool { fifoMode == 1 || fifoMode == 3 || fifoMode == 6 }

  private var watermark: Int64 {
    Int64(registers[Self.fifoControl1]) | Int64(registers[Self.fifoControl2] & 1) << 8
  }

  /// What the registers batch: BDR_GY and BDR_XL are ODR codes, the temperature has 1.6, 12.5 or 52 Hz.
  private var batch: TaggedFIFO.Batch {
    let rates = registers[Self.fifoControl3]
    let control = registers[Self.fifoControl4]
    let every = SIMD4<Int64>(0, 1, 8, 32)
    let temperature = SIMD4<Int64>(0, 4096, 512, 128)
    var batch = TaggedFIFO.Batch(
      gyroscope: gyroscopePeriod > 0 ? Self.ticks(rates >> 4) : 0,
      accelerometer: accelerometerPeriod > 0 ? Self.ticks(rates & 0x0F) : 0,
      timestampEvery: registers[Self.control10] & 0x20 != 0 ? every[Int(control >> 6)] : 0,
      temperature: temperature[Int(control >> 4 & 3)])
    // STOP_ON_WTM; in continuous mode as the predecessors' STOP_ON_FTH (AN5130 figure 35), for want of a word about it.
    let isLimited = registers[Self.fifoControl2] & 0x80 != 0 && watermark > 0
    batch.stops = fifoMode == 1 || isLimited && stages.stopsAtWatermark
    batch.limit = isLimited ? watermark : 512
    return batch
  }

  /// A register that the FIFO depends on was written at `tick`: mode 0 empties it.
  mutating func restartFIFO(atTick tick: Int64) {
    fifo.restart(isFIFOOn ? batch : nil, atTick: tick)
  }

  /// The byte of a FIFO register, fetched at `instant`; `nil` for other registers.
  ///
  /// The two bytes of the count are of different instants: a carry between them shows as a wrong count.
  mutating func fetchFIFO(_ register: UInt8, at instant: Int64) -> UInt8? {
    guard isNewGeneration else { return fetchPatternFIFO(register, at: instant) }
    let tick = stages.stored(atTick: oscillator.tick(at: instant))
    // Resets and power cuts clear the registers.
    if !isFIFOOn { fifo = TaggedFIFO() }
    switch register {
    case Self.fifoStatus1: return UInt8(truncatingIfNeeded: fifo.count(atTick: tick))
    case Self.fifoStatus2:
      let high = UInt8(truncatingIfNeeded: fifo.count(atTick: tick) >> 8) & 3
      return fifo.readStatus(atTick: tick, watermark: watermark) | high
    case Self.fifoTag...Self.fifoEnd:
      let chip = self
      return fifo.fetch(Int(register - Self.fifoTag), atTick: tick) { kind, tick in
        chip.stages.words(kind, atTick: tick, stamp: chip.stamp(atPhase: Double(tick)))
      }
    case Self.timestamp:
      return UInt8(
        truncatingIfNeeded: stamp(atPhase: oscillator.phase(at: instant))
          >> (8 * Int64(register - Self.timestamp.lowerBound)))
    default: return nil
    }
  }

  /// The time stamp in 25 µs; 0 while off, CTRL10_C bit 5.
  private func stamp(atPhase phase: Double) -> Int64 {
    registers[Self.control10] & 0x20 != 0 ? timer.count(atPhase: phase) : 0
  }

  /// INT2_CTRL bit 3: the watermark, while it is reached.
  mutating func isInterruptHigh(at instant: Int64) -> Bool {
    guard registers[Self.interrupt2Control] & 0x08 != 0 else { return false }
    let tick = oscillator.tick(at: instant)
    guard isNewGeneration else { return isThresholdReached(atTick: tick) }
    return isFIFOOn && watermark > 0 && fifo.count(atTick: tick) >= watermark
  }

  mutating func loseFromFIFO(at instant: Int64) {
    let tick = oscillator.tick(at: instant)
    fifo.lose(atTick: tick)
    patternFIFO.lose(atTick: tick)
  }

  /// Whether a register decides what samples are, or which of them go into the FIFO.
  static func changesFIFO(_ register: UInt8) -> Bool {
    switch register {
    case fifoControl3, fifoControl4, control1, control2, control4, control6...control8, control10:
      true
    default: false
    }
  }
}
