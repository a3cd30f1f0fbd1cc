import LogFormat

extension LogReader where Storage: ~Copyable {
  /// Takes reading up at the last page that begins at or before `tick`, or at the first page.
  ///
  /// The next items may still be of earlier ticks, by up to a page. Marks, clock pairs and sensor
  /// events of the pages passed over are not given, and damage there is not reported.
  ///
  /// - Complexity: about log₂(pages) reads of a page; more where pages are damaged.
  public mutating func seek(toTick tick: UInt64) throws(LogError) {
    let size = try byteCount()
    var low: UInt32 = 1
    var high = UInt32(clamping: size / UInt64(LogFormat.pageSize))
    var best: UInt32 = 0
    while low <= high {
      let middle = low + (high - low) / 2
      guard let (index, firstTick) = try firstPage(from: middle, through: high) else {
        high = middle - 1
        continue
      }
      if firstTick <= tick {
        best = index
        low = index + 1
      } else {
        high = middle - 1
      }
    }
    if best == 0 { rewind() } else { jump(toPage: best) }
  }

  /// The first page in a range that can be read, and the tick that it begins with.
  private mutating func firstPage(from first: UInt32, through last: UInt32) throws(LogError)
    -> (index: UInt32, firstTick: UInt64)?
  {
    for index in first...last {
      let count = try load(page: index)
      do {
        let bytes = page.prefix(count)
        return (index, try decoder.begin(page: bytes, sequence: index).firstTick)
      } catch {
        continue
      }
    }
    return nil
  }
}
