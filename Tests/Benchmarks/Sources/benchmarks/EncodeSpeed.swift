// SPDX-License-Identifier: Apache-2.0

/// Samples a second from tick records to the bytes of the log, in memory.
func encodeSpeed(_ paths: [String]) throws -> Speed {
  let recordings = try paths.map { try BenchmarkRecording($0) }
  return try Speed {
    var samples = 0
    for recording in recordings {
      _ = try recording.encode()
      samples += recording.records.count
    }
    return samples
  }
}
