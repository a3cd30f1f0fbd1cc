// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// A register as a data sheet lists it.
public struct Register: Sendable, Equatable, CustomStringConvertible {
  /// Its number on the bus; of a register in a bank of its own, that and the bank: see ``init(bank:_:_:)``.
  public let address: UInt8
  /// Its name in the data sheet.
  public let name: StaticString

  /// A line of a register map.
  @inlinable
  public init(_ address: UInt8, _ name: StaticString) {
    self.address = address
    self.name = name
  }

  /// A register of bank 1 or 2 of an ICM-20948, which shows one bank at a time.
  ///
  ///     00…7F  bank 0          80…BF  00…3F of bank 2          C0…FF  00…3F of bank 1
  ///
  /// Bank 0 is selected but for the time of a transfer to another one; see ``I2CBus``'s patient transfers.
  init(bank: UInt8, _ address: UInt8, _ name: StaticString) {
    self.init((4 - bank) << 6 | address, name)
  }

  /// Selects the bank, in bits [5:4]; it is in all of them.
  @usableFromInline static var bankSelect: UInt8 { 0x7F }

  /// The first number of a register that is not in bank 0.
  @usableFromInline static var firstBanked: UInt8 { 0x80 }

  /// Whether it is seen only after its bank was selected.
  var isBanked: Bool { address >= Register.firstBanked }

  /// Two lines are the same when number and name are.
  public static func == (left: Register, right: Register) -> Bool {
    left.address == right.address && left.name.description == right.name.description
  }

  /// Such as `CTRL3_C (0x12)`, or `ACCEL_CONFIG (bank 2, 0x14)`.
  public var description: String {
    guard isBanked else { return "\(name) (\(hexadecimal(address)))" }
    return "\(name) (bank \(4 - address >> 6), \(hexadecimal(address & 0x3F)))"
  }
}

/// Two hexadecimal digits, such as `0x0f`.
package func hexadecimal(_ value: UInt8) -> String {
  "0x" + Plain.hexadecimal(value)
}

/// Up to 32 pairs of register and value in the order of the writes, held inline: walking them on the sampler thread neither
/// allocates nor counts references.
@usableFromInline
struct RegisterList: Sendable, BitwiseCopyable {
  @usableFromInline typealias Entry = (register: UInt8, value: UInt8)

  /// Register in the high byte, value in the low.
  @usableFromInline var pairs = SIMD32<UInt16>(repeating: 0)
  @usableFromInline private(set) var count = 0

  /// Adds a pair at the end; traps when the list is full.
  mutating func append(_ register: Register, _ value: UInt8) {
    append((register.address, value))
  }

  /// Adds the pairs of `other` at the end; traps when the list is full.
  mutating func append(_ other: RegisterList) {
    for index in 0..<other.count { append(other[index]) }
  }

  private mutating func append(_ entry: Entry) {
    pairs[count] = UInt16(entry.register) << 8 | UInt16(entry.value)
    count += 1
  }

  @inlinable
  subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < count, "no such pair")
    return (UInt8(pairs[index] >> 8), UInt8(truncatingIfNeeded: pairs[index]))
  }

  /// Whether some are not in bank 0.
  @inlinable var isBanked: Bool {
    for index in 0..<count where self[index].register >= Register.firstBanked { return true }
    return false
  }

  /// These pairs and those of `other`, by rising register number; where both have a register, the other's value.
  func merged(with other: RegisterList) -> RegisterList {
    let replaced = (0..<other.count).map { other[$0].register }
    var list = other
    for index in 0..<count where !replaced.contains(self[index].register) {
      list.append(self[index])
    }
    return list.sorted()
  }

  /// The same pairs by rising register number, as burst reads need them.
  func sorted() -> RegisterList {
    var list = RegisterList()
    for entry in (0..<count).map({ self[$0] }).sorted(by: { $0.register < $1.register }) {
      list.append(entry)
    }
    return list
  }
}

extension RegisterList: ExpressibleByDictionaryLiteral {
  @usableFromInline
  init(dictionaryLiteral pairs: (Register, UInt8)...) {
    for (register, value) in pairs { append(register, value) }
  }
}
