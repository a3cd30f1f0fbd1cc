// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

/// Decodes one page, whose checks are right in one half of the inputs:
///
///     description and kind │ first tick, 8 │ first time, 8 │ chunks without checks
///     description and kind │ the page's own bytes
public final class PageTarget: FuzzTarget {
  /// `pages`.
  public static let name = "pages"

  private var forge = PageForge()
  private var block = SampleBlock()
  private var decoders = Decoders()

  /// A target for one thread.
  public init() {}

  /// Tries one input.
  public func run(_ input: UnsafeRawBufferPointer) {
    var cursor = InputCursor(input)
    let choice = cursor.byte()
    let index = Int(choice & 0x7F) % Headers.descriptions.count
    guard choice & 0x80 == 0 else { return decode(cursor.rest, index) }
    forge.removeAll()
    forge.addPage(
      PageHeader(
        recording: PageHeader.tag(of: Headers.descriptions[index].id), sequence: 0,
        firstTick: cursor.number(), firstTime: cursor.number()))
    forge.addChunks(&cursor)
    decode(forge.filledPage, index)
  }

  private func decode(_ page: UnsafeRawBufferPointer, _ index: Int) {
    switch index {
    case 0: decode(page, &decoders.first)
    case 1: decode(page, &decoders.second)
    case 2: decode(page, &decoders.third)
    case 3: decode(page, &decoders.fourth)
    default: decode(page, &decoders.fifth)
    }
  }

  private func decode(_ page: UnsafeRawBufferPointer, _ decoder: inout PageDecoder) {
    var records = 0
    do {
      try decoder.begin(page: page, sequence: 0)
      while let record = try decoder.next(into: &block) {
        records += 1
        // A gap takes four bytes at least.
        precondition(records <= LogFormat.pageSize / 4, "a page without end")
        guard case .samples = record else { continue }
        precondition((1...SampleBlock.capacity).contains(block.count), "a block's count")
        precondition(block.ticks.allSatisfy { $0 < 1 << 63 }, "a tick")
      }
    } catch {
      precondition(error.offset <= LogFormat.pageSize, "an error outside the page")
      let next: LogRecord?
      do { next = try decoder.next(into: &block) } catch { preconditionFailure("a second error") }
      precondition(next == nil, "a record after an error")
    }
    precondition(decoder.offset <= page.count, "more was read than there is")
  }
}

/// One decoder for each description.
private struct Decoders: ~Copyable {
  var first = PageDecoder(Headers.descriptions[0])
  var second = PageDecoder(Headers.descriptions[1])
  var third = PageDecoder(Headers.descriptions[2])
  var fourth = PageDecoder(Headers.descriptions[3])
  var fifth = PageDecoder(Headers.descriptions[4])
}
