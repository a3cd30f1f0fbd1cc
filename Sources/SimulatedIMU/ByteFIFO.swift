// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// A FIFO of bytes without marks, as InvenSense's chips have it.
///
///     stream    …──┬──────────────────────────────────────────┬──…
///                  read                                     written      count = written − read, at most the size
///
/// No byte is stored: a byte's place in the stream gives its sample, and the sample its counts. When the FIFO is full, each
/// byte overwrites the oldest one, and as its size is not a multiple of a packet, packets begin at another place from then
/// on. A change of the configuration empties it; for a real chip that is not documented.
struct ByteFIFO: Sendable, BitwiseCopyable {
  /// The number of the first sample in the stream; `nil` while the FIFO is off.
  var firstSample: Int64?
  /// Bytes of a packet, and of the FIFO.
  var packet: Int64 = 0
  var size: Int64 = 0
  /// Bytes that were read, or overwritten.
  private(set) var read: Int64 = 0
  /// The flag of an overflow, until the chip clears it.
  var hasOverflowed = false
  /// The count, as latched by the read of its high byte.
  var latchedCount: Int64 = 0
  /// The byte that was read last: an empty FIFO gives it again.
  var lastByte: UInt8 = 0
  /// The sample whose bytes were read last.
  var recent = RawSample()
  var recentSample: Int64 = -1

  /// Bytes in the FIFO once the sample `newest` is there; notes an overflow.
  mutating func count(newest: Int64) -> Int64 {
    guard let first = firstSample else { return 0 }
    let written = max(0, newest - first + 1) * packet
    if written - read > size {
      read = written - size
      hasOverflowed = true
    }
    return written - read
  }

  /// Takes out a byte: the number of its sample, and its place in the packet. `nil` when there is none.
  mutating func take(newest: Int64) -> (sample: Int64, place: Int64)? {
    guard count(newest: newest) > 0, let first = firstSample else { return nil }
    let (index, place) = read.quotientAndRemainder(dividingBy: packet)
    read += 1
    return (first + index, place)
  }
}
