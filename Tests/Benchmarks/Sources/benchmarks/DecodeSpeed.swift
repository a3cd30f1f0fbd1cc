// SPDX-License-Identifier: Apache-2.0

import LogStore

/// Samples a second from a file in the page cache to blocks of counts, every check included.
func decodeSpeed(_ paths: [String]) throws -> Speed {
  try Speed {
    var samples = 0
    for path in paths {
      var reader = try LogReader(try FileStorage(reading: path))
      while let item = try reader.next() {
        if case .samples(let count) = item { samples += count }
      }
    }
    return samples
  }
}
