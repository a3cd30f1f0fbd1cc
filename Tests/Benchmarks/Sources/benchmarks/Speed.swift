// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Samples against the processor time of this thread: on a machine that others use too, wall time includes them.
struct Speed: CustomStringConvertible {
  private var samples = 0
  private var nanoseconds: Int64 = 0

  /// Runs `pass`, which returns how many samples it dealt with, once to warm up and then for half a second.
  init(_ pass: () throws -> Int) rethrows {
    _ = try pass()
    while nanoseconds < 500_000_000 {
      let begin = Speed.processorTime()
      samples += try pass()
      nanoseconds += Speed.processorTime() - begin
    }
  }

  var description: String { "{\"samples\":\(samples),\"nanoseconds\":\(nanoseconds)}" }

  private static func processorTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
