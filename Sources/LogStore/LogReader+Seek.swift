// SPDX-License-Identifier: Apache-2.0

import Files
public import IMUModel
import LogFormat

extension LogReader where Storage: ~Copyable {
  /// Continues where every record at `time` or later is still to come.
  ///
  /// Records written together may be in any order within a few pages, so the next items may be that much earlier. Where the
  /// chip dates the samples, their times are as if read from the beginning, and their ticks as recorded.
  ///
  /// - Parameter time: Nanoseconds since tick 0's deadline. Times in a log never decrease.
  /// - Complexity: about log₂(pages) reads of a page; more where pages are damaged.
  public mutating func seek(toTime time: Int64) throws(LogError) {
    // The recorded times of a chip's samples may be off by more than a flush.
    let margin: Int64 = description.clock == .grid ? 0 : 1_000_000_000
    let time = max(time, -RecordingTime.limit)
    let first = try page(before: time - margin)
    let scanned =
      description.clock == .grid ? first : try page(before: time - ChipTimes.scanned)
    if first == 0 { rewind() } else { jump(toPage: first) }
    scanStart = scanned
  }

  /// A page such that every record at `time` or later is in it or after it.
  private mutating func page(before time: Int64) throws(LogError) -> UInt32 {
    let best = try lastPage { $0.firstTime < time }
    return best > LogReader.pagesTogether ? best - LogReader.pagesTogether : 0
  }

  /// Pages that hold more than a writer collects between two syncs: 1024 samples of at most 22 bytes.
  private static var pagesTogether: UInt32 { 8 }

  /// Whether the recording has neither an end that its recorder wrote nor a sample at `time` or later, so that records
  /// before that time may be missing. Leaves the reader anywhere.
  public mutating func isCutOff(before time: Int64) throws(LogError) -> Bool {
    if let end = try outerPages().end, end.reason != .recovered { return false }
    try seek(toTime: time)
    while let item = try next() {
      if case .samples = item, let last = block.times.last, last >= time { return false }
    }
    return true
  }

  /// Whether the recording has its end. Goes back to the beginning.
  public mutating func hasEnd() throws(LogError) -> Bool { try outerPages().end != nil }

  /// The clock pairs of the first page and of the last one with anything in it, and that page's recording end; also the
  /// bytes of the storage. Goes back to the beginning.
  public mutating func outerPages() throws(LogError)
    -> (first: [ClockPair], last: [ClockPair], end: RecordingEnd?, byteCount: UInt64)
  {
    let byteCount = try byteCount()
    let first = try clockPairs(ofPage: 0)
    var (last, end) = ([ClockPair](), first.end)
    let lastPage = LogReader.page(ofByte: max(1, byteCount) - 1)
    if lastPage > 0 {
      (last, end) = try clockPairs(ofPage: lastPage)
      if end == nil {
        let written = try lastWrittenPage()
        (last, end) = written == 0 ? ([], first.end) : try clockPairs(ofPage: written)
      }
    }
    rewind()
    return (first.pairs, last, end, byteCount)
  }

  private mutating func clockPairs(ofPage index: UInt32) throws(LogError)
    -> (pairs: [ClockPair], end: RecordingEnd?)
  {
    jump(toPage: index)
    guard try openNextPage(), pageIndex == index else { return ([], nil) }
    var pairs: [ClockPair] = []
    var end: RecordingEnd?
    do throws(FormatError) {
      while let record = try decoder.nextBesidesTicks() {
        if case .clock(let pair) = record { pairs.append(pair) }
        if case .end(let last) = record { end = last }
      }
    } catch {
      // A damaged page does not show how the recording ended; a pass over the whole log reports the damage.
      return (pairs, nil)
    }
    return (pairs, end)
  }

  /// The last page whose header `isBefore`, a test that holds up to some page; 0 when it holds for none.
  private mutating func lastPage(_ isBefore: (PageHeader) -> Bool) throws(LogError) -> UInt32 {
    var low: UInt32 = 1
    var high = try lastWrittenPage()
    var best: UInt32 = 0
    while low <= high {
      let middle = low + (high - low) / 2
      guard let (index, header) = try firstPage(from: middle, through: high) else {
        high = middle - 1
        continue
      }
      if isBefore(header) {
        best = index
        low = index + 1
      } else {
        high = middle - 1
      }
    }
    return best
  }

  private mutating func firstPage(from first: UInt32, through last: UInt32) throws(LogError)
    -> (index: UInt32, header: PageHeader)?
  {
    nextPage = first
    firstZeroPage = nil
    while let count = try loadNextPage(through: last) {
      firstZeroPage = nil
      do {
        return (pageIndex, try decoder.begin(page: page.prefix(count), sequence: pageIndex))
      } catch {
        continue
      }
    }
    return nil
  }

  /// The last page that is not all zeros; 0 when there is none.
  private mutating func lastWrittenPage() throws(LogError) -> UInt32 {
    LogReader.page(ofByte: max(1, try writtenByteCount()) - 1)
  }

  private static func page(ofByte offset: UInt64) -> UInt32 {
    UInt32(clamping: offset / UInt64(LogFormat.pageSize))
  }

  mutating func byteCount() throws(LogError) -> UInt64 {
    try LogError.wrapped { () throws(StorageError) in try storage.size() }
  }

  mutating func writtenByteCount() throws(LogError) -> UInt64 {
    try LogError.wrapped { () throws(StorageError) in try storage.writtenByteCount() }
  }
}
