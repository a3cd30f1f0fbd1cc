// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU

/// A simulated bus with a clock to move by hand, and arrays instead of buffers.
struct Bench: ~Copyable {
  let clock: VirtualClock
  var bus: SimulatedBus<VirtualClock>
  let address: I2CAddress

  init(
    _ chip: SimulatedChip, motion: Motion = .still, busHertz: Int? = nil,
    poweredOn: MonotonicTime? = nil, adapter: SimulatedAdapter = .generic
  ) {
    clock = VirtualClock()
    let isOfInvenSense = chip.model == .mpu6050 || chip.model == .icm20948
    address = I2CAddress(known: isOfInvenSense ? 0x68 : 0x6A)
    bus = SimulatedBus(
      clock: clock, chip: chip, address: address, motion: motion, busHertz: busHertz,
      poweredOn: poweredOn, adapter: adapter)
  }

  mutating func read(_ register: UInt8, count: Int) throws(BusError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xA5, count: count)
    let result = bytes.withUnsafeMutableBytes { buffer -> Result<Void, BusError> in
      do throws(BusError) {
        try bus.read(address, register: register, into: buffer)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
    return bytes
  }

  mutating func read(_ register: UInt8) throws(BusError) -> UInt8 {
    try bus.read(address, register: register)
  }

  mutating func write(_ register: UInt8, _ value: UInt8) throws(BusError) {
    try bus.write(address, register: register, value: value)
  }

  mutating func write(_ writes: KeyValuePairs<UInt8, UInt8>) throws(BusError) {
    for (register, value) in writes { try write(register, value) }
  }

  /// The error of reading a register at some address; `nil` when it can be read.
  mutating func failure(reading register: UInt8, at address: I2CAddress) -> BusError? {
    do throws(BusError) {
      _ = try bus.read(address, register: register)
      return nil
    } catch {
      return error
    }
  }

  /// The error of writing a register at some address; `nil` when it can be written.
  mutating func failure(writing register: UInt8, at address: I2CAddress) -> BusError? {
    do throws(BusError) {
      try bus.write(address, register: register, value: 1)
      return nil
    } catch {
      return error
    }
  }

  func advance(milliseconds: Double) {
    clock.advance(by: Int64(milliseconds * 1e6))
  }

  /// Whether the chip answers to its address.
  mutating func answers() -> Bool {
    failure(reading: address.rawValue == 0x68 ? 0x75 : 0x0F, at: address) == nil
  }

  /// An MPU-6050 awake and settled, sampling at 1 kHz, data-ready on.
  static func runningMPU(
    _ chip: SimulatedChip = .mpu6050.ideal, motion: Motion = .still, accelerometerRange: UInt8 = 0,
    gyroscopeRange: UInt8 = 0, filter: UInt8 = 1, divider: UInt8 = 0, busHertz: Int? = nil
  ) throws -> Bench {
    var bench = Bench(chip, motion: motion, busHertz: busHertz)
    try bench.write([
      0x6B: 0x01, 0x1A: filter, 0x19: divider, 0x1B: gyroscopeRange << 3,
      0x1C: accelerometerRange << 3, 0x38: 0x01,
    ])
    bench.advance(milliseconds: 100)
    return bench
  }

  /// An LSM6DSO settled, both sensors on, block data update on.
  static func runningLSM(
    _ chip: SimulatedChip = .lsm6dso.ideal, motion: Motion = .still, accelerometer: UInt8 = 0x70,
    gyroscope: UInt8 = 0x70, control3: UInt8 = 0x44, busHertz: Int? = nil
  ) throws -> Bench {
    var bench = Bench(chip, motion: motion, busHertz: busHertz)
    try bench.write([0x12: control3, 0x10: accelerometer, 0x11: gyroscope])
    bench.advance(milliseconds: 1000)
    return bench
  }

  /// The seven counts of an MPU-6050: big-endian, acceleration, temperature, angular rate.
  mutating func mpuSample() throws(BusError) -> RawSample {
    let b = try read(0x3B, count: 14)
    func word(_ i: Int) -> Int16 { Int16(bitPattern: UInt16(b[i]) << 8 | UInt16(b[i + 1])) }
    return RawSample(
      ax: word(0), ay: word(2), az: word(4), gx: word(8), gy: word(10), gz: word(12),
      temperature: word(6))
  }

  /// The seven counts of an LSM6DSO: little-endian, temperature, angular rate, acceleration.
  mutating func lsmSample() throws(BusError) -> RawSample {
    let b = try read(0x20, count: 14)
    func word(_ i: Int) -> Int16 { Int16(bitPattern: UInt16(b[i + 1]) << 8 | UInt16(b[i])) }
    return RawSample(
      ax: word(8), ay: word(10), az: word(12), gx: word(2), gy: word(4), gz: word(6),
      temperature: word(0))
  }

  /// The chip's outputs after `tick`.
  func made(atTick tick: Int64) -> RawSample {
    bus.outputs(of: address, atTick: tick) ?? RawSample()
  }

  /// The instant of the chip's tick.
  func time(ofTick tick: Int64) -> MonotonicTime {
    bus.time(ofTick: tick, of: address) ?? MonotonicTime(nanoseconds: 0)
  }

  /// The chip's tick now.
  var tick: Int64 { bus.tick(of: address, at: clock.now()) ?? -1 }
}

extension Motion {
  /// A constant motion, in g and °/s.
  static func steady(
    g: SIMD3<Double>, degreesPerSecond: SIMD3<Double>, celsius: Double = 25
  ) -> Motion {
    .steady(
      Truth(
        acceleration: g * Motion.standardGravity,
        angularRate: degreesPerSecond * (Double.pi / 180), temperature: celsius))
  }

  /// A recording whose rows follow each other after `microseconds`.
  static func rows(every microseconds: Int = 1000, _ rows: [[Int]]) throws -> Motion {
    var text = "t_us,ax,ay,az,gx,gy,gz,temp\n"
    for (index, row) in rows.enumerated() {
      text += ([index * microseconds] + row).map(String.init).joined(separator: ",") + "\n"
    }
    return try Motion(csv: text.utf8, named: "rows")
  }
}
