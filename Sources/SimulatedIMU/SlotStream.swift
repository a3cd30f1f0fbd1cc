// SPDX-License-Identifier: Apache-2.0

/// The words that went into and out of an ST chip's FIFO, slot by slot.
///
///     slot      first                      next
///     words     ─┬───────┬─────┬───────┬───
///                       read                  count = written − read, at most the limit
///
/// No word is stored: a word's place in the stream gives its slot and kind, and these its contents. In a full FIFO each word
/// replaces the oldest one.
struct SlotStream: Sendable, BitwiseCopyable {
  /// Oscillator ticks a slot.
  let slotPeriod: Int64
  /// For each kind of word the slots from one that has it to the next; 0 for none.
  let every: SIMD4<Int64>
  /// Words of a kind in a slot.
  let wordsOfKind: Int64
  /// Words in the FIFO at most.
  let limit: Int64
  /// Whether the first slot that would go beyond the limit, and all after it, are not stored.
  let stops: Bool
  /// Whether a slot that would only reach the limit is not stored either.
  let stopsBelowLimit: Bool
  /// The number of the first slot, and that of the oscillator's first one.
  let first: Int64
  let origin: Int64

  /// Words that were read, or replaced.
  var read: Int64 = 0
  /// The first slot that was not stored.
  private(set) var stop: Int64?
  /// Words have been replaced.
  var isOverrun = false

  /// Words in the slots from the first one up to, and without, `slot`.
  func words(before slot: Int64) -> Int64 {
    var words: Int64 = 0
    for index in 0..<4 where every[index] > 0 {
      let step = every[index]
      words += wordsOfKind * ((slot + step - 1) / step - (first + step - 1) / step)
    }
    return words
  }

  /// The first slot up to `end` for which `isBeyond`, a monotonic condition, holds; else `end`.
  func firstSlot(upTo end: Int64, where isBeyond: (_ slot: Int64) -> Bool) -> Int64 {
    var (low, high) = (first, end)
    while low < high {
      let middle = low + (high - low) / 2
      if isBeyond(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The slot that follows those up to `tick`.
  private func next(atTick tick: Int64) -> Int64 { max(first, tick / slotPeriod + 1 - origin) }

  /// The words that come with the next slot after `tick`.
  func coming(atTick tick: Int64) -> Int64 {
    words(before: next(atTick: tick) + 1) - words(before: next(atTick: tick))
  }

  /// Words in the FIFO after `tick`; notes an overrun, or that it stops.
  mutating func count(atTick tick: Int64) -> Int64 {
    var slot = next(atTick: tick)
    if stops {
      let margin: Int64 = stopsBelowLimit ? 1 : 0
      if stop == nil, words(before: slot + margin) - read + margin > limit {
        stop = firstSlot(upTo: slot) { words(before: $0 + 1) - read + margin > limit }
      }
      slot = min(slot, stop ?? slot)
    }
    let written = words(before: slot)
    if written - read > limit {
      read = written - limit
      isOverrun = true
    }
    return written - read
  }

  /// The oldest word vanishes.
  mutating func lose(atTick tick: Int64) {
    if count(atTick: tick) > 0 { read += 1 }
  }
}
