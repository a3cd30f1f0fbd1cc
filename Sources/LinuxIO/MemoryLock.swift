// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc

/// Keeps the program's memory in RAM, so that no tick waits for a page from a card.
public enum MemoryLock {
  /// CAP_IPC_LOCK of `linux/capability.h`.
  private static let lockCapability: UInt64 = 1 << 14

  /// Locks each page from its first touch on, those of later allocations too. The corresponding C function is `mlockall`.
  ///
  /// Resident memory does not grow (`MCL_ONFAULT`); code that only the start of the program needed, some 8 MB of the
  /// statically linked one, is released before.
  ///
  /// - Returns: The refusal, when nothing is locked.
  public static func engage(tree: SystemTree = .live) -> Refusal? {
    releaseCode()
    var limit: UInt64 = 0
    let answer = clinuxio_memory_lock_limit(&limit)
    if answer < 0 { return refusal(-answer) }
    if let obstacle = obstacle(limit: limit, capabilities: tree.effectiveCapabilities()) {
      return obstacle
    }
    let result = clinuxio_lock_memory()
    return result < 0 ? refusal(-result) : nil
  }

  /// Releases the code from RAM that was needed so far; what is needed again comes back, locked as it was. For the end of
  /// a phase whose code is hardly needed later. Before Linux 5.18 locked code stays.
  public static func releaseCode() { _ = clinuxio_drop_code() }

  /// Unlocks all pages. The corresponding C function is `munlockall`.
  public static func release() { munlockall() }

  /// Why `mlockall` must not even be tried: under a finite limit the call may succeed and every later allocation fail,
  /// because the limit counts address space, and one thread's heap reserves more than the usual 8 MiB.
  static func obstacle(limit: UInt64, capabilities: UInt64) -> Refusal? {
    if limit == .max || capabilities & lockCapability != 0 { return nil }
    return refusal(EPERM)
  }

  private static func refusal(_ code: Int32) -> Refusal {
    Refusal(
      what: "locking memory", errno: code,
      remedy: "In a systemd unit set LimitMEMLOCK=infinity; in a shell use `ulimit -l unlimited`.")
  }
}
