// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The bytes of one burst, at most 24, on the stack.
///
/// Each transfer gets a new one, so bytes of an earlier transfer can never pass for those of a
/// failed one.
@usableFromInline
struct Burst: Sendable, BitwiseCopyable {
  /// Bytes 0 to 7, 8 to 15 and 16 to 23 in the order of the bus.
  @usableFromInline var words: (UInt64, UInt64, UInt64) = (0, 0, 0)

  @inlinable
  init() {}

  /// The byte at `index`, 0...23.
  @inlinable
  subscript(index: Int) -> UInt8 {
    let word = index < 8 ? words.0 : index < 16 ? words.1 : words.2
    return UInt8(truncatingIfNeeded: UInt64(littleEndian: word) >> UInt64(8 * (index & 7)))
  }

  /// Sets the byte at `index`, 0...23.
  @inlinable
  mutating func set(_ index: Int, _ byte: UInt8) {
    let shift = UInt64(8 * (index & 7))
    let (mask, bits) = (~(UInt64(0xFF) << shift), UInt64(byte) << shift)
    switch index >> 3 {
    case 0: words.0 = (UInt64(littleEndian: words.0) & mask | bits).littleEndian
    case 1: words.1 = (UInt64(littleEndian: words.1) & mask | bits).littleEndian
    default: words.2 = (UInt64(littleEndian: words.2) & mask | bits).littleEndian
    }
  }

  /// Two bytes from `index` on as a signed number, high byte first.
  @inlinable
  func bigEndian(_ index: Int) -> Int16 {
    Int16(bitPattern: UInt16(self[index]) << 8 | UInt16(self[index + 1]))
  }

  /// Two bytes from `index` on as a signed number, low byte first.
  @inlinable
  func littleEndian(_ index: Int) -> Int16 {
    Int16(bitPattern: UInt16(self[index + 1]) << 8 | UInt16(self[index]))
  }

  /// Whether both have the same bytes in `range`, which lies within 0..<24.
  @inlinable
  func matches(_ other: Burst, in range: Range<Int>) -> Bool {
    for index in range where self[index] != other[index] { return false }
    return true
  }
}

extension I2CBus where Self: ~Copyable {
  /// Reads `count` registers, 1...24, in one transfer.
  @inlinable
  mutating func readBurst(
    _ address: I2CAddress, register: UInt8, count: Int
  ) throws(BusError) -> Burst {
    var burst = Burst()
    // Safe: the pointer covers exactly the 24 bytes of `burst`, of which `rebasing` takes the first
    // `count` (a larger count traps), and does not leave the closure. A tuple of three UInt64 has no
    // padding. Errors leave the closure as a value because Swift 6.0 does not infer their type
    // here.
    let result = withUnsafeMutableBytes(of: &burst.words) { bytes -> Result<Void, BusError> in
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

  /// The same, repeated at once after a transient failure; three transfers at most.
  @inlinable
  mutating func readBurstPatiently(
    _ address: I2CAddress, register: UInt8, count: Int
  ) throws(BusError) -> Burst {
    var attempt = 1
    while true {
      do throws(BusError) {
        return try readBurst(address, register: register, count: count)
      } catch {
        guard error.isTransient, attempt < 3 else { throw error }
        attempt += 1
      }
    }
  }

  /// Writes a register; repeated at once after a transient failure, three transfers at most.
  ///
  /// Writing the same value twice does no harm in any register that the drivers write.
  mutating func writePatiently(
    _ address: I2CAddress, register: UInt8, value: UInt8
  ) throws(BusError) {
    var attempt = 1
    while true {
      do throws(BusError) {
        return try write(address, register: register, value: value)
      } catch {
        guard error.isTransient, attempt < 3 else { throw error }
        attempt += 1
      }
    }
  }

  /// Compares the identity, then every pair of `image`, which must be sorted by register.
  ///
  /// Neighbouring registers are read in one burst. A gap of one register is read over, which is
  /// harmless among these chips' configuration registers: reading changes none of them.
  ///
  /// - Complexity: two to five transfers when all is well.
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
      while end < image.count, image[end].register - image[end - 1].register <= 2,
        image[end].register - base < 16
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
