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
