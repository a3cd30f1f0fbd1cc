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

/// Limits how deeply the processors sleep, and so how long they take to wake up.
///
/// A request of the kernel's PM QoS for the whole machine, in force as long as `/dev/cpu_dma_latency` is open
/// (Documentation/power/pm_qos_interface.rst). A processor that may not sleep draws power and gives off heat, so release
/// the value between recordings.
public final class LatencyHold: Sendable {
  /// The longest time that a wake-up may take, in microseconds.
  public let microseconds: Int32
  private let descriptor: Int32

  private init(microseconds: Int32, descriptor: Int32) {
    (self.microseconds, self.descriptor) = (microseconds, descriptor)
  }

  deinit { close(descriptor) }

  /// Asks for wake-ups that take at most `microseconds`; 0 keeps the processors from sleeping at all.
  ///
  /// - Returns: The hold, or the refusal.
  public static func engage(
    microseconds: Int32, tree: SystemTree = .live
  ) -> (hold: LatencyHold?, refusal: Refusal?) {
    let path = tree.path("/dev/cpu_dma_latency")
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return (nil, refusal(errno, microseconds)) }
    // The kernel reads 4 bytes in its own byte order, or text.
    var value = microseconds
    let count = write(descriptor, &value, 4)
    let code = count < 0 ? errno : EIO
    let hold = LatencyHold(microseconds: microseconds, descriptor: descriptor)
    return count == 4 ? (hold, nil) : (nil, refusal(code, microseconds))
  }

  /// The refusal of a request that ended with `code`.
  static func refusal(_ code: Int32, _ microseconds: Int32) -> Refusal {
    // EPERM: by the device rules of a container, whatever the node's mode.
    let isAbsent = [ENOENT, ENODEV, ENXIO, EPERM].contains(code)
    return Refusal(
      what: "holding wake-ups to \(microseconds) µs (/dev/cpu_dma_latency)", errno: code,
      remedy: isAbsent
        ? "A container must be given the device; a kernel without it needs nothing held."
        : "The package, or `sudo imulog install` where there is none, gives the right to the group imulog."
    )
  }
}
