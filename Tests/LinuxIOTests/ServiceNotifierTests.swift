// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LinuxIOTestSupport
import Testing

@Suite("Notifying the service manager")
final class ServiceNotifierTests {
  let fixture = TemporaryTree()

  /// A notifier with these variables.
  private func made(_ variables: [String: String], process: Int32? = nil) -> ServiceNotifier? {
    ServiceNotifier(environment: { variables[$0] }, process: process)
  }

  @Test("needs a socket to send it to", arguments: ["", "/", "@", "relative", "vsock:2:1"])
  func nobody(socket: String) {
    #expect(made(["NOTIFY_SOCKET": socket]) == nil)
    #expect(made([:]) == nil)
  }

  @Test("is one datagram a message, by a path and by an abstract name", arguments: [false, true])
  func messages(isAbstract: Bool) throws {
    let path = isAbstract ? "@imulog-\(getpid())" : fixture.root + "/notify"
    let manager = begin_datagram_socket(path)
    #expect(manager >= 0)
    defer {
      close(manager)
      unlink(path)
    }
    let notifier = try #require(made(["NOTIFY_SOCKET": path]))
    let told: [(Bool, String)] = [
      (notifier.ready(status: "armed,\n10 Hz"), "READY=1\nSTATUS=armed, 10 Hz"),
      (notifier.stopping(), "STOPPING=1"),
      (
        notifier.reloading(at: MonotonicTime(nanoseconds: 1_234_567_890)),
        "RELOADING=1\nMONOTONIC_USEC=1234567"
      ),
      (notifier.watchdog(), "WATCHDOG=1"),
      (notifier.setWatchdog(nanoseconds: 10_000_000_000), "WATCHDOG_USEC=10000000"),
      (notifier.setWatchdog(nanoseconds: 0), "WATCHDOG_USEC=0"),
      (notifier.status("take 7"), "STATUS=take 7"),
    ]
    for (arrived, message) in told {
      #expect(arrived)
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(manager, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == message)
    }
  }

  @Test("does without a manager that is not there, and does not wait for a full one")
  func unheard() throws {
    let path = fixture.root + "/full"
    let notifier = try #require(made(["NOTIFY_SOCKET": path]))
    #expect(!notifier.watchdog())
    let manager = begin_datagram_socket(path)
    defer {
      close(manager)
      unlink(path)
    }
    // The queue is net.unix.max_dgram_qlen long, 512 at most by default.
    #expect((0..<5000).contains { _ in !notifier.watchdog() })
  }

  @Test(
    "has a watchdog when a time is set for this process",
    arguments: [
      ("30000000", nil, 30_000_000_000), ("30000000", "77", 30_000_000_000),
      ("30000000", "78", nil), ("0", nil, nil), ("-1", nil, nil), ("soon", nil, nil),
      ("18446744073709551615", nil, nil), ("9223372036854775807", nil, nil), (nil, "77", nil),
    ] as [(String?, String?, Int64?)])
  func watchdog(microseconds: String?, process: String?, expected: Int64?) throws {
    var variables = ["NOTIFY_SOCKET": "/run/systemd/notify"]
    variables["WATCHDOG_USEC"] = microseconds
    variables["WATCHDOG_PID"] = process
    #expect(try #require(made(variables, process: 77)).watchdogInterval == expected)
  }

  @Test("asks for its own process by default")
  func ownProcess() {
    let variables = ["NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "1", "WATCHDOG_PID": "\(getpid())"]
    #expect(made(variables)?.watchdogInterval == 1000)
  }
}
