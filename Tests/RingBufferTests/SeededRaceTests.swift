// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// A race on purpose, for `.ci/races`: it shows that ThreadSanitizer looks.
@Suite(
  "A race that is put in",
  .enabled(if: getenv("IMULOG_SEEDED_RACE") != nil, "only .ci/races asks for it"))
struct SeededRaceTests {
  /// `@unchecked Sendable`: wrong on purpose.
  private final class Shared: @unchecked Sendable { var count = 0 }

  @Test("is reported by ThreadSanitizer")
  func race() {
    let shared = Shared()
    var threads = [pthread_t(), pthread_t()]
    for index in threads.indices {
      let argument = Unmanaged.passRetained(shared).toOpaque()
      let failure = pthread_create(
        &threads[index], nil,
        { argument in
          guard let argument else { return nil }
          // Safe: retained once for each thread.
          Unmanaged<Shared>.fromOpaque(argument).takeRetainedValue().count += 1
          return nil
        }, argument)
      #expect(failure == 0)
    }
    // Nothing orders the two threads, whichever came first.
    for thread in threads { pthread_join(thread, nil) }
  }
}
