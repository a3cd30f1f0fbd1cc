import LogFormat

extension LogReader where Storage: ~Copyable {
  /// The next item within the first `limit` bytes of a log that a program is writing; `nil` when there is none yet.
  ///
  ///     page 7: chunk, chunk │ chunk          page 7 is opened again when the limit has grown,
  ///             given ───────┘ └─ new         and what was given of it is passed over
  ///
  /// When the writer is gone, ``next()`` gives the rest, and says what cannot be read of it.
  ///
  /// - Parameter limit: The end of a chunk or of a page: ``PageCheck/settledByteCount``, never less than before.
  /// - Throws: ``LogError/storage(_:)`` only.
  public mutating func next(within limit: UInt64) throws(LogError) -> LogItem? {
    loadLimit = limit
    defer { loadLimit = .max }
    while true {
      if isInPage {
        if let item = nextInPage() { return item }
        isPaused = pageByteCount < LogFormat.pageSize && !damage.isRunning
      } else if isPaused {
        let known = UInt64(pageIndex) * UInt64(LogFormat.pageSize) + UInt64(pageByteCount)
        guard limit > known else { return nil }
        try openPausedPage()
      } else {
        guard try openNextPage() else { return nil }
        if let part = damage.take() { return .damage(part) }
      }
    }
  }

  /// Opens the page again of which a part was read, and passes over what was given.
  mutating func openPausedPage() throws(LogError) {
    isPaused = false
    let given = recordCount
    pageByteCount = try load(page: pageIndex)
    do {
      try decoder.begin(page: page.prefix(pageByteCount), sequence: pageIndex)
      for _ in 0..<given { _ = try decoder.next(into: &block) }
    } catch {
      damage.note(
        .format(error.reason), page: pageIndex, byte: error.offset,
        count: pageByteCount - min(pageByteCount, error.offset))
      return
    }
    isInPage = true
  }
}
