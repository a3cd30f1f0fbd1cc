// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import SimulatedIMU
import TestScheduling
import Testing

@testable import imulog

/// What `imulog certify` says of a chip, of simulated ones.
@Suite("imulog certify", .waitsForPrograms)
struct CertifyTests {
  /// The report on a chip at its first address, driven as `model`.
  private func report(
    _ chip: SimulatedChip, as model: SensorModel, motion: Motion = .still,
    inject: (inout SimulatedBus<VirtualClock>, VirtualClock) -> Void = { _, _ in }
  ) throws -> CertifyReport {
    let clock = VirtualClock()
    let address = model.addresses[0]
    var bus = SimulatedBus(
      clock: clock, chip: chip, address: address, motion: motion, busHertz: 400_000)
    let found = try SensorIdentity.identify(on: &bus, choice: SensorChoice(model: model))
    inject(&bus, clock)
    let configuration = SensorConfiguration(rate: try #require(SampleRate(10)), busClock: 400_000)
    return SensorCertification(configuration: configuration, clock: clock).run(bus, found) {}
  }

  private static let names =
    ["identity"] + ChannelSet.names.prefix(6).map { "self-test-\($0)" }
    + ["restored", "registers", "temperature"]

  @Test(
    "a good chip passes on every line",
    arguments: [
      (SimulatedChip.mpu6050, SensorModel.mpu6050), (.mpu6050.answering(0x70), .mpu6500),
      (.lsm6dso, .lsm6dso), (.lsm6dso.answering(0x6A), .lsm6ds3trc), (.lsm9ds1, .lsm9ds1),
      (.lsm6dsv, .lsm6dsv),
    ])
  func good(chip: SimulatedChip, model: SensorModel) throws {
    let report = try report(chip, as: model)
    #expect(report.findings.map(\.name) == Self.names)
    #expect(report.findings.allSatisfy { $0.verdict == .pass }, "\(report.lines)")
    #expect(report.verdict == .pass && !report.isMoved)
  }

  @Test("lines are aligned: verdict, name, value, and the bound in brackets")
  func lines() {
    let report = CertifyReport(
      sensor: SensorIdentity(model: .lsm6dso, address: SensorModel.lsm6dso.addresses[0]),
      findings: [
        .init(name: "self-test-ax", value: "312 mg", bound: "90 to 1700 mg", verdict: .pass),
        .init(name: "registers", value: "9 of them", bound: "as written", verdict: .fail),
        .init(name: "noise", value: "-", bound: "at most 4", verdict: .unknown),
        .init(
          name: "restored", value: String(repeating: "x", count: 41), bound: "\u{1B}[2J",
          verdict: .warn),
      ], isMoved: false)
    #expect(
      report.lines == [
        "PASS  self-test-ax  312 mg     (90 to 1700 mg)",
        "FAIL  registers     9 of them  (as written)",
        "-     noise         -          (at most 4)",
        "WARN  restored      " + String(repeating: "x", count: 41) + "  (?[2J)",
      ])
    #expect(report.verdict == .fail)
  }

  @Test("an identity that another model has too is named with it, and passes")
  func alternatives() throws {
    let report = try report(.lsm6dso, as: .lsm6dso)
    let identity = try #require(report.findings.first)
    #expect(
      identity.value == "0x6c at 0x6a, LSM6DSO, or LSM6DSOX, LSM6DSO32, which answer the same")
    #expect(identity.bound == "0x6c of the LSM6DSO" && identity.verdict == .pass)
  }

  @Test("a copy is a warning by its identity and by its trim, and no failure")
  func copies() throws {
    let unknown = try report(.mpu6050.answering(0x42), as: .mpu6050)
    #expect(unknown.findings.first?.verdict == .warn)
    #expect(unknown.findings.first?.value.contains("0x42 at 0x68, as no original answers") ?? false)
    var chip = SimulatedChip.mpu6050
    chip.selfTest.hasTrim = false
    let untrimmed = try report(chip, as: .mpu6050)
    #expect(untrimmed.findings.first?.verdict == .pass)
    #expect(untrimmed.findings[1...6].allSatisfy { $0.verdict == .warn })
    #expect(untrimmed.verdict == .warn)
  }

  @Test("one dead axis fails on its line alone")
  func deadAxis() throws {
    var chip = SimulatedChip.lsm6dso
    chip.selfTest.angularRate.y = 0
    let report = try report(chip, as: .lsm6dso)
    let failed = report.findings.filter { $0.verdict != .pass }.map(\.name)
    #expect(failed == ["self-test-gy"] && report.verdict == .fail)
  }

  @Test("a chip that moves is not judged, but what else is wrong is found")
  func moved() throws {
    let report = try report(.lsm6dso, as: .lsm6dso, motion: .tumble)
    #expect(report.isMoved && report.verdict == .unknown)
    #expect(
      report.findings.map(\.name)
        == ["identity", "self-test", "restored", "registers", "temperature"])
    var copy = SimulatedChip.mpu6050.answering(0x42)
    copy.selfTest.hasTrim = false
    #expect(try self.report(copy, as: .mpu6050, motion: .tumble).verdict == .unknown)
  }

  @Test("a bus that breaks is a failure with its cause, and the lines before it stand")
  func broken() throws {
    let report = try report(.lsm6dso, as: .lsm6dso) { bus, clock in
      bus.inject(
        .fail(.timeout, errno: 110, transfers: 1_000_000),
        at: .time(clock.now() + 300_000_000))
    }
    #expect(
      report.findings.map(\.name) == ["identity", "self-test", "restored", "registers"])
    #expect(report.findings.dropFirst().allSatisfy { $0.verdict == .fail })
    for finding in report.findings.dropFirst() {
      #expect(finding.value.contains("the bus timed out, a line is held low"))
    }
  }

  @Test("a temperature that no chip has is a warning")
  func temperature() throws {
    let hot = Motion.steady(
      Motion.Truth(
        acceleration: SIMD3(0, 0, Motion.standardGravity), angularRate: SIMD3(repeating: 0),
        temperature: 86))
    let report = try report(.mpu6050, as: .mpu6050, motion: hot)
    let finding = try #require(report.findings.last)
    #expect(finding.name == "temperature" && finding.value == "86 °C")
    #expect(finding.bound == "-40 to 85 °C" && finding.verdict == .warn)
  }

  // MARK: The program

  @Test("prints a line for each finding and exits with 0 for the simulator's chips")
  func program() {
    let bench = Bench()
    for sensor in ["auto", "mpu6050", "lsm6dso", "lsm9ds1", "lsm6dsv"] {
      let outcome = bench.run("certify", "--board", "simulator", "--sensor", sensor)
      #expect(outcome.status == 0, "\(outcome.talk)")
      #expect(outcome.lines.count == Self.names.count)
      #expect(outcome.lines.allSatisfy { $0.hasPrefix("PASS  ") && $0.hasSuffix(")") })
    }
  }

  @Test("exits with 75 for a chip that moves, with a sentence, and prints its document")
  func movedProgram() throws {
    let outcome = Bench().run(
      "certify", "--board", "simulator", "--motion", "tumble", "--json")
    #expect(outcome.status == 75)
    #expect(outcome.talk.contains("the sensor moved: hold it still and run it again"))
    let document = try JSON(outcome.bytes)
    #expect(document["verdict"] == .string("unknown") && document["isMoved"] == .bool(true))
  }

  @Test("exits with 1 for a chip that does not answer its self-test")
  func failed() throws {
    // Counts of a file are what they are, with the self-test as without it.
    let bench = Bench()
    bench.directory.write(
      Array("t_us,ax,ay,az,gx,gy,gz,temp\n0,1,2,8192,4,5,6,7\n1000,1,2,8192,4,5,6,7\n".utf8),
      to: "still.csv")
    let outcome = bench.run(
      "certify", "--board", "simulator", "--motion", "\(bench.directory.path)/still.csv")
    #expect(outcome.status == 1)
    #expect(outcome.lines.filter { $0.hasPrefix("FAIL  self-test-") }.count == 6)
    #expect(outcome.talk.isEmpty)
  }

  @Test(
    "what cannot be done is refused in a sentence",
    arguments: [
      Refusal("certify --bus 77", 69, "I2C bus 77"),
      Refusal("certify --bus -1", 64, "--bus -1", "number N"),
      Refusal("certify --board nope", 78, "no board named nope"),
      Refusal("certify --board simulator --bus 1", 64, "leave --bus out"),
      Refusal("certify --board simulator --sensor nope", 78, "--sensor nope", "auto"),
      Refusal("certify --bus 1 --motion still", 64, "--motion", "--board simulator"),
    ])
  func refused(refusal: Refusal) {
    expectSentence(Bench().run(refusal.arguments), refusal.status, refusal.words)
  }
}
