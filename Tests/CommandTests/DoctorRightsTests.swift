// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

/// What `imulog doctor` says of nodes, groups and the service's store: the fault is named, and not another one.
@Suite("imulog doctor's checks of rights", .waitsForPrograms)
struct DoctorRightsTests {
  private let machine = FakeMachine()
  private var bench: Bench { machine.bench }

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
      "advice", "for the group imulog, and you are not a member",
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
    machine.shell("chmod 755 .; mkdir -m 755 store")
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
    "a store changes hands only after its recording, and where files have owners",
    .enabled(if: geteuid() == 0, "needs root"))
  func keptStore() throws {
    machine.installService()
    machine.write("store = \(bench.store)\n", to: "etc/imulog/imulog.conf")
    machine.shell("chmod 755 .; mkdir -m 755 store")
    let child = bench.start([
      "record", "--board", "simulator", "--until-stopped", "--store", bench.store,
    ])
    try waitUntil { try machine.doctor().checks["recording 1"] != nil }
    try #require(try machine.doctor().checks["store"]).expect(
      "wrong", "wait for its recording's end", [])
    child.end()
    for (kind, words, count) in [("ext4", "root", 1), ("vfat", "mount it with uid=imulog", 0)] {
      machine.write(
        "20 1 8:1 / / rw - tmpfs tmpfs rw\n21 20 8:2 / \(bench.directory.path) rw - \(kind) /dev/sda1 rw\n",
        to: "proc/self/mountinfo")
      let store = try #require(try machine.doctor().checks["store"])
      #expect(store.says("wrong", words) && store.commands.count == count, "\(store)")
    }
  }

  @Test(
    "nodes of other groups stay theirs, and the bus that is not used is nobody's fault",
    .enabled(if: geteuid() == 0, "needs root"),
    arguments: [
      ("chgrp 998 i2c-1; chmod 660 i2c-1; chgrp 44 i2c-20", "ok", "may use bus and lines"),
      ("chgrp 44 i2c-20", "wrong", "/dev/i2c-1 (mode 0600)"),
      ("chgrp 44 i2c-1", "wrong", "/dev/i2c-1 (mode 0600)"),
    ])
  func otherGroups(_ line: String, _ state: String, _ words: String) throws {
    machine.installService()
    machine.makePiWithBus()
    machine.write("i2c-20\n", to: "sys/class/i2c-dev/i2c-20/name")
    machine.shell(
      "chmod -R a+rX .; cd machine/dev && touch i2c-20 gpiochip0 && chmod 600 * && \(line)")
    try #require(try machine.doctor().checks["service's rights"]).expect(state, words, [])
  }

  @Test(
    "what the kernel does not grant a person has the setting that grants it, and no command",
    .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
  func grants() throws {
    machine.shell("mkdir machine; chmod -R a+rX .")
    let checks = try FakeMachine.checks(
      OtherUser().run(bench, "doctor", "--json", "--root", machine.root))
    // File capabilities would keep the service's unit, which bounds them, from starting the program.
    for name in ["real-time class", "memory lock"] {
      let check = try #require(checks[name])
      #expect(check.says("advice", "systemd unit") && !"\(check)".contains("setcap"), "\(check)")
      #expect(check.commands.isEmpty)
    }
  }
}
