// SPDX-License-Identifier: Apache-2.0

import Export
import LogStore

/// Samples a second from a file in the page cache to NDJSON of counts in memory.
func exportSpeed(_ paths: [String]) throws -> Speed {
  let exporter = Exporter(ExportOptions(format: .ndjson, units: .raw))
  return try Speed {
    var samples = 0
    for path in paths {
      var sink = ArraySink()
      samples += Int(try exporter.write(try FileStorage(reading: path), to: &sink).samples)
    }
    return samples
  }
}
