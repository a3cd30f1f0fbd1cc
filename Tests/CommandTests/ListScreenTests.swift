// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import TestScheduling

@Suite("The list at a terminal", .waitsForPrograms, .timeLimit(.minutes(15)))
struct ListScreenTests {
  private let bench = Bench()

  private func record(_ count: Int) throws {
    for number in 1...count { try bench.record("--for", "1s", "--note", "take \(number)") }
  }

  @Test("shows, plays, exports, deletes and restores the selected recording")
  func keys() throws {
    try record(3)
    let child = bench.atTerminal(["list"], columns: 120)
    #expect(child.waits(for: "take 1"))
    for words in ["3 recordings", "NUMBER", "STARTED", "+00:00", "LENGTH", "SENSOR", "complete"] {
      #expect(child.terminal.text.contains(words), "\(words)")
    }
    child.type("\u{1B}[B\r")
    #expect(child.waits(for: "recording 2"))
    child.type("q")
    #expect(child.waits(for: "3 recordings"))
    child.type("p")
    #expect(child.waits(for: "speed 1"))
    child.type("q")
    #expect(child.waits(for: "3 recordings"))
    child.type("d")
    #expect(child.waits(for: "recording 2 is in the trash"))
    #expect(child.waits(for: "2 recordings"))
    #expect(bench.recordings.count == 2)
    child.type("u")
    #expect(child.waits(for: "recording 2 is back"))
    #expect(bench.recordings.count == 3)
    #expect(bench.directory.names(in: "store/.trash").isEmpty)
    child.type("x")
    #expect(child.waits(for: "written to recording-2.json"))
    child.type("q")
    #expect(child.status() == 0)
    #expect(child.isAsBefore)
    #expect(bench.run("verify", "2").status == 0)
    expectSame(
      bench.directory.bytes(of: "recording-2.json"), bench.run("export", "2").bytes)
  }

  @Test("all deleted recordings can be restored, also after new ones were made")
  func undo() throws {
    try record(3)
    let child = bench.atTerminal(["list"], columns: 120)
    #expect(child.waits(for: "take 3"))
    child.type("d")
    #expect(child.waits(for: "recording 3 is in the trash"))
    child.type("d")
    #expect(child.waits(for: "recording 2 is in the trash"))
    child.type("u")
    #expect(child.waits(for: "recording 2 is back"))
    child.type("u")
    #expect(child.waits(for: "recording 3 is back"))
    #expect(bench.recordings.count == 3)
    child.type("\u{1B}[Hd")
    #expect(child.waits(for: "recording 3 is in the trash"))
    try bench.record("--for", "1s", "--note", "take 4")
    #expect(child.waits(for: "take 4"))
    child.type("u")
    #expect(child.waits(for: "recording 3 is back"))
    #expect(bench.recordings.count == 4)
    #expect(bench.directory.names(in: "store/.trash").isEmpty)
  }

  @Test("after a failed export the recording stays selected, and nothing is overwritten")
  func failedExport() throws {
    try record(1)
    _ = bench.file("recording-1.json", "mine")
    let child = bench.atTerminal(["list"])
    #expect(child.waits(for: "take 1"))
    child.type("x")
    #expect(child.waits(for: "recording-1.json exists already"))
    #expect(child.terminal.text.contains("take 1"))
    #expect(bench.directory.bytes(of: "recording-1.json") == Array("mine".utf8))
  }

  @Test("a deletion that is refused is reported, and the recording stays")
  func refusedDeletion() throws {
    try record(1)
    let recording = bench.start(["record", "--board", "simulator", "--until-stopped"])
    let child = bench.atTerminal(["list"], columns: 200)
    #expect(child.waits(for: "running"))
    child.type("\u{1B}[Hd")
    #expect(child.waits(for: "is being written"))
    #expect(child.waits(for: "2 recordings"))
    recording.signal(SIGTERM)
    #expect(recording.outcome().status == 0)
  }

  @Test("one corrupt recording does not hide the others from the list")
  func corrupt() throws {
    try record(3)
    let name = try #require(bench.recordings.first { $0.hasPrefix("000002") })
    bench.directory.write(Array(repeating: 0x55, count: 5000), to: "store/" + name)
    let child = bench.atTerminal(["list"], columns: 120)
    #expect(child.waits(for: "unreadable"))
    #expect(child.terminal.text.contains("take 1") && child.terminal.text.contains("take 3"))
    child.type("\u{1B}[B\r")
    #expect(child.waits(for: "not an imulog recording"))
    child.type("\u{1B}[B\r")
    #expect(child.waits(for: "recording 1"))
  }

  @Test("two recordings of the same second are both listed")
  func sameSecond() throws {
    try record(2)
    let starts = Set(bench.recordings.map { $0.split(separator: "-")[1] })
    let child = bench.atTerminal(["list"])
    #expect(child.waits { $0.text.contains("take 1") && $0.text.contains("take 2") })
    #expect(starts.count <= 2)
  }

  @Test("dates are those of the calendar, on the last days of a year too, in the local zone")
  func dates() throws {
    // 2024-12-30 has week-year 2025 and day 365.
    let json =
      #"{"identifier":"8a6e0804-2bd0-4672-b79d-d97027f9071a","dataType":0,"coordinateList":["#
      + #"{"x":0,"y":0,"z":1}],"date":757260000,"duration":0.1}"#
    let path = bench.file("phone.json", json)
    try #require(bench.run("import", path, "--format", "gyrodata").status == 0)
    let child = bench.atTerminal(["list"], columns: 120, ["TZ": "XYZ-05:30"])
    #expect(child.waits(for: "2024-12-30"))
    #expect(child.terminal.text.contains("+05:30"))
    #expect(!child.terminal.text.contains("2025"))
  }

  @Test("new recordings appear, and visible ones stay in place")
  func news() throws {
    try record(12)
    let child = bench.atTerminal(["list"], columns: 120)
    #expect(child.waits(for: "take 3"))
    child.type("\u{1B}[6~")
    #expect(child.waits(for: "10 newer"))
    let before = child.terminal.lines[2...3]
    try bench.record("--for", "1s")
    #expect(child.waits(for: "11 newer"))
    #expect(child.terminal.lines[2...3] == before)
  }
}
