// SPDX-License-Identifier: Apache-2.0

public import LogFormat

/// A part of a log that cannot be read: where, why, and which ticks are missing.
public struct Damage: Equatable, Sendable {
  /// What is wrong.
  public enum Reason: Equatable, Sendable {
    /// The bytes are not what was written.
    case format(FormatError.Reason)
    /// The bytes are intact, but their ticks came before: a page in the wrong place.
    case ticksGoBack
  }

  /// The page in which it begins; page n begins at byte n × 4096.
  public var page: UInt32
  /// Pages that it touches, at least 1.
  public var pageCount: UInt32
  /// Where in the file it begins.
  public var offset: UInt64
  /// Bytes that were skipped; 0 for bytes that never reached the file.
  public var byteCount: UInt64
  /// What is wrong where it begins.
  public var reason: Reason
  /// Ticks missing here, sampled or not; `nil` when nothing readable follows to show it.
  public var ticksLost: UInt64?

  /// A part that cannot be read.
  public init(
    page: UInt32, pageCount: UInt32, offset: UInt64, byteCount: UInt64, reason: Reason,
    ticksLost: UInt64?
  ) {
    (self.page, self.pageCount) = (page, pageCount)
    (self.offset, self.byteCount) = (offset, byteCount)
    (self.reason, self.ticksLost) = (reason, ticksLost)
  }
}

extension Damage: CustomStringConvertible {
  /// One clause, such as `page 3, byte 12345: a chunk is damaged …; 4000 bytes skipped, 57 ticks
  /// lost`.
  public var description: String {
    let what: String
    switch reason {
    case .format(let reason): what = FormatError(reason, offset: 0).description
    case .ticksGoBack: what = "the ticks were there before"
    }
    let pages = pageCount == 1 ? "page \(page)" : "pages \(page) to \(page + pageCount - 1)"
    let lost = ticksLost.map { "\($0) ticks lost" } ?? "an unknown number of ticks lost"
    return "\(pages), byte \(offset): \(what); \(byteCount) bytes skipped, \(lost)"
  }
}

/// Damage that continues from page to page up to the next readable one.
struct DamageRun {
  private var damage: Damage?

  /// Whether damage is continuing.
  var isRunning: Bool { damage != nil }

  /// The ticks missing in it, as the page after it shows; no effect without damage.
  var ticksLost: UInt64? {
    get { damage?.ticksLost }
    set { damage?.ticksLost = newValue }
  }

  /// Begins with, or adds, `count` bytes from a byte of a page on.
  mutating func note(_ reason: Damage.Reason, page: UInt32, byte: Int, count: Int) {
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
  mutating func note(_ reason: Damage.Reason, pages: Range<UInt32>) {
    guard let last = pages.last else { return }
    note(reason, page: pages.lowerBound, byte: 0, count: 0)
    note(reason, page: last, byte: 0, count: pages.count * LogFormat.pageSize)
  }

  /// Ends it.
  mutating func drain() -> Damage? {
    defer { damage = nil }
    return damage
  }
}
