// SPDX-License-Identifier: Apache-2.0

/// Packs differences of integers into words of 32 bits (Steim-2; SEED 2.4, Appendix B).
///
///     differences   7 × 4 bits   6 × 5   5 × 6   4 × 8   3 × 10   2 × 15   1 × 30
///     frame's code  3            3       3       1       2        2        2
///     top bits      2            1       0       none    3        2        1
///
/// A frame has 16 words; the first one holds the codes of all, two bits each, from the top down.
enum Steim2 {
  struct Word: Equatable {
    var bits: UInt32
    /// What the frame's first word has of it.
    var code: UInt32
    /// How many differences it holds.
    var count: Int
  }

  private static let forms: [(count: Int, width: Int, code: UInt32, top: UInt32?)] = [
    (7, 4, 3, 2), (6, 5, 3, 1), (5, 6, 3, 0), (4, 8, 1, nil), (3, 10, 2, 3), (2, 15, 2, 2),
    (1, 30, 2, 1),
  ]

  /// The most differences of a word.
  static let most = 7

  /// The word with as many of these differences as fit; traps without any, and for one of more than 30 bits.
  static func word(_ differences: ArraySlice<Int32>) -> Word {
    for (count, width, code, top) in forms where differences.count >= count {
      let part = differences.prefix(count)
      let limit: Int32 = 1 << Int32(width - 1)
      guard part.allSatisfy({ $0 >= -limit && $0 < limit }) else { continue }
      var bits: UInt32 = 0
      for difference in part {
        bits = bits << UInt32(width) | UInt32(bitPattern: difference) & (1 << UInt32(width) - 1)
      }
      return Word(bits: bits | (top ?? 0) << 30, code: code, count: count)
    }
    preconditionFailure("differences of counts have 17 bits")
  }
}
