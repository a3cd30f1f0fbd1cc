// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel
import LogStore

@testable import Terminal

/// Recordings and views of them to look at.
enum Recordings {
  static let id = RecordingID(high: 0x1b4e_28ba_2fa1_41d2, low: 0x883f_0016_d3cc_a427)

  static let second: Int64 = 1_000_000_000

  /// ± 4 g and ± 500 °/s of an MPU-6050.
  static let description = SensorDescription(
    model: "MPU-6050", identity: 0x68, address: 0x68, accelerometerRange: 4, gyroscopeRange: 500,
    accelerometerScale: Fraction(1, 8192), gyroscopeScale: Fraction(10, 655),
    temperatureScale: Fraction(1, 340), temperatureOffset: Fraction(3653, 100),
    outputDataRate: 1000, filter: "")

  static let title = RecordingTitle(
    name: "recording 7", started: "2026-11-21 15:04:11 +01:00", sensor: "MPU-6050 at 10 Hz",
    state: "", note: "left wheel")

  /// Recordings of a store, newest first.
  static func entries(_ numbers: some Sequence<UInt32>) -> [CatalogueEntry] {
    Catalogue.entries(
      numbers.map { "\(1_000_000 + $0)-20261121T140411Z-e18bf2a1.imulog".dropFirst().description },
      in: "/store")
  }

  static func sensor(_ channels: ChannelSet = .accelerometer) -> GraphSensor {
    GraphSensor(description, channels: channels)
  }

  static func recording(
    _ trace: Trace, _ channels: ChannelSet = .accelerometer, title: RecordingTitle = title,
    origin: Int64 = 0, damageCount: Int = 0
  ) -> RecordingOnScreen {
    RecordingOnScreen(
      title: title, sensor: sensor(channels), trace: trace, id: id, origin: origin,
      damageCount: damageCount)
  }

  static func rate(_ hertz: UInt32) -> SampleRate {
    guard let rate = SampleRate(hertz) else { preconditionFailure("a rate above 0") }
    return rate
  }

  /// x swings once in 4 s between -1 g and 1 g, in steps; y stays at 0.5 g, z at -0.5 g.
  static func sample(_ tick: UInt64) -> RawSample {
    let wave: [Int16] = [0, 4096, 8192, 4096, 0, -4096, -8192, -4096]
    return RawSample(ax: wave[Int(tick / 5 % 8)], ay: 4096, az: -4096, gx: 655, gy: -655)
  }

  /// 10 Hz; the gap has no samples; late ticks are 30 ms late.
  static func trace(
    ticks: UInt64 = 100, gap: Range<UInt64>? = nil, late: Set<UInt64> = [], marks: [Int64] = [],
    capacity: Int = Trace.usualCapacity
  ) -> Trace {
    var trace = Trace(rate: rate(10), capacity: capacity)
    for mark in marks { trace.append(Mark(time: mark, label: "kerb")) }
    if let gap {
      trace.append(Gap(firstTick: gap.lowerBound, count: UInt64(gap.count), cause: .busError))
    }
    for tick in 0..<ticks where gap?.contains(tick) != true {
      let time = Int64(tick) * second / 10 + (late.contains(tick) ? 30_000_000 : 0)
      trace.append(tick: tick, time: time, sample: sample(tick))
    }
    return trace
  }
}
