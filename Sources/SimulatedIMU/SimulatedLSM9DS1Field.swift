// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The magnetometer of an LSM9DS1, another device on the bus, as section 8 of its data sheet (DocID025715 rev. 2) describes it.
///
/// A burst moves on only where bit 7 of its first register is set (5.1.1). Its axes are right-handed: X points against the
/// accelerometer's (figure 1). That the high bytes of an axis, and of all axes, clear the status is as users found it
/// (community.st.com, thread 375137); the data sheet leaves it open.
///
/// Not simulated: single conversions, interrupts, low power, block data update, the self-test.
struct SimulatedLSM9DS1Field: RegisterChip, BitwiseCopyable {
  static let whoAmI: UInt8 = 0x0F
  static let address: UInt8 = 0x1C
  private static let control1: UInt8 = 0x20
  private static let control2: UInt8 = 0x21
  private static let control3: UInt8 = 0x22
  private static let status: UInt8 = 0x27
  private static let data: ClosedRange<UInt8> = 0x28...0x2D

  var oscillator: Oscillator
  private let path: SignalPath
  private var registers = RegisterFile()
  var usableFrom: Int64 = 0
  var freeze: OutputFreeze?
  private var startTick: Int64 = 0
  /// The number of the newest sample since ``startTick``.
  private var newest: Int64 = 0
  /// Bits of the status by axis.
  private var available: UInt8 = 0
  private var overrun: UInt8 = 0

  init(_ chip: SimulatedChip, source: MotionSource, motionOrigin: Int64, poweredOn instant: Int64) {
    // Five ticks a sample at 80 Hz, by another clock than the accelerometer's.
    oscillator = Oscillator(
      origin: instant, hertz: 400 * (1 + 3 * Double(chip.clockErrorPartsPerMillion) * 1e-6),
      wander: 0, middle: motionOrigin)
    path = SignalPath(chip: chip, source: source, origin: motionOrigin)
    powerOn(at: instant)
  }

  mutating func powerOn(at instant: Int64) {
    usableFrom = instant + 5_000_000
    registers = RegisterFile()
    registers[Self.whoAmI] = 0x3D
    registers[Self.control1] = 0x10
    registers[Self.control3] = 0x03
    (newest, available, overrun) = (0, 0, 0)
  }

  func acknowledges(at instant: Int64) -> Bool {
    instant >= usableFrom && registers[Self.control3] & 0x80 == 0
  }

  /// Ticks a sample by DO; 0 but for continuous conversion.
  private var period: Int64 {
    registers[Self.control3] & 0x03 == 0 ? 640 >> Int64(registers[Self.control1] >> 2 & 7) : 0
  }

  /// The newest sample at `tick`. The noise is that of an LIS3MDL, which has the same registers: 3.2 to 4.1 mgauss.
  private func counts(atTick tick: Int64) -> SIMD3<Int16> {
    guard period > 0, tick - startTick >= period else { return SIMD3() }
    let number = (tick - startTick) / period
    let instant = oscillator.instant(ofTick: startTick + number * period)
    // µT a count by full scale.
    let scale = SIMD4(0.014, 0.029, 0.043, 0.058)[Int(registers[Self.control2] >> 5 & 3)]
    let value = (path.field(number, at: instant, deviation: 0.4) / scale).clamped(
      lowerBound: SIMD3(repeating: -32768), upperBound: SIMD3(repeating: 32767))
    return SIMD3(value, rounding: .toNearestOrAwayFromZero)
  }

  func outputs(atTick tick: Int64) -> RawSample {
    let counts = counts(atTick: tick)
    return RawSample(ax: counts.x, ay: counts.y, az: counts.z)
  }

  mutating func fetch(_ register: UInt8, at instant: Int64) -> UInt8 {
    let now = oscillator.tick(at: instant)
    let tick = freeze?.shown(at: now) ?? now
    let number = period > 0 ? (tick - startTick) / period : 0
    if number > newest {
      overrun |= number - newest > 1 ? 0x07 : available
      (available, newest) = (0x07, number)
    }
    let register = register & 0x7F
    switch register {
    case Self.status:
      return available | (available != 0 ? 0x08 : 0) | overrun << 4 | (overrun != 0 ? 0x80 : 0)
    case Self.data:
      let place = register - Self.data.lowerBound
      let count = counts(atTick: tick)[Int(place / 2)]
      guard place % 2 == 1 else { return UInt8(truncatingIfNeeded: count) }
      available &= ~(1 << (place / 2))
      overrun &= ~(1 << (place / 2))
      return UInt8(truncatingIfNeeded: count >> 8)
    default: return registers[register]
    }
  }

  func successor(of register: UInt8) -> UInt8 {
    register & 0x80 != 0 ? 0x80 | (register &+ 1) & 0x7F : register
  }

  mutating func store(_ register: UInt8, value: UInt8, at instant: Int64) {
    switch register & 0x7F {
    // SOFT_RST, REBOOT.
    case Self.control2 where value & 0x0C != 0: powerOn(at: instant)
    case 0x05...0x0A, 0x20...0x24, 0x30, 0x32, 0x33:
      registers[register & 0x7F] = value
      // A sample is made a period after the change.
      (startTick, newest) = (oscillator.tick(at: instant), 0)
    default: break
    }
  }
}
