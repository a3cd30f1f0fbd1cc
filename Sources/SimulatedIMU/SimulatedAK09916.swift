// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The magnetometer in an ICM-20948, an AK09916, as sections 12 and 13 of DS-000189 describe it and, where they do not, the
/// text of its predecessor's data sheet (AK09911, MS1526-E-01, 6.4.3).
///
///     measurement ends ─► (not while its data are being read) ─► HXL…HZH, ST2
///                         DRDY rises, and DOR where data were skipped
///
/// A read of any byte of data begins a reading, which lasts until ST2 is read. Its die is turned by half a turn about X
/// against the accelerometer's (figure "Orientation of Axes of Sensitivity for Compass").
///
/// Not simulated: single measurements, the self-test, and a second chip with the same address.
struct SimulatedAK09916: RegisterChip, BitwiseCopyable {
  static let whoAmI: UInt8 = 0x01
  static let address: UInt8 = 0x0C
  private static let data: ClosedRange<UInt8> = 0x11...0x17
  private static let st2: UInt8 = 0x18
  private static let control2: UInt8 = 0x31
  private static let control3: UInt8 = 0x32

  var oscillator: Oscillator
  private let path: SignalPath
  var usableFrom: Int64 = 0
  var freeze: OutputFreeze?
  /// CNTL2, and the tick at which it was written.
  private var mode: UInt8 = 0
  private var startTick: Int64 = 0
  /// The number of the newest measurement since ``startTick``, and of the one in the registers.
  private var newest: Int64 = 0
  private var stored: Int64 = 0
  private var isReady = false
  private var hasSkipped = false
  private var isBeingRead = false

  init(_ chip: SimulatedChip, source: MotionSource, motionOrigin: Int64, poweredOn instant: Int64) {
    // Ticks of 1 ms, by another clock than the accelerometer's.
    oscillator = Oscillator(
      origin: instant, hertz: 1000 * (1 - 2 * Double(chip.clockErrorPartsPerMillion) * 1e-6),
      wander: 0, middle: motionOrigin)
    path = SignalPath(chip: chip, source: source, origin: motionOrigin)
    powerOn(at: instant)
  }

  mutating func powerOn(at instant: Int64) {
    // The data sheet gives no time.
    usableFrom = instant + 1_000_000
    setMode(0, at: instant)
    (isReady, hasSkipped, isBeingRead) = (false, false, false)
  }

  /// Ticks from one measurement to the next; 0 while it is off.
  private var period: Int64 {
    switch mode {
    case 0x02: 100
    case 0x04: 50
    case 0x06: 20
    case 0x08: 10
    default: 0
    }
  }

  private mutating func setMode(_ value: UInt8, at instant: Int64) {
    mode = value & 0x1F
    startTick = oscillator.tick(at: instant)
    // Here the registers are empty again, and in the chip they keep what was measured.
    (newest, stored) = (0, 0)
  }

  /// A measurement in µT along the chip's axes. Users see some ±2 counts of noise at rest.
  private func field(_ number: Int64) -> SIMD3<Double> {
    guard number > 0 else { return SIMD3() }
    let instant = oscillator.instant(ofTick: startTick + number * period)
    return path.field(number, at: instant, deviation: 0.2) * SIMD3(1, -1, -1)
  }

  private static func counts(_ field: SIMD3<Double>) -> SIMD3<Int16> {
    let most = SIMD3(repeating: 32752.0)
    return SIMD3(
      (field / 0.15).clamped(lowerBound: -most, upperBound: most),
      rounding: .toNearestOrAwayFromZero)
  }

  func outputs(atTick tick: Int64) -> RawSample {
    guard period > 0 else { return RawSample() }
    let counts = Self.counts(field((tick - startTick) / period))
    return RawSample(ax: counts.x, ay: counts.y, az: counts.z)
  }

  /// Stores what was measured by `tick`.
  private mutating func advance(to tick: Int64) {
    let tick = freeze?.shown(at: tick) ?? tick
    guard period > 0, (tick - startTick) / period > newest else { return }
    let number = (tick - startTick) / period
    if isBeingRead {
      hasSkipped = true
    } else {
      hasSkipped = hasSkipped || isReady || number - newest > 1
      (stored, isReady) = (number, true)
    }
    newest = number
  }

  mutating func fetch(_ register: UInt8, at instant: Int64) -> UInt8 {
    advance(to: oscillator.tick(at: instant))
    switch register {
    case 0x00: return 0x48
    case Self.whoAmI: return 0x09
    case 0x10: return (isReady ? 0x01 : 0) | (hasSkipped ? 0x02 : 0)
    case Self.data, Self.st2:
      (isReady, hasSkipped) = (false, false)
      isBeingRead = register != Self.st2
      let field = field(stored)
      // HOFL: |X| + |Y| + |Z| must be below 4912 µT.
      if register == Self.st2 {
        return abs(field.x) + abs(field.y) + abs(field.z) < 4912 ? 0 : 0x08
      }
      let place = Int(register - Self.data.lowerBound)
      guard place < 6 else { return 0 }
      let word = UInt16(bitPattern: Self.counts(field)[place / 2])
      return UInt8(truncatingIfNeeded: place % 2 == 0 ? word : word >> 8)
    case Self.control2: return mode
    default: return 0
    }
  }

  /// 00 to 03, 10 to 18 and 00 again; 30 to 32 and 30 again.
  func successor(of register: UInt8) -> UInt8 {
    switch register {
    case 0x03: 0x10
    case Self.st2: 0x00
    case Self.control3: 0x30
    default: register &+ 1
    }
  }

  mutating func store(_ register: UInt8, value: UInt8, at instant: Int64) {
    advance(to: oscillator.tick(at: instant))
    switch register {
    case Self.control2: setMode(value, at: instant)
    case Self.control3: if value & 0x01 != 0 { powerOn(at: instant) }
    default: break
    }
  }
}
