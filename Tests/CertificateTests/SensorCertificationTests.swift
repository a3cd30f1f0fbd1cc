// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LinuxIO
import SimulatedIMU
import TestSupport
import Testing

@testable import Certificate

/// What `imulog certify` says of a chip, of simulated ones.
@Suite("The certification of a chip", .waitsForPrograms)
struct SensorCertificationTests {
  /// The report on a chip at its first address, driven as `model`.
  private func report(
    _ chip: SimulatedChip, as model: SensorModel, motion: Motion = .still, isEnding: Bool = false,
    hasGivenCounts: Bool = false,
    inject: (inout SimulatedBus<VirtualClock>, VirtualClock) -> Void = { _, _ in }
  ) throws -> CertifyReport {
    let clock = VirtualClock()
    let address = model.addresses[0]
    var bus = SimulatedBus(
      clock: clock, chip: chip, address: address, motion: motion, busHertz: 400_000)
    let found = try SensorIdentity.identify(on: &bus, choice: SensorChoice(model: model))
    inject(&bus, clock)
    let configuration = SensorConfiguration(rate: try #require(SampleRate(10)), busClock: 400_000)
    return SensorCertification(
      configuration: configuration, clock: clock, hasGivenCounts: hasGivenCounts,
      isEnding: { isEnding }
    ).run(bus, found) {}
  }

  /// The lines before those of the self-test, and those after it; only a FIFO shows the chip's rate.
  private static func names(_ model: SensorModel, tests: [String]) -> [String] {
    let axes = ChannelSet.names.prefix(6)
    let rate = model == .lsm9ds1 ? [] : ["rate"]
    var names = ["identity", "clone"]
    names += tests
    names += ["restored", "registers", "bus-clock"] + rate + ["temperature", "still", "gravity"]
    names += axes.map { "noise-density-\($0)" }
    names += axes.suffix(3).map { "bias-\($0)" }
    return names + ["zero", "stuck", "equal", "axes"]
  }

  private static let selfTests = ChannelSet.names.prefix(6).map { "self-test-\($0)" }

  @Test(
    "a good chip passes on every line that can be judged at rest",
    arguments: [
      (SimulatedChip.mpu6050, SensorModel.mpu6050), (.mpu6050.answering(0x70), .mpu6500),
      (.lsm6dso, .lsm6dso), (.lsm6dso.answering(0x6A), .lsm6ds3trc), (.lsm9ds1, .lsm9ds1),
      (.lsm6dsv, .lsm6dsv), (.icm20948, .icm20948),
    ])
  func good(chip: SimulatedChip, model: SensorModel) throws {
    let report = try report(chip, as: model)
    #expect(report.findings.map(\.name) == Self.names(model, tests: Self.selfTests))
    // The axes must be turned for it, and the data sheet of the LSM9DS1 gives no noise.
    let isOpen = { (name: String) in
      name == "axes" || model == .lsm9ds1 && name.hasPrefix("noise-density")
    }
    for finding in report.findings {
      #expect(finding.verdict == (isOpen(finding.name) ? .unknown : .pass), "\(finding)")
    }
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

  @Test("the lines after the self-test are those of a recording's certificate, with its bounds")
  func certificate() throws {
    var chip = SimulatedChip.lsm6dso
    chip.noiseFactor = 0.2
    chip.axisFault = .held(axis: 4, count: 0, from: 0)
    let report = try report(chip, as: .lsm6dso)
    let failed = report.findings.filter { $0.verdict == .fail }
    let names = ["self-test-gy", "noise-density-ax", "zero"]
    #expect(names.allSatisfy { failed.map(\.name).contains($0) }, "\(report.lines)")
    #expect(failed.first { $0.name == "zero" }?.value == "gy")
    let clone = report.findings.first { $0.name == "clone" }
    #expect(clone?.verdict == .warn && clone?.value.contains("noise of the accelerometer") == true)
    // An LSM6DSO32, which answers the same, has half of gravity.
    var double = SimulatedChip.lsm6dso
    double.hasDoubleRange = true
    let wrong = try self.report(double, as: .lsm6dso)
    let gravity = wrong.findings.first { $0.name == "gravity" }
    #expect(gravity?.verdict == .fail && gravity?.value.contains("half") == true)
    #expect(wrong.verdict == .fail)
  }

  @Test("an identity that another model has too is named with it, and passes")
  func alternatives() throws {
    let report = try report(.lsm6dso, as: .lsm6dso)
    let identity = try #require(report.findings.first)
    #expect(identity.value == "0x6c LSM6DSO, or LSM6DSOX, LSM6DSO32, which answer the same")
    #expect(identity.bound == "0x6c" && identity.verdict == .pass)
  }

  @Test("a copy is a warning by its identity and by its trim, and no failure")
  func copies() throws {
    let unknown = try report(.mpu6050.answering(0x42), as: .mpu6050)
    #expect(unknown.findings.first?.verdict == .warn)
    #expect(unknown.findings.first?.value == "0x42, driven as MPU-6050")
    #expect(unknown.findings.contains { $0.name == "gravity" && $0.verdict == .pass })
    var chip = SimulatedChip.mpu6050
    chip.selfTest.hasTrim = false
    let untrimmed = try report(chip, as: .mpu6050)
    #expect(untrimmed.findings.first?.verdict == .pass)
    #expect(untrimmed.findings[1].value == "by self-test")
    #expect(untrimmed.findings[1...7].allSatisfy { $0.verdict == .warn })
    #expect(untrimmed.verdict == .warn)
  }

  @Test("one dead axis fails on its line alone")
  func deadAxis() throws {
    var chip = SimulatedChip.lsm6dso
    chip.selfTest.angularRate.y = 0
    let report = try report(chip, as: .lsm6dso)
    let failed = report.findings.filter { ![.pass, .unknown].contains($0.verdict) }.map(\.name)
    #expect(failed == ["self-test-gy"] && report.verdict == .fail)
  }

  @Test("a wrong answer to the self-test is not judged where counts are given, and it says why")
  func givenCounts() throws {
    var chip = SimulatedChip.lsm6dso
    chip.selfTest.angularRate.y = 0
    let report = try report(chip, as: .lsm6dso, hasGivenCounts: true)
    let test = try #require(report.findings.first { $0.name == "self-test-gy" })
    #expect(test.verdict == .unknown && report.verdict == .unknown)
    #expect(test.value.hasSuffix("; not judged: the counts of a motion's file are not an answer"))
  }

  @Test("a wrong answer to the self-test of a chip that moves right after it is not judged")
  func movedAfter() throws {
    // These counts do not answer. The self-test takes about two seconds.
    func counts(movedFrom start: Int) throws -> Motion {
      let rows = (0..<3000).map { row in
        let swing = row < start ? row % 3 : row * 40 % 4000
        return "\(row * 10_000),\(swing),5,8192,\(row % 4),3,\(row % 5)\n"
      }
      return try Motion(csv: ("t_us,ax,ay,az,gx,gy,gz\n" + rows.joined()).utf8, named: "m.csv")
    }
    let still = try report(.mpu6050, as: .mpu6050, motion: try counts(movedFrom: 3000))
    #expect(still.verdict == .fail && !still.isMoved)
    let moved = try report(.mpu6050, as: .mpu6050, motion: try counts(movedFrom: 300))
    let tests = moved.findings.filter { $0.name.hasPrefix("self-test") }
    #expect(moved.isMoved && tests.count == 6, "\(moved.lines)")
    #expect(
      tests.allSatisfy { $0.verdict == .unknown && $0.value.hasSuffix("; not judged: it moved") })
  }

  @Test("a chip that moves is not judged, but what else is wrong is found")
  func moved() throws {
    let report = try report(.lsm6dso, as: .lsm6dso, motion: .tumble)
    #expect(report.isMoved && report.verdict == .unknown)
    #expect(report.findings.map(\.name) == Self.names(.lsm6dso, tests: ["self-test"]))
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
    #expect(report.findings.map(\.name) == ["identity", "self-test", "restored", "registers"])
    #expect(report.findings.dropFirst().allSatisfy { $0.verdict == .fail })
    for finding in report.findings.dropFirst() {
      #expect(finding.value.contains("the bus timed out, a line is held low"))
    }
  }

  @Test("a chip that gives no samples fails, and is not said to have moved")
  func silent() throws {
    // From the first reading of the fill of its FIFO on (FIFO_STATUS1).
    let report = try report(.lsm6dso, as: .lsm6dso) { bus, clock in
      bus.inject(
        .fail(.timeout, errno: 110, transfers: 1_000_000),
        at: .read(register: 0x3A, from: clock.now()))
    }
    #expect(
      report.findings.map(\.name)
        == ["identity", "clone"] + Self.selfTests + ["restored", "registers", "samples"])
    #expect(report.findings.last?.verdict == .fail && !report.isMoved)
  }

  @Test("a program that is to end finishes the self-test, and waits for no samples")
  func ending() throws {
    let report = try report(.lsm6dso, as: .lsm6dso, isEnding: true)
    #expect(
      report.findings.map(\.name)
        == ["identity", "clone"] + Self.selfTests + ["restored", "registers", "samples"])
    #expect(report.findings.last?.value == "none")
    #expect(report.findings.dropLast().allSatisfy { $0.verdict == .pass })
  }

  @Test("a chip that fails among its samples fails, and is not said to have moved")
  func failing() throws {
    var whole: VirtualClock?
    #expect(try report(.lsm6dso, as: .lsm6dso) { _, clock in whole = clock }.verdict == .pass)
    // Two seconds before everything is measured; all begin at one instant.
    let instant = try #require(whole).now() + -2_000_000_000
    let report = try report(.lsm6dso, as: .lsm6dso) { bus, _ in
      bus.inject(.fail(.timeout, errno: 110, transfers: 1_000_000), at: .time(instant))
    }
    #expect(report.findings.last?.name == "samples" && report.findings.last?.verdict == .fail)
    #expect(report.findings.last?.value.hasSuffix(" missing") == true, "\(report.findings)")
    #expect(!report.isMoved && report.verdict == .fail)
  }

  @Test("a temperature that no chip has is a warning")
  func temperature() throws {
    let hot = Motion.steady(
      Motion.Truth(
        acceleration: SIMD3(0, 0, Motion.standardGravity), angularRate: SIMD3(repeating: 0),
        temperature: 86))
    let report = try report(.mpu6050, as: .mpu6050, motion: hot)
    let finding = try #require(report.findings.first { $0.name == "temperature" })
    #expect(finding.value == "86 °C")
    #expect(finding.bound == "-40 to 85 °C" && finding.verdict == .warn)
  }
}
