// SPDX-License-Identifier: Apache-2.0

/// Takes an input apart from its front; bytes missing at its end are zero.
struct InputCursor {
  private(set) var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 {
    guard let byte = rest.first else { return 0 }
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
    return byte
  }

  /// A little-endian number.
  mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number {
    var number: Number = 0
    for index in 0..<Number.bitWidth / 8 {
      number |= Number(truncatingIfNeeded: UInt64(byte()) << UInt64(8 * index))
    }
    return number
  }

  /// The next bytes, as many as there are.
  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    let front = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    return front
  }
}
