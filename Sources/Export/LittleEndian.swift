// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
  /// Appends an integer's bytes, the lowest first.
  mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
