// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import SimulatedIMU
import TestSupport
import Testing

/// The loop with the drivers on simulated chips, whose registers do what the data sheets say.
@Suite struct BrownOutTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let model: SensorModel
    let hertz: UInt32
    let fault: Fault
    var testDescription: String { "\(model.name) at \(hertz) Hz: \(fault)" }
  }

  private static let faults: [Fault] = [
    .brownOut,
    .freeze(nanoseconds: 60_000_000_000, keepsDataReady: true),
    .freeze(nanoseconds: 60_000_000_000, keepsDataReady: false),
    .unplug(nanoseconds: 50_000_000),
    .unplug(nanoseconds: 5_000_000_000),
  ]

  static let cases = [SensorModel.mpu6050, .lsm6dso, .lsm9ds1, .lsm6dsv].flatMap { model in
    // A burst that an update fell into is read again: too much for 1 kHz at 400 kHz.
    [1, 10, 100, model == .mpu6050 ? 1000 : 500].flatMap { hertz in
      faults.map { Case(model: model, hertz: hertz, fault: $0) }
    }
  }

  @Test(
    "a chip that loses its supply, freezes or disappears is noticed within a second and brought back",
    arguments: CaseSelection.sample(20, of: cases))
  func noticed(subject: Case) throws {
    var bench = ProofBench(model: subject.model, rate: .hz(subject.hertz), milliseconds: 16_000)
    let instant: Int64 = 4_823_456_789
    bench.faults = [(subject.fault, instant)]
    let outcome = try bench.run()
    #expect(outcome.imbalance == nil, "seed \(CaseSelection.seed)")
    #expect(outcome.events.map(\.kind) == [.lost, .reinitialised, .back])
    let lost = try #require(outcome.last(.lost)) - instant
    #expect((0...1_005_000_000).contains(lost), "noticed after \(lost) ns")

    // Bring-up waits some 250 ms, and a dead bus is tried once a second.
    var outage: Int64 = 0
    if case .unplug(let nanoseconds) = subject.fault { outage = nanoseconds }
    let back = try #require(outcome.last(.back)) - instant
    #expect(back <= outage + 1_500_000_000, "back after \(back) ns")
    #expect(outcome.ledger.missed == 0)
    #expect(outcome.records.last?.kind == .sample)
  }
}
