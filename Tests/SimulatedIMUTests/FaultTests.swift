// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("Faults")
struct FaultTests {
  /// The outcomes of the next `count` reads of the identity.
  private func outcomes(_ bench: inout Bench, _ count: Int) -> [BusError.Kind?] {
    (0..<count).map { _ in bench.failure(reading: 0x75, at: bench.address)?.kind }
  }

  @Test("the next n transfers are not acknowledged, those after them are")
  func refuseNext() {
    var bench = Bench(.mpu6050)
    bench.bus.inject(.fail(.noAcknowledge, transfers: 3))
    #expect(outcomes(&bench, 5) == [.noAcknowledge, .noAcknowledge, .noAcknowledge, nil, nil])
  }

  @Test("transfer N fails with the kind and errno asked for, for each N and kind")
  func failAt() throws {
    for kind in BusError.Kind.allCases {
      for number in 1...6 {
        var bench = Bench(.mpu6050)
        bench.bus.inject(.fail(kind, errno: 121), at: .transfer(number))
        #expect(outcomes(&bench, 6) == (1...6).map { $0 == number ? kind : nil })
      }
    }
    var bench = Bench(.mpu6050)
    bench.bus.inject(.fail(.noAcknowledge, errno: 121))
    let error = bench.failure(writing: 0x6B, at: bench.address)
    #expect(try bench.read(0x6B) == 0x40)
    #expect(error?.errno == 121)
    #expect(error?.operation == .write)
  }

  @Test("transfers are counted: reads, writes, failures, other addresses")
  func transferCount() throws {
    var bench = Bench(.mpu6050)
    _ = try bench.read(0x75)
    try bench.write(0x6B, 1)
    bench.bus.inject(.fail(.bus))
    #expect(bench.failure(reading: 0x75, at: bench.address)?.kind == .bus)
    let absent = bench.failure(reading: 0x75, at: I2CAddress(known: 0x69))
    #expect(absent?.kind == .noAcknowledge)
    #expect(bench.bus.transferCount == 4)
  }

  @Test("a brown-out puts all registers back, the chip boots, then sleeps")
  func brownOutMPU() throws {
    var bench = try Bench.runningMPU(accelerometerRange: 3)
    bench.bus.inject(.brownOut, at: .time(MonotonicTime(nanoseconds: 150_000_000)))
    bench.advance(milliseconds: 49)
    #expect(try bench.read(0x6B) == 0x01)
    bench.advance(milliseconds: 2)
    #expect(bench.answers() == false)
    bench.advance(milliseconds: 20)
    #expect(try bench.read(0x6B) == 0x40)
    #expect(try bench.read(0x1C) == 0)
    #expect(try bench.mpuSample() == RawSample())
  }

  @Test("a brown-out long ago takes effect with the first transfer after it, when the boot is over")
  func brownOutLSM() throws {
    var bench = try Bench.runningLSM()
    bench.bus.inject(.brownOut, at: .time(bench.clock.now() + 1_000_000))
    bench.advance(milliseconds: 20)
    #expect(try bench.read(0x10, count: 3) == [0, 0, 4])
    #expect(try bench.read(0x1E) == 0)
    #expect(try bench.lsmSample() == RawSample())
  }

  @Test("frozen outputs stand still, with data-ready continuing or not, and then move again")
  func freeze() throws {
    for keepsDataReady in [true, false] {
      var bench = try Bench.runningMPU(.mpu6050)
      bench.bus.inject(.freeze(nanoseconds: 50_000_000, keepsDataReady: keepsDataReady))
      _ = try bench.read(0x3A)
      var seen = Set<[UInt8]>()
      var ready = 0
      for _ in 0..<9 {
        bench.advance(milliseconds: 5)
        let burst = try bench.read(0x3A, count: 15)
        ready += Int(burst[0])
        seen.insert(Array(burst.dropFirst()))
      }
      bench.advance(milliseconds: 6)
      let after = try bench.read(0x3A, count: 15)
      #expect(seen.count == 1)
      #expect(ready == (keepsDataReady ? 9 : 0))
      #expect(after[0] == 1)
      #expect(!seen.contains(Array(after.dropFirst())))
    }
  }

  @Test("a reset frees frozen outputs")
  func resetFrees() throws {
    var bench = try Bench.runningMPU()
    bench.bus.inject(.freeze(nanoseconds: 1 << 50, keepsDataReady: true))
    try bench.write(0x6B, 0x80)
    bench.advance(milliseconds: 6)
    try bench.write([0x1A: 0x01, 0x6B: 0x01])
    bench.advance(milliseconds: 61)
    let sample = try bench.mpuSample()
    #expect(sample.az == 16384)
    #expect(sample.gx == 0)
  }

  @Test("unplugged, no chip answers; plugged in again, the chip boots with reset values")
  func unplug() throws {
    var bench = try Bench.runningLSM()
    bench.bus.inject(.unplug(nanoseconds: 2_000_000_000), at: .time(bench.clock.now()))
    bench.advance(milliseconds: 1999)
    #expect(bench.answers() == false)
    bench.advance(milliseconds: 15)
    #expect(bench.answers() == false)
    bench.advance(milliseconds: 1)
    #expect(try bench.read(0x10, count: 3) == [0, 0, 4])
  }

  @Test("one byte of one transfer is corrupted without an error")
  func corrupt() throws {
    var bench = try Bench.runningMPU()
    bench.bus.inject(.corrupt(byte: 4, mask: 0x81), at: .transfer(bench.bus.transferCount + 2))
    let first = try bench.read(0x3B, count: 14)
    var expected = first
    expected[4] ^= 0x81
    #expect(try bench.read(0x3B, count: 14) == expected)
    #expect(try bench.read(0x3B, count: 14) == first)
    bench.bus.inject(.corrupt(byte: 0, mask: 0x04))
    try bench.write(0x19, 0x03)
    #expect(try bench.read(0x19) == 0x07)
  }

  @Test("faults happen in the order of their instants, not in the order of injection")
  func order() throws {
    var bench = Bench(.mpu6050)
    bench.bus.inject(.brownOut, at: .time(MonotonicTime(nanoseconds: 300)))
    bench.bus.inject(.unplug(nanoseconds: 100), at: .time(MonotonicTime(nanoseconds: 100)))
    // The brown-out comes last, so the chip boots until 20 ms after it.
    bench.clock.sleep(until: MonotonicTime(nanoseconds: 20_000_299))
    #expect(bench.answers() == false)
    bench.clock.advance(by: 1)
    #expect(bench.answers() == true)
  }

  @Test("a fault waits for a read of its register, from its instant on")
  func readTrigger() throws {
    var bench = try Bench.runningMPU()
    bench.bus.inject(
      .corrupt(byte: 0, mask: 0xFF),
      at: .read(register: 0x75, from: bench.clock.now() + 1_000_000))
    let early = try bench.read(0x75)
    bench.advance(milliseconds: 2)
    try bench.write(0x19, 0)
    _ = try bench.read(0x74, count: 2)
    let corrupted = try bench.read(0x75)
    let after = try bench.read(0x75)
    #expect(early == 0x68 && corrupted == 0x97 && after == 0x68)
  }

  @Test("a burst that fails has taken out what it gave")
  func failInBurst() throws {
    var bench = try Bench.runningMPU(motion: .tumble, busHertz: 400_000)
    try bench.write([0x23: 0xF8, 0x6A: 0x40])
    bench.advance(milliseconds: 10)
    bench.bus.inject(
      .failInBurst(bytes: 30, .arbitrationLost, errno: 11),
      at: .read(register: 0x74, from: MonotonicTime(nanoseconds: 0)))
    #expect(try bench.read(0x72, count: 2) == [0, 140])
    let start = bench.clock.now().nanoseconds
    let result = Result { try bench.read(0x74, count: 100) }
    let bits = (bench.clock.now().nanoseconds - start) / 2500
    let after = try bench.read(0x72, count: 2)
    #expect(throws: BusError.self) { try result.get() }
    #expect(bits == 29 + 9 * 30)
    #expect(Int(after[1]) % 14 == (140 - 30) % 14)
  }
}

/// What the drivers of real adapters make of faults.
extension FaultTests {
  @Test(
    "each adapter ends a transfer as its driver does, after 0.1 s where that waits in vain",
    arguments: [
      (.bsc, .noAcknowledge, 121, 121), (.bsc, .timeout, 110, 110), (.bsc, .bus, 5, 5),
      (.bsc, .unsupported, 95, 95), (.bsc, .arbitrationLost, nil, nil),
      (.bscOfRaspberryPiOS, .noAcknowledge, 5, 121), (.bscOfRaspberryPiOS, .timeout, 110, 110),
      (.rp1, .noAcknowledge, 121, 121), (.rp1, .timeout, 110, 110), (.rp1, .bus, 5, 5),
      (.rp1, .unsupported, 22, 22), (.rp1, .arbitrationLost, 11, 11), (.rp1, .busy, nil, nil),
    ] as [(SimulatedAdapter, BusError.Kind, Int32?, Int32?)])
  func adapter(adapter: SimulatedAdapter, cause: BusError.Kind, read: Int32?, write: Int32?) {
    #expect(adapter.errno(of: cause, in: .read) == read)
    #expect(adapter.errno(of: cause, in: .write) == write)
    guard let read, let write else { return }
    var bench = Bench(.mpu6050, busHertz: 400_000, adapter: adapter)
    bench.bus.inject(.fail(cause, transfers: 2))
    let start = bench.clock.now()
    let failed = bench.failure(reading: 0x75, at: bench.address)
    let bits = cause == .timeout ? 40_011 : 11
    #expect(bench.clock.now() - start == Int64(bits) * 2500)
    #expect(failed?.errno == read && failed?.kind == BusError.Kind(errno: read))
    let written = bench.failure(writing: 0x6B, at: bench.address)
    #expect(written?.errno == write)
    let absent = bench.failure(reading: 0x75, at: I2CAddress(known: 0x69))
    #expect(absent?.errno == adapter.errno(of: .noAcknowledge, in: .read))
  }

  @Test("no kernel passes on a read of nothing, or of more than 8192 bytes")
  func lengths() throws {
    for adapter in SimulatedAdapter.allCases {
      for count in [0, 1, 8192, 8193] {
        var bench = Bench(.mpu6050, adapter: adapter)
        let result = Result { try bench.read(0x74, count: count) }
        let isRefused = adapter != .generic && !(1...8192).contains(count)
        if isRefused {
          #expect(
            throws: BusError(.unsupported, .read, address: bench.address, register: 0x74, errno: 22)
          ) {
            try result.get()
          }
        } else {
          #expect(try result.get().count == count)
        }
      }
    }
  }

  @Test("a chip that holds the clock is a bit behind on a BSC, without an error; others wait")
  func stretch() throws {
    for adapter in SimulatedAdapter.allCases {
      var bench = Bench(.mpu6050, adapter: adapter)
      try bench.write([0x6B: 0x01, 0x19: 0x35, 0x1A: 0x03, 0x1B: 0x98])
      bench.bus.inject(.stretch(byte: 2))
      let bytes = try bench.read(0x19, count: 4)
      let isCut = adapter == .bsc || adapter == .bscOfRaspberryPiOS
      #expect(bytes == (isCut ? [0x35, 0x03, 0xCC, 0xFF] : [0x35, 0x03, 0x98, 0x00]))
      #expect(try bench.read(0x1B) == 0x98)
    }
  }
}
