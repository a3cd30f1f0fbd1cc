// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The bytes of one burst, at most 64, on the stack, in the order of the bus. Each transfer gets a new one, so bytes of an
/// earlier transfer never pass for those of a failed one.
@usableFromInline
struct Burst: ByteSource, Sendable, BitwiseCopyable {
  @usableFromInline var bytes = SIMD64<UInt8>(repeating: 0)

  @inlinable
  init() {}

  /// The byte at `index`, 0...63.
  @inlinable
  subscript(index: Int) -> UInt8 {
    get { bytes[index] }
    set { bytes[index] = newValue }
  }

  @inlinable
  func byte(_ index: Int) -> UInt8 { bytes[index] }

  /// Whether both have the same bytes in `range`, which lies within 0..<64.
  @inlinable
  func matches(_ other: Burst, in range: Range<Int>) -> Bool {
    for index in range where self[index] != other[index] { return false }
    return true
  }

  /// This burst with its bytes in `range` replaced by the first bytes of `other`.
  @inlinable
  func replacing(_ range: Range<Int>, by other: Burst) -> Burst {
    var result = self
    for index in range { result[index] = other[index - range.lowerBound] }
    return result
  }
}

/// Bytes with the counts of axes among them.
@usableFromInline
protocol ByteSource: ~Copyable {
  func byte(_ place: Int) -> UInt8
}

extension ByteSource where Self: ~Copyable {
  /// Two bytes from `place` on as a signed number.
  @inlinable
  func value(_ place: Int, isBigEndian: Bool = false) -> Int16 {
    let (first, second) = (UInt16(byte(place)), UInt16(byte(place + 1)))
    return Int16(bitPattern: isBigEndian ? first << 8 | second : second << 8 | first)
  }

  /// Three such numbers.
  @inlinable
  func axes(_ place: Int, isBigEndian: Bool = false) -> (Int16, Int16, Int16) {
    (
      value(place, isBigEndian: isBigEndian), value(place + 2, isBigEndian: isBigEndian),
      value(place + 4, isBigEndian: isBigEndian)
    )
  }
}

extension I2CBus where Self: ~Copyable {
  /// Reads `count` registers, 1...64, in one transfer.
  @inlinable
  mutating func readBurst(
    _ address: I2CAddress, register: UInt8, count: Int
  ) throws(BusError) -> Burst {
    var burst = Burst()
    // Safe: the pointer covers exactly the 64 bytes of `burst`; `rebasing` takes the first `count` (a larger
    // count traps), and does not leave the closure. Errors leave it as a value: Swift 6.0 does not infer their type here.
    let result = withUnsafeMutableBytes(of: &burst.bytes) { bytes -> Result<Void, BusError> in
      do throws(BusError) {
        try read(
          address, register: register,
          into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]))
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
    return burst
  }

  /// Repeats a transfer at once after a transient failure; three at most.
  @inlinable
  mutating func patiently<Value>(
    _ transfer: (inout Self) throws(BusError) -> Value
  ) throws(BusError) -> Value {
    var attempt = 1
    while true {
      do throws(BusError) {
        return try transfer(&self)
      } catch {
        guard error.isTransient, attempt < 3 else { throw error }
        attempt += 1
      }
    }
  }

  /// ``readBurst(_:register:count:)``, patiently.
  @inlinable
  mutating func readBurstPatiently(
    _ address: I2CAddress, register: UInt8, count: Int
  ) throws(BusError) -> Burst {
    try inItsBank(address, register) { bus, number throws(BusError) in
      try bus.readBurst(address, register: number, count: count)
    }
  }

  /// Writes a register, patiently: writing the same value twice does no harm in any register that the drivers write.
  @usableFromInline
  mutating func writePatiently(
    _ address: I2CAddress, register: UInt8, value: UInt8
  ) throws(BusError) {
    try inItsBank(address, register) { bus, number throws(BusError) in
      try bus.write(address, register: number, value: value)
    }
  }

  /// Carries out a transfer patiently with the register's number on the bus, its bank selected for that time. When it fails,
  /// bank 0 may not be selected again: ``selectFirstBank(_:)`` comes before the next transfer.
  @inlinable
  mutating func inItsBank<Value>(
    _ address: I2CAddress, _ register: UInt8,
    _ transfer: (inout Self, UInt8) throws(BusError) -> Value
  ) throws(BusError) -> Value {
    let isBanked = register >= Register.firstBanked
    if isBanked { try selectBank(4 - register >> 6, address) }
    let value = try patiently { bus throws(BusError) in
      try transfer(&bus, isBanked ? register & 0x3F : register)
    }
    if isBanked { try selectFirstBank(address) }
    return value
  }

  /// Selects bank 0.
  @inlinable
  mutating func selectFirstBank(_ address: I2CAddress) throws(BusError) {
    try selectBank(0, address)
  }

  @inlinable
  mutating func selectBank(_ bank: UInt8, _ address: I2CAddress) throws(BusError) {
    try patiently { bus throws(BusError) in
      try bus.write(address, register: Register.bankSelect, value: bank << 4)
    }
  }

  /// The contents of a register of a chip, patiently; errors name both.
  mutating func read(
    _ register: Register, of model: SensorModel, at address: I2CAddress
  ) throws(SensorError) -> UInt8 {
    do throws(BusError) {
      return try readBurstPatiently(address, register: register.address, count: 1)[0]
    } catch {
      throw .bus(model, register, error)
    }
  }

  /// Writes registers of a chip in their order, patiently; errors name both.
  mutating func write(
    _ list: RegisterList, to model: SensorModel, at address: I2CAddress
  ) throws(SensorError) {
    for index in 0..<list.count {
      let (register, value) = (list[index].register, list[index].value)
      do throws(BusError) {
        try writePatiently(address, register: register, value: value)
      } catch {
        throw .bus(model, model.family.register(register), error)
      }
    }
  }

  /// Compares the identity, then every pair of `image`, which must be sorted by register.
  ///
  /// Neighbouring registers, and those with a gap of one register, are read in one burst: reading changes none of these
  /// chips' configuration registers. Those of another bank are read in one, between two writes that select the bank.
  ///
  /// - Complexity: two to five transfers when all is well; seven with another bank.
  @inlinable
  mutating func compare(
    _ address: I2CAddress, identityRegister: UInt8, identity: UInt8, image: RegisterList
  ) throws(BusError) -> ConfigurationCheck {
    let found = try readBurstPatiently(address, register: identityRegister, count: 1)[0]
    if found != identity {
      // Read again: a byte garbled on the bus must not cost a restart.
      let again = try readBurstPatiently(address, register: identityRegister, count: 1)[0]
      if again != identity { return .foreign(identity: again) }
    }
    var first = 0
    while first < image.count {
      let base = image[first].register
      var end = first + 1
      let isBanked = base >= Register.firstBanked
      while end < image.count,
        image[end].register - image[end - 1].register <= (isBanked ? 0x3F : 2),
        image[end].register - base < (isBanked ? 0x40 : 16)
      {
        end += 1
      }
      let count = Int(image[end - 1].register - base) + 1
      let bytes = try readBurstPatiently(address, register: base, count: count)
      for index in first..<end {
        let entry = image[index]
        guard bytes[Int(entry.register - base)] != entry.value else { continue }
        let again = try readBurstPatiently(address, register: entry.register, count: 1)[0]
        if again != entry.value {
          return .lost(register: entry.register, expected: entry.value, found: again)
        }
      }
      first = end
    }
    return .intact
  }
}
