// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("Setting up a fleet", .waitsForPrograms, .timeLimit(.minutes(60)))
struct HubSetupTests {
  private let bench = FleetBench()

  private func add(_ words: String...) -> Outcome {
    bench.hub.run(["hub", "add", "fleet", "--hosts", "hosts"] + words)
  }

  private func hosts() -> String { bench.hub.directory.text(of: "hosts") }

  @Test("add writes the host's line once, and says what it found")
  func add() throws {
    try bench.machine("one").record("--for", "1s")
    let first = add("pump-7", "pi@one", "site=bergen")
    #expect(hosts() == "pump-7 = pi@one site=bergen\n")
    #expect(first.talk.contains("added to hosts: pump-7 = pi@one site=bergen"))
    for words in [
      "ok       ssh connects to pi@one", "ok       the key reads recordings and frees none",
      "ok       its store has 1 recording\n", "ok       its imulog is version 0.1.0",
      "its clock is this machine's", "are free for its store",
      "advice   no service of imulog answers there",
    ] {
      #expect(first.output.contains(words), "\(words): \(first.output)")
    }
    // What doctor finds wrong on this machine, it finds there.
    let faults = try bench.hub.run(["doctor", "--json"]).json()["checks"].items.filter {
      $0["state"] == .string("wrong")
    }
    #expect(
      first.output.split(separator: "\n").filter { $0.hasPrefix("wrong    doctor, ") }.count
        == faults.count)
    #expect(first.status == (faults.isEmpty ? 0 : 78))
    let second = add("pump-7").expect(first.status)
    #expect(hosts() == "pump-7 = pi@one site=bergen\n")
    #expect(!second.talk.contains("added"))
    #expect(bench.round().status == 0)
  }

  @Test("what is missing is said in a sentence, and the line stays")
  func missing() throws {
    bench.hosts("# pumps\npump-1 = one")
    let outcome = add("pump-2", "two").expect(69)
    #expect(
      outcome.output.contains("wrong    cannot connect to two: ssh: Could not resolve hostname two")
    )
    #expect(hosts() == "# pumps\npump-1 = one\npump-2 = two\n")
  }

  @Test("a line that could not be used is not written")
  func refused() {
    bench.hosts("pump-1 = one\n")
    #expect(add("Pump_1", "one").status == 64)
    #expect(add("pump-2", "-oProxyCommand=x").status == 64)
    #expect(add("pump-2", "two", "site").status == 64)
    add("pump-1", "two").expect(
      78, "hosts:1: pump-1 is there already, with another destination or other labels")
    #expect(add("pump-1", "one", "site=bergen").status == 78)
    // A destination that another line has would be refused by each round.
    add("pump-2", "one").expect(78, "hosts:2: ")
    for words in [
      ["pump-2", "two\n# x"], ["x # = ", "two"], ["pump-2", "two", "# x"], ["", "two"],
    ] {
      #expect(
        bench.hub.run(["hub", "add", "fleet", "--hosts", "hosts"] + words).status == 64, "\(words)")
    }
    #expect(hosts() == "pump-1 = one\n")
    // Nor is a hub made for it.
    #expect(bench.hub.run(["hub", "add", "new", "Pump_1", "one"]).status == 64)
    #expect(bench.hub.directory.names(in: "new").isEmpty)
  }

  @Test("install --hub writes a service that runs a round, and the timer that starts it")
  func units() {
    let path = bench.hub.directory.path
    let outcome = bench.hub.run(["install", "--hub", "--root", "\(path)/card"]).expect(0)
    func text(_ name: String) -> String { bench.hub.directory.text(of: "card/etc/\(name)") }
    let unit = text("systemd/system/imulog-hub.service")
    #expect(unit.contains("\nExecStart=/usr/local/bin/imulog hub /var/lib/imulog-hub/fleet\n"))
    #expect(unit.contains("\nUser=imulog-hub\n"))
    #expect(text("systemd/system/imulog-hub.timer").contains("\nOnUnitInactiveSec=1min\n"))
    #expect(text("sysusers.d/imulog-hub.conf").contains("u     imulog-hub"))
    #expect(outcome.output.contains("systemctl enable --now imulog-hub.timer"))
    let analyze = "/usr/bin/systemd-analyze"
    guard access(analyze, X_OK) == 0 else { return }
    // The program is not there; nothing else may be wrong with the units.
    let verified = bench.hub.shell(
      "cd card/etc/systemd/system && \(analyze) verify --man=no ./imulog-hub.service ./imulog-hub.timer 2>&1 | grep imulog-hub | grep -v 'is not executable'"
    )
    #expect(verified.output.isEmpty, "\(verified.output)")
  }

  /// Runs a shell whose users are those of these lines of passwd(5).
  private func shell(_ users: String, _ line: String) -> Outcome {
    bench.hub.directory.write(Array("root:x:0:0::/root:/bin/sh\n\(users)".utf8), to: "passwd")
    return Child(
      ["-m", "/bin/sh", "-c", "mount --bind passwd /etc/passwd && \(line)"],
      environment: bench.hub.environment, directory: bench.hub.directory.path, stdout: nil,
      program: "/usr/bin/unshare"
    ).outcome()
  }

  @Test(
    "install --hub-key puts a key's line into its user's authorized_keys once, with that user's rights",
    .enabled(if: areUsersPossible, "needs root, and file systems of its own"))
  func key() throws {
    let folder = bench.hub.directory
    let path = folder.path
    bench.hub.shell(
      "for t in ed25519 ecdsa rsa; do ssh-keygen -q -t $t -N '' -C hub -f $t || exit; done; mkdir home; chown 4001:4001 home; chmod 755 . home"
    ).expect(0)
    let pi =
      "pi:x:4001:4001::\(path)/home:/bin/sh\nno:x:4002:4002::\(path)/home:/usr/sbin/nologin\n"
    func install(_ words: String) -> Outcome {
      shell(pi, "exec \(Child.program) --store /srv/imu install \(words)")
    }
    let key = bench.hub.shell("cat ed25519.pub").lines[0]
    #expect(install("--hub-key ed25519.pub --user pi").status == 0)
    #expect(keyLines.count == 1)
    let line = try #require(keyLines.first)
    #expect(line.hasPrefix("restrict,command=\""))
    #expect(line.hasSuffix(" --store /srv/imu serve\" \(key)"), "\(line)")
    var status = stat()
    #expect(stat("\(path)/home/.ssh/authorized_keys", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(status.st_uid == 4001)
    // Again, and for sudo's user: once. With another right: the line is replaced.
    #expect(install("--hub-key ed25519.pub --user pi").talk.contains("has the line already"))
    shell(
      pi,
      "SUDO_USER=pi exec \(Child.program) --store /srv/imu install --hub-key ed25519.pub --allow-delete"
    ).expect(0)
    #expect(keyLines.count == 1)
    #expect(keyLines[0].contains(" serve --allow-delete\" "))
    for type in ["ecdsa", "rsa"] { #expect(install("--hub-key \(type).pub --user pi").status == 0) }
    #expect(keyLines.count == 3)
    // A key that logs in is not taken for the hub's.
    bench.hub.shell(
      "ssh-keygen -q -t ed25519 -N '' -f own && cat own.pub >> home/.ssh/authorized_keys"
    ).expect(0)
    install("--hub-key own.pub --user pi").expect(
      78, "authorized_keys:4 has this key with other rights")
    #expect(keyLines.count == 4)
    // Lines that imulog did not write stay, whatever ends them.
    for line in [
      "from=\"10.0.0.5\",restrict,command=\"/usr/bin/imulog --store /s serve\" \(key)",
      "restrict,command=\"/usr/bin/borg --store /s serve\" \(key)", "command=\"x serve\" \(key)",
    ] {
      folder.write(Array("ssh-rsa AAAA owner\r\n\(line)\r\n".utf8), to: "home/.ssh/authorized_keys")
      #expect(install("--hub-key ed25519.pub --user pi").status == 78, "\(line)")
      #expect(keyLines.count == 2)
    }
    folder.write(
      Array(
        "ssh-rsa AAAA owner\r\nrestrict,command=\"/a/imulog --store /s serve\" \(key)\r\n".utf8),
      to: "home/.ssh/authorized_keys")
    #expect(install("--hub-key ed25519.pub --user pi").status == 0)
    #expect(folder.text(of: "home/.ssh/authorized_keys") == "ssh-rsa AAAA owner\r\n\(line)\n")
    // A link leads nowhere that its owner may not write.
    bench.hub.shell(
      "mv home/.ssh/authorized_keys kept; echo secret > other; ln -s \(path)/other home/.ssh/authorized_keys"
    ).expect(0)
    #expect(install("--hub-key ed25519.pub --user pi").status == 77)
    #expect(bench.hub.directory.bytes(of: "other") == Array("secret\n".utf8))
    #expect(install("--hub-key ed25519.pub --user no").status == 78)
    #expect(install("--hub-key ed25519.pub --user who").status == 66)
  }

  private static var areUsersPossible: Bool { SmallDisk.isPossible && OtherUser.isPossible }

  /// A key, and the home directory of the user pi, 4001.
  private func pi() -> String {
    bench.hub.shell(
      "ssh-keygen -q -t ed25519 -N '' -C hub -f key && mkdir home && chown 4001:4001 home && chmod 755 . home"
    ).expect(0)
    return "pi:x:4001:4001::\(bench.hub.directory.path)/home:/bin/sh\n"
  }

  private var keyLines: [Substring] {
    bench.hub.directory.text(of: "home/.ssh/authorized_keys").split(whereSeparator: \.isNewline)
  }

  @Test(
    "without --store a key reads the service's store: IMULOG_STORE, that of the configuration, or the usual one",
    .enabled(if: areUsersPossible, "needs root, and file systems of its own"))
  func storeOfKey() {
    let pi = pi()
    func install(_ configuration: String?, _ word: String = "") -> Outcome {
      let write = configuration.map {
        "mkdir -p /etc/imulog && printf '\($0)' > /etc/imulog/imulog.conf"
      }
      return shell(
        pi,
        "rm -rf etc && cp -a /etc etc && mount --bind etc /etc && rm -f /etc/imulog/imulog.conf && \(write ?? ":")"
          + " && exec env -u IMULOG_STORE \(word) \(Child.program) install --hub-key key.pub --user pi --print"
      )
    }
    for (configuration, word, store) in [
      (nil, "", "/var/lib/imulog/recordings"), ("rate = 50\\n", "", "/var/lib/imulog/recordings"),
      ("store = /mnt/usb/imu\\n", "", "/mnt/usb/imu"),
      ("store = /mnt/usb/imu\\n", "IMULOG_STORE=/srv/imu", "/srv/imu"),
    ] as [(String?, String, String)] {
      let outcome = install(configuration, word)
      #expect(outcome.output.contains(" --store \(store) serve\""), "\(outcome)")
    }
    expectSentence(install("stroe = /mnt\\n"), 78, ["imulog.conf:1", "stroe"])
  }

  @Test(
    "who runs the program is meant, and not who ran sudo -u for it",
    .enabled(if: areUsersPossible, "needs root, and file systems of its own"))
  func sudoUser() {
    shell(
      pi(),
      "SUDO_USER=root exec setpriv --reuid=4001 --regid=4001 --clear-groups \(Child.program) --store /srv/imu install --hub-key key.pub"
    ).expect(0)
    #expect(keyLines.count == 1)
  }

  @Test(
    "installs at the same time lose no line of each other's",
    .enabled(if: areUsersPossible, "needs root, and file systems of its own"))
  func keysAtOnce() {
    let keys = 1...8
    let pi = pi()
    let outcome = shell(
      pi,
      "for k in \(keys.map { "\($0)" }.joined(separator: " ")); do ssh-keygen -q -t ed25519 -N '' -C hub$k -f k$k || exit; done; "
        + "for k in k?.pub; do \(Child.program) --store /srv/imu install --hub-key $k --user pi & done; wait"
    )
    #expect(outcome.status == 0, "\(outcome.talk)")
    #expect(keyLines.map { String($0.suffix(4)) }.sorted() == keys.map { "hub\($0)" })
  }

  @Test(
    "a key that sshd would refuse, because others may write its file or a directory above it, is said with the remedy",
    .enabled(if: areUsersPossible, "needs root, and file systems of its own"))
  func openToOthers() {
    let pi = pi()
    func install() -> Outcome {
      shell(pi, "exec \(Child.program) --store /srv/imu install --hub-key key.pub --user pi")
    }
    #expect(install().status == 0)
    for (place, mode) in [
      ("home", "757"), ("home", "775"), ("home/.ssh", "702"), ("home/.ssh/authorized_keys", "620"),
    ] {
      let kept = bench.hub.shell("stat -c %a \(place) && chmod \(mode) \(place)").lines[0]
      let path = bench.hub.directory.path + "/" + place
      install().expect(
        78, "sshd takes no key of pi, because others may write to \(path): `chmod go-w \(path)`")
      #expect(bench.hub.shell("chmod \(kept) \(place)").status == 0)
      #expect(install().status == 0)
    }
    #expect(bench.hub.shell("chown 4002 home").status == 0)
    install().expect(78, "home belongs to another user")
    // The line is written at the first time, too, and only the rights are missing.
    #expect(bench.hub.shell("chown 4001 home && chmod 777 home && rm -r home/.ssh").status == 0)
    #expect(install().status == 78)
    #expect(keyLines.count == 1)
  }

  @Test("a file that is no public key is refused, and says what is wrong")
  func badKeys() {
    let directory = bench.hub.directory
    #expect(bench.hub.shell("ssh-keygen -q -t ed25519 -N '' -f key").status == 0)
    let key = directory.text(of: "key.pub")
    for (name, text, words) in [
      ("cut", String(key.prefix(60)), "cut or changed"),
      ("changed", key.replacing("AAAAC", with: "AAAAD"), "cut or changed"),
      ("empty", "", "0 lines"), ("two", key + key, "2 lines"),
      ("options", "no-pty " + key, "no public key that ssh knows"),
      ("type", key.replacing("ssh-ed25519", with: "ssh-rsa"), "cut or changed"),
      ("long", String(repeating: "x", count: 20_000), "too long"),
    ] {
      directory.write(Array(text.utf8), to: name)
      bench.hub.refuses("install --hub-key \(name) --print", 65, name, words)
    }
    bench.hub.refuses("install --hub-key key --print", 65, "private key")
    bench.hub.refuses("install --hub-key none --print", 66, "none")
    for words in [["--user", "pi"], ["--allow-delete"], ["--hub", "--hub-key", "key.pub"]] {
      #expect(bench.hub.run(["install"] + words).status == 64)
    }
  }
}
