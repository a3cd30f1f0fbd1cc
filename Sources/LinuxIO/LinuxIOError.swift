// SPDX-License-Identifier: Apache-2.0

import Glibc
public import IMUModel

/// A refusal of the kernel that stops an operation: what was attempted, where, why, and the remedy.
public struct LinuxIOError: Error, Equatable, Sendable {
  /// Why, as far as a program can act on it.
  public enum Kind: Equatable, Sendable {
    /// The machine has no I2C adapter that programs may use.
    case i2cOff
    /// There are adapters, but not the one asked for.
    case noSuchBus
    /// The user may not open the device node.
    case notPermitted
    /// The path leads to something that is not an I2C adapter.
    case notAnI2CBus
    /// The adapter can do neither of the transfers a sensor needs.
    case adapterTooSimple
    /// A transfer does not end, and the kernel cannot be made to end it.
    case busHangs
    /// A kernel driver owns the chip. `driver` is `nil` when the kernel does not report its name.
    case heldByDriver(I2CAddress, driver: String?)
    /// Another process holds an exclusive resource: try again when it is done. `process` is `nil` when
    /// the kernel does not report which.
    case busy(process: Int32?)
    /// The machine has no GPIO chip that programs may use.
    case noGPIO
    /// There are GPIO chips, but no such line.
    case noSuchLine
    /// Several lines have this name.
    case ambiguousLine
    /// The GPIO line is in use; `holder` is its user's name, `nil` when it has none.
    case lineBusy(holder: String?)
    /// No service listens at the control socket.
    case notRunning
    /// The service did not answer.
    case noAnswer
    /// Anything else; see `errno`.
    case system
  }

  /// Why.
  public var kind: Kind
  /// What was attempted, such as `opening I2C bus 1`.
  public var attempt: String
  /// Where: a device node, or the name of a thread.
  public var place: String
  /// What was found, in a clause, such as `there is no such bus`.
  public var finding: String
  /// The kernel's error number, or 0 when no call failed.
  public var errno: Int32
  /// What the user can do, as one sentence.
  public var remedy: String
}

extension LinuxIOError: CustomStringConvertible {
  /// One sentence with the remedy in a second, such as `opening I2C bus 7 (/dev/i2c-7): there is no
  /// such bus (errno 2, No such file or directory). Use one of the buses there are: 1 (bcm2835).`
  public var description: String {
    let code = errno == 0 ? "" : " (errno \(errno), \(Errno.words(errno)))"
    return "\(attempt) (\(place)): \(finding)\(code). \(remedy)"
  }
}

extension LinuxIOError {
  /// The error for a device node whose `open` ended with EPERM: the device rules of a container or a unit forbid it
  /// (Documentation/admin-guide/cgroup-v2.rst, Device controller). A mode that forbids it gives EACCES.
  ///
  /// - Parameters:
  ///   - attempt: As ``attempt``.
  ///   - path: The node.
  static func forbiddenByDeviceRules(attempt: String, _ path: String) -> LinuxIOError {
    LinuxIOError(
      kind: .notPermitted, attempt: attempt, place: path,
      finding: "the device rules of this container or service forbid it, whatever its mode",
      errno: EPERM,
      remedy: "Give it the device: `docker run --device \(path)`, or `DeviceAllow=\(path) rw` in a"
        + " unit.")
  }
}

extension LinuxIOError: StatusError {
  /// Whether permission, another program or the device is the cause.
  public var exitStatus: ExitStatus {
    switch kind {
    case .notPermitted: .noPermission
    case .busy: .tryAgain
    default: .unavailable
    }
  }
}

extension BusError.Kind {
  /// The meaning of an error number with which an adapter's driver ends a transfer: the only such table.
  ///
  /// Source: Linux Documentation/i2c/fault-codes.rst and the drivers named below.
  public init(errno code: Int32) {
    switch code {
    // ENXIO: the address was not acknowledged, on most adapters. EREMOTEIO: address or data was
    // not, on i2c-bcm2835 (Raspberry Pi 0 to 4) and designware (Raspberry Pi 5).
    case ENXIO, EREMOTEIO:
      self = .noAcknowledge
    case EAGAIN:  // another controller, or noise
      self = .arbitrationLost
    case ETIMEDOUT:  // no completion, a line is held low
      self = .timeout
    case EBUSY,  // the bus did not become free; I2C_SLAVE: a driver owns the address
      ESHUTDOWN:  // the adapter is suspended (i2c-core)
      self = .busy
    case EOPNOTSUPP,  // a mix of messages that the adapter cannot do, or an unknown SMBus size
      EINVAL, ENOSYS, EPROTONOSUPPORT:
      self = .unsupported
    case ENODEV, EBADF, ENOTTY:  // unplugged, or never an adapter
      self = .gone
    // EIO, EPROTO, EOVERFLOW, EBADMSG, ENOMEM, EINTR: this transfer failed, the next one may not.
    default:
      self = .bus
    }
  }
}

/// Something that the kernel refused and the program can run without.
public struct Refusal: Equatable, Sendable {
  /// What was refused, such as `real-time scheduling (SCHED_FIFO 80)`.
  public var what: String
  /// The kernel's error number.
  public var errno: Int32
  /// What the user can do, as one sentence.
  public var remedy: String

  /// A refusal.
  public init(_ what: String, errno: Int32, remedy: String) {
    self.what = what
    self.errno = errno
    self.remedy = remedy
  }
}

extension Refusal: CustomStringConvertible {
  /// One line, such as `real-time scheduling (SCHED_FIFO 80) was refused (errno 1, Operation not
  /// permitted). In a systemd unit set LimitRTPRIO=80; …`
  public var description: String {
    "\(what) was refused (errno \(errno), \(Errno.words(errno))). \(remedy)"
  }
}
