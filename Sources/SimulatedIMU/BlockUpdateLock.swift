/// Block data update: the 16-bit output registers of which one byte was read and the other not.
struct BlockUpdateLock: Sendable, BitwiseCopyable {
  /// What the locked pairs hold; pair 0 is register 0x20.
  private var words = SIMD8<Int16>(repeating: 0)
  /// For each pair, bit 0: the low byte was read, bit 1: the high byte.
  private var readBytes = SIMD8<UInt8>(repeating: 0)

  /// The word that a reader of `pair` sees when the newest is `newest`.
  func word(_ pair: Int, newest: Int16) -> Int16 {
    readBytes[pair] == 0 ? newest : words[pair]
  }

  /// One byte of `pair` was read, and `word` was what it holds.
  mutating func didRead(_ pair: Int, isHigh: Bool, word: Int16) {
    words[pair] = word
    readBytes[pair] |= isHigh ? 2 : 1
    if readBytes[pair] == 3 { readBytes[pair] = 0 }
  }
}
