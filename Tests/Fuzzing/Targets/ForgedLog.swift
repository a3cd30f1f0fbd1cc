// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

/// A log of an input:
///
///     kind 0   │ the log's own bytes
///     kind 1   │ header │ chunks │ 0 │ flags, first tick, first time │ chunks │ 0 │ …
///
/// The pages of kind 1 have right checks, unless their flags ask for damage.
struct ForgedLog: ~Copyable {
  private var forge = PageForge()

  /// Makes the log and hands it to `body`; valid for as long as that runs.
  mutating func with(_ cursor: inout InputCursor, _ body: (UnsafeRawBufferPointer) -> Void) {
    guard cursor.byte() & 1 == 1 else { return body(cursor.rest) }
    forge.removeAll()
    let recording = addHeader(&cursor)
    forge.addChunks(&cursor)
    while !cursor.isAtEnd, !forge.isFull { addPage(&cursor, recording) }
    body(forge.bytes)
  }

  /// A header of the known ones, or of the input's own text; gives the recording's tag.
  private mutating func addHeader(_ cursor: inout InputCursor) -> UInt32 {
    let choice = cursor.byte()
    let index = Int(choice & 0x7F) % Headers.descriptions.count
    let tag = PageHeader.tag(of: Headers.descriptions[index].id)
    guard choice & 0x80 != 0 else {
      forge.addPage(beginning: Headers.encoded[index])
      return tag
    }
    let text = cursor.bytes(Int(cursor.number(UInt16.self) & 0x7FF))
    forge.addPage(PageHeader(recording: tag, sequence: 0, firstTick: 0, firstTime: 0))
    forge.addChunk(kind: 7, text)
    return tag
  }

  private mutating func addPage(_ cursor: inout InputCursor, _ recording: UInt32) {
    let flags = cursor.byte()
    if flags & 1 != 0 {
      forge.addPage()
      if forge.isFull { return }
    }
    let sequence = UInt32(forge.pageCount) &+ (flags & 2 != 0 ? 1 : 0)
    forge.addPage(
      PageHeader(
        recording: flags & 4 != 0 ? ~recording : recording, sequence: sequence,
        firstTick: cursor.number(), firstTime: cursor.number()))
    let mask = flags & 8 != 0 ? cursor.byte() : 0
    let place = flags & 8 != 0 ? cursor.number(UInt16.self) : 0
    forge.addChunks(&cursor)
    if mask != 0 { forge.damage(at: place, mask) }
  }
}
