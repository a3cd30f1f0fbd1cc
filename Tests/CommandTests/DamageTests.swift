// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing
import TestSupport

@Suite("Damaged logs yield their intact parts and report the losses", .waitsForPrograms)
struct DamageCommandTests {
  private let bench = Bench()

  /// A recording of several pages, with one byte in the middle of its third page flipped.
  private func damage() throws -> (whole: [JSON], path: String) {
    try bench.record("--for", "60s", "--rate", "100", "--motion", "tumble")
    let whole = try bench.run("export", "1", "--units", "raw").json()["samples"].items
    let name = try bench.logName()
    let bytes = bench.directory.change(name) { $0[2 * 4096 + 2000] ^= 0x10 }
    try #require(bytes.count > 4 * 4096)
    return (whole, "\(bench.directory.path)/\(name)")
  }

  @Test("verify reports the page that a flipped bit damages")
  func verify() throws {
    let path = try damage().path
    for target in ["1", path] {
      let outcome = bench.run("verify", target)
      expectSentence(outcome, 65, ["1 damaged part", "ticks lost"])
      #expect(outcome.output.contains("page 2, byte"))
    }
    let json = try bench.run("verify", "1", "--json").json()
    json.expect(["intact": false, "damageCount": 1])
    #expect(json["damage"].items.count == 1)
  }

  @Test("list shows the damage of a recording that it reads from end to end, for its gaps")
  func listed() throws {
    let rows = (0..<9000).filter { $0 != 50 }.map { "\($0 * 10),\($0 * 7919 % 30011),2,3\n" }
    let table = bench.file("gap.csv", "t_ms,ax,ay,az\n" + rows.joined())
    bench.run("import", table, "--accel-lsb-per-g", "16384").expect(0)
    try bench.list()[0].expect(["state": "complete", "complete": true, "gapCount": 1])
    bench.directory.change(try bench.logName()) { $0[2 * 4096 + 2000] ^= 0x10 }
    try bench.list()[0].expect(["state": "damaged", "complete": false])
  }

  @Test(
    "every format and an import exit with 65: a new file gets what stdout does, and raw the bytes")
  func formats() throws {
    let path = try damage().path
    for format in ["json", "ndjson", "csv", "gyrodata", "parquet"] {
      let outcome = bench.run("export", "1", "--format", format, "--channels", "accel")
      expectSentence(outcome, 65, ["damaged"])
      #expect(!outcome.bytes.isEmpty)
    }
    let raw = bench.run("export", "1", "--format", "raw")
    expectSentence(raw, 65, ["damaged in 1 place", "imulog verify 1"])
    expectSame(raw.bytes, bench.directory.bytes(of: try bench.logName()))
    let table = bench.directory.path + "/out.csv"
    expectSentence(bench.run("export", "1", "--format", "csv", "-o", table), 65, ["damaged"])
    expectSame(
      bench.directory.bytes(of: "out.csv"), bench.run("export", "1", "--format", "csv").bytes)
    let kept = bench.file("kept.svg", "whole")
    for line in [["export", "1", "-o"], ["analyze", "1", "--svg"]] {
      bench.run(line + [kept]).expect(73, "kept.svg stays as it is", "delete it first")
    }
    expectSame(bench.directory.bytes(of: "kept.svg"), Array("whole".utf8))
    let other = bench.directory.path + "/other"
    let imported = bench.run("import", path, "--store", other)
    expectSentence(imported, 65, ["recording 1 is not whole", "1 damaged part"])
    #expect(imported.output == "1\n")
    let there = bench.run("export", "1", "--store", other).expect(65)
    expectSame(there.bytes, bench.run("export", "1").bytes)
    #expect(bench.run("list").status == 0)
  }

  @Test(
    "what a recording that lost its tail has left replaces no file; a part before the loss does")
  func lostTail() throws {
    try bench.record("--for", "60s", "--rate", "100", "--motion", "tumble")
    bench.directory.change(try bench.logName()) { $0 = Array($0.prefix(3 * 4096)) }
    for file in ["kept.svg", "kept.csv", "kept.imulog"] {
      let kept = bench.file(file, "whole")
      bench.run("export", "1", "-o", kept).expect(73, "\(file) stays as it is", "has no end")
      expectSame(bench.directory.bytes(of: file), Array("whole".utf8))
    }
    let kept = bench.file("kept.svg", "whole")
    bench.run("analyze", "1", "--svg", kept).expect(73, "kept.svg stays as it is")
    bench.run("analyze", "1", "--to", "1s", "--svg", kept).expect(0)
    bench.run("export", "1", "--to", "1s", "-o", kept).expect(0)
    let new = bench.directory.path + "/new.csv"
    bench.run("export", "1", "-o", new).expect(0, "its end is missing")
  }

  @Test("show draws no line across lost samples, reports the damage, and in a pipe exits with 65")
  func show() throws {
    try bench.record("--for", "60s", "--rate", "100", "--motion", "tumble")
    bench.run("show", "1").expect(0)
    bench.directory.change(try bench.logName()) { $0[2 * 4096 + 2000] ^= 0x10 }
    let outcome = bench.run("show", "1")
    expectSentence(outcome, 65, ["damaged in 1 place", "imulog verify 1"])
    #expect(outcome.lines[0].contains("damaged in 1 place"))
    let child = bench.atTerminal(["show", "1"], columns: 120)
    #expect(child.waits(for: "cursor "))
    child.type("\u{1B}[Hg")
    #expect(child.waits(for: "lost from a damaged log"))
    child.quit()
  }

  @Test(
    "an unreadable recording is listed with the reason and every field", arguments: [0, 100])
  func unreadable(_ length: Int) throws {
    try bench.record("--for", "1s")
    let fields = try bench.list()[0].keys
    let name = try bench.logName()
    bench.directory.change(name) { $0 = Array($0.prefix(length)) }
    let row = try bench.list()[0]
    #expect(row.keys.isSuperset(of: fields))
    row.expect(["number": 1, "complete": false])
    #expect(row["error"].text != nil)
    #expect(bench.run("list").output.contains("unreadable"))
    for verb in ["info", "verify", "export"] {
      expectSentence(bench.run(verb, "1"), 65, [name])
    }
    #expect(bench.run("rm", "1").status == 0)
  }
}
