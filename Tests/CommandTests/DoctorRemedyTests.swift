// SPDX-License-Identifier: Apache-2.0

import Boards
import Foundation
import Glibc
import IMUDrivers
import IMUModel
import LinuxIO
import Recorder
import SimulatedIMU
import Testing

@testable import Doctor
@testable import imulog

/// Each command that `imulog doctor` prints is carried out by a shell against its fault: after it the fault is gone, and
/// nothing else is worse.
@Suite(
  "imulog doctor's remedies", .waitsForPrograms,
  .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
struct DoctorRemedyTests {
  private let machine = FakeMachine()
  private var bench: Bench { machine.bench }

  /// Who asks.
  enum Eyes { case root, sudo, person }

  /// A fault of a machine.
  struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let check: String
    let words: String
    let eyes: Eyes
    /// What is not as on a Raspberry Pi whose bus 1 is there; `nil` for no file.
    let files: [String: String?]
    /// Lines of the shell beside the machine.
    let shell: String
    /// The first command's beginning.
    let command: String
    /// Whether the fault stays away at the next start of the machine.
    let isForGood: Bool

    init(
      _ what: String, _ check: String, _ words: String, _ eyes: Eyes = .root,
      _ files: [String: String?] = [:], shell: String = ":", by command: String,
      isForGood: Bool = true
    ) {
      (testDescription, self.check, self.words, self.eyes) = (what, check, words, eyes)
      (self.files, self.shell, self.command) = (files, shell, command)
      self.isForGood = isForGood
    }
  }

  private static let boot = "boot/firmware/config.txt"
  private static let raspi = ["usr/bin/raspi-config": ""]
  private static let off: [String: String?] = [
    "sys/class/i2c-dev/i2c-1/name": nil, "dev/i2c-1": nil,
  ]
  private static let hidden = off.merging([
    "sys/bus/i2c/devices/i2c-1/name": "bcm2835 (i2c@7e804000)\n"
  ]) { $1 }
  private static let loaded: [String: String?] = [
    "proc/modules": "i2c_dev 16384 0 - Live 0x0\n",
    "sys/bus/i2c/devices/i2c-1/name": "bcm2835 (i2c@7e804000)\n",
  ]

  private static func with(_ files: [String: String?], _ more: [String: String?])
    -> [String: String?]
  { files.merging(more) { $1 } }

  private static let buses = [
    Fault("adapters without i2c-dev", "bus", "none of them", .root, hidden, by: "sudo modprobe"),
    // The last line of a file of that name has no end.
    Fault(
      "adapters without i2c-dev beside a file of modules", "bus", "none of them", .root,
      with(hidden, ["etc/modules-load.d/i2c-dev.conf": "spidev"]), by: "sudo modprobe"),
    Fault("a bus that is off", "bus", "switched off", .root, with(off, raspi), by: "sudo raspi"),
    Fault("a bus that is off, elsewhere", "bus", "switched off", .root, off, by: "printf"),
    // What raspi-config adds would be in the last section.
    Fault(
      "a bus that is off, before another model's section", "bus", "switched off", .root,
      with(with(off, raspi), [boot: "dtparam=audio=on\n[cm5]\ndtoverlay=dwc2\n"]), by: "printf"),
    Fault("a module that is not kept", "module", "no file", .root, loaded, by: "echo i2c-dev"),
    Fault(
      "a bus that was switched on by hand", "bus at start", "no line", .root,
      with(with(loaded, raspi), [boot: "#dtparam=i2c_arm=on\n"]), by: "sudo raspi-config"),
    Fault(
      "a bus that only another model has at start", "bus at start", "no line", .root,
      with(with(loaded, raspi), [boot: "[pi3]\n#dtparam=i2c_arm=on\n"]), by: "printf"),
    Fault(
      "a chip that the kernel's driver has", "address 0x68", "inv-mpu6050-i2c", .root,
      ["sys/bus/i2c/devices/1-0068/name": "mpu6050\n"],
      shell: "mkdir -p machine/sys/bus/i2c/drivers/inv-mpu6050-i2c; "
        + "ln -s ../../drivers/inv-mpu6050-i2c machine/sys/bus/i2c/devices/1-0068/driver",
      by: "echo 1-0068", isForGood: false),
  ]

  /// Its module is loaded at each start.
  private static let kept = with(loaded, ["etc/modules-load.d/i2c-dev.conf": "i2c-dev\n"])

  private static func group(_ line: String) -> [String: String?] {
    with(kept, ["etc/group": "root:x:0:\nimulog:x:990:\n" + line])
  }

  private static func rule(_ text: String) -> [String: String?] {
    with(group("i2c:x:998:person\n"), ["etc/udev/rules.d/99-own.rules": text])
  }

  private static let node = "machine/dev/i2c-1"
  private static let udev = "echo 'SUBSYSTEM==\"i2c-dev\", KERNEL==\"i2c-*\", GROUP=\"i2c\""
  private static let lineOf = with(kept, ["dev/gpiochip0": "gpiochip0=pinctrl-bcm2711\n"])

  private static let nodes = [
    Fault(
      "a bus without a group", "bus", "root alone", .person, group(""), shell: "chmod 600 \(node)",
      by: "sudo groupadd"),
    Fault(
      "a bus that a late rule keeps for root", "bus", "root alone", .person,
      rule("KERNEL==\"i2c-[0-9]*\", GROUP=\"root\", MODE=\"0600\"\n"), shell: "chmod 600 \(node)",
      by: udev),
    Fault(
      "a rule that shuts its group out", "bus", "its mode is 0600", .person,
      rule("SUBSYSTEM==\"i2c-dev\", GROUP=\"i2c\", MODE=\"0600\"\n"),
      shell: "chgrp 998 \(node); chmod 600 \(node)", by: udev),
    Fault(
      "a rule that a file of its name hides", "bus", "root alone", .person,
      with(
        group("i2c:x:998:person\n"),
        [
          "usr/lib/udev/rules.d/60-i2c.rules": "SUBSYSTEM==\"i2c-dev\", GROUP=\"i2c\"\n",
          "etc/udev/rules.d/60-i2c.rules": "# empty\n",
        ]), shell: "chmod 600 \(node)", by: udev),
    Fault(
      "a mode that shuts out who is no member either", "bus", "its mode is 0640", .person,
      group("i2c:x:998:\n"), shell: "chgrp 998 \(node); chmod 640 \(node)", by: udev),
    Fault(
      "a bus that is for others", "bus", "you are not a member", .person,
      rule("SUBSYSTEM==\"i2c-dev\", GROUP=\"i2c\", MODE=\"0660\"\n").merging([
        "etc/group": "i2c:x:998:other\n"
      ]) { $1 }, shell: "chgrp 998 \(node); chmod 660 \(node)", by: "sudo usermod"),
    Fault(
      "a login that is older than its group", "bus", "log out and in", .person,
      group("i2c:x:998:person\n"), shell: "chgrp 998 \(node); chmod 660 \(node)", by: "newgrp",
      isForGood: false),
    Fault(
      "a bus that sudo alone may use", "group", "without sudo", .sudo, group("i2c:x:998:\n"),
      shell: "chgrp 998 \(node); chmod 660 \(node)", by: "sudo usermod", isForGood: false),
    Fault(
      "a line without a group", "button", "root alone", .person, lineOf,
      shell: "chmod 600 machine/dev/gpiochip0", by: "sudo groupadd"),
    Fault(
      "a line whose mode shuts its group out", "button", "its mode is 0600", .person,
      with(lineOf, ["etc/group": "i2c:x:998:\ngpio:x:997:person\n"]),
      shell: "chgrp 997 machine/dev/gpiochip0; chmod 600 machine/dev/gpiochip0", by: "echo '"),
    // No mode for all users of the machine.
    Fault(
      "processor sleep that root alone may limit", "processor sleep", "root alone", .person,
      with(group(""), ["dev/cpu_dma_latency": ""]), shell: "chmod 600 machine/dev/cpu_dma_latency",
      by: "echo 'SUBSYSTEM==\"misc\""),
  ]

  /// The service as it is installed, and its store on the bench.
  private static func service(_ more: [String: String?] = [:]) -> [String: String?] {
    with(
      with(kept, ["usr/lib/systemd/system/imulog.service": "[Unit]\n"]),
      with(
        [
          "run/systemd/system/x": "",
          "etc/passwd": "imulog:x:990:990::/:/bin/false\nperson:x:4001:4001::/:/bin/sh\n",
          "etc/group": "i2c:x:998:\ngpio:x:997:\nimulog:x:990:\n",
        ], more))
  }

  private static let users = "#Type Name ID\ng i2c -\ng gpio -\nu imulog -\nm imulog i2c\n"
  private static let give = "sudo chown -R imulog:imulog"
  private static let open = "mkdir -m 2770 store"

  private static let services = [
    Fault(
      "no user of the service", "service's rights", "no user", .root,
      service([
        "etc/passwd": "person:x:4001:4001::/:/bin/sh\n", "etc/group": "imulog-x:x:1:\n",
        "usr/lib/sysusers.d/imulog.conf": users,
      ]), shell: "mkdir -m 777 store; chmod 666 \(node)", by: "sudo systemd-sysusers",
      isForGood: false),
    Fault(
      "nodes that no rule gives to the service", "service's rights", "/dev/i2c-1 (mode 0600)",
      .root,
      service(["dev/gpiochip0": "", "dev/cpu_dma_latency": "", "etc/group": "imulog:x:990:\n"]),
      shell: "chmod 600 machine/dev/*", by: "sudo groupadd --system i2c"),
    Fault(
      "a store that root made", "store", "belongs to root, with the mode 0755", .root, service(),
      shell: "mkdir -m 755 store", by: give),
    Fault(
      "a store that its owner may not write", "store", "its mode is 2550", .root, service(),
      shell: "\(open); chown 990:990 store; chmod 550 store", by: "sudo chmod 2770"),
    Fault(
      "a lock that root made", "store", "its .lock", .root, service(),
      shell: "\(open); chown 990:990 store; touch store/.lock; chmod 600 store/.lock", by: give),
    Fault(
      "a store that the unit does not let the service write", "configuration", "ReadWritePaths=",
      .root,
      service([
        "usr/lib/systemd/system/imulog.service": InstalledFile.unit("/usr/bin/imulog"),
        "etc/imulog/imulog.conf": "store = /srv/imu\n",
      ]), by: "sudo systemctl edit imulog"),
    Fault(
      "a store for a group without the person", "store", "you are not a member", .person, service(),
      shell: "\(open); chown 990:990 store", by: "sudo usermod -aG imulog"),
    Fault(
      "a store that is shut to its group", "store", "its mode is 2700", .person,
      service(["etc/group": "i2c:x:998:\nimulog:x:990:person\n"]),
      shell: "\(open); chown 990:990 store; chmod 2700 store", by: "sudo chmod g+rwx"),
  ]

  private static let clocks = [
    Fault(
      "a battery clock that was never set", "battery clock", "no valid time", .root,
      with(
        kept,
        [
          "sys/class/rtc/rtc0/name": "rtc-ds1307 1-0068\n",
          "sys/class/rtc/rtc0/since_epoch": "312\n",
        ]), by: "sudo hwclock")
  ]

  /// A check as it is printed.
  struct Seen {
    let state: String
    let words: String
    /// Those of its own lines, and those that its words have.
    var commands: [String] = []
    /// Whether they have their effect later.
    var isLater = false

    /// A node of a fake machine is a file, which is no adapter, and has no lines.
    var rank: Int {
      words.contains("not an I2C adapter") || words.contains("version 2 of the GPIO interface")
        ? 0 : ["ok": 0, "unchecked": 1, "advice": 2, "wrong": 3][state] ?? 9
    }
  }

  /// What doctor prints for somebody whose login has groups.
  private func look(_ eyes: Eyes, groups: [Int]) -> [String: Seen] {
    let words = ["doctor", "--root", machine.root, "--socket", machine.root + "/none"]
    let line = (["SUDO_UID=4001", Child.program] + words).joined(separator: " ")
    let outcome =
      switch eyes {
      case .root: bench.run(words)
      case .sudo: bench.shell(line)
      case .person: OtherUser(groups: groups).run(bench, words)
      }
    var (seen, name) = ([String: Seen](), "")
    for line in outcome.lines {
      if let command = line.firstRange(of: "do: "), line.hasPrefix(" ") {
        let parts = line[command.upperBound...].components(separatedBy: "   # ")
        seen[name]?.commands.append(parts[0])
        if parts.count > 1 { seen[name]?.isLater = true }
        continue
      }
      name = line.dropFirst(10).prefix(18).description.trimmingCharacters(in: .whitespaces)
      let words = line.dropFirst(28).description
      let inWords = words.split(separator: "`").filter { $0.hasPrefix("sudo ") }
      seen[name] = Seen(
        state: String(line.prefix { $0 != " " }), words: words,
        commands: inWords.map { String($0) })
    }
    return seen
  }

  /// The groups of a new login.
  private var login: [Int] {
    bench.shell("awk -F: '$4 ~ /(^|,)person(,|$)/ { print $3 }' machine/etc/group").lines
      .compactMap { Int($0) }
  }

  private func expectMended(
    _ fault: Fault, _ before: [String: Seen], _ after: [String: Seen], _ when: String
  ) {
    let found = after[fault.check]
    #expect(found?.rank ?? 0 == 0, "\(when): \(String(describing: found))")
    for (name, check) in after where name != fault.check {
      // What could not be looked at before may have advice to give.
      #expect(check.rank <= before[name].map { max(1, $0.rank) } ?? 2, "\(when), \(name): \(check)")
    }
  }

  @Test(
    "mend what they are printed for, and nothing else is worse",
    arguments: buses + nodes + services + clocks)
  func mend(_ fault: Fault) throws {
    machine.makePiWithBus()
    machine.write("person:x:4001:4001::/home/person:/bin/sh\n", to: "etc/passwd")
    let tools = FakeTools(machine)
    machine.write("store = \(bench.store)\n", to: "etc/imulog/imulog.conf")
    for (path, text) in fault.files {
      machine.shell("rm -rf 'machine/\(path)'")
      if let text { machine.write(text, to: path) }
    }
    machine.shell("find . -type d -empty -name i2c-1 -delete; chmod -R a+rX .; \(fault.shell)")
    let before = look(fault.eyes, groups: fault.command == "newgrp" ? [] : login)
    let check = try #require(before[fault.check])
    #expect(check.words.contains(fault.words) && check.rank >= 2, "\(check)")
    #expect(check.commands.first?.hasPrefix(fault.command) == true, "\(check)")
    for command in check.commands {
      let outcome = tools.run(command)
      #expect(outcome.status == 0, "\(command): \(outcome.talk)")
    }
    if !check.isLater || !fault.isForGood {
      expectMended(fault, before, look(fault.eyes, groups: login), "at once")
    }
    guard fault.isForGood else { return }
    tools.startAnew()
    expectMended(fault, before, look(fault.eyes, groups: login), "after a new start")
  }

  @Test(
    "a clock that nothing steers follows a time service, which is installed where there is none")
  func networkTime() throws {
    machine.runSystemd()
    let tools = FakeTools(machine)
    func look() -> Finding {
      let mark = machine.root + "/run/systemd/timesync/synchronized"
      return DoctorCheck.clockFinding(
        SystemTree(root: machine.root), isSynchronised: access(mark, F_OK) == 0)
    }
    #expect(look().mends.isEmpty, "neither apt nor a service")
    machine.write("", to: "usr/bin/apt")
    for command in ["sudo apt install systemd-timesyncd", "sudo timedatectl set-ntp true"] {
      #expect(look().mends.map(\.command) == [command])
      #expect(tools.run(command).status == 0)
      #expect(look().state == .ok)
      machine.shell("rm machine/run/systemd/timesync/synchronized")
    }
    // One that timedatectl does not know would be replaced.
    machine.shell("rm -r machine/usr/lib/systemd/ntp-units.d")
    machine.write("", to: "usr/lib/systemd/system/chrony.service")
    #expect(look().mends.isEmpty)
  }

  @Test(
    "a bus gets a line for 400 kHz where it then carries the rate, and where it does not have that clock already"
  )
  func rate() throws {
    let tools = FakeTools(machine)
    machine.write("[pi3]\n", to: DoctorRemedyTests.boot)
    func look(_ rate: UInt32, real: Int? = nil) throws -> Check? {
      let line = "grep -c i2c_arm_baudrate=400000 machine/\(DoctorRemedyTests.boot)"
      let configured = bench.shell(line).status == 0 ? 400_000 : 100_000
      var configuration = RecorderConfiguration.default
      configuration.rate = try #require(SampleRate(rate))
      let clock = VirtualClock()
      var bus = SimulatedBus(
        clock: clock, chip: .mpu6050, address: SensorModel.mpu6050.addresses[0],
        busHertz: real ?? configured)
      return ChipChecks(
        configuration: configuration, board: Board.named("raspberry-pi-4"),
        configured: configured, clock: clock
      ).run(&bus, free: SensorFamily.allAddresses) {}.checks.last
    }
    let slow = try #require(try look(1000))
    #expect(slow.state == .wrong && slow.isLater)
    for mend in slow.mends { #expect(tools.run(mend.command).status == 0) }
    #expect(try look(1000)?.state == .ok)
    let real = try #require(try look(1000, real: 100_000))
    #expect(real.state == .wrong && real.mends.count == 1, "\(real)")
  }
}
