// SPDX-License-Identifier: Apache-2.0

import LinuxIO
import Synchronization

/// Threads that keep the processors busy until the value is dropped, which waits for them.
final class BusyLoad {
  private final class Flag: Sendable {
    /// Relaxed: nothing else is shared.
    let isOver = Atomic(false)
  }

  /// A thread at work; a class, as an array holds no values that cannot be copied.
  private final class Worker {
    private let thread: RunningThread<Void>

    init(_ flag: Flag) throws(LinuxIOError) {
      thread = try RealTimeThread(name: "imu-load").run {
        while !flag.isOver.load(ordering: .relaxed) {}
      }
    }
  }

  private let flag = Flag()
  private var workers: [Worker] = []

  /// - Throws: ``LinuxIOError`` when the kernel creates no more threads; none runs then.
  init(threads count: Int) throws(LinuxIOError) {
    for _ in 0..<count { workers.append(try Worker(flag)) }
  }

  // The workers, which wait for their threads, go after this.
  deinit { flag.isOver.store(true, ordering: .relaxed) }
}
