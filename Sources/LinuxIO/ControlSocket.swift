// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
public import IMUModel

/// A caller of a ``ControlSocket`` who waits for an answer.
public struct ControlPeer: Hashable, Sendable {
  /// Never used twice, unlike a descriptor.
  let number: UInt64
}

/// A line that a caller sent.
public struct ControlQuestion: Equatable, Sendable {
  /// The line without its end; bytes that are not UTF-8 are replaced. A line that is too long is cut, to more than
  /// ``ControlSocket/longestLine`` bytes, so that it is recognised.
  public var line: String
  /// The caller to answer.
  public var peer: ControlPeer
}

/// The server's end of a socket in the file system, at which callers ask one question each: a line, answered by a line.
///
/// One process owns the path by a record lock on `PATH.lock`, which the kernel releases with the process, so nothing is
/// stale after a crash or a power loss. (A process does not lock itself out: make one value for a path.) A service polls
/// one descriptor:
///
///     listener ─┐
///     caller 1 ─┼─ epoll ── fileDescriptor ── poll
///     caller 8 ─┘
///
/// At most 8 callers are served at once, further ones wait in the kernel; one that has not sent its line after 2 s is
/// dropped. A caller may get an endless answer (``send(_:_:)``); its buffer is bounded, and a slow one loses what does
/// not fit and delays no other.
public struct ControlSocket: ~Copyable {
  /// Longest question in bytes, its end included.
  public static let longestLine = 1024
  /// Callers at once.
  public static let mostPeers = 8
  /// How long a caller may take to send its line, in nanoseconds.
  public static let patience: Int64 = 2_000_000_000

  /// Ready for reading when there is something for ``questions(at:)``.
  public let fileDescriptor: Int32
  private let path: String
  private let lock: Int32
  private let listener: Int32
  private var peers: [Peer]
  private var count: UInt64
  private var isListening: Bool

  private struct Peer {
    let peer: ControlPeer
    let descriptor: Int32
    let deadline: MonotonicTime
    var bytes: [UInt8] = []
    var isAsking = true
    /// Bytes of an endless answer that the kernel had no room for yet.
    var unsent: ArraySlice<UInt8> = []
  }

  /// Takes the lock, makes the directory where it is missing (mode 0750), removes what a dead server left, and listens
  /// at `path` (mode 0660).
  ///
  /// - Throws: ``LinuxIOError`` of kind `busy` when another process has the path, `notPermitted` or `system`.
  public init(path: String) throws(LinuxIOError) {
    // Everything that can fail comes before the first property: Swift 6.0 cannot undo half an initialiser.
    let opened = try Self.open(ControlOpening(path: path))
    self.path = path
    lock = opened.lock
    listener = opened.listener
    fileDescriptor = opened.epoll
    peers = []
    count = 0
    isListening = true
  }

  /// The three descriptors, or none.
  private static func open(_ opening: ControlOpening) throws(LinuxIOError) -> (
    lock: Int32, listener: Int32, epoll: Int32
  ) {
    let lock = try opening.acquireLock()
    let listener: Int32
    do throws(LinuxIOError) {
      listener = try opening.listen(backlog: Int32(mostPeers))
    } catch {
      close(lock)
      throw error
    }
    let epoll = clinuxio_epoll()
    let answer = epoll < 0 ? epoll : clinuxio_epoll_watch(epoll, listener, 1, 1)
    guard answer >= 0 else {
      if epoll >= 0 { close(epoll) }
      close(listener)
      close(lock)
      throw opening.refused(-answer)
    }
    return (lock, listener, epoll)
  }

  deinit {
    for peer in peers { close(peer.descriptor) }
    // Under the lock: the socket there is this process's own.
    unlink(path)
    close(fileDescriptor)
    close(listener)
    close(lock)
  }

  /// When to call ``questions(at:)`` even if nothing happens, to drop a caller that has not sent its line; `nil` for never.
  public var deadline: MonotonicTime? {
    peers.lazy.filter(\.isAsking).map(\.deadline).min()
  }

  /// Accepts callers, drops late ones, and returns the questions that came. Does not wait.
  public mutating func questions(at now: MonotonicTime) -> [ControlQuestion] {
    var questions: [ControlQuestion] = []
    // Each caller once, and the listener once for each caller that it may let in.
    for _ in 0..<(2 * Self.mostPeers + 1) {
      var isClosed: Int32 = 0
      let descriptor = clinuxio_epoll_next(fileDescriptor, &isClosed)
      guard descriptor >= 0 else { break }
      if descriptor == listener {
        letIn(now)
      } else if let index = peers.firstIndex(where: { $0.descriptor == descriptor }) {
        if isClosed != 0 {
          drop(index)
        } else if let line = receive(index) {
          questions.append(ControlQuestion(line: line, peer: peers[index].peer))
        }
      }
    }
    for index in peers.indices.reversed() {
      if peers[index].isAsking && peers[index].deadline <= now { drop(index) }
    }
    return questions
  }

  /// Sends a caller its answer and hangs up. A caller that is gone gets none.
  ///
  /// - Parameter line: Without an end; of a length that the kernel takes at once (some 200 kB).
  public mutating func answer(_ peer: ControlPeer, _ line: String) {
    guard let index = peers.firstIndex(where: { $0.peer == peer }) else { return }
    let bytes = Array((line + "\n").utf8)
    // Safe: the count is the array's. A caller whose answer cannot be sent reports that it got none.
    _ = clinuxio_send(peers[index].descriptor, bytes, bytes.count)
    drop(index)
  }

  /// Sends a caller part of an endless answer.
  ///
  /// - Returns: `false` when the caller is too slow and gets none of it, with ``unsentLimit`` bytes waiting; `nil` when
  ///   it is gone.
  public mutating func send(_ peer: ControlPeer, _ bytes: [UInt8]) -> Bool? {
    guard let index = peers.firstIndex(where: { $0.peer == peer }) else { return nil }
    guard flush(index) else { return nil }
    guard peers[index].unsent.count + bytes.count <= Self.unsentLimit else { return false }
    peers[index].unsent += bytes
    return flush(index) ? true : nil
  }

  /// Most bytes that wait for a caller with an endless answer.
  public static let unsentLimit = 65536

  /// Sends as much as the kernel accepts; `false` when the caller is gone.
  private mutating func flush(_ index: Int) -> Bool {
    while !peers[index].unsent.isEmpty {
      let descriptor = peers[index].descriptor
      // Safe: the count is the slice's own.
      let sent = peers[index].unsent.withUnsafeBytes {
        $0.baseAddress.map { clinuxio_send(descriptor, $0, peers[index].unsent.count) } ?? 0
      }
      if sent == -EAGAIN || sent == -EINTR { return true }
      guard sent > 0 else {
        drop(index)
        return false
      }
      peers[index].unsent = peers[index].unsent.dropFirst(Int(sent))
    }
    return true
  }

  private mutating func letIn(_ now: MonotonicTime) {
    let descriptor = clinuxio_accept(listener)
    guard descriptor >= 0 else { return }
    guard clinuxio_epoll_watch(fileDescriptor, descriptor, 1, 1) == 0 else {
      close(descriptor)
      return
    }
    count += 1
    peers.append(
      Peer(peer: ControlPeer(number: count), descriptor: descriptor, deadline: now + Self.patience))
    listenWhileThereIsRoom()
  }

  /// The line of a caller when it is complete, or longer than any. Drops one who goes away.
  private mutating func receive(_ index: Int) -> String? {
    var buffer = [UInt8](repeating: 0, count: Self.longestLine)
    // Safe: the count is the array's.
    let count = recv(peers[index].descriptor, &buffer, buffer.count, 0)
    if count < 0 && (errno == EAGAIN || errno == EINTR) { return nil }
    guard count > 0 else {
      drop(index)
      return nil
    }
    peers[index].bytes += buffer.prefix(count)
    let end = peers[index].bytes.prefix(Self.longestLine).firstIndex(of: 0x0A)
    guard end != nil || peers[index].bytes.count > Self.longestLine else { return nil }
    let line = String(
      decoding: peers[index].bytes[..<(end ?? peers[index].bytes.count)], as: UTF8.self)
    peers[index].isAsking = false
    peers[index].bytes = []
    // Further input is not read and does not wake us; its hanging up does.
    _ = clinuxio_epoll_watch(fileDescriptor, peers[index].descriptor, 0, 0)
    return line
  }

  private mutating func drop(_ index: Int) {
    let descriptor = peers.remove(at: index).descriptor
    // Closing alone does not, while a forked process has a copy.
    _ = clinuxio_epoll_forget(fileDescriptor, descriptor)
    close(descriptor)
    listenWhileThereIsRoom()
  }

  /// A listener with callers for whom there is no room must not wake us.
  private mutating func listenWhileThereIsRoom() {
    let hasRoom = peers.count < Self.mostPeers
    guard hasRoom != isListening else { return }
    isListening = hasRoom
    _ = clinuxio_epoll_watch(fileDescriptor, listener, hasRoom ? 1 : 0, 0)
  }
}

/// The steps to a control socket at a path, and the sentences when one fails.
struct ControlOpening {
  let path: String
  private var attempt: Attempt { Attempt(attempt: "opening the control socket", place: path) }
  private var lockPath: String { path + ".lock" }
  private var directory: String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  /// The lock's descriptor; closing it, or any other for the same file, releases the lock.
  func acquireLock() throws(LinuxIOError) -> Int32 {
    if !directory.isEmpty, mkdir(directory, 0o750) != 0, errno != EEXIST {
      throw refused(errno)
    }
    let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard lock >= 0 else { throw refused(errno) }
    let answer = clinuxio_lock_byte(lock, 0)
    guard answer == 0 else {
      defer { close(lock) }
      guard answer == -EAGAIN || answer == -EACCES else { throw refused(-answer) }
      throw attempt.error(
        "\(SystemTree.live.processName(clinuxio_lock_holder(lock, 0))) is serving there already",
        -answer, "Use that one (`imulog status`), or end it: `sudo systemctl stop imulog`.",
        kind: .busy)
    }
    return lock
  }

  /// The listening socket's descriptor. Only while the lock is held.
  func listen(backlog: Int32) throws(LinuxIOError) -> Int32 {
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw attempt.error("something other than a socket is there", EEXIST, "Move it away.")
      }
      unlink(path)
    }
    let listener = clinuxio_listen(path, backlog)
    guard listener >= 0 else { throw refused(-listener) }
    guard chmod(path, 0o660) == 0 else {
      let code = errno
      close(listener)
      throw refused(code)
    }
    return listener
  }

  func refused(_ code: Int32) -> LinuxIOError {
    switch code {
    case EACCES, EPERM, EROFS:
      attempt.error(
        "you may not create it there", code,
        "Let the service make it (`sudo systemctl start imulog`), or name another directory.",
        kind: .notPermitted)
    case ENOENT, ENOTDIR:
      attempt.error(
        "the directory is not there", code,
        "Make it: `sudo mkdir -p \(directory)`. Under systemd RuntimeDirectory= does.")
    case ENAMETOOLONG:
      attempt.error(
        "the path is longer than \(CLINUXIO_LONGEST_SOCKET_PATH) bytes", code, "Name a shorter one."
      )
    default: attempt.refused(code, "Look for the reason in `dmesg`.")
    }
  }
}
