// SPDX-License-Identifier: Apache-2.0

import Boards
import IMUDrivers
import IMUModel
import LinuxIO
import Recorder
import SimulatedIMU
import Testing

@testable import Doctor
@testable import imulog

/// What `imulog doctor` says of several sensors, on simulated buses.
@Suite("imulog doctor's checks of several sensors")
struct DoctorSensorTests {
  private let clock = VirtualClock()

  /// Chips on a bus, sensors of a configuration, and lines of the report: title, state and words.
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let chips: [String]
    let sensors: [String]
    let lines: [(String, Finding.State, String)]

    init(
      _ what: String, _ chips: [String], _ sensors: [String],
      _ lines: [(String, Finding.State, String)]
    ) {
      (testDescription, self.chips, self.sensors, self.lines) = (what, chips, sensors, lines)
    }
  }

  private func look(_ row: Row, spoiling: ((inout SimulatedBus<VirtualClock>) -> Void)? = nil)
    throws -> [String: Check]
  {
    var bus = SimulatedBus(clock: clock, busHertz: 400_000)
    for text in row.chips {
      let choice = try #require(SensorChoice(text))
      bus.attach(
        choice.model == .mpu6050 ? .mpu6050 : .lsm6dso, at: try #require(choice.address))
    }
    spoiling?(&bus)
    let sensors = try row.sensors.map { text in
      let sensor = try NamedSensor(option: text)
      let configuration = try ConfigurationFile.read([], file: "", options: sensor.options)
      return (
        sensor: DoctorSensor(sensor.name, configuration),
        chips: ChipChecks(
          configuration: configuration, board: Board.named("raspberry-pi-4"),
          configured: 400_000, clock: clock)
      )
    }
    let found = SensorChecks.sensors(
      &bus, of: sensors, on: BusPath(root: 1), free: SensorFamily.allAddresses
    ) {}
    let checks = found.flatMap(\.checks) + SensorChecks.together(found)
    for check in checks where check.name != "bus time" {
      #expect(check.words.count <= 200, "\(check.words)")
      #expect(DoctorCheck.all.contains { $0.lines.contains { $0.key == check.name } })
    }
    return Dictionary(checks.map { ($0.title, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private static let two = ["a=mpu6050@0x68", "b=mpu6050@0x69"]

  @Test(
    "each has its chip, and what ails them together is named",
    arguments: [
      Row(
        "two good ones", ["mpu6050@0x68", "lsm6dso@0x6b"],
        ["a=mpu6050@0x68", "b=lsm6dso@0x6b rate=208"],
        [
          ("chip a", .ok, "MPU-6050 at 0x68"), ("chip b", .ok, "LSM6DSO at 0x6b"),
          ("wiring b", .ok, "none failed"), ("sensors", .ok, "each of 2"),
          ("bus time", .ok, "a 1 %, b 9 %, together 9 % of the time"),
        ]),
      Row(
        "one name too many", ["mpu6050@0x68"], ["a=mpu6050", "b=auto@0x68"],
        [("sensors", .wrong, "a and b are the same chip, the MPU-6050 at 0x68 of i2c-1")]),
      Row(
        "one address for two chips that are not there", ["lsm6dso@0x6a"],
        ["a=mpu6050@0x68", "b=mpu6050@0x68"],
        [("sensors", .wrong, "the same chip, at 0x68 of i2c-1"), ("chip a", .wrong, "MPU-6050")]),
      Row(
        "a chip at the other address", ["mpu6050@0x69"], ["a=mpu6050@0x68"],
        [
          (
            "other address a", .wrong,
            "no chip is at 0x68, and an MPU-6050 is at 0x69, with no name: connect the AD0 to ground, or give @0x69"
          )
        ]),
      Row(
        "a chip at the other address, upwards", ["lsm6dso@0x6a"], ["a=lsm6dso@0x6b"],
        [("other address a", .wrong, "connect the SDO (SA0) to 3.3 V, or give @0x6a")]),
      Row(
        "two chips, and one of them silent", ["mpu6050@0x68"], two,
        [
          ("chip a", .ok, "MPU-6050 at 0x68"),
          (
            "other address b", .wrong,
            "at 0x68, that of a, perhaps with it: connect the AD0 to 3.3 V"
          ),
        ]),
      Row(
        "a second chip without a name", ["mpu6050@0x68", "mpu6050@0x69"], ["a=mpu6050@0x68"],
        [("other address a", .advice, "answers at 0x69, too")]),
      Row(
        "more than the bus has time for", ["mpu6050@0x68", "mpu6050@0x69", "lsm6dso@0x6a"],
        ["a=mpu6050@0x68 rate=1000", "b=mpu6050@0x69 rate=1000", "c=lsm6dso@0x6a rate=1666"],
        [
          ("rate a", .ok, "1000 Hz"), ("bus time", .wrong, "more than all of the bus's time"),
          ("sensors", .ok, "each of 3"),
        ]),
      Row(
        "a line that is not tried", ["lsm6dso@0x6a"], ["a=lsm6dso@0x6a rate=416 interrupt=GPIO22"],
        [("data-ready line a", .unchecked, "with one sensor only")]),
    ])
  func together(_ row: Row) throws {
    let checks = try look(row)
    for (title, state, words) in row.lines {
      let check = try #require(checks[title], "\(title) of \(checks.keys.sorted())")
      #expect(check.state == state && check.words.contains(words), "\(title): \(check.words)")
    }
    // What is good has no line about the other address or the pull-ups.
    guard row.testDescription == "two good ones" else { return }
    #expect(checks["other address a"] == nil && checks["pull-ups"] == nil)
  }

  @Test("an open AD0 is a chip that answers now here, now there")
  func openPin() throws {
    let mpu = SensorIdentity(model: .mpu6050, address: SensorModel.mpu6050.addresses[0])
    let found = ["a=mpu6050@0x68", "b=mpu6050@0x69"].map { text in
      FoundSensor(
        sensor: DoctorSensor(String(text.prefix(1)), .default), bus: BusPath(root: 1),
        identity: mpu)
    }
    let pair = try #require(AddressPair(found[0], among: [found[0]]))
    for (answers, words) in [
      ((own: 12, other: 8, both: 0), "now at 0x68, now at 0x69: its AD0 is open"),
      ((own: 1, other: 1, both: 18), "its AD0 is open"), ((own: 20, other: 0, both: 0), nil),
      ((own: 0, other: 0, both: 0), nil), ((own: 0, other: 0, both: 20), "answers at 0x69, too"),
    ] as [((own: Int, other: Int, both: Int), String?)] {
      let finding = pair.finding(answers)
      #expect(finding?.words.contains(words ?? "?") ?? (words == nil), "\(answers)")
    }
  }

  @Test("a chip at the other address that is named on the bus before the channel is that one")
  func neighbour() throws {
    func sensor(_ name: String, _ path: String, _ address: Int) throws -> FoundSensor {
      FoundSensor(
        sensor: DoctorSensor(name, .default), bus: try #require(BusPath(path)),
        identity: SensorIdentity(
          model: .mpu6050, address: SensorModel.mpu6050.addresses[address]))
    }
    let own = try sensor("a", "1/mux@70/3", 0)
    for (path, neighbour) in [("1", "b"), ("1/mux@70/3", "b"), ("1/mux@70/4", nil), ("2", nil)] {
      let pair = AddressPair(own, among: [own, try sensor("b", path, 1)])
      #expect(pair?.neighbour == neighbour, "\(path)")
    }
  }

  @Test("where reads fail, several breakouts' pull-ups are counted, and only there")
  func pullUps() throws {
    let row = Row("", ["mpu6050@0x68", "mpu6050@0x69"], DoctorSensorTests.two, [])
    #expect(try look(row)["pull-ups"] == nil)
    let bad = try look(row) { $0.inject(.fail(.bus, errno: 5, transfers: 4), at: .transfer(20)) }
    #expect(bad["wiring a"]?.state == .wrong)
    let check = try #require(bad["pull-ups"])
    // 2.9 V by 3 mA.
    #expect(check.state == .advice && check.words.contains("pull-ups of 2 breakouts"))
    #expect(check.words.contains("0.97 kΩ together at least"), "\(check.words)")
  }
}
