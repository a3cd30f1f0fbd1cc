// SPDX-License-Identifier: Apache-2.0

import Boards
import IMUDrivers
import IMUModel
import Recorder
import SimulatedIMU
import Testing

@testable import LinuxIO
@testable import Doctor
@testable import imulog

/// What `imulog doctor` says of a bus and its chip, on simulated ones.
@Suite("imulog doctor's checks of a chip")
struct DoctorChipTests {
  private let clock = VirtualClock()
  private let places = (
    mpu: SensorModel.mpu6050.addresses[0], lsm: SensorModel.lsm6dso.addresses[0]
  )

  /// A bus with an MPU-6050, or what is given in its place.
  private func bus(
    _ chip: SimulatedChip? = .mpu6050, hertz: Int = 400_000
  ) -> SimulatedBus<VirtualClock> {
    guard let chip else { return SimulatedBus(clock: clock, busHertz: hertz) }
    return SimulatedBus(
      clock: clock, chip: chip, address: chip.model == .mpu6050 ? places.mpu : places.lsm,
      busHertz: hertz)
  }

  private func settings(
    rate: UInt32 = 10, sensor: String? = nil, interrupt: LineChoice = .none
  ) throws -> RecorderConfiguration {
    var configuration = RecorderConfiguration.default
    configuration.rate = try #require(SampleRate(rate))
    configuration.sensor = try sensor.map { try #require(SensorChoice($0)) } ?? SensorChoice()
    configuration.interrupt = interrupt
    return configuration
  }

  /// The checks by name.
  private func look(
    _ bus: inout SimulatedBus<VirtualClock>, configured: Int? = 400_000, rate: UInt32 = 10,
    sensor: String? = nil
  ) throws -> [String: Check] {
    let checks = ChipChecks(
      configuration: try settings(rate: rate, sensor: sensor),
      board: Board.named("raspberry-pi-4"),
      configured: configured, clock: clock)
    let all = checks.run(&bus, free: SensorFamily.allAddresses) {}.checks
    for check in all
    where !check.words.contains("requested") && !check.words.contains("as measured") {
      #expect(check.words.count <= 200, "\(check.words)")
    }
    return Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  @Test("a good chip on good wires is fine, its clock is measured, and nothing is written to it")
  func good() throws {
    var bus = bus()
    let checks = try look(&bus)
    #expect(checks["chip"]?.state == .ok)
    #expect(checks["bus clock"]?.words == "400 kHz estimated, 400 kHz claimed")
    #expect(
      checks["bus clock"]?.figures.map { $0.name }
        == ["measured_hz", "configured_hz", "part_of_configured"])
    #expect(checks["wiring"]?.state == .ok && checks["rate"]?.state == .ok)
    // Asleep, as its power-on leaves it.
    let power = try bus.read(places.mpu, register: MPU6050Register.power1.address)
    #expect(power == 0x40)
    #expect(checks["configuration kept"]?.state == .unchecked)
  }

  @Test("a chip that a recorder has set up is as it was written")
  func kept() throws {
    let found = SensorIdentity(model: .mpu6050, address: places.mpu)
    let opened = try settings().open(bus(), found, busClock: 400_000)
    guard case .polled(var sensor) = consume opened else { return #expect(Bool(false)) }
    while case .wait(let nanoseconds) = try sensor.bringUp() {
      clock.sleep(until: clock.now() + nanoseconds)
    }
    var bus = sensor.releaseBus()
    #expect(try look(&bus)["configuration kept"]?.state == .ok)
    // A register that reads differently from one time to the next.
    bus.inject(
      .corrupt(byte: 0, mask: 0x10),
      at: .read(register: MPU6050Register.power1.address, from: clock.now()))
    let unsteady = try #require(try look(&bus)["configuration kept"])
    #expect(unsteady.state == .wrong && unsteady.words.contains("PWR_MGMT_1"))
  }

  /// A data line at ground, which reads as zeros.
  private static let grounded: SimulatedChip = {
    var chip = SimulatedChip.mpu6050.answering(0)
    chip.selfTest.hasTrim = false
    return chip
  }()

  @Test(
    "the chip, or what is there in its place, is named by what it answers",
    arguments: [
      (nil, nil, Finding.State.wrong, ["no chip answers at 0x68, 0x69, 0x6a, 0x6b"]),
      (grounded, nil, .wrong, ["a line held low and no chip"]),
      // What it could be known for is said; the command would write to a clock.
      (
        SimulatedChip.mpu6050.answering(0x19), nil, .wrong,
        ["0x19", "a clock has this address", "--sensor mpu6050"]
      ),
      (SimulatedChip.mpu6050.answering(0x19), "mpu6050", .advice, ["a copy"]),
      // Modules that carry another chip than they are sold as.
      (
        SimulatedChip.mpu6050.answering(0x98), nil, .ok,
        ["ICM-20689", "modules sold as MPU-6050 often carry it"]
      ),
      (
        SimulatedChip.mpu6050.answering(0x70), nil, .ok,
        ["MPU-6500", "modules sold as MPU-6050 often carry it"]
      ),
      (SimulatedChip.lsm6dso, nil, .ok, ["LSM6DSO32"]),
      (SimulatedChip.mpu6050, "lsm6dso", .wrong, ["MPU-6050"]),
    ] as [(SimulatedChip?, String?, Finding.State, [String])])
  func named(_ chip: SimulatedChip?, _ sensor: String?, _ state: Finding.State, _ words: [String])
    throws
  {
    var bus = bus(chip)
    let check = try #require(try look(&bus, sensor: sensor)["chip"])
    #expect(check.state == state && words.allSatisfy { check.words.contains($0) }, "\(check.words)")
    if state == .wrong { #expect(check.mends.isEmpty) }
    guard chip == nil else { return }
    // The causes come in their order.
    var rest = check.words[...]
    for cause in ["power", "SDA and SCL", "CS and SDO", "SPI or I3C needs its power off and on"] {
      rest = try #require(rest.firstRange(of: cause).map { rest[$0.upperBound...] }, "\(cause)")
    }
  }

  @Test("a line that is held low, which no transfer ends on")
  func heldLow() throws {
    var bus = bus()
    bus.inject(.fail(.timeout, errno: 110, transfers: 1000))
    let chip = try #require(try look(&bus)["chip"])
    #expect(chip.state == .wrong && chip.words.contains("SDA or SCL is held low"))
  }

  @Test("a bus that is slower or faster than configured is measured")
  func slowBus() throws {
    var slow = bus(hertz: 62_000)
    let clock = try #require(try look(&slow, configured: 100_000)["bus clock"])
    #expect(clock.state == .advice && clock.words.contains("62 kHz estimated"))
    var fast = bus(hertz: 400_000)
    #expect(try look(&fast, configured: 100_000)["bus clock"]?.state == .advice)
  }

  @Test("a rate that the bus does not carry gets the line for a faster one")
  func rate() throws {
    var slow = bus(hertz: 100_000)
    let refused = try #require(try look(&slow, configured: 100_000, rate: 1000)["rate"])
    #expect(refused.state == .wrong)
    #expect(refused.mends.first?.command.contains("dtparam=i2c_arm_baudrate=400000") == true)
    let machine = FakeMachine()
    machine.write("", to: "boot/config.txt")
    let tree = SystemTree(root: machine.root)
    let old = ChipChecks(
      configuration: try settings(rate: 1000), board: Board.named("raspberry-pi-4"),
      configured: 100_000, tree: tree, clock: clock)
    let line = old.run(&slow, free: SensorFamily.allAddresses) {}.checks.last?.mends.first?.command
    #expect(line?.hasSuffix("tee -a /boot/config.txt") == true, "\(line ?? "none")")
    // Its line is about the board's own bus, by the adapter's name.
    machine.makePiWithBus()
    let buses = BusChecks(
      tree: tree, sensors: [DoctorSensor("", try settings(rate: 1000))],
      board: Board.named("raspberry-pi-4"), boardBus: 1, isServed: false)
    for number in [1, 3] {
      let other = buses.chips(number).run(&slow, free: SensorFamily.allAddresses) {}.checks
      #expect(other.last?.mends.isEmpty == (number == 3), "\(number)")
    }
    #expect(refused.isLater && refused.mends.first?.action == Mend.Action.none)
    // The configured clock would do, and the real one does not.
    let missing = try #require(try look(&slow, configured: 400_000, rate: 1000)["rate"])
    #expect(missing.state == .wrong && missing.words.contains("100 kHz as measured"))
    #expect(!missing.words.contains("dtparam"))
    #expect(missing.mends.map { $0.command.contains("core_freq_min=500") } == [true])
    var fast = bus(hertz: 400_000)
    #expect(try look(&fast, configured: 400_000, rate: 200)["rate"]?.state == .ok)
  }

  @Test("wires on which reads fail are counted")
  func noise() throws {
    var bus = bus()
    // Behind the search for the chip.
    bus.inject(.fail(.bus, errno: 5, transfers: 4), at: .transfer(20))
    let wiring = try #require(try look(&bus)["wiring"])
    #expect(wiring.state == .wrong && wiring.words.contains("pull-ups"))
  }

  @Test("a data-ready line that is wired fires, and one that is not is named")
  func dataReady() throws {
    let found = SensorIdentity(model: .lsm6dso, address: places.lsm)
    let check = DataReadyCheck(
      configuration: try settings(rate: 416, interrupt: .automatic), line: "GPIO22", clock: clock)
    var wired = bus(.lsm6dso)
    wired.wireInterrupt()
    let fires = check.run(wired, found, busClock: 400_000) {}
    #expect(fires.state == .ok, "\(fires.words)")
    let silent = check.run(bus(.lsm6dso), found, busClock: 400_000) {}
    #expect(silent.state == .wrong && silent.words.contains("INT2"), "\(silent.words)")
    let unused = DataReadyCheck(
      configuration: try settings(interrupt: .automatic), line: "GPIO22", clock: clock
    )
    .run(bus(.lsm6dso), found, busClock: 400_000) {}
    #expect(unused.state == .advice && unused.words.contains("not used"))
  }

  @Test("a chip that does not keep its configuration is found when the line is tried")
  func forgetful() throws {
    let found = SensorIdentity(model: .lsm6dso, address: places.lsm)
    var bus = bus(.lsm6dso)
    bus.wireInterrupt()
    // CTRL1_XL, when it is read back.
    bus.inject(
      .corrupt(byte: 0, mask: 0x10),
      at: .read(register: 0x10, from: clock.now()))
    let check = DataReadyCheck(
      configuration: try settings(rate: 416, interrupt: .automatic), line: "GPIO22", clock: clock
    ).run(bus, found, busClock: 400_000) {}
    #expect(check.state == .wrong && check.words.contains("does not keep"), "\(check.words)")
  }

  @Test("a chip on another bus is named with the option that chooses it")
  func elsewhere() {
    let check = BusChecks.elsewhere(
      SensorIdentity(model: .mpu6050, address: places.mpu), I2CAdapter(number: 3, name: "gpio"))
    #expect(check.state == .advice && check.words.contains("--bus 3"))
  }

  @Test("a word of a command that a shell would obey is quoted")
  func words() {
    #expect(
      Mend.write("a b", to: "/sys/x; reboot").command == "echo 'a b' | sudo tee '/sys/x; reboot'")
    #expect(Mend.run("chmod", "2770", "$(reboot)").command == "sudo chmod 2770 '$(reboot)'")
  }
}
