// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

/// What `imulog doctor` says of nodes, groups and the service's store: the fault is named, and not another one.
@Suite("imulog doctor's checks of rights", .waitsForPrograms)
struct DoctorRightsTests {
  private let machine = FakeMachine()
  private var bench: Bench { machine.bench }

  /// The check of the bus for a person who is in a group, where the node has a group and a mode.
  private func bus(groups: String, group: Int, mode: String) throws -> JSON {
    machine.makePiWithBus()
    machine.write("person:x:4001:4001::/home/person:/bin/sh\n", to: "etc/passwd")
    machine.write(groups, to: "etc/group")
    machine.shell(
      "chmod -R a+rX . && chgrp \(group) machine/dev/i2c-1 && chmod \(mode) machine/dev/i2c-1")
    let outcome = OtherUser().run(bench, "doctor", "--json", "--bus", "1", "--root", machine.root)
    return try #require(try FakeMachine.checks(outcome)["bus"])
  }

  @Test(
    "a mode that shuts the group out is named with its chmod, and no new login is asked for",
    .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
  func mode() throws {
    let node = machine.root + "/dev/i2c-1"
    machine.write(
      "SUBSYSTEM==\"i2c-dev\", GROUP=\"i2c\"\n", to: "usr/lib/udev/rules.d/60-i2c.rules")
    let member = try bus(groups: "i2c:x:998:person\n", group: 998, mode: "600")
    #expect(member.says("wrong", "its mode is 0600"))
    #expect(member["words"].text?.contains("log out") == false)
    #expect(member.commands == ["sudo chmod g+rw \(node)"])
    try bus(groups: "i2c:x:998:\n", group: 998, mode: "640").expect(
      "wrong", "its mode is 0640", ["sudo chmod g+rw \(node)", "sudo usermod -aG i2c $USER"])
  }

  @Test(
    "a rule that shuts the group out is named with the line that mends it",
    .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
  func narrowRule() throws {
    let rule = "/etc/udev/rules.d/99-own.rules"
    machine.write(
      "#SUBSYSTEM==\"i2c-dev\", GROUP=\"i2c\", MODE=\"0000\"\nKERNEL==\"i2c-[0-9]*\", GROUP=\"i2c\", MODE=\"0600\"\n",
      to: String(rule.dropFirst()))
    try bus(groups: "i2c:x:998:person\n", group: 998, mode: "600").expect(
      "wrong", "its mode is 0600, by \(rule)",
      [
        "sudo sed -i '/GROUP=\"i2c\"/s/MODE=\"0600\"/MODE=\"0660\"/' \(rule)",
        "sudo udevadm control --reload",
        "sudo udevadm trigger --subsystem-match=i2c-dev --subsystem-match=gpio --subsystem-match=misc",
      ])
  }

  @Test(
    "a rule that a file of the same name in /etc hides gives nothing",
    .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
  func hiddenRule() throws {
    machine.write(
      "SUBSYSTEM==\"i2c-dev\", GROUP=\"i2c\", MODE=\"0660\"\n",
      to: "usr/lib/udev/rules.d/60-i2c.rules")
    machine.write("# empty\n", to: "etc/udev/rules.d/60-i2c.rules")
    let check = try bus(groups: "i2c:x:998:person\n", group: 0, mode: "600")
    #expect(
      check.commands.first
        == "echo 'SUBSYSTEM==\"i2c-dev\", GROUP=\"i2c\", MODE=\"0660\"' | sudo tee -a /etc/udev/rules.d/61-imulog-i2c.rules"
    )
  }

  @Test(
    "a group that does not exist is made, and given the node by a rule, before the person joins it",
    .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
  func noGroup() throws {
    try bus(groups: "", group: 0, mode: "600").expect(
      "wrong", "root alone",
      [
        "sudo groupadd --system i2c",
        "echo 'SUBSYSTEM==\"i2c-dev\", GROUP=\"i2c\", MODE=\"0660\"' | sudo tee -a /etc/udev/rules.d/61-imulog-i2c.rules",
        "sudo udevadm control --reload",
        "sudo udevadm trigger --subsystem-match=i2c-dev --subsystem-match=gpio --subsystem-match=misc",
        "sudo usermod -aG i2c $USER",
      ])
    // Where the service's files are, they bring its groups and rules.
    machine.runSystemd()
    machine.write("g i2c -\n", to: "usr/lib/sysusers.d/imulog.conf")
    machine.write(
      "SUBSYSTEM==\"i2c-dev\", GROUP=\"i2c\", MODE=\"0660\"\n",
      to: "usr/lib/udev/rules.d/60-imulog.rules")
    let installed = try bus(groups: "", group: 0, mode: "600").commands
    #expect(installed.first == "sudo systemd-sysusers imulog.conf")
    #expect(installed.last == "sudo usermod -aG i2c $USER" && installed.count == 4)
  }

  @Test("the service's groups are made before its rules are applied")
  func serviceGroups() throws {
    machine.makePiWithBus()
    machine.installService()
    machine.write("imulog:x:990:\n", to: "etc/group")
    machine.shell("chmod 600 machine/dev/i2c-1")
    let rights = try #require(try machine.doctor().checks["service's rights"])
    #expect(rights.says("wrong", "/dev/i2c-1 (mode 0600)"))
    #expect(
      rights.commands.prefix(2) == [
        "sudo systemd-sysusers imulog.conf", "sudo udevadm control --reload",
      ])
  }

  @Test(
    "the store below the state directory is looked at, which is root's, and a member is told from others",
    .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
  func storeOfService() throws {
    machine.installService()
    machine.shell(
      "mkdir store; chmod -R a+rX .; chown 990:990 store; chmod 2770 store; mkdir -p machine/etc/imulog"
    )
    machine.write("store = \(bench.store)\n", to: "etc/imulog/imulog.conf")
    func store(_ groups: [Int]) throws -> JSON {
      let outcome = OtherUser(groups: groups).run(bench, "doctor", "--json", "--root", machine.root)
      return try #require(try FakeMachine.checks(outcome)["store"])
    }
    try store([]).expect(
      "advice", "for the group imulog, of which you are no member",
      ["sudo usermod -aG imulog $USER"])
    #expect(try store([990]).says("ok"))
    machine.write("i2c:x:998:\nimulog:x:990:person\n", to: "etc/group")
    try store([]).expect("advice", "log out and in", ["newgrp imulog"])
    // Another store than the service's stays the person's own.
    machine.write("rate = 10\n", to: "etc/imulog/imulog.conf")
    #expect(try store([]).says("wrong", "cannot be written"))
  }

  @Test(
    "a store that root may write, and the service's user not, is wrong with sudo, too",
    .enabled(if: geteuid() == 0, "needs root"))
  func rootsStore() throws {
    machine.installService()
    machine.write("store = \(bench.store)\n", to: "etc/imulog/imulog.conf")
    machine.shell("mkdir -m 755 store")
    // JSON hides where a store of one's own is.
    let give = "sudo chown -R imulog:imulog …"
    try #require(try machine.doctor().checks["store"]).expect(
      "wrong", "it belongs to root, with the mode 0755", [give])
    machine.shell("chown 990:990 store; chmod 550 store")
    try #require(try machine.doctor().checks["store"]).expect(
      "wrong", "its mode is 0550", ["sudo chmod 2770 …"])
    machine.shell("chmod 2770 store; touch store/.lock; chmod 600 store/.lock")
    let lock = try #require(try machine.doctor().checks["store"])
    lock.expect("wrong", "its .lock", [give])
    // All in the directory would change hands.
    machine.shell("touch store/letter.txt")
    #expect(try machine.doctor().checks["store"]?.commands == [])
    machine.shell("rm store/letter.txt; chown 990 store/.lock")
    #expect(try machine.doctor().checks["store"]?.says("ok") == true)
  }

  @Test(
    "a GPIO chip without a group is given one, and one whose mode shuts its group out gets its chmod",
    .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
  func lines() throws {
    machine.makePiWithBus()
    machine.write("gpiochip0=pinctrl-bcm2711\n", to: "dev/gpiochip0")
    machine.write("person:x:4001:4001::/home/person:/bin/sh\n", to: "etc/passwd")
    func button(_ groups: String, group: Int, mode: String) throws -> JSON {
      machine.write(groups, to: "etc/group")
      machine.shell(
        "chmod -R a+rX . && chgrp \(group) machine/dev/gpiochip0 && chmod \(mode) machine/dev/gpiochip0"
      )
      let outcome = OtherUser().run(bench, "doctor", "--json", "--root", machine.root)
      return try #require(try FakeMachine.checks(outcome)["button"])
    }
    let bare = try button("", group: 0, mode: "600")
    #expect(bare.says("advice", "root alone"))
    #expect(bare.commands.first == "sudo groupadd --system gpio")
    #expect(bare.commands[1].contains("KERNEL==\"gpiochip*\", GROUP=\"gpio\", MODE=\"0660\""))
    #expect(bare.commands.last == "sudo usermod -aG gpio $USER" && bare.commands.count == 5)
    let shut = try button("gpio:x:997:person\n", group: 997, mode: "600")
    #expect(shut.says("advice", "its mode is 0600"))
    #expect(shut.commands.first == "sudo chmod g+rw \(machine.root)/dev/gpiochip0")
    #expect(!shut.commands.contains { $0.hasPrefix("sudo usermod") })
  }

  @Test(
    "what the kernel does not grant a person has its command",
    .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
  func grants() throws {
    machine.write("", to: "dev/cpu_dma_latency")
    machine.shell("chmod -R a+rX . && chmod 600 machine/dev/cpu_dma_latency")
    let checks = try FakeMachine.checks(
      OtherUser().run(bench, "doctor", "--json", "--root", machine.root))
    let grant = "sudo setcap cap_sys_nice,cap_ipc_lock+ep "
    let realTime = try #require(checks["real-time class"])
    #expect(realTime.says("advice") && realTime.commands.count == 1)
    #expect(realTime.commands.first?.hasPrefix(grant) == true)
    try #require(checks["processor sleep"]).expect(
      "advice", "root alone", ["sudo chmod a+w /dev/cpu_dma_latency"])
  }

  @Test(
    "a service that may not be asked is told from one that does not run",
    .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
  func unaskable() throws {
    machine.installService()
    machine.shell(
      "mkdir -p machine/run/imulog shut; chmod -R a+rX .; chgrp 990 machine/run/imulog;"
        + " chmod 750 machine/run/imulog; chmod 700 shut")
    let outcome = OtherUser().run(
      bench, "doctor", "--json", "--root", machine.root, "--socket",
      bench.directory.path + "/shut/control")
    try #require(try FakeMachine.checks(outcome)["service"]).expect(
      "wrong", "for the group imulog, of which you are no member", ["sudo usermod -aG imulog $USER"]
    )
  }
}
