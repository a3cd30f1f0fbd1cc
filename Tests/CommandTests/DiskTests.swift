// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing
import TestSupport

@Suite(
  "Full and read-only disks", .waitsForPrograms,
  .enabled(if: SmallDisk.isPossible, Comment(rawValue: SmallDisk.reason)))
struct DiskTests {
  private let bench = Bench()

  @Test(
    "a disk that fills up ends a recording in simulated time, and the written part is kept",
    arguments: [28, 72])
  func virtualTake(_ kibibytes: Int) throws {
    let disk = SmallDisk(at: bench.store, bytes: kibibytes * 1024)
    let outcome = bench.run(Bench.simulated + ["--for", "1h", "--rate", "100"])
    let last = outcome.talk.split(separator: "\n").last.map { $0 + "\n" } ?? ""
    expectSentence(
      Outcome(status: outcome.status, bytes: [], talk: last), 74,
      ["recording 1 was ended early", "kept", "no space is left on the device", "imulog rm"])
    #expect(outcome.lines.last == "1")
    let verification = try bench.run("verify", "1", "--json").json()
    #expect(verification["intact"].isTrue)
    let json = try bench.run("export", "1").json()
    json.expect(["complete": true, "stopReason": "storageFull"])
    #expect(json["samples"].items.count > 100)
    #expect(json["ticks"]["sampled"] == .integer(Int64(json["samples"].items.count)))
    let rows = try bench.list()
    #expect(rows.count == 1)
    #expect(rows[0]["complete"].isTrue)
    #expect(try outcome.talk.contains(bench.logName()))
    withExtendedLifetime(disk) {}
  }

  @Test("on a full disk no recording begins, and the attempt leaves no file")
  func fullFromTheStart() throws {
    let disk = SmallDisk(at: bench.store, bytes: 8 * 1024)
    bench.directory.write([UInt8](repeating: 1, count: 8 * 1024), to: "store/filler")
    bench.refuses(
      "record --board simulator --virtual-time", 74, "no space is left on the device", "free space")
    let table = bench.file("table.csv", "t_us,ax_g\n0,1\n10,2\n")
    bench.refuses("import \(table)", 74, "no space is left on the device")
    #expect(bench.directory.names(in: "store").filter { $0 != ".lock" } == ["filler"])
    withExtendedLifetime(disk) {}
  }

  @Test("an import or an export that does not fit leaves no file")
  func tooLarge() throws {
    let disk = SmallDisk(at: bench.store, bytes: 64 * 1024)
    let rows = (0..<20_000).map { "\($0 * 1000),\($0 * 7919 % 30_000),\($0 * 104_729 % 30_000)" }
    let table = bench.file("table.csv", "t_us,ax,ay\n" + rows.joined(separator: "\n"))
    bench.refuses("import \(table) --accel-lsb-per-g 16384", 74, "no space is left on the device")
    #expect(bench.directory.names(in: "store").filter { $0 != ".lock" }.isEmpty)
    let (other, path) = (bench.directory.path + "/other", bench.directory.path + "/small")
    try bench.record("--for", "60s", "--rate", "100", "--store", other)
    let small = SmallDisk(at: path, bytes: 64 * 1024)
    bench.refuses(
      "export 1 --store \(other) -o \(path)/out.json", 74, "no space is left on the device")
    #expect(bench.directory.names(in: "small").isEmpty)
    withExtendedLifetime((disk, small)) {}
  }

  @Test("a read-only store can be read, and writing to it is refused with the reason")
  func readOnly() throws {
    let disk = SmallDisk(at: bench.store, bytes: 1024 * 1024)
    try bench.record("--for", "1s")
    disk.forbidWriting()
    let before = bench.inventory()
    #expect(try bench.list().count == 1)
    for verb in ["info", "verify", "export"] {
      #expect(bench.run(verb, "1").status == 0)
    }
    let table = bench.file("table.csv", "t_us,ax_g\n0,1\n10,2\n")
    for arguments in [Bench.simulated, ["import", table], ["rm", "1"]] {
      expectSentence(bench.run(arguments), 73, ["read-only", "remount", "--store"])
    }
    expectSentence(bench.run("export", "1", "-o", bench.store + "/out"), 73, ["ead-only"])
    #expect(bench.inventory() == before)
  }
}
