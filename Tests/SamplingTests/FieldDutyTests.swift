// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Sampling
import SimulatedIMU
import Testing

/// A magnetometer that is followed between ticks and drains.
@Suite("A magnetometer beside the samples")
struct FieldDutyTests {
  /// Expects all values of three seconds, none of them twice, each within its interval's bounds.
  ///
  /// - Parameter held: The longest, in nanoseconds, that other work and a look before it keep a look away.
  private func expectAll(_ records: [TickRecord], _ rate: SampleRate, held: Int64) {
    let values = records.compactMap(\.field).filter { (0..<3_000_000_000).contains($0.time) }
    let period = rate.nanoseconds(atTick: 1)
    // The chips' clocks are off by up to 2.1 %.
    #expect(abs(Double(values.count) - 3 * rate.hertz) < 0.025 * 3 * rate.hertz + 2)
    #expect(values.allSatisfy { $0.flags.isEmpty })
    // Looked at each eighth of a period; where the first of those looks is held up, since the value before.
    let widths = values.map { Int64($0.width) }.sorted()
    #expect(widths.allSatisfy { $0 < period / 8 * 7 + held })
    #expect(widths[widths.count / 2] < period / 8 + held)
    for (one, next) in zip(values, values.dropFirst()) {
      let width = Int64(max(one.width, next.width))
      #expect(abs(next.time - one.time - period) < width + period / 40)
    }
  }

  @Test("costs no tick of the grid, and misses no value", arguments: [100, 400] as [UInt32])
  func polled(hertz: UInt32) throws {
    for (model, field) in [(SensorModel.icm20948, 100), (.lsm9ds1, 40)] as [(SensorModel, UInt32)] {
      var bench = ProofBench(model: model, rate: .hz(hertz), milliseconds: 3000)
      bench.field = .hz(field)
      let outcome = try bench.run()
      #expect(outcome.imbalance == nil && outcome.wrong.isEmpty && outcome.gaps.isEmpty)
      expectAll(outcome.records, .hz(field), held: 2_000_000)
      // A look is as long as the last one, but of an LSM9DS1, which may need three bursts more.
      let latest = outcome.records.filter { $0.kind == .sample }.map(\.lateness).max() ?? 0
      #expect(latest < (model == .icm20948 ? 50_000 : 800_000), "\(latest)")
    }
  }

  @Test("costs no sample of a FIFO, and misses no value", arguments: [10, 50, 100] as [UInt32])
  func drained(hertz: UInt32) throws {
    var bench = DrainBench.icm20948
    bench.field = .hz(hertz)
    let outcome = try bench.run()
    #expect(outcome.imbalance == nil && outcome.isPlaced && outcome.wrong == 0)
    #expect(outcome.gaps.isEmpty && outcome.falseReadings == 0)
    expectAll(outcome.records, .hz(hertz), held: 9_000_000)
  }

  @Test("comes back after its chip was reset, without a value between")
  func reset() throws {
    for model in [SensorModel.icm20948, .lsm9ds1] {
      var bench = ProofBench(model: model, milliseconds: 3000)
      bench.field = .hz(20)
      bench.faults = [(.brownOut, 1_000_000_000)]
      let outcome = try bench.run()
      #expect(outcome.imbalance == nil && outcome.wrong.isEmpty)
      #expect(outcome.events.map(\.kind) == [.lost, .reinitialised, .back], "\(model)")
      let values = outcome.records.compactMap(\.field)
      let back = Int64(try #require(outcome.events.last).tick) * 10_000_000
      #expect(values.filter { (0..<1_000_000_000).contains($0.time) }.count >= 19)
      #expect(!values.contains { (1_010_000_000..<back).contains($0.time) })
      // Set up at once, and not after five periods of silence: one until it measures, one that is discarded, one that counts.
      #expect(values.filter { ($0.time - back) / 50_000_000 < 5 && $0.time > back }.count >= 1)
      #expect(values.filter { $0.time > 2_000_000_000 }.count >= 19)
    }
  }
}
