import Glibc
import IMUModel
import LinuxIO

/// Lines, and bytes between them, from a pipe.
struct ByteStream: ~Copyable {
  /// Why nothing more comes.
  enum Break: Error, Equatable {
    /// The other side closed it, or the connection was cut.
    case closed
    /// The patience with the other side is over.
    case exhausted
    /// The other side's program says more on stderr than any has to say.
    case endlessTalk
    /// What came is nothing that the other side would say.
    case nonsense(String)
    /// The kernel refused, with this errno.
    case refused(Int32)
  }

  private let descriptor: Int32
  /// How long to wait, and what else to read meanwhile; `nil` to wait for ever.
  private let bounds: WaitBounds?
  private let memory: UnsafeMutableRawBufferPointer
  /// What of the memory was read from the pipe and not taken yet.
  private var waiting = 0..<0

  private static var capacity: Int { 64 * 1024 }

  /// The descriptor stays its owner's.
  init(_ descriptor: Int32, within bounds: WaitBounds? = nil) {
    self.descriptor = descriptor
    self.bounds = bounds
    memory = .allocate(byteCount: ByteStream.capacity, alignment: 16)
  }

  deinit {
    memory.deallocate()
  }

  /// The next line, without its line feed; at most `limit` bytes.
  mutating func line(limit: Int) throws(Break) -> String {
    var line: [UInt8] = []
    while true {
      if waiting.isEmpty { try fill() }
      let bytes = UnsafeRawBufferPointer(rebasing: memory[waiting])
      let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
      line += bytes[..<(end ?? bytes.count)]
      guard line.count <= limit else {
        throw .nonsense(String(decoding: line.prefix(60), as: UTF8.self))
      }
      waiting = waiting.lowerBound + (end.map { $0 + 1 } ?? bytes.count)..<waiting.upperBound
      if end != nil { return String(decoding: line, as: UTF8.self) }
    }
  }

  /// Whether something can be read at once.
  var isReady: Bool {
    if !waiting.isEmpty { return true }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Fills the front of `buffer` with what there is, at least one byte; says how many.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Break) -> Int {
    guard !waiting.isEmpty else { return try readSome(buffer) }
    let ready = min(waiting.count, buffer.count)
    let taken = waiting.lowerBound..<waiting.lowerBound + ready
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[taken]))
    waiting = taken.upperBound..<waiting.upperBound
    return ready
  }

  private mutating func fill() throws(Break) {
    waiting = 0..<(try readSome(memory))
  }

  /// At least one byte.
  private func readSome(_ buffer: UnsafeMutableRawBufferPointer) throws(Break) -> Int {
    while true {
      try bounds?.wait(for: descriptor, POLLIN)
      // Safe: the buffer has this many bytes.
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 { return count }
      if count == 0 { throw .closed }
      if errno != EINTR { throw .refused(errno) }
    }
  }
}

/// How long to wait for another program, and the talk of it that is read meanwhile.
struct WaitBounds {
  let patience: PullPatience
  let talk: Talk

  /// Waits until `descriptor` can be read or written, or was closed.
  func wait(for descriptor: Int32, _ events: Int32) throws(ByteStream.Break) {
    while true {
      // Looked at each time: one who talks without end is never waited for.
      let left = patience.look(now: SystemClock().now())
      guard left > 0 else { throw .exhausted }
      guard !talk.isEndless else { throw .endlessTalk }
      var entries = [
        pollfd(fd: descriptor, events: Int16(events), revents: 0),
        pollfd(fd: talk.isOpen ? talk.descriptor : -1, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&entries, 2, Int32(clamping: min(left, patience.slice) / 1_000_000 + 1))
      if count < 0, errno != EINTR { throw .refused(errno) }
      guard count > 0 else { continue }
      if entries[1].revents != 0 { talk.drain() }
      if entries[0].revents != 0 { return }
    }
  }
}

/// Writes all of `bytes` to a pipe.
///
/// - Throws: ``ByteStream/Break/closed`` when no program reads it any more.
func send(
  _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, within bounds: WaitBounds? = nil
) throws(ByteStream.Break) {
  let code: Int32
  if let bounds {
    code = try writeAll(bytes, to: descriptor) { () throws(ByteStream.Break) in
      try bounds.wait(for: descriptor, POLLOUT)
    }
  } else {
    code = writeAll(bytes, to: descriptor)
  }
  guard code == 0 else { throw code == EPIPE ? .closed : .refused(code) }
}

/// Writes all of `bytes` to a pipe.
func send(
  _ bytes: [UInt8], to descriptor: Int32, within bounds: WaitBounds? = nil
) throws(ByteStream.Break) {
  let result = bytes.withUnsafeBytes { buffer -> Result<Void, ByteStream.Break> in
    do throws(ByteStream.Break) {
      return .success(try send(buffer, to: descriptor, within: bounds))
    } catch {
      return .failure(error)
    }
  }
  try result.get()
}

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
