// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Sampling
import SimulatedIMU
import TestSupport
import Testing

/// A chip loses its supply at the worst of times.
@Suite("No sample is logged that its chip did not make") struct ProvedSamplesTests {
  static let models: [SensorModel] = [
    .mpu6050, .mpu6500, .mpu9250, .mpu9255, .icm20689, .lsm6ds3, .lsm6dsl, .lsm6dso, .lsm6dsr,
    .lsm9ds1, .lsm6dsv, .icm20948,
  ]
  /// One model for each behaviour after a reset.
  static let kinds: [SensorModel] = [
    .mpu6050, .mpu6500, .lsm6dso, .lsm9ds1, .lsm6dsv, .icm20948,
  ]

  /// From a dip until samples come again, by the data sheets: until registers answer, and until the gyroscope and its
  /// filters have settled.
  static func waits(_ model: SensorModel) -> Int64 {
    switch model {
    case .mpu6050, .icm20948: return 20_000_000 + 60_000_000
    case .mpu6500, .mpu9250, .mpu9255, .icm20689: return 20_000_000 + 70_000_000
    default: return 15_000_000 + 110_000_000
    }
  }

  /// The outcome, in which each sample is the chip's and no tick is missed.
  @discardableResult
  private func honest(
    _ bench: ProofBench, _ what: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ProofBench.Outcome {
    let outcome = try bench.run()
    #expect(outcome.wrong.isEmpty, "\(what): \(outcome.wrong)", sourceLocation: sourceLocation)
    #expect(outcome.imbalance == nil, "\(what)", sourceLocation: sourceLocation)
    #expect(outcome.tally.missed == 0, "\(what)", sourceLocation: sourceLocation)
    return outcome
  }

  @Test("a healthy chip loses nothing", arguments: models)
  func healthy(model: SensorModel) throws {
    for hertz: UInt32 in [10, 100, 500] {
      for motion in [Motion.still, .tumble] {
        let bench = ProofBench(model: model, rate: .hz(hertz), milliseconds: 2000, motion: motion)
        let outcome = try honest(bench, "\(hertz) Hz")
        #expect(outcome.tally.sampled == 2 * UInt64(hertz))
      }
    }
  }

  @Test("a dip at any byte of any transfer, whatever the rest reads as", arguments: models)
  func everyByte(model: SensorModel) throws {
    for boots in [true, false] {
      for rest: UInt8 in [0xFF, 0x00] {
        for byte in 0...(model == .icm20948 ? 33 : 18) {
          // The first or second burst of an LSM6DS; the look with which a recording from an MPU-6050 ends.
          for number in [21, 22, 41] {
            var bench = ProofBench(model: model, milliseconds: 400)
            bench.faultInTransfer = (.brownOutInBurst(byte: byte, rest: rest, boots: boots), number)
            let outcome = try honest(
              bench, "byte \(byte) of transfer \(number), \(rest), boots \(boots)")
            #expect(outcome.events.first?.kind == .lost, "byte \(byte) of transfer \(number)")
          }
        }
      }
    }
  }

  @Test(
    "a dip in any burst at the end of a recording, whatever the rest reads as", arguments: kinds)
  func atTheEnd(model: SensorModel) throws {
    for hertz: UInt32 in [10, 100] {
      let last = 600_000_000 - 1_000_000_000 / Int64(hertz)
      // The first burst of the last two ticks, the second one of an LSM6DS, and the look with which the recording ends.
      for instant in [last - 15_000_000, last - 1, last + 100_000, last + 1_000_000] {
        for byte in stride(from: 0, through: model == .icm20948 ? 33 : 18, by: 3) {
          for (rest, boots) in [(0x00, false), (0xFF, false), (0x00, true)] as [(UInt8, Bool)] {
            var bench = ProofBench(model: model, rate: .hz(hertz))
            bench.faults = [(.brownOutInBurst(byte: byte, rest: rest, boots: boots), instant)]
            try honest(bench, "byte \(byte) after \(instant), \(rest), \(hertz) Hz")
          }
        }
      }
    }
  }

  @Test(
    "after two dips the chip is back within the data sheets' times, 20 ms and a tick",
    arguments: SensorModel.allCases)
  func twice(model: SensorModel) throws {
    for gap in stride(from: Int64(1_000_000), through: 180_000_000, by: 7_300_000) {
      var bench = ProofBench(model: model, milliseconds: 1000)
      bench.faults = [(.brownOut, 103_000_000), (.brownOut, 103_000_000 + gap)]
      let outcome = try honest(bench, "\(gap)")
      let back = try #require(outcome.last(.back)) - 103_000_000 - gap
      #expect(
        back <= Self.waits(model) + 30_000_000, "back after \(back) ns, second dip \(gap) later")
    }
  }

  @Test("ten dips in a recording", arguments: models)
  func ten(model: SensorModel) throws {
    for hertz: UInt32 in [10, 100, 500] {
      var bench = ProofBench(model: model, rate: .hz(hertz), milliseconds: 6000)
      bench.faults = (1...10).map { (.brownOut, $0 * 513_777_777) }
      let outcome = try honest(bench, "\(hertz) Hz")
      #expect(
        outcome.events.map(\.kind) == (1...10).flatMap { _ in [.lost, .reinitialised, .back] })
      // Half of the time at least.
      #expect(outcome.tally.sampled > 3 * UInt64(hertz), "\(outcome.tally)")
    }
  }

  @Test("a bus that reads all ones for a while, or to the end", arguments: models)
  func silence(model: SensorModel) throws {
    for nanoseconds: Int64 in [3_000_000, 50_000_000, 300_000_000, 10_000_000_000] {
      for hertz: UInt32 in [10, 100] {
        var bench = ProofBench(model: model, rate: .hz(hertz), milliseconds: 1000)
        bench.faults = [(.silence(nanoseconds: nanoseconds), 255_000_000)]
        let outcome = try honest(bench, "\(nanoseconds) at \(hertz) Hz")
        #expect(outcome.events.first?.kind == .lost)
        guard nanoseconds < 1_000_000_000 else { continue }
        let back = try #require(outcome.last(.back)) - 255_000_000 - nanoseconds
        #expect(back <= Self.waits(model) + 30_000_000 + 100_000_000 / Int64(hertz / 10))
      }
    }
  }

  @Test(
    "a transfer that fails once, often or midway costs ticks with the adapter's errno, and no sample is wrong",
    arguments: SimulatedAdapter.allCases)
  func failures(adapter: SimulatedAdapter) throws {
    for model in Self.kinds {
      for cause in BusError.Kind.allCases {
        guard let errno = adapter.errno(of: cause, in: .read) else { continue }
        for fault in [
          .fail(cause), .fail(cause, transfers: 9), .failInBurst(bytes: 5, cause),
        ] as [Fault] {
          for number in 21...24 {
            var bench = ProofBench(model: model, adapter: adapter)
            bench.faultInTransfer = (fault, number)
            let what = "\(model) \(fault) \(number)"
            let outcome = try honest(bench, what)
            // Nine times 0.1 s are too long.
            let isLong = cause == .timeout && fault == .fail(cause, transfers: 9)
            #expect(outcome.events.allSatisfy { isLong && $0.fault == .bus }, "\(what)")
            #expect(
              outcome.gaps.allSatisfy { $0.cause == .busError && $0.code == errno },
              "\(what): \(outcome.gaps)")
          }
        }
      }
    }
  }

  @Test(
    "bytes that come shifted without an error, which nothing in a polled sample shows, cost no more than two samples",
    arguments: kinds)
  func stretchedClock(model: SensorModel) throws {
    for (byte, number) in CaseSelection.sample(12, of: (0..<72).map { ($0 / 4, 21 + $0 % 4) }) {
      var bench = ProofBench(model: model, adapter: .bsc)
      bench.faultInTransfer = (.stretch(byte: byte), number)
      let outcome = try bench.run()
      let what = "byte \(byte) of transfer \(number): \(outcome.wrong)"
      #expect(outcome.imbalance == nil && outcome.wrong.count <= 2, "\(what)")
      #expect(outcome.tally.sampled > 50 && outcome.events.isEmpty, "\(what)")
    }
  }

  @Test(
    "another identity for a second costs that second and one bring-up",
    arguments: SensorModel.allCases)
  func misidentified(model: SensorModel) throws {
    var bench = ProofBench(model: model, milliseconds: 3000)
    bench.faults = [(.misidentify(identity: 0x42, nanoseconds: 1_000_000_000), 200_000_000)]
    let outcome = try honest(bench)
    #expect(outcome.events.map(\.kind) == [.lost, .reinitialised, .back])
    let back = try #require(outcome.last(.back)) - 1_200_000_000
    #expect(back <= Self.waits(model) + 30_000_000, "back after \(back) ns")
  }
}
