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

  /// Starts a recording and waits until its log has samples.
  private func startRecording(_ bench: Bench) throws -> Child {
    mkdir(bench.store, 0o755)
    let watch = DirectoryWatch(bench.store)
    let child = bench.start(FollowTests.openEnded)
    let hasSamples = try watch.wait {
      let row = try bench.list().first
      return row?["state"] == .string("running") && (row?["sampleCount"].integer ?? 0) > 0
    }
    #expect(hasSamples)
    return child
  }

  @Test("an export continues until the recording ends, and then equals a full export")
  func exports() throws {
    let bench = Bench()
    let recording = try startRecording(bench)
    let watch = DirectoryWatch(bench.directory.path)
    let followers = FollowerSet(bench, formats: ["ndjson", "csv", "raw"])
    // Each has written data while the recording runs.
    let hasBegun = watch.wait { followers.hasBegun }
    #expect(hasBegun)
    recording.signal(SIGTERM)
    #expect(recording.outcome().status == 0)
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

  @Test("a pull of a live recording fetches its present part, and with --follow all of it")
  func pulls() throws {
    let bench = RemoteBench()
    let recording = try startRecording(bench.pi)
    let first = bench.pull()
    #expect(first.status == 75)
    #expect(first.talk.contains("is being written"))
    #expect(bench.leftovers.count == 1)
    #expect(bench.laptop.recordings.isEmpty)
    let watch = DirectoryWatch(bench.laptop.store)
    let follower = bench.laptop.start(["pull", "pi", "--follow"])
    let part = "store/" + (try #require(bench.leftovers.first))
    let before = bench.laptop.directory.bytes(of: part).count
    let hasGrown = watch.wait { bench.laptop.directory.bytes(of: part).count > before }
    #expect(hasGrown)
    recording.signal(SIGTERM)
    #expect(recording.outcome().status == 0)
    let outcome = follower.outcome()
    #expect(outcome.status == 0, "\(outcome.talk)")
    #expect(try RemoteBench.log(bench.laptop) == RemoteBench.log(bench.pi))
    #expect(bench.laptop.run("verify", "1").status == 0)
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
