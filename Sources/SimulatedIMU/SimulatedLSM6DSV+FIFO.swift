// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Where the LSM6DSV's FIFO and its time stamp are in the register map (LSM6DSV16X data sheet 6.12 and 9).
///
/// Differences to the LSM6DSO: 256 words, of which the count has 9 bits and the watermark 8, other registers of the status,
/// no parity in the tags; a tag of 0 says that the FIFO is empty.
extension SimulatedLSM6DSV {
  private static let fifoControl1: UInt8 = 0x07
  private static let fifoControl2: UInt8 = 0x08
  private static let fifoControl3: UInt8 = 0x09
  private static let fifoControl4: UInt8 = 0x0A
  private static let interrupt2Control: UInt8 = 0x0E
  private static let fifoStatus1: UInt8 = 0x1B
  private static let fifoStatus2: UInt8 = 0x1C
  private static let functions: UInt8 = 0x50
  static let timestamp: ClosedRange<UInt8> = 0x40...0x43

  /// FIFO_MODE: 1 stops when full, 6 is continuous; 3 is, too, until an event that never comes.
  private var fifoMode: UInt8 { registers[Self.fifoControl4] & 0x07 }
  private var isFIFOOn: Bool { fifoMode == 1 || fifoMode == 3 || fifoMode == 6 }

  private var isTimed: Bool { registers[Self.functions] & 0x40 != 0 }

  /// What the registers batch: BDR_GY and BDR_XL are codes of data rates, the temperature has 1.875, 15 or 60 Hz.
  private var batch: TaggedFIFO.Batch {
    let rates = registers[Self.fifoControl3]
    let control = registers[Self.fifoControl4]
    let every = SIMD4<Int64>(0, 1, 8, 32)
    let temperature = SIMD4<Int64>(0, 4096, 512, 128)
    func period(_ code: UInt8) -> Int64 { code == 1 ? 4096 : Self.ticks(code) }
    var batch = TaggedFIFO.Batch(
      gyroscope: gyroscopePeriod > 0 ? period(rates >> 4) : 0,
      accelerometer: accelerometerPeriod > 0 ? period(rates & 0x0F) : 0,
      timestampEvery: isTimed ? every[Int(control >> 6)] : 0,
      temperature: temperature[Int(control >> 4 & 3)])
    batch.hasParity = false
    let watermark = Int64(registers[Self.fifoControl1])
    let isLimited = registers[Self.fifoControl2] & 0x80 != 0 && watermark > 0
    batch.limit = isLimited ? watermark : 256
    batch.stops = fifoMode == 1 || isLimited && stages.stopsAtWatermark
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
    let tick = stages.stored(atTick: oscillator.tick(at: instant))
    // Resets and power cuts clear the registers.
    if !isFIFOOn { fifo = TaggedFIFO() }
    switch register {
    case Self.fifoStatus1: return UInt8(truncatingIfNeeded: fifo.count(atTick: tick))
    case Self.fifoStatus2:
      let high = UInt8(truncatingIfNeeded: fifo.count(atTick: tick) >> 8) & 1
      return fifo.readStatus(atTick: tick, watermark: Int64(registers[Self.fifoControl1])) | high
    case Self.fifoWord:
      let chip = self
      return fifo.fetch(Int(register - Self.fifoWord.lowerBound), atTick: tick) { kind, tick in
        chip.stages.words(kind, atTick: tick, stamp: chip.stamp(atPhase: Double(tick)))
      }
    case Self.timestamp:
      return UInt8(
        truncatingIfNeeded: stamp(atPhase: oscillator.phase(at: instant))
          >> (8 * Int64(register - Self.timestamp.lowerBound)))
    default: return nil
    }
  }

  /// The time stamp in 21.7 µs, a sixth of the oscillator's tick; 0 while off.
  private func stamp(atPhase phase: Double) -> Int64 {
    isTimed ? timer.count(atPhase: phase) : 0
  }

  /// INT2_CTRL bit 3: the watermark, while it is reached.
  mutating func isInterruptHigh(at instant: Int64) -> Bool {
    let watermark = Int64(registers[Self.fifoControl1])
    return registers[Self.interrupt2Control] & 0x08 != 0 && isFIFOOn && watermark > 0
      && fifo.count(atTick: oscillator.tick(at: instant)) >= watermark
  }

  mutating func loseFromFIFO(at instant: Int64) { fifo.lose(atTick: oscillator.tick(at: instant)) }

  /// Whether a register decides what samples are, or which of them go into the FIFO.
  static func changesFIFO(_ register: UInt8) -> Bool {
    switch register {
    case fifoControl3, fifoControl4, control1, control2, control6...control9, functions: true
    default: false
    }
  }
}
