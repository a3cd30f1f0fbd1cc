// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

/// The contents of a log in order, and all its damage.
struct LogContent: Equatable {
  var description: RecordingDescription
  var samples: [TickRecord] = []
  /// Everything but samples and the lists of readings, whose places among these mean nothing.
  var others: [LogRecord] = []
  var readings: [FIFOReading] = []
  var field: [FieldReading] = []
  var damage: [FormatError] = []

  var gaps: [Gap] { others.compactMap { if case .gap(let gap) = $0 { gap } else { nil } } }
  var end: RecordingEnd? {
    others.compactMap { if case .end(let end) = $0 { end } else { nil } }.last
  }

  /// Decodes page by page, as a reader of files does; damage is noted and skipped.
  init(decoding log: [UInt8]) throws {
    description = try log.withUnsafeBytes { try decodeHeader($0) }
    self = LogContent(decoding: log, description)
  }

  /// Decodes a log whose description is known.
  init(decoding log: [UInt8], _ description: RecordingDescription) {
    self.description = description
    var decoder = PageDecoder(description)
    var block = SampleBlock()
    for (sequence, start) in stride(from: 0, to: log.count, by: LogFormat.pageSize).enumerated() {
      let page = Array(log[start..<min(start + LogFormat.pageSize, log.count)])
      do {
        _ = try page.withUnsafeBytes { try decoder.begin(page: $0, sequence: UInt32(sequence)) }
        while let record = try decoder.next(into: &block) {
          if record == .samples {
            for index in 0..<block.count {
              let (tick, time, sample) = block[index]
              samples.append(TickRecord(tick: tick, time: time, sample: sample))
            }
          } else if case .reading(let reading) = record {
            readings.append(reading)
          } else if case .field(let reading) = record {
            field.append(reading)
          } else {
            others.append(record)
          }
        }
      } catch let error as FormatError {
        damage.append(error)
      } catch {
        preconditionFailure("decoders throw format errors only")
      }
    }
  }
}

extension RecordingDescription {
  /// A recording at 10 Hz of an MPU-6050, times in microseconds.
  static var example: RecordingDescription {
    RecordingDescription(
      id: RecordingID(high: 0x1b4e_28ba_2fa1_41d2, low: 0x883f_0016_d3cc_a427), number: 3,
      rate: SampleRate(10) ?? .fallback, channels: .all, plannedTicks: 600, timeUnit: 1000,
      sensor: SensorDescription(
        model: "MPU-6050", identity: 0x68, address: 0x68, accelerometerRange: 4,
        gyroscopeRange: 500, accelerometerScale: Fraction(1, 8192),
        gyroscopeScale: Fraction(10, 655), temperatureScale: Fraction(1, 340),
        temperatureOffset: Fraction(3653, 100), outputDataRate: 1000, filter: "DLPF 94 Hz"),
      board: "simulator", host: "test", software: "imulog 0.1.0", note: "first\nsecond \\ line",
      syncInterval: 1_000_000_000, realTime: "fifo 80, memory locked")
  }
}

extension SampleRate {
  /// One sample a second, for tests that need some rate.
  static var fallback: SampleRate {
    guard let rate = SampleRate(1) else { preconditionFailure("1 Hz is a rate") }
    return rate
  }
}
