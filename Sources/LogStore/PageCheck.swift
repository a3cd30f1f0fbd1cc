public import IMUModel
import LogFormat

/// Looks at the checks of a log's pages and not at its samples, to know which bytes are as they were written.
///
///     page 0 │ page 1 │ page 2 │ chunk, chunk, zeros
///     └──────── settled ───────────────┘
public struct PageCheck: ~Copyable {
  private var decoder: PageDecoder
  private let page = PageMemory()
  /// Bytes from the first one on that are final; moves on with ``settle(_:)``.
  public private(set) var settledByteCount: UInt64 = 0
  /// Pages that are not as they were written, among those that are settled.
  public private(set) var damagedPageCount: UInt64 = 0

  /// A check for the pages of the recording with this description.
  public init(_ description: RecordingDescription) {
    decoder = PageDecoder(description)
  }

  /// Moves on over a log that is being written: up to its last intact chunk.
  ///
  /// What a writer has put into the file never changes, but a reader beside it may see a part of what is
  /// being written. A page is done when something is in the next one.
  public mutating func settle<Storage: LogStorage & ~Copyable>(
    _ storage: inout Storage
  ) throws(StorageError) {
    while true {
      let index = UInt32(clamping: settledByteCount / UInt64(LogFormat.pageSize))
      guard index < .max else { return }
      // In this order: whatever is in the next page was written after all of this one.
      let isDone = try hasBytes(&storage, page: index + 1)
      guard try hasBytes(&storage, page: index) else { return }
      let (end, isIntact) = check(page: index)
      let begin = UInt64(index) * UInt64(LogFormat.pageSize)
      guard isDone else {
        settledByteCount = max(settledByteCount, begin + UInt64(end))
        return
      }
      if !isIntact { damagedPageCount += 1 }
      settledByteCount = begin + UInt64(LogFormat.pageSize)
    }
  }

  /// Goes over a log that nobody writes, from its first page on, and counts its damaged pages.
  ///
  /// - Parameter stopsAtDamage: Whether to end in front of the first damage. What is settled then is the beginning
  ///   of the log that is surely as it was written.
  public mutating func run<Storage: LogStorage & ~Copyable>(
    _ storage: inout Storage, stopsAtDamage: Bool
  ) throws(StorageError) {
    settledByteCount = 0
    damagedPageCount = 0
    var index: UInt32 = 0
    while index < .max {
      let begin = UInt64(index) * UInt64(LogFormat.pageSize)
      loadedCount = try storage.read(at: begin, into: page.bytes)
      guard loadedCount > 0 else { return }
      let (end, isIntact) = check(page: index)
      if !isIntact {
        damagedPageCount += 1
        if stopsAtDamage {
          settledByteCount = begin + UInt64(end)
          return
        }
      }
      settledByteCount = begin + UInt64(loadedCount)
      index += 1
    }
  }

  /// Bytes of the page in memory.
  private var loadedCount = 0

  private mutating func hasBytes<Storage: LogStorage & ~Copyable>(
    _ storage: inout Storage, page index: UInt32
  ) throws(StorageError) -> Bool {
    loadedCount = try storage.read(
      at: UInt64(index) * UInt64(LogFormat.pageSize), into: page.bytes)
    return !LogReader<FileStorage>.isZero(page.prefix(loadedCount))
  }

  /// Where the page's last intact chunk ends, and whether it is the last thing in the page.
  private mutating func check(page index: UInt32) -> (end: Int, isIntact: Bool) {
    do {
      try decoder.begin(page: page.prefix(loadedCount), sequence: index)
      while try decoder.nextBesidesTicks() != nil {}
      return (decoder.offset, true)
    } catch {
      return (decoder.offset, false)
    }
  }
}
