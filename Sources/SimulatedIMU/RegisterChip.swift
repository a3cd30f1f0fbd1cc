/// A chip at register level, as the bus meets it.
protocol RegisterChip {
  /// Power comes (back) on at `instant`.
  mutating func powerOn(at instant: Int64)

  /// The chip is through with booting at `instant`, sooner than data sheets have it.
  mutating func finishBoot(at instant: Int64)

  /// Whether the chip acknowledges its address at `instant`.
  func acknowledges(at instant: Int64) -> Bool

  /// Output registers stand still from `instant` to `end`.
  mutating func freezeOutputs(
    from instant: Int64, to end: Int64, keepsDataReady: Bool, survivesReset: Bool)

  /// A read begins whose first byte is fetched at `instant`.
  mutating func beginRead(at instant: Int64)
  /// The byte in `register`, fetched at `instant`, and what reading it brings about.
  mutating func fetch(_ register: UInt8, at instant: Int64) -> UInt8
  /// The register that is read after `register`.
  func successor(of register: UInt8) -> UInt8
  /// The read is through.
  mutating func endRead()

  /// A write of `value` that is through at `instant`.
  mutating func store(_ register: UInt8, value: UInt8, at instant: Int64)
}

extension RegisterChip {
  /// Reads consecutive registers in a transfer that begins at `start`.
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
    if !boots { finishBoot(at: instant) }
  }
}

/// How long what takes on the wire.
struct WireTiming: Sendable, BitwiseCopyable {
  /// The bus clock; `nil` when transfers take no time.
  let hertz: Int?

  /// When the chip fetches data byte `index` of a read: as soon as the byte before it is
  /// acknowledged.
  ///
  /// The first comes after START, address, register, repeated START and address: 29 bits.
  func fetch(of index: Int, start: Int64) -> Int64 {
    after(29 + 9 * index, start)
  }

  /// When a read of `count` bytes is through.
  func endOfRead(of count: Int, start: Int64) -> Int64 {
    after(9 * (3 + count) + 3, start)
  }

  /// When a chip takes over what is written: after START, address, register and value.
  func store(start: Int64) -> Int64 {
    after(28, start)
  }

  /// When a write is through.
  func endOfWrite(start: Int64) -> Int64 {
    after(29, start)
  }

  /// When a transfer is through that no chip acknowledges: START, address, STOP.
  func endOfFailure(start: Int64) -> Int64 {
    after(11, start)
  }

  /// The instant `bits` bit times after `start`, rounded up.
  private func after(_ bits: Int, _ start: Int64) -> Int64 {
    guard let hertz else { return start }
    return start + (Int64(bits) * 1_000_000_000 + Int64(hertz) - 1) / Int64(hertz)
  }
}
