// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite(
  "A hub over OpenSSH", .waitsForPrograms, .timeLimit(.minutes(60)),
  .enabled(if: SSHDaemon.obstacle == nil, "no OpenSSH here: apt-get install openssh-server"))
struct HubOpenSSHTests {
  @Test(
    "the ledger has the key of the machine that sent a recording; one with another key is named, and sends nothing"
  )
  func hostKey() throws {
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
    let ledger = String(decoding: folder.bytes(of: "fleet/ledger/pump-1"), as: UTF8.self)
    #expect(ledger.hasSuffix(" reader \(key)\n"), "\(ledger)")
    try sshd.bench.record("--for", "1s")
    let known = String(decoding: folder.bytes(of: "known"), as: UTF8.self)
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
