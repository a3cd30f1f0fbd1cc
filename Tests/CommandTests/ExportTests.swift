// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("Exports have the requested format", .waitsForPrograms)
struct ExportCommandTests {
  /// Two seconds at 10 Hz.
  private static let bench: Bench? = {
    let bench = Bench()
    return bench.run(Bench.simulated + ["--for", "2s", "--motion", "tumble"]).status == 0
      ? bench : nil
  }()

  private func export(_ options: String...) throws -> Outcome {
    try #require(ExportCommandTests.bench).run(["export", "1"] + options)
  }

  @Test("--orientation and --linear add columns, and formats without a place for them are named")
  func orientation() throws {
    let table = try export("--orientation", "--linear", "--format", "csv").expect(0)
    #expect(
      table.talk.hasPrefix("imulog: recording 1: the orientation is computed by VQF 6D offline"))
    #expect(table.talk.split(separator: "\n").count == 1)
    #expect(table.lines.count == 21)
    #expect(table.lines[0] == "t_ns,ax,ay,az,gx,gy,gz,temp,qw,qx,qy,qz,lx,ly,lz")
    try export("--orientation", "--format", "gcsv").expect(
      64, "--orientation does not go with --format gcsv")
    try export("--linear", "--follow", "--format", "ndjson").expect(
      64, "--linear does not go with --follow")
  }

  @Test("where the zone is off UTC by seconds, a local date and its offset give the instant")
  func zoneOfSeconds() throws {
    var bench = Bench()
    let rows = (0..<20).map { "1960-02-29T23:59:\(40 + $0 / 10).\($0 % 10)Z,\($0),2,3" }
    let table = bench.file("old.csv", "time_utc,ax,ay,az\n" + rows.joined(separator: "\n") + "\n")
    #expect(bench.run("import", table, "--accel-lsb-per-g", "10").status == 0)
    bench.environment["TZ"] = "XYZ0:44:30"
    let local = bench.run("export", "1", "--format", "csv", "--time", "local")
    #expect(local.lines.last?.hasPrefix("1960-02-29T23:15:41.900000000-00:44,") == true)
    #expect(local.lines.count == 21)
    let line = try #require(local.lines.dropFirst().first)
    #expect(line.hasPrefix("1960-02-29T23:15:40.000000000-00:44,"), "\(line)")
  }

  @Test(
    "a range without a time in it, and one after the end, are refused in a sentence",
    arguments: [
      (["--to", "0"], ["--from 0s", "--to 0s"]),
      (["--from", "1s", "--to", "500ms"], ["--from 1s", "--to 500ms"]),
      (["--from", "2s"], ["ends at 2s", "--from 2s"]),
      (["--from", "1h30m"], ["ends at 2s", "--from 5400s"]),
    ])
  func emptyRange(_ options: [String], _ words: [String]) throws {
    let bench = try #require(ExportCommandTests.bench)
    for format in ["json", "csv", "parquet"] {
      let outcome = bench.run(["export", "1", "--format", format] + options)
      expectSentence(outcome, 64, words)
      #expect(outcome.output.isEmpty)
    }
  }

  @Test(
    "the file's name determines the format when --format does not",
    arguments: [
      ("x.csv", "csv"), ("x.ndjson", "ndjson"), ("x.jsonl", "ndjson"), ("x.json", "json"),
      ("x.SVG", "svg"), ("x.html", "html"), ("x.imulog", "raw"), ("x", "json"), (".csv", "csv"),
      (".JSON", "json"), (".walk", "json"), ("x.parquet", "parquet"), ("x.mcap", "mcap"),
      ("x.mseed", "mseed"), ("x.miniseed", "mseed"),
    ])
  func formatOfName(_ name: String, _ format: String) throws {
    let bench = try #require(ExportCommandTests.bench)
    let directory = TemporaryDirectory()
    #expect(bench.run("export", "1", "-o", "\(directory.path)/\(name)").status == 0)
    expectSame(directory.bytes(of: name), try export("--format", format).bytes)
  }

  @Test("bytes for programs are not written to a terminal", arguments: ["raw", "parquet"])
  func onTerminal(_ format: String) throws {
    let child = try #require(ExportCommandTests.bench).atTerminal(
      ["export", "1", "--format", format])
    #expect(child.waits(for: "--format \(format) is not for a terminal"))
    #expect(child.status() == 64)
  }

  @Test("a file gets the same bytes as stdout, and replaces an existing one if nothing fails")
  func file() throws {
    let bench = try #require(ExportCommandTests.bench)
    let directory = TemporaryDirectory()
    directory.write([1, 2, 3], to: "out.json")
    let path = directory.path + "/out.json"
    chmod(path, 0o640)
    #expect(bench.run("export", "1", "-o", path).status == 0)
    var status = stat()
    stat(path, &status)
    #expect(status.st_mode & 0o777 == 0o640)
    expectSame(directory.bytes(of: "out.json"), bench.run("export", "1", "--output", "-").bytes)
    #expect(directory.names() == ["out.json"])
    // One that fails leaves the file as it was.
    directory.write([1, 2, 3], to: "out.json")
    let failed = bench.run("export", "1", "--format", "raw", "--to", "1s", "-o", path)
    expectSentence(failed, 64, ["--format raw"])
    #expect(directory.bytes(of: "out.json") == [1, 2, 3])
    #expect(directory.names() == ["out.json"])
  }

  @Test("-o follows links to their target, which need not exist")
  func link() throws {
    let bench = try #require(ExportCommandTests.bench)
    let directory = TemporaryDirectory()
    directory.write([1], to: "file")
    symlink("file", directory.path + "/link")
    #expect(bench.run("export", "1", "-o", directory.path + "/link").status == 0)
    expectSame(directory.bytes(of: "file"), try export().bytes)
    #expect(directory.names() == ["file", "link"])
    symlink("link", directory.path + "/again")
    unlink(directory.path + "/file")
    #expect(bench.run("export", "1", "-o", directory.path + "/again").status == 0)
    expectSame(directory.bytes(of: "file"), try export().bytes)
    #expect(directory.names() == ["again", "file", "link"])
    symlink("circle", directory.path + "/circle")
    bench.refuses("export 1 -o \(directory.path)/circle", 73, "symbolic links")
  }

  @Test("a device named with -o is written to and stays a device")
  func device() throws {
    let bench = try #require(ExportCommandTests.bench)
    let directory = TemporaryDirectory()
    let path = directory.path + "/fifo"
    mkfifo(path, 0o600)
    // Opened for reading and writing, so that neither end waits for the other; the document fits into the pipe.
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(bench.run("export", "1", "--format", "csv", "-o", path).status == 0)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &buffer, buffer.count)
    expectSame(Array(buffer[..<max(0, count)]), try export("--format", "csv").bytes)
    #expect(directory.names() == ["fifo"])
  }

  @Test("a full device behind stdout is reported in a sentence by every format and verb")
  func fullDevice() throws {
    let bench = try #require(ExportCommandTests.bench)
    for format in ["json", "csv", "raw"] {
      let outcome = bench.run(["export", "1", "--format", format], stdout: "/dev/full")
      expectSentence(outcome, 74, ["no space is left on the device", "free space"])
    }
    for words in [["list"], ["info", "1"], ["verify", "1"]] {
      expectSentence(bench.run(words, stdout: "/dev/full"), 74, ["cannot write the output"])
    }
  }

  @Test("an export never replaces a recording, under any name")
  func ontoRecording() throws {
    let bench = Bench()
    try bench.record("--for", "1s")
    try bench.record("--for", "1s")
    let log = "\(bench.directory.path)/\(try bench.logName())"
    let link = bench.directory.path + "/link"
    symlink(log, link)
    let before = bench.inventory()
    for path in [log, link, "\(bench.store)/../store/\(bench.recordings[1])"] {
      for format in ["json", "raw"] {
        bench.refuses(
          "export 1 --format \(format) -o \(path)", 64, "is recording 2 itself", "-o FILE")
      }
    }
    #expect(bench.inventory() == before)
    #expect(bench.run("verify", "2").status == 0)
  }
}
