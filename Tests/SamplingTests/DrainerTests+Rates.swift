// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Sampling
import SimulatedIMU
import TestSupport
import Testing

extension DrainerTests {
  /// Each rate of each kind of chip, with the bus that carries it.
  private static let rates: [DrainBench] = [
    SensorModel.mpu6050, .mpu6500, .mpu9250, .mpu9255, .icm20689, .lsm6dso, .lsm6dsox, .lsm6dsr,
    .lsm6dsv, .icm20948,
  ].flatMap { model in
    model.fifoRates(channels: .accelerometer).enumerated().compactMap { index, rate in
      let isMPU = model.addresses[0].rawValue == 0x68
      let divider = Int64(model.fifoRates(channels: .all).count - index)
      if isMPU, ![1, 2, 3, 7, 20, 100].contains(divider) { return nil }
      var bench = DrainBench(
        model: model, rate: rate,
        stride: isMPU ? 8 * divider : (model.family == .lsm6dsv ? 1024 : 512) >> Int64(index))
      bench.channels = rate.hertz > 1666 ? .accelerometer : .all
      bench.busClock = rate.hertz > 3332 ? 1_000_000 : 400_000
      bench.milliseconds = max(1000, Int64(40_000 / rate.hertz))
      return bench
    }
  }

  @Test("so it is at every rate", arguments: CaseSelection.sample(15, of: rates))
  func everyRate(bench: DrainBench) throws {
    let outcome = try sound(bench)
    #expect(outcome.epochs.count == 1 && outcome.gaps.isEmpty && outcome.events.isEmpty)
    let expected = bench.rate.hertz * Double(bench.milliseconds) / 1000
    #expect(Double(outcome.tally.sampled) > 0.7 * expected, "\(bench.rate.hertz) Hz")
  }

  @Test(
    "a sample has what is recorded and nothing else", arguments: chips,
    [ChannelSet.accelerometer, .gyroscope, [.accelerometer, .gyroscope]])
  func channels(chip: DrainBench, channels: ChannelSet) throws {
    var bench = chip
    (bench.channels, bench.milliseconds) = (channels, 500)
    let outcome = try sound(bench)
    let samples = outcome.records.filter { $0.kind == .sample }.map(\.sample)
    #expect(samples.count > 400)
    for channel in 0..<6 where !channels.contains(ChannelSet(rawValue: 1 << channel)) {
      #expect(samples.allSatisfy { $0[channel] == 0 })
    }
  }

  @Test("nothing that came after a dip amid a burst is a sample", arguments: chips)
  func dipInBurst(chip: DrainBench) throws {
    for (rest, boots) in [(0xFF, true), (0x00, true), (0xFF, false), (0x00, false)]
      as [(UInt8, Bool)]
    {
      var bench = chip
      bench.faults = [(.brownOutInBurst(byte: 31, rest: rest, boots: boots), 1_000_050_000)]
      bench.milliseconds = 2000
      let outcome = try sound(bench)
      #expect(outcome.events.map(\.kind) == [.lost, .reinitialised, .back], "\(rest) \(boots)")
    }
  }

  @Test(
    "so it is at the fastest rates that a bus of 1 MHz carries",
    arguments: [
      (SensorModel.lsm6dsr, 6664, 1, ChannelSet.all),
      (.lsm6dsv, 3840, 2, .all), (.lsm6dsv, 7680, 1, .accelerometer),
    ])
  func fastest(model: SensorModel, hertz: UInt32, stride: Int64, channels: ChannelSet) throws {
    var bench = DrainBench(model: model, rate: .hz(hertz), stride: stride, channels: channels)
    (bench.busClock, bench.clockErrorPartsPerMillion) = (1_000_000, 9000)
    let outcome = try sound(bench)
    #expect(outcome.epochs.count == 1 && outcome.gaps.isEmpty && outcome.events.isEmpty)
    #expect(Double(outcome.tally.sampled) > 2.9 * Double(hertz))
  }
}
