// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The line from a chip's interrupt output, and the kernel that stamps its rising edges.
///
/// Chips answer only at transfers, so when the output rose is searched afterwards: between two transfers it only rises.
struct SimulatedInterrupt: Sendable, BitwiseCopyable {
  /// Nanoseconds from an edge to its stamp.
  private let latency: Int64
  private var isHigh = false
  private var lookedAt = Int64.min
  /// Instants of edges that were not taken; the newest go lost when there is no room.
  private var edges = SIMD8<Int64>(repeating: 0)
  private var count = 0
  private var hasLost = false

  init(latency: Int64) { self.latency = latency }

  /// Looks at the output up to `instant`, with the chip as it is now.
  mutating func follow(_ chip: inout any RegisterChip, until instant: Int64) {
    let from = lookedAt
    lookedAt = max(lookedAt, instant)
    guard !isHigh, from < instant, chip.isInterruptHigh(at: instant) else { return }
    isHigh = true
    var (low, high) = (max(from, instant - 10_000_000_000), instant)
    while low < high {
      let middle = low + (high - low) / 2
      if chip.isInterruptHigh(at: middle) { high = middle } else { low = middle + 1 }
    }
    if count < 8 {
      edges[count] = low
      count += 1
    } else {
      hasLost = true
    }
  }

  /// A transfer that began at `start` has changed the chip.
  mutating func changed(_ chip: inout any RegisterChip, from start: Int64, to end: Int64) {
    isHigh = isHigh && chip.isInterruptHigh(at: start)
    follow(&chip, until: end)
    isHigh = chip.isInterruptHigh(at: end)
  }

  /// Takes the oldest edge that was stamped by `instant`.
  mutating func next(at instant: Int64) -> InterruptEdge? {
    guard count > 0, edges[0] + latency <= instant else { return nil }
    let edge = InterruptEdge(
      time: MonotonicTime(nanoseconds: edges[0] + latency), followsLoss: hasLost)
    hasLost = false
    count -= 1
    for index in 0..<count { edges[index] = edges[index + 1] }
    return edge
  }
}
