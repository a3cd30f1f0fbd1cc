// SPDX-License-Identifier: Apache-2.0

/// Finds the chunks of a page and verifies their checks.
///
///     ┌───────────────────┬──────┬───────┐
///     │ kind<<12 | length │ body │ check │    check: CRC-32C of head and body, continuing from the check before
///     └───────────────────┴──────┴───────┘
struct ChunkReader {
  /// Offset after the last intact chunk.
  private(set) var offset = PageHeader.size
  private var check: UInt32
  private var isFinished = false
  private let page: UnsafeRawBufferPointer

  /// A reader of a page with an intact header; bytes beyond 4096 are ignored. Safe while the page's bytes stay where they
  /// are; every access is checked against `page`.
  init(_ page: UnsafeRawBufferPointer, check: UInt32) {
    self.page = UnsafeRawBufferPointer(rebasing: page.prefix(LogFormat.pageSize))
    self.check = check
  }

  /// The next intact chunk, `nil` after the last one; after an error only `nil` follows.
  mutating func next() throws(FormatError) -> (kind: UInt8, body: Range<Int>)? {
    guard !isFinished else { return nil }
    let rest = UnsafeRawBufferPointer(rebasing: page[offset...])
    let head: UInt16 = rest.count >= 2 ? rest.littleEndian(at: 0) : 0
    guard head != 0 else {
      isFinished = true
      if rest.isZero { return nil }
      throw FormatError(rest.count < 2 ? .cutShort : .notZeroAfterLastChunk, offset: offset)
    }
    let length = Int(head & 0xFFF)
    guard length + LogFormat.chunkOverhead <= rest.count else {
      isFinished = true
      // Only the last page of a file can be cut; in a whole page such a head is damage.
      throw FormatError(
        page.count < LogFormat.pageSize ? .cutShort : .damagedChunk, offset: offset)
    }
    let computed = crc32c(check, UnsafeRawBufferPointer(rebasing: rest[0..<(2 + length)]))
    guard rest.littleEndian(at: 2 + length, as: UInt32.self) == computed else {
      isFinished = true
      throw FormatError(.damagedChunk, offset: offset)
    }
    check = computed
    let body = (offset + 2)..<(offset + 2 + length)
    offset = body.upperBound + 4
    return (UInt8(head >> 12), body)
  }
}

struct ChunkWriter {
  private let page: UnsafeMutableRawBufferPointer
  private let offset: Int
  private let previousCheck: UInt32

  init(_ page: UnsafeMutableRawBufferPointer, offset: Int, check: UInt32) {
    self.page = page
    self.offset = offset
    previousCheck = check
  }

  var body: ByteWriter {
    ByteWriter(UnsafeMutableRawBufferPointer(rebasing: page[(offset + 2)..<(page.count - 4)]))
  }

  /// Puts head and check around a body of `length` bytes; returns the check and the offset after it.
  @discardableResult
  func finish(kind: UInt8, length: Int) -> (check: UInt32, end: Int) {
    precondition(length <= 0xFFF, "a chunk's length has 12 bits")
    page.storeLittleEndian(UInt16(kind) << 12 | UInt16(length), at: offset)
    let covered = UnsafeRawBufferPointer(page)[offset..<(offset + 2 + length)]
    let check = crc32c(previousCheck, UnsafeRawBufferPointer(rebasing: covered))
    page.storeLittleEndian(check, at: offset + 2 + length)
    return (check, offset + LogFormat.chunkOverhead + length)
  }
}
