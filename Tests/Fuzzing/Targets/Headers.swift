// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

/// Headers that forged logs begin with.
enum Headers {
  /// Descriptions that take decoders and exporters different ways.
  static let descriptions: [RecordingDescription] = {
    let rates: [(UInt32, UInt32)] = [(10, 1), (1000, 1), (.max, 1), (1, .max), (104_166, 1000)]
    let units: [Int64] = [1000, 1, 1_000_000_000, 7, 1000]
    let channels: [ChannelSet] = [
      .all, .accelerometer, .gyroscope, ChannelSet(rawValue: 64), ChannelSet(rawValue: 127),
    ]
    var descriptions = rates.indices.map { index in
      guard let rate = SampleRate(rates[index].0, per: rates[index].1) else {
        preconditionFailure("a fuzzer's rate is a rate")
      }
      return description(rate, channels[index], units[index], UInt8(index))
    }
    // The chip keeps the time of these.
    for (index, bus) in [nil, 400_000, 1].enumerated() {
      var chip = descriptions[index]
      chip.clock = .chip(busClock: bus)
      descriptions.append(chip)
    }
    return descriptions
  }()

  private static func description(
    _ rate: SampleRate, _ channels: ChannelSet, _ unit: Int64, _ number: UInt8
  ) -> RecordingDescription {
    var generator = Counter(last: UInt64(number))
    return RecordingDescription(
      id: .random(using: &generator), number: UInt32(number), rate: rate, channels: channels,
      plannedTicks: 600, timeUnit: unit,
      sensor: SensorDescription(
        model: "MPU-6050", identity: 0x68, address: 0x68, accelerometerRange: 4,
        gyroscopeRange: 500, accelerometerScale: Fraction(1, 8192),
        gyroscopeScale: Fraction(10, 655), temperatureScale: Fraction(1, 340),
        temperatureOffset: Fraction(3653, 100), outputDataRate: 1000, filter: "94 Hz"),
      board: "simulator", host: "pi", software: "fuzz", note: "", syncInterval: 1_000_000_000,
      realTime: "none")
  }

  /// The first bytes of their logs.
  static let encoded: [[UInt8]] = descriptions.map { description in
    do {
      return try encodeHeader(description)
    } catch {
      preconditionFailure("a fuzzer's description is a header: \(error)")
    }
  }

  private struct Counter: RandomNumberGenerator {
    var last: UInt64

    mutating func next() -> UInt64 {
      last &+= 0x9E37_79B9_7F4A_7C15
      return last
    }
  }
}
