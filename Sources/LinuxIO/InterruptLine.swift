// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
public import IMUModel

/// The owner of a GPIO line that a chip's interrupt output drives.
///
/// The kernel stamps each rising edge with CLOCK_MONOTONIC when it handles the interrupt: some microseconds after the
/// edge as a rule, any time on a busy machine. Edges wait in the kernel and wake nothing.
public struct InterruptLine: ~Copyable, @unchecked Sendable {
  // Safe to send: the memory below is owned by this value alone.

  /// The line that was found.
  public let line: GPIOLine
  private let descriptor: Int32
  private let edges: UnsafeMutablePointer<clinuxio_gpio_edge>
  private var count = 0
  private var first = 0
  /// The number of the next edge; 0 before the first one.
  private var number: UInt32 = 0

  /// Edges that are read at once, and that the kernel keeps: at 50 drains a second, of half a second.
  private static let room = (read: 16, kept: UInt32(32))

  /// Finds a line and asks the kernel for it, pulled to ground where the chip's driver can do that: a line that is not
  /// wired is quiet then.
  ///
  /// - Throws: ``LinuxIOError`` of kind `lineBusy`, `notPermitted` or `system`.
  public init(_ spec: GPIOLineSpec, tree: SystemTree = .live) throws(LinuxIOError) {
    let request = try GPIORequest(spec, tree: tree)
    defer { close(request.descriptor) }
    let (answer, _) = request.input(
      isActiveLow: false, CLINUXIO_GPIO_RISING_EDGES, CLINUXIO_GPIO_BIAS_PULL_DOWN,
      debounceMicroseconds: 0, kept: Self.room.kept)
    guard answer >= 0 else { throw request.refused(-answer) }
    (line, descriptor) = (request.line, answer)
    edges = .allocate(capacity: Self.room.read)
    edges.initialize(repeating: clinuxio_gpio_edge(), count: Self.room.read)
  }

  deinit {
    close(descriptor)
    edges.deallocate()
  }

  /// Takes the oldest edge that waits; `nil` when none does, as on a line that has gone away. Neither allocates nor waits.
  public mutating func next() -> InterruptEdge? {
    if first == count {
      // Safe: the memory has room for the count that is given.
      (first, count) = (
        0, max(0, Int(clinuxio_gpio_edges(descriptor, edges, UInt32(Self.room.read))))
      )
      guard count > 0 else { return nil }
    }
    let edge = edges[first]
    first += 1
    let followsLoss = number != 0 && edge.number != number
    number = edge.number &+ 1
    return InterruptEdge(
      time: MonotonicTime(nanoseconds: Int64(clamping: edge.time)), followsLoss: followsLoss)
  }
}
