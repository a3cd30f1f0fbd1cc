// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import TestSupport

@Suite("Watching the service", .waitsForPrograms, .timeLimit(.minutes(60)))
struct WatchTests {
  private var bench = Bench()

  init() {
    bench.environment["IMULOG_SOCKET"] = bench.directory.path + "/control"
  }

  /// A running service with a simulated sensor.
  private func service(_ lines: String = "") throws -> Child {
    let text = "board = simulator\nrate = 200\nreserve = 1MB\n" + lines
    let watch = DirectoryWatch(bench.directory.path)
    let child = bench.start(["daemon", "--config", bench.file("imulog.conf", text)])
    let isListening = watch.wait { bench.run("status").status == 0 }
    #expect(isListening)
    return child
  }

  @Test(
    "begins a recording by a key, also while the sensor sleeps, and lists its keys",
    arguments: ["", "while-idle = sleep\npre-trigger = 0s\n"])
  func starting(_ lines: String) throws {
    let service = try service(lines)
    let child = bench.atTerminal(["watch"], columns: 120)
    #expect(child.waits(for: lines.isEmpty ? "armed" : "the sensor sleeps"))
    #expect(child.waits(for: "r record"))
    child.type("?")
    #expect(child.waits(for: "begin a recording"))
    child.type("r")
    // The key closed the list of keys, and did nothing else.
    #expect(child.waits { !$0.text.contains("any key closes") })
    child.type("r")
    #expect(child.waits(for: "recording 1"))
    #expect(child.waits(for: "acceleration, g"))
    child.type("v")
    #expect(child.waits(for: "|v|"))
    child.type("s")
    #expect(child.waits(for: lines.isEmpty ? "armed" : "the sensor sleeps"))
    child.quit()
    service.end()
    #expect(bench.run("verify", "1").status == 0)
  }

  @Test("shows the armed sensor, then recordings, with marks from any source, each once")
  func marks() throws {
    let service = try service()
    let child = bench.atTerminal(["watch"], columns: 120)
    for words in ["armed", "acceleration, g", "samples"] { #expect(child.waits(for: words)) }
    for recording in 1...2 {
      #expect(bench.run("start").status == 0)
      #expect(child.waits(for: "recording \(recording)"))
      #expect(child.waits(for: "left"))
      #expect(bench.run("mark", "kerb").status == 0)
      #expect(child.waits(for: "1 mark"))
      #expect(child.waits(for: "▲"))
      child.type("m")
      #expect(child.waits(for: "2 marks"))
      #expect(bench.run("stop").status == 0)
      #expect(child.waits(for: "armed"))
    }
    // There is no recording to discard now.
    child.type("d")
    child.watch(milliseconds: 400)
    #expect(!child.terminal.text.contains("d again"))
    child.quit()
    service.end()
    #expect(try bench.run("export", "2").json()["marks"].items.count == 2)
    #expect(bench.run("verify", "2").status == 0)
  }

  @Test("a watcher that never reads does not disturb the service, and a fifth one is refused")
  func stalled() throws {
    let service = try service()
    var stalled: [TerminalChild] = []
    for _ in 0..<4 {
      let child = bench.atTerminal(["watch"])
      #expect(child.waits(for: "armed"))
      child.signal(SIGSTOP)
      stalled.append(child)
    }
    let fifth = bench.run("watch", "--plain")
    expectSentence(fifth, 75, ["4 are watching already"])
    #expect(bench.run("start").status == 0)
    #expect(bench.run("status").output.contains("recording") || bench.run("status").status == 0)
    #expect(bench.run("stop").status == 0)
    service.end()
    #expect(bench.run("verify", "1").status == 0)
  }

  @Test("reports that the service has ended, or that there is none")
  func ending() throws {
    let service = try service()
    let child = bench.atTerminal(["watch"])
    #expect(child.waits(for: "armed"))
    service.end()
    #expect(child.status() == 69)
    // A long path of the socket may break the line anywhere.
    #expect(child.terminal.text.filter { !$0.isNewline }.contains("has ended"))
    #expect(child.isAsBefore)
    #expect(bench.run("watch").status == 69)
  }
}
