// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("Failures in a pull", .waitsForPrograms, .timeLimit(.minutes(60)))
struct PullFaultTests {
  @Test(
    "a pull of a live recording fetches its present part, and with --follow all of it, also after a cut"
  )
  func cutWhileFollowing() throws {
    let bench = RemoteBench()
    mkdir(bench.pi.store, 0o755)
    let watch = DirectoryWatch(bench.pi.store)
    let recording = bench.pi.start([
      "record", "--board", "simulator", "--rate", "500", "--until-stopped", "--sync-every", "20ms",
    ])
    let hasSamples = try watch.wait {
      (try bench.pi.list().first?["sampleCount"].integer ?? 0) > 0
    }
    #expect(hasSamples)
    bench.pull().expect(75, "is being written")
    #expect(bench.leftovers.count == 1 && bench.laptop.recordings.isEmpty)
    // After the greeting and the list the recording arrives as it grows; the cut is far beyond the listed length.
    bench.cut(after: [30_000])
    let local = DirectoryWatch(bench.laptop.directory.path)
    let follower = bench.laptop.start(["pull", "pi", "--follow"])
    let isCut = local.wait { bench.connections == 3 && bench.carried > 36_000 }
    #expect(isCut)
    recording.end()
    let outcome = follower.outcome().expect(0)
    #expect(try RemoteBench.log(bench.laptop) == RemoteBench.log(bench.pi))
    #expect(bench.laptop.run("verify", "1").status == 0)
    #expect(bench.leftovers.isEmpty)
    #expect(outcome.talk.contains("resumed") && !outcome.talk.contains("changed there"))
  }

  @Test("recordings that cannot be kept here, however many, do not affect others")
  func noneFits() throws {
    let bench = RemoteBench()
    for _ in 1...13 { try bench.pi.record("--for", "1s") }
    // So long that a new connection is cheaper than reading the rest of each.
    for name in bench.pi.recordings.dropFirst() {
      let file = open("\(bench.pi.store)/\(name)", O_WRONLY | O_CLOEXEC)
      #expect(pwrite(file, "x", 1, 5 << 20) == 1)
      close(file)
    }
    let outcome = bench.laptop.shell("ulimit -f 200; exec \(Child.program) pull pi --timeout 10s")
      .expect(74)
    #expect(!outcome.talk.contains("the connection broke"), "\(outcome.talk)")
    #expect(bench.laptop.recordings == Array(bench.pi.recordings.prefix(1)))
  }

  @Test(
    "a pull waits for a held lock of numbers until the timeout, and fetches nothing twice"
  )
  func keptLock() throws {
    let bench = RemoteBench()
    try bench.pi.record("--for", "1s")
    #expect(mkdir(bench.laptop.store, 0o755) == 0)
    let lock = open(bench.laptop.store + "/.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    bench.pull("--timeout", "2s").expect(75, ".lock: process \(getpid()) (")
    #expect(bench.leftovers.count == 1)
    close(lock)
    let again = bench.pull("--json").expect(0)
    #expect(try again.json()["hosts"][0]["received_bytes"] == .integer(0))
    #expect(bench.laptop.recordings == bench.pi.recordings)
  }

  @Test(
    "a recording that another program added meanwhile is exported and freed if equal; otherwise the copy is kept",
    arguments: [true, false])
  func broughtMeanwhile(isSame: Bool) throws {
    let bench = RemoteBench()
    try bench.pi.record("--motion", "tumble", "--rate", "1000", "--for", "20s")
    let name = try #require(bench.pi.recordings.first)
    let log = try RemoteBench.log(bench.pi)
    let count = isSame ? log.count : 40960
    let far = try ScriptedFarEnd(
      bench.serving(
        "case \"$line\" in fetch*) head -c \(count) \(bench.pi.store)/\(name) > store/\(name);; esac"
      ))
    let outcome = far.pull("--then-free", "--format", "csv")
    let isWritten = far.laptop.directory.names(in: "").contains { $0.hasSuffix(".csv") }
    #expect(isWritten == isSame)
    #expect(bench.pi.recordings.isEmpty == isSame)
    #expect(try RemoteBench.log(far.laptop) == Array(log.prefix(count)))
    let kept = far.laptop.directory.names(in: "store").filter { $0.hasPrefix(".aside") }
    #expect(kept.count == (isSame ? 0 : 1))
    for name in kept { #expect(far.laptop.directory.bytes(of: "store/" + name) == log) }
    outcome.expect(isSame ? 0 : 65)
    #expect(isSame || outcome.talk.contains("\(log.count) bytes there, 40960 here"))
    #expect(!far.laptop.directory.names(in: "store").contains { $0.hasPrefix(".part") })
  }

  @Test("an unusable directory for exports is reported before anything is fetched")
  func wrongDirectory() throws {
    let bench = RemoteBench()
    try bench.pi.record("--for", "1s")
    bench.laptop.refuses(
      "pull pi --format csv --to nowhere", 73, "nowhere", "is not a directory", "--to")
    bench.laptop.refuses("pull pi --to .", 64, "--to", "--format")
    #expect(bench.connections == 0)
  }

  @Test("a following export ends when no program reads it, even with no samples to write")
  func silentFollower() throws {
    let bench = Bench()
    mkdir(bench.store, 0o755)
    let watch = DirectoryWatch(bench.store)
    let recording = bench.start([
      "record", "--board", "simulator", "--rate", "10", "--until-stopped",
    ])
    let isThere = try watch.wait { try bench.list().count == 1 }
    #expect(isThere)
    // The shell returns when both ends of its pipe are closed.
    let outcome = bench.shell(
      "\(Child.program) export 1 --follow --format csv --from 1h | true; echo over")
    #expect(outcome.lines == ["over"])
    recording.end()
  }
}
