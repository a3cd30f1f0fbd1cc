// SPDX-License-Identifier: Apache-2.0

import Glibc
package import IMUModel

/// The controller of a simulated bus and its driver in Linux: how a transfer that fails ends.
///
/// What ``I2CBus`` can ask for is within the rules of all: one read, as the last message (`bcm2835_i2c_xfer`), one address
/// (`i2c_dw_xfer_msg`), and at most ``longestRead``.
public enum SimulatedAdapter: CaseIterable, Sendable, BitwiseCopyable {
  /// No kernel takes part: there is any failure, without an errno, and none takes longer than a missing acknowledgement.
  case generic
  /// Of a Raspberry Pi 0 to 4, by drivers/i2c/busses/i2c-bcm2835.c of Linux.
  case bsc
  /// The same, by that file of Raspberry Pi's own kernel. When a chip does not acknowledge its address, the driver is at the
  /// read already, so `bcm2835_i2c_isr` takes it for one that ended without its bytes.
  case bscOfRaspberryPiOS
  /// Of a Raspberry Pi 5, by drivers/i2c/busses/i2c-designware-master.c and i2c-designware-common.c of Linux.
  case rp1

  /// The most bytes that one transfer can read: what i2c-dev passes on (`i2cdev_ioctl_rdwr`).
  static let longestRead = 8192

  /// Nanoseconds after which a driver gives up waiting for a transfer's end, as the recorder asks all of them.
  static let patience: Int64 = 100_000_000

  /// The errno of a transfer that fails for this cause, 0 where no kernel takes part; `nil` where the driver cannot tell that
  /// cause from others.
  package func errno(of cause: BusError.Kind, in operation: BusError.Operation) -> Int32? {
    switch (self, cause) {
    case (.generic, _): 0
    case (.bscOfRaspberryPiOS, .noAcknowledge) where operation == .read: EIO
    // BCM2835_I2C_S_ERR; DW_IC_TX_ABRT_NOACK in `i2c_dw_handle_tx_abort`.
    case (_, .noAcknowledge): EREMOTEIO
    // No interrupt: `bcm2835_i2c_xfer`. "controller timed out" in `i2c_dw_xfer`, or `i2c_dw_wait_bus_not_busy`.
    case (_, .timeout): ETIMEDOUT
    // The clock held for too long, or a short transfer; any other abort, or "transfer terminated early".
    case (_, .bus): EIO
    // DW_IC_TX_ARB_LOST; a BSC does not look at the line.
    case (.rp1, .arbitrationLost): EAGAIN
    // "invalid target address" in `i2c_dw_xfer_msg`; "only one read message supported, has to be last".
    case (.rp1, .unsupported): EINVAL
    case (_, .unsupported): EOPNOTSUPP
    case (_, .arbitrationLost), (_, .busy), (_, .gone): nil
    }
  }

  /// The error of a transfer that fails for this cause, as the recorder takes the driver's errno, or a given one.
  package func error(
    _ cause: BusError.Kind, errno given: Int32? = nil, _ operation: BusError.Operation,
    address: I2CAddress, register: UInt8
  ) -> BusError {
    let code = given ?? errno(of: cause, in: operation) ?? 0
    let kind = given == nil && code != 0 ? BusError.Kind(errno: code) : cause
    return BusError(kind, operation, address: address, register: register, errno: code)
  }

  /// Whether a pulse of the clock may be too short for a chip after one held the line. The kernel only says that a BSC does
  /// not support it (I2C_AQ_NO_CLK_STRETCH).
  var cutsStretchedClock: Bool { self == .bsc || self == .bscOfRaspberryPiOS }
}
