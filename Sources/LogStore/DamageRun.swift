import LogFormat

/// Damage that continues from page to page until one can be read.
struct DamageRun {
  private var damage: Damage?

  /// Whether there is any.
  var isRunning: Bool { damage != nil }

  /// What is missing in it, as the page after it shows; of no effect without damage.
  var ticksLost: UInt64? {
    get { damage?.ticksLost }
    set { damage?.ticksLost = newValue }
  }

  /// Begins with `count` bytes from a byte of a page on, or adds them to what there is.
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

  /// The same, of whole pages.
  mutating func note(_ reason: Damage.Reason, pages: Range<UInt32>) {
    guard let last = pages.last else { return }
    note(reason, page: pages.lowerBound, byte: 0, count: 0)
    note(reason, page: last, byte: 0, count: pages.count * LogFormat.pageSize)
  }

  /// Ends it.
  mutating func take() -> Damage? {
    defer { damage = nil }
    return damage
  }
}
