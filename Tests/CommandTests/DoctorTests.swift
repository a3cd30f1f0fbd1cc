// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

/// `imulog doctor` on machines that are made of files: what is wrong is named with the command that mends it.
@Suite("imulog doctor", .waitsForPrograms)
struct DoctorTests {
  private let machine = FakeMachine()
  private var bench: Bench { machine.bench }

  @Test("a Raspberry Pi whose I2C is off is told how to switch it on, and the status is 1")
  func off() throws {
    machine.makePi()
    machine.addRaspiConfig()
    let (checks, status) = try machine.doctor()
    #expect(checks["board"]?["state"].text == "ok")
    #expect(checks["bus"]?["state"].text == "wrong")
    #expect(checks["bus"]?["command"].text == "sudo raspi-config nonint do_i2c 0")
    #expect(status == 1)
  }

  @Test("Ubuntu and Debian on a Raspberry Pi have no raspi-config: they get the line and its file")
  func offElsewhere() throws {
    machine.makePi()
    machine.write("dtparam=audio=on\n[pi3]\ndtparam=i2c_arm=on\n", to: "boot/config.txt")
    let bus = try #require(try machine.doctor().checks["bus"])
    #expect(
      bus.commands == [
        "printf '\\n[all]\\ndtparam=i2c_arm=on\\n' | sudo tee -a /boot/config.txt",
        "echo i2c-dev | sudo tee -a /etc/modules-load.d/i2c-dev.conf",
      ])
    #expect(bus["later"].isTrue)
  }

  @Test("a kernel that drives adapters and shows none of them lacks i2c-dev")
  func module() throws {
    machine.makePi()
    machine.write("bcm2835 (i2c@7e804000)\n", to: "sys/bus/i2c/devices/i2c-1/name")
    #expect(
      try machine.doctor().checks["bus"]?.commands == [
        "sudo modprobe i2c-dev", "echo i2c-dev | sudo tee -a /etc/modules-load.d/i2c-dev.conf",
      ])
  }

  @Test("on a machine that imulog does not know no adapter is opened unasked")
  func unknownMachine() throws {
    machine.write("SMBus I801 adapter\n", to: "sys/class/i2c-dev/i2c-0/name")
    machine.write("", to: "dev/i2c-0")
    let bus = try #require(try machine.doctor().checks["bus"])
    #expect(bus["state"].text == "unchecked")
    #expect(bus["words"].text?.contains("0 (SMBus I801 adapter)") == true)
  }

  @Test("a driver that is none of a sensor's, or whose name a shell would obey, has no command")
  func otherDriver() throws {
    for (place, name) in [("1-006b", "bq24190-charger"), ("1-0068", "inv-mpu6050 x; touch y")] {
      machine.makePi()
      machine.bind(name, to: place, as: "chip")
      let held = try #require(try machine.doctor().checks["address 0x\(place.suffix(2))"])
      #expect(held["state"].text == "advice" && held["command"] == .null)
    }
  }

  @Test("without a home the rest is looked at")
  func homeless() throws {
    _ = bench.shell("mkdir -p machine")
    let outcome = bench.shell(
      "env -u HOME -u IMULOG_STORE '\(Child.program)' doctor --json --root '\(bench.directory.path)/machine'"
    )
    let checks = try outcome.json()["checks"].items
    #expect(checks.contains { $0["name"].text == "store" && $0["state"].text == "unchecked" })
    #expect(checks.contains { $0["name"].text == "real-time class" })
  }

  @Test("a bus that is not there is refused with those that are")
  func otherBus() throws {
    machine.makePi()
    machine.write("bcm2835 (i2c@7e804000)\n", to: "sys/class/i2c-dev/i2c-1/name")
    let bus = try #require(try machine.doctor("--bus", "7").checks["bus"])
    #expect(bus["words"].text?.contains("there are 1 (bcm2835 (i2c@7e804000))") == true)
  }

  @Test("a file in place of an adapter is none")
  func notABus() throws {
    machine.makePi()
    machine.write("bcm2835 (i2c@7e804000)\n", to: "sys/class/i2c-dev/i2c-1/name")
    machine.write("", to: "dev/i2c-1")
    #expect(
      try machine.doctor().checks["bus"]?["words"].text?.contains("not an I2C adapter") == true)
  }

  @Test("a kernel driver that has the chip is named with the exact line that frees it")
  func held() throws {
    machine.makePi()
    machine.bind("inv-mpu6050-i2c", to: "1-0068", as: "mpu6050")
    let held = try #require(try machine.doctor().checks["address 0x68"])
    #expect(held["state"].text == "wrong")
    #expect(
      held["command"].text
        == "echo 1-0068 | sudo tee /sys/bus/i2c/drivers/inv-mpu6050-i2c/unbind")
  }

  @Test("a clock at the address of an MPU-6050 is told from a sensor that is held")
  func clock() throws {
    machine.makePi()
    machine.bind("rtc-ds1307", to: "1-0068", as: "ds3231")
    machine.write("rtc-ds1307 1-0068\n", to: "sys/class/rtc/rtc0/name")
    machine.write("1795572000\n", to: "sys/class/rtc/rtc0/since_epoch")
    let checks = try machine.doctor().checks
    #expect(checks["address 0x68"]?["state"].text == "advice")
    #expect(checks["address 0x68"]?["words"].text?.contains("AD0") == true)
    #expect(checks["battery clock"]?["state"].text == "ok")
  }

  @Test(
    "a supply that is or was too low, and a slowed processor, are told apart",
    arguments: [
      ("0x50005", "wrong", "too low now"), ("50000", "advice", "was too low"),
      ("0x40000", "advice", "slowed down"), ("0", "ok", "no under-voltage"),
      ("nonsense", "unchecked", "reads nonsense"),
    ])
  func supply(flags: String, state: String, words: String) throws {
    machine.write(flags + "\n", to: "sys/devices/platform/soc/soc:firmware/get_throttled")
    let supply = try #require(try machine.doctor().checks["supply"])
    #expect(supply["state"].text == state)
    #expect(supply["words"].text?.contains(words) == true)
  }

  @Test(
    "a Raspberry Pi 5 has its flags elsewhere, other kernels have an alarm, and some show nothing")
  func otherSupplies() throws {
    machine.makePi()
    let hidden = try #require(try machine.doctor().checks["supply"])
    #expect(hidden.says("unchecked") && hidden.commands == [])
    machine.write("", to: "usr/bin/vcgencmd")
    #expect(try machine.doctor().checks["supply"]?.commands == ["vcgencmd get_throttled"])
    machine.write("rpi_volt\n", to: "sys/class/hwmon/hwmon2/name")
    machine.write("1\n", to: "sys/class/hwmon/hwmon2/in0_lcrit_alarm")
    #expect(try machine.doctor().checks["supply"]?.says("wrong", "too low") == true)
    machine.write(
      "50000\n",
      to: "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled")
    #expect(try machine.doctor().checks["supply"]?.says("advice", "was too low") == true)
  }

  @Test("without a battery clock recordings may be dated wrongly")
  func noBatteryClock() throws {
    #expect(try machine.doctor().checks["battery clock"]?.says("advice", "none") == true)
  }

  @Test("a module that was loaded by hand is to be kept for the next start")
  func unkeptModule() throws {
    machine.makePiWithBus()
    machine.write("i2c_dev 16384 0 - Live 0x0\n", to: "proc/modules")
    let module = try #require(try machine.doctor().checks["module"])
    #expect(module.says("advice"))
    #expect(module.commands == ["echo i2c-dev | sudo tee -a /etc/modules-load.d/i2c-dev.conf"])
    machine.write("# buses\ni2c-dev\n", to: "etc/modules-load.d/buses.conf")
    #expect(try machine.doctor().checks["module"]?.says("ok") == true)
  }

  @Test("a module's file that one of its name in /etc hides does not load it at the next start")
  func hiddenModule() throws {
    machine.makePiWithBus()
    machine.write("i2c_dev 16384 0 - Live 0x0\n", to: "proc/modules")
    machine.write("i2c-dev\n", to: "usr/lib/modules-load.d/buses.conf")
    #expect(try machine.doctor().checks["module"]?.says("ok") == true)
    machine.write("# none\n", to: "etc/modules-load.d/buses.conf")
    #expect(try machine.doctor().checks["module"]?.says("advice") == true)
  }

  @Test("a bus that was switched on by hand is off after the next start")
  func unkeptBus() throws {
    machine.makePiWithBus()
    machine.addRaspiConfig()
    machine.write("#dtparam=i2c_arm=on\ndtparam=audio=on\n", to: "boot/firmware/config.txt")
    let bus = try #require(try machine.doctor().checks["bus at start"])
    #expect(bus.says("advice", "/boot/firmware/config.txt"))
    #expect(bus.commands == ["sudo raspi-config nonint do_i2c 0"])
    machine.write("[pi3]\ndtparam=i2c_arm=on\n", to: "boot/firmware/config.txt")
    // raspi-config would change the line in the other model's section.
    #expect(
      try machine.doctor().checks["bus at start"]?.commands.first
        == #"printf '\n[all]\ndtparam=i2c_arm=on\n' | sudo tee -a /boot/firmware/config.txt"#)
    machine.write("dtparam=i2c_arm=on,i2c_arm_baudrate=400000\n", to: "boot/firmware/config.txt")
    #expect(try machine.doctor().checks["bus at start"] == nil)
  }

  @Test("the overlay that gives a chip to the kernel at each start is named with its line")
  func overlay() throws {
    machine.makePi()
    machine.bind("st_lsm6dsx_i2c", to: "1-006a", as: "lsm6dso")
    machine.write("dtoverlay=i2c-sensor,lsm6dso\n", to: "boot/firmware/config.txt")
    let held = try #require(try machine.doctor().checks["address 0x6a"])
    #expect(held.says("wrong", "dtoverlay=i2c-sensor,lsm6dso in /boot/firmware/config.txt"))
    #expect(held.commands == ["echo 1-006a | sudo tee /sys/bus/i2c/drivers/st_lsm6dsx_i2c/unbind"])
  }

  @Test("the system, its kernel and the adapter's name are in a report")
  func system() throws {
    machine.write("PRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\n", to: "etc/os-release")
    machine.write("6.12.47+rpt-rpi-v8\n", to: "proc/sys/kernel/osrelease")
    let words = "Debian GNU/Linux 13 (trixie), Linux 6.12.47+rpt-rpi-v8"
    #expect(try machine.doctor().checks["system"]?.says("ok", words) == true)
  }

  @Test("the service's user is looked at, whatever the rights of doctor's are")
  func serviceRights() throws {
    machine.makePiWithBus()
    machine.write("[Unit]\n", to: "usr/lib/systemd/system/imulog.service")
    let missing = try #require(try machine.doctor().checks["service's rights"])
    #expect(missing.says("wrong", "no user imulog"))
    #expect(missing.commands.first == "sudo systemd-sysusers imulog.conf")
    machine.write("imulog:x:990:990::/var/lib/imulog:/usr/sbin/nologin\n", to: "etc/passwd")
    machine.write("i2c:x:998:\nimulog:x:990:\n", to: "etc/group")
    machine.shell("chmod 600 machine/dev/i2c-1")
    let refused = try #require(try machine.doctor().checks["service's rights"])
    #expect(refused.says("wrong", "/dev/i2c-1"))
    #expect(
      refused.commands.contains(
        "sudo udevadm trigger --subsystem-match=i2c-dev --subsystem-match=gpio --subsystem-match=misc"
      ))
    machine.shell("chmod 666 machine/dev/i2c-1")
    #expect(try machine.doctor().checks["service's rights"]?.says("ok") == true)
  }

  @Test(
    "with sudo, the rights of who started it are looked at",
    .enabled(if: geteuid() == 0, "needs root"))
  func sudo() throws {
    machine.makePiWithBus()
    machine.write("person:x:4001:4001::/home/person:/bin/sh\n", to: "etc/passwd")
    machine.write("i2c:x:998:\n", to: "etc/group")
    machine.shell("chgrp 998 machine/dev/i2c-1 && chmod 660 machine/dev/i2c-1")
    func group() throws -> JSON? {
      let line = "SUDO_UID=4001 '\(Child.program)' doctor --json --root '\(machine.root)'"
      return try FakeMachine.checks(bench.shell(line))["group"]
    }
    let outside = try #require(try group())
    #expect(outside.says("wrong", "without sudo"))
    #expect(outside.commands == ["sudo usermod -aG i2c $USER"])
    machine.write("i2c:x:998:person\n", to: "etc/group")
    #expect(try group() == nil)
  }

  @Test("the board's lines are looked at without a configuration, too")
  func lines() throws {
    machine.makePi()
    let checks = try machine.doctor().checks
    #expect(checks["button"]?.says("advice", "no GPIO chip") == true)
    #expect(checks["light"]?.says("advice", "no GPIO chip") == true)
  }

  @Test(
    "a full card and one that is read-only",
    .enabled(if: SmallDisk.isPossible, "\(SmallDisk.reason)"))
  func cards() throws {
    let disk = SmallDisk(at: bench.store, bytes: 1 << 20)
    let room = try #require(try machine.doctor().checks["room"])
    #expect(room.says("wrong", "less than an hour"))
    #expect(room.commands == ["imulog rm --empty-trash"])
    disk.forbidWriting()
    let store = try #require(try machine.doctor().checks["store"])
    #expect(store.says("wrong", "read-only"))
    #expect(store.commands == ["sudo dmesg --level=err,warn"])
  }

  @Test(
    "a wrong configuration is named with its line, and a service that does not run with its command"
  )
  func service() throws {
    machine.runSystemd()
    machine.write("rate = fast\n", to: "etc/imulog/imulog.conf")
    machine.write("[Unit]\n", to: "usr/lib/systemd/system/imulog.service")
    let checks = try machine.doctor("--socket", bench.directory.path + "/none").checks
    #expect(checks["configuration"]?["words"].text?.contains("imulog.conf:1") == true)
    #expect(checks["service"]?["command"].text == "sudo systemctl enable --now imulog")
  }

  @Test("keys that may only read are looked at")
  func keys() throws {
    func key(_ line: String) throws -> JSON? {
      _ = bench.shell("mkdir -p home/.ssh")
      bench.directory.write(Array((line + "\n").utf8), to: "home/.ssh/authorized_keys")
      return try machine.doctor().checks["ssh key"]
    }
    #expect(try key("ssh-ed25519 AAAA laptop") == nil)
    _ = bench.shell("ln -sf /bin/true imulog")
    let command = "command=\"\(bench.directory.path)/imulog --store /var/x serve\""
    #expect(try key("restrict,\(command) ssh-ed25519 AAAA x")?["state"].text == "ok")
    for open in [
      "\(command) ssh-ed25519 AAAA x", "restrict,pty,\(command) ssh-ed25519 AAAA x",
      "restrict,\(command),pty ssh-ed25519 AAAA x",
      "restrict,command=\"/bin/sh -c 'imulog serve; $SSH_ORIGINAL_COMMAND'\" ssh-ed25519 AAAA x",
      "restrict,command=\"/bin/sh # imulog serve\" ssh-ed25519 AAAA x",
    ] {
      #expect(try key(open)?["state"].text == "unchecked", "\(open)")
    }
    #expect(
      try key("restrict,command=\"/nowhere/imulog serve\" ssh-ed25519 AAAA x")?["words"].text?
        .contains("/nowhere/imulog, which is not there") == true)
  }

  @Test("the last recordings have their verdicts, and a card is probed on request")
  func recordings() throws {
    try bench.record("--for", "1s")
    let name = try bench.logName()
    let checks = try machine.doctor("--card", "--card-seconds", "0").checks
    #expect(checks["recording 1"]?["state"].text == "ok")
    #expect(checks["card"]?["words"].text?.contains("p99") == true)
    #expect(bench.directory.names(in: "store").allSatisfy { !$0.hasPrefix(".card") })
    var bytes = bench.directory.bytes(of: name)
    bytes.removeLast(20)
    bench.directory.write(bytes, to: name)
    let damaged = try #require(try machine.doctor().checks["recording 1"])
    #expect(damaged.says("advice") && damaged.commands.count == 1)
    #expect(damaged.commands.first?.hasPrefix("imulog ") == true)
  }

  @Test(
    "a report has each check and its figures, and neither the host's name nor a path of the home")
  func report() throws {
    machine.makePi()
    let outcome = bench.run("doctor", "--report", "--root", bench.directory.path + "/machine")
    #expect(outcome.output.hasPrefix("# imulog doctor\n"))
    #expect(outcome.output.contains("| bus | wrong |"))
    #expect(outcome.output.contains("| room | free_bytes |"))
    let host = bench.shell("uname -n").output.split(separator: "\n").first ?? "-"
    #expect(!outcome.output.contains("| \(host)") && !outcome.output.contains(bench.store))
    // Nor where a recording is damaged, whose error has its path.
    _ = bench.shell("mkdir -p store")
    bench.directory.write([7], to: "store/000001-20261121T023807Z-1b4e28ba.imulog")
    let damaged = bench.run("doctor", "--report", "--root", bench.directory.path + "/machine")
    #expect(damaged.output.contains("| recording 1 | advice |"))
    #expect(!damaged.output.contains(bench.directory.path))
    // Nor its name from the working directory.
    let relative = bench.run(
      "--store", "patients/anna", "doctor", "--report", "--root",
      bench.directory.path + "/machine", "--board", "raspberry-pi-4")
    #expect(relative.output.hasPrefix("# imulog doctor\n") && !relative.output.contains("anna"))
  }

  @Test("a command stands in a report as it is typed")
  func commandInReport() throws {
    machine.makePi()
    machine.write("console=serial\n", to: "boot/firmware/cmdline.txt")
    let outcome = bench.run("doctor", "--report", "--root", bench.directory.path + "/machine")
    #expect(
      outcome.output.contains(
        #"`printf '\n[all]\ndtparam=i2c_arm=on\n' \| sudo tee -a /boot/firmware/config.txt`"#))
  }

  @Test(
    "a user without rights is told the remedy of each refusal, and recordings are possible",
    .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
  func rights() throws {
    machine.write("bcm2835 (i2c@7e804000)\n", to: "sys/class/i2c-dev/i2c-1/name")
    machine.write("", to: "dev/i2c-1")
    machine.write("i2c:x:998:\n", to: "etc/group")
    _ = bench.shell(
      "chmod -R a+rX . && chgrp 998 machine/dev/i2c-1 && chmod 660 machine/dev/i2c-1")
    let outcome = OtherUser().run(
      bench, "doctor", "--json", "--bus", "1", "--root", bench.directory.path + "/machine")
    let checks = try FakeMachine.checks(outcome)
    #expect(checks["bus"]?["command"].text == "sudo usermod -aG i2c $USER")
    #expect(checks["bus"]?["later"] == .bool(true))
    #expect(checks["processor sleep"]?["state"].text == "advice")
    #expect(checks["store"]?["state"].text == "wrong")
  }

  @Test(
    "a group that the login does not have yet is told from one that the user is not in, and from a node without a group",
    .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
  func groups() throws {
    machine.makePiWithBus()
    machine.write("person:x:4001:4001::/home/person:/bin/sh\n", to: "etc/passwd")
    func bus(_ members: String, group: Int = 998) throws -> JSON {
      machine.write("i2c:x:998:\(members)\n", to: "etc/group")
      machine.shell(
        "chmod -R a+rX . && chgrp \(group) machine/dev/i2c-1 && chmod 660 machine/dev/i2c-1")
      let outcome = OtherUser().run(bench, "doctor", "--json", "--bus", "1", "--root", machine.root)
      return try #require(try FakeMachine.checks(outcome)["bus"])
    }
    let outside = try bus("other")
    #expect(outside.says("wrong", "no member"))
    #expect(outside.commands == ["sudo usermod -aG i2c $USER"])
    let early = try bus("other,person")
    #expect(early.says("wrong", "log out and in"))
    #expect(early.commands == ["newgrp i2c"])
    let ruleless = try bus("", group: 0)
    #expect(ruleless.says("wrong", "root alone"))
    #expect(
      ruleless.commands.first?.hasPrefix("echo 'SUBSYSTEM==\"i2c-dev\", GROUP=\"i2c\"") == true)
    #expect(ruleless.commands.last == "sudo usermod -aG i2c $USER")
  }
}
