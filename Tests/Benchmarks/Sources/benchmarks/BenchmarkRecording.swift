// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

/// The contents of a log: its header and its samples as the recorder got them.
struct BenchmarkRecording {
  let description: RecordingDescription
  private(set) var records: [TickRecord] = []

  init(_ path: String) throws {
    var reader = try LogReader(try FileStorage(reading: path))
    description = reader.description
    while let item = try reader.next() {
      guard case .samples(let count) = item else { continue }
      for index in 0..<count {
        let (tick, time, sample) = reader.block[index]
        records.append(TickRecord(tick: tick, time: time, sample: sample))
      }
    }
  }

  /// Encodes all records, discards the bytes, and returns how many there were after the header.
  ///
  /// - Parameter interval: Samples between flushes; `nil` for one at the end.
  func encode(flushEvery interval: Int? = nil) throws -> Int {
    var encoder = try LogEncoder(description)
    var pending = 0
    for record in records {
      encoder.append(record)
      pending += 1
      if pending == interval {
        encoder.flush()
        pending = 0
      }
      encoder.consumeOutput(encoder.output.count)
    }
    encoder.flush()
    return Int(encoder.byteCount) - encoder.headerByteCount
  }
}
