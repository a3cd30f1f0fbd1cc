// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import SimulatedIMU
import Testing

@Suite("A self-test that something interrupts")
struct SelfTestFailureTests {
  /// One of each set-up.
  static let models: [SensorModel] = [
    .mpu6050, .mpu6500, .lsm6ds3, .lsm6dsl, .lsm6dso, .lsm9ds1, .lsm6dsv, .icm20948,
  ]

  /// A chip that a recording has left with settings of its own, or one as its power-on leaves it.
  static func used(
    _ model: SensorModel
  ) -> (inout SimulatedBus<VirtualClock>) throws(BusError) -> Void {
    { bus throws(BusError) in
      let address = model.addresses[0]
      let writes: [(UInt8, UInt8)]
      switch model.family {
      case .mpu6050:
        writes = [(0x6B, 0x01), (0x1A, 0x05), (0x19, 9), (0x1B, 0x18), (0x1C, 0x08), (0x38, 0x01)]
      case .lsm6ds: writes = [(0x12, 0x44), (0x13, 0x02), (0x10, 0x5A), (0x11, 0x6C), (0x17, 0x20)]
      case .lsm6dsv:
        writes = [(0x12, 0x40), (0x10, 0x06), (0x11, 0x08), (0x15, 0x23), (0x17, 0x02)]
      case .icm20948:
        writes = [
          (0x06, 0x01), (0x11, 0x01), (0x7F, 0x20), (0x00, 9), (0x01, 0x2F), (0x14, 0x0D),
          (0x7F, 0),
        ]
      default: writes = [(0x22, 0x44), (0x20, 0x67), (0x10, 0x79), (0x11, 0x02)]
      }
      for (register, value) in writes {
        try bus.write(address, register: register, value: value)
      }
    }
  }

  /// Runs with a fault at operation N, for every N from 1 on.
  private func runs(
    _ model: SensorModel, with fault: Fault
  ) throws -> [(number: Int, outcome: SelfTestBench.Outcome)] {
    let (bench, prepare) = (SelfTestBench(model), Self.used(model))
    let good = try bench(prepare: prepare)
    #expect(good.before == good.after && good.isRestored)
    return try (1...good.transfers).map { number in
      let outcome = try bench(prepare: prepare) { bus in
        bus.inject(fault, at: .transfer(bus.transferCount + number))
      }
      return (number, outcome)
    }
  }

  @Test("once at operation N, for every N, is repeated and changes nothing", arguments: models)
  func transient(model: SensorModel) throws {
    for (number, outcome) in try runs(model, with: .fail(.noAcknowledge, errno: 121)) {
      #expect(outcome.verdicts == Array(repeating: .pass, count: 6), "operation \(number)")
      #expect(outcome.isRestored && outcome.before == outcome.after, "operation \(number)")
    }
  }

  @Test(
    "by a failure at operation N, for every N, is reported with the register, and the registers are as before",
    arguments: models)
  func failure(model: SensorModel) throws {
    var ended = 0
    let runs = try runs(model, with: .fail(.timeout, errno: 110))
    for (number, outcome) in runs {
      #expect(outcome.isRestored && outcome.before == outcome.after, "operation \(number)")
      if case .failed(.bus(let failed, _, let error)) = outcome.report.outcome {
        #expect(failed == model && error.kind == .timeout, "operation \(number)")
        ended += 1
        let finding = try #require(outcome.report.findings.first)
        #expect(finding.verdict == .fail && finding.value.hasPrefix("not finished: "))
      } else {
        // Only a failure of the restoration itself, which is then repeated, does not end the test.
        #expect(outcome.verdicts == Array(repeating: .pass, count: 6), "operation \(number)")
      }
    }
    #expect(ended > runs.count / 2 && ended < runs.count)
  }

  @Test("by a register that reads otherwise each time ends, and no reading of it is written back")
  func unsteady() throws {
    let outcome = try SelfTestBench(.mpu6050)(prepare: Self.used(.mpu6050)) { bus in
      // The identity is read first, then the trim, five times at most.
      for number in 2...6 {
        bus.inject(
          .corrupt(byte: 0, mask: number % 2 == 0 ? 0x01 : 0x02),
          at: .transfer(bus.transferCount + number))
      }
    }
    guard case .failed(.unsteady(.mpu6050, _, _)) = outcome.report.outcome else {
      Issue.record("\(outcome.report.outcome)")
      return
    }
    #expect(outcome.isRestored && outcome.before == outcome.after)
    let finding = try #require(outcome.report.findings.first)
    #expect(finding.verdict == .fail && finding.value.contains("answers differently each time"))
  }

  @Test(
    "by a bus that fails from operation N on, for every N, says that the registers are not as before, or they are",
    arguments: models)
  func dead(model: SensorModel) throws {
    var lost = 0
    // The bench reads the registers when the run has given up, so some failures are left for it.
    let runs = try runs(model, with: .fail(.timeout, errno: 110, transfers: 60))
    for (number, outcome) in runs {
      if outcome.isRestored {
        #expect(outcome.before == outcome.after, "operation \(number)")
      } else {
        lost += 1
        let finding = try #require(outcome.report.findings.last)
        #expect(finding.name == "restored" && finding.verdict == .fail)
        #expect(finding.value.contains("the bus timed out"))
      }
    }
    #expect(lost > runs.count / 2)
  }

  @Test(
    "by a dip of the supply at operation N, for every N, does not pass for a chip's failure, and restores the registers or says that it cannot",
    arguments: models)
  func brownOut(model: SensorModel) throws {
    var (unseen, refused): ([Int], [Int]) = ([], [])
    let runs = try runs(model, with: .brownOut)
    for (number, outcome) in runs {
      #expect(!outcome.verdicts.contains(.fail), "operation \(number): \(outcome.report)")
      if case .moved = outcome.report.outcome {
        Issue.record("operation \(number): \(outcome.report)")
      }
      if !outcome.isRestored {
        refused.append(number)
        #expect(outcome.report.findings.last?.verdict == .fail, "operation \(number)")
      } else if outcome.before != outcome.after {
        unseen.append(number)
      }
    }
    // Before settings were read nothing shows that they were others; while they are read they may be lost; then they are known.
    let known = unseen.count + refused.count + 1
    #expect(unseen == Array(1..<unseen.count + 1), "\(unseen)")
    #expect(refused == Array(unseen.count + 1..<known), "\(refused)")
    // An ICM-20948 is asked for its bank each time.
    let share = model == .icm20948 ? 2 : 4
    #expect(!refused.isEmpty && known < runs.count / share, "\(unseen) \(refused)")
  }

  @Test("by another chip at its address writes nothing to it")
  func foreign() throws {
    for model in Self.models {
      let counts = SelfTestCounts(model, counts: Array(repeating: 0, count: 6))
      counts.bus.registers[Int(model.family.identityRegister.address)] = 0x42
      guard case .failed(.foreignIdentity(_, _, _, let found)) = counts.report().outcome else {
        Issue.record("\(model) was tested")
        continue
      }
      #expect(found == 0x42)
      for transfer in counts.bus.trace {
        if case .write = transfer { Issue.record("\(model): \(transfer)") }
      }
    }
  }

  @Test(
    "by motion is neither passed nor failed, and the registers are as before", arguments: models)
  func moved(model: SensorModel) throws {
    let outcome = try SelfTestBench(model)(motion: .tumble, prepare: Self.used(model))
    #expect(outcome.report.isMoved)
    #expect(outcome.isRestored && outcome.before == outcome.after)
    let finding = try #require(outcome.report.findings.first)
    #expect(finding.name == "self-test" && finding.verdict == .unknown)
    #expect(finding.value.hasPrefix("a") && finding.value.contains(" moved by "))
    #expect(finding.bound == "at most 45 mg")
  }

  @Test("by a tilt between the phases, whose samples agree among themselves, is motion too")
  func tilted() {
    // 60 mg from the middle of the answer on: 492 counts at ±4 g.
    var isTilted = false
    let counts = SelfTestCounts(.lsm6dso, counts: [2000, 2000, 2000, 5000, 5000, 5000]) {
      _, channel, isOn in
      if isOn { isTilted = true }
      return isTilted && !isOn && channel == 1 ? 492 : 0
    }
    guard case .moved(let channel, let amount) = counts.report().outcome else {
      Issue.record("it was judged")
      return
    }
    #expect(channel == 1)
    #expect(abs(amount - 0.060) < 0.001)
  }

  @Test("stillness is a spread of 45 mg or 3 °/s and no more")
  func stillness() {
    // 45 mg are 368.9 counts of 0.122 mg, 3 °/s are 42.9 of 70 m°/s.
    for (axis, counts) in [(0, 368), (2, 368), (3, 42), (5, 42)] {
      for (spread, isMoved) in [(counts, false), (counts + 1, true)] {
        let chip = SelfTestCounts(.lsm6dso, counts: [2000, 2000, 2000, 5000, 5000, 5000]) {
          sample, channel, _ in channel == axis && sample % 2 == 0 ? spread : 0
        }
        // Means of five samples differ by a fifth of the spread, which changes no judgement.
        #expect(chip.report().isMoved == isMoved, "axis \(axis), \(spread) counts")
      }
    }
  }
}

/// A run whose bus hung for longer than it tries to restore the registers.
@Suite("A chip that a self-test left as it was")
struct SelfTestLeftoverTests {
  /// The registers that hold the bits of the self-test, and those bits.
  private static func bits(_ family: SensorFamily) -> [(register: UInt8, bits: UInt8)] {
    switch family {
    // GYRO_CONFIG and ACCEL_CONFIG.
    case .mpu6050: [(0x1B, 0xE0), (0x1C, 0xE0)]
    // GYRO_CONFIG_2 and ACCEL_CONFIG_2 of bank 2.
    case .icm20948: [(0x02, 0x38), (0x15, 0x1C)]
    // CTRL5_C.
    case .lsm6ds: [(0x14, 0x0F)]
    // CTRL10.
    case .lsm6dsv: [(0x19, 0x0F)]
    // CTRL_REG10.
    default: [(0x24, 0x05)]
    }
  }

  @Test("leaves it with the next recording's set-up", arguments: SelfTestFailureTests.models)
  func nextRecording(model: SensorModel) throws {
    let run = SimulatedRun(
      model: model, chip: SelfTestBench(model).chip, address: model.addresses[0])
    let configuration = SensorConfiguration(rate: hertz(100), busClock: 400_000)
    let fresh = try run(configuration)
    let left = try run(
      configuration,
      before: { bus in
        // Sleeping chips take no settings.
        if model.family == .mpu6050 { try bus.write(run.address, register: 0x6B, value: 0x01) }
        if model == .icm20948 { try bus.write(run.address, register: 0x06, value: 0x01) }
        try run.select(bank: 2, on: &bus)
        for (register, bits) in Self.bits(model.family) {
          let value = run.address.rawValue == 0x68 ? bits : bits & 0x05
          try bus.write(run.address, register: register, value: value)
          let held = try bus.read(run.address, register: register)
          #expect(held & bits == value, "\(model.name): the chip takes the self-test")
        }
        try run.select(bank: 0, on: &bus)
      })
    for (register, bits) in Self.bits(model.family) {
      #expect(left.registers[Int(register)] & bits == 0, "\(model.name)")
      #expect(left.registers[Int(register)] == fresh.registers[Int(register)], "\(model.name)")
    }
  }

  @Test("is named with what ends it")
  func sentence() throws {
    let outcome = try SelfTestBench(.lsm6dso)(prepare: SelfTestFailureTests.used(.lsm6dso)) { bus in
      bus.inject(.fail(.timeout, errno: 110, transfers: 60), at: .transfer(bus.transferCount + 60))
    }
    let finding = try #require(outcome.report.findings.last)
    #expect(finding.verdict == .fail)
    #expect(
      finding.value.hasSuffix("the chip may be in its self-test until the next recording resets it")
    )
  }
}
