// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("MPU-6050: FIFO")
struct MPU6050FIFOTests {
  /// A chip whose FIFO began at the instant that the clock shows, at 1 kHz. The samples tumble.
  private func running(
    _ chip: SimulatedChip = .mpu6050.ideal, selecting parts: UInt8 = 0xF8
  ) throws -> Bench {
    var bench = try Bench.runningMPU(chip, motion: .tumble)
    try bench.write([0x38: 0x11, 0x23: parts, 0x6A: 0x04])
    try bench.write(0x6A, 0x40)
    return bench
  }

  private func count(_ bench: inout Bench) throws -> Int {
    let bytes = try bench.read(0x72, count: 2)
    return Int(bytes[0]) << 8 | Int(bytes[1])
  }

  /// The 14 bytes of the output registers for a sample.
  private func bytes(_ sample: RawSample) -> [UInt8] {
    [sample.ax, sample.ay, sample.az, sample.temperature, sample.gx, sample.gy, sample.gz]
      .flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
  }

  @Test("each sample adds a packet, and a read takes the oldest out first")
  func packets() throws {
    var bench = try running()
    let first = bench.tick / 8 + 1
    #expect(try count(&bench) == 0)
    bench.advance(milliseconds: 5)
    #expect(try count(&bench) == 5 * 14)
    let found = try bench.read(0x74, count: 3 * 14)
    for packet in 0..<3 {
      let made = bench.made(atTick: (first + Int64(packet)) * 8)
      #expect(Array(found[packet * 14..<packet * 14 + 14]) == bytes(made), "\(packet)")
    }
    #expect(try count(&bench) == 2 * 14)
    let packets: [[UInt8]] = [0, 14, 28].map { (start: Int) in Array(found[start..<start + 14]) }
    #expect(Set(packets).count == 3)
  }

  @Test(
    "a packet has the selected parts, by rising register number",
    arguments: [
      (0x78, [0..<6, 8..<14]), (0x08, [0..<6]), (0x70, [8..<14]), (0xF8, [0..<14]),
      (0x88, [0..<8]), (0x20, [10..<12]), (0x50, [8..<10, 12..<14]), (0x80, [6..<8]),
    ] as [(UInt8, [Range<Int>])])
  func parts(_ selected: UInt8, _ ranges: [Range<Int>]) throws {
    var bench = try running(selecting: selected)
    let first = bench.tick / 8 + 1
    bench.advance(milliseconds: 2)
    let size = ranges.reduce(0) { $0 + $1.count }
    #expect(try count(&bench) == 2 * size)
    let found = try bench.read(0x74, count: 2 * size)
    for packet in 0..<2 {
      let all = bytes(bench.made(atTick: (first + Int64(packet)) * 8))
      let wanted = ranges.flatMap { Array(all[$0]) }
      #expect(Array(found[packet * size..<(packet + 1) * size]) == wanted)
    }
  }

  @Test("an empty FIFO gives its last byte again, and its count stays 0")
  func empty() throws {
    var bench = try running()
    bench.advance(milliseconds: 1)
    let packet = try bench.read(0x74, count: 14)
    bench.clock.advance(by: 1000)
    #expect(try bench.read(0x74, count: 5) == [UInt8](repeating: packet[13], count: 5))
    #expect(try count(&bench) == 0)
    bench.advance(milliseconds: 1)
    #expect(try count(&bench) == 14)
  }

  @Test("the low byte of the count is that of the instant at which the high byte was read")
  func latch() throws {
    var bench = try running()
    bench.advance(milliseconds: 20)
    let high = try bench.read(0x72)
    bench.advance(milliseconds: 3)
    #expect(Int(high) << 8 | Int(try bench.read(0x73)) == 20 * 14)
    #expect(try count(&bench) == 23 * 14)
  }

  @Test(
    "a full FIFO overwrites its oldest bytes, says so once, and is never aligned again",
    arguments: [(0x68, 1024), (0x70, 512), (0x71, 512), (0x73, 512)])
  func overflow(identity: UInt8, size: Int) throws {
    var bench = try running(.mpu6050.ideal.answering(identity))
    let first = bench.tick / 8 + 1
    let whole = size / 14
    bench.advance(milliseconds: Double(whole))
    #expect(try count(&bench) == whole * 14)
    #expect(try bench.read(0x3A) & 0x10 == 0)
    bench.advance(milliseconds: 7)
    #expect(try count(&bench) == size)
    #expect(try bench.read(0x3A) & 0x10 == 0x10)
    #expect(try bench.read(0x3A) & 0x10 == 0)
    // The stream goes on where its oldest bytes are gone: in the middle of a packet.
    let gone = (whole + 7) * 14 - size
    try #require(gone % 14 != 0)
    let found = try bench.read(0x74, count: 14)
    let stream = (gone / 14...gone / 14 + 1).flatMap {
      bytes(bench.made(atTick: (first + Int64($0)) * 8))
    }
    #expect(found == Array(stream[gone % 14..<gone % 14 + 14]))
  }

  @Test("a reset of the FIFO empties it, but not while it is on")
  func reset() throws {
    var bench = try running()
    bench.advance(milliseconds: 4)
    try bench.write(0x6A, 0x44)
    #expect(try count(&bench) == 4 * 14)
    try bench.write(0x6A, 0x00)
    try bench.write(0x6A, 0x04)
    bench.advance(milliseconds: 4)
    #expect(try count(&bench) == 0)
    try bench.write(0x6A, 0x40)
    bench.advance(milliseconds: 2)
    #expect(try count(&bench) == 2 * 14)
  }

  @Test("a chip that lost its power has nothing in its FIFO and does not fill it")
  func powerCut() throws {
    var bench = try running()
    bench.advance(milliseconds: 4)
    bench.bus.inject(.brownOut)
    _ = bench.failure(reading: 0x75, at: bench.address)
    bench.advance(milliseconds: 200)
    #expect(try count(&bench) == 0)
    #expect(try bench.read(0x23) == 0)
  }
}
