// SPDX-License-Identifier: Apache-2.0

import CAllocProbe

/// A violation made on purpose, once a tick, to see that the check finds it.
enum Seed: String, CaseIterable {
  case none, allocation, lock, retain

  /// An object to count references of.
  final class Object {
    var number = 0
    var next: Object?
  }

  /// Whether the probe finds this violation, made once: a probe that is dead would find the loop clean.
  var isFound: Bool {
    let object = Object()
    alloc_probe_begin()
    commit(on: object)
    return !Counts(alloc_probe_end()).isZero
  }

  /// Makes the violation.
  @inline(never)
  func commit(on object: Object) {
    switch self {
    case .none: break
    case .allocation: Seed.allocate(object)
    case .lock: alloc_probe_seed_lock()
    case .retain: object.next = object.next == nil ? object : nil
    }
  }

  /// An array that no one can foresee the size of, so it is on the heap.
  private static func allocate(_ object: Object) {
    var numbers = [object.number]
    numbers.append(contentsOf: repeatElement(1, count: object.number % 7 + 1))
    object.number = numbers.count
  }
}
