// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

/// How the bytes of a golden log are put together without the encoder.
///
///     headerText   lines of the header chunk, none for no such chunk; without it, those of the
///                  twin's description
///     pages        filled with zeros up to 4096 bytes, but for the last one
///     changes      [byte, mask]: bits flipped after that
///     cutTo        bytes that are left after that, and
///     zerosBehind  zeros after them
struct HandmadeLog: Decodable {
  /// A page; without chunks it is all zero.
  struct Page: Decodable {
    let firstTick: UInt64?
    let firstTime: Int64?
    /// When not those that belong here.
    let sequence: UInt32?
    let version: UInt8?
    let recording: UInt64?
    let chunks: [Chunk]?
  }

  /// A chunk, repeated `times` times.
  ///
  /// The body consists of words of bits, with the last byte padded with zeros, and of bytes as hexadecimal digits
  /// after an x; `length` pads the body with zeros to that many bytes.
  struct Chunk: Decodable {
    let kind: UInt8
    let body: String
    let length: Int?
    let times: Int?

    var bytes: [UInt8] {
      var bits = ""
      for word in body.split(separator: " ") {
        guard word.hasPrefix("x") else {
          bits += word
          continue
        }
        for digit in word.dropFirst() {
          let nibble = String(digit.hexDigitValue ?? 0, radix: 2)
          bits += String(repeating: "0", count: 4 - nibble.count) + nibble
        }
      }
      bits += String(repeating: "0", count: (8 - bits.count % 8) % 8)
      var bytes: [UInt8] = []
      var rest = Substring(bits)
      while !rest.isEmpty {
        bytes.append(UInt8(rest.prefix(8), radix: 2) ?? 0)
        rest = rest.dropFirst(8)
      }
      return bytes + Array(repeating: 0, count: max((length ?? 0) - bytes.count, 0))
    }
  }

  let headerText: [String]?
  let pages: [Page]
  let changes: [[Int]]?
  let cutTo: Int?
  let zerosBehind: Int?

  /// The log's bytes.
  func bytes(_ description: RecordingDescription) throws -> [UInt8] {
    var log: [UInt8] = []
    for (index, page) in pages.enumerated() {
      log += Array(repeating: 0, count: index * LogFormat.pageSize - log.count)
      if let chunks = page.chunks { log += try bytes(page, chunks, index, description) }
    }
    if pages.last?.chunks == nil {
      log += Array(repeating: 0, count: pages.count * LogFormat.pageSize - log.count)
    }
    for change in changes ?? [] { log[change[0]] ^= UInt8(change[1]) }
    return log.prefix(cutTo ?? .max) + Array(repeating: 0, count: zerosBehind ?? 0)
  }

  private func bytes(
    _ page: Page, _ chunks: [Chunk], _ index: Int, _ description: RecordingDescription
  ) throws -> [UInt8] {
    var owner = description
    if let recording = page.recording { owner.id = RecordingID(high: recording << 32, low: 0) }
    var made = TestPage(
      owner, sequence: page.sequence ?? UInt32(index), firstTick: page.firstTick ?? 0,
      firstTime: page.firstTime ?? 0, version: page.version ?? LogFormat.version)
    if index == 0, headerText?.isEmpty != true {
      let lines = headerText.map { Array($0.map { $0 + "\n" }.joined().utf8) }
      made.add(kind: 7, try lines ?? Array(encodeHeader(description).dropFirst(34).dropLast(4)))
    }
    for chunk in chunks {
      for _ in 0..<(chunk.times ?? 1) { made.add(kind: chunk.kind, chunk.bytes) }
    }
    return made.bytes
  }
}
