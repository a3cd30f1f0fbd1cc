// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import TestSupport
import Testing

@Suite("Removed recordings can be listed and restored", .waitsForPrograms)
struct TrashCommandTests {
  private let bench = Bench()

  @Test(
    "rm prints the command that restores a recording, and restore keeps its number")
  func restore() throws {
    for note in ["one", "two", "three"] { try bench.record("--for", "1s", "--note", note) }
    let before = bench.inventory()
    let export = bench.run("export", "2").bytes
    let removal = bench.run("rm", "2")
    #expect(removal.talk.contains("`imulog restore 2` brings it back"))
    let hasNoDate = removal.talk.contains("30 days from when the clock is synchronised")
    #expect(try hasNoDate != bench.isClockSynchronised(in: "1"))
    #expect(bench.run("export", "2").status == 66)
    let outcome = bench.run("restore", "2").expect(0)
    #expect(outcome.output == "2\n")
    #expect(outcome.talk == "imulog: recording 2 is back\n")
    #expect(bench.inventory().filter { $0 != ".trash 0" } == before)
    expectSame(bench.run("export", "2").bytes, export)
    expectSentence(bench.run("restore", "2"), 66, ["no recording 2 in", ".trash", "it is empty"])
  }

  @Test("several are restored at once, all or none; latest is the one removed last")
  func several() throws {
    for _ in 0..<3 { try bench.record("--for", "100ms") }
    let id = try #require(try bench.list()[0]["id"].text)
    #expect(bench.run("rm", "1", "2", "3").status == 0)
    expectSentence(bench.run("restore", "1", "9"), 66, ["no recording 9", "imulog list --trash"])
    #expect(bench.recordings.isEmpty)
    #expect(bench.run("restore", id, "latest", "1").output == "3\n1\n")
    #expect(try bench.list().map { $0["number"].integer } == [3, 1])
    #expect(bench.run("restore").status == 64)
  }

  @Test("the trash is listed, the latest first, with the date of deletion")
  func list() throws {
    let empty = bench.run(["--store", bench.directory.path, "list", "--trash"])
    #expect(empty.talk.contains("trash is empty"))
    for note in ["one", "two"] { try bench.record("--for", "1s", "--note", note) }
    #expect(bench.run("rm", "1").status == 0)
    let trashed = try #require(bench.directory.names(in: "store/.trash").first)
    let name = trashed.prefix { $0 != "~" }
    let trash = bench.store + "/.trash"
    #expect(rename("\(trash)/\(trashed)", "\(trash)/\(name)~20260303T040506Z") == 0)
    let table = bench.run("list", "--trash").expect(0)
    #expect(table.lines.count == 2)
    #expect(table.lines[0].split(separator: " ").suffix(4) == ["STATE", "REMOVED", "GOES", "NOTE"])
    #expect(table.lines[1].hasPrefix("     1") && table.lines[1].hasSuffix("one"))
    #expect(table.talk.contains("`imulog restore NUMBER` brings one back"))
    let rows = try bench.run("list", "--trash", "--json").json()["recordings"].items
    #expect(rows.count == 1)
    #expect(rows[0]["number"] == .integer(1))
    #expect(rows[0]["removed"].text?.hasPrefix("2026-03-03T04:05:06") == true)
    #expect(rows[0]["expires"].text?.hasPrefix("2026-04-02T04:05:06") == true)
    #expect(rows[0]["note"] == .string("one"))
    #expect(try bench.list().map { $0["number"].integer } == [2])
    // A removal by a clock that was not set.
    #expect(rename("\(trash)/\(name)~20260303T040506Z", "\(trash)/\(name)~19700101T000005Z") == 0)
    #expect(
      try bench.run("list", "--trash", "--json").json()["recordings"].items[0]["expires"] == .null)
    #expect(bench.run("list", "--trash").lines[1].contains("?"))
    #expect(bench.run("list", "--trash", "--page", "2").lines.isEmpty)
  }

  @Test(
    "a running service cleans the trash before each recording, and files that remain stop nothing")
  func service() throws {
    let service = DaemonBench()
    let trash = service.bench.store + "/.trash"
    let child = try service.startArmed()
    #expect(mkdir(trash, 0o755) == 0)
    service.bench.directory.write(
      [1, 2, 3], to: "store/.trash/000008-20260101T000000Z-deadbeef.imulog~20260102T000000Z")
    service.bench.directory.makeDirectory(
      "store/.trash/000009-20260101T000000Z-deadbeef.imulog~20260102T000000Z")
    try service.makeRecording()
    #expect(service.bench.recordings.count == 1)
    if try service.bench.isClockSynchronised(in: "latest") {
      try waitUntil({ child.said.contains("cannot delete all that has been") })
      #expect(service.bench.directory.names(in: "store/.trash").count == 1)
    }
    service.end(child)
    // The service also starts with such a trash.
    let again = try service.startArmed()
    service.end(again)
  }
}
