import Glibc

/// Lines, and bytes between them, from a pipe.
struct ByteStream: ~Copyable {
  /// Why nothing more comes.
  enum Break: Error, Equatable {
    /// The other side closed it, or the connection was cut.
    case closed
    /// Nothing came for ``patience``.
    case silent
    /// What came is nothing that the other side would say.
    case nonsense(String)
    /// The kernel refused, with this errno.
    case refused(Int32)
  }

  private let descriptor: Int32
  /// Milliseconds of silence that are borne; -1 for any.
  private let patience: Int32
  private let memory: UnsafeMutableRawBufferPointer
  /// What of the memory was read from the pipe and not taken yet.
  private var waiting = 0..<0

  private static var capacity: Int { 64 * 1024 }

  /// The descriptor stays its owner's.
  init(_ descriptor: Int32, patience: Int32) {
    self.descriptor = descriptor
    self.patience = patience
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
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = patience < 0 ? 1 : poll(&entry, 1, patience)
      if ready == 0 { throw .silent }
      // Safe: the buffer has this many bytes.
      let count = ready < 0 ? -1 : Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 { return count }
      if count == 0 { throw .closed }
      if errno != EINTR { throw .refused(errno) }
    }
  }
}

/// Writes all of `bytes` to a pipe.
///
/// - Throws: ``ByteStream/Break/closed`` when nobody reads it any more.
func writeAll(
  _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
) throws(ByteStream.Break) {
  var done = 0
  while done < bytes.count {
    // Safe: `done` is below the count.
    let count = write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
    if count >= 0 {
      done += count
    } else if errno == EPIPE {
      throw .closed
    } else if errno == EAGAIN {
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&entry, 1, -1)
    } else if errno != EINTR {
      throw .refused(errno)
    }
  }
}

/// Writes a line.
func writeLine(_ line: String, to descriptor: Int32) throws(ByteStream.Break) {
  let bytes = Array((line + "\n").utf8)
  let result = bytes.withUnsafeBytes { buffer -> Result<Void, ByteStream.Break> in
    do throws(ByteStream.Break) {
      return .success(try writeAll(buffer, to: descriptor))
    } catch {
      return .failure(error)
    }
  }
  try result.get()
}
