// SPDX-License-Identifier: Apache-2.0

import Glibc
public import IMUModel

/// A refusal of the kernel that stops an operation: what was attempted, where, why, and the remedy.
public struct LinuxIOError: Error, Equatable, Sendable, CustomStringConvertible, StatusError {
  /// The causes that a program acts on.
  public enum Kind: Equatable, Sendable {
    /// The user may not open the device node.
    case notPermitted
    /// The machine has no I2C adapter that programs may use.
    case i2cOff
    /// Another process holds an exclusive resource: try again when it is done.
    case busy
    /// The GPIO line is in use; `holder` is its user's name, `nil` when it has none.
    case lineBusy(holder: String?)
    /// No service listens at the control socket.
    case notRunning
    /// Anything else; see ``finding`` and `errno`.
    case system
  }

  /// The cause.
  public var kind = Kind.system
  /// What was attempted, such as `opening I2C bus 1`.
  public var attempt: String
  /// Where: a device node, or the name of a thread.
  public var place: String
  /// A clause, such as `there is no such bus`.
  public var finding: String
  /// The kernel's error number, or 0 when no call failed.
  public var errno: Int32
  /// What the user can do, as one sentence.
  public var remedy: String

  /// One sentence and the remedy, such as `opening I2C bus 7 (/dev/i2c-7): there is no such bus (errno 2, No such file
  /// or directory). Use another one: there are 1 (bcm2835).`
  public var description: String {
    let code = errno == 0 ? "" : " (errno \(errno), \(Errno.words(errno)))"
    return "\(attempt) (\(place)): \(finding)\(code). \(remedy)"
  }

  /// Whether permission, another program or the device is the cause.
  public var exitStatus: ExitStatus {
    switch kind {
    case .notPermitted: .noPermission
    case .busy: .tryAgain
    default: .unavailable
    }
  }
}

/// An operation that the kernel may refuse.
struct Attempt {
  let attempt: String
  let place: String

  /// Its error for a call that ended with `code`, 0 for none.
  func error(
    _ finding: String, _ code: Int32, _ remedy: String, kind: LinuxIOError.Kind = .system
  ) -> LinuxIOError {
    LinuxIOError(
      kind: kind, attempt: attempt, place: place, finding: finding, errno: code, remedy: remedy)
  }

  /// Its error for a refusal that needs no words of its own.
  func refused(_ code: Int32, _ remedy: String) -> LinuxIOError {
    error("the kernel refused", code, remedy)
  }

  /// Its error for a device node whose `open` ended with EPERM: the device rules of a container or a unit forbid it
  /// (Documentation/admin-guide/cgroup-v2.rst, Device controller). A mode that forbids it gives EACCES.
  func forbiddenByDeviceRules() -> LinuxIOError {
    error(
      "the device rules of this container or service forbid it, whatever its mode", EPERM,
      "Give it the device: `docker run --device \(place)`, or `DeviceAllow=\(place) rw` in a unit.",
      kind: .notPermitted)
  }
}

/// Something that the kernel refused and the program can run without.
public struct Refusal: Equatable, Sendable, CustomStringConvertible {
  /// What was refused, such as `real-time scheduling (SCHED_FIFO 80)`.
  public var what: String
  /// The kernel's error number.
  public var errno: Int32
  /// What the user can do, as one sentence.
  public var remedy: String

  /// Such as `real-time scheduling (SCHED_FIFO 80) was refused (errno 1, Operation not permitted). In a systemd unit
  /// set LimitRTPRIO=80; …`
  public var description: String {
    "\(what) was refused (errno \(errno), \(Errno.words(errno))). \(remedy)"
  }
}
