// SPDX-License-Identifier: Apache-2.0

import CLinuxIO

/// The CRC-32 of zlib, ZIP and MCAP of bytes that come in parts; that of `123456789` is CBF43926.
package struct CRC32 {
  /// The sum of all bytes so far.
  package private(set) var value: UInt32 = 0

  /// The sum of the first bytes.
  package init(_ bytes: [UInt8] = []) {
    add(bytes)
  }

  /// Adds bytes.
  package mutating func add(_ bytes: [UInt8]) {
    value = imulog_crc32(value, bytes, bytes.count)
  }
}
