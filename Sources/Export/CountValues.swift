// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A table with the value of each of the 65 536 counts in one unit: the double nearest to the text that ``CountTexts``
/// has. A value is made when its count first occurs.
///
/// Untouched parts of the table (512 KiB of address space) take no memory.
final class CountValues {
  let scale: CountScale
  // Safe: calloc's memory is aligned for any type; 65 536 entries, by the count's bit pattern, freed in deinit alone.
  /// The values' bit patterns, those of `unknown` flipped, so that 0 is a value that has not been made.
  private let entries: UnsafeMutablePointer<UInt64>
  private static let unknown = Double.nan.bitPattern

  init(_ scale: CountScale) {
    self.scale = scale
    guard let memory = calloc(65536, MemoryLayout<UInt64>.stride) else {
      fatalError("no memory for a table of 512 KiB")
    }
    entries = memory.bindMemory(to: UInt64.self, capacity: 65536)
  }

  deinit {
    free(entries)
  }

  /// The bit pattern of a count's value.
  @inline(__always)
  func bits(of count: Int16) -> UInt64 {
    let entry = entries[Int(UInt16(bitPattern: count))]
    return entry != 0 ? entry ^ CountValues.unknown : make(count)
  }

  @inline(never)
  private func make(_ count: Int16) -> UInt64 {
    let (characters, length) = scale.text(of: count)
    let text = String(
      decoding: (0..<length).map { UInt8(truncatingIfNeeded: characters >> UInt128(8 * $0)) },
      as: UTF8.self)
    guard let value = Double(text) else { fatalError("\(text) is no number") }
    entries[Int(UInt16(bitPattern: count))] = value.bitPattern ^ CountValues.unknown
    return value.bitPattern
  }
}
