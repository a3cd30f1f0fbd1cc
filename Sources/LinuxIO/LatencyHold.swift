// SPDX-License-Identifier: Apache-2.0

import Glibc

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
