// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Wakes up when something changes in a directory, or in a file, so that tests of live takes need not sleep.
struct DirectoryWatch: ~Copyable {
  private let descriptor: Int32

  /// Begins to watch a directory or a file, which must be there.
  init(_ path: String) {
    self.init(path, IN_MODIFY | IN_MOVED_TO | IN_CREATE)
  }

  /// Begins to watch for programs that open a file.
  init(opening path: String) {
    self.init(path, IN_OPEN)
  }

  private init(_ path: String, _ events: Int32) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    precondition(
      inotify_add_watch(descriptor, path, UInt32(events)) >= 0,
      "cannot watch \(path): errno \(errno)")
  }

  deinit {
    close(descriptor)
  }

  /// Looks after each change whether `condition` holds; `false` when a minute passes without a change.
  func wait(until condition: () throws -> Bool) rethrows -> Bool {
    while try !condition() {
      guard waitForEvent() else { return false }
    }
    return true
  }

  /// Waits for the next event; `false` when a minute passes without one.
  func waitForEvent() -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 60_000) > 0 else { return false }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while read(descriptor, &buffer, buffer.count) > 0 {}
    return true
  }
}
