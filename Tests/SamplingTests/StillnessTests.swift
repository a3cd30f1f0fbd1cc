// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Sampling
import SimulatedIMU
import TestSupport
import Testing

/// A chip at rest and one that is stuck look alike but for noise.
@Suite("A chip that is stuck is distinguished from one at rest") struct StillnessTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let model: SensorModel
    let channels: ChannelSet
    /// Position of both ranges among those that the chip has, from the finest.
    let range: Int
    let rate: SampleRate

    var bench: ProofBench {
      var bench = ProofBench(model: model, rate: rate, channels: channels, motion: .still)
      bench.accelerometerRange = model.accelerometerRanges[range]
      bench.gyroscopeRange = model.gyroscopeRanges[max(0, range + model.gyroscopeRanges.count - 4)]
      return bench
    }
    var testDescription: String {
      "\(model.name) \(channels.rawValue) range \(range) at \(rate.hertz) Hz"
    }
  }

  static let rates: [SampleRate] = [.hz(1, per: 10), .hz(1), .hz(10), .hz(40), .hz(100), .hz(500)]
  static let parts = ProvedSamplesTests.models.flatMap { model in
    [ChannelSet.all, .accelerometer, .gyroscope].map { (model, $0) }
  }
  static let all = rates.flatMap { rate in
    parts.flatMap { model, channels in
      (0..<4).map { Case(model: model, channels: channels, range: $0, rate: rate) }
    }
  }
  static let seed = CaseSelection.seed

  @Test(
    "frozen for a second, it is noticed within the second, and nothing of it is a sample",
    arguments: CaseSelection.sample(10, of: all))
  func frozen(subject: Case) throws {
    for (survives, instant) in [
      (false, 2_003_000_000), (true, 2_000_400_000), (true, 2_098_000_000),
    ]
      as [(Bool, Int64)]
    {
      var bench = subject.bench
      bench.milliseconds = 22_000
      bench.faults = [
        (
          .freeze(nanoseconds: 1_000_000_000, keepsDataReady: true, survivesReset: survives),
          instant
        )
      ]
      let outcome = try bench.run()
      #expect(outcome.wrong.isEmpty, "seed \(Self.seed): \(outcome.wrong.prefix(3))")
      #expect(outcome.imbalance == nil)
      #expect(outcome.events.map(\.kind) == [.lost, .reinitialised, .back], "seed \(Self.seed)")
      #expect(outcome.events.first?.fault == .frozen)
      let lost = try #require(outcome.last(.lost)) - instant
      #expect(lost <= 1_000_000_000, "noticed after \(lost) ns")
      let back = try #require(outcome.last(.back)) - instant
      #expect(back <= 1_300_000_000, "back after \(back) ns")
    }
  }

  @Test(
    "frozen until the recording ends, nothing of it is a sample",
    arguments: ProvedSamplesTests.kinds)
  func atTheEnd(model: SensorModel) throws {
    for before in stride(from: Int64(2_000_000), through: 400_000_000, by: 37_000_000) {
      for hertz: UInt32 in [10, 100] {
        var bench = ProofBench(model: model, rate: .hz(hertz), milliseconds: 1000, motion: .still)
        bench.faults = [
          (.freeze(nanoseconds: 60_000_000_000, keepsDataReady: true), 1_000_000_000 - before)
        ]
        let outcome = try bench.run()
        #expect(outcome.wrong.isEmpty, "\(before) before the end: \(outcome.wrong.prefix(3))")
        #expect(outcome.imbalance == nil)
      }
    }
  }

  @Test(
    "at rest it loses no sample and is not set up again",
    arguments: CaseSelection.sample(6, of: all))
  func atRest(subject: Case) throws {
    var bench = subject.bench
    // Ten minutes, or as many ticks as a test may take.
    bench.milliseconds = UInt64(min(600, 4000 / subject.rate.hertz) * 1000)
    let outcome = try bench.run()
    #expect(outcome.events.isEmpty, "seed \(Self.seed)")
    #expect(outcome.gaps.isEmpty, "seed \(Self.seed)")
    #expect(outcome.imbalance == nil)
    #expect(outcome.tally.sampled == outcome.tally.scheduled)
  }

  @Test(
    "at rest no sample is stale, though counts repeat by chance and their flags are gone",
    arguments: CaseSelection.sample(8, of: parts))
  func neverStale(model: SensorModel, channels: ChannelSet) throws {
    for (hertz, busClock) in [
      (500, 400_000), (600, 400_000), (700, 400_000), (757, 400_000), (900, 400_000),
      (1000, 400_000), (185, 100_000), (220, 100_000),
    ] as [(UInt32, Int)] where hertz <= model.maximumPolledRate {
      for error in [-30_000, 0, 30_000] {
        var bench = Case(model: model, channels: channels, range: 3, rate: .hz(hertz)).bench
        (bench.busClock, bench.clockErrorPartsPerMillion) = (busClock, error)
        bench.milliseconds = 1_000_000 / UInt64(hertz)
        let outcome = try bench.run()
        #expect(outcome.tally.stale == 0, "\(hertz) Hz, \(error), seed \(Self.seed)")
        #expect(outcome.events.isEmpty && outcome.imbalance == nil)
        // Beyond these rates two updates may fall into the bursts.
        if Int(hertz) * 400_000 <= 757 * busClock { #expect(outcome.wrong.isEmpty) }
      }
    }
  }
}
