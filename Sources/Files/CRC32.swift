// SPDX-License-Identifier: Apache-2.0

import CLinuxIO

/// CRC-32 of zlib, ZIP and MCAP, of bytes that come in parts; of `123456789` it is CBF43926.
package struct CRC32 {
  package private(set) var value: UInt32 = 0

  package init(_ bytes: [UInt8] = []) {
    add(bytes)
  }

  package mutating func add(_ bytes: [UInt8]) {
    value = imulog_crc32(value, bytes, bytes.count)
  }
}
