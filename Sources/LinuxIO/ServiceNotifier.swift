// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
public import IMUModel

/// Reports the service's state to the service manager: the protocol of sd_notify(3), datagrams to the socket that
/// `NOTIFY_SOCKET` names.
///
/// Each message is one datagram through a socket of its own, a few tens of microseconds, and waits at most 100 ms for a
/// busy manager; each call returns whether the manager received it. Lost messages are not repeated.
public struct ServiceNotifier: Sendable {
  private let path: String
  /// The time within which the manager expects ``watchdog()``, in ns; `nil` when it does not. Feed it at half of that.
  public let watchdogInterval: Int64?

  /// The notifier that the environment asks for; `nil` when no program waits for messages.
  ///
  /// - Parameters:
  ///   - environment: `NOTIFY_SOCKET` (a path, or `@` and an abstract name), `WATCHDOG_USEC` and `WATCHDOG_PID`.
  ///   - process: The process for which a watchdog counts; this one by default.
  public init?(environment: (String) -> String?, process: Int32? = nil) {
    // Other kinds, such as vsock:, are for virtual machines.
    guard let path = environment("NOTIFY_SOCKET"), path.utf8.count > 1,
      path.hasPrefix("/") || path.hasPrefix("@")
    else { return nil }
    self.path = path
    let isForUs = environment("WATCHDOG_PID").map { $0 == "\(process ?? getpid())" } ?? true
    let microseconds = environment("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
    let isSet = isForUs && microseconds > 0 && microseconds < .max / 1000
    watchdogInterval = isSet ? microseconds * 1000 : nil
  }

  /// The service is up (again, after ``reloading(at:)``); `status` is a line for `systemctl status`.
  @discardableResult
  public func ready(status: String) -> Bool { send("READY=1\nSTATUS=\(Self.line(status))") }

  /// The service is ending.
  @discardableResult
  public func stopping() -> Bool { send("STOPPING=1") }

  /// The service is reading its configuration again; ``ready(status:)`` follows. `Type=notify-reload` wants the present
  /// instant, to know which request this answers.
  @discardableResult
  public func reloading(at now: MonotonicTime) -> Bool {
    send("RELOADING=1\nMONOTONIC_USEC=\(now.nanoseconds / 1000)")
  }

  /// The service is alive.
  @discardableResult
  public func watchdog() -> Bool { send("WATCHDOG=1") }

  /// From now on the manager expects ``watchdog()`` at least every `nanoseconds`; 0 for never.
  @discardableResult
  public func setWatchdog(nanoseconds: Int64) -> Bool {
    send("WATCHDOG_USEC=\(max(0, nanoseconds) / 1000)")
  }

  /// A line for `systemctl status`.
  @discardableResult
  public func status(_ line: String) -> Bool { send("STATUS=\(Self.line(line))") }

  /// One line: a message has a line for each variable.
  private static func line(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }

  private func send(_ message: String) -> Bool {
    let bytes = Array(message.utf8)
    // Safe: the count is the array's.
    return clinuxio_send_datagram(path, bytes, bytes.count, 100) >= 0
  }
}
