// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

/// What stands at the place of a mark or a copy, here, and who else uses it.
extension FreeingTests {
  @Test(
    "a mark that is not a regular file is reported and does not stop the pull",
    arguments: [false, true])
  func strangeMark(isLink: Bool) throws {
    let bench = try pulled()
    let mark = bench.laptop.store + "/.freeing-1b4e28ba-2fa1-41d2-883f-0016d3cca427"
    try #require((isLink ? symlink("elsewhere", mark) : mkdir(mark, 0o755)) == 0)
    let outcome = bench.pull("--then-free").expect(0)
    #expect(outcome.talk.contains(mark), "\(outcome.talk)")
    #expect(bench.pi.recordings.isEmpty)
  }

  @Test("an original whose copy another program has locked is freed at the next call")
  func busyHere() throws {
    let bench = try pulled()
    let log = open(
      bench.laptop.directory.path + "/" + (try bench.laptop.logName()), O_RDONLY | O_CLOEXEC)
    #expect(flock(log, LOCK_SH | LOCK_NB) == 0)
    bench.pull("--then-free").expect(75, "it stays there")
    #expect(bench.pi.recordings.count == 1)
    close(log)
    #expect(bench.pull("--then-free").status == 0)
    #expect(bench.pi.recordings.isEmpty)
  }

  @Test("an original whose copy another program has locked briefly is freed by the same call")
  func brieflyBusyHere() throws {
    let bench = RemoteBench()
    for _ in 1...2 { try bench.pi.record("--for", "1s") }
    // The request for the unlocked one ends the program that locks the other one, which was requested before.
    let far = try ScriptedFarEnd(
      bench.serving("case \"$line\" in free*) [ ! -e holder ] || kill $(cat holder);; esac"))
    #expect(far.pull().status == 0)
    let log = try #require(far.laptop.recordings.first { $0.hasPrefix("000002") })
    let holder = Child(
      ["-c", "flock -s store/\(log) sh -c 'echo $$ > locked; mv locked holder; exec sleep 1000'"],
      environment: far.laptop.environment, directory: far.laptop.directory.path, stdout: nil,
      program: "/bin/sh")
    defer { holder.signal(SIGKILL) }
    try waitUntil { far.laptop.directory.names(in: "").contains("holder") }
    #expect(far.pull("--then-free").status == 0)
    #expect(bench.pi.recordings.isEmpty)
  }

  @Test("freeing by one machine does not remove the mark of a request to another machine")
  func otherMachine() throws {
    let bench = try pulled()
    let id = try #require(try bench.laptop.list().first?["id"].text)
    let other = Array("ssh -T -o BatchMode=yes -- other imulog pull-server\n".utf8)
    bench.laptop.directory.write(other, to: "store/.freeing-\(id)")
    #expect(bench.pull("--then-free").status == 0)
    #expect(bench.pi.recordings.isEmpty)
    #expect(bench.laptop.directory.bytes(of: "store/.freeing-\(id)") == other)
  }

  @Test("a partial copy of a recording that another pull completed is removed, other bytes stay")
  func beginningBeside() throws {
    let bench = try pulled(3)
    var ids: [String] = []
    for (index, recording) in try bench.laptop.list().enumerated() {
      let id = try #require(recording["id"].text)
      let number = try #require(recording["number"].integer)
      let name = try #require(bench.laptop.recordings.first { $0.hasPrefix("00000\(number)") })
      var bytes = bench.laptop.directory.bytes(of: "store/\(name)")
      // A whole copy, a beginning, and one of another recording.
      if index == 1 { bytes.removeLast(100) }
      if index == 2 { bytes[bytes.count / 2] ^= 1 }
      bench.laptop.directory.write(bytes, to: "store/.part-\(id)")
      ids.append(id)
    }
    bench.pull("--then-free").expect(0)
    let parts = bench.laptop.directory.names(in: "store").filter { $0.hasPrefix(".part") }
    #expect(parts == [".part-\(ids[2])"])
    #expect(bench.pi.recordings.isEmpty)
  }

  @Test("files that the store does not own, or with other bytes, stay beside a complete recording")
  func foreignBeside() throws {
    let bench = RemoteBench()
    for _ in 1...3 { try bench.pi.record("--for", "1s") }
    #expect(bench.pull().status == 0)
    let ids = try bench.laptop.list().compactMap { $0["id"].text }
    let elsewhere = bench.laptop.file("elsewhere", try RemoteBench.log(bench.laptop))
    let folder = bench.laptop.store
    try #require(ids.count == 3 && Glibc.link(elsewhere, "\(folder)/.part-\(ids[0])") == 0)
    for id in ids { _ = bench.laptop.file("store/.unsynced-\(id)", "other bytes") }
    _ = bench.laptop.file("store/.part-\(ids[1])", [])
    if geteuid() == 0 {
      try #require(chown(bench.laptop.file("store/.part-\(ids[2])", []), 65534, 65534) == 0)
    }
    // Only the store's own file without extra bytes is removed.
    let before = bench.laptop.inventory().filter { $0 != ".part-\(ids[1]) 0" }
    bench.pull().expect(0)
    #expect(bench.laptop.inventory() == before)
  }

  @Test("the result is reported even if the store here is gone at the end")
  func storeGone() throws {
    let bench = RemoteBench()
    try bench.pi.record("--for", "1s")
    let far = try ScriptedFarEnd(bench.serving("case \"$line\" in free*) mv store gone;; esac"))
    let outcome = far.pull("--then-free", "--json").expect(74)
    #expect(try outcome.json()["hosts"][0]["freed"] == .integer(1))
  }

  @Test("a recording that is here only as a link is not freed")
  func link() throws {
    let bench = try pulled()
    let log = bench.laptop.directory.path + "/" + (try bench.laptop.logName())
    let elsewhere = bench.laptop.directory.path + "/elsewhere"
    #expect(rename(log, elsewhere) == 0 && symlink(elsewhere, log) == 0)
    bench.pull("--then-free").expect(77, "only a link")
    #expect(bench.pi.recordings.count == 1)
  }
}
