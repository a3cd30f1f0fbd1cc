// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The FIFO of the LSM6DSO's predecessors in the register map, and their time stamp (LSM6DS3TR-C data sheet and AN5130,
/// LSM6DS3 data sheet and AN4650).
///
/// Not simulated: modes that wait for an event, triggers other than data-ready, ONLY_HIGH_DATA, the third data set and steps
/// (they are 0).
extension SimulatedLSM6DSO {
  // FIFO_CTRL1 to FIFO_CTRL5.
  private static let thresholdLow: UInt8 = 0x06
  private static let thresholdHigh: UInt8 = 0x07
  private static let decimation1: UInt8 = 0x08
  private static let decimation2: UInt8 = 0x09
  private static let fifoControl5: UInt8 = 0x0A
  private static let fifoStatus: ClosedRange<UInt8> = 0x3A...0x3B
  private static let fifoPattern: ClosedRange<UInt8> = 0x3C...0x3D
  private static let patternData: ClosedRange<UInt8> = 0x3E...0x3F
  private static let tapConfig: UInt8 = 0x58
  private static let wakeUpDuration: UInt8 = 0x5C

  /// LSM6DS3, LSM6DS33: 8 kB, more bits for the threshold, and some control bits in CTRL4_C.
  private var isFirstGeneration: Bool { identity == 0x69 }

  private var fifoWords: Int64 { isFirstGeneration ? 4096 : 2048 }

  /// A burst comes back after each word: "rounding" (AN5130 8.4).
  var fifoData: ClosedRange<UInt8> { isNewGeneration ? Self.fifoWord : Self.patternData }

  private var threshold: Int64 {
    let high = registers[Self.thresholdHigh] & (isFirstGeneration ? 0x0F : 0x07)
    return Int64(registers[Self.thresholdLow]) | Int64(high) << 8
  }

  private var stopsOnThreshold: Bool {
    isFirstGeneration
      ? registers[Self.control4] & 0x01 != 0 : registers[Self.decimation2] & 0x80 != 0
  }

  /// Whether the fourth data set has the temperature: FIFO_TEMP_EN.
  private var hasTemperature: Bool {
    isFirstGeneration
      ? registers[Self.control4] & 0x10 != 0 : registers[Self.thresholdHigh] & 0x08 != 0
  }

  /// Whether it has time stamp and steps instead: TIMER_PEDO_FIFO_EN.
  private var hasStamp: Bool { registers[Self.thresholdHigh] & 0x80 != 0 }

  /// FIFO_MODE: 1 stops when full, 6 is continuous, and 3 until an event that never comes.
  private var fifoMode: UInt8 { registers[Self.fifoControl5] & 0x07 }
  private var isPatternFIFOOn: Bool { fifoMode == 1 || fifoMode == 3 || fifoMode == 6 }

  /// A register that the FIFO depends on was written at `tick`. The FIFO's rate is the lower one of its own and of the
  /// faster sensor (AN5130 8.3).
  mutating func restartPatternFIFO(atTick tick: Int64) {
    let period = Self.ticks(registers[Self.fifoControl5] >> 3 & 0x0F)
    let (one, other) = (accelerometerPeriod, gyroscopePeriod)
    let sensor = min(one, other) > 0 ? min(one, other) : max(one, other)
    let decimations = SIMD8<Int64>(0, 1, 2, 3, 4, 8, 16, 32)
    let (two, four) = (registers[Self.decimation1], registers[Self.decimation2])
    let isLimited = stopsOnThreshold && threshold > 0
    patternFIFO =
      isPatternFIFOOn && period > 0
      ? PatternFIFO(
        slotPeriod: sensor > 0 ? max(sensor, period) : 0,
        limit: isLimited ? min(threshold, fifoWords) : fifoWords,
        stops: fifoMode == 1 || isLimited && stages.stopsAtWatermark,
        every: SIMD4(
          decimations[Int(two >> 3 & 7)], decimations[Int(two & 7)], decimations[Int(four & 7)],
          decimations[Int(four >> 3 & 7)]), atTick: tick)
      : PatternFIFO()
  }

  /// Whether a register decides what samples are, or which of them go into the FIFO.
  static func changesPatternFIFO(_ register: UInt8) -> Bool {
    switch register {
    case thresholdHigh, decimation1, decimation2, fifoControl5, control1, control2, control4,
      control6...control8:
      true
    default: false
    }
  }

  /// The byte of a FIFO register, fetched at `instant`; `nil` for other registers. The bytes of DIFF and PATTERN are of
  /// different instants: a sample between them shows as a wrong number.
  mutating func fetchPatternFIFO(_ register: UInt8, at instant: Int64) -> UInt8? {
    let tick = stages.stored(atTick: oscillator.tick(at: instant))
    // Resets and power cuts clear the registers.
    if !isPatternFIFOOn { patternFIFO = PatternFIFO() }
    switch register {
    case Self.fifoStatus:
      let status = patternFIFO.status(
        atTick: tick, threshold: threshold, looksAhead: isFirstGeneration,
        countMask: UInt16(fifoWords - 1))
      return UInt8(
        truncatingIfNeeded: register == Self.fifoStatus.lowerBound ? status : status >> 8)
    case Self.fifoPattern:
      let pattern = patternFIFO.pattern(atTick: tick)
      return UInt8(
        truncatingIfNeeded: register == Self.fifoPattern.lowerBound ? pattern : pattern >> 8)
    case Self.patternData:
      let chip = self
      return patternFIFO.fetch(isHigh: register == Self.patternData.upperBound, atTick: tick) {
        chip.word($0)
      }
    case 0x40...0x42:
      return UInt8(
        truncatingIfNeeded: stamp(atPhase: oscillator.phase(at: instant))
          >> (8 * Int64(register - 0x40)))
    default: return nil
    }
  }

  /// Whether the watermark's flag is set, and INT2_CTRL bit 3 shows it.
  mutating func isThresholdReached(at instant: Int64) -> Bool {
    guard registers[Self.interrupt2Control] & 0x08 != 0, isPatternFIFOOn else { return false }
    return patternFIFO.reaches(
      threshold, atTick: oscillator.tick(at: instant), looksAhead: isFirstGeneration)
  }

  /// A word of a data set. "The first sample acquired must be discarded" (LSM6DS3TR-C data sheet 5.5): it is garbage.
  private func word(_ place: PatternFIFO.Place) -> Int16 {
    switch place.dataSet {
    case 0, 1:
      if place.isFirst {
        return stages.path.garbage(tick: place.tick, axis: 3 * place.dataSet)[place.word]
      }
      let stage = place.dataSet == 0 ? stages.gyroscope : stages.accelerometer
      return stages.stored(stage, atTick: place.tick)[place.word]
    case 3 where hasStamp:
      // Bytes [15:8], [23:16], none, [7:0], steps (AN5130 table 73).
      let stamp = stamp(atPhase: Double(place.tick))
      let words = SIMD3(
        Int16(truncatingIfNeeded: stamp >> 8), Int16(truncatingIfNeeded: stamp << 8), 0)
      return words[place.word]
    case 3 where hasTemperature:
      return place.word == 1 ? stages.counts(stages.thermometer, atTick: place.tick).x : 0
    default: return 0
    }
  }

  /// The time stamp: 24 bits of 25 µs with TIMER_HR, else of 6.4 ms; 0 while off.
  private func stamp(atPhase phase: Double) -> Int64 {
    let isOn =
      isFirstGeneration
      ? registers[Self.tapConfig] & 0x80 != 0 : registers[Self.control10] & 0x20 != 0
    guard isOn else { return 0 }
    let count = timer.count(atPhase: phase)
    return (registers[Self.wakeUpDuration] & 0x10 != 0 ? count : count / 256) & 0xFF_FFFF
  }
}
