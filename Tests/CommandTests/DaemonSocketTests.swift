// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("The service's socket", .waitsForPrograms, .timeLimit(.minutes(60)))
struct DaemonSocketTests {
  @Test("is in the first directory that systemd made, for owner and group alone")
  func runtimeDirectory() throws {
    let service = DaemonBench()
    var bench = service.bench
    bench.environment["IMULOG_SOCKET"] = nil
    bench.refuses(
      "daemon --config \(service.configuration)", 78, "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR",
      "--socket PATH")
    let run = bench.directory.path + "/service"
    bench.environment["RUNTIME_DIRECTORY"] = "\(run):/run/other"
    let child = bench.start(["daemon", "--config", service.configuration])
    try waitUntil({ bench.run("status", "--socket", run + "/control").output.contains("armed") })
    #expect(mode(run + "/control") == 0o660 && mode(run) == 0o750)
    service.end(child)
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    return status.st_mode & 0o777
  }

  @Test("malformed requests are refused in a sentence, and the service continues")
  func garbage() throws {
    let service = DaemonBench()
    let child = try service.startArmed()
    let requests: [(bytes: [UInt8], words: String)] = [
      ([0xFF, 0xFE, 0x80, 10], "is not a request; the requests are status, start"),
      ([UInt8](repeating: 0x78, count: 100_000), "longer than 1024 bytes"),
    ]
    for request in requests {
      let answer = service.send(request.bytes)
      let json = try JSON(Array(answer.utf8))
      json.expect(["ok": false, "exitStatus": 64])
      let message = try #require(json["message"].text)
      #expect(message.contains(request.words), "\(message)")
      #expect(answer.hasSuffix("\n") && answer.count { $0 == "\n" } == 1)
    }
    // Disconnected before its request.
    _ = service.send([UInt8("s".utf8.first ?? 0)], hangsUp: true)
    #expect(try service.status()?["state"] == .string("armed"))
    #expect(service.bench.recordings.isEmpty)
    service.end(child)
  }

  @Test("without a service every verb says so and exits 69")
  func nobody() {
    let service = DaemonBench()
    for verb in ["status", "start", "stop", "mark", "keep", "discard"] {
      service.bench.refuses(
        verb, 69, service.socket, "no imulog daemon is listening", "systemctl start imulog")
    }
  }

  @Test("is where the option says, or IMULOG_SOCKET, or in the run directory")
  func path() throws {
    var bench = Bench()
    let run = bench.directory.path
    func asked(_ options: String...) -> String { bench.run(["status"] + options).talk }
    let hasSystemService = access("/run/imulog/control", F_OK) == 0
    if !hasSystemService { #expect(asked().contains("/run/imulog/control)")) }
    bench.environment["XDG_RUNTIME_DIR"] = run
    if !hasSystemService { #expect(asked().contains("\(run)/imulog/control)")) }
    bench.environment["IMULOG_SOCKET"] = "\(run)/named"
    #expect(asked().contains("\(run)/named)"))
    #expect(asked("--socket", "\(run)/given").contains("\(run)/given)"))
    // An empty string is not a path.
    bench.environment["IMULOG_SOCKET"] = ""
    if !hasSystemService { #expect(asked().contains("\(run)/imulog/control)")) }
  }
}
