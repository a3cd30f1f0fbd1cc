// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Writes all of `bytes`, however many calls of `write` that takes.
///
/// - Parameter wait: Returns when the descriptor may have room again; called where a nonblocking one is full.
/// - Returns: 0 or the errno that stopped it.
public func writeAll<Failure: Error>(
  _ bytes: UnsafeRawBufferPointer, to descriptor: Int32,
  whenFull wait: () throws(Failure) -> Void
) throws(Failure) -> Int32 {
  var done = 0
  while done < bytes.count {
    // Safe: `done` is below the count, so the pointer stays inside the buffer.
    let count = write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
    if count >= 0 {
      done += count
      continue
    }
    switch errno {
    case EINTR: continue
    case EAGAIN: try wait()
    case let code: return code
    }
  }
  return 0
}

/// Writes all of `bytes`; waits while the descriptor is full, as a terminal may be. 0 or the errno that stopped it.
public func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
  writeAll(bytes, to: descriptor) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&entry, 1, -1)
  }
}
