// SPDX-License-Identifier: Apache-2.0

import ChipClock
public import ChipClockTesting
public import IMUModel
public import LogFormat
import TestSupport

/// The log of a chip that makes samples on its own, with the true instants of its samples.
public struct ChipLog: Sendable {
  /// The header.
  public var description: RecordingDescription
  /// The file.
  public var bytes: [UInt8] = []
  /// The true instant of each sample in the log, in nanoseconds since tick 0's deadline.
  public var truth: [Double] = []
  /// Samples that the chip made and the log does not have, the doubled ones taken off.
  public var missing: Int64
  /// What the recorder thought were missing between epochs.
  public var estimated: Int64 = 0

  /// Nanoseconds of the simulation's clock at tick 0.
  private static let origin: Int64 = 1_000_000_000_000

  /// The log of a simulated recording.
  ///
  /// - Parameters:
  ///   - estimateError: By how much the recorder's estimate between epochs is too high.
  ///   - slew: Parts per million by which `CLOCK_MONOTONIC` is faster than the raw clock.
  ///   - motion: The sample at a true instant, in nanoseconds since tick 0's deadline; noise by default.
  public init(
    _ simulation: Simulation, estimateError: Int64 = 3, slew: Double = 0, ends: Bool = true,
    motion: ((Double) -> RawSample)? = nil
  ) throws(FormatError) {
    var description = ExampleLog.description()
    description.rate = SampleRate(UInt32(simulation.hertz)) ?? ExampleLog.tenHertz
    description.clock = .chip(busClock: 400_000)
    description.plannedTicks = nil
    self.description = description
    let recorded = simulation.run()
    switch simulation.trouble {
    case .lost: missing = 1
    case .doubled: missing = -1
    default: missing = recorded.missing.reduce(0, +)
    }
    func offset(_ raw: Double) -> Double { (raw - Double(ChipLog.origin)) * slew * 1e-6 + 7e9 }
    truth = recorded.truth.map { $0 - Double(ChipLog.origin) + offset($0) }

    var encoder = try LogEncoder(description)
    var tally = TickTally()
    var lastFlush = ChipLog.origin
    var (firstTick, kept): (Int64, Int64) = (0, 0)
    var generator = SeededGenerator(seed: simulation.seed)
    for (number, epoch) in recorded.epochs.enumerated() {
      let next = number + 1 < recorded.epochs.count ? recorded.epochs[number + 1] : nil
      let readings = recorded.readings[epoch.reading..<(next?.reading ?? recorded.readings.count)]
      let countBefore = epoch.delivered - kept
      kept = epoch.delivered
      if number > 0 {
        estimated = max(1, recorded.missing[number] + estimateError)
        let gap = Gap(
          firstTick: UInt64(firstTick + countBefore), count: UInt64(estimated), cause: .missed)
        encoder.append(TickRecord(gap))
        tally.add(gap.count, gap.cause)
        firstTick += countBefore + estimated
      }
      // A wrong count drains nothing that is not there.
      var counts = readings.map(\.count)
      for index in counts.indices.dropLast().reversed() {
        counts[index] = min(counts[index], counts[index + 1])
      }
      var drained: Int64 = 0
      for (reading, count) in zip(readings, counts) {
        while drained < count {
          let index = Int(kept + drained)
          // What the recorder knows at once: tens of milliseconds late.
          let time = Int64(truth[index] / 1000 + 20_000) * 1000
          let noise = RawSample(
            ax: .random(in: -20...20, using: &generator), az: 8192,
            gx: .random(in: -9...9, using: &generator))
          encoder.append(
            TickRecord(
              tick: UInt64(firstTick + drained), time: time,
              sample: motion?(truth[index]) ?? noise))
          tally.sampled += 1
          drained += 1
        }
        let end = reading.after ?? reading.before
        encoder.append(
          TickRecord(
            FIFOReading(
              epoch: UInt32(number), cause: number == 0 ? .start : .overflow,
              firstTick: firstTick, countBefore: countBefore, count: reading.count,
              before: reading.before - ChipLog.origin, length: UInt32(end - reading.before),
              offset: Int64((offset(Double(end)) / 1000).rounded()), isDrained: true)))
        if end - lastFlush >= 1_000_000_000 {
          encoder.flush()
          lastFlush = end
        }
      }
    }
    if ends {
      encoder.finish(RecordingEnd(reason: .completed, tally: tally, lateness: LatenessSummary()))
    } else {
      encoder.flush()
    }
    bytes = Array(encoder.output)
  }
}
