// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

/// One call to a `LogEncoder`.
enum LogEvent: Equatable, Sendable {
  case record(TickRecord)
  case mark(Mark)
  case clock(ClockPair)
  case certificate(SensorCertificate)
  case flush
  case end(RecordingEnd)
}

/// Encodes events; takes the output away after every `consumeEvery` events, as a writer does.
func encode(
  _ events: [LogEvent], _ description: RecordingDescription = .example, consumeEvery: Int = .max
) throws -> [UInt8] {
  var encoder = try LogEncoder(description)
  var log: [UInt8] = []
  for (index, event) in events.enumerated() {
    switch event {
    case .record(let record): encoder.append(record)
    case .mark(let mark): encoder.append(mark)
    case .clock(let pair): encoder.append(pair)
    case .certificate(let certificate): encoder.append(certificate)
    case .flush: encoder.flush()
    case .end(let end): encoder.finish(end)
    }
    if index % consumeEvery == consumeEvery - 1 {
      log += encoder.output
      encoder.consumeOutput(encoder.output.count)
    }
  }
  if case .end = events.last {} else { encoder.flush() }
  return log + encoder.output
}

/// A sample on the grid of 10 Hz.
func sample(_ tick: UInt64, ax: Int16 = 0, gz: Int16 = 0) -> TickRecord {
  let time = Int64(clamping: tick.multipliedReportingOverflow(by: 100_000_000).partialValue >> 2)
  return TickRecord(tick: tick, time: time / 1000 * 1000, sample: RawSample(ax: ax, gz: gz))
}

extension LogContent {
  /// The contents that a decoder should find in the log of these events.
  init(of events: [LogEvent], _ description: RecordingDescription) {
    self.description = description
    for event in events {
      switch event {
      case .record(let record):
        if record.kind == .sample { samples.append(record) }
        if let reading = record.reading { readings.append(reading.inMicroseconds) }
        if let gap = record.gap { others.append(.gap(gap)) }
        if let event = record.sensorEvent { others.append(.sensor(event)) }
        if let reading = record.busClock { others.append(.busClock(reading)) }
        if let reading = record.field { field.append(reading.inMicroseconds) }
      case .mark(let mark): others.append(.mark(mark))
      case .clock(let pair): others.append(.clock(pair))
      case .certificate(let certificate): others.append(.certificate(certificate))
      case .end(let end): others.append(.end(end))
      case .flush: break
      }
    }
  }
}

extension FIFOReading {
  /// The reading as a log has it: in microseconds, the instant before rounded down and that after it up.
  var inMicroseconds: FIFOReading {
    let start = Int64((Double(before) / 1000).rounded(.down)) * 1000
    let end = Int64((Double(before + Int64(length)) / 1000).rounded(.up)) * 1000
    var reading = self
    (reading.before, reading.length) = (start, length == 0 ? 0 : UInt32(end - start))
    return reading
  }
}

extension FieldReading {
  /// The value as a log has it: its interval rounded outwards to microseconds.
  var inMicroseconds: FieldReading {
    let (start, end) = (time - Int64(width), time)
    var reading = self
    reading.time = end / 1000 * 1000 + (end % 1000 > 0 ? 1000 : 0)
    reading.width = UInt32(reading.time - (start / 1000 * 1000 - (start % 1000 < 0 ? 1000 : 0)))
    return reading
  }
}

extension RecordingEnd {
  /// An end with a number of its own in each field.
  static var example: RecordingEnd {
    var tally = TickTally()
    tally.sampled = 1 << 40
    tally.missed = 2
    tally.busErrors = 300
    tally.ringFull = 4
    tally.stale = 50_000
    tally.reinitialising = 0
    (tally.lost, tally.frozen) = (1 << 50, 70)
    return RecordingEnd(
      reason: .button, tally: tally,
      lateness: LatenessSummary(median: 15_000, percentile99: -1, maximum: .max))
  }
}
