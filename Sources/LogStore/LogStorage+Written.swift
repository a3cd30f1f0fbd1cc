import Glibc
import LogFormat

extension LogStorage where Self: ~Copyable {
  /// Bytes without the pages of zeros at the end: space that was made ahead and not written.
  ///
  /// A log's last byte may well be a zero, so nothing less than a page is taken off. Reads the end of the file,
  /// at most ``FileStorage``'s largest step of zeros.
  public mutating func writtenByteCount() throws(StorageError) -> UInt64 {
    let pageSize = UInt64(LogFormat.pageSize)
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: LogFormat.pageSize, alignment: 16)
    // Safe: the buffer is this function's own until it returns, and only bytes that were read are looked at.
    defer { page.deallocate() }
    var end = try size()
    while end > 0 {
      let begin = (end - 1) / pageSize * pageSize
      let count = try read(at: begin, into: page)
      if page[..<count].contains(where: { $0 != 0 }) { return end }
      end = begin
    }
    return 0
  }
}
