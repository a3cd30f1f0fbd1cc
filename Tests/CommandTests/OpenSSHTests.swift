// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing
import TestSupport

/// Pull, serve and hub with the real OpenSSH.
@Suite(
  "Over OpenSSH", .waitsForPrograms, .timeLimit(.minutes(60)),
  .enabled(if: SSHDaemon.obstacle == nil, "no OpenSSH here: apt-get install openssh-server"))
struct OpenSSHTests {
  @Test(
    "a normal login lists and exports, and a reader that closes its pipe ends the export quietly")
  func plain() throws {
    let sshd = try SSHDaemon()
    try sshd.bench.record("--for", "60s", "--rate", "200", "--note", "over ssh")
    #expect(sshd.ssh("owner", "imulog", "list").bytes == sshd.bench.run("list").bytes)
    for format in ["json", "csv", "raw"] {
      let direct = sshd.bench.run("export", "1", "--format", format)
      let remote = sshd.ssh("owner", "imulog", "export", "latest", "--format", format).expect(0)
      expectSame(remote.bytes, direct.bytes)
      #expect(remote.talk.isEmpty)
    }
    let head = sshd.shell("$SSH owner imulog export 1 --format csv | head -n 1").expect(0)
    #expect(head.output == "t_ns,ax,ay,az,gx,gy,gz,temp\n")
    #expect(head.talk.isEmpty, "\(head.talk)")
    // A pull survives connections that are cut.
    try sshd.bench.record("--motion", "tumble", "--for", "25s", "--rate", "1000")
    let log = try RemoteBench.log(sshd.bench)
    var laptop = Bench()
    let counts = [1000, log.count / 3, log.count / 4, 5000]
    _ = laptop.file("cuts", counts.map { "\($0)\n" }.joined())
    laptop.environment["IMULOG_SSH"] = laptop.directory.script(
      "ssh",
      """
      #!/bin/sh
      count=$(head -n 1 cuts)
      sed -i 1d cuts
      [ -n "$count" ] || exec \(SSHDaemon.client) -F \(sshd.clientConfiguration) "$@"
      \(SSHDaemon.client) -F \(sshd.clientConfiguration) "$@" | { stdbuf -o0 head -c "$count"; kill -9 $$; }
      """)
    laptop.run("pull", "reader", "2").expect(0)
    #expect(laptop.directory.bytes(of: "cuts").isEmpty)
    #expect(try RemoteBench.log(laptop) == log)
  }

  @Test("a restricted key can read and pull, and nothing else; a second pull fetches nothing")
  func restricted() throws {
    let sshd = try SSHDaemon()
    try sshd.bench.record("--for", "5s")
    let before = sshd.bench.inventory()
    #expect(sshd.ssh("reader", "list").bytes == sshd.bench.run("list").bytes)
    #expect(
      sshd.ssh("reader", "imulog", "export", "1").bytes == sshd.bench.run("export", "1").bytes)
    #expect(sshd.ssh("reader").output.contains("export ID"))
    let refused: [(String, Int32)] = [
      ("imulog rm 1", 77), ("list; id", 64), ("list\nid", 64), ("$(id)", 64),
      ("cat \(sshd.bench.directory.path)/host", 64), ("verify /etc/passwd", 77), ("bash", 64),
      ("export 1 -o /tmp/x", 77), ("--store / list", 77), ("scp -f /etc/passwd", 64), ("'", 64),
    ]
    for (request, status) in refused {
      let outcome = sshd.ssh("reader", request)
      #expect(outcome.status == status, "\(request): \(outcome.talk)")
      #expect(outcome.bytes.isEmpty)
    }
    #expect(sshd.journal.count { $0.contains(" from 127.0.0.1: ") } == refused.count)
    // A subsystem, a forwarding, an agent, a terminal.
    #expect(sshd.ssh("reader", "sftp", options: ["-s"]).status == 64)
    #expect(sshd.ssh("reader", options: ["-W", "127.0.0.1:1"]).status == 255)
    let terminal = sshd.ssh("reader", "list", options: ["-tt"])
    #expect(terminal.talk.contains("PTY allocation request failed"))
    for host in ["owner", "reader"] {
      let laptop = Bench()
      laptop.run("pull", host, "-F", sshd.clientConfiguration).expect(0)
      #expect(laptop.recordings == sshd.bench.recordings)
      #expect(try RemoteBench.log(laptop) == RemoteBench.log(sshd.bench))
      let again = laptop.run("pull", host, "-F", sshd.clientConfiguration, "--json").expect(0)
      #expect(try again.json()["hosts"][0]["received_bytes"] == .integer(0))
    }
    #expect(sshd.bench.inventory() == before)
  }

  @Test("an unreachable host has ssh's own message, an unknown and a changed key their remedies")
  func hostKeys() throws {
    let sshd = try SSHDaemon()
    let laptop = Bench()
    laptop.run(
      "pull", "reader", "-F", sshd.clientConfiguration, "-p", "1", "-o", "ConnectTimeout=5"
    ).expect(69, "cannot connect to reader: ssh: connect to host 127.0.0.1 port 1")
    laptop.run(
      "pull", "reader", "-F", sshd.clientConfiguration, "-o", "UserKnownHostsFile=/dev/null"
    ).expect(69, "ssh does not know the host key of reader", "compare the fingerprint")
    // The server's address, with another server's key.
    let place = sshd.bench.directory.text(of: "known").split(separator: " ")[0]
    let other = sshd.bench.directory.text(of: "owner.pub")
    let known = laptop.file("known", "\(place) \(other)")
    laptop.run(
      "pull", "reader", "-F", sshd.clientConfiguration, "-o", "UserKnownHostsFile=\(known)"
    ).expect(
      69, "the host key of reader is not the one that ssh knows", "delete the line \(known):1")
  }

  @Test(
    "the ledger has the key of the machine that sent a recording; one with another key is named, and sends nothing"
  )
  func ofHub() throws {
    let sshd = try SSHDaemon()
    let folder = sshd.bench.directory
    try sshd.bench.record("--for", "1s")
    _ = sshd.bench.file("hosts", "pump-1 = reader\n")
    func round() -> Outcome {
      sshd.bench.run(["hub", "fleet", "--hosts", "hosts", "-F", sshd.clientConfiguration])
    }
    let first = round().expect(0)
    // What ssh writes beside it stays with the hub.
    #expect(!first.talk.contains("fingerprint"), "\(first.talk)")
    let shown = sshd.shell("ssh-keygen -lf host.pub").output.split(separator: " ")
    let key = try #require(shown.first { $0.hasPrefix("SHA256:") })
    let ledger = folder.text(of: "fleet/ledger/pump-1")
    #expect(ledger.hasSuffix(" reader \(key)\n"), "\(ledger)")
    try sshd.bench.record("--for", "1s")
    let known = folder.text(of: "known")
    let other = sshd.shell("ssh-keygen -q -t ed25519 -N '' -f other && cut -d ' ' -f 1,2 other.pub")
    let place = known.prefix { $0 != " " }
    _ = sshd.bench.file("known", "\(place) \(other.output)")
    round().expect(69, "the host key of reader is not the one that ssh knows")
    #expect(folder.names(in: "fleet/logs/pump-1").filter { $0.hasSuffix(".imulog") }.count == 1)
    let status = try sshd.bench.run(["hub", "status", "fleet", "--hosts", "hosts", "--json"]).json()
    #expect(status["hosts"][0]["problem"].text?.contains("is not the one that ssh knows") == true)
    _ = sshd.bench.file("known", known)
    #expect(round().status == 0)
    #expect(
      sshd.bench.run([
        "hub", "add", "fleet", "--hosts", "hosts", "-F", sshd.clientConfiguration, "pump-1",
      ]).output.contains("ok       its store has 2 recordings"))
  }
}
