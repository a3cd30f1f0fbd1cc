// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import IMUModel
import LogFormat

/// A page put together byte by byte, with right checks around whatever is put into it.
struct TestPage {
  private(set) var bytes: [UInt8] = []
  private var check: UInt32 = 0

  init(
    _ description: RecordingDescription, sequence: UInt32, firstTick: UInt64 = 0,
    firstTime: Int64 = 0, version: UInt8 = LogFormat.version
  ) {
    bytes = Array(repeating: 0, count: PageHeader.size)
    var header = PageHeader(
      recording: PageHeader.tag(of: description.id), sequence: sequence, firstTick: firstTick,
      firstTime: firstTime)
    bytes.withUnsafeMutableBytes { header.encode(into: $0) }
    bytes[3] = version
    check = imulog_crc32c_portable(0, bytes, 28)
    for index in 0..<4 { bytes[28 + index] = UInt8(truncatingIfNeeded: check >> (8 * index)) }
  }

  /// Adds a chunk with a right check.
  mutating func add(kind: UInt8, _ body: [UInt8]) {
    let head = UInt16(kind) << 12 | UInt16(body.count)
    let covered = [UInt8(head & 0xFF), UInt8(head >> 8)] + body
    check = imulog_crc32c_portable(check, covered, covered.count)
    bytes += covered + (0..<4).map { UInt8(truncatingIfNeeded: check >> (8 * $0)) }
  }

  /// The bodies of a log's intact chunks, page by page, found without the decoder.
  static func chunks(of log: [UInt8]) -> [(page: Int, kind: UInt8, body: [UInt8])] {
    var chunks: [(page: Int, kind: UInt8, body: [UInt8])] = []
    for (index, start) in stride(from: 0, to: log.count, by: 4096).enumerated() {
      let page = Array(log[start..<min(start + 4096, log.count)])
      var offset = 32
      while offset + 2 <= page.count {
        let head = Int(page[offset]) | Int(page[offset + 1]) << 8
        if head == 0 { break }
        let end = offset + 2 + head & 0xFFF
        chunks.append((index, UInt8(head >> 12), Array(page[(offset + 2)..<end])))
        offset = end + 4
      }
    }
    return chunks
  }
}
