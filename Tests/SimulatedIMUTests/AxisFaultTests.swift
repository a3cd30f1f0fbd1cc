// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("A simulated chip with a fault of an axis")
struct AxisFaultTests {
  /// The motion's truth, which each chip samples without noise.
  private static let motion = Motion.steady(
    Motion.Truth(
      acceleration: SIMD3(0.1, -0.2, 0.6) * Motion.standardGravity,
      angularRate: SIMD3(0.3, -0.5, 0.7)))

  @Test("shows the fault and nothing else", arguments: SimulatedChip.all)
  func faults(_ chip: SimulatedChip) throws {
    let sound = try sample(chip)
    #expect(Set((0..<6).map { sound[$0] }).count == 6)
    func expect(_ fault: SimulatedChip.AxisFault, _ change: (inout RawSample) -> Void) throws {
      var faulty = chip
      faulty.axisFault = fault
      var expected = sound
      change(&expected)
      #expect(try sample(faulty) == expected, "\(fault)")
    }
    try expect(.held(axis: 1, count: 0, from: 0)) { $0.ay = 0 }
    try expect(.held(axis: 5, count: -77, from: 0)) { $0.gz = -77 }
    try expect(.held(axis: 5, count: -77, from: 10_000_000_000)) { _ in }
    try expect(.swapped(0, 2)) { ($0.ax, $0.az) = (sound.az, sound.ax) }
    try expect(.swapped(3, 4)) { ($0.gx, $0.gy) = (sound.gy, sound.gx) }
    try expect(.copied(axis: 4, of: 5)) { $0.gy = sound.gz }
    var double = chip
    double.hasDoubleRange = true
    #expect(abs(Int(try sample(double).az) * 2 - Int(sound.az)) <= 1)
  }

  /// A sample of a chip that was started by hand, in its finest ranges.
  private func sample(_ chip: SimulatedChip) throws -> RawSample {
    var bench = Bench(chip.ideal, motion: AxisFaultTests.motion)
    // The control registers of both sensors, and the first of six bytes of acceleration and of angular rate.
    let start: [(UInt8, UInt8)]
    let (acceleration, rate): (UInt8, UInt8)
    switch chip.model {
    case .mpu6050: (start, acceleration, rate) = ([(0x6B, 0x01), (0x1A, 0x01)], 0x3B, 0x43)
    case .lsm6dso: (start, acceleration, rate) = ([(0x10, 0x40), (0x11, 0x40)], 0x28, 0x22)
    case .lsm6dsv: (start, acceleration, rate) = ([(0x10, 0x06), (0x11, 0x06)], 0x28, 0x22)
    case .lsm9ds1: (start, acceleration, rate) = ([(0x10, 0x60)], 0x28, 0x18)
    case .icm20948: (start, acceleration, rate) = ([(0x06, 0x01)], 0x2D, 0x33)
    }
    for (register, value) in start { try bench.write(register, value) }
    bench.advance(milliseconds: 500)
    var sample = RawSample()
    for (first, register) in [(0, acceleration), (3, rate)] {
      let bytes = try bench.read(register, count: 6)
      for axis in 0..<3 {
        let pair = (UInt16(bytes[2 * axis]), UInt16(bytes[2 * axis + 1]))
        let word = bench.address.rawValue == 0x68 ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0
        sample[first + axis] = Int16(bitPattern: word)
      }
    }
    return sample
  }
}
