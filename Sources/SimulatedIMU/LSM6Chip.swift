// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The common part of the register maps of LSM6DSO and LSM6DSV: identity, CTRL3, CTRL4, status, outputs, and the FIFO of
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
  /// The registers of a word in the FIFO.
  var fifoData: ClosedRange<UInt8> { get }
  var fifo: TaggedFIFO { get set }
  var timer: TimestampCounter { get set }
  /// The byte of a FIFO register, fetched at `instant`; `nil` for other registers.
  mutating func fetchFIFO(_ register: UInt8, at instant: Int64) -> UInt8?
}

/// What differs between the FIFOs.
struct LSM6FIFOMap: Sendable {
  let status: UInt8
  let words: Int64
  /// The register and the bit that let the time stamp run.
  let timer: (register: UInt8, bit: UInt8)
  let hasParity: Bool
  /// The registers, besides those of the FIFO, that decide what samples are.
  let governing: [ClosedRange<UInt8>]
}

extension LSM6Chip {
  // Register numbers.
  static var functionAccess: UInt8 { 0x01 }
  static var pinControl: UInt8 { 0x02 }
  static var fifoControl1: UInt8 { 0x07 }
  static var fifoControl2: UInt8 { 0x08 }
  static var fifoControl3: UInt8 { 0x09 }
  static var fifoControl4: UInt8 { 0x0A }
  static var interrupt2Control: UInt8 { 0x0E }
  static var whoAmI: UInt8 { 0x0F }
  static var control1: UInt8 { 0x10 }
  static var control2: UInt8 { 0x11 }
  static var control3: UInt8 { 0x12 }
  static var control4: UInt8 { 0x13 }
  static var control6: UInt8 { 0x15 }
  static var control7: UInt8 { 0x16 }
  static var control8: UInt8 { 0x17 }
  static var control9: UInt8 { 0x18 }
  static var control10: UInt8 { 0x19 }
  static var status: UInt8 { 0x1E }
  static var outputs: ClosedRange<UInt8> { 0x20...0x2D }
  static var timestamp: ClosedRange<UInt8> { 0x40...0x43 }
  /// Resets the time stamp when AA is written to it.
  static var timestamp2: UInt8 { 0x42 }
  static var fifoWord: ClosedRange<UInt8> { 0x78...0x7E }
  var fifoData: ClosedRange<UInt8> { Self.fifoWord }

  mutating func fetch(_ register: UInt8, at instant: Int64) -> UInt8 {
    if isOtherBank { return register == Self.functionAccess ? registers[register] : 0 }
    if let byte = fetchFIFO(register, at: instant) { return byte }
    switch register {
    case Self.status:
      // With DRDY_MASK, CTRL4 bit 3, a sensor that has yet to settle raises nothing.
      return stages.status(
        atTick: oscillator.tick(at: instant),
        masksUnsettled: registers[Self.control4] & 0x08 != 0)
    case Self.outputs:
      let offset = Int(register - Self.outputs.lowerBound)
      // BDU, CTRL3 bit 6.
      return stages.fetch(
        offset / 2, isHigh: offset % 2 == 1, atTick: oscillator.tick(at: instant),
        holdsPairs: registers[Self.control3] & 0x40 != 0)
    case Self.control3: return registers[register] | (instant < resetEnds ? 0x01 : 0)
    default: return registers[register]
    }
  }

  /// The register after `register` in a burst: the same without IF_INC; the FIFO's words repeat.
  func successor(of register: UInt8) -> UInt8 {
    guard registers[Self.control3] & 0x04 != 0 else { return register }
    return register == fifoData.upperBound ? fifoData.lowerBound : register &+ 1
  }

  /// HPCF_XL or HP_LPF2_XL_BW, CTRL8 bits 7…5: the divider of the data rate that gives LPF2's bandwidth.
  var secondFilterDivider: Int {
    [4, 10, 20, 45, 100, 200, 400, 800][Int(registers[Self.control8] >> 5)]
  }

  /// CTRL3: [7] BOOT, which loads the trim again and keeps the control registers, [6] BDU; `kept` are the bits that stay.
  mutating func setControl3(_ value: UInt8, kept: UInt8, at instant: Int64) {
    if value & 0x80 != 0 { usableFrom = instant + Self.bootTime }
    registers[Self.control3] = value & kept
    if value & 0x40 == 0 { stages.unlock() }
  }

  // MARK: The FIFO

  /// FIFO_MODE: 1 stops when full, 6 is continuous, and 3 until an event that never comes.
  private var fifoMode: UInt8 { registers[Self.fifoControl4] & 0x07 }
  private var isFIFOOn: Bool { fifoMode == 1 || fifoMode == 3 || fifoMode == 6 }

  /// With as many bits as a count of all words but one.
  private var watermark: Int64 {
    let low = Int64(registers[Self.fifoControl1])
    return (low | Int64(registers[Self.fifoControl2] & 1) << 8) & (Self.fifoMap.words - 1)
  }

  private var isTimed: Bool {
    registers[Self.fifoMap.timer.register] & Self.fifoMap.timer.bit != 0
  }

  /// BDR_GY and BDR_XL are ODR codes, the temperature has a 4096th, 512th or 128th of the fastest data rate.
  private var batch: TaggedFIFO.Batch {
    let rates = registers[Self.fifoControl3]
    let control = registers[Self.fifoControl4]
    // STOP_ON_WTM; in continuous mode assumed to be as the predecessors' STOP_ON_FTH (AN5130 figure 35).
    let isLimited = registers[Self.fifoControl2] & 0x80 != 0 && watermark > 0
    return TaggedFIFO.Batch(
      gyroscope: gyroscopePeriod > 0 ? Self.batchTicks(rates >> 4) : 0,
      accelerometer: accelerometerPeriod > 0 ? Self.batchTicks(rates & 0x0F) : 0,
      temperature: SIMD4(0, 4096, 512, 128)[Int(control >> 4 & 3)],
      timestampEvery: isTimed ? SIMD4(0, 1, 8, 32)[Int(control >> 6)] : 0,
      limit: isLimited ? watermark : Self.fifoMap.words,
      stops: fifoMode == 1 || isLimited && stages.stopsAtWatermark)
  }

  /// A register was written at `instant`. One that decides what goes into the FIFO starts it anew; mode 0 empties it.
  mutating func noteFIFO(_ register: UInt8, at instant: Int64) {
    guard
      register == Self.fifoControl3 || register == Self.fifoControl4
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
    case Self.fifoWord:
      let chip = self
      return fifo.fetch(Int(register - Self.fifoWord.lowerBound), atTick: tick) { kind, tick in
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
    case Self.timestamp:
      return UInt8(
        truncatingIfNeeded: stamp(atPhase: oscillator.phase(at: instant))
          >> (8 * Int64(register - Self.timestamp.lowerBound)))
    default: return nil
    }
  }

  /// The time stamp in sixths of the oscillator's tick; 0 while off.
  private func stamp(atPhase phase: Double) -> Int64 {
    isTimed ? timer.count(atPhase: phase) : 0
  }

  /// Whether the watermark is reached, and INT2_CTRL bit 3 shows it.
  mutating func isTaggedInterruptHigh(at instant: Int64) -> Bool {
    registers[Self.interrupt2Control] & 0x08 != 0 && isFIFOOn && watermark > 0
      && fifo.count(atTick: oscillator.tick(at: instant)) >= watermark
  }
}
