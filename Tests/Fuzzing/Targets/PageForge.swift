// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import LogFormat

/// Makes pages with right checks from inputs without checks.
///
/// A page is described as in the specification, without its checks: chunks of a head and a body, ended
/// by a head of 0 or by the end of the input. Thus nearly every change of an input reaches the
/// decoders of bodies.
struct PageForge: ~Copyable {
  /// Pages that an input can fill.
  static let pageLimit = 8

  private let memory: UnsafeMutableRawBufferPointer
  private(set) var pageCount = 0
  private var offset = 0
  private var check: UInt32 = 0

  init() {
    // Safe: owned by this value alone and freed with it; every access is checked by the buffer.
    memory = .allocate(byteCount: PageForge.pageLimit * LogFormat.pageSize, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { memory.deallocate() }

  /// All pages; valid until the next change.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[..<(pageCount * LogFormat.pageSize)])
  }

  /// The page begun last, as far as it was filled.
  var filledPage: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: page[..<offset])
  }

  var isFull: Bool { pageCount == PageForge.pageLimit }

  private var page: UnsafeMutableRawBufferPointer {
    let begin = (pageCount - 1) * LogFormat.pageSize
    return UnsafeMutableRawBufferPointer(rebasing: memory[begin..<begin + LogFormat.pageSize])
  }

  mutating func removeAll() { pageCount = 0 }

  /// Begins a page of zeros.
  mutating func addPage() {
    pageCount += 1
    page.initializeMemory(as: UInt8.self, repeating: 0)
    offset = 0
  }

  /// Begins a page with an encoder's output, up to the end of its last chunk.
  mutating func addPage(beginning bytes: [UInt8]) {
    addPage()
    page.copyBytes(from: bytes)
    offset = bytes.count
    check = UnsafeRawBufferPointer(page).loadUnaligned(fromByteOffset: offset - 4, as: UInt32.self)
  }

  /// Begins a page with a header.
  mutating func addPage(_ header: PageHeader) {
    addPage()
    var header = header
    header.encode(into: page)
    offset = PageHeader.size
    check = header.check
  }

  /// Adds the chunks that an input describes, up to a head of 0, the page's end or its own.
  mutating func addChunks(_ input: inout InputCursor) {
    while !input.isAtEnd {
      let head = input.number(UInt16.self)
      guard head != 0 else { return }
      let body = input.bytes(Int(head & 0xFFF))
      guard offset + 6 + body.count <= LogFormat.pageSize else { return }
      addChunk(kind: UInt8(head >> 12), body)
    }
  }

  /// Adds a chunk for which there is room.
  mutating func addChunk(kind: UInt8, _ body: UnsafeRawBufferPointer) {
    let page = page
    let head = UInt16(kind) << 12 | UInt16(body.count)
    page.storeBytes(of: head.littleEndian, toByteOffset: offset, as: UInt16.self)
    UnsafeMutableRawBufferPointer(rebasing: page[(offset + 2)...]).copyMemory(from: body)
    let covered = UnsafeRawBufferPointer(rebasing: page[offset..<offset + 2 + body.count])
    check = imulog_crc32c(check, covered.baseAddress, covered.count)
    let end = offset + 2 + body.count
    page.storeBytes(of: check.littleEndian, toByteOffset: end, as: UInt32.self)
    offset = end + 4
  }

  /// Flips bits of a byte of the page.
  mutating func damage(at place: UInt16, _ mask: UInt8) {
    page[Int(place) % LogFormat.pageSize] ^= mask
  }
}
