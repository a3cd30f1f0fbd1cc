public import IMUModel
import LogFormat

extension LogReader where Storage: ~Copyable {
  /// Takes reading up at the last page that begins at or before `tick`, or at the first page.
  ///
  /// The next items may still be of earlier ticks, by up to a page. Marks, clock pairs and sensor
  /// events of the pages passed over are not given, and damage there is not reported.
  ///
  /// - Complexity: about log₂(pages) reads of a page; more where pages are damaged.
  public mutating func seek(toTick tick: UInt64) throws(LogError) {
    let best = try lastPage { $0.firstTick <= tick }
    if best == 0 { rewind() } else { jump(toPage: best) }
  }

  /// Takes reading up so that every sample, gap, mark and event at `time` or later is still to come.
  ///
  /// What was written together may be in any order in a few pages, so the next items may be of a time earlier by
  /// so many. Marks, clock pairs and sensor events before them are not given, and damage there is not reported.
  ///
  /// - Parameter time: Nanoseconds since tick 0's deadline. Times in a log never decrease.
  /// - Complexity: about log₂(pages) reads of a page; more where pages are damaged.
  public mutating func seek(toTime time: Int64) throws(LogError) {
    let best = try lastPage { $0.firstTime < time }
    let first = best > LogReader.pagesTogether ? best - LogReader.pagesTogether : 0
    if first == 0 { rewind() } else { jump(toPage: first) }
  }

  /// Pages that hold what a writer collects between two syncs: 1024 samples of at most 22 bytes, and more than that.
  private static var pagesTogether: UInt32 { 8 }

  /// The clock pairs of the first and of the last page, and the end of the recording; `nil` when it has none there.
  /// The reader is at the beginning afterwards.
  public mutating func outermost() throws(LogError)
    -> (first: [ClockPair], last: [ClockPair], end: RecordingEnd)?
  {
    let lastPage = try lastWrittenPage()
    var end: RecordingEnd?
    let first = try clockPairs(ofPage: 0, &end)
    let last = lastPage > 0 ? try clockPairs(ofPage: lastPage, &end) : []
    rewind()
    return end.map { (first, last, $0) }
  }

  private mutating func clockPairs(ofPage index: UInt32, _ end: inout RecordingEnd?)
    throws(LogError) -> [ClockPair]
  {
    jump(toPage: index)
    guard try openNextPage(), pageIndex == index else { return [] }
    var pairs: [ClockPair] = []
    do throws(FormatError) {
      while let record = try decoder.nextBesidesTicks() {
        if case .clock(let pair) = record { pairs.append(pair) }
        if case .end(let last) = record { end = last }
      }
    } catch {
      // A page that is damaged does not say how the recording ended; whoever reads it through reports it.
      end = nil
    }
    return pairs
  }

  /// The last page whose header `isBefore`, which headers are up to some page; 0 when none is.
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

  /// The first page in a range that can be read, and its header.
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
}
