/// A register burst cut into SMBus block reads of at most 32 bytes (I2C_SMBUS_BLOCK_MAX).
///
/// A sequence of values on the stack: going through it allocates nothing.
package struct SMBusPieces: Sequence, IteratorProtocol {
  /// The most bytes of one SMBus block.
  package static let limit = 32

  /// One block read.
  package struct Piece: Equatable, Sendable {
    /// Where its bytes go, from the burst's start.
    package var offset: Int
    /// 1...32.
    package var count: Int
  }

  private var offset = 0
  private let total: Int

  /// The pieces of a burst of `total` bytes.
  package init(total: Int) {
    self.total = total
  }

  /// The next piece.
  package mutating func next() -> Piece? {
    guard offset < total else { return nil }
    let piece = Piece(offset: offset, count: Swift.min(Self.limit, total - offset))
    offset += piece.count
    return piece
  }
}
