// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Testing

@testable import Analysis

/// A log of given samples at a given rate, on the computer's grid or at times of its own.
struct WrittenLog {
  var description: RecordingDescription
  private var records: [TickRecord] = []

  /// - Parameter isImported: Whether the times place the samples.
  init(hertz: UInt32, isImported: Bool = false, channels: ChannelSet = .all) throws {
    description = ExampleLog.description()
    description.rate = SampleRate(hertz) ?? ExampleLog.tenHertz
    description.channels = channels
    description.timeUnit = 1
    // Values that tell the sensors apart: 0.001 g and 0.01 °/s a count.
    description.sensor.accelerometerScale = Fraction(1, 1000)
    description.sensor.gyroscopeScale = Fraction(1, 100)
    if isImported { description.sensor.model = SensorDescription.importedModel }
  }

  /// Adds a sample; its time is that of its tick unless given.
  mutating func add(_ tick: UInt64, at time: Int64? = nil, _ sample: RawSample) {
    records.append(
      TickRecord(
        tick: tick, time: time ?? description.rate.nanoseconds(atTick: tick), sample: sample))
  }

  mutating func add(_ gap: Gap) { records.append(TickRecord(gap)) }

  /// What is read of the log.
  func columns(
    from: Int64? = nil, to: Int64? = nil, channels: ChannelSet = [.accelerometer, .gyroscope],
    limit: Int = 100_000
  ) throws -> SampleColumns {
    var encoder = try LogEncoder(description)
    for (index, record) in records.enumerated() {
      encoder.append(record)
      if index % 500 == 499 { encoder.flush() }
    }
    encoder.flush()
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: Array(encoder.output))))
    return try SampleColumns.read(&reader, from: from, to: to, channels: channels, limit: limit)
  }
}

/// Expects an analysis to be refused in a sentence with these words.
func expectRefusal(
  _ words: String, _ status: IMUModel.ExitStatus = .usage,
  at place: SourceLocation = #_sourceLocation,
  _ analyse: () throws -> Void
) {
  let error = #expect(throws: AnalysisError.self, sourceLocation: place) { try analyse() }
  #expect(error?.exitStatus == status, sourceLocation: place)
  #expect(
    error?.description.contains(words) == true, "\(String(describing: error))",
    sourceLocation: place)
}
