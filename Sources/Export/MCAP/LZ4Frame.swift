// SPDX-License-Identifier: Apache-2.0

/// Compresses chunks as frames of LZ4, each with one block; <https://github.com/lz4/lz4/tree/dev/doc>.
///
///     frame      magic │ version 1, no checksums │ up to 4 MiB │ header's checksum │ size │ block │ 0
///     sequence   token: literals, match − 4 │ more literals │ literals │ offset │ more match
///
/// The matcher is greedy and remembers one position for each hash of four bytes; a match grows in both directions. On
/// messages of samples its frames are smaller by 2 to 5 % than those of the library's fast one.
struct LZ4Frame {
  /// The position after each hash; made once.
  private var table = [UInt32](repeating: 0, count: 1 << LZ4Frame.hashBits)

  private static let hashBits = 14
  /// Before the block: magic, FLG, BD, HC and the block's size.
  private static let headSize = 11
  /// No match begins in the last 12 bytes, and the last 5 are literals.
  private static let (noMatchSize, lastLiterals) = (12, 5)
  private static let largestOffset = 65535
  /// The most bytes of a frame here.
  static let limit = 4 * 1024 * 1024

  /// `input` as a frame; traps for none, and for more than ``limit`` bytes.
  ///
  /// - Complexity: a look into the table for each byte outside of matches.
  mutating func encode(_ input: [UInt8]) -> [UInt8] {
    precondition(1...LZ4Frame.limit ~= input.count, "a frame has one block")
    // Literals alone take one byte more for each 255, and a match takes no more than it stands for; 16 bytes are for the
    // frame, 16 for copies of 8 bytes at a time.
    let room = input.count + input.count / 255 + 32
    return [UInt8](unsafeUninitializedCapacity: room) { output, count in
      guard let output = UnsafeMutableRawPointer(output.baseAddress) else { return }
      let block = output + LZ4Frame.headSize
      var size = input.withUnsafeBytes { compress($0, to: block) }
      var word = UInt32(truncatingIfNeeded: size)
      if size >= input.count {
        size = input.count
        word = UInt32(truncatingIfNeeded: size) | 1 << 31
        UnsafeMutableRawBufferPointer(start: block, count: size).copyBytes(from: input)
      }
      // Magic, FLG, BD and HC; the eighth byte is the size's.
      output.storeBytes(of: (0x0073_7060_184D_2204 as UInt64).littleEndian, as: UInt64.self)
      (block - 4).storeBytes(of: word.littleEndian, as: UInt32.self)
      (block + size).storeBytes(of: 0, as: UInt32.self)
      count = LZ4Frame.headSize + size + 4
    }
  }

  /// Writes one block and returns its size, which may be more than that of the input.
  ///
  /// Safe: positions are from 0 to `matchLimit`, so four bytes follow each; a candidate is a position before, or 0.
  private mutating func compress(
    _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer
  )
    -> Int
  {
    guard let bytes = input.baseAddress else { return 0 }
    var place = output
    var (position, literals) = (1, 0)
    let matchLimit = input.count - LZ4Frame.noMatchSize
    table.withUnsafeMutableBufferPointer { table in
      // Position 0 is in every slot: a candidate counts only if its four bytes are the same.
      table.update(repeating: 0)
      while position <= matchLimit {
        let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
        let slot = LZ4Frame.slot(word)
        var candidate = Int(table[slot])
        table[slot] = UInt32(truncatingIfNeeded: position)
        guard bytes.loadUnaligned(fromByteOffset: candidate, as: UInt32.self) == word,
          position &- candidate <= LZ4Frame.largestOffset
        else {
          position &+= 1
          continue
        }
        let end = LZ4Frame.matchEnd(
          bytes, position, candidate, limit: input.count &- LZ4Frame.lastLiterals)
        while position > literals, candidate > 0, bytes[position &- 1] == bytes[candidate &- 1] {
          (position, candidate) = (position &- 1, candidate &- 1)
        }
        place = LZ4Frame.putLiterals(
          bytes + literals, position &- literals, match: end &- position &- 4, to: place)
        let offset = UInt16(truncatingIfNeeded: position &- candidate)
        place.storeBytes(of: offset.littleEndian, as: UInt16.self)
        place = LZ4Frame.putLength(end &- position &- 4, to: place + 2)
        (position, literals) = (end, end)
        // The bytes around a match's end come again more often than others of it.
        let late = end &- 2
        guard late <= matchLimit else { continue }
        table[LZ4Frame.slot(bytes.loadUnaligned(fromByteOffset: late, as: UInt32.self))] =
          UInt32(truncatingIfNeeded: late)
      }
    }
    let rest = input.count - literals
    place = LZ4Frame.putToken(rest, match: 0, to: place)
    place.copyMemory(from: bytes + literals, byteCount: rest)
    return place + rest - output
  }

  /// The hash of four bytes: by Knuth's multiplier, as in LZ4 itself.
  @inline(__always)
  private static func slot(_ word: UInt32) -> Int {
    Int((word.littleEndian &* 2_654_435_761) >> UInt32(32 - LZ4Frame.hashBits))
  }

  /// Where the bytes after `position` stop being those after `candidate`, at `limit` at the latest.
  @inline(__always)
  private static func matchEnd(
    _ bytes: UnsafeRawPointer, _ position: Int, _ candidate: Int, limit: Int
  ) -> Int {
    var count = 4
    while position &+ count &+ 8 <= limit {
      let difference =
        bytes.loadUnaligned(fromByteOffset: position &+ count, as: UInt64.self)
        ^ bytes.loadUnaligned(fromByteOffset: candidate &+ count, as: UInt64.self)
      guard difference == 0 else {
        return position &+ count &+ difference.littleEndian.trailingZeroBitCount >> 3
      }
      count &+= 8
    }
    while position &+ count < limit, bytes[position &+ count] == bytes[candidate &+ count] {
      count &+= 1
    }
    return position &+ count
  }

  /// Writes a token and its literals, eight bytes at a time, and returns the place after them.
  ///
  /// Safe: at most 7 bytes too many are copied. A match begins 12 bytes before the input's end at the latest, so these
  /// are in the input, and the output has room for them.
  @inline(__always)
  private static func putLiterals(
    _ literals: UnsafeRawPointer, _ count: Int, match: Int, to output: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    let place = putToken(count, match: match, to: output)
    var copied = 0
    while copied < count {
      let word = literals.loadUnaligned(fromByteOffset: copied, as: UInt64.self)
      place.storeBytes(of: word, toByteOffset: copied, as: UInt64.self)
      copied &+= 8
    }
    return place + count
  }

  @inline(__always)
  private static func putToken(_ literals: Int, match: Int, to output: UnsafeMutableRawPointer)
    -> UnsafeMutableRawPointer
  {
    let token = UInt8(truncatingIfNeeded: min(literals, 15) << 4 | min(match, 15))
    output.storeBytes(of: token, as: UInt8.self)
    return putLength(literals, to: output + 1)
  }

  /// Writes what a length has beyond the token's 15.
  @inline(__always)
  private static func putLength(_ length: Int, to output: UnsafeMutableRawPointer)
    -> UnsafeMutableRawPointer
  {
    guard length >= 15 else { return output }
    var (rest, place) = (length &- 15, output)
    while rest >= 255 {
      place.storeBytes(of: 255, as: UInt8.self)
      place += 1
      rest &-= 255
    }
    place.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
    return place + 1
  }
}

extension UnsafeRawPointer {
  fileprivate subscript(offset: Int) -> UInt8 { load(fromByteOffset: offset, as: UInt8.self) }
}
