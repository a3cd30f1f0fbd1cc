// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite(
  "The service on a small disk", .waitsForPrograms, .timeLimit(.minutes(60)),
  .enabled(if: SmallDisk.isPossible, Comment(rawValue: SmallDisk.reason)))
struct DaemonSpaceTests {
  @Test("a recording that can never fit deletes no other, nor anything in the trash")
  func neverFits() throws {
    let service = DaemonBench(["delete-oldest": "yes", "rate": "1000", "length": "10000h"])
    let disk = SmallDisk(at: service.bench.store, bytes: 4 << 20)
    for _ in 1...4 { try service.bench.record("--for", "2s") }
    #expect(service.bench.run("rm", "2").status == 0)
    let before = service.bench.inventory()
    let child = try service.startArmed()
    expectSentence(service.bench.run("start"), 73, ["no room for a recording"])
    try service.wait(for: "armed") { $0["problem"].text == "storageFull" }
    #expect(service.bench.inventory() == before)
    #expect(child.said.contains("it needs 720002 MB"))
    #expect(child.said.contains("are missing, so nothing was deleted; set a shorter length"))
    #expect(!child.said.contains("delete-oldest"))
    service.end(child)
    withExtendedLifetime(disk) {}
  }

  @Test(
    "on a disk without free inodes the trash is deleted file by file, then the oldest recording")
  func noMoreFiles() throws {
    let service = DaemonBench(["delete-oldest": "yes"])
    // Inodes for the directory itself, the lock, the index, the trash, and five recordings.
    let disk = SmallDisk(at: service.bench.store, bytes: 8 << 20, files: 9)
    for _ in 1...5 { try service.bench.record("--for", "1s") }
    #expect(service.bench.run("rm", "2").status == 0)
    let child = try service.startArmed()
    // The number of a file that could not be made is skipped.
    for left in [[7, 5, 4, 3, 1], [9, 7, 5, 4, 3]] as [[Int64]] {
      try service.makeRecording()
      #expect(try service.bench.list().compactMap { $0["number"].integer } == left)
    }
    #expect(child.said.contains("recording 2, which was in the trash, was deleted to make room"))
    #expect(child.said.contains("recording 1, the oldest, was deleted to make room"))
    service.end(child)
    withExtendedLifetime(disk) {}
  }

  @Test(
    "while another program holds the lock, one recording fails, and the answer names the holder")
  func heldLock() throws {
    let service = DaemonBench()
    try service.bench.record("--for", "1s")
    let child = try service.startArmed()
    do {
      let lock = try #require(StoreLock(service.bench))
      service.bench.refuses("start", 75, ".lock", "process \(getpid())", "has it locked")
      withExtendedLifetime(lock) {}
    }
    try service.wait(for: "armed")
    try service.makeRecording()
    #expect(try service.bench.list().map { $0["number"].integer } == [2, 1])
    service.end(child)
  }

  @Test("the trash makes room for all, and delete-oldest is advised where it would help")
  func trashMakesRoom() throws {
    let service = DaemonBench()
    let disk = SmallDisk(at: service.bench.store, bytes: 4 << 20)
    try makeRecordings(service)
    #expect(service.bench.run("rm", "2").status == 0)
    fill(disk, leaving: (1 << 20) - 40_000, service)
    let child = try service.startArmed()
    try service.makeRecording()
    #expect(try service.bench.list().map { $0["number"].integer } == [4, 3, 1])
    #expect(service.bench.directory.names(in: "store/.trash").isEmpty)
    #expect(child.said.contains("recording 2, which was in the trash, was deleted to make room"))
    fill(disk, leaving: (1 << 20) - 40_000, service)
    expectSentence(service.bench.run("start"), 73, ["no room for a recording"])
    try service.wait(for: "armed") { $0["problem"].text == "storageFull" }
    #expect(try service.bench.list().map { $0["number"].integer } == [4, 3, 1])
    #expect(child.said.contains("or set delete-oldest = yes"))
    service.end(child)
    withExtendedLifetime(disk) {}
  }

  /// Makes three recordings; deleting any of them makes room for one that lacks 40,000 bytes.
  private func makeRecordings(_ service: DaemonBench) throws {
    for _ in 1...3 {
      try service.bench.record("--rate", "1000", "--for", "20s", "--motion", "tumble")
    }
  }

  /// Fills the disk with a file except for so many bytes.
  private func fill(_ disk: SmallDisk, leaving rest: Int, _ service: DaemonBench) {
    var status = statvfs()
    statvfs(disk.path, &status)
    let free = Int(status.f_bavail) * Int(status.f_frsize)
    let name = "store/filler-\(free)"
    service.bench.directory.write([UInt8](repeating: 1, count: max(0, free - rest)), to: name)
  }
}
