// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing
import TestSupport

@Suite("Pulling recordings from another machine", .waitsForPrograms, .timeLimit(.minutes(60)))
struct PullTests {
  private let bench = RemoteBench()

  @Test(
    "all recordings are fetched, byte for byte and with their numbers; a second pull fetches nothing"
  )
  func everything() throws {
    for note in ["one", "two", "three"] { try bench.pi.record("--for", "5s", "--note", note) }
    let first = bench.pull("--json").expect(0)
    #expect(try first.json()["hosts"][0]["fetched"] == .integer(3))
    #expect(bench.laptop.recordings == bench.pi.recordings)
    for name in bench.pi.recordings {
      #expect(
        bench.laptop.directory.bytes(of: "store/" + name)
          == bench.pi.directory.bytes(of: "store/" + name))
    }
    let notes = try bench.laptop.list().map { $0["note"] }
    #expect(notes == ["three", "two", "one"].map { .string($0) })
    let second = bench.pull("--json").expect(0)
    let summary = try second.json()["hosts"][0]
    summary.expect(["here": 3, "fetched": 0, "received_bytes": 0])
    #expect(second.talk.isEmpty)
    #expect(bench.leftovers.isEmpty)
    #expect(bench.connections == 2)
  }

  @Test("of several hosts one that fails does not stop the other, and the exit status reports it")
  func hosts() throws {
    try bench.pi.record("--for", "1s")
    let outcome = bench.pull("--json", host: "nowhere,pi").expect(
      69, "cannot connect to nowhere", "Could not resolve hostname")
    let summary = try outcome.json()["hosts"]
    #expect(summary[0]["exitStatus"] == .integer(69))
    #expect(summary[1]["fetched"] == .integer(1))
    let table = bench.pull(host: "nowhere,pi").lines
    #expect(table.count == 3)
    #expect(table[0].hasPrefix("HOST"))
    #expect(table[2].hasPrefix("pi "))
  }

  @Test(
    "a host that is an option, empty or repeated, and a wrong number, are refused before ssh starts"
  )
  func hostNames() {
    for host in ["-oProxyCommand=x", "pi,-x", "", "pi,", "a b", "pi,pi", "p\u{1B}i"] {
      let outcome = bench.laptop.run(["pull", "--", host])
      #expect(outcome.status == 64, "\(host): \(outcome.talk)")
    }
    for (option, value) in [("--jobs", "0"), ("--timeout", "0s"), ("--timeout", "25h")] {
      expectSentence(bench.pull(option, value), 64, [option])
    }
    #expect(bench.connections == 0)
  }

  @Test("ssh gets BatchMode, the options given, and the host after two dashes")
  func sshOptions() throws {
    try bench.pi.record("--for", "1s")
    bench.pull("-p", "2222", "-o", "ConnectTimeout=3", "-i", "key", "-F", "none").expect(0)
    #expect(
      bench.laptop.directory.text(of: "calls")
        == "-T -o BatchMode=yes -p 2222 -i key -F none -o ConnectTimeout=3 -- pi imulog pull-server\n"
    )
    _ = bench.pull("--remote-store", "/a b/it's")
    #expect(
      bench.laptop.directory.text(of: "calls").hasSuffix(
        "-- pi imulog --store '/a b/it'\\''s' pull-server\n"))
  }

  @Test("--format also exports what was here, each format to its own file, and no foreign one")
  func forms() throws {
    try bench.pi.record("--for", "60s", "--rate", "100")
    #expect(bench.pull().status == 0)
    let fills = [["json"], ["gyrodata"], ["gyrodata", "--fill", "hold"]]
    for options in fills {
      bench.laptop.run(["pull", "pi", "--format"] + options).expect(0)
    }
    let written = bench.laptop.directory.names(in: "").filter { $0.hasSuffix(".json") }
    #expect(written.count == fills.count, "\(written)")
    let name = try #require(bench.pi.recordings.first).dropLast(".imulog".count)
    bench.laptop.directory.makeDirectory("to")
    #expect(bench.pull("--format", "csv", "--to", "to").status == 0)
    expectSame(
      bench.laptop.directory.bytes(of: "to/\(name).csv"),
      bench.pi.run("export", "1", "--format", "csv").bytes)
    bench.laptop.directory.write([], to: "\(name).csv")
    bench.pull("--format", "csv").expect(73, "is not an export")
    // A copy that was damaged since, when a new label asks for the export again.
    bench.laptop.directory.change("store/\(name).imulog") { $0[2 * 4096 + 2000] ^= 0x10 }
    let whole = bench.laptop.directory.bytes(of: "to/\(name).csv")
    try #require(bench.pi.run("label", "1", "..1s", "walk").status == 0)
    bench.pull("--format", "csv", "--to", "to").expect(73, "stays as it is")
    expectSame(bench.laptop.directory.bytes(of: "to/\(name).csv"), whole)
  }

  @Test("many recordings are requested before the first arrives, so that round trips cost little")
  func pipelining() throws {
    for _ in 1...12 { try bench.pi.record("--for", "1s") }
    // No request is passed on before ten of its kind have arrived.
    let far = try ScriptedFarEnd(
      """
      export SSH_ORIGINAL_COMMAND=pull-server
      while read -r line; do
        case "$line" in
          list | labelled) echo "$line";;
          *) kept="$kept$line
      "; count=$((count + 1)); if [ $count -ge 10 ]; then printf %s "$kept"; kept=; fi;;
        esac
      done | \(Child.program) --store \(bench.pi.store) serve --log \(bench.journalPath)
      """)
    far.pull("--timeout", "20s").expect(0)
    #expect(far.connections == 1)
    #expect(far.laptop.recordings == bench.pi.recordings)
  }

  @Test("forty hosts with room for 128 open files all get their turn")
  func manyHosts() throws {
    try bench.pi.record("--for", "1s")
    let hosts = (1...40).map { "pi\($0)" }.joined(separator: ",")
    let outcome = bench.laptop.shell("ulimit -n 128; exec \(Child.program) pull \(hosts) --json")
      .expect(0)
    #expect(bench.connections == 40)
    let rows = try outcome.json()["hosts"].items
    #expect(rows.count == 40)
    #expect(rows.count { $0["fetched"] == .integer(1) } == 1)
    #expect(bench.laptop.recordings == bench.pi.recordings)
  }

  @Test("a format that cannot hold a recording is refused with what pull can do about it")
  func remedies() throws {
    let rows = (0..<20).filter { $0 != 7 }.map { "\($0 * 10),0,0,1\n" }
    let table = bench.pi.file("gap.csv", "t_ms,ax_g,ay_g,az_g\n" + rows.joined())
    try #require(bench.pi.run("import", table).status == 0)
    try bench.pi.record("--for", "1s", "--rate", "1000", "--clock", "chip")
    try #require(bench.pi.run("label", "2", "..1s", "walk").status == 0)
    let help = bench.laptop.run("pull", "--help").output
    var refusals = 0
    for format in ["gyrodata", "edge-impulse", "gcsv", "kalibr", "cwa", "mseed", "csv"] {
      let talk = bench.pull("--format", format).talk
      refusals += talk.contains("choose another --format") ? 1 : 0
      // What is between back quotes is a command of its own.
      let words = talk.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 0 }.flatMap { $0.element.split { " ,;:()\n".contains($0) } }
      for word in words where word.hasPrefix("--") || word.hasPrefix("-o") {
        #expect(help.contains(word), "\(talk)")
      }
    }
    #expect(refusals >= 4)
    let gap = bench.pull("1", "--format", "edge-impulse").talk
    #expect(gap.contains("add --fill hold to repeat the sample before them"), "\(gap)")
    #expect(gap.contains("`imulog export 1 --format edge-impulse -o DIR/`"), "\(gap)")
  }
}
