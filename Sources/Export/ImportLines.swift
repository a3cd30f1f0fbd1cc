import Glibc

/// A file's lines, read in pieces of 64 KiB.
struct ImportLines<Source: ImportSource & ~Copyable>: ~Copyable {
  /// Longest line, its end included.
  static var limit: Int { 64 * 1024 }

  private(set) var source: Source
  /// The number of the line given last, from 1.
  private(set) var number = 0
  // Safe: owned by this value alone and freed in deinit; 0 <= begin <= end <= limit.
  private let buffer: UnsafeMutableRawBufferPointer
  private var begin = 0
  private var end = 0
  private var isAtEnd = false

  init(_ source: consuming Source) {
    self.source = source
    buffer = .allocate(byteCount: Self.limit, alignment: 16)
  }

  deinit {
    buffer.deallocate()
  }

  /// Goes back to the first line.
  mutating func rewind() {
    source.rewind()
    (number, begin, end, isAtEnd) = (0, 0, 0, false)
  }

  /// The next line without its end (LF or CR LF), valid until the next call; `nil` after the last one.
  mutating func next() throws(ImportError) -> UnsafeRawBufferPointer? {
    var searched = 0
    while true {
      let fresh = begin + searched
      if let base = buffer.baseAddress, end > fresh,
        let found = memchr(base + fresh, Int32(UInt8(ascii: "\n")), end - fresh)
      {
        return take(through: UnsafeRawPointer(found) - UnsafeRawPointer(base), skipping: 1)
      }
      searched = end - begin
      if isAtEnd { return searched == 0 ? nil : take(through: end, skipping: 0) }
      try fill()
    }
  }

  private mutating func take(through place: Int, skipping ending: Int) -> UnsafeRawBufferPointer {
    var last = place
    if last > begin, buffer[last - 1] == UInt8(ascii: "\r") { last -= 1 }
    let line = UnsafeRawBufferPointer(rebasing: buffer[begin..<last])
    begin = place + ending
    number += 1
    return line
  }

  /// Reads more after what is there, which is moved to the front.
  private mutating func fill() throws(ImportError) {
    if begin > 0, let base = buffer.baseAddress {
      memmove(base, base + begin, end - begin)
      end -= begin
      begin = 0
    }
    guard end < buffer.count else {
      throw .line(name: source.name, line: number + 1, problem: .tooLong(limit: Self.limit))
    }
    let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
    end += count
    isAtEnd = count == 0
  }
}
