// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
public import IMUModel
import Synchronization

/// Messages from any threads to one that polls for them with other descriptors.
///
///     post ──► [ a, b, c ] ──► drain
///         └──► an eventfd, for as long as there is something: poll(fileDescriptor)
///
/// Unbounded: for messages that are rare. Not for the sampler thread while it samples: it takes a lock.
public final class Inbox<Message: Sendable>: Sendable {
  private let messages = Mutex<[Message]>([])
  /// Ready for reading while messages wait.
  public let fileDescriptor: Int32

  /// An empty inbox.
  ///
  /// - Throws: ``LinuxIOError`` when the process may open no more files.
  public init() throws(LinuxIOError) {
    fileDescriptor = try openEventCounter(for: "making a queue between threads")
  }

  deinit { close(fileDescriptor) }

  /// Adds a message and wakes the thread that waits.
  public func post(_ message: Message) {
    messages.withLock { messages in
      messages.append(message)
      // One count stands for all of them. It is set and cleared under the same lock.
      guard messages.count == 1 else { return }
      var one: UInt64 = 1
      // The counter is 0, so there is room.
      _ = write(fileDescriptor, &one, 8)
    }
  }

  /// Whether no message waits.
  public var isEmpty: Bool {
    // No key path: in a generic class each use of one is resolved at run time, some 14,000 instructions.
    messages.withLock { $0.isEmpty }
  }

  /// All messages that wait, oldest first.
  public func drain() -> [Message] {
    messages.withLock { messages in
      guard !messages.isEmpty else { return [] }
      var count: UInt64 = 0
      _ = read(fileDescriptor, &count, 8)
      defer { messages = [] }
      return messages
    }
  }

  /// Waits for a message until `deadline`, for ever when it is `nil`; may return early.
  public func wait(until deadline: MonotonicTime?) {
    var descriptor = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&descriptor, 1, PollTimeout.milliseconds(until: deadline, now: SystemClock().now()))
  }
}

/// Timeouts for `poll`.
public enum PollTimeout {
  /// Milliseconds until `deadline`, rounded up; 0 when it is past, -1 (for ever) when there is none.
  public static func milliseconds(until deadline: MonotonicTime?, now: MonotonicTime) -> Int32 {
    guard let deadline else { return -1 }
    guard deadline > now else { return 0 }
    return Int32(clamping: (deadline - now + 999_999) / 1_000_000)
  }
}

/// An event counter, for waking a thread that polls it; throws when the process may open no more files.
func openEventCounter(for attempt: String) throws(LinuxIOError) -> Int32 {
  try opened(clinuxio_event_descriptor(), "eventfd", for: attempt)
}

/// The descriptor that the kernel answered with; throws when it is a negated errno.
func opened(_ answer: Int32, _ place: String, for attempt: String) throws(LinuxIOError) -> Int32 {
  guard answer >= 0 else {
    throw Attempt(attempt: attempt, place: place).refused(
      -answer, "Raise the limit on open files (`ulimit -n`, LimitNOFILE= in a systemd unit).")
  }
  return answer
}
