// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("imulog install", .waitsForPrograms)
struct InstallTests {
  private let bench = Bench()
  private static let paths = [
    "/etc/systemd/system/imulog.service", "/etc/udev/rules.d/60-imulog.rules",
    "/etc/sysusers.d/imulog.conf", "/etc/modules-load.d/imulog.conf", "/etc/imulog/imulog.conf",
  ]

  /// The output of `--print` for each file.
  private func printed() -> [String: String] {
    let outcome = bench.run("install", "--print", "--root", bench.directory.path + "/card").expect(
      0)
    var texts: [String: String] = [:]
    var path = ""
    for line in outcome.output.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("==> ") {
        path = String(line.dropFirst(4))
        texts[path] = ""
      } else {
        texts[path, default: ""] += line + "\n"
      }
    }
    return texts
  }

  @Test(
    "writes below the root the files that it prints, and the next steps; a configuration is kept")
  func root() throws {
    let texts = printed()
    #expect(texts.keys.sorted() == InstallTests.paths.sorted())
    let outcome = bench.run("install", "--root", bench.directory.path + "/card").expect(0)
    for path in InstallTests.paths {
      #expect(outcome.talk.contains("wrote \(bench.directory.path)/card\(path)\n"))
      let written = bench.directory.text(of: "card" + path)
      // The printed form has one more line feed.
      #expect(written + "\n" == texts[path] || written + "\n\n" == texts[path], "\(path)")
      // Readable by systemd, udev and the service's user, regardless of the umask.
      var status = stat()
      #expect(stat(bench.directory.path + "/card" + path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o644)
    }
    #expect(outcome.lines.contains { $0.hasPrefix("sudo systemctl enable --now imulog") })
    // The service may limit the processors' sleep, and use no other such device.
    let rules = texts["/etc/udev/rules.d/60-imulog.rules"] ?? ""
    #expect(rules.contains("KERNEL==\"cpu_dma_latency\", GROUP=\"imulog\", MODE=\"0660\"\n"))
    let unit = texts["/etc/systemd/system/imulog.service"] ?? ""
    // Group members may remove recordings, and pull may free them: SharedStoreTests tests the effect.
    for line in [
      "StartLimitIntervalSec=0", "RestartPreventExitStatus=64 78", "DevicePolicy=closed",
      "DeviceAllow=/dev/cpu_dma_latency w", "UMask=0007",
      "StateDirectory=imulog/recordings", "StateDirectoryMode=2770",
      "Environment=IMULOG_STORE=/var/lib/imulog/recordings",
      "CapabilityBoundingSet=CAP_LEASE", "AmbientCapabilities=CAP_LEASE",
    ] { #expect(unit.contains("\n\(line)\n"), "\(line)") }
    #expect(bench.directory.names(in: "card/etc/imulog") == ["imulog.conf"])
    var status = stat()
    #expect(stat(bench.directory.path + "/card/etc/imulog", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o755)
    // An existing configuration is kept, and the other files are replaced.
    _ = bench.file("card/etc/imulog/imulog.conf", "rate = 50\n")
    _ = bench.file("card/etc/systemd/system/imulog.service", "old\n")
    bench.run("install", "--root", bench.directory.path + "/card").expect(
      0, "card/etc/imulog/imulog.conf exists already and is kept\n")
    #expect(bench.directory.text(of: "card/etc/imulog/imulog.conf") == "rate = 50\n")
    #expect(
      bench.directory.text(of: "card/etc/systemd/system/imulog.service").hasPrefix("[Unit]\n"))
  }

  @Test(
    "the configuration that it writes is valid, and a card's unit starts the program on that card")
  func usable() throws {
    let card = bench.directory.path + "/card"
    let outcome = bench.run("install", "--root", card).expect(0)
    let unit = try text(at: card + "/etc/systemd/system/imulog.service")
    #expect(unit.contains("\nExecStart=/usr/local/bin/imulog daemon\n"))
    #expect(outcome.talk.contains("\(Child.products)/imulog \(card)/usr/local/bin/imulog"))
    // The unknown key at the end is the reported error, so the rest is valid.
    let path = bench.file(
      "longer.conf", try text(at: card + "/etc/imulog/imulog.conf") + "unknown-key = 1\n")
    bench.refuses("daemon --config \(path) --socket control", 78, path, "unknown-key")
  }

  @Test(
    "a program that the service cannot see is reported with the command that installs it")
  func hidden() throws {
    // The service has a /tmp of its own.
    let folder = "/tmp/imulog-install-\(getpid())"
    #expect(mkdir(folder, 0o755) == 0)
    defer {
      unlink(folder + "/imulog")
      rmdir(folder)
    }
    // Copied by a shell: programs that other tests start now would inherit this process's open file.
    let outcome = bench.shell(
      "cp \(Child.program) \(folder) && exec \(folder)/imulog install --print"
    ).expect(0)
    #expect(outcome.output.contains("\nExecStart=/usr/local/bin/imulog daemon\n"))
    #expect(outcome.talk.contains("sudo install -m 755 \(folder)/imulog /usr/local/bin/imulog"))
  }

  @Test("a root that is not writable is refused in a sentence")
  func refused() {
    let path = bench.file("file", "no directory")
    let outcome = bench.run("install", "--root", path)
    expectSentence(outcome, 73, ["cannot make", path])
    #expect(!outcome.talk.contains("sudo"), "root cannot either")
  }

  @Test("writes the timer of the configuration's calendar, and removes it with the calendar")
  func calendar() throws {
    let card = bench.directory.path + "/card"
    let folder = "card/etc/systemd/system"
    #expect(bench.run("install", "--root", card).status == 0)
    #expect(bench.directory.names(in: folder) == ["imulog.service"])
    _ = bench.file("card/etc/imulog/imulog.conf", "calendar = Mon..Fri 08:00\n")
    let outcome = bench.run("install", "--root", card).expect(0)
    #expect(outcome.lines.last?.contains("enable --now imulog-calendar.timer") == true)
    #expect(
      bench.directory.names(in: folder).sorted() == [
        "imulog-calendar.service", "imulog-calendar.timer", "imulog.service",
      ])
    let timer = try text(at: card + "/etc/systemd/system/imulog-calendar.timer")
    #expect(timer.contains("\n[Timer]\nOnCalendar=Mon..Fri 08:00\n"))
    let unit = try text(at: card + "/etc/systemd/system/imulog-calendar.service")
    #expect(unit.contains("\nExecStart=/usr/local/bin/imulog start --calendar\n"))
    // A start that the service refuses, because it records already.
    #expect(unit.contains("\nSuccessExitStatus=75\n"))
    #expect(
      bench.run("install", "--print", "--root", card).output.contains("imulog-calendar.timer"))
    // systemd, where it is, finds nothing wrong in them.
    _ = bench.shell(
      "cp card/etc/systemd/system/* . && sed -i s,/usr/local/bin/imulog,/bin/true, *.service")
    bench.shell(
      "command -v systemd-analyze >/dev/null || exit 0; "
        + "exec systemd-analyze verify --man=no ./imulog-calendar.timer ./imulog-calendar.service"
    ).expect(0)

    _ = bench.file("card/etc/imulog/imulog.conf", "calendar = none\n")
    let without = bench.run("install", "--root", card).expect(
      0, "removed \(card)/etc/systemd/system/imulog-calendar.timer\n")
    #expect(without.lines.last?.contains("stop imulog-calendar.timer") == true)
    #expect(bench.directory.names(in: folder) == ["imulog.service"])
  }

  @Test(
    "a wrong configuration, or a calendar that systemd does not understand, is refused before anything is written"
  )
  func wrongCalendar() {
    _ = bench.shell("mkdir -p card/etc/imulog")
    func expectRefusal(of calendar: String, _ place: String, _ words: String) {
      _ = bench.file("card/etc/imulog/imulog.conf", "calendar = \(calendar)\n")
      bench.refuses("install --root card", 78, "\(place): calendar = \(calendar)", words)
    }
    expectRefusal(of: "$(x)", "imulog.conf:1", "Mon..Fri 08:00")
    if bench.shell("command -v systemd-analyze").status == 0 {
      expectRefusal(of: "Mon..Xyz 08:00", "imulog.conf", "systemd does not understand it")
      expectRefusal(of: "2020-01-01 00:00", "imulog.conf", "no time that is still to come")
      expectRefusal(of: "*-02-30 00:00", "imulog.conf", "no time that is still to come")
    }
    #expect(bench.directory.names(in: "card/etc") == ["imulog"])
  }

  @Test("a systemd that does not answer is ended after 5 s, and nothing is written")
  func silentSystemd() {
    let card = bench.directory.path + "/card"
    _ = bench.shell("mkdir -p bin card/etc/imulog")
    bench.directory.write(Array("calendar = daily\n".utf8), to: "card/etc/imulog/imulog.conf")
    let outcome = bench.shell(
      // Written by the shell: a program started by another test would hold this one's file open.
      "printf '#!/bin/sh\\nsleep 60\\n' > bin/systemd-analyze && chmod 755 bin/systemd-analyze && PATH=$PWD/bin:$PATH exec \(Child.program) install --root \(card)"
    )
    expectSentence(
      outcome, 75, ["imulog.conf: calendar = daily", "did not end within 5 s", "try it by hand"])
    #expect(bench.directory.names(in: "card/etc") == ["imulog"])
  }

  @Test("leaves a package's service alone, says how it is started, and writes the timer alone")
  func packaged() {
    _ = bench.shell("mkdir -p card/usr/lib/systemd/system")
    bench.directory.write([], to: "card/usr/lib/systemd/system/imulog.service")
    bench.run("install", "--root", bench.directory.path + "/card").expect(
      78, "a package has installed the service already")
    #expect(bench.directory.names(in: "card") == ["usr"])
    _ = bench.shell("mkdir -p card/etc/imulog")
    bench.directory.write(Array("calendar = daily\n".utf8), to: "card/etc/imulog/imulog.conf")
    let timer = bench.run("install", "--root", bench.directory.path + "/card")
    #expect(timer.status == 0 && timer.lines.count == 1, "\(timer.talk)")
    #expect(
      bench.directory.names(in: "card/etc/systemd/system").sorted() == [
        "imulog-calendar.service", "imulog-calendar.timer",
      ])
  }
}
