// SPDX-License-Identifier: Apache-2.0

public import LogFormat

/// A part of a log that cannot be read.
public struct Damage: Equatable, Sendable {
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
}

extension Damage: CustomStringConvertible {
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
