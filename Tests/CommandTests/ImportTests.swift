// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing
import TestSupport

@Suite("Imported recordings export the imported data", .waitsForPrograms)
struct ImportCommandTests {
  private let bench = Bench()

  /// A table that states nothing but its times' unit: 50 Hz, 1 g along z.
  private static func rows(_ count: Int = 40) -> String {
    "t_ms,acc_x,acc_y,acc_z\n" + (0..<count).map { "\($0 * 20),0.0,0.5,9.75\n" }.joined()
  }

  @Test("--explain prints how each column is understood, and what an import would say")
  func explained() {
    let path = bench.file("walk.csv", Self.rows())
    let asked = bench.run("import", path, "--explain").expect(65, "--units m/s2")
    #expect(asked.lines.contains("  1  t_ms   times: ms, by the header"), "\(asked.output)")
    #expect(asked.lines.contains("  4  acc_z  az: its unit is missing"))
    let stated = bench.run("import", path, "--explain", "--units", "m/s2").expect(
      0, "it would be a recording of 40 samples at 50 Hz for 0.78 s, no gaps by its times")
    #expect(stated.lines.contains("  4  acc_z  az: m/s², by --units"))
    #expect(bench.inventory().isEmpty)
  }

  @Test("one refusal names all that is missing, and the command in it works in a shell")
  func asked() throws {
    let session = (0..<20).map { "\($0 * 20),0.0,0.5,9.75,3.5,0,0\n" }.joined()
    let text = "time,ax,ay,az,gx,gy,gz\n" + session + "\n" + session
    let path = bench.file("it's a walk.csv", text)
    let refusal = bench.run("import", path, "--note", "a b").expect(
      65, "does not say in which unit time", "holds 2 recordings",
      "50 Hz in ms", "g in m/s2", "°/s in deg/s")
    #expect(refusal.bytes.isEmpty && bench.inventory().isEmpty)
    let line = try #require(
      refusal.talk.split(separator: "\n").first { $0.hasPrefix("If that is right: imulog ") })
    let words = line.dropFirst("If that is right: imulog ".count)
    #expect(bench.shell("exec \(Child.program) \(words)").expect(0).output == "1\n2\n")
    #expect(try bench.list().map { $0["note"] } == [.string("a b"), .string("a b")])
  }

  @Test("a normal import ends with one line: what it made, and the next step")
  func summary() {
    let outcome = bench.run("import", bench.file("walk.csv", Self.rows()), "--units", "m/s2")
    #expect(outcome.status == 0 && outcome.output == "1\n")
    #expect(
      outcome.talk
        == "imulog: 40 samples at 50 Hz for 0.78 s, no gaps by its times; see them: imulog show 1\n"
    )
  }

  @Test("--each makes a recording of each session, and none where one is wrong")
  func each() throws {
    let path = bench.file("walk.csv", Self.rows(10) + Self.rows(20) + "\n" + Self.rows(30))
    let words = ["import", path, "--units", "m/s2"]
    bench.run(words).expect(65, "holds 3 recordings: lines 2–11, 13–32, 35–64", "--each")
    #expect(bench.run(words + ["--each"]).expect(0).output == "1\n2\n3\n")
    let counts = ["1", "2", "3"].map { bench.run("export", $0, "--format", "csv").lines.count - 1 }
    #expect(counts == [10, 20, 30])
    #expect(Set(try bench.list().compactMap { $0["id"].text }).count == 3)
    let before = bench.inventory()
    let wrong = bench.file("wrong.csv", Self.rows(10) + Self.rows(20) + "400,1,x,9\n")
    bench.refuses("import \(wrong) --units m/s2 --each", 65, "line 33", "column 3")
    #expect(bench.inventory() == before)
  }

  @Test("--sort puts rows in order, and keeps those that share a time")
  func sorted() throws {
    let rows = [0, 20, 60, 40, 40, 80].map { "\($0),\($0),0,1000\n" }.joined()
    let path = bench.file("walk.csv", "t_ms,ax (mg),ay (mg),az (mg)\n" + rows)
    bench.run("import", path).expect(65, "the first in line 5", "--sort")
    #expect(bench.run("import", path, "--sort").expect(0).output == "1\n")
    let samples = try bench.run("export", "1").json()["samples"].items
    let times: [Int64] = [0, 20, 40, 40, 60, 80]
    #expect(samples.map { $0["t_ns"] } == times.map { .integer($0 * 1_000_000) })
  }

  @Test("what contradicts its values is refused, and imported with --anyway")
  func anyway() {
    let path = bench.file("walk.csv", Self.rows())
    let words = ["import", path, "--units", "g"]
    expectSentence(bench.run(words), 65, ["mean length", "--anyway"])
    bench.run(words + ["--anyway"]).expect(0, "it is imported anyway", "40 samples")
  }

  @Test(
    "this program's Parquet and MCAP come back exact, and take no option of a table",
    arguments: ["parquet", "mcap"])
  func own(_ format: String) throws {
    try bench.record("--for", "5s", "--rate", "200", "--note", "x", "--motion", "tumble")
    try #require(bench.run("label", "1", "1s..2s", "walk").status == 0)
    let path = bench.directory.path + "/walk." + format
    try #require(bench.run("export", "1", "--format", format, "-o", path).status == 0)
    #expect(bench.run("import", path).expect(0).output == "2\n")
    for words in [["--units", "raw", "--format", "csv"], ["--format", "ndjson"]] {
      expectSame(
        bench.run(["export", "2"] + words).bytes, bench.run(["export", "1"] + words).bytes)
    }
    #expect(bench.run("label", "2").output == bench.run("label", "1").output)
    #expect(try bench.list()[0]["note"] == .string("x"))
    expectSentence(bench.run("import", path, "--units", "raw"), 64, ["states its own units"])
  }

  @Test("--units states the units of a table in an archive")
  func unitsOfArchive() {
    let archive = MadeZip([MadeZip.File("walk.csv", Self.rows())]).bytes
    let place = bench.file("walk.zip", archive)
    bench.run("import", place).expect(65, "--units m/s2")
    #expect(bench.run("import", place, "--units", "m/s2").output == "1\n")
    bench.run("import", place, "--columns", "time=1,ax=2").expect(64, "unpack it")
  }

  @Test("a range before the first time of a table is refused, and show begins with that time")
  func farTimes() throws {
    // Not since 1970, which would be the recording's date.
    let rows = (0..<100).map { "\(700_000_000_000 + $0 * 10),\($0 * 100)\n" }.joined()
    let path = bench.file("table.csv", "t_ms,ax\n" + rows)
    #expect(bench.run("import", path, "--accel-lsb-per-g", "5000").status == 0)
    expectSentence(bench.run("export", "1", "--to", "3s"), 64, ["begins at 700000000s", "--to"])
    #expect(bench.run("export", "1", "--from", "700000000s", "--format", "csv").lines.count == 101)
    let graph = bench.run("show", "1").output
    #expect(graph.contains("0.2") && !graph.contains("49152:00"))
    #expect(graph.contains("⠤") || graph.contains("⡠") || graph.contains("⢀"))
  }

  @Test("times before 0 in a table can be the ends of a range")
  func negativeTimes() throws {
    let rows = (-300..<300).map { "\($0 * 10),\($0)\n" }.joined()
    let path = bench.file("table.csv", "t_ms,ax (mg)\n" + rows)
    #expect(bench.run("import", path).status == 0)
    func count(_ options: String...) -> Int {
      bench.run(["export", "1", "--format", "csv"] + options).lines.count - 1
    }
    #expect(count("--from=-1s") == 400)
    #expect(count("--from", "-1s", "--to", "-500ms") == 50)
    #expect(count("--to", "0") == 300)
    #expect(count("--from", "-10s") == 600)
    bench.refuses("export 1 --to=-3s", 64, "begins at -3s", "--to -3s")
    bench.refuses("export 1 --from 5s", 64, "ends at 2.99s", "--from 5s")
    bench.refuses("export 1 --from=-1s --to=-2s", 64, "--from -1s", "--to -2s")
    bench.refuses("export 1 --from=-x", 64, "--from")
  }

  @Test("a log from elsewhere gets a number of this store and has the same exports, and comes once")
  func log() throws {
    try bench.record("--for", "5s", "--rate", "200", "--note", "x")
    let path = bench.file("copy.imulog", bench.directory.bytes(of: try bench.logName()))
    var other = bench
    other.environment["IMULOG_STORE"] = bench.directory.path + "/other"
    for _ in 0..<3 { try other.record("--for", "100ms") }
    #expect(other.run("import", path).output == "4\n")
    #expect(other.run("verify", "4").status == 0)
    #expect(try other.list()[0]["number"] == .integer(4))
    #expect(try other.list()[0]["id"] == bench.list()[0]["id"])
    #expect(try other.run("export", "4").json()["number"] == .integer(4))
    for format in ["ndjson", "csv", "raw"] {
      expectSame(
        other.run("export", "4", "--format", format).bytes,
        bench.run("export", "1", "--format", format).bytes)
    }
    let before = bench.inventory()
    expectSentence(bench.run("import", path), 73, ["in the store already", "number 1"])
    #expect(bench.inventory() == before)
  }

  @Test(
    "an export with computed columns and names with units comes back with the same counts",
    arguments: ["si", "g-dps"])
  func computedColumns(_ units: String) throws {
    try bench.record("--motion", "tumble", "--rate", "100", "--for", "2s")
    let path = bench.directory.path + "/walk.csv"
    bench.run(
      "export", "1", "--preamble", "--linear", "--orientation", "--unit-names", "--units", units,
      "-o", path
    ).expect(0)
    bench.run("import", path).expect(0)
    let counts = ["--format", "csv", "--units", "raw", "--channels"]
    for channels in ["accel", "gyro"] {
      expectSame(
        bench.run(["export", "2"] + counts + [channels]).bytes,
        bench.run(["export", "1"] + counts + [channels]).bytes)
    }
  }

  @Test(
    "JSON that is no recording is bad data whatever the options are, and a phone's has none of a table's",
    arguments: [[], ["--units", "g"], ["--columns", "time=t,ax=x"]])
  func nested(_ options: [String]) throws {
    let nested = bench.file("nested.json", "{\"a\":{\"b\":[{\"time\":1,\"x\":2}]}}")
    expectSentence(bench.run(["import", nested] + options), 65, ["JSON of an unknown form"])
    let phone = bench.file(
      "phone.json",
      "{\"dataType\":0,\"coordinateList\":[{\"x\":0.5,\"y\":-1,\"z\":0.25}],\"duration\":0.1}")
    bench.run(["import", phone] + options).expect((options.isEmpty ? 0 : 64))
  }

  @Test("list says that an import has no date, and shows the date of one that has")
  func undated() throws {
    let rows = "t_ns,ax_g,ay_g,az_g\n0,1,2,3\n100000000,1,2,3\n"
    #expect(bench.run("import", bench.file("a.csv", rows), "--rate", "10").status == 0)
    let dated = "# imulog.started: 2024-02-03T04:05:06Z\n" + rows
    #expect(bench.run("import", bench.file("b.csv", dated), "--rate", "10").status == 0)
    #expect(try bench.list().map { $0["started"] } == [.string("2024-02-03T04:05:06Z"), .null])
    let lines = bench.run("list", "--plain").lines
    #expect(lines[1].contains("2024-02-03") && lines[2].contains(" undated "), "\(lines)")
  }
}
