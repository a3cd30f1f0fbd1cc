// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LogFormat
import Text

extension LogReader where Storage: ~Copyable {
  /// Opens the next readable page; `false` at the end of the file. Unreadable pages become damage, which the next readable
  /// page ends: its first tick shows what is missing.
  mutating func openNextPage() throws(LogError) -> Bool {
    while let count = try loadNextPage() {
      if begin(count: count) { return true }
    }
    return false
  }

  /// Fills the page buffer with the next page, up to page `last`, that is not all zeros; returns its bytes, or `nil`.
  mutating func loadNextPage(through last: UInt32 = .max) throws(LogError) -> Int? {
    while nextPage <= last, nextPage < .max {
      let count = try load(page: nextPage)
      if count == 0 { return nil }
      if page.prefix(count).isZero {
        try passZeroPage()
        continue
      }
      pageIndex = nextPage
      nextPage += 1
      return count
    }
    return nil
  }

  /// Fills the page buffer; returns how many bytes there were, 0 after the end of the file.
  mutating func load(page index: UInt32) throws(LogError) -> Int {
    let begin = UInt64(index) * UInt64(LogFormat.pageSize)
    guard begin < loadLimit else { return 0 }
    let room = Int(min(UInt64(LogFormat.pageSize), loadLimit - begin))
    return try LogError.wrapped { () throws(StorageError) in
      try storage.read(
        at: begin, into: UnsafeMutableRawBufferPointer(rebasing: page.bytes[..<room]))
    }
  }

  /// Opens the page in the buffer, or records why it cannot be read.
  private mutating func begin(count: Int) -> Bool {
    let bytes = page.prefix(count)
    noteZeroPages()
    pageByteCount = count
    let header: PageHeader
    do {
      header = try decoder.begin(page: bytes, sequence: pageIndex)
    } catch {
      damage.note(
        error.reason, page: pageIndex, byte: error.offset, count: count - error.offset)
      return false
    }
    balance(upTo: header.firstTick)
    isInPage = true
    recordCount = 0
    return true
  }

  /// Closes the account of the page before, whose ticks end where the next ones begin.
  private mutating func balance(upTo tick: UInt64) {
    defer {
      beginsWithin = false
      account = PageAccount(page: pageIndex, firstTick: tick)
      recordedNextTick = max(recordedNextTick, tick)
    }
    if beginsWithin {
      recordedNextTick = tick
      return
    }
    let lost = lostTicks(upTo: tick).addingSaturated(closeAccount())
    if lost > 0, pageIndex > 0 { noteMissingEnd() }
    damage.ticksLost = lost
  }

  /// Ticks that the last page covers without a record, but that belong after its last chunk: a gap is written together with
  /// the samples around it, and before them. Other ticks are unexplained.
  private mutating func closeAccount() -> UInt64 {
    guard !account.isSpoilt else { return 0 }
    let covered = recordedNextTick - min(recordedNextTick, account.firstTick)
    let missing = covered - min(covered, account.ticks)
    if account.endsWithGap { return missing }
    unexplainedTickCount = unexplainedTickCount.addingSaturated(missing)
    return 0
  }

  /// The last page's bytes are intact, so the missing ones never reached the file.
  private mutating func noteMissingEnd() {
    guard !damage.isRunning else { return }
    damage.note(.notWritten, page: account.page, byte: account.end, count: 0)
  }

  /// Ticks before `tick` that no page so far accounted for.
  private func lostTicks(upTo tick: UInt64) -> UInt64 {
    // Of a page read in part, a gap may have come and the samples before it not.
    let known =
      account.isSpoilt ? account.firstTick.addingSaturated(account.ticks) : recordedNextTick
    return tick > known ? tick - known : 0
  }

  /// Passes a page of zeros; after many of them, goes on to the next byte that is not in a hole.
  private mutating func passZeroPage() throws(LogError) {
    let pageSize = UInt64(LogFormat.pageSize)
    let first = firstZeroPage ?? nextPage
    firstZeroPage = first
    nextPage += 1
    guard UInt64(nextPage - first) * pageSize >= ZeroRun.longestRead else { return }
    let data = try LogError.wrapped { () throws(StorageError) in
      try storage.nextData(from: UInt64(nextPage) * pageSize)
    }
    nextPage = data.map { UInt32(clamping: $0 / pageSize) } ?? .max
  }

  /// Zeros are damage only when something follows, as here.
  private mutating func noteZeroPages() {
    guard let first = firstZeroPage else { return }
    firstZeroPage = nil
    damage.note(.notWritten, pages: first..<pageIndex)
  }

  /// Records what is missing at the end of the file, as the recording's end shows it.
  mutating func finishAtEnd() {
    guard !beginsWithin else { return }
    let missing = closeAccount()
    if let end {
      damage.ticksLost = lostTicks(upTo: end.tally.scheduled).addingSaturated(missing)
    } else if missing > 0, !damage.isRunning {
      noteMissingEnd()
      damage.ticksLost = missing
    }
    account = PageAccount(page: account.page, firstTick: recordedNextTick)
  }

  /// The description in page 0, or in its copy in page 1.
  static func header(_ storage: inout Storage, _ page: borrowing PageMemory)
    throws(LogError) -> RecordingDescription
  {
    let name = storage.name
    let bytes = try read(0, of: &storage, page)
    do {
      return try decodeHeader(bytes)
    } catch {
      if case .unsupportedVersion(let version) = error.reason {
        throw .unsupportedVersion(name: name, version: version)
      }
      let (found, looksDamaged) = (begin(of: bytes), looksLikeHeader(bytes))
      // Page 1 begins with a copy of the description. A log without its mark still has pages after the first.
      let next = try read(1, of: &storage, page)
      if let copy = header(inPage1: next) { return copy }
      let isForeign = [.notALog, .notWritten, .cutShort].contains(error.reason)
      if isForeign, !looksDamaged, !isPage(next) { throw .foreign(name: name, found: found) }
      throw .damagedHeader(name: name, offset: error.offset, reason: error.reason)
    }
  }

  private static func read(
    _ index: UInt64, of storage: inout Storage, _ page: borrowing PageMemory
  ) throws(LogError) -> UnsafeRawBufferPointer {
    let bytes = page.bytes
    let count = try LogError.wrapped { () throws(StorageError) in
      try storage.read(at: index * UInt64(LogFormat.pageSize), into: bytes)
    }
    return page.prefix(count)
  }

  private static func header(inPage1 bytes: UnsafeRawBufferPointer) -> RecordingDescription? {
    do { return try decodeHeader(bytes, sequence: 1) } catch { return nil }
  }

  /// Whether the bytes have the mark of a page, or the word that every header begins with.
  private static func looksLikeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let words = bytes.dropFirst(PageHeader.size + 2).prefix(7)
    return bytes.prefix(3).elementsEqual([0x89, UInt8(ascii: "I"), UInt8(ascii: "M")])
      || words.elementsEqual("imulog ".utf8)
  }

  private static func begin(of bytes: UnsafeRawBufferPointer) -> String {
    if bytes.isEmpty { return "is empty" }
    if bytes.isZero { return "begins with zeros: nothing was written" }
    let digits = bytes.prefix(8).map { Plain.hexadecimal($0) }
    return "begins with the bytes \(digits.joined(separator: " "))"
  }
}

/// The ticks of one page, to find what is missing after it.
struct PageAccount {
  var page: UInt32 = 0
  /// Where in the page the last chunk that was read ends.
  var end = LogFormat.pageSize
  var firstTick: UInt64 = 0
  /// Samples, and ticks in gaps.
  var ticks: UInt64 = 0
  /// Whether part of the page could not be read.
  var isSpoilt = false
  /// Whether the last record was a gap.
  var endsWithGap = false
}
