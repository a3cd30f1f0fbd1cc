// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("Freeing recordings whose copy is verified", .waitsForPrograms)
struct FreeingTests {
  /// A far end that may free, with `count` recordings that were pulled.
  func pulled(_ count: Int = 1) throws -> RemoteBench {
    let bench = RemoteBench(serveOptions: "--allow-delete")
    for _ in 1...count { try bench.pi.record("--for", "1s") }
    #expect(bench.pull().status == 0)
    return bench
  }

  @Test("without permission to free, recordings are fetched and the originals stay")
  func notAllowed() throws {
    let bench = RemoteBench()
    try bench.pi.record("--for", "1s")
    bench.pull("--then-free").expect(77, "--allow-delete")
    #expect(bench.laptop.recordings == bench.pi.recordings)
    #expect(bench.pi.recordings.count == 1)
  }

  @Test("with permission, the originals of all copies move to the trash, also of earlier copies")
  func allowed() throws {
    let bench = try pulled()
    try bench.pi.record("--for", "2s")
    let outcome = bench.pull("--then-free", "--json").expect(0)
    #expect(try outcome.json()["hosts"][0]["freed"] == .integer(2))
    #expect(bench.pi.recordings.isEmpty)
    #expect(bench.pi.directory.names(in: "store/.trash").count == 2)
    #expect(bench.laptop.recordings.count == 2)
  }

  @Test("a recording that differs from the copy stays")
  func different() throws {
    let bench = RemoteBench(serveOptions: "--allow-delete")
    try bench.pi.record("--for", "20s", "--rate", "100")
    #expect(bench.pull().status == 0)
    let name = try bench.pi.logName()
    var bytes = bench.pi.directory.bytes(of: name)
    bytes[bytes.count / 2] ^= 1
    bench.pi.directory.write(bytes, to: name)
    bench.pull("--then-free").expect(77, "differs from the copy")
    #expect(bench.pi.recordings.count == 1)
  }

  @Test(
    "after a cut before the request to free arrives, nothing is fetched twice and the recording is freed"
  )
  func cutBefore() throws {
    let bench = RemoteBench(serveOptions: "--allow-delete")
    try bench.pi.record("--for", "1s")
    try bench.pi.record("--for", "2s")
    // The first request to free takes ssh with it.
    let far = try ScriptedFarEnd(
      bench.serving(
        "case \"$line\" in free*) if [ ! -e cut ]; then touch cut; kill -9 $$; exit; fi;; esac"))
    let outcome = far.pull("--timeout", "10s", "--then-free", "--json").expect(0)
    #expect(far.connections == 2)
    let summary = try outcome.json()["hosts"][0]
    #expect(summary["fetched"] == .integer(2) && summary["freed"] == .integer(2), "\(summary)")
    #expect(bench.journal.count { $0.contains("sends recording") } == 2)
    #expect(bench.pi.recordings.isEmpty && far.laptop.recordings.count == 2)
  }

  @Test("after a cut before the answer, a recording that is no longer there counts as freed")
  func cutAfter() throws {
    let bench = RemoteBench(serveOptions: "--allow-delete")
    try bench.pi.record("--for", "1s")
    let first = try ScriptedFarEnd(FreeingTests.server(bench, ""))
    #expect(first.pull().status == 0)
    // The recording is here, so only lines are sent; the one that confirms the freeing is lost.
    let store = first.laptop.store
    let far = try ScriptedFarEnd(
      FreeingTests.server(
        bench,
        """
        | while read -r line; do
          if [ "$line" = freed ] && [ ! -e cut ]; then touch cut; kill -9 $$; exit; fi
          echo "$line"
        done
        """))
    let outcome = far.pull("--store", store, "--timeout", "10s", "--then-free", "--json").expect(0)
    #expect(far.connections == 2)
    #expect(try outcome.json()["hosts"][0]["freed"] == .integer(1))
    #expect(bench.pi.recordings.isEmpty)
  }

  @Test("a recording that became unreadable there does not count as freed")
  func unreadable() throws {
    let bench = RemoteBench()
    try bench.pi.record("--for", "1s")
    let log = "\(bench.pi.directory.path)/\(try bench.pi.logName())"
    let far = try ScriptedFarEnd(
      bench.serving(
        "case \"$line\" in free*) if [ ! -e cut ]; then touch cut; head -c 9000 /dev/zero > \(log); kill -9 $$; exit; fi;; esac"
      ))
    let outcome = far.pull("--timeout", "10s", "--then-free", "--json").expect(77)
    #expect(far.connections == 2)
    #expect(try outcome.json()["hosts"][0]["freed"] == .integer(0))
    #expect(outcome.talk.contains("it stays there"), "\(outcome.talk)")
  }

  @Test("the only copy is not freed when both ends are one store and the pull is killed meanwhile")
  func ownStoreKilled() throws {
    let bench = RemoteBench()
    try bench.pi.record("--for", "1s")
    let store = bench.pi.inventory()
    let far = try ScriptedFarEnd(
      FreeingTests.outliving
        + bench.serving("case \"$line\" in free*) kill -9 $pull; read go < late;; esac"))
    #expect(far.pull("--store", bench.pi.store, "--then-free").status == -SIGKILL)
    far.laptop.directory.write([10], to: "late")
    #expect(far.goes)
    let id = try #require(try bench.pi.list().first?["id"].text)
    #expect(bench.pi.inventory() == [".freeing-\(id) \(far.route.utf8.count)"] + store)
    // The first request may still be carried out.
    let again = try ScriptedFarEnd(bench.serving(""))
    again.pull("--store", bench.pi.store, "--then-free").expect(77, "both ends have one store")
    #expect(bench.pi.inventory() == [".freeing-\(id) \(far.route.utf8.count)"] + store)
  }

  @Test(
    "the only copy is not freed by a request that is carried out late, whatever the answer to a later one"
  )
  func lateRequest() throws {
    let bench = RemoteBench()
    try bench.pi.record("--for", "1s")
    let store = bench.pi.inventory()
    // The first request to free takes the connection with it and reaches its server when the pipe `late` is opened.
    let far = try ScriptedFarEnd(
      """
      \(FreeingTests.outliving)
      if [ -e relay ]; then
      \(bench.serving(""))
      else
      \(bench.serving("case \"$line\" in free*) kill -9 $$ $(cat relay); read go < late;; esac")) |
        sh -c 'echo $$ > relay; exec cat'
      fi
      """)
    far.pull("--store", bench.pi.store, "--then-free", "--timeout", "20s").expect(
      77, "the connection broke", "both ends have one store")
    far.laptop.directory.write([10], to: "late")
    #expect(far.goes)
    let id = try #require(try bench.pi.list().first?["id"].text)
    #expect(bench.pi.inventory().filter { !$0.hasPrefix(".freeing-\(id) ") } == store)
  }

  @Test(
    "a pull that was killed at the answer asks again at its next run, and its mark is removed",
    arguments: [("", 0), ("1", 66)] as [(String, Int32)])
  func killedAtAnswer(id: String, status: Int32) throws {
    let bench = RemoteBench()
    try bench.pi.record("--for", "1s")
    let first = try ScriptedFarEnd(FreeingTests.server(bench, ""))
    #expect(first.pull().status == 0)
    let store = first.laptop.store
    let before = first.laptop.inventory()
    let far = try ScriptedFarEnd(
      FreeingTests.server(
        bench,
        """
        | while read -r line; do
          if [ "$line" = freed ] && [ ! -e asked ]; then touch asked; kill -9 $PPID; exit; fi
          echo "$line"
        done
        """))
    #expect(far.pull("--store", store, "--then-free").status == -SIGKILL)
    #expect(bench.pi.recordings.isEmpty)
    #expect(first.laptop.inventory() != before)
    let outcome = far.pull(id, "--store", store, "--then-free", "--json").expect(
      status, "recording 1 here is in the trash there")
    let summary = try outcome.json()["hosts"][0]
    #expect(summary["offered"] == .integer(0) && summary["freed"] == .integer(1), "\(summary)")
    #expect(first.laptop.inventory() == before)
  }

  @Test("a store without the recording does not remove the mark of an earlier request")
  func otherStore() throws {
    let bench = RemoteBench()
    try bench.pi.record("--for", "1s")
    let store = bench.pi.inventory()
    let id = try #require(try bench.pi.list().first?["id"].text)
    // The route that once led to this store leads to another one.
    let other = RemoteBench()
    try other.pi.record("--for", "1s")
    let far = try ScriptedFarEnd(FreeingTests.server(other, ""))
    let mark = bench.pi.file("store/.freeing-\(id)", far.route)
    try #require(
      utimes(mark, Array(repeating: timeval(tv_sec: 1_800_000_000, tv_usec: 0), count: 2)) == 0)
    for _ in 1...2 {
      far.pull("--store", bench.pi.store, "--then-free").expect(
        0, "there is no recording \(id) any more")
    }
    #expect(other.pi.recordings.isEmpty)
    #expect(bench.pi.inventory().contains { $0 == ".freeing-\(id) \(far.route.utf8.count)" })
    #expect(Set(bench.pi.inventory()).isSuperset(of: store))
    // A repeated request does not extend the life of the mark.
    var status = stat()
    #expect(stat(mark, &status) == 0 && status.st_mtim.tv_sec == 1_800_000_000)
  }

  @Test(
    "a refusal of an earlier request is reported, and does not fail a call that frees all offered recordings"
  )
  func refusedAgain() throws {
    let bench = RemoteBench()
    try bench.pi.record("--for", "20s", "--rate", "100")
    let far = try ScriptedFarEnd(FreeingTests.server(bench, ""))
    #expect(far.pull("--then-free").status == 0)
    let id = try #require(try far.laptop.list().first?["id"].text)
    far.laptop.directory.write(Array(far.route.utf8), to: "store/.freeing-\(id)")
    let trashed =
      "store/.trash/" + (try #require(bench.pi.directory.names(in: "store/.trash").first))
    var bytes = bench.pi.directory.bytes(of: trashed)
    bytes[bytes.count / 2] ^= 1
    bench.pi.directory.write(bytes, to: trashed)
    try bench.pi.record("--for", "1s")
    let outcome = far.pull("--then-free", "--json").expect(0)
    #expect(try outcome.json()["hosts"][0]["freed"] == .integer(1))
    #expect(
      outcome.talk.contains("recording 1 here: it is not known whether it was freed there"),
      "\(outcome.talk)")
    #expect(outcome.talk.contains("differs from the copy"), "\(outcome.talk)")
    #expect(bench.pi.recordings.isEmpty)
    #expect(far.laptop.directory.bytes(of: "store/.freeing-\(id)") == Array(far.route.utf8))
  }

  /// Shell lines of a far end that survives the end of its connection, as a program that sshd started does. `$pull` is
  /// the pull's process; late requests wait for the pipe `late`.
  static let outliving = """
    [ "$pull" ] || exec env pull=$PPID setsid -w bash "$0"
    exec 200>&-
    trap '' TERM HUP PIPE
    [ -e late ] || mkfifo late

    """

  static func server(_ bench: RemoteBench, _ filter: String) -> String {
    """
    export SSH_ORIGINAL_COMMAND=pull-server
    \(Child.program) --store \(bench.pi.store) serve --allow-delete --log \(bench.journalPath) \(filter)
    """
  }
}
