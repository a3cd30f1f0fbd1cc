// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Testing

@Suite("An errno of a transfer")
struct BusErrorErrnoTests {
  static let table: [(Int32, BusError.Kind)] = [
    (ENXIO, .noAcknowledge), (EREMOTEIO, .noAcknowledge), (EAGAIN, .arbitrationLost),
    (ETIMEDOUT, .timeout), (EBUSY, .busy), (ESHUTDOWN, .busy), (EOPNOTSUPP, .unsupported),
    (EINVAL, .unsupported), (ENOSYS, .unsupported), (EPROTONOSUPPORT, .unsupported),
    (ENODEV, .gone), (EBADF, .gone), (ENOTTY, .gone), (EIO, .bus), (EPROTO, .bus),
    (EOVERFLOW, .bus), (EINTR, .bus), (ENOMEM, .bus),
  ]

  @Test("has the meaning that the kernel's fault codes give it", arguments: table)
  func meaning(code: Int32, kind: BusError.Kind) {
    #expect(BusError.Kind(errno: code) == kind)
  }
}
