// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxIO
import LogStoreTesting
import Recorder
import Testing

@testable import Doctor
@testable import imulog

/// `imulog doctor` beside a service: what mends its configuration ends no recording, and what its user sees counts.
@Suite("imulog doctor and the service", .waitsForPrograms)
struct DoctorServiceTests {
  private let machine = FakeMachine()
  private let tools: FakeTools
  private var bench: Bench { machine.bench }
  private var socket: String { machine.root + "/run/imulog/control" }

  init() {
    machine.installService()
    tools = FakeTools(machine)
    configure()
  }

  private func configure(rate: String = "100", note: String = "old") {
    machine.write(
      "board = simulator\nrate = \(rate)\nlength = until-stopped\nbutton = none\nlight = none\nreserve = 0\nnote = \(note)\n",
      to: "etc/imulog/imulog.conf")
  }

  private var daemon: [String] {
    ["daemon", "--config", machine.root + "/etc/imulog/imulog.conf", "--socket", socket]
  }

  private func wait(_ condition: (JSON) -> Bool) throws {
    try waitUntil {
      let outcome = bench.run("status", "--json", "--socket", socket)
      return outcome.status == 0 ? condition(try outcome.json()) : false
    }
  }

  private func checks() throws -> [String: JSON] { try machine.doctor("--socket", socket).checks }

  /// Carries out the command that a check's words have; what systemd was asked for.
  private func obey(_ check: JSON?) throws -> String {
    let command = try #require(check?["words"].text?.split(separator: "`").dropFirst().first)
    #expect(tools.run(String(command)).status == 0)
    return bench.shell("cat systemctl").output
  }

  @Test(
    "a wrong file of a service that runs is corrected and read again; what would stop or start it is not offered",
    arguments: [(false, false), (true, false), (true, true)])
  func wrongFile(isRead: Bool, isRecording: Bool) throws {
    let child = bench.start(daemon)
    try wait { $0["state"].text == "armed" }
    if isRecording {
      #expect(bench.run("start", "--socket", socket).status == 0)
    }
    configure(rate: "fast")
    if isRead {
      child.signal(SIGHUP)
      if !isRecording { try wait { $0["problem"].text == "configuration" } }
    }
    let wrong = try checks()
    #expect(
      wrong["configuration"]?.says(
        "wrong",
        "correct line 2 of /etc/imulog/imulog.conf, then `sudo systemctl reload imulog`: rate = fast"
      )
        == true, "\(wrong)")
    for (name, check) in wrong {
      for verb in ["start", "restart", "enable", "stop"] {
        #expect(!"\(check)".contains("systemctl \(verb)"), "\(name)")
      }
    }
    configure(note: "new")
    if isRead, !isRecording {
      #expect(try checks()["service"]?.commands == ["sudo systemctl reload imulog"])
    }
    #expect(try obey(wrong["configuration"]) == "reload imulog\n")
    child.signal(SIGHUP)
    if isRecording {
      try wait { $0["state"].text == "recording" }
      #expect(bench.run("stop", "--socket", socket).status == 0)
    }
    try wait { $0["note"].text == "new" && $0["problem"] == .null }
    let right = try checks()
    #expect(right["configuration"]?.says("ok") == true && right["service"]?.says("ok") == true)
    child.end()
  }

  @Test(
    "a service that does not run is started when its file and its rights let it, and not before")
  func stopped() throws {
    configure(rate: "fast")
    let wrong = try checks()
    #expect(wrong["configuration"]?.says("wrong", "line 2") == true)
    try #require(wrong["service"]).expect("advice", "does not run", [])
    configure()
    #expect(try obey(wrong["configuration"]) == "start imulog\n")
    try #require(try checks()["service"]).expect(
      "advice", "does not run", ["sudo systemctl enable --now imulog"])
    let child = bench.start(daemon)
    try wait { $0["state"].text == "armed" }
    #expect(try checks()["service"]?.says("ok", "it runs") == true)
    child.end()
    machine.write("", to: "etc/passwd")
    #expect(try checks()["service"]?.commands == [])
    // Where no systemd runs, none of its commands is offered either.
    machine.installService()
    machine.shell("rm -r machine/run/systemd")
    try #require(try checks()["service"]).expect("advice", "no systemd runs here", [])
  }

  @Test(
    "a configuration that can be used again is read again where systemd runs, or the service restarted for its unit's sake",
    arguments: [
      (":", "rate = fast: it is no rate", "sudo systemctl reload imulog"),
      (
        ":", "calibration = /home/x: the service's unit hides /home from it",
        "sudo systemctl restart imulog"
      ),
      // A daemon in a terminal is not systemd's, and one that is masked is not to be started.
      ("rm machine/usr/lib/systemd/system/imulog.service", "rate = fast: it is no rate", ""),
      ("rm -r machine/run/systemd", "rate = fast: it is no rate", ""),
    ])
  func again(_ line: String, _ failure: String, _ command: String) {
    machine.shell(line)
    let tree = SystemTree(root: machine.root)
    var status = RecorderStatus(state: .armed)
    (status.problem, status.failure) = (.configuration, failure)
    let check = ServiceChecks(
      tree: tree, unit: ServiceUnit(tree, usual: InstalledFile.unit("")), status: .success(status),
      isConfigured: true, nodes: []
    ).run()[0]
    #expect(check.state == .wrong && check.words.hasPrefix(failure))
    #expect(check.mends.map(\.command) == [command].filter { !$0.isEmpty })
    #expect(check.words.contains("shows no recording") == command.contains("restart"))
  }

  @Test("a masked service has no command: none of them starts it")
  func masked() throws {
    machine.shell(
      "mkdir -p machine/etc/systemd/system; ln -s /dev/null machine/etc/systemd/system/imulog.service"
    )
    try #require(try checks()["service"]).expect("ok", "not installed, or masked", [])
    configure(rate: "fast")
    #expect(try checks()["configuration"]?["words"].text?.contains("systemctl") == false)
  }

  @Test(
    "a service that may not be asked is told from one that does not run, and can be asked afterwards",
    .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"),
    arguments: [
      ("", "750", "and you are not a member", "sudo usermod -aG imulog $USER"),
      ("person", "700", "its mode is 0700", "sudo chmod g+x "),
    ])
  func unaskable(_ member: String, _ mode: String, _ words: String, _ command: String) throws {
    machine.write("imulog:x:990:\(member)\n", to: "etc/group")
    machine.shell(
      "mkdir -p machine/run/imulog store; chmod -R a+rX .; chown 990:990 store machine/run/imulog; chmod \(mode) machine/run/imulog"
    )
    let child = OtherUser(user: 990, group: 990, umask: "007").start(bench, daemon)
    try wait { $0["state"].text == "armed" }
    func service(_ groups: [Int]) throws -> JSON {
      let outcome = OtherUser(groups: groups).run(
        bench, "doctor", "--json", "--root", machine.root, "--socket", socket)
      return try #require(try FakeMachine.checks(outcome)["service"])
    }
    let shut = try service(member.isEmpty ? [] : [990])
    #expect(shut.says("wrong", words) && shut.commands.count == 1, "\(shut)")
    #expect(shut.commands.first?.hasPrefix(command) == true)
    for command in shut.commands {
      #expect(tools.run(command).status == 0)
    }
    #expect(try service([990]).says("ok", "it runs"))
    child.end()
  }

  @Test(
    "a calibration and a store are as the service's user sees them, whatever root may do",
    .enabled(if: geteuid() == 0, "needs root"),
    arguments: [
      (":", "configuration", "is right"),
      // The file's own mode, and one of a directory above it.
      ("chmod 600 all.cal", "configuration", "may not read the calibration"),
      ("chmod 700 .", "configuration", "a directory above it is closed"),
      ("chmod 700 .", "store", "a directory above it is closed"),
      ("rmdir store", "store", "may not make it"),
      // Drop-ins count in the order of their names, and those of a name once.
      (":", "store", "it can be written"),
      ("echo User=person > etc/20.conf; chmod 700 store", "store", "belongs to another user"),
      ("echo User=nobody > etc/20.conf", "service's rights", "no user"),
      ("echo User=nobody > etc/05.conf", "store", "it can be written"),
    ])
  func serviceSees(_ line: String, _ name: String, _ words: String) throws {
    machine.write(
      "board = simulator\nstore = \(bench.store)\ncalibration = \(bench.calibration())\n",
      to: "etc/imulog/imulog.conf")
    for (folder, user) in [("run", "imulog"), ("usr/lib", "nobody")] {
      machine.write(
        "[Service]\nUser=\(user)\n", to: "\(folder)/systemd/system/imulog.service.d/10.conf")
    }
    machine.shell(
      """
      mkdir -p -m 2770 store; chown 990:990 store; chmod 755 . machine
      mkdir -p machine/etc/systemd/system/imulog.service.d
      ln -s machine/etc/systemd/system/imulog.service.d etc; \(line)
      """)
    let check = try #require(try checks()[name])
    #expect(check["words"].text?.contains(words) == true, "\(check)")
    #expect(check.says(["it can be written", "is right"].contains(words) ? "ok" : "wrong"))
  }
}
