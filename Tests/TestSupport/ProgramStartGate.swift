// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One start, or any number of others; a start that waits goes before others that come later.
///
///     others   ███████████·            ████████
///     start        waits  ████████████·          no one else is inside
///     others           waits          ████
///
/// `@unchecked Sendable`: the counts are only touched while `lock` is held, and the pointers never change. POSIX's
/// read-write lock prefers readers, and tests of the store come one after the other.
final class ProgramStartGate: @unchecked Sendable {
  static let shared = ProgramStartGate()

  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isStarting = false
  private var waitingStarts = 0
  private var others = 0

  private init() {
    pthread_mutex_init(lock, nil)
    pthread_cond_init(change, nil)
  }

  func enter(asStart: Bool) {
    pthread_mutex_lock(lock)
    if asStart {
      waitingStarts += 1
      while isStarting || others > 0 { pthread_cond_wait(change, lock) }
      waitingStarts -= 1
      isStarting = true
    } else {
      while isStarting || waitingStarts > 0 { pthread_cond_wait(change, lock) }
      others += 1
    }
    pthread_mutex_unlock(lock)
  }

  func leave(asStart: Bool) {
    pthread_mutex_lock(lock)
    if asStart { isStarting = false } else { others -= 1 }
    pthread_cond_broadcast(change)
    pthread_mutex_unlock(lock)
  }
}
