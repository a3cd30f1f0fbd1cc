// SPDX-License-Identifier: Apache-2.0

import LinuxIO
import Sampling

/// A thread that keeps a processor busy until the value is dropped, which waits for it.
final class BusyLoad {
  private let stop = StopFlag()
  private let thread: RunningThread<Void>

  /// - Throws: ``LinuxIOError`` when the kernel creates no more threads.
  init() throws(LinuxIOError) {
    thread = try RealTimeThread(name: "imu-load").run { [stop] in
      while !stop.isRequested {}
    }
  }

  // The thread, for whose end its owner waits, goes after this.
  deinit { stop.request() }
}
