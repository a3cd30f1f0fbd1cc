// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("Following a recording that is being written", .waitsForPrograms, .timeLimit(.minutes(60)))
struct FollowTests {
  private static let openEnded = [
    "record", "--board", "simulator", "--rate", "200", "--until-stopped", "--sync-every", "20ms",
  ]

  @Test("an export continues until the recording ends, and then equals a full export")
  func exports() throws {
    let bench = Bench()
    let recording = try bench.startRecording(FollowTests.openEnded)
    let watch = DirectoryWatch(bench.directory.path)
    let formats = ["ndjson", "csv", "raw"]
    let followers = bench.startShell(
      "for f in \(formats.joined(separator: " ")); do (\(Child.program) export 1 --follow --format $f"
        + " > out.$f || touch failed) & done; wait")
    // Each has written data while the recording runs.
    let hasBegun = watch.wait {
      formats.allSatisfy { bench.directory.bytes(of: "out.\($0)").count > 3000 }
    }
    #expect(hasBegun)
    recording.end()
    let talk = followers.outcome().talk
    #expect(!bench.directory.names().contains("failed"), "\(talk)")
    for format in formats {
      expectSame(
        bench.directory.bytes(of: "out.\(format)"),
        bench.run("export", "1", "--format", format).bytes)
    }
  }

  @Test("a format whose beginning needs the end of the log cannot be followed")
  func documents() throws {
    let bench = Bench()
    try bench.record("--for", "1s")
    expectSentence(
      bench.run("export", "1", "--follow"), 64, ["--follow does not go with --format json"])
    #expect(bench.run("export", "1", "--follow", "--format", "csv").lines.count == 11)
  }
}
