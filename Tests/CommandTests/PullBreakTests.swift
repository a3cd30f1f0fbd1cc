// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("A pull whose connection breaks", .waitsForPrograms, .timeLimit(.minutes(60)))
struct PullBreakTests {
  private let bench = RemoteBench()

  @Test("continues where it stopped: 50 cuts at random points of 20 MB")
  func fiftyCuts() throws {
    // Marks with long labels, because samples take longer to make.
    let log = try ExampleLog(
      ticks: 4_800, flushEvery: 100, marksEvery: 1, marksAtOnce: 20, labelLength: 200
    ).bytes
    #expect(log.count > 20_000_000)
    let id = ExampleLog.description().id.description.prefix(8)
    bench.pi.record(log, as: "000003-20261121T023807Z-\(id).imulog")
    let seed = UInt64.random(in: 0..<1_000_000)
    print("cuts with seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let points = (0..<50).map { _ in Int.random(in: 0..<log.count, using: &generator) }.sorted()
    // Some hundred bytes of each connection are protocol: it may be cut there, too.
    let counts = zip(points, [0] + points).map { max(1, $0 - $1) }
    bench.cut(after: counts)
    var runs = 0
    // A tenth of a second between connections.
    var outcome = bench.pull("--timeout", "6s")
    while outcome.status == 75, runs < 60 {
      runs += 1
      outcome = bench.pull("--timeout", "6s")
    }
    #expect(outcome.status == 0, "\(outcome.talk)")
    #expect(bench.laptop.directory.bytes(of: "cuts").isEmpty)
    #expect(try RemoteBench.log(bench.laptop) == log)
    // Each connection greets, lists, and repeats the last incomplete page.
    #expect(bench.carried < log.count + 55 * 6000, "\(bench.carried) bytes for \(log.count)")
    #expect(bench.leftovers.isEmpty)
  }

  @Test("resumes the partial copy of an earlier run, and reports it")
  func nextProgram() throws {
    try bench.pi.record("--motion", "tumble", "--rate", "1000", "--for", "25s")
    let log = try RemoteBench.log(bench.pi)
    bench.breakOff(after: log.count / 2)
    let broken = bench.pull("--timeout", "2s").expect(75)
    bench.mend()
    #expect(broken.talk.contains("received data is kept"))
    #expect(try bench.laptop.list().isEmpty)
    #expect(bench.leftovers.count == 1)
    // Nothing is written into the copy of a simultaneous pull.
    let part = "store/" + (try #require(bench.leftovers.first))
    let descriptor = open("\(bench.laptop.directory.path)/\(part)", O_RDONLY | O_CLOEXEC)
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    bench.pull().expect(75, "another program is at it here")
    close(descriptor)
    let outcome = bench.pull("--json").expect(0)
    #expect(outcome.talk.contains("resumed"))
    let received = try #require(try outcome.json()["hosts"][0]["received_bytes"].integer)
    #expect(received < Int64(log.count / 2 + 10_000))
    #expect(try RemoteBench.log(bench.laptop) == log)
    #expect(bench.leftovers.isEmpty)
  }

  @Test("does not fetch parts of a recording again that is damaged at its source")
  func damagedThere() throws {
    try bench.pi.record("--motion", "tumble", "--rate", "1000", "--for", "25s")
    let log = bench.pi.directory.change(try bench.pi.logName()) { $0[2 * 4096 + 100] ^= 0x40 }
    bench.breakOff(after: log.count / 2)
    #expect(bench.pull("--timeout", "2s").status == 75)
    bench.mend()
    let outcome = bench.pull("--json").expect(65, "damaged there in 1 page,")
    #expect(bench.pull().status == 0)
    #expect(
      try #require(try outcome.json()["hosts"][0]["received_bytes"].integer)
        < Int64(log.count / 2 + 10_000))
    #expect(try RemoteBench.log(bench.laptop) == log)
  }

  @Test(
    "distinguishes a source that a power cut truncated from one that changed, and never mixes them"
  )
  func recoveredSource() throws {
    for isRecovered in [true, false] {
      let bench = RemoteBench()
      try bench.pi.record("--motion", "tumble", "--rate", "1000", "--for", "25s")
      let name = try bench.pi.logName()
      let log = bench.pi.directory.bytes(of: name)
      bench.breakOff(after: log.count / 2)
      #expect(bench.pull("--timeout", "2s").status == 75)
      bench.mend()
      let part = bench.laptop.directory.bytes(of: "store/" + (try #require(bench.leftovers.first)))
      // A card that lost the latest data; or a page that differs now.
      let now = bench.pi.directory.change(name) {
        if isRecovered { $0 = Array(log.prefix(10 * 4096)) } else { $0[5 * 4096 + 50] ^= 1 }
      }
      bench.pull().expect(
        isRecovered ? 0 : 65,
        isRecovered ? "recovered there after a power loss" : "it was changed there")
      #expect(try RemoteBench.log(bench.laptop) == now)
      let aside = try #require(bench.leftovers.first)
      #expect(aside.hasPrefix(".aside-"))
      let kept = bench.laptop.directory.bytes(of: "store/" + aside)
      #expect(log.starts(with: kept) && part.starts(with: kept) && kept.count + 4096 > part.count)
    }
  }
}
