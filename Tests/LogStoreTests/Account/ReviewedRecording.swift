// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import TestSupport

/// A recording that is written into memory and looked through.
struct ReviewedRecording {
  var reason = StopReason.completed
  var lateness = LatenessSummary(median: 50_000, percentile99: 90_000, maximum: 1_000_000)
  var pairs: [ClockPair] = []
  var hasEnd = true
  private let description: RecordingDescription
  private let rate: SampleRate
  var tally = TickTally()
  private var records: [TickRecord] = []
  private var tick: UInt64 = 0

  /// At ±2 g and ±250 °/s, with the scales of an MPU-6050.
  init(
    rate hertz: UInt32, channels: ChannelSet = .all, model: String = "MPU-6050",
    scale: Fraction = Fraction(1, 16384)
  ) {
    guard let rate = SampleRate(hertz) else { preconditionFailure("a rate is not 0") }
    self.rate = rate
    description = RecordingDescription(
      id: RecordingID(high: 1, low: 2), number: 1, rate: rate, channels: channels,
      plannedTicks: nil, timeUnit: 1000,
      sensor: SensorDescription(
        model: model, identity: 0x68, address: 0x68, accelerometerRange: 2,
        gyroscopeRange: 250, accelerometerScale: scale,
        gyroscopeScale: Fraction(1, 131), temperatureScale: Fraction(1, 340),
        temperatureOffset: Fraction(3653, 100), outputDataRate: 1000, filter: ""),
      board: "", host: "", software: "", note: "", syncInterval: 0, realTime: "")
  }

  mutating func add(_ sample: RawSample) {
    var recorded = RawSample()
    for channel in description.channels.indices { recorded[channel] = sample[channel] }
    records.append(TickRecord(tick: tick, time: rate.nanoseconds(atTick: tick), sample: recorded))
    tally.sampled += 1
    tick += 1
  }

  mutating func gap(_ count: UInt64, _ cause: GapCause) {
    records.append(TickRecord(Gap(firstTick: tick, count: count, cause: cause)))
    tally.add(count, cause)
    tick += count
  }

  /// A little noise on gravity.
  mutating func still(seconds: Double, az: Int16 = 16384, gz: Int16 = 3) {
    for index in 0..<Int(seconds * rate.hertz) {
      let noise = Int16(index * 7 % 11) - 5
      add(RawSample(ax: noise, ay: -noise, az: az + noise, gx: noise, gz: gz + noise))
    }
  }

  /// Half a g to and fro.
  mutating func moving(seconds: Double) {
    for index in 0..<Int(seconds * rate.hertz) {
      add(RawSample(ax: index % 10 < 5 ? 8192 : -8192, az: 16384, gy: 2000))
    }
  }

  /// Incompressible counts, so that a second of them fills a page.
  mutating func shaken(seconds: Double) {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<Int(seconds * rate.hertz) {
      var sample = RawSample()
      for axis in 0..<6 { sample[axis] = .random(in: -16384..<16384, using: &generator) }
      add(sample)
    }
  }

  func bytes() throws -> [UInt8] {
    var encoder = try LogEncoder(description)
    for pair in pairs { encoder.append(pair) }
    for record in records { encoder.append(record) }
    if hasEnd {
      encoder.finish(RecordingEnd(reason: reason, tally: tally, lateness: lateness))
    }
    encoder.flush()
    return Array(encoder.output)
  }

  func review(isLive: Bool = false) throws -> Account {
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: try bytes())))
    return try reader.account(isLive: isLive, ofSamples: true)
  }
}
