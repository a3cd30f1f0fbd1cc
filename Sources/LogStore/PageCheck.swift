// SPDX-License-Identifier: Apache-2.0

public import Files
public import IMUModel
public import LogFormat

/// Checks a log's pages without decoding samples, to find which bytes are as they were written.
///
///     page 0 │ page 1 │ page 2 │ chunk, chunk, zeros
///     └──────── final ─────────────────┘
public struct PageCheck: ~Copyable {
  private var decoder: PageDecoder
  private let page = PageMemory()
  private let block = PageMemory(pages: PageCheck.blockPages)
  /// Bytes from the first one on that are final; grows with ``advance(_:)``.
  public private(set) var finalByteCount: UInt64 = 0
  /// Damaged pages among those.
  public private(set) var damagedPageCount: UInt64 = 0

  /// Pages that are read at a time.
  private static var blockPages: Int { 16 }

  /// A check of the pages of a recording.
  ///
  /// - Parameter start: Bytes from the first one on that were found intact; only their last page is checked again.
  public init(_ description: RecordingDescription, from start: UInt64 = 0) {
    decoder = PageDecoder(description)
    finalByteCount = start / UInt64(LogFormat.pageSize) * UInt64(LogFormat.pageSize)
  }

  /// Advances over a live log, up to its last intact chunk.
  ///
  /// Bytes never change once written, but a concurrent reader may see part of a write. A page is done when the next one has
  /// something in it.
  public mutating func advance<Storage: LogStorage & ~Copyable>(
    _ storage: inout Storage
  ) throws(StorageError) {
    while true {
      let index = UInt32(clamping: finalByteCount / UInt64(LogFormat.pageSize))
      guard index < .max else { return }
      // In this order: the next page is written only after all of this one.
      let isDone = try hasBytes(&storage, page: index + 1)
      guard try hasBytes(&storage, page: index) else { return }
      let (end, isIntact) = check(page.prefix(loadedCount), page: index)
      let begin = UInt64(index) * UInt64(LogFormat.pageSize)
      guard isDone else {
        finalByteCount = max(finalByteCount, begin + UInt64(end))
        return
      }
      if !isIntact { damagedPageCount += 1 }
      finalByteCount = begin + UInt64(LogFormat.pageSize)
    }
  }

  /// Checks the rest of a log that no program is writing, and counts its damaged pages.
  ///
  /// - Parameter stopsAtDamage: Whether to stop before the first damage; ``finalByteCount`` is then certainly intact.
  public mutating func run<Storage: LogStorage & ~Copyable>(
    _ storage: inout Storage, stopsAtDamage: Bool
  ) throws(StorageError) {
    while try step(&storage, upTo: .max, stopsAtDamage: stopsAtDamage) {}
  }

  /// Checks the whole pages among the first `end` bytes of a log that is being received, which leaves less for
  /// ``run(_:stopsAtDamage:)``.
  public mutating func advance<Storage: LogStorage & ~Copyable>(
    _ storage: inout Storage, to end: UInt64
  ) throws(StorageError) {
    let whole = end / UInt64(LogFormat.pageSize) * UInt64(LogFormat.pageSize)
    while finalByteCount < whole {
      guard try step(&storage, upTo: whole, stopsAtDamage: false) else { return }
    }
  }

  /// Checks up to ``blockPages`` pages; `false` when there are no more.
  private mutating func step<Storage: LogStorage & ~Copyable>(
    _ storage: inout Storage, upTo end: UInt64, stopsAtDamage: Bool
  ) throws(StorageError) -> Bool {
    let first = finalByteCount / UInt64(LogFormat.pageSize)
    guard first < UInt32.max, finalByteCount.isMultiple(of: UInt64(LogFormat.pageSize)) else {
      return false
    }
    let room = Int(min(UInt64(block.bytes.count), end - finalByteCount))
    let count = try storage.read(
      at: finalByteCount, into: UnsafeMutableRawBufferPointer(rebasing: block.bytes[..<room]))
    var begin = 0
    while begin < count {
      let length = min(LogFormat.pageSize, count - begin)
      let bytes = UnsafeRawBufferPointer(rebasing: block.bytes[begin..<begin + length])
      let index = first + UInt64(begin / LogFormat.pageSize)
      guard index < UInt32.max else { return false }
      let (end, isIntact) = check(bytes, page: UInt32(index))
      if !isIntact {
        damagedPageCount += 1
        if stopsAtDamage {
          finalByteCount += UInt64(end)
          return false
        }
      }
      finalByteCount += UInt64(length)
      begin += length
    }
    return count == room
  }

  /// Bytes of the page in memory.
  private var loadedCount = 0

  private mutating func hasBytes<Storage: LogStorage & ~Copyable>(
    _ storage: inout Storage, page index: UInt32
  ) throws(StorageError) -> Bool {
    loadedCount = try storage.read(
      at: UInt64(index) * UInt64(LogFormat.pageSize), into: page.bytes)
    return !page.prefix(loadedCount).isZero
  }

  /// Where the page's last intact chunk ends, and whether nothing follows it.
  private mutating func check(
    _ bytes: UnsafeRawBufferPointer, page index: UInt32
  ) -> (end: Int, isIntact: Bool) {
    do {
      try decoder.begin(page: bytes, sequence: index)
      while try decoder.nextBesidesTicks() != nil {}
      return (decoder.offset, true)
    } catch {
      return (decoder.offset, false)
    }
  }
}

/// A part of a log that cannot be read.
public struct Damage: Equatable, Sendable, CustomStringConvertible {
  /// The page in which it begins; page n begins at byte n × 4096.
  public var page: UInt32
  /// Pages that it touches, at least 1.
  public var pageCount: UInt32
  /// Where in the file it begins.
  public var offset: UInt64
  /// Bytes that were skipped; 0 if they never reached the file.
  public var byteCount: UInt64
  /// What is wrong where it begins.
  public var reason: FormatError.Reason
  /// Ticks missing here, sampled or not; `nil` when nothing readable follows to show it.
  public var ticksLost: UInt64?

  /// One clause, such as `page 3, byte 12345: a chunk is damaged …; 4000 bytes skipped, 57 ticks lost`.
  public var description: String {
    let what = FormatError(reason, offset: 0)
    let pages = pageCount == 1 ? "page \(page)" : "pages \(page) to \(page + pageCount - 1)"
    let lost = ticksLost.map { "\($0) ticks lost" } ?? "an unknown number of ticks lost"
    return "\(pages), byte \(offset): \(what); \(byteCount) bytes skipped, \(lost)"
  }
}

/// Damage that continues over pages, up to the next readable one.
struct DamageRun {
  private var damage: Damage?

  var isRunning: Bool { damage != nil }

  /// The ticks missing in it, as the page after it shows.
  var ticksLost: UInt64? {
    get { damage?.ticksLost }
    set { damage?.ticksLost = newValue }
  }

  /// Begins with, or adds, `count` bytes from a byte of a page on.
  mutating func note(_ reason: FormatError.Reason, page: UInt32, byte: Int, count: Int) {
    guard let first = damage?.page else {
      damage = Damage(
        page: page, pageCount: 1, offset: UInt64(page) * UInt64(LogFormat.pageSize) + UInt64(byte),
        byteCount: UInt64(count), reason: reason, ticksLost: nil)
      return
    }
    damage?.pageCount = page - first + 1
    damage?.byteCount += UInt64(count)
  }

  /// The same for whole pages.
  mutating func note(_ reason: FormatError.Reason, pages: Range<UInt32>) {
    guard let last = pages.last else { return }
    note(reason, page: pages.lowerBound, byte: 0, count: 0)
    note(reason, page: last, byte: 0, count: pages.count * LogFormat.pageSize)
  }

  mutating func drain() -> Damage? {
    defer { damage = nil }
    return damage
  }
}
