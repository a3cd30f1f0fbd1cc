// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing
import TestSupport

@Suite("Simulated bus and virtual clock")
struct SimulatedBusTests {
  @Test("a read of N bytes takes 9·(3 + N) + 3 bit times", arguments: [1, 2, 14, 15, 16, 252])
  func readTime(count: Int) throws {
    for hertz in [100_000, 400_000, 1_000_000] {
      var bench = Bench(.mpu6050, busHertz: hertz)
      _ = try bench.read(0x19, count: count)
      let expected = Int64((9 * (3 + count) + 3) * (1_000_000_000 / hertz))
      #expect(bench.clock.now().nanoseconds == expected)
    }
  }

  @Test("a write takes 29 bit times, a failure 11")
  func otherTimes() throws {
    var bench = Bench(.mpu6050, busHertz: 400_000)
    try bench.write(0x6B, 1)
    #expect(bench.clock.now().nanoseconds == 29 * 2500)
    let failure = bench.failure(reading: 0x75, at: I2CAddress(known: 0x69))
    #expect(failure?.kind == .noAcknowledge)
    #expect(bench.clock.now().nanoseconds == 40 * 2500)
  }

  @Test("bit times that are no whole nanoseconds are rounded up once a transfer")
  func roundedTime() throws {
    var bench = Bench(.mpu6050, busHertz: 300_000)
    _ = try bench.read(0x75)
    #expect(bench.clock.now().nanoseconds == 130_000)
    try bench.write(0x6B, 1)
    #expect(bench.clock.now().nanoseconds == 130_000 + 96_667)
  }

  @Test("without a bus clock a transfer takes no time")
  func noTime() throws {
    var bench = Bench(.mpu6050)
    _ = try bench.read(0x00, count: 200)
    try bench.write(0x6B, 1)
    #expect(bench.clock.now().nanoseconds == 0)
  }

  @Test("two chips share a bus, each at its address, and feel the same motion")
  func twoChips() throws {
    let clock = VirtualClock()
    let (mpu, lsm) = (I2CAddress(known: 0x69), I2CAddress(known: 0x6B))
    var bus = SimulatedBus(clock: clock, chip: .mpu6050.ideal, address: mpu, motion: .tumble)
    bus.attach(.lsm6dso.ideal, at: lsm)
    let identities = [
      try bus.read(mpu, register: 0x75), try bus.read(lsm, register: 0x0F),
    ]
    try bus.write(mpu, register: 0x6B, value: 1)
    try bus.write(mpu, register: 0x1A, value: 1)
    try bus.write(lsm, register: 0x10, value: 0x70)
    clock.advance(by: 3_000_000_000)
    let now = clock.now()
    let fromMPU = bus.outputs(of: mpu, atTick: bus.tick(of: mpu, at: now) ?? 0)?.ax ?? 0
    let fromLSM = bus.outputs(of: lsm, atTick: bus.tick(of: lsm, at: now) ?? 0)?.ax ?? 0
    #expect(identities == [0x68, 0x6C])
    let difference: Double = Double(fromMPU) / 16384 - Double(fromLSM) * 0.061e-3
    #expect(abs(difference) < 0.005)
    #expect(abs(fromMPU) > 1000)
  }

  @Test("an empty address has no samples to report")
  func emptyAddress() {
    let bench = Bench(.mpu6050)
    let other = I2CAddress(known: 0x6A)
    #expect(bench.bus.tick(of: other, at: bench.clock.now()) == nil)
    #expect(bench.bus.time(ofTick: 1, of: other) == nil)
    #expect(bench.bus.outputs(of: other, atTick: 1) == nil)
  }

  @Test("ticks and instants are each other's inverse, whatever the clock error")
  func ticks() {
    for error in [-10_000, -1, 0, 37, 2500, 10_000] {
      var chip = SimulatedChip.mpu6050
      chip.clockErrorPartsPerMillion = error
      let bench = Bench(chip)
      for tick in Array(0..<2000) + [1 << 20, 1 << 30, 1 << 40].flatMap({ $0 - 50..<$0 + 50 }) {
        let time = bench.time(ofTick: Int64(tick))
        let at = bench.bus.tick(of: bench.address, at: time)
        let before = bench.bus.tick(of: bench.address, at: time + -1)
        #expect(at == Int64(tick))
        #expect(before == Int64(max(0, tick - 1)))
      }
    }
  }

  @Test("a virtual clock moves only when it is moved, never back, and its copies move with it")
  func virtualClock() {
    let clock = VirtualClock(start: MonotonicTime(nanoseconds: 5))
    let copy = clock
    clock.advance(by: 10)
    #expect(copy.now().nanoseconds == 15)
    copy.sleep(until: MonotonicTime(nanoseconds: 100))
    #expect(clock.now().nanoseconds == 100)
    copy.sleep(until: MonotonicTime(nanoseconds: 99))
    #expect(clock.now().nanoseconds == 100)
    #expect(VirtualClock().now().nanoseconds == 0)
  }

  #if compiler(>=6.2)
    @Test(
      "a second chip at the same address, or an eighth, is a programming error",
      .waitsForPrograms)
    func trapsAttach() async {
      await #expect(processExitsWith: .failure) {
        var bench = Bench(.mpu6050)
        for address: UInt8 in 0x69...0x6F {
          bench.bus.attach(.mpu6050, at: I2CAddress(known: address))
        }
      }
      await #expect(processExitsWith: .failure) {
        var bench = Bench(.mpu6050)
        bench.bus.attach(.lsm6dso, at: I2CAddress(known: 0x68))
      }
    }

    @Test("a virtual clock cannot be turned back", .waitsForPrograms)
    func trapsTurnedBack() async {
      await #expect(processExitsWith: .failure) {
        VirtualClock().advance(by: -1)
      }
    }
  #endif
}
