// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// What LSM6DSO and LSM6DSV have in common in their register maps: identity, CTRL3, CTRL4, status, outputs, and the FIFO of
/// words with tags and the time stamp (DS12140 9; LSM6DSV16X data sheet 6.12 and 9).
protocol LSM6Chip: STChip {
  static var fifoMap: LSM6FIFOMap { get }
  /// Ticks a slot by the code of a batching rate; 0 for none.
  static func batchTicks(_ code: UInt8) -> Int64
  /// Ticks a sample; 0 while the sensor is off.
  var accelerometerPeriod: Int64 { get }
  var gyroscopePeriod: Int64 { get }
  /// Whether another bank is selected, in which register numbers mean something else.
  var isOtherBank: Bool { get }
  var fifo: TaggedFIFO { get set }
  var timer: TimestampCounter { get set }
  /// The byte of a FIFO register, fetched at `instant`; `nil` for other registers.
  mutating func fetchFIFO(_ register: UInt8, at instant: Int64) -> UInt8?
}

/// What differs between the FIFOs: the LSM6DSV's has half as many words, other registers of the status, and no parity in
/// its tags.
struct LSM6FIFOMap: Sendable {
  let status: UInt8
  let words: Int64
  /// The register and the bit that let the time stamp run.
  let timer: (register: UInt8, bit: UInt8)
  let hasParity: Bool
  /// The registers, besides those of the FIFO, that decide what samples are.
  let governing: [ClosedRange<UInt8>]
}

/// Register numbers.
enum LSM6Map {
  static let functionAccess: UInt8 = 0x01
  static let pinControl: UInt8 = 0x02
  static let fifoControl1: UInt8 = 0x07
  static let fifoControl2: UInt8 = 0x08
  static let fifoControl3: UInt8 = 0x09
  static let fifoControl4: UInt8 = 0x0A
  static let interrupt2Control: UInt8 = 0x0E
  static let control3: UInt8 = 0x12
  static let control4: UInt8 = 0x13
  static let status: UInt8 = 0x1E
  static let outputs: ClosedRange<UInt8> = 0x20...0x2D
  static let timestamp: ClosedRange<UInt8> = 0x40...0x43
  /// Resets the time stamp when AA is written to it.
  static let timestamp2: UInt8 = 0x42
  static let fifoWord: ClosedRange<UInt8> = 0x78...0x7E
}

extension LSM6Chip {
  static var whoAmI: UInt8 { 0x0F }

  /// The byte in `register`, fetched at `instant`.
  mutating func fetch(_ register: UInt8, at instant: Int64) -> UInt8 {
    if isOtherBank { return register == LSM6Map.functionAccess ? registers[register] : 0 }
    if let byte = fetchFIFO(register, at: instant) { return byte }
    switch register {
    case LSM6Map.status:
      // With DRDY_MASK, CTRL4 bit 3, a sensor that has yet to settle raises nothing.
      return stages.status(
        atTick: oscillator.tick(at: instant),
        masksUnsettled: registers[LSM6Map.control4] & 0x08 != 0)
    case LSM6Map.outputs:
      let offset = Int(register - LSM6Map.outputs.lowerBound)
      // BDU, CTRL3 bit 6.
      return stages.fetch(
        offset / 2, isHigh: offset % 2 == 1, atTick: oscillator.tick(at: instant),
        holdsPairs: registers[LSM6Map.control3] & 0x40 != 0)
    case LSM6Map.control3: return registers[register] | (instant < resetEnds ? 0x01 : 0)
    default: return registers[register]
    }
  }

  /// The register after `register` in a burst: the same without IF_INC; the FIFO's words repeat.
  func successor(of register: UInt8) -> UInt8 {
    guard registers[LSM6Map.control3] & 0x04 != 0 else { return register }
    return register == LSM6Map.fifoWord.upperBound ? LSM6Map.fifoWord.lowerBound : register &+ 1
  }

  // MARK: The FIFO

  /// FIFO_MODE: 1 stops when full, 6 is continuous; 3 is, too, until an event that never comes.
  private var fifoMode: UInt8 { registers[LSM6Map.fifoControl4] & 0x07 }
  private var isFIFOOn: Bool { fifoMode == 1 || fifoMode == 3 || fifoMode == 6 }

  /// Of as many bits as a count of all words but one has.
  private var watermark: Int64 {
    let low = Int64(registers[LSM6Map.fifoControl1])
    return (low | Int64(registers[LSM6Map.fifoControl2] & 1) << 8) & (Self.fifoMap.words - 1)
  }

  private var isTimed: Bool {
    registers[Self.fifoMap.timer.register] & Self.fifoMap.timer.bit != 0
  }

  /// What the registers batch: BDR_GY and BDR_XL are ODR codes, the temperature has a 4096th, 512th or 128th of the fastest
  /// data rate.
  private var batch: TaggedFIFO.Batch {
    let rates = registers[LSM6Map.fifoControl3]
    let control = registers[LSM6Map.fifoControl4]
    // STOP_ON_WTM; in continuous mode as the predecessors' STOP_ON_FTH (AN5130 figure 35), for want of a word about it.
    let isLimited = registers[LSM6Map.fifoControl2] & 0x80 != 0 && watermark > 0
    return TaggedFIFO.Batch(
      gyroscope: gyroscopePeriod > 0 ? Self.batchTicks(rates >> 4) : 0,
      accelerometer: accelerometerPeriod > 0 ? Self.batchTicks(rates & 0x0F) : 0,
      temperature: SIMD4(0, 4096, 512, 128)[Int(control >> 4 & 3)],
      timestampEvery: isTimed ? SIMD4(0, 1, 8, 32)[Int(control >> 6)] : 0,
      limit: isLimited ? watermark : Self.fifoMap.words,
      stops: fifoMode == 1 || isLimited && stages.stopsAtWatermark)
  }

  /// A register was written at `instant`. The FIFO starts anew with what decides what goes into it; mode 0 empties it.
  mutating func noteFIFO(_ register: UInt8, at instant: Int64) {
    guard
      register == LSM6Map.fifoControl3 || register == LSM6Map.fifoControl4
        || Self.fifoMap.governing.contains(where: { $0.contains(register) })
    else { return }
    fifo =
      isFIFOOn
      ? TaggedFIFO(
        batch, hasParity: Self.fifoMap.hasParity, atTick: oscillator.tick(at: instant))
      : TaggedFIFO()
  }

  /// The two bytes of the count are of different instants: a carry between them shows as a wrong count.
  mutating func fetchTaggedFIFO(_ register: UInt8, at instant: Int64) -> UInt8? {
    let tick = stages.stored(atTick: oscillator.tick(at: instant))
    // Resets and power cuts clear the registers.
    if !isFIFOOn { fifo = TaggedFIFO() }
    let status = Self.fifoMap.status
    switch register {
    case status: return UInt8(truncatingIfNeeded: fifo.count(atTick: tick))
    case status + 1:
      let high = UInt8(truncatingIfNeeded: fifo.count(atTick: tick) >> 8)
      return fifo.readStatus(atTick: tick, watermark: watermark) | high
    case LSM6Map.fifoWord:
      let chip = self
      return fifo.fetch(Int(register - LSM6Map.fifoWord.lowerBound), atTick: tick) { kind, tick in
        switch kind {
        case .gyroscope: return chip.stages.stored(chip.stages.gyroscope, atTick: tick)
        case .accelerometer: return chip.stages.stored(chip.stages.accelerometer, atTick: tick)
        case .temperature: return chip.stages.counts(chip.stages.thermometer, atTick: tick)
        case .timestamp:
          let stamp = chip.stamp(atPhase: Double(tick))
          return SIMD3(
            Int16(truncatingIfNeeded: stamp), Int16(truncatingIfNeeded: stamp >> 16), 0)
        }
      }
    case LSM6Map.timestamp:
      return UInt8(
        truncatingIfNeeded: stamp(atPhase: oscillator.phase(at: instant))
          >> (8 * Int64(register - LSM6Map.timestamp.lowerBound)))
    default: return nil
    }
  }

  /// The time stamp in sixths of the oscillator's tick; 0 while off.
  private func stamp(atPhase phase: Double) -> Int64 {
    isTimed ? timer.count(atPhase: phase) : 0
  }

  /// Whether the watermark is reached, and INT2_CTRL bit 3 shows it.
  mutating func isTaggedInterruptHigh(at instant: Int64) -> Bool {
    registers[LSM6Map.interrupt2Control] & 0x08 != 0 && isFIFOOn && watermark > 0
      && fifo.count(atTick: oscillator.tick(at: instant)) >= watermark
  }
}
