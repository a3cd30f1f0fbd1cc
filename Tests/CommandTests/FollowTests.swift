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
    let followers = FollowerSet(bench, formats: ["ndjson", "csv", "raw"])
    // Each has written data while the recording runs.
    let hasBegun = watch.wait { followers.hasBegun }
    #expect(hasBegun)
    recording.end()
    for (format, outcome) in followers.outcomes() {
      #expect(outcome.status == 0, "\(format): \(outcome.talk)")
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

/// Exports that follow one recording, each into a file of its own.
private final class FollowerSet {
  private let bench: Bench
  private let formats: [String]
  private var first: Child?
  private var second: Child?
  private var third: Child?

  init(_ bench: Bench, formats: [String]) {
    self.bench = bench
    self.formats = formats
    first = .some(FollowerSet.start(bench, formats[0]))
    second = .some(FollowerSet.start(bench, formats[1]))
    third = .some(FollowerSet.start(bench, formats[2]))
  }

  private static func start(_ bench: Bench, _ format: String) -> Child {
    let file = bench.file("out.\(format)", "")
    return bench.start(["export", "1", "--follow", "--format", format], stdout: file)
  }

  /// Whether each has written data.
  var hasBegun: Bool { formats.allSatisfy { bench.directory.bytes(of: "out.\($0)").count > 3000 } }

  func outcomes() -> [(String, Outcome)] {
    var outcomes: [(String, Outcome)] = []
    if let child = first.take() { outcomes.append((formats[0], child.outcome())) }
    if let child = second.take() { outcomes.append((formats[1], child.outcome())) }
    if let child = third.take() { outcomes.append((formats[2], child.outcome())) }
    return outcomes
  }
}
