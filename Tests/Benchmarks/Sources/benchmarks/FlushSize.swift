// SPDX-License-Identifier: Apache-2.0

/// Bytes after the header, pages and chunks and their checks included, when every tenth sample is followed by a
/// flush, for each log.
func flushSize(_ paths: [String]) throws -> String {
  let logs = try paths.map { path in
    let recording = try BenchmarkRecording(path)
    return
      "{\"samples\":\(recording.records.count),\"bytes\":\(try recording.encode(flushEvery: 10))}"
  }
  return "[" + logs.joined(separator: ",") + "]"
}
