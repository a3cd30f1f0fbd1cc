// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("LSM6DSO: bursts that meet a new sample")
struct LSM6DSOBurstTests {
  /// Words whose two bytes are equal: a word with unequal bytes is torn, words that differ are
  /// mixed.
  private static let marked = (0..<255).map { [Int](repeating: $0 << 8 | $0, count: 7) }
    .map { $0.map { Int(Int16(truncatingIfNeeded: $0)) } }

  private struct Tally: Equatable {
    var whole = 0
    var mixed = 0
    var torn = 0
  }

  /// Bursts of 14 bytes at all phases against the chip's samples.
  private func tally(control3: UInt8, busHertz: Int?, accelerometer: UInt8 = 0x70) throws -> Tally {
    var bench = try Bench.runningLSM(
      motion: .rows(every: 1200, Self.marked), accelerometer: accelerometer,
      control3: control3, busHertz: busHertz)
    var tally = Tally()
    for _ in 0..<2000 {
      bench.clock.advance(by: 1_710_007)
      let bytes = try bench.read(0x22, count: 12)
      let words = stride(from: 0, to: 12, by: 2).map { (bytes[$0], bytes[$0 + 1]) }
      if words.contains(where: { $0.0 != $0.1 }) {
        tally.torn += 1
      } else if words.contains(where: { $0.0 != words[0].0 }) {
        tally.mixed += 1
      } else {
        tally.whole += 1
      }
    }
    return tally
  }

  @Test("at 400 kHz some bursts mix two samples, but block data update keeps each axis whole")
  func mixedBursts() throws {
    let tally = try tally(control3: 0x44, busHertz: 400_000)
    // A burst of 12 bytes fetches for 248 µs of the sample's 1200 µs: about 410 of 2000 at 833 Hz.
    #expect(tally.torn == 0)
    #expect((300...550).contains(tally.mixed))
  }

  @Test("without block data update even the two bytes of an axis mix")
  func tornWords() throws {
    let tally = try tally(control3: 0x04, busHertz: 400_000)
    #expect(tally.torn > 100)
    #expect(tally.mixed > 100)
  }

  @Test("a faster bus meets fewer updates, and a transfer that takes no time meets none")
  func busClock() throws {
    #expect(try tally(control3: 0x44, busHertz: 100_000).mixed > 1000)
    #expect(try tally(control3: 0x44, busHertz: 1_000_000).mixed < 300)
    #expect(try tally(control3: 0x44, busHertz: nil) == Tally(whole: 2000))
  }

  @Test("a locked word waits for its other byte, however long and whatever is read meanwhile")
  func lock() throws {
    let rows = (0..<120).map { [Int](repeating: $0 << 8 | $0, count: 7) }
    var bench = try Bench.runningLSM(motion: .rows(every: 5000, rows))
    let low = try bench.read(0x28)
    bench.advance(milliseconds: 50)
    #expect(try bench.read(0x28) == low)
    #expect(try bench.read(0x2A, count: 2) == [low + 10, low + 10])
    #expect(try bench.read(0x29) == low)
    #expect(try bench.read(0x28, count: 2) == [low + 10, low + 10])
  }

  @Test("a lock that begins with the high byte ends with the low one")
  func lockFromAbove() throws {
    let rows = (0..<120).map { [Int](repeating: $0 << 8 | $0, count: 7) }
    var bench = try Bench.runningLSM(motion: .rows(every: 5000, rows))
    let high = try bench.read(0x2D)
    bench.advance(milliseconds: 50)
    #expect(try bench.read(0x2C) == high)
    #expect(try bench.read(0x2D) == high + 10)
  }

  @Test("a sample that arrives after a burst's last high byte shows in STATUS right after it")
  func readyAgain() throws {
    // Let the burst end just as the next sample is made.
    var bench = try Bench.runningLSM(busHertz: 400_000)
    let period: Int64 = 8
    let next = (bench.tick / period + 2) * period
    let due = bench.time(ofTick: next)
    let lastByte = Int64((29 + 9 * 13) * 2500)
    bench.clock.sleep(until: due + (-lastByte - 1000))
    _ = try bench.read(0x20, count: 14)
    #expect(try bench.read(0x1E) & 3 == 3)
  }

  @Test("a sample that arrives amid a burst leaves no trace in STATUS: later high bytes clear it")
  func readyLost() throws {
    var bench = try Bench.runningLSM(busHertz: 400_000)
    let next = (bench.tick / 8 + 2) * 8
    let due = bench.time(ofTick: next)
    // Between the X and the Z of the angular rate.
    bench.clock.sleep(until: due + (-(29 + 9 * 4) * 2500))
    _ = try bench.read(0x20, count: 14)
    #expect(try bench.read(0x1E) & 3 == 0)
  }

  @Test("each word of a burst is one that the chip made during the burst")
  func wordsAreReal() throws {
    var bench = try Bench.runningLSM(.lsm6dso, motion: .tumble, busHertz: 400_000)
    for step in 0..<500 {
      let first = bench.tick
      let sample = try bench.lsmSample()
      let made = (first...bench.tick).map { bench.made(atTick: $0) }
      for channel in 0..<7 {
        #expect(
          made.contains { $0[channel] == sample[channel] }, "burst \(step), channel \(channel)")
      }
      bench.clock.advance(by: Int64(step) * 1009)
    }
  }

  @Test(
    "a pair that was held back shows the present sample once it is released, or only the next one")
  func release() throws {
    for updatesLate in [false, true] {
      var chip = SimulatedChip.lsm6dso.ideal
      chip.updatesHeldRegistersLate = updatesLate
      var bench = try Bench.runningLSM(chip, motion: .tumble)
      bench.clock.sleep(until: bench.time(ofTick: (bench.tick / 8 + 1) * 8) + 1000)
      func pair(_ bench: inout Bench) throws -> Int16 {
        let bytes = try bench.read(0x28, count: 2)
        return Int16(bitPattern: UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
      }
      let old = bench.made(atTick: bench.tick).ax
      let low = try bench.read(0x28)
      bench.advance(milliseconds: 100)
      let high = try bench.read(0x29)
      let missed = bench.made(atTick: bench.tick).ax
      #expect(UInt16(bitPattern: old) == UInt16(high) << 8 | UInt16(low) && old != missed)
      #expect(try pair(&bench) == (updatesLate ? old : missed))
      bench.advance(milliseconds: 2)
      #expect(try pair(&bench) == bench.made(atTick: bench.tick).ax)
    }
  }
}
