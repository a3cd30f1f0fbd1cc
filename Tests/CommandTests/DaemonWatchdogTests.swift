// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxIOTestSupport
import LogStoreTesting
import Testing
import TestSupport

@Suite("The service and its manager's watchdog", .waitsForPrograms, .timeLimit(.minutes(60)))
struct DaemonWatchdogTests {
  private let directory = TemporaryDirectory()

  /// The service with a manager whose watchdog interval is 2 s.
  private func service(_ settings: [String: String]) -> (DaemonBench, manager: Int32) {
    let path = directory.path + "/notify"
    let manager = begin_datagram_socket(path)
    let service = DaemonBench(
      settings, environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "2000000"])
    return (service, manager)
  }

  /// The messages to the manager up to `last`.
  private func messages(_ manager: Int32, until last: String) -> [String] {
    var messages: [String] = []
    var bytes = [UInt8](repeating: 0, count: 256)
    while messages.last != last {
      var entry = pollfd(fd: manager, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 60_000) > 0 else { break }
      let count = recv(manager, &bytes, bytes.count, 0)
      messages.append(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
    }
    return messages
  }

  @Test("is switched off while nothing is sampled, and fed while something is")
  func asleep() throws {
    let (service, manager) = service(["while-idle": "sleep"])
    defer { close(manager) }
    let child = service.start()
    #expect(
      messages(manager, until: "WATCHDOG_USEC=0")
        == ["READY=1\nSTATUS=asleep", "WATCHDOG_USEC=0"])
    try service.tell("start")
    let heard = messages(manager, until: "WATCHDOG=1")
    #expect(heard.contains("WATCHDOG_USEC=2000000"))
    #expect(heard.last == "WATCHDOG=1")
    try service.tell("stop")
    #expect(messages(manager, until: "WATCHDOG_USEC=0").last == "WATCHDOG_USEC=0")
    service.end(child)
  }

  @Test("is switched off while the service searches for the sensor")
  func withoutSensor() throws {
    // No machine has so many buses.
    let (service, manager) = service(["board": "raspberry-pi-4", "bus": "250", "sensor": "mpu6050"])
    defer { close(manager) }
    let child = service.start()
    #expect(messages(manager, until: "WATCHDOG_USEC=0").last == "WATCHDOG_USEC=0")
    service.end(child)
  }

  @Test(
    "is fed, status answers and the service ends while the card blocks the keeper's thread",
    .holdsThread)
  func heldKeeper() throws {
    let (service, manager) = service([:])
    defer { close(manager) }
    let child = try service.startArmed()
    let free = try #require(try service.status()?["free_bytes"].integer)
    let held = try HeldThread("imu-keeper", of: child)
    // From now on any access to the card fails.
    rename(service.bench.store, service.bench.store + "-away")
    let other = service.bench.directory.path + "/other"
    service.configure(["store": other])
    child.signal(SIGHUP)
    // Four are more than can have been sent before.
    for _ in 0..<4 { #expect(messages(manager, until: "WATCHDOG=1").last == "WATCHDOG=1") }
    let status = try #require(try service.status())
    status.expect(["state": "armed", "free_bytes": .integer(free)])
    #expect(access(other, F_OK) != 0)
    child.signal(SIGTERM)
    #expect(child.outcome(holding: held).status == 0)
  }

  @Test(
    "is fed, and the service ends 20 s later, while the card blocks the flusher",
    .holdsThread)
  func heldFlusher() throws {
    let (service, manager) = service([:])
    defer { close(manager) }
    let child = try service.startArmed()
    try service.startRecording()
    let held = try HeldThread("imu-flusher", of: child)
    child.signal(SIGHUP)
    child.signal(SIGTERM)
    #expect(messages(manager, until: "STATUS=ending").last == "STATUS=ending")
    #expect(messages(manager, until: "WATCHDOG=1").last == "WATCHDOG=1")
    #expect(try service.status()?["state"] == .string("ending"))
    child.outcome(holding: held).expect(74, "did not take the end of recording 1 in 20 s")
  }
}
