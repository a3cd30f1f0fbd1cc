// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LinuxIO

/// Lines, and bytes between them, from a pipe.
struct ByteStream: ~Copyable {
  /// Why the stream ended.
  enum Break: Error, Equatable {
    /// The other side closed it, or the connection was cut.
    case closed
    /// The other side took too long.
    case exhausted
    /// The other side's program writes too much to stderr.
    case endlessTalk
    /// A line that is not in the protocol.
    case nonsense(String)
    /// The errno of a system call.
    case refused(Int32)
  }

  private let descriptor: Int32
  /// How long to wait, and the stderr to read meanwhile; `nil` to wait for ever.
  private let bounds: WaitBounds?
  private let memory: UnsafeMutableRawBufferPointer
  /// The part of the memory that was read and not consumed.
  private var waiting = 0..<0

  private static var capacity: Int { 64 * 1024 }

  /// The caller keeps the descriptor.
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

  /// Whether a read would not wait.
  var isReady: Bool {
    if !waiting.isEmpty { return true }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLIN) != 0
  }

  /// Fills the front of `buffer` with what is available; returns how many bytes, at least one.
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

  private func readSome(_ buffer: UnsafeMutableRawBufferPointer) throws(Break) -> Int {
    while true {
      try bounds?.wait(for: descriptor, Int16(POLLIN))
      // Safe: the buffer has this many bytes.
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 { return count }
      if count == 0 { throw .closed }
      if errno != EINTR { throw .refused(errno) }
    }
  }
}

/// How long to wait for another program, and its stderr, which is read meanwhile.
struct WaitBounds {
  let patience: PullPatience
  let talk: Talk

  /// Waits until `descriptor` can be read or written, or was closed.
  func wait(for descriptor: Int32, _ events: Int16) throws(ByteStream.Break) {
    while true {
      // Before each wait, so that endless writes to stderr end it.
      let left = patience.look(now: SystemClock().now())
      guard left > 0 else { throw .exhausted }
      guard !talk.isEndless else { throw .endlessTalk }
      var entries = [
        pollfd(fd: descriptor, events: events, revents: 0),
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

/// Sends all of `bytes` to a pipe; throws ``ByteStream/Break/closed`` when no program reads it.
func send(
  _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, within bounds: WaitBounds? = nil
) throws(ByteStream.Break) {
  let code: Int32
  if let bounds {
    code = try writeAll(bytes, to: descriptor) { () throws(ByteStream.Break) in
      try bounds.wait(for: descriptor, Int16(POLLOUT))
    }
  } else {
    code = writeAll(bytes, to: descriptor)
  }
  guard code == 0 else { throw code == EPIPE ? .closed : .refused(code) }
}

func send(
  _ bytes: [UInt8], to descriptor: Int32, within bounds: WaitBounds? = nil
) throws(ByteStream.Break) {
  try bytes.withBytes { bytes throws(ByteStream.Break) in
    try send(bytes, to: descriptor, within: bounds)
  }
}

/// Another program's stderr, read so that the program need not wait; only the end is kept.
final class Talk {
  /// A nonblocking pipe; the caller keeps it.
  let descriptor: Int32
  /// Whether the program may still write something.
  private(set) var isOpen = true
  private(set) var byteCount = 0
  private var kept: [UInt8] = []
  /// The fingerprint of the host's key, if ssh has shown it, printable ASCII. ssh shows it before the far end can write
  /// anything, so the first line counts.
  private(set) var hostKey: String?
  private var buffer = [UInt8](repeating: 0, count: Talk.limit)

  /// Bytes kept: room for ssh's longest warning.
  private static let limit = 8 * 1024
  /// More bytes than any correct program writes.
  private static let most = 1 << 20

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Whether the program wrote more than any correct one.
  var isEndless: Bool { byteCount > Talk.most }

  /// Reads what is available, up to a limit.
  func drain() {
    let count = read(descriptor, &buffer, buffer.count)
    if count > 0 {
      byteCount += count
      kept = (kept + buffer[..<count]).suffix(Talk.limit)
      hostKey = hostKey ?? shownKey
    } else if count == 0 || errno != EAGAIN && errno != EINTR {
      isOpen = false
    }
  }

  /// Reads the rest; waits so long for each part.
  func drain(within milliseconds: Int32) {
    while isOpen, !isEndless {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, milliseconds) > 0 else { return }
      drain()
    }
  }

  /// Its last lines, oldest first, without the picture of a host's key.
  var lines: [String] {
    String(decoding: kept, as: UTF8.self).split(whereSeparator: \.isNewline).map { String($0) }
      .filter { !$0.hasPrefix(Talk.keyPrefix) && !$0.hasPrefix("+--") && !$0.hasPrefix("|") }
  }

  /// What ssh writes with `VisualHostKey` (OpenSSH, sshconnect.c, check_host_key).
  private static let keyPrefix = "Host key fingerprint is "

  /// The fingerprint in the first whole line that shows one.
  private var shownKey: String? {
    guard let end = kept.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
    let lines = String(decoding: kept[..<end], as: UTF8.self).split(whereSeparator: \.isNewline)
    let line = lines.first { $0.hasPrefix(Talk.keyPrefix) }
    guard let word = line?.split(separator: " ").last, word.utf8.count <= 100,
      word.hasPrefix("SHA256:"), word.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    return String(word)
  }
}
