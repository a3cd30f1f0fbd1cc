// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// A small file outside the test's directory: one of the test bundle, or of /proc.
func text(at path: String) throws -> String {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  try #require(descriptor >= 0, "cannot open \(path): errno \(errno)")
  defer { close(descriptor) }
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  let count = read(descriptor, &buffer, buffer.count)
  return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
}
