// SPDX-License-Identifier: Apache-2.0

import Files

extension PendingDirectory {
  /// Makes a file in it with what `fill` writes, and syncs it.
  func add(
    _ file: String, _ fill: (inout BufferedSink) throws(ExportError) -> Void
  ) throws(ExportError) {
    try add(file, error: { ExportError.output(name: $0, code: $1) }) {
      (descriptor, name) throws(ExportError) in
      var sink = BufferedSink(descriptor, name: name)
      try fill(&sink)
      try sink.flush()
    }
  }
}
