// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import SimulatedIMU
import Testing

/// Takes the steps of a self-test to its end; returns its report and the waits that it asked for.
func run<Bus: I2CBus & ~Copyable>(
  _ test: inout SelfTest<Bus>, _ wait: (Int64) -> Void = { _ in }
) -> (report: SelfTestReport, waits: [Int64]) {
  var waits: [Int64] = []
  while waits.count < 2000 {
    switch test.step() {
    case .wait(let nanoseconds):
      waits.append(nanoseconds)
      wait(nanoseconds)
    case .done(let report): return (report, waits)
    }
  }
  preconditionFailure("a self-test has no end")
}

/// A self-test of a simulated chip on a clock that is moved by hand.
struct SelfTestBench {
  let model: SensorModel
  var chip: SimulatedChip

  /// The simulated chip that has the model's registers and identity.
  init(_ model: SensorModel) {
    self.model = model
    let chips: [(SensorFamily, SimulatedChip)] = [
      (.mpu6050, .mpu6050), (.lsm6ds, .lsm6dso), (.lsm6dsv, .lsm6dsv), (.lsm9ds1, .lsm9ds1),
      (.icm20948, .icm20948),
    ]
    guard let chip = chips.first(where: { $0.0 == model.family })?.1 else {
      preconditionFailure("the family has no simulated chip")
    }
    self.chip = chip.answering(model.identity)
  }

  var address: I2CAddress { model.addresses[0] }

  /// What a run left: its report, and the registers before and after it.
  struct Outcome {
    let report: SelfTestReport
    let waits: [Int64]
    let before: [UInt8]
    let after: [UInt8]
    /// Transfers of the run.
    let transfers: Int

    var answers: [SelfTestAnswer] {
      if case .answers(let answers) = report.outcome { return answers }
      return []
    }

    var verdicts: [CertificateFinding.Verdict] { answers.map(\.verdict) }
    var isRestored: Bool {
      if case .proved = report.restoration { return true }
      return false
    }
  }

  /// - Parameters:
  ///   - prepare: What the chip was used for before.
  ///   - inject: Faults, counted from the run's first transfer.
  func callAsFunction(
    motion: Motion = .still,
    prepare: (inout SimulatedBus<VirtualClock>) throws(BusError) -> Void = { _ in },
    inject: (inout SimulatedBus<VirtualClock>) -> Void = { _ in }
  ) throws -> Outcome {
    let clock = VirtualClock()
    var bus = SimulatedBus(
      clock: clock, chip: chip, address: address, motion: motion, busHertz: 400_000)
    try prepare(&bus)
    let before = try registers(&bus)
    let first = bus.transferCount
    inject(&bus)
    var test = SelfTest(bus: bus, identity: SensorIdentity(model: model, address: address))
    let (report, waits) = run(&test) { clock.advance(by: $0) }
    var back = test.releaseBus()
    let transfers = back.transferCount - first
    // Faults that were not reached, and boots, are over.
    clock.advance(by: 1_000_000_000)
    var after: [UInt8] = []
    for attempt in 0..<200 where after.isEmpty {
      do {
        after = try registers(&back)
      } catch {
        if attempt == 199 { throw error }
      }
    }
    return Outcome(report: report, waits: waits, before: before, after: after, transfers: transfers)
  }

  /// The registers that a configuration can have, without status, outputs and the FIFO's data.
  private func registers(_ bus: inout SimulatedBus<VirtualClock>) throws(BusError) -> [UInt8] {
    let outputs: Set<UInt8>
    switch model.family {
    case .mpu6050: outputs = Set(0x3A...0x48).union(0x72...0x74)
    case .lsm9ds1: outputs = Set(0x15...0x1D).union(0x26...0x2F)
    case .icm20948: outputs = Set(0x19...0x1C).union(0x2D...0x3A).union(0x70...0x72)
    default: outputs = Set(0x1A...0x1E).union(0x20...0x2D).union(0x3A...0x43).union(0x78...0x7E)
    }
    var values: [UInt8] = []
    for register in UInt8(0)..<0x80 where !outputs.contains(register) {
      values.append(try bus.read(address, register: register))
    }
    guard model.family == .icm20948 else { return values }
    // What another bank has; the first must have been selected.
    for bank: UInt8 in [1, 2, 0] {
      try bus.write(address, register: 0x7F, value: bank << 4)
      for register in UInt8(0)..<0x60 where bank > 0 {
        values.append(try bus.read(address, register: register))
      }
    }
    return values
  }
}

/// A chip that is an array of registers and answers a self-test with exactly so many counts.
struct SelfTestCounts {
  let bus: TraceBus
  let model: SensorModel

  /// - Parameters:
  ///   - counts: What the test adds to each axis, three of acceleration and three of angular rate.
  ///   - codes: An MPU's registers of its trim with their contents.
  init(
    _ model: SensorModel, counts: [Int], codes: [UInt8: UInt8] = [:],
    noise: @escaping (_ sample: Int, _ channel: Int, _ isOn: Bool) -> Int = { _, _, _ in 0 }
  ) {
    self.model = model
    bus = model == .icm20948 ? .icm20948() : TraceBus(model.addresses[0].rawValue)
    bus.registers[Int(model.family.identityRegister.address)] = model.identity
    for (register, content) in codes {
      if model == .icm20948 { bus.banks[1][Int(register)] = content }
      if model != .icm20948 { bus.registers[Int(register)] = content }
    }
    let isMPU = model.family == .mpu6050 || model == .icm20948
    var sample = 0
    bus.beforeRead = { bus, register, count in
      guard count > 1 else { return }
      sample += 1
      bus.registers[Int(register)] = model == .icm20948 ? 0x01 : 0x03
      for channel in 0..<6 {
        let isOn = SelfTestCounts.isOn(bus, model, channel)
        // Different axes have different counts, on both sides of 0.
        let rest = [120, -340, 560, -17, 23, 41][channel]
        let value = rest + (isOn ? counts[channel] : 0) + noise(sample, channel, isOn)
        let word = UInt16(bitPattern: Int16(clamping: value))
        let place = SelfTestCounts.output(model, channel)
        bus.registers[place] = UInt8(truncatingIfNeeded: isMPU ? word >> 8 : word)
        bus.registers[place + 1] = UInt8(truncatingIfNeeded: isMPU ? word : word >> 8)
      }
    }
  }

  /// Whether the test of a channel is on.
  private static func isOn(_ bus: TraceBus, _ model: SensorModel, _ channel: Int) -> Bool {
    if model.family == .mpu6050 {
      return bus.registers[channel < 3 ? 0x1C : 0x1B] & 0x80 >> UInt8(channel % 3) != 0
    }
    if model == .icm20948 {
      let (register, first) = channel < 3 ? (0x15, 0x10) : (0x02, 0x20)
      return bus.banks[2][register] & UInt8(first) >> UInt8(channel % 3) != 0
    }
    let register =
      model.family == .lsm6ds ? 0x14 : model.family == .lsm6dsv ? 0x19 : 0x24
    return bus.registers[register] & (channel < 3 ? 0x01 : 0x04) != 0
  }

  /// The first of a channel's two registers.
  private static func output(_ model: SensorModel, _ channel: Int) -> Int {
    if model == .icm20948 { return 0x2D + 2 * channel }
    let (acceleration, rate) =
      model.family == .mpu6050
      ? (0x3B, 0x43) : (0x28, model.family == .lsm9ds1 ? 0x18 : 0x22)
    return channel < 3 ? acceleration + 2 * channel : rate + 2 * (channel - 3)
  }

  func report() -> SelfTestReport {
    var test = SelfTest(bus: bus, identity: SensorIdentity(model: model, address: bus.address))
    return run(&test).report
  }

  /// The verdicts of the six axes; none when there are not an answers.
  func verdicts() -> [CertificateFinding.Verdict] {
    if case .answers(let answers) = report().outcome { return answers.map(\.verdict) }
    return []
  }
}
