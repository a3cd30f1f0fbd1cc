// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogStoreTesting
import Testing
import TestSupport

@Suite("A hub names what is wrong, and goes on", .waitsForPrograms, .timeLimit(.minutes(60)))
struct HubFaultTests {
  private let bench = FleetBench()

  @Test(
    "a line of the host file that cannot be used is named, the others are used, and the status says so"
  )
  func badLine() throws {
    try bench.machine("one").record("--for", "1s")
    bench.hosts("Pump = one\npump-1 = one\n")
    bench.round().expect(78, "hosts:1: Pump is not a name")
    #expect(bench.recordings(in: "fleet/logs/pump-1").count == 1)
  }

  @Test(
    "a log that was changed here is named, its files stay, and others go on",
    arguments: [true, false])
  func changed(isSeen: Bool) throws {
    let one = try bench.roundOfOne(recordings: 2)
    let parts = ["samples", "features"].map { bench.contents(of: $0) }
    let name = "fleet/logs/pump-1/" + (try #require(bench.recordings(in: "one").first))
    #expect(bench.hub.shell("touch -r \(name) time").status == 0)
    bench.hub.directory.change(name) { $0[$0.count / 2] ^= 4 }
    // In a way that no length and no time shows.
    if !isSeen { #expect(bench.hub.shell("touch -r time \(name)").status == 0) }
    #expect(one.run("label", "1", "0s..1s", "walk").status == 0)
    try one.record("--for", "1s")
    bench.round().expect(65, "recording 1: ", "is not what was fetched")
    #expect(bench.hub.shell("rm fleet/rows/pump-1").status == 0)
    #expect(bench.round().status == 65)
    for (part, before) in zip(["samples", "features"], parts) {
      let after = bench.contents(of: part)
      #expect(after.count == 3 && before.allSatisfy { after[$0.key] == $0.value }, "\(part)")
    }
  }

  @Test("what is wrong with the files of one host stops no other, and is shown in the status")
  func wrongFiles() throws {
    for name in ["one", "two"] { try bench.machine(name).record("--for", "1s") }
    bench.hosts("a = one\nb = two\n")
    #expect(bench.round().status == 0)
    for (part, command, what) in [
      ("ledger", "mkdir", "it is a directory"), ("rows", "mkfifo", "this is not a file"),
      ("rows", "ln -s nowhere", "too many symbolic links"), ("state", "mkdir", ""),
    ] {
      bench.hub.shell("mv fleet/\(part)/a kept && \(command) fleet/\(part)/a").expect(0)
      try bench.machine("two").record("--for", "1s")
      let outcome = bench.round("--metrics", "m.prom", "--json")
      #expect(outcome.status != 0)
      if part != "state" {
        #expect(outcome.talk.contains("a: opening fleet/\(part)/a: \(what)"), "\(outcome.talk)")
        #expect(outcome.talk.contains("; move away what has its place\n"), "\(outcome.talk)")
      }
      #expect(try outcome.json()["hosts"][1]["fetched"] == .integer(1), "\(part)")
      let status = try bench.status()
      #expect(status[0]["problem"].text?.contains("\(part)/a") == true, "\(part)")
      #expect(status[1]["problem"] == .null, "\(part)")
      #expect(bench.hub.shell("grep -q 'host=\"b\"' m.prom && rm m.prom").status == 0)
      bench.hub.shell("rm -r fleet/\(part)/a && mv kept fleet/\(part)/a").expect(0)
    }
    #expect(bench.round().status == 0)
  }

  @Test("fewer hosts at a time than were asked for is said, with what allows more")
  func fewFiles() throws {
    for name in ["one", "two", "three"] { try bench.machine(name).record("--for", "1s") }
    bench.hosts("one\ntwo\nthree\n")
    let outcome = bench.hub.shell(
      "ulimit -n 64; exec \(Child.program) hub fleet --hosts hosts --jobs 3"
    ).expect(0)
    #expect(outcome.talk.hasPrefix("imulog: 2 hosts at a time, not 3, "), "\(outcome.talk)")
    #expect(bench.contents(of: "samples").count == 3)
  }

  @Test(
    "a disk that is read-only is named by every verb that writes, with a remedy for a hub, and the others read it",
    .enabled(if: SmallDisk.isPossible, "needs root, and file systems of its own"))
  func readOnly() throws {
    _ = try bench.roundOfOne(recordings: 1)
    func onReadOnlyDisk(_ verb: String) -> Outcome {
      bench.hub.shell(
        "exec unshare -m sh -c 'mount --bind fleet fleet && mount -o remount,ro,bind fleet && exec \(Child.program) hub \(verb)'"
      )
    }
    for verb in ["fleet --hosts hosts", "prune fleet --most-bytes 1B"] {
      let outcome = onReadOnlyDisk(verb)
      #expect(outcome.status == 73, "\(verb): \(outcome.talk)")
      #expect(
        outcome.talk.contains(
          "read-only (EROFS); remount it with `sudo mount -o remount,rw`, after"),
        "\(verb): \(outcome.talk)")
      #expect(!outcome.talk.contains("--store"), "\(verb): \(outcome.talk)")
    }
    let verified = onReadOnlyDisk("verify fleet").expect(0)
    #expect(verified.output.contains("1 recording of 1 host"), "\(verified.output)")
    #expect(onReadOnlyDisk("status fleet --hosts hosts").status == 0)
    onReadOnlyDisk("prune fleet --most-bytes 1B --print").expect(0, "1 recording would go")
  }

  @Test(
    "a store here that this user may not write is named with the status of a missing right",
    .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
  func foreignStore() throws {
    try bench.machine("one").record("--for", "1s")
    bench.hosts("a = one\n")
    #expect(bench.round().status == 0)
    try bench.machine("one").record("--for", "1s")
    #expect(
      bench.hub.shell(
        "chmod 777 . && rm -f journal calls && chown -R 4001:4001 one fleet && chown -R 0:0 fleet/logs/a"
      ).status
        == 0)
    OtherUser().run(bench.hub, "hub", "fleet", "--hosts", "hosts").expect(
      77, "run as the user who owns the hub")
    #expect(bench.hub.shell("chown -R 4001:4001 fleet/logs/a && chown 0:0 fleet/.hub").status == 0)
    OtherUser().run(bench.hub, "hub", "fleet", "--hosts", "hosts").expect(77)
    #expect(OtherUser().run(bench.hub, "hub", "verify", "fleet").status == 0)
  }

  @Test("a copy of a hub without what begins with a point becomes a hub again by a round")
  func withoutMark() throws {
    _ = try bench.roundOfOne(recordings: 1)
    let right = bench.tables()
    #expect(bench.hub.shell("rm -r fleet/.hub fleet/.work fleet/samples fleet/rows").status == 0)
    bench.hub.refuses("hub verify fleet", 66, "there is no hub at fleet: make one with")
    #expect(bench.round().status == 0)
    #expect(bench.tables() == right)
    #expect(bench.hub.run("hub", "verify", "fleet").status == 0)
    // Anything else beside them may be of another program.
    #expect(bench.hub.shell("rm fleet/.hub && touch fleet/notes").status == 0)
    #expect(bench.round().status == 64)
  }

  @Test(
    "a directory in place of the ledger of a host without line and store is a failure and a finding"
  )
  func ledgerOfGoneHost() throws {
    _ = try bench.roundOfOne(recordings: 1)
    #expect(bench.hub.shell("mkdir fleet/ledger/pump-9").status == 0)
    let words = "pump-9: opening fleet/ledger/pump-9: it is a directory"
    let outcome = bench.round("--json")
    bench.expectSentences(outcome, words)
    #expect(outcome.talk.contains("something is wrong with pump-9"), "\(outcome.talk)")
    let hosts = try outcome.json()["hosts"]
    #expect(hosts.items.map { $0["host"] } == [.string("pump-1"), .string("pump-9")])
    #expect(hosts.items.map { $0["exitStatus"] } == [.integer(0), .integer(65)])
    bench.expectSentences(bench.hub.run("hub", "verify", "fleet"), words)
  }

  @Test("what starts a hub and ignores the ends of its children changes nothing")
  func ignoredChildren() throws {
    try bench.machine("one").record("--for", "1s")
    bench.hosts("pump-1 = one\n")
    // The environment is that of the bench: ssh is found there.
    bench.hub.shell(
      "exec env --ignore-signal=CHLD \(Child.program) hub fleet --hosts hosts"
    ).expect(0)
    #expect(bench.contents(of: "samples").count == 1)
  }

  @Test("what derives is bounded, and is the first that a kernel without memory ends")
  func limits() throws {
    _ = try bench.roundOfOne(recordings: 1)
    let name = try #require(bench.recordings(in: "fleet/logs/pump-1").first)
    // Its output is full: it waits to be looked at.
    let outcome = bench.hub.shell(
      """
      mkfifo full && exec 3<>full && dd if=/dev/zero of=full bs=65536 count=1 status=none
      \(Child.program) hub-derivation -- 0 fleet pump-1 \(name) $(cut -d' ' -f3-5 fleet/ledger/pump-1) >&3 &
      for turn in $(seq 500); do
        grep -qx 1000 /proc/$!/oom_score_adj && break; sleep 0.02
      done
      grep -qx imulog /proc/$!/comm && cat /proc/$!/oom_score_adj
      sed -n 's/Max \\(data\\|file\\) size *\\([0-9]*\\) .*/\\2/p' /proc/$!/limits
      sed -n 's/MemTotal: *\\([0-9]*\\) .*/\\1/p' /proc/meminfo
      stat -f -c '%a*%S' fleet
      kill $!
      """
    ).expect(0)
    #expect(bench.hub.run("hub-derivation", "--", "0", "fleet").status == 64)
    let numbers = outcome.output.split { $0 == "\n" || $0 == "*" }.compactMap { UInt64($0) }
    try #require(numbers.count == 6, "\(outcome.output)")
    #expect(numbers[0] == 1000)
    #expect(numbers[1] <= numbers[4] * numbers[5] / 16 * 9, "\(numbers)")
    #expect(numbers[2] == min(numbers[3] * 512, 4 << 30), "\(numbers)")
  }

  @Test("a recording that is twice in a store is named, derived once, and no reason to write again")
  func twice() throws {
    _ = try bench.roundOfOne(recordings: 1)
    let name = try #require(bench.recordings(in: "fleet/logs/pump-1").first)
    let copy = "000009" + name.dropFirst(6)
    #expect(bench.hub.shell("cd fleet/logs/pump-1 && cp \(name) \(copy)").status == 0)
    bench.expectSentences(bench.round(), "recording 9: it has the UUID of recording 1")
    let before = bench.inventory()
    bench.expectSentences(bench.round(), "recording 9: it has the UUID of recording 1")
    #expect(bench.inventory() == before)
    #expect(bench.contents(of: "samples").count == 1)
  }

  @Test("verify says that all agrees, what does not, and where there is no hub")
  func verification() throws {
    _ = try bench.roundOfOne(recordings: 1)
    let right = bench.hub.run("hub", "verify", "fleet").expect(0)
    #expect(right.output == "1 recording of 1 host: logs, derived files and tables agree\n")
    bench.hub.shell("mv fleet/logs/pump-1 away").expect(0)
    let missing = bench.hub.run("hub", "verify", "fleet").expect(
      65, "its store fleet/logs/pump-1 is missing")
    #expect(!missing.talk.contains("delete it"))
    bench.hub.shell("mv away fleet/logs/pump-1").expect(0)
    bench.hub.directory.change("fleet/ledger/pump-1") { $0.insert(UInt8(ascii: "x"), at: 0) }
    bench.expectFinding("damaged lines in fleet/ledger/pump-1: 1")
    bench.hub.refuses("hub verify nowhere", 66, "there is no hub at nowhere")
  }

  @Test(
    "a directory that is no hub, a later hub and one in use are refused, and nothing is written")
  func directories() throws {
    try bench.machine("one").record("--for", "1s")
    bench.hosts("pump-1 = one\n")
    bench.hub.refuses("hub one --hosts hosts", 64, "is not a hub")
    bench.hub.refuses("hub hosts --hosts hosts", 64, "is not a hub")
    bench.hub.refuses("hub fleet", 66, "there is no host file fleet/hosts")
    #expect(bench.round().status == 0)
    let held = open("\(bench.hub.directory.path)/fleet/.hub", O_RDONLY | O_CLOEXEC)
    #expect(flock(held, LOCK_EX) == 0)
    expectSentence(bench.round(), 75, ["works on the hub at fleet: wait until it has ended"])
    close(held)
    for verb in ["record --for 1s --board simulator", "info 1", "verify 1", "serve"] {
      bench.hub.refuses(
        "--store fleet \(verb)", 64,
        "fleet is a hub with a store for each host; name one with --store fleet/logs/HOST")
    }
    bench.hub.directory.write(Array("imulog-hub 2\n".utf8), to: "fleet/.hub")
    expectSentence(bench.round(), 78, ["of version imulog-hub 2"])
  }

  @Test(
    "a host that is not in the host file any more keeps its tables, and loses what is removed of it"
  )
  func unlisted() throws {
    let one = bench.machine("one")
    for _ in 1...2 { try one.record("--for", "1s") }
    try bench.machine("two").record("--for", "1s")
    bench.hosts("a = one site=bergen\nb = two\n")
    #expect(bench.round().status == 0)
    let table = bench.contents(of: "recordings/host=a")
    bench.hosts("b = two\n")
    #expect(bench.round().status == 0)
    // With the labels of the line that it had.
    #expect(bench.contents(of: "recordings/host=a") == table)
    #expect(bench.logs(of: "a").run("rm", "1").status == 0)
    #expect(bench.round().status == 0)
    #expect(bench.contents(of: "samples/host=a").count == 1)
    let before = bench.tables()
    #expect(bench.hub.run(["hub", "verify", "fleet"]).status == 0)
    // Without a store too, nothing can verify them any more.
    #expect(bench.hub.shell("cp -r fleet kept && rm -r fleet/logs/a").status == 0)
    bench.round().expect(0, "a: it has neither a line in the host file nor a store here")
    #expect(bench.tables().joined().allSatisfy { $0.key.contains("host=b/") })
    #expect(bench.round().talk.isEmpty)
    #expect(bench.hub.run(["hub", "verify", "fleet"]).status == 0)
    // A store whose disk is back has its tables and labels again.
    #expect(bench.hub.shell("mv kept/logs/a fleet/logs/a && rm -r kept").status == 0)
    #expect(bench.round().status == 0)
    #expect(bench.tables() == before)
    // The same machine under a new name: nothing is wrong, and nothing is twice.
    bench.hosts("b = two\nc = one\n")
    #expect(bench.round().status == 0)
    #expect(bench.contents(of: "samples").count == 3)
  }

  @Test("a header with the largest scale that a log may have ends no round and no page")
  func hugeScale() throws {
    let one = bench.machine("one")
    try one.record("--for", "1s")
    for (number, scale) in [Fraction(60_000_000_000, 1), Fraction(1, 60_000_000_000)].enumerated() {
      var description = ExampleLog.description(UInt64(number) + 2)
      description.sensor.accelerometerScale = scale
      description.sensor.gyroscopeScale = scale
      let log = try ExampleLog(ticks: 400, seed: 3, description: description)
      bench.hub.directory.write(
        log.bytes,
        to: "one/00000\(number + 2)-20261121T023807Z-\("\(log.description.id)".prefix(8)).imulog")
    }
    bench.hosts("one = one\n")
    bench.round("--page", "fleet.html").expect(0)
    #expect(bench.contents(of: "features").count == 3)
    #expect(bench.hub.run(["hub", "verify", "fleet"]).status == 0)
  }

  @Test(
    "a pipe or a link in place of a file of the tables is replaced by the file",
    arguments: ["mkfifo", "ln -s /dev/null"])
  func replaced(_ command: String) throws {
    _ = try bench.roundOfOne(recordings: 1)
    let right = bench.tables()
    for place in right.flatMap({ $0.keys }) {
      bench.hub.shell("cd fleet && rm '\(place)' && \(command) '\(place)'").expect(0)
      bench.round().expect(0)
      #expect(bench.tables() == right, "\(place)")
    }
  }

  @Test("verify advises a round, and deletes nothing, where a recording has a part of its files")
  func unfinished() throws {
    _ = try bench.roundOfOne(recordings: 1)
    // Directories among the files that are being made stop nothing.
    #expect(bench.hub.shell("mkdir fleet/.work/lost+found").status == 0)
    // As of a hub that was killed when it had made the files and no line said so.
    let making = bench.text(of: "rows/pump-1").prefix { $0 != "\n" } + "\n"
    #expect(making.contains("making "))
    bench.hub.directory.write(Array(making.utf8), to: "fleet/rows/pump-1")
    let outcome = bench.hub.run("hub", "verify", "fleet").expect(
      65, "recording 1 has no derived files yet: run a round")
    #expect(
      !outcome.talk.contains("/samples/") && !outcome.talk.contains("/features/"), "\(outcome.talk)"
    )
    #expect(bench.round().status == 0)
    #expect(bench.hub.run("hub", "verify", "fleet").status == 0)
  }
}
