// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import TestSupport

@Suite("At a terminal", .waitsForPrograms, .timeLimit(.minutes(60)))
struct TerminalTests {
  private let bench = Bench()
  private static let live = [
    "record", "--board", "simulator", "--motion", "tumble", "--rate", "100",
  ]

  // MARK: record

  @Test(
    "record shows values, time left, gaps and keys, marks and stops by them, and restores the terminal"
  )
  func record() throws {
    let child = bench.atTerminal(TerminalTests.live + ["--until-stopped", "--note", "left wheel"])
    #expect(child.waits(for: "samples"))
    for words in [
      "recording 1", "acceleration, g", "rotation, °/s", "late p99", "s stop", "left wheel",
    ] {
      #expect(child.terminal.text.contains(words), "\(words)")
    }
    #expect(child.terminal.isOnOtherScreen && !child.terminal.isCursorShown)
    child.type("m")
    #expect(child.waits(for: "1 mark"))
    child.type("s")
    #expect(child.status() == 0)
    #expect(!child.terminal.isOnOtherScreen && child.terminal.isCursorShown)
    #expect(child.terminal.unknown.isEmpty)
    #expect(child.isAsBefore)
    #expect(child.terminal.lines.contains("1"))
    let json = try bench.run("export", "1").json()
    #expect(json["marks"].items.count == 1)
    #expect(json["stopReason"] == .string("button"))
    #expect(bench.run("verify", "1").status == 0)
  }

  @Test(
    "record discards when asked twice and starts another; the discarded recording is in the trash")
  func restart() throws {
    let child = bench.atTerminal(TerminalTests.live + ["--for", "30s"])
    #expect(child.waits(for: "left"))
    child.type("d")
    #expect(child.waits(for: "d again"))
    child.type("d")
    #expect(child.waits(for: "recording 2"))
    #expect(child.waits(for: "samples"))
    child.quit()
    #expect(child.terminal.text.contains("recording 1 was thrown away; it is in the trash"))
    #expect(try bench.list().map { $0["number"] } == [.integer(2)])
    #expect(bench.directory.names(in: "store/.trash").contains { $0.hasPrefix("000001-") })
  }

  @Test(
    "the terminal is restored whatever ends the program",
    arguments: [
      SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGUSR1, SIGUSR2,
      SIGXCPU, SIGALRM, SIGPWR, SIGSYS,
    ])
  func signals(_ signal: Int32) throws {
    let child = bench.atTerminal(TerminalTests.live + ["--until-stopped"])
    #expect(child.waits(for: "samples"))
    child.signal(signal)
    let isAsked = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].contains(signal)
    #expect(child.status() == (isAsked ? 0 : -signal))
    #expect(!child.terminal.isOnOtherScreen && child.terminal.isCursorShown)
    #expect(child.isAsBefore)
  }

  @Test("Ctrl-Z gives the terminal to the shell, and the screen comes back with the program")
  func stop() throws {
    try bench.record("--for", "10s", "--rate", "100")
    // A shell with job control: without one the kernel suspends no process.
    let script = #"set -m; "$0" show 1; echo stopped; read line; fg; echo ended"#
    let child = bench.atTerminal(["-c", script, Child.program], columns: 100, program: "/bin/sh")
    #expect(child.waits(for: "cursor 5.000 s"))
    child.type("\u{1A}")
    #expect(child.waits(for: "stopped"))
    #expect(!child.terminal.isOnOtherScreen && child.terminal.isCursorShown)
    #expect(child.isAsBefore)
    child.type("\r")
    #expect(child.waits { $0.isOnOtherScreen && $0.text.contains("cursor 5.000 s") })
    #expect(!child.terminal.isCursorShown)
    child.type("q")
    #expect(child.waits(for: "ended"))
    #expect(child.status() == 0)
    #expect(!child.terminal.isOnOtherScreen && child.isAsBefore)
  }

  @Test("without a shell to resume the program it is not suspended; no key stops a recording")
  func unstoppable() throws {
    let child = bench.atTerminal(TerminalTests.live + ["--until-stopped"])
    #expect(child.waits(for: "samples"))
    child.type("\u{1A}")
    #expect(child.waits(for: "Ctrl-Z would leave samples out"))
    child.signal(SIGTSTP)
    child.type("m")
    #expect(child.waits(for: "1 mark"))
    #expect(child.terminal.isOnOtherScreen)
    child.type("s")
    #expect(child.status() == 0)
    #expect(child.isAsBefore)
  }

  @Test("a recording that cannot begin reports why on the normal screen")
  func failure() throws {
    let child = bench.atTerminal(TerminalTests.live + ["--store", "/proc/nothing"])
    #expect(child.status() != 0)
    #expect(!child.terminal.isOnOtherScreen)
    #expect(child.terminal.text.contains("imulog: "))
    #expect(child.isAsBefore)
  }

  // MARK: capabilities of the terminal

  @Test("without UTF-8 all is ASCII; with NO_COLOR there is no colour; a resize redraws the screen")
  func looks() throws {
    try bench.record("--for", "10s", "--rate", "100", "--motion", "tumble")
    let ascii = bench.atTerminal(["show", "1"], ["LANG": "C"])
    #expect(ascii.waits(for: "q back"))
    #expect(ascii.terminal.text.unicodeScalars.allSatisfy { $0.isASCII })
    #expect(ascii.terminal.text.contains("deg/s"))
    #expect(ascii.terminal.parametersSeen.contains(91))

    let plain = bench.atTerminal(["show", "1"], ["NO_COLOR": "1"])
    #expect(plain.waits(for: "q back"))
    #expect(plain.terminal.parametersSeen.isSubset(of: [0, 1, 7]))

    let light = bench.atTerminal(["show", "1"], ["COLORFGBG": "0;15"])
    #expect(light.waits(for: "q back"))
    #expect(light.terminal.parametersSeen.contains(31))
    #expect(!light.terminal.parametersSeen.contains(91))
    for (columns, rows) in [(200, 50), (40, 12), (20, 5), (80, 24)] {
      light.resize(columns: columns, rows: rows)
      #expect(light.waits { $0.text.contains(columns > 30 ? "q back" : "too small") })
      #expect(light.terminal.unknown.isEmpty)
    }
    light.quit()
  }

  @Test("a dumb terminal, a pipe and --plain get text")
  func plain() throws {
    try bench.record("--for", "10s", "--rate", "100")
    let dumb = bench.atTerminal(["list"], ["TERM": "dumb"])
    #expect(dumb.status() == 0)
    #expect(dumb.terminal.text.contains("NUMBER  STARTED"))
    let asked = bench.atTerminal(["show", "1", "--plain"], columns: 100)
    #expect(asked.status() == 0)
    #expect(asked.terminal.unknown.isEmpty)
    #expect(asked.terminal.text.contains("acceleration, g"))
    let piped = bench.run("show", "1").expect(0)
    #expect(piped.lines.count == 24)
    #expect(!piped.output.contains("\u{1B}"))
    expectSentence(bench.run("play", "1"), 64, ["needs a terminal", "show 1"])
  }

  @Test("no progress line mixes with samples on the terminal")
  func exportOnTerminal() throws {
    try bench.record("--for", "60s", "--rate", "100")
    let child = bench.atTerminal(["export", "1", "--format", "csv"])
    // The terminal accepts no bytes for longer than the line's delay.
    usleep(1_000_000)
    #expect(child.status() == 0)
    #expect(!child.sent.contains(0x1B))
  }

  @Test("long work shows its progress, on a terminal only, and removes it at the end")
  func progress() throws {
    try bench.record("--for", "60s", "--rate", "100")
    // The reader of the samples waits for longer than the line's delay.
    let line = "\(Child.program) export 1 --format csv | { sleep 0.7; cat >/dev/null; }"
    let child = bench.atTerminal(["-c", line + "; echo over"], columns: 120, program: "/bin/sh")
    #expect(child.status() == 0)
    let sent = String(decoding: child.sent, as: UTF8.self)
    #expect(sent.contains("exporting recording 1: ") && sent.contains(" %"), "\(sent)")
    #expect(child.terminal.text.split(whereSeparator: \.isWhitespace) == ["over"])
    #expect(bench.shell(line).talk.isEmpty)
  }

  // MARK: show, play

  @Test("show zooms, shows the sample under the cursor, and leaves")
  func show() throws {
    try bench.record("--for", "10s", "--rate", "100", "--motion", "tumble")
    let child = bench.atTerminal(["show", "1"], columns: 100)
    #expect(child.waits(for: "cursor 5.000 s"))
    #expect(child.waits(for: "sample 500 at 5.0"))
    child.type("\u{1B}[C")
    #expect(child.waits { !$0.text.contains("cursor 5.000 s") && $0.text.contains("cursor 5.") })
    child.type("+++")
    #expect(child.waits { $0.lines[21].contains("5.2") })
    child.quit()
  }

  @Test("play follows the recorded times, stops at the end, and restarts")
  func play() throws {
    try bench.record("--for", "2s", "--rate", "100", "--motion", "tumble")
    let child = bench.atTerminal(["play", "1", "--speed", "0.5"])
    #expect(child.waits(for: "space pause"))
    child.type(" ")
    #expect(child.waits(for: "space play"))
    child.type("1\u{1B}[F")
    #expect(child.waits(for: "space again"))
    child.type(" ")
    #expect(child.waits(for: "space pause"))
    #expect(child.waits(for: "space again"))
    child.quit()
  }
}
