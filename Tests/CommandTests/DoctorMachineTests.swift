// SPDX-License-Identifier: Apache-2.0

import Boards
import Glibc
import IMUDrivers
import IMUModel
import LogStoreTesting
import Recorder
import SimulatedIMU
import Synchronization
import Testing

@testable import LinuxIO
@testable import Doctor
@testable import imulog

/// Clocks, lines, and machines without a bus, and what `imulog doctor` does about a bus that hangs.
@Suite("imulog doctor's checks of machines", .waitsForPrograms)
struct DoctorMachineTests {
  private let machine = FakeMachine()
  private static let rpi = "rpi-rtc soc:rpi_rtc"

  @Test("a PC without a bus has nothing to mend, and the status is 0")
  func noBus() throws {
    let (checks, status) = try machine.doctor()
    let bus = try #require(checks["bus"])
    #expect(bus.says("advice", "no I2C bus; nothing to mend: use --board simulator"))
    #expect(bus.commands.isEmpty)
    #expect(status == 0)
    // One whose adapters are for its own memory modules and fans.
    machine.write("SMBus I801 adapter\n", to: "sys/bus/i2c/devices/i2c-0/name")
    let hidden = try machine.doctor()
    #expect(hidden.checks["bus"]?.says("advice", "nothing to mend: use --board simulator") == true)
    #expect(hidden.status == 0)
    // A board that imulog does not know may have one that is off.
    machine.write("Some Board\0", to: "proc/device-tree/model")
    #expect(try machine.doctor("--bus", "0").checks["bus"]?.says("wrong") == true)
  }

  @Test(
    "a battery clock counts where its cell or its driver says so; the rest is doubt",
    arguments: [
      // Raspberry Pi 5: without a cell, with one, and by a kernel that does not show it.
      (
        rpi, "1795572000", ["battery_voltage": "12000"], "advice", "no cell or an empty one, 0.01 V"
      ),
      (rpi, "1795572000", ["battery_voltage": "2990000"], "ok", "a cell of 2.99 V"),
      (
        rpi, "1795572000", ["battery_voltage": "3000000", "charging_voltage": "3000000"], "ok",
        "or its charger shows that"
      ),
      (rpi, "1795572000", [:], "unchecked", "may have a cell or not"),
      // At 1970, and one whose time its chip calls invalid, which the kernel does not read out.
      (rpi, "312", ["hctosys": "1"], "advice", "no valid time"),
      ("rtc-ds1307 1-0068", "", [:], "advice", "no valid time"),
      ("rtc-ds1307 1-0068", "1795572000", [:], "ok", "cannot be known"),
      ("rtc_cmos 00:02", "1795572000", [:], "ok", "rtc0 (rtc_cmos 00:02)"),
      ("omap_rtc 44e3e000.rtc", "1795572000", [:], "unchecked", "does not show"),
    ] as [(String, String, [String: String], String, String)])
  func batteryClock(
    _ name: String, _ time: String, _ more: [String: String], _ state: String, _ words: String
  ) throws {
    for (file, text) in more.merging(["name": name, "since_epoch": time], uniquingKeysWith: { $1 })
    {
      machine.write(text + "\n", to: "sys/class/rtc/rtc0/\(file)")
    }
    let clock = try #require(try machine.doctor().checks["battery clock"])
    #expect(clock.says(state, words), "\(clock["words"].text ?? "")")
    let isInvalid = words == "no valid time"
    #expect(clock.commands == (isInvalid ? ["sudo hwclock --systohc --rtc /dev/rtc0"] : []))
  }

  @Test(
    "the clock with whose time the system starts is judged, and a better one beside it is named")
  func twoClocks() throws {
    machine.write("rpi-rtc soc:rpi_rtc\n", to: "sys/class/rtc/rtc0/name")
    machine.write("1795572000\n", to: "sys/class/rtc/rtc0/since_epoch")
    machine.write("0\n", to: "sys/class/rtc/rtc0/battery_voltage")
    machine.write("rtc-ds1307 1-0068\n", to: "sys/class/rtc/rtc1/name")
    machine.write("1795572000\n", to: "sys/class/rtc/rtc1/since_epoch")
    let first = try #require(try machine.doctor().checks["battery clock"])
    #expect(first.says("advice", "rtc0 (rpi-rtc soc:rpi_rtc) has no cell"))
    #expect(first.says("advice", "rtc1 is good, and not used at start"))
    machine.write("1\n", to: "sys/class/rtc/rtc1/hctosys")
    #expect(try machine.doctor().checks["battery clock"]?.says("ok", "rtc1 (rtc-ds1307") == true)
  }

  @Test("a line that another program has is named with that program's name for itself")
  func takenLine() throws {
    machine.write(
      "gpiochip0=pinctrl-bcm2711\nGPIO17=motor-control\nGPIO27=imulog\nGPIO22\n",
      to: "dev/gpiochip0")
    func checks(button: LineChoice = .automatic) -> [Check] {
      var configuration = RecorderConfiguration.default
      configuration.button = button
      return LineChecks(
        tree: SystemTree(root: machine.root), configuration: configuration,
        board: Board.named("raspberry-pi-4")
      ).run()
    }
    let taken = checks()
    #expect(taken.map(\.name) == ["button", "light"])
    #expect(taken[0].state == .advice, "recordings work without a button")
    #expect(taken[0].words.contains("\"motor-control\" is using the line"))
    #expect(taken[0].words.contains("End the program"))
    // Its own is left alone.
    #expect(taken[1].state == .unchecked && taken[1].words.contains("another imulog"))
    let free = checks(button: .named("GPIO22"))[0]
    #expect(free.state == .ok && free.words == "GPIO22 is free")
  }
}

/// A gate at which a transfer hangs.
private final class Jam: Sendable {
  let isFree = Atomic<Bool>(false)

  func hang() { while !isFree.load(ordering: .acquiring) { sched_yield() } }

}

/// A bus that hangs, and the search of other adapters: by a patience of a millisecond instead of half a minute.
@Suite("imulog doctor's look at a bus that hangs")
struct DoctorHangTests {
  private let patience: Int64 = 1_000_000

  @Test("a transfer that does not end is wrong after half a minute without progress, and named")
  func hangs() {
    #expect(BusChecks.patience == 30_000_000_000)
    let jam = Jam()
    defer { jam.isFree.store(true, ordering: .releasing) }
    let outcome = BusChecks.transfers(131, patience: patience) { progress in
      progress()
      jam.hang()
      return BusChecks.Outcome(checks: [], hasChip: true)
    }
    #expect(outcome.checks.map(\.name) == ["bus"] && outcome.checks[0].state == .wrong)
    #expect(outcome.checks[0].words.contains("the bus hangs"))
    #expect(outcome.checks[0].words.contains("switch the sensor's power off and on"))
    #expect(!outcome.hasChip, "so other adapters are looked at")
  }

  @Test("a transfer that ends has its outcome")
  func ends() {
    let outcome = BusChecks.transfers(132) { _ in
      BusChecks.Outcome(checks: [Check("chip", .ok("there"))], hasChip: true)
    }
    #expect(outcome.checks.map(\.words) == ["there"] && outcome.hasChip)
  }

  @Test("the chip is found on another adapter, past one that has none and one that hangs")
  func search() {
    let jam = Jam()
    defer { jam.isFree.store(true, ordering: .releasing) }
    let clock = VirtualClock()
    let adapters = (134...136).map { I2CAdapter(number: $0, name: "adapter \($0)") }
    // From now on the bus hangs, for which no one waits a second time.
    _ = BusChecks.transfers(134, patience: patience) { _ in
      jam.hang()
      return BusChecks.Outcome(checks: [], hasChip: false)
    }
    let checks = BusChecks.search(adapters) { adapter, _ in
      switch adapter.number {
      case 134: return nil
      case 135: return identify(SimulatedBus(clock: clock, busHertz: 400_000))
      default:
        let address = SensorModel.mpu6050.addresses[0]
        return identify(
          SimulatedBus(clock: clock, chip: .mpu6050, address: address, busHertz: 400_000))
      }
    }
    #expect(checks.map(\.name) == ["bus 134", "bus 136"])
    #expect(checks[0].state == .unchecked && checks[0].words.contains("the bus hangs"))
    #expect(checks[1].state == .advice)
    #expect(checks[1].words.contains("the MPU-6050 at 0x68 is on this bus (adapter 136)"))
  }

  @Test("the channels of a multiplexer are not named beside its bus, which has the chip or hangs")
  func channels() {
    let buses = [I2CAdapter(number: 137, name: "bcm2835"), I2CAdapter(number: 138, name: "other")]
    let channels = (0..<8).map {
      I2CAdapter(number: 140 + $0, name: "i2c-\($0 < 4 ? 137 : 139)-mux (chan_id \($0))")
    }
    let chip = SensorIdentity(model: .mpu6050, address: SensorModel.mpu6050.addresses[0])
    let checks = BusChecks.search(buses + channels, stuck: [139]) { adapter, _ in
      adapter.number == 138 ? nil : chip
    }
    #expect(checks.map(\.name) == ["bus 137"])
    #expect(checks[0].words.contains("is on this bus (bcm2835) or a channel of it: give --bus 137"))
    // One that only a channel has is named there.
    let channel = BusChecks.search(buses + channels) { adapter, _ in
      adapter.number == 142 ? chip : nil
    }
    #expect(channel.map(\.name) == ["bus 142"])
  }
}

private func identify(_ bus: consuming SimulatedBus<VirtualClock>) -> SensorIdentity? {
  var bus = consume bus
  do {
    return try SensorIdentity.identify(on: &bus)
  } catch {
    return nil
  }
}
