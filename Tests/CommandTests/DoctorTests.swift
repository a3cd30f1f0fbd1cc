// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import TestSupport
import Testing

/// `imulog doctor` on machines that are made of files: what is wrong is named with the command that mends it.
@Suite("imulog doctor", .waitsForPrograms)
struct DoctorTests {
  private let machine = FakeMachine()
  private var bench: Bench { machine.bench }

  /// Files of a machine, and one check of it.
  struct Finding: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let files: [String: String]
    let check: String
    let state: String
    let words: String
    /// `nil` where they are of no matter.
    let commands: [String]?
    /// A chip that a kernel driver has: driver, place and name.
    let bound: [String]

    init(
      _ what: String, _ files: [String: String], _ check: String, _ state: String,
      _ words: String = "", _ commands: [String]? = nil, bound: [String] = []
    ) {
      (testDescription, self.files, self.check, self.state) = (what, files, check, state)
      (self.words, self.commands, self.bound) = (words, commands, bound)
    }
  }

  private static func pi(_ more: [String: String] = [:]) -> [String: String] {
    FakeMachine.pi.merging(more) { $1 }
  }

  /// A Raspberry Pi with bus 1, whose module was loaded by hand.
  private static func loaded(_ more: [String: String] = [:]) -> [String: String] {
    pi(FakeMachine.bus).merging(["proc/modules": "i2c_dev 16384 0 - Live 0x0\n"]) { $1 }
      .merging(more) { $1 }
  }

  private static func flags(_ text: String) -> [String: String] {
    ["sys/devices/platform/soc/soc:firmware/get_throttled": text + "\n"]
  }

  private static let raspi = "usr/bin/raspi-config"
  private static let boot = "boot/firmware/config.txt"
  private static let switchOn = "sudo raspi-config nonint do_i2c 0"
  private static let keep = "echo i2c-dev | sudo tee /etc/modules-load.d/imulog-i2c.conf"
  private static let alarm = [
    "sys/class/hwmon/hwmon2/name": "rpi_volt\n", "sys/class/hwmon/hwmon2/in0_lcrit_alarm": "1\n",
  ]

  private static let buses = [
    Finding("I2C that is off", pi([raspi: ""]), "bus", "wrong", "", [switchOn]),
    // Ubuntu and Debian have no raspi-config.
    Finding(
      "I2C that is off, elsewhere",
      pi(["boot/config.txt": "dtparam=audio=on\n[pi3]\ndtparam=i2c_arm=on\n"]), "bus", "wrong", "",
      ["printf '\\n[all]\\ndtparam=i2c_arm=on\\n' | sudo tee -a /boot/config.txt", keep]),
    Finding(
      "adapters without i2c-dev",
      pi(["sys/bus/i2c/devices/i2c-1/name": "bcm2835 (i2c@7e804000)\n"]), "bus",
      "wrong", "", ["sudo modprobe i2c-dev", keep]),
    Finding(
      "no adapter of an unknown machine is opened unasked",
      ["sys/class/i2c-dev/i2c-0/name": "SMBus I801 adapter\n", "dev/i2c-0": ""], "bus",
      "unchecked", "0 (SMBus I801 adapter)"),
    Finding(
      "a file in place of an adapter", pi(FakeMachine.bus), "bus", "wrong", "not an I2C adapter"),
    Finding("a module that is not kept", loaded(), "module", "advice", "", [keep]),
    Finding(
      "a module that is kept", loaded(["etc/modules-load.d/b.conf": "# buses\ni2c-dev\n"]),
      "module", "ok"),
    Finding(
      "a module that the system keeps", loaded(["usr/lib/modules-load.d/b.conf": "i2c-dev\n"]),
      "module", "ok"),
    Finding(
      "a module's file that one of its name hides",
      loaded(["usr/lib/modules-load.d/b.conf": "i2c-dev\n", "etc/modules-load.d/b.conf": "#\n"]),
      "module", "advice"),
    Finding(
      "a bus that was switched on by hand",
      loaded([raspi: "", boot: "#dtparam=i2c_arm=on\ndtparam=audio=on\n"]), "bus at start",
      "advice", "/" + boot, [switchOn]),
    // raspi-config would change the line in the other model's section.
    Finding(
      "a bus of another model's section",
      loaded([raspi: "", boot: "[pi3]\ndtparam=i2c_arm=on\n"]), "bus at start", "advice", "",
      ["printf '\\n[all]\\ndtparam=i2c_arm=on\\n' | sudo tee -a /boot/firmware/config.txt", keep]),
  ]

  private static let chips = [
    Finding(
      "a driver that has the chip", pi(), "address 0x68", "wrong", "",
      ["echo 1-0068 | sudo tee /sys/bus/i2c/drivers/inv-mpu6050-i2c/unbind"],
      bound: ["inv-mpu6050-i2c", "1-0068", "mpu6050"]),
    Finding(
      "the overlay that gives it the chip", pi([boot: "dtoverlay=i2c-sensor,lsm6dso\n"]),
      "address 0x6a", "wrong", "dtoverlay=i2c-sensor,lsm6dso in /boot/firmware/config.txt",
      ["echo 1-006a | sudo tee /sys/bus/i2c/drivers/st_lsm6dsx_i2c/unbind"],
      bound: ["st_lsm6dsx_i2c", "1-006a", "lsm6dso"]),
    Finding(
      "a clock at the address of an MPU-6050", pi(), "address 0x68", "advice", "AD0",
      bound: ["rtc-ds1307", "1-0068", "ds3231"]),
    Finding(
      "a driver that is none of a sensor's", pi(), "address 0x6b", "advice", "", [],
      bound: ["bq24190-charger", "1-006b", "chip"]),
    Finding(
      "a driver whose name a shell would obey", pi(), "address 0x68", "wrong", "inv-mpu6050 x",
      ["echo 1-0068 | sudo tee '/sys/bus/i2c/drivers/inv-mpu6050 x; touch y/unbind'"],
      bound: ["inv-mpu6050 x; touch y", "1-0068", "chip"]),
  ]

  private static let rest = [
    Finding("a supply that is too low", flags("0x50005"), "supply", "wrong", "too low now"),
    Finding("one that was", flags("50000"), "supply", "advice", "was too low"),
    Finding("a slowed processor", flags("0x40000"), "supply", "advice", "slowed down"),
    Finding("a good supply", flags("0"), "supply", "ok", "no under-voltage"),
    Finding("nonsense of a supply", flags("nonsense"), "supply", "unchecked", "reads nonsense"),
    Finding("a hidden supply", pi(), "supply", "unchecked", "", []),
    Finding("an alarm", pi(alarm), "supply", "wrong", "too low"),
    Finding(
      "flags of a Raspberry Pi 5 beside an alarm",
      pi(alarm).merging([
        "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled": "50000\n"
      ]) { $1 }, "supply", "advice", "was too low"),
    Finding("no battery clock", [:], "battery clock", "advice", "none"),
    Finding("lines without a GPIO chip", pi(), "button", "advice", "no GPIO chip"),
    Finding("a light without a GPIO chip", pi(), "light", "advice", "no GPIO chip"),
    Finding(
      "the system and its kernel",
      [
        "etc/os-release": "PRETTY_NAME=\"Debian 13\"\n",
        "proc/sys/kernel/osrelease": "6.12.47+rpt\n",
      ],
      "system", "ok", "Debian 13, Linux 6.12.47+rpt"),
  ]

  @Test(
    "what is wrong is named with what mends it, and else left alone",
    arguments: buses + chips + rest)
  func finding(_ finding: Finding) throws {
    for (path, text) in finding.files { machine.write(text, to: path) }
    if !finding.bound.isEmpty {
      machine.bind(finding.bound[0], to: finding.bound[1], as: finding.bound[2])
    }
    let (checks, status) = try machine.doctor()
    let check = try #require(checks[finding.check])
    #expect(check.says(finding.state, finding.words), "\(check)")
    if let commands = finding.commands { #expect(check.commands == commands) }
    if finding.state == "wrong" { #expect(status == 1) }
  }

  @Test("a bus that the configuration switches on at start is not spoken of")
  func keptBus() throws {
    machine.makePiWithBus()
    machine.write("dtparam=i2c_arm=on,i2c_arm_baudrate=400000\n", to: DoctorTests.boot)
    let checks = try machine.doctor().checks
    #expect(checks["bus at start"] == nil && checks["board"]?.says("ok") == true)
  }

  @Test("a bus that a device tree without parameters has on is not spoken of")
  func mainlineBus() throws {
    machine.makePiWithBus()
    machine.shell("rm -r machine/proc/device-tree/__overrides__")
    machine.write("arm_64bit=1\n", to: DoctorTests.boot)
    let checks = try machine.doctor().checks
    #expect(checks["bus at start"] == nil && checks["board"]?.says("ok") == true)
  }

  @Test("the sensors of a configuration are looked at on their buses, and have room together")
  func severalSensors() throws {
    machine.makePiWithBus()
    machine.write("rp1\n", to: "sys/class/i2c-dev/i2c-4/name")
    machine.write("i2c_dev 16384 0 - Live 0x0\n", to: "proc/modules")
    machine.write(
      "sensor.left = mpu6050@0x68 rate=1000\nsensor.right = lsm6dso@i2c-4/0x6a rate=208\n",
      to: "etc/imulog/imulog.conf")
    let outcome = bench.run("doctor", "--json", "--root", machine.root)
    let checks = try outcome.json()["checks"].items
    func words(_ name: String) -> [String] {
      checks.filter { $0["name"].text == name }.compactMap { $0["words"].text }
    }
    #expect(words("configuration") == ["/etc/imulog/imulog.conf is right"])
    #expect(words("board").count == 1 && words("module").count == 1)
    #expect(words("bus").count == 2, "\(words("bus"))")
    #expect(words("room").allSatisfy { $0.contains("at 1000 + 208 Hz") })
    #expect(words("sensors") == ["each of 2 has an address of its own"])
    machine.write(
      "sensor.a = lsm6dso@i2c-4/0x6a\nsensor.b = auto@i2c-4/0x6a\n", to: "etc/imulog/imulog.conf")
    let twins = try machine.doctor().checks["sensors"]
    #expect(twins?.says("wrong", "a and b are the same chip, at 0x6a of i2c-4") == true)
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

  @Test(
    "a full card and one that is read-only",
    .enabled(if: SmallDisk.isPossible, "\(SmallDisk.reason)"))
  func cards() throws {
    let disk = SmallDisk(at: bench.store, bytes: 1 << 20)
    try #require(try machine.doctor().checks["room"]).expect(
      "wrong", "less than an hour", [])
    disk.forbidWriting()
    try #require(try machine.doctor().checks["store"]).expect(
      "wrong", "read-only", [])
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
    let checks = try machine.doctor("--card", "--card-seconds", "0").checks
    #expect(checks["recording 1"]?["state"].text == "ok")
    #expect(checks["card"]?["words"].text?.contains("p99") == true)
    #expect(bench.directory.names(in: "store").allSatisfy { !$0.hasPrefix(".card") })
    bench.directory.change(try bench.logName()) { $0.removeLast(20) }
    let damaged = try #require(try machine.doctor().checks["recording 1"])
    #expect(damaged.says("advice") && damaged.commands.isEmpty)
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

  /// A report's rows of a check: its finding, and its figures.
  private func report(_ name: String, _ more: String...) -> [String] {
    bench.run(["doctor", "--report", "--root", machine.root] + more).lines
      .filter { $0.hasPrefix("| \(name) ") }
  }

  @Test("a report begins with what a board is judged by, looked at or not")
  func judged() {
    machine.makePi()
    let lines = bench.run("doctor", "--report", "--root", machine.root).lines
    let first = lines.drop { !$0.hasPrefix("|---") }.dropFirst().prefix(7)
    #expect(
      first.map { $0.split(separator: "|")[0] }
        == [" board ", " system ", " chip ", " bus clock ", " rate ", " recorded ", " card "])
    #expect(first.contains("| chip | - | not looked at |"))
    #expect(first.first == "| board | ok | Raspberry Pi 4 Model B |")
    #expect(lines.count { $0.hasPrefix("| board | ok |") } == 1)
  }

  @Test("a report sums up this board's recordings since its start, and no others")
  func recorded() throws {
    machine.makePi()
    machine.write("here\n", to: "proc/sys/kernel/random/boot_id")
    #expect(report("recorded 1").isEmpty)
    func record(_ number: Int, _ change: (inout RecordingDescription) -> Void = { _ in }) throws {
      var log = ExampleLog.description(UInt64(number))
      (log.board, log.boot, log.number) = ("Raspberry Pi 4 Model B", "here", UInt32(number))
      change(&log)
      bench.record(
        try ExampleLog(ticks: 100, description: log).bytes,
        as: ExampleLog.fileName(number, of: log.id))
    }
    try record(1) { $0.boot = "before" }
    try record(2) { $0.board = "simulator" }
    try record(3) { $0.recoveredFrom = $0.id }
    try record(4) { $0.sensor.model = SensorDescription.importedModel }
    #expect(
      report("recorded 1") == [
        "| recorded 1 | advice | nothing since the machine started: `imulog record --for 1h`, then report again |"
      ])
    // Gaps of three ticks at 13, 42 and 71.
    try record(5)
    try record(6)
    bench.record([7], as: ExampleLog.fileName(7))
    #expect(
      report("recorded 1") == [
        "| recorded 1 | advice | MPU-6050 at 10 Hz: 0.006 hours estimated, 18 of 200 samples missing, woken at most 1 µs late; "
          + "2 of 2 recordings flawed; 1 recording not read |",
        "| recorded 1 | sensor | MPU-6050 at 10 Hz |", "| recorded 1 | recordings | 2 |",
        "| recorded 1 | flawed | 2 |", "| recorded 1 | hours | 0.006 |",
        "| recorded 1 | scheduled | 200 |", "| recorded 1 | sampled | 182 |",
        "| recorded 1 | busError | 18 |", "| recorded 1 | late_at_most_us | 1 |",
      ])
    // The simulator's are no evidence of a board.
    let simulated = report("recorded 1", "--board", "simulator")
    #expect(simulated.contains("| recorded 1 | recordings | 1 |"))
  }

  @Test("a report has the bounds of times by the chip's clock, of each rate apart")
  func proved() throws {
    let live = ["record", "--board", "simulator", "--for", "1s"]
    for more in [["--rate", "416", "--sensor", "lsm6dso", "--clock", "chip"], []] {
      let outcome = bench.run(live + more)
      try #require(outcome.status == 0, "\(outcome.talk)")
    }
    let boot = bench.shell("cat /proc/sys/kernel/random/boot_id").output
    machine.write(boot, to: "proc/sys/kernel/random/boot_id")
    let polled = report("recorded 1", "--board", "simulator")
    let begin = ": 0 hours estimated, 0 of 10 samples missing, woken at most "
    #expect(polled.first?.contains(begin) == true)
    let chip = report("recorded 2", "--board", "simulator")
    #expect(chip.first?.contains("LSM6DSO at 416 Hz by its own clock: ") == true, "\(chip)")
    #expect(chip.first?.contains(", times proved to ±") == true, "\(chip)")
    #expect(chip.contains { $0.hasPrefix("| recorded 2 | proved_to_us | ") }, "\(chip)")
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
}
