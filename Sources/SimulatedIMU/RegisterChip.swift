// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// A chip at register level, as the bus sees it.
protocol RegisterChip: Sendable {
  /// The number of the register that says which chip it is.
  static var whoAmI: UInt8 { get }

  /// A chip whose power came on at `instant`.
  init(_ chip: SimulatedChip, source: MotionSource, motionOrigin: Int64, poweredOn instant: Int64)

  /// The clock of everything in the chip.
  var oscillator: Oscillator { get set }
  /// The contents of the output registers after `tick`.
  func outputs(atTick tick: Int64) -> RawSample

  /// Power comes (back) on at `instant`: all registers are at reset, the chip is silent until ``usableFrom``.
  mutating func powerOn(at instant: Int64)
  var usableFrom: Int64 { get set }

  /// Whether the chip acknowledges its address at `instant`.
  func acknowledges(at instant: Int64) -> Bool

  /// Whether the chip connects the bus behind it, where its magnetometer is, with this one; `true` where there is none.
  var isBypassed: Bool { get }

  /// How the output registers stand still, if they do.
  var freeze: OutputFreeze? { get set }

  /// The FIFO loses its oldest byte or word; only the bytes show it. A chip without a FIFO has nothing to lose.
  mutating func loseFromFIFO(at instant: Int64)

  /// Whether the chip's second interrupt output is high at `instant`; low where it is not simulated. Instants of one state
  /// may come in any order.
  mutating func isInterruptHigh(at instant: Int64) -> Bool

  /// A read begins whose first byte is fetched at `instant`.
  mutating func beginRead(at instant: Int64)
  /// The byte in `register`, fetched at `instant`, with the side effects of reading it.
  mutating func fetch(_ register: UInt8, at instant: Int64) -> UInt8
  /// The register that is read after `register`.
  func successor(of register: UInt8) -> UInt8
  mutating func endRead()

  /// A write of `value` that ends at `instant`. During a reset, writes are lost.
  mutating func store(_ register: UInt8, value: UInt8, at instant: Int64)

  /// Reads consecutive registers in a transfer that begins at `start`.
  mutating func read(
    _ first: UInt8, into bytes: UnsafeMutableRawBufferPointer, start: Int64, timing: WireTiming)
}

extension RegisterChip {
  /// ``whoAmI`` of a chip whose type is not known.
  var identityRegister: UInt8 { Self.whoAmI }

  /// Output registers stand still from `instant` to `end`.
  mutating func freezeOutputs(
    from instant: Int64, to end: Int64, keepsDataReady: Bool, survivesReset: Bool
  ) {
    let first = oscillator.tick(at: instant)
    freeze = OutputFreeze(
      first: first, last: oscillator.tick(at: end), keepsDataReady: keepsDataReady,
      kept: survivesReset ? outputs(atTick: first) : nil)
  }

  func acknowledges(at instant: Int64) -> Bool { instant >= usableFrom }
  var isBypassed: Bool { true }
  mutating func loseFromFIFO(at instant: Int64) {}
  mutating func isInterruptHigh(at instant: Int64) -> Bool { false }
  mutating func beginRead(at instant: Int64) {}
  mutating func endRead() {}

  mutating func read(
    _ first: UInt8, into bytes: UnsafeMutableRawBufferPointer, start: Int64, timing: WireTiming
  ) {
    var register = first
    beginRead(at: timing.fetch(of: 0, start: start))
    for index in bytes.indices {
      bytes[index] = fetch(register, at: timing.fetch(of: index, start: start))
      register = successor(of: register)
    }
    endRead()
  }

  /// The same with a supply that fails before data byte `byte`: the rest reads as `rest`.
  mutating func read(
    _ first: UInt8, into bytes: UnsafeMutableRawBufferPointer, start: Int64, timing: WireTiming,
    cut byte: Int, rest: UInt8, boots: Bool
  ) {
    let whole = min(byte, bytes.count)
    read(
      first, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<whole]), start: start,
      timing: timing)
    for index in whole..<bytes.count { bytes[index] = rest }
    let instant = timing.fetch(of: whole, start: start)
    powerOn(at: instant)
    if !boots { usableFrom = instant }
  }
}

/// 128 registers of a byte each, in the value itself.
struct RegisterFile: Sendable, BitwiseCopyable {
  private var low = SIMD64<UInt8>(repeating: 0)
  private var high = SIMD64<UInt8>(repeating: 0)

  /// Registers from 0x80 on do not exist: they read 0 and ignore writes.
  subscript(register: UInt8) -> UInt8 {
    get {
      switch register {
      case 0..<64: return low[Int(register)]
      case 64..<128: return high[Int(register) - 64]
      default: return 0
      }
    }
    set {
      switch register {
      case 0..<64: low[Int(register)] = newValue
      case 64..<128: high[Int(register) - 64] = newValue
      default: break
      }
    }
  }
}

/// Output registers that stand still from one tick to another.
struct OutputFreeze: Sendable, BitwiseCopyable {
  let first: Int64
  let last: Int64
  /// Whether the data-ready bits continue as if nothing were wrong.
  let keepsDataReady: Bool
  /// The outputs to show even after a reset; `nil` when a reset ends the freeze.
  let kept: RawSample?

  /// The tick whose outputs are visible at `tick`.
  func shown(at tick: Int64) -> Int64 { (first...last).contains(tick) ? first : tick }

  /// The outputs kept at `tick`; `nil` when the chip's own are visible.
  func kept(at tick: Int64) -> RawSample? { (first...last).contains(tick) ? kept : nil }

  /// The tick whose data-ready state is visible at `tick`.
  func flagged(at tick: Int64) -> Int64 { keepsDataReady ? tick : shown(at: tick) }
}
