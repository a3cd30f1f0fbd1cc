// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing

/// What the package's scripts do to a tree of files, which `imulog install` wrote: `DPKG_ROOT`.
@Suite("The package's scripts", .waitsForPrograms)
struct PackageScriptTests {
  private let bench = Bench()
  private static let project =
    #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
  private static let units = ["calendar.service", "calendar.timer", "hub.service", "hub.timer"]
    .map { "systemd/system/imulog-\($0)" }

  /// What `imulog doctor` writes (DoctorRemedyTests).
  private static let doctors =
    ["i2c", "gpio", "imulog"].map { "udev/rules.d/zz-imulog-\($0).rules" } + [
      "modules-load.d/imulog-i2c.conf"
    ]

  /// A tree with a calendar and a hub, whose units start this program, and the files of doctor's commands.
  private func install(starting program: String) {
    bench.shell(
      """
      mkdir -p bin scripts tree/etc/imulog
      printf '#!/bin/sh\\necho "$@" >>systemctl.log\\n' >bin/systemctl
      printf '#!/bin/sh\\n' >bin/systemd-sysusers
      chmod +x bin/*
      echo 'calendar = daily' >tree/etc/imulog/imulog.conf
      \(Child.program) install --root tree && \(Child.program) install --hub --root tree || exit
      mkdir -p tree/etc/systemd/system/timers.target.wants tree/etc/systemd/system/imulog-hub.timer.d
      (cd tree/etc && touch \(Self.doctors.joined(separator: " ")))
      cd tree/etc/systemd/system
      ln -s /etc/systemd/system/imulog-hub.timer timers.target.wants
      sed -i 's,/usr/local/bin/imulog,\(program),' *.service
      echo '[Timer]' >imulog-hub.timer.d/override.conf
      """
    ).expect(0)
  }

  /// What the program installs, as the scripts get it.
  private func list() -> [Substring] {
    bench.run("install", "--list").expect(0).output.split(separator: "\n")
  }

  private func run(_ script: String, _ word: String, list: [Substring]? = nil) -> Outcome {
    _ = bench.file("list", (list ?? self.list()).map { $0 + "\n" }.joined())
    return bench.shell(
      "'\(Self.project)/.ci/package' --scripts list scripts && DPKG_ROOT=$PWD/tree PATH=$PWD/bin:$PATH scripts/\(script) \(word)"
    )
  }

  /// Files and links below the tree's /etc.
  private func files() -> Set<Substring> {
    Set(bench.shell("cd tree/etc && find * ! -type d").output.split(separator: "\n"))
  }

  /// The calls of systemctl.
  private func calls() -> [String] {
    bench.shell("sort systemctl.log 2>/dev/null | sed \"s,$PWD,,\"").output.split(separator: "\n")
      .map { String($0) }
  }

  @Test("each file that is written is in their list, and no other")
  func complete() {
    install(starting: "/usr/bin/imulog")
    let written = files().filter { !$0.contains(".d/override") && !$0.contains(".wants/") }
    #expect(Set(list().map { $0.drop { $0 != "/" }.dropFirst("/etc/".count) }) == written)
  }

  @Test("a removal disables what starts the program, and deletes nothing")
  func removal() {
    install(starting: "/usr/bin/imulog")
    let before = files()
    run("prerm", "remove").expect(0)
    run("postrm", "remove").expect(0)
    #expect(files() == before)
    #expect(
      calls()
        == ["imulog-calendar.timer", "imulog-hub.timer", "imulog.service"].map {
          "--root=/tree disable \($0)"
        })
  }

  @Test(
    "a purge deletes the configuration, the calendar and the hub, and nothing of an administrator's"
  )
  func purge() {
    install(starting: "/usr/bin/imulog")
    bench.shell(
      "cd tree && mkdir -p var/lib/imulog-hub && touch etc/imulog/left.cal && cd etc/systemd/system "
        + "&& ln -sf /opt/own.timer imulog-calendar.timer"
    ).expect(0)
    let before = files()
    #expect(run("postrm", "purge").expect(0).talk.isEmpty)
    let gone =
      Self.units.filter { !$0.contains("calendar.timer") } + [
        "imulog/imulog.conf", "sysusers.d/imulog-hub.conf",
        "systemd/system/timers.target.wants/imulog-hub.timer",
      ]
    #expect(before.subtracting(files()) == Set((gone + Self.doctors).map { $0[...] }))
    // Again, when all is gone.
    run("postrm", "purge").expect(0)
  }

  @Test(
    "what starts a program without the package is left to it, and an empty list deletes nothing")
  func foreign() {
    install(starting: "/usr/local/bin/imulog")
    let before = files()
    run("prerm", "remove").expect(0)
    #expect(calls().isEmpty)
    run("postrm", "purge").expect(0)
    #expect(files() == before)
    bench.shell("sed -i s,/usr/local,/usr, tree/etc/systemd/system/*.service").expect(0)
    let rest = files()
    run("postrm", "purge", list: []).expect(0)
    #expect(files() == rest)
  }

  @Test(
    "units behind links, and lines in systemd's other spellings, are read for what they start",
    arguments: [
      ("=/opt/own/imulog", true), ("=-/usr/bin/imulog", false), (" = /usr/bin/imulog", false),
    ])
  func linked(_ start: String, isForeign: Bool) {
    install(starting: "/usr/bin/imulog")
    bench.shell(
      "cd tree/etc/systemd/system && sed -i 's,=/usr/bin/imulog,\(start),' *.service"
        + (isForeign ? " && mkdir own && mv *.service own && ln -s own/*.service ." : "")
    ).expect(0)
    let before = files()
    run("prerm", "remove").expect(0)
    #expect(calls().isEmpty == isForeign)
    run("postinst", "configure").expect(0)
    run("postrm", "purge").expect(0)
    #expect((files() == before) == isForeign)
  }

  @Test("the way from an installation without the package leaves no unit that starts nothing")
  func taking() {
    install(starting: "/usr/local/bin/imulog")
    bench.shell("mkdir -p tree/usr/local/bin && touch tree/usr/local/bin/imulog").expect(0)
    let said = run("postinst", "configure").expect(0).output
    for words in [
      " /etc/systemd/system/imulog.service ", " /etc/modules-load.d/imulog.conf ",
      // What may be refused is first, and a drop-in's program is kept.
      ": sudo /usr/bin/imulog install && sudo /usr/bin/imulog install --hub && sudo rm -f /etc/",
      " && sudo systemctl daemon-reload\n",
    ] { #expect(said.contains(words), "\(said)") }
    #expect(!said.contains(" /usr/local/bin/imulog &&"), "\(said)")
    #expect(!said.contains("imulog.conf.new") && !said.contains("-hub.service"), "\(said)")
    // A copy of the package's unit, as of `systemctl edit --full`.
    bench.shell(
      "cd tree/etc && sed -i s,/usr/local,/usr, systemd/system/*.service && rm -r udev sysusers.d modules-load.d"
    ).expect(0)
    #expect(run("postinst", "configure").expect(0).output.isEmpty)
  }
}
