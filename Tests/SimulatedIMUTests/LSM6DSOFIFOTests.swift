// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("LSM6DSO: FIFO")
struct LSM6DSOFIFOTests {
  /// A settled chip at 416 Hz whose FIFO began at the instant that the clock shows.
  ///
  /// - Parameters:
  ///   - rates: FIFO_CTRL3: BDR_GY and BDR_XL.
  ///   - mode: FIFO_CTRL4: DEC_TS_BATCH, ODR_T_BATCH, FIFO_MODE.
  private func running(
    _ chip: SimulatedChip = .lsm6dso.ideal, rates: UInt8 = 0x66, mode: UInt8 = 0x06,
    odr: UInt8 = 0x60, busHertz: Int? = nil
  ) throws -> Bench {
    var bench = try Bench.runningLSM(
      chip, motion: .tumble, accelerometer: odr, gyroscope: odr, busHertz: busHertz)
    try bench.write([0x19: 0x20, 0x09: rates, 0x0A: mode])
    return bench
  }

  private struct Word: Equatable {
    var kind: UInt8
    var counter: UInt8
    var hasEvenParity: Bool
    var values: [Int16]
  }

  private func words(_ bench: inout Bench, _ count: Int) throws -> [Word] {
    let bytes = try bench.read(0x78, count: 7 * count)
    return (0..<count).map { index in
      let word = bytes[index * 7..<index * 7 + 7]
      let tag = word[word.startIndex]
      let values = (0..<3).map { axis in
        let low = word.startIndex + 1 + 2 * axis
        return Int16(bitPattern: UInt16(word[low]) | UInt16(word[low + 1]) << 8)
      }
      return Word(
        kind: tag >> 3, counter: tag >> 1 & 3, hasEvenParity: tag.nonzeroBitCount % 2 == 0,
        values: values)
    }
  }

  private func count(_ bench: inout Bench) throws -> Int {
    let bytes = try bench.read(0x3A, count: 2)
    return Int(bytes[0]) | Int(bytes[1] & 3) << 8
  }

  /// Oscillator ticks a sample at 416 Hz.
  private let period: Int64 = 16

  @Test("a slot has a word of angular rate and one of acceleration, with the slot's counter")
  func slots() throws {
    var bench = try running()
    let first = bench.tick / period + 1
    #expect(try count(&bench) == 0)
    bench.clock.advance(by: bench.time(ofTick: (first + 5) * period) - bench.clock.now())
    #expect(try count(&bench) == 12)
    for (index, word) in try words(&bench, 12).enumerated() {
      let made = bench.made(atTick: (first + Int64(index / 2)) * period)
      let isRate = index % 2 == 0
      let values = isRate ? [made.gx, made.gy, made.gz] : [made.ax, made.ay, made.az]
      #expect(
        word
          == Word(
            kind: isRate ? 1 : 2, counter: UInt8(index / 2 % 4), hasEvenParity: true, values: values
          ))
    }
    #expect(try count(&bench) == 0)
  }

  @Test("one sensor alone has a word a slot")
  func oneSensor() throws {
    for (rates, kind) in [(0x60, 1), (0x06, 2)] as [(UInt8, UInt8)] {
      var bench = try running(rates: rates)
      bench.advance(milliseconds: 24.2)
      let found = try words(&bench, try count(&bench))
      #expect(found.count == 10 && found.allSatisfy { $0.kind == kind })
      #expect(found.map(\.counter) == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1])
    }
  }

  @Test("time stamps come first in their slots, and count 25 µs by the chip's own clock")
  func timestamps() throws {
    for error in [0, 30_000, -70_500] {
      var chip = SimulatedChip.lsm6dso.ideal
      chip.clockErrorPartsPerMillion = error
      var bench = try running(chip, mode: 0x46)
      bench.advance(milliseconds: 30)
      let found = try words(&bench, try count(&bench))
      #expect(found[0].kind == 4)
      let stamps = found.filter { $0.kind == 4 }.map {
        UInt32(UInt16(bitPattern: $0.values[0])) | UInt32(UInt16(bitPattern: $0.values[1])) << 16
      }
      #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $1 - $0 == 16 * 6 })
      let bytes = try bench.read(0x40, count: 4)
      let now = bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
      #expect(now >= stamps[stamps.count - 1] && now < stamps[stamps.count - 1] + 16 * 6)
    }
  }

  @Test("a full FIFO replaces its oldest words, keeps their alignment, and latches that")
  func overrun() throws {
    var bench = try running()
    let first = bench.tick / period + 1
    bench.clock.advance(by: bench.time(ofTick: (first + 299) * period) - bench.clock.now())
    #expect(try count(&bench) == 512)
    #expect(try bench.read(0x3B) & 0x08 == 0)
    var again = try running()
    let start = again.tick / period + 1
    again.clock.advance(by: again.time(ofTick: (start + 299) * period) - again.clock.now())
    #expect(try again.read(0x3B) & 0x48 == 0x48)
    #expect(try again.read(0x3B) & 0x48 == 0x40)
    let oldest = try words(&again, 2)
    let made = again.made(atTick: (start + 44) * period)
    #expect(oldest.map(\.kind) == [1, 2] && oldest.map(\.counter) == [0, 0])
    #expect(oldest[0].values == [made.gx, made.gy, made.gz])
    #expect(oldest[1].values == [made.ax, made.ay, made.az])
  }

  @Test("bypass empties the FIFO; so do a reset and a power cut")
  func emptied() throws {
    for way in 0..<3 {
      var bench = try running()
      bench.advance(milliseconds: 50)
      #expect(try count(&bench) > 30)
      switch way {
      case 0:
        try bench.write(0x0A, 0x00)
        try bench.write(0x0A, 0x06)
      case 1: try bench.write(0x12, 0x45)
      default:
        bench.bus.inject(.brownOut)
        _ = bench.failure(reading: 0x0F, at: bench.address)
        bench.advance(milliseconds: 100)
      }
      #expect(try count(&bench) == 0, "\(way)")
    }
  }

  @Test("the watermark is flagged from its number of words on")
  func watermark() throws {
    var bench = try running()
    try bench.write(0x07, 20)
    let first = bench.tick / period + 1
    bench.clock.advance(by: bench.time(ofTick: (first + 8) * period) - bench.clock.now())
    #expect(try bench.read(0x3B) & 0x80 == 0)
    bench.clock.advance(by: bench.time(ofTick: (first + 9) * period) - bench.clock.now())
    #expect(try bench.read(0x3B) & 0x80 == 0x80)
  }

  @Test("mode 1 stops when the next slot does not fit, for good; STOP_ON_WTM limits the depth")
  func limited() throws {
    var bench = try running(rates: 0x66, mode: 0x00)
    try bench.write([0x07: 21, 0x08: 0x80, 0x0A: 0x01])
    bench.advance(milliseconds: 500)
    #expect(try count(&bench) == 20)
    _ = try words(&bench, 20)
    bench.advance(milliseconds: 100)
    #expect(try count(&bench) == 0)
    try bench.write(0x0A, 0x00)
    try bench.write(0x0A, 0x06)
    bench.advance(milliseconds: 500)
    #expect(try count(&bench) == 21)
    let kinds = try words(&bench, 21).map(\.kind)
    #expect(kinds.last == 2 && kinds.first == 2)
  }

  @Test("a FIFO of one slot keeps the newest, or with the switch the first one for good")
  func oneSlot() throws {
    for stops in [false, true] {
      var chip = SimulatedChip.lsm6dso.ideal
      chip.stopsAtWatermark = stops
      var bench = try running(chip, mode: 0x00)
      try bench.write([0x07: 2, 0x08: 0x80, 0x0A: 0x06])
      let first = bench.tick / 16 + 1
      bench.advance(milliseconds: 100)
      let newest = bench.tick / 16
      #expect(try count(&bench) == 2)
      let slot = try words(&bench, 2)
      let made = bench.made(atTick: (stops ? first : newest) * 16)
      #expect(slot.map(\.values) == [[made.gx, made.gy, made.gz], [made.ax, made.ay, made.az]])
      #expect(slot.allSatisfy { $0.counter == UInt8(stops ? 0 : (newest - first) & 3) })
      bench.advance(milliseconds: 100)
      #expect(try count(&bench) == (stops ? 0 : 2))
    }
  }

  @Test("a word that comes while zeros are read from an empty FIFO is not taken out with them")
  func lateWord() throws {
    // Of 280 µs, the tag is read after 90.
    var (late, early) = (0, 0)
    for microseconds in stride(from: Int64(0), to: 320, by: 5) {
      var bench = try running(busHertz: 400_000)
      let slot = bench.time(ofTick: (bench.tick / period + 1) * period)
      bench.clock.advance(by: slot - bench.clock.now() - microseconds * 1000)
      let first = try words(&bench, 1)[0]
      bench.advance(milliseconds: 1)
      let rest = try words(&bench, try count(&bench))
      #expect((first.kind == 0 ? [] : [first.kind]) + rest.map(\.kind) == [1, 2])
      if first.kind == 0 { late += 1 } else { early += 1 }
      #expect(first.kind != 0 || first.values == [0, 0, 0])
    }
    #expect(late > 10 && early > 10)
  }

  @Test("what is stored while the outputs stand still stands still, too, or is not stored")
  func frozen() throws {
    for keepsDataReady in [true, false] {
      var bench = try running()
      bench.advance(milliseconds: 10)
      bench.bus.inject(.freeze(nanoseconds: 1_000_000_000, keepsDataReady: keepsDataReady))
      let before = try count(&bench)
      bench.advance(milliseconds: 100)
      let stored = try count(&bench) - before
      #expect(keepsDataReady ? stored > 70 : stored <= 2)
      guard keepsDataReady else { continue }
      let values = try words(&bench, before + stored).suffix(40).map(\.values)
      #expect(Set(values).count == 2)
    }
  }

  @Test("a time stamp that is reset counts from 0")
  func resetTimestamp() throws {
    var bench = try running(mode: 0x46)
    try bench.write(0x42, 0xAA)
    #expect(try bench.read(0x40, count: 4) == [0, 0, 0, 0])
    bench.advance(milliseconds: 25)
    let later = try bench.read(0x40, count: 4)
    #expect((998...1002).contains(Int(later[0]) | Int(later[1]) << 8))
  }
}
