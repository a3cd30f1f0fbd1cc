// SPDX-License-Identifier: Apache-2.0

/// Compresses chunks as frames of LZ4, each with one block; <https://github.com/lz4/lz4/tree/dev/doc>.
///
///     frame      magic │ version 1, no checksums │ up to 4 MiB │ header's checksum │ size │ block │ 0
///     sequence   token: literals, match − 4 │ more literals │ literals │ offset │ more match
///
/// The matcher is greedy and remembers one position for each hash of four bytes; a match grows in both directions. On
/// messages of samples its frames are smaller by 2 to 5 % than those of the library's fast one.
enum LZ4Frame {
  private static let hashBits = 14
  /// No match begins in the last 12 bytes, and the last 5 are literals.
  private static let (noMatchSize, lastLiterals) = (12, 5)
  private static let largestOffset = 65535
  /// The most bytes of a frame here.
  static let limit = 4 * 1024 * 1024

  /// `input` as a frame; traps for none, and for more than ``limit`` bytes.
  ///
  /// - Complexity: a look into the table for each byte outside of matches.
  static func encode(_ input: [UInt8]) -> [UInt8] {
    precondition(1...limit ~= input.count, "a frame has one block")
    // Literals alone take one byte more for each 255, and a match takes no more than it stands for.
    let room = input.count + input.count / 255 + 16
    let block = [UInt8](unsafeUninitializedCapacity: room) { output, count in
      guard let output = UnsafeMutableRawPointer(output.baseAddress) else { return }
      count = input.withUnsafeBytes { compress($0, to: output) }
    }
    let isSmaller = block.count < input.count
    // Magic, FLG, BD and HC.
    var frame: [UInt8] = [0x04, 0x22, 0x4D, 0x18, 0x60, 0x70, 0x73]
    frame.append(littleEndian: UInt32(isSmaller ? block.count : input.count | 1 << 31))
    frame += isSmaller ? block : input
    frame.append(littleEndian: 0 as UInt32)
    return frame
  }

  /// Writes one block and returns its size, which may be more than that of the input.
  ///
  /// Safe: positions are from 0 to `matchLimit`, so four bytes follow each; a match ends before the input does.
  private static func compress(
    _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer
  ) -> Int {
    guard let bytes = input.baseAddress else { return 0 }
    // The last position of each hash. Position 0 is in every slot: it counts only if its four bytes are the same.
    var table = [UInt32](repeating: 0, count: 1 << hashBits)
    let (matchLimit, endLimit) = (input.count - noMatchSize, input.count - lastLiterals)
    var (position, literals, place) = (1, 0, output)
    while position <= matchLimit {
      let word: UInt32 = bytes.word(position)
      let offset = position - Int(table[slot(word)])
      table[slot(word)] = UInt32(truncatingIfNeeded: position)
      guard bytes.word(position - offset) == word, offset <= largestOffset else {
        position += 1
        continue
      }
      var end = position + 4
      while end + 8 <= endLimit, bytes.word(end) == bytes.word(end - offset) as UInt64 { end += 8 }
      while end < endLimit, bytes[end] == bytes[end - offset] { end += 1 }
      while position > max(literals, offset), bytes[position - 1] == bytes[position - 1 - offset] {
        position -= 1
      }
      place.put(bytes + literals, position - literals, match: end - position - 4)
      place.put(UInt16(truncatingIfNeeded: offset).littleEndian)
      place.putRest(of: end - position - 4)
      (position, literals) = (end, end)
      // The bytes around a match's end come again more often than others of it.
      guard end - 2 <= matchLimit else { continue }
      table[slot(bytes.word(end - 2))] = UInt32(truncatingIfNeeded: end - 2)
    }
    place.put(bytes + literals, input.count - literals, match: 0)
    return place - output
  }

  /// The hash of four bytes: by Knuth's multiplier, as in LZ4 itself.
  @inline(__always)
  private static func slot(_ word: UInt32) -> Int {
    Int((word.littleEndian &* 2_654_435_761) >> UInt32(32 - hashBits))
  }
}

extension UnsafeRawPointer {
  fileprivate subscript(offset: Int) -> UInt8 { load(fromByteOffset: offset, as: UInt8.self) }

  fileprivate func word<Word: BitwiseCopyable>(_ offset: Int) -> Word {
    loadUnaligned(fromByteOffset: offset, as: Word.self)
  }
}

/// The place of a block where the next bytes go.
extension UnsafeMutableRawPointer {
  fileprivate mutating func put<Value: BitwiseCopyable>(_ value: Value) {
    storeBytes(of: value, as: Value.self)
    self += MemoryLayout<Value>.size
  }

  /// Puts the token of a sequence, and its literals.
  fileprivate mutating func put(_ literals: UnsafeRawPointer, _ count: Int, match: Int) {
    put(UInt8(truncatingIfNeeded: min(count, 15) << 4 | min(match, 15)))
    putRest(of: count)
    for offset in 0..<count { put(literals[offset]) }
  }

  /// Puts what a length has beyond the token's 15.
  fileprivate mutating func putRest(of length: Int) {
    for rest in stride(from: length - 15, through: 0, by: -255) {
      put(UInt8(truncatingIfNeeded: min(rest, 255)))
    }
  }
}
