// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import TestSupport
import Testing

@Suite(
  "An export is where it was asked to be, or nothing is", .waitsForPrograms,
  .timeLimit(.minutes(60)))
struct OutputPlaceTests {
  private static let openEnded = [
    "record", "--board", "simulator", "--rate", "200", "--until-stopped", "--sync-every", "20ms",
  ]

  @Test("a signal that ends an export leaves no temporary file, and ends it as before")
  func signals() throws {
    let bench = Bench()
    let recording = try bench.startRecording(OutputPlaceTests.openEnded)
    bench.directory.makeDirectory("out")
    for number in [
      SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGPROF, SIGVTALRM,
      SIGIO, SIGPWR, SIGSTKFLT,
    ] {
      let export = bench.start(
        ["export", "latest", "--follow", "-o", "\(bench.directory.path)/out/walk.ndjson"])
      // It is being written: the export follows the recording, which has no end.
      try waitUntil { !bench.directory.names(in: "out").isEmpty }
      export.signal(number)
      #expect(export.outcome().status == -number)
      #expect(bench.directory.names(in: "out").isEmpty)
    }
    recording.end()
  }

  @Test("a name whose ending is no format, or an empty one, or of a directory is refused")
  func names() throws {
    let bench = Bench()
    try bench.record("--for", "1s")
    let folder = bench.directory.path
    // A directory that is named - leaves stdout what it is, and what a killed export left stays.
    bench.directory.makeDirectory("-")
    #expect(bench.run("export", "1", "--format", "csv").status == 0)
    bench.directory.write([1], to: ".pending-0123456789abcdef")
    for name in ["x.xyz", "x.parquet.gz", "x."] {
      bench.refuses(
        "export 1 -o \(folder)/\(name)", 64, ".json", ".parquet", ".imulog", "--format")
      #expect(!bench.directory.names().contains(name))
      // With a format, any name goes.
      #expect(bench.run("export", "1", "--format", "csv", "-o", "\(folder)/\(name)").status == 0)
    }
    bench.refuses(
      "export 1 --format json -o \(folder)/.csv", 64, "is the name of a file of format csv")
    #expect(bench.directory.bytes(of: ".pending-0123456789abcdef") == [1])
    expectSentence(bench.run("export", "1", "-o", ""), 64, ["-o has an empty name"])
    bench.directory.makeDirectory("there")
    for name in ["d.json/", "d/", "there", "there/"] {
      bench.refuses(
        "export 1 -o \(folder)/\(name)", 64, "-o \(folder)/\(name) is a directory",
        "--format json makes one file", "edge-impulse")
    }
    #expect(bench.directory.names(in: "there").isEmpty && !bench.directory.names().contains("d"))
    // The 255 bytes that a file system allows, of a file and of a directory.
    let long = String(repeating: "n", count: 250) + ".json"
    #expect(bench.run("export", "1", "-o", "\(folder)/\(long)").status == 0)
    let parts = "\(folder)/" + String(repeating: "d", count: 240) + "/"
    #expect(bench.run("export", "1", "--format", "edge-impulse", "-o", parts).status == 0)
    #expect(bench.directory.names().contains(long))
    #expect(bench.directory.names().count { $0.hasPrefix(".pending-") } == 1)
  }

  @Test("a signal that is ignored stays so")
  func ignored() throws {
    let bench = Bench()
    let recording = try bench.startRecording(OutputPlaceTests.openEnded)
    bench.directory.makeDirectory("out")
    let export = bench.startShell(
      "trap '' HUP; exec '\(Child.program)' export latest --follow -o out/walk.ndjson")
    try waitUntil { !bench.directory.names(in: "out").isEmpty }
    export.signal(SIGHUP)
    recording.end()
    #expect(export.outcome().status == 0)
    #expect(bench.directory.names(in: "out") == ["walk.ndjson"])
  }

  @Test("labels that a format has no place for, or has anyway, are spoken of")
  func labels() throws {
    let bench = Bench()
    try bench.record("--for", "2s")
    #expect(bench.run("label", "1", "..1s", "walk").status == 0)
    bench.refuses("export 1 --labels", 64, "--format json always has the labels")
    bench.run("export", "1", "--format", "raw").expect(
      0, "1 label is not in it: the store keeps labels beside the log")
    bench.run("export", "1", "--format", "edge-impulse").expect(
      0, "1 label is left out: the directory of `imulog export -o DIR/` carries them")
    bench.refuses("label 1 ..1s =1+1", 64, "begins with =", "spreadsheets")
  }

  @Test("no output becomes a recording of any store, and none is replaced; elsewhere any name goes")
  func recordingNames() throws {
    let bench = Bench()
    try bench.record("--for", "1s")
    let other = bench.directory.path + "/other"
    try #require(bench.run(["--store", other] + Bench.simulated + ["--for", "2s"]).status == 0)
    try #require(bench.run("--store", other, "list").status == 0)
    let name = "000050-20261126T015847Z-c2660d48.imulog"
    let theirs = try #require(bench.directory.names(in: "other").first { $0.hasSuffix(".imulog") })
    let (link, directory) = (bench.directory.path + "/link", bench.directory.path + "/directory")
    symlink("\(other)/\(name)", link)
    symlink(other, directory)
    let before = bench.inventory()
    let (names, log) = (
      bench.directory.names(in: "other"), bench.directory.bytes(of: "other/\(theirs)")
    )
    for output in [
      "\(bench.store)/\(name)", "\(other)/\(name)", "\(other)/\(theirs)", link,
      "\(directory)/\(theirs)", "\(other)/../other/\(name)",
    ] {
      bench.refuses(
        "export 1 --format raw -o \(output)", 64, "the name of a recording in a store", "-o FILE",
        "imulog import")
    }
    for (verb, option) in [
      ("analyze", "--svg"), ("analyze", "--imu-yaml"), ("calibrate", "-o"),
    ] {
      bench.refuses(
        "\(verb) 1 \(option) \(other)/\(theirs)", 64, "\(option) ", "name of a recording")
    }
    for own in [".lock", ".known", ".labels", ".trash"] {
      bench.refuses("export 1 --format csv -o \(other)/\(own)", 64, "the store's own files")
    }
    #expect(bench.inventory() == before)
    #expect(bench.directory.names(in: "other") == names)
    expectSame(bench.directory.bytes(of: "other/\(theirs)"), log)
    bench.directory.makeDirectory("backup")
    for output in ["backup/\(name)", "backup/\(name)", "backup/.hidden", "other/walk"] {
      let path = "\(bench.directory.path)/\(output)"
      #expect(bench.run("export", "1", "--format", "raw", "-o", path).status == 0)
    }
  }

  @Test("a copy of a store without what stores keep beside recordings is known by its recordings")
  func copiedStore() throws {
    let bench = Bench()
    try bench.record("--for", "1s")
    let own = try #require(bench.directory.names(in: "store").first { $0.hasSuffix(".imulog") })
    bench.directory.makeDirectory("copy")
    #expect(bench.shell("cp store/*.imulog copy/").status == 0)
    let before = bench.directory.names(in: "copy")
    #expect(before == [own])
    bench.refuses(
      "export 1 --format raw -o copy/000050-20261126T015847Z-c2660d48.imulog", 64,
      "the name of a recording in a store", "-o FILE")
    bench.refuses("export 1 --format csv -o copy/.labels", 64, "the store's own files")
    #expect(bench.directory.names(in: "copy") == before)
    #expect(bench.run("export", "1", "--format", "csv", "-o", "copy/walk.csv").status == 0)
  }

  @Test("pull puts no copies of logs into a store a second time")
  func pulledLogs() throws {
    let bench = RemoteBench()
    try bench.pi.record("--for", "1s")
    #expect(bench.pull().status == 0)
    let before = bench.laptop.inventory()
    for directory in [bench.laptop.store, bench.pi.store] {
      bench.laptop.refuses(
        "pull pi --format raw --to \(directory)", 64, "is a store", "--to DIR")
    }
    let beside = bench.laptop.store + "/.labels"
    mkdir(beside, 0o755)
    for format in ["raw", "csv"] {
      bench.laptop.refuses(
        "pull pi --format \(format) --to \(beside)", 64, "--to", "store's own files")
    }
    rmdir(beside)
    #expect(bench.laptop.inventory() == before)
    #expect(bench.pull("--format", "csv", "--to", bench.laptop.store).status == 0)
  }

  @Test("a closed stdout is a failure of every verb that prints, in a sentence")
  func closedOutput() throws {
    let bench = Bench()
    try bench.record("--for", "1s")
    #expect(bench.run("label", "1", "..1s", "walk").status == 0)
    for words in [
      "list", "info 1", "verify 1", "show 1", "label 1", "export 1 --format csv",
      "export 1 --format raw", "boards", "export --help", "--version", "licences",
      "record --board simulator --virtual-time --for 1s",
    ] {
      let closed = bench.shell("exec '\(Child.program)' \(words) >&-")
      #expect(closed.status == 74, "\(words): \(closed.talk)")
      #expect(closed.talk.contains("closed"), "\(closed.talk)")
      if !words.hasPrefix("record") {
        #expect(bench.shell("exec '\(Child.program)' \(words) > /dev/null").status == 0)
      }
    }
    // What was recorded is kept.
    #expect(bench.recordings.count == 2)
  }
}
