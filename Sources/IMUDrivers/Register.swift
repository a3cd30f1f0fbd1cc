// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// A register as a data sheet lists it.
public struct Register: Sendable {
  /// Its number on the bus.
  public let address: UInt8
  /// Its name in the data sheet.
  public let name: StaticString

  /// A line of a register map.
  @inlinable
  public init(_ address: UInt8, _ name: StaticString) {
    self.address = address
    self.name = name
  }
}

extension Register: Equatable {
  /// Two lines are the same when number and name are.
  public static func == (left: Register, right: Register) -> Bool {
    left.address == right.address && left.name.description == right.name.description
  }
}

extension Register: CustomStringConvertible {
  /// Such as `CTRL3_C (0x12)`.
  public var description: String { "\(name) (\(hexadecimal(address)))" }
}

/// Two hexadecimal digits, such as `0x0f`.
package func hexadecimal(_ value: UInt8) -> String {
  "0x" + Plain.hexadecimal(value)
}

/// Up to twenty pairs of register and value, held inline: walking them on the sampler thread
/// neither allocates nor counts references.
@usableFromInline
struct RegisterList: Sendable, BitwiseCopyable {
  /// A register's number and its value.
  @usableFromInline
  struct Entry: Equatable, Sendable, BitwiseCopyable {
    @usableFromInline let register: UInt8
    @usableFromInline let value: UInt8

    @inlinable
    init(register: UInt8, value: UInt8) {
      self.register = register
      self.value = value
    }
  }

  @usableFromInline static var capacity: Int { 20 }

  /// Four pairs a word, the first in the lowest 16 bits: register in the high byte, value in the
  /// low.
  @usableFromInline var words: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
  @usableFromInline private(set) var count = 0

  init() {}

  /// Adds a pair at the end; traps when the list is full.
  mutating func append(_ register: Register, _ value: UInt8) {
    append(Entry(register: register.address, value: value))
  }

  /// Adds the pairs of `other` at the end; traps when the list is full.
  mutating func append(_ other: RegisterList) {
    for index in 0..<other.count { append(other[index]) }
  }

  private mutating func append(_ entry: Entry) {
    precondition(count < RegisterList.capacity, "a register list holds 20 pairs")
    let pair = UInt64(entry.register) << 8 | UInt64(entry.value)
    let bits = pair << UInt64(16 * (count & 3))
    switch count >> 2 {
    case 0: words.0 |= bits
    case 1: words.1 |= bits
    case 2: words.2 |= bits
    case 3: words.3 |= bits
    default: words.4 |= bits
    }
    count += 1
  }

  @inlinable
  subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < count, "no such pair")
    let word: UInt64
    switch index >> 2 {
    case 0: word = words.0
    case 1: word = words.1
    case 2: word = words.2
    case 3: word = words.3
    default: word = words.4
    }
    let pair = word >> UInt64(16 * (index & 3))
    return Entry(
      register: UInt8(truncatingIfNeeded: pair >> 8), value: UInt8(truncatingIfNeeded: pair))
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
    let entries = (0..<count).map { self[$0] }.sorted { $0.register < $1.register }
    var list = RegisterList()
    for entry in entries { list.append(entry) }
    return list
  }
}
