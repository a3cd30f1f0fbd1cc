// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import TestSupport
import Testing

@Suite(
  "A store with several users", .waitsForPrograms,
  .enabled(if: OtherUser.isPossible, Comment(rawValue: OtherUser.reason)))
struct SharedStoreTests {
  private let bench = Bench()
  /// The unit's UMask=0007.
  private let service = OtherUser(umask: "007")
  private static let serviceGroup = 4001

  /// A member of the service's group with a separate login.
  private func member(_ user: Int, umask: String) -> OtherUser {
    OtherUser(user: user, group: user, groups: [SharedStoreTests.serviceGroup], umask: umask)
  }

  /// The store with the unit's StateDirectoryMode=2770.
  private func makeStore(mode: mode_t = 0o2770) {
    chmod(bench.directory.path, 0o755)
    bench.directory.makeDirectory("store")
    #expect(chown(bench.store, 4001, 4001) == 0)
    #expect(chmod(bench.store, mode) == 0)
  }

  private func record(_ user: OtherUser) throws {
    let outcome = user.run(bench, Bench.simulated + ["--for", "100ms"])
    try #require(outcome.status == 0, "\(outcome.talk)")
  }

  @Test(
    "members of the group remove and restore what the service recorded, whatever their umask",
    arguments: ["022", "002", "077"])
  func members(umask: String) throws {
    makeStore()
    for _ in 1...4 { try record(service) }
    let (one, two) = (member(4002, umask: umask), member(4003, umask: umask))
    // One member creates the trash; another one and the service use it.
    for (user, number) in [(one, "1"), (two, "2"), (service, "3")] {
      user.run(bench, "rm", number).expect(0)
    }
    #expect(bench.recordings.count == 1)
    for (user, number) in [(service, "1"), (one, "2"), (two, "3")] {
      let outcome = user.run(bench, "restore", number).expect(0)
      #expect(outcome.output == "\(number)\n")
    }
    // All can take numbers.
    for user in [one, service, two] { try record(user) }
    #expect(service.run(bench, "rm", "7", "latest", "--empty-trash").status == 0)
    #expect(one.run(bench, "export", "5").status == 0)
    try record(service)
    #expect(bench.recordings.last?.hasPrefix("000008-") == true)
    // Other users have no access.
    #expect(OtherUser(user: 4009, group: 4009).run(bench, "list").status == 77)
  }

  @Test("a pull frees recordings of the service's store for a member of its group")
  func pullFrees() throws {
    makeStore()
    try record(service)
    let member = member(4002, umask: "022")
    var laptop = Bench()
    chmod(laptop.directory.path, 0o777)
    let script = """
      #!/bin/sh
      exec \(Child.program) --store \(bench.store) pull-server
      """
    laptop.environment["IMULOG_SSH"] = laptop.directory.script("ssh", script)
    member.run(laptop, "pull", "pi", "--then-free").expect(0)
    #expect(bench.recordings.isEmpty)
    #expect(bench.directory.names(in: "store/.trash").count == 1)
    #expect(laptop.recordings.count == 1)
  }

  @Test("the next start opens an earlier version's private files to the group")
  func upgrade() throws {
    makeStore(mode: 0o750)
    let old = OtherUser(umask: "027")
    for _ in 1...2 { try record(old) }
    #expect(old.run(bench, "rm", "1").status == 0)
    let member = member(4002, umask: "022")
    #expect(member.run(bench, "rm", "2").status == 77)
    // The new unit's mode; directories of the old one do not inherit the group.
    #expect(chmod(bench.store, 0o2770) == 0)
    try record(service)
    #expect(member.run(bench, "rm", "2").status == 0)
    #expect(member.run(bench, "restore", "1").status == 0)
  }

  @Test(
    "a lock owned by root, readable or not, blocks no user", arguments: [0o644, 0o600])
  func rootsLock(mode: mode_t) throws {
    makeStore(mode: 0o755)
    for _ in 1...2 { try record(service) }
    // Only the lock has the number 2, if it is readable.
    #expect(service.run(bench, "rm", "2", "--empty-trash").status == 0)
    #expect(chown(bench.store + "/.lock", 0, 0) == 0)
    #expect(chmod(bench.store + "/.lock", mode) == 0)
    try record(service)
    #expect(bench.recordings.last?.hasPrefix(mode == 0o644 ? "000003-" : "001002-") == true)
    var status = stat()
    #expect(stat(bench.store + "/.lock", &status) == 0 && status.st_uid == 4001)
    #expect(bench.directory.names(in: "store").filter { $0.hasPrefix(".new-") }.isEmpty)
  }

  @Test(
    "a trash owned by root with an overdue recording causes a message and no failed recording",
    arguments: [0o755, 0o700])
  func rootsTrash(mode: mode_t) throws {
    makeStore(mode: 0o755)
    for _ in 1...2 { try record(service) }
    #expect(service.run(bench, "rm", "1").status == 0)
    let trashed = try #require(bench.directory.names(in: "store/.trash").first)
    let overdue = "\(trashed.prefix { $0 != "~" })~20260102T000000Z"
    let trash = bench.store + "/.trash"
    #expect(rename("\(trash)/\(trashed)", "\(trash)/\(overdue)") == 0)
    for path in [trash, "\(trash)/\(overdue)"] { #expect(chown(path, 0, 0) == 0) }
    #expect(chmod(trash, mode) == 0)
    let outcome = service.run(bench, Bench.simulated + ["--for", "100ms"]).expect(0)
    #expect(outcome.output == "3\n")
    // Its contents age only by a synchronised clock.
    let isTried = try mode == 0o700 || bench.isClockSynchronised(in: "3")
    #expect(outcome.talk.contains("cannot delete all that has been in the trash") == isTried)
    #expect(outcome.talk.contains(mode == 0o755 ? overdue : trash) == isTried)
    expectSentence(service.run(bench, "rm", "3"), 77, ["sudo chown -R", trash])
    #expect(bench.recordings.count == 2)
    service.run(bench, "rm", "--empty-trash").expect(77, "0 recordings deleted, and 1 could not be")
    // Use by root repairs it.
    #expect(bench.run("rm", "3").status == 0)
    #expect(service.run(bench, "rm", "2").status == 0)
  }
}
