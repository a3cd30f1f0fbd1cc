import Glibc

/// Wakes up when something changes in a directory, so that tests of live takes need not sleep.
struct DirectoryWatch: ~Copyable {
  private let descriptor: Int32

  /// Begins to watch a directory, which must be there.
  init(_ path: String) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    let events = UInt32(IN_MODIFY | IN_MOVED_TO | IN_CREATE)
    precondition(
      inotify_add_watch(descriptor, path, events) >= 0, "cannot watch \(path): errno \(errno)")
  }

  deinit {
    close(descriptor)
  }

  /// Looks after each change whether `condition` holds; `false` when a minute passes without a change.
  func wait(until condition: () throws -> Bool) rethrows -> Bool {
    while try !condition() {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 60_000) > 0 else { return false }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while read(descriptor, &buffer, buffer.count) > 0 {}
    }
    return true
  }
}
