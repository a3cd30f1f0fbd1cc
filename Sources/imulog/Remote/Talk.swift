import Glibc

/// What another program writes to stderr: read so that it need not wait, and all forgotten but the end.
final class Talk {
  /// A pipe that refuses while it is empty; its owner's.
  let descriptor: Int32
  /// Whether the program may still write something.
  private(set) var isOpen = true
  /// Bytes that came.
  private(set) var byteCount = 0
  private var kept: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: Talk.limit)

  /// Bytes of the end that are kept; it holds ssh's longest warning.
  private static let limit = 8 * 1024
  /// Bytes that no program says in earnest.
  private static let most = 1 << 20

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Whether it is more than any program has to say.
  var isEndless: Bool { byteCount > Talk.most }

  /// Reads some of what is there.
  func drain() {
    let count = read(descriptor, &buffer, buffer.count)
    if count > 0 {
      byteCount += count
      kept = (kept + buffer[..<count]).suffix(Talk.limit)
    } else if count == 0 || errno != EAGAIN && errno != EINTR {
      isOpen = false
    }
  }

  /// Reads the rest, for at most so many milliseconds without a word.
  func drain(within milliseconds: Int32) {
    while isOpen, !isEndless {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, milliseconds) > 0 else { return }
      drain()
    }
  }

  /// Its last lines, oldest first.
  var lines: [String] {
    String(decoding: kept, as: UTF8.self).split(whereSeparator: \.isNewline).map { String($0) }
  }
}
