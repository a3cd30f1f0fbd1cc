// SPDX-License-Identifier: Apache-2.0

/// Unpacks a stream of RFC 1951 ("deflate") piece by piece.
///
///     block = last (1 bit), kind (2 bits)     0: stored   1: fixed codes   2: codes of its own
///     codes: a literal byte, or a length and a distance back into the last 32 KiB
///
/// Any bytes give output or a fault; output never grows without input.
struct Inflater {
  /// The error in a stream, as a clause.
  struct Fault: Error, Equatable {
    let clause: String
  }

  private enum Block {
    case none
    case stored(left: Int)
    case coded
    case over
  }

  /// Input, and the place of what was not used yet.
  private var input: [UInt8] = []
  private var place = 0
  private var isInputOver = false
  /// The bits that were read ahead, the first in the lowest place.
  private var (bits, bitCount) = (UInt64(0), 0)
  private var block = Block.none
  private var isLastBlock = false
  private var (literals, distances) = (HuffmanTable(), HuffmanTable())
  private var window = [UInt8](repeating: 0, count: Inflater.windowSize)
  private var made = 0
  /// What is left of a match.
  private var (matchLength, matchDistance) = (0, 0)
  private static let windowSize = 32 * 1024

  /// Whether all blocks are unpacked.
  var isDone: Bool { if case .over = block { matchLength == 0 } else { false } }

  /// Whether ``add(_:)`` is needed before more can be unpacked: a block's codes may need 600 bytes.
  var needsInput: Bool { !isInputOver && input.count - place < 1024 }

  /// Adds input; none ends it.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    input.removeSubrange(..<place)
    place = 0
    input.append(contentsOf: bytes)
    isInputOver = bytes.isEmpty
  }

  /// Unpacks into `output` until it is full, the blocks are over or input is needed; returns the number of bytes.
  mutating func unpack(into output: UnsafeMutableRawBufferPointer) throws(Fault) -> Int {
    var count = 0
    while count < output.count, !isDone, !needsInput {
      if matchLength > 0 {
        put(window[(made - matchDistance) & (Inflater.windowSize - 1)], output, &count)
        matchLength -= 1
        continue
      }
      switch block {
      case .none: try beginBlock()
      case .stored(0): endBlock()
      case .stored(let left):
        put(UInt8(truncatingIfNeeded: try take(8)), output, &count)
        block = .stored(left: left - 1)
      case .coded: try decode(output, &count)
      case .over: break
      }
    }
    return count
  }

  @inline(__always)
  private mutating func put(
    _ byte: UInt8, _ output: UnsafeMutableRawBufferPointer, _ count: inout Int
  ) {
    window[made & (Inflater.windowSize - 1)] = byte
    made += 1
    output[count] = byte
    count += 1
  }

  private mutating func endBlock() { block = isLastBlock ? .over : .none }

  private mutating func beginBlock() throws(Fault) {
    isLastBlock = try take(1) == 1
    switch try take(2) {
    case 0:
      // The rest of the byte is skipped.
      _ = try take(bitCount % 8)
      let length = try take(16)
      guard try take(16) == length ^ 0xFFFF else {
        throw Fault(clause: "the length of a stored block is wrong")
      }
      block = .stored(left: length)
    case 1:
      let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
      try literals.fill(lengths[...])
      try distances.fill([Int](repeating: 5, count: 30)[...])
      block = .coded
    case 2:
      try readCodes()
      block = .coded
    default: throw Fault(clause: "a block is of no known kind")
    }
  }

  /// Reads the lengths of a block's codes, which are coded themselves (RFC 1951, 3.2.7).
  private mutating func readCodes() throws(Fault) {
    let literalCount = try take(5) + 257
    let distanceCount = try take(5) + 1
    let lengthCount = try take(4) + 4
    var lengths = [Int](repeating: 0, count: 19)
    for index in 0..<lengthCount { lengths[Inflater.lengthOrder[index]] = try take(3) }
    try literals.fill(lengths[...])
    var all: [Int] = []
    while all.count < literalCount + distanceCount {
      let symbol = try symbol(literals)
      switch symbol {
      case 16:
        guard let last = all.last else { throw Fault(clause: "a code's length repeats nothing") }
        all += repeatElement(last, count: 3 + (try take(2)))
      case 17: all += repeatElement(0, count: 3 + (try take(3)))
      case 18: all += repeatElement(0, count: 11 + (try take(7)))
      default: all.append(symbol)
      }
    }
    guard all.count == literalCount + distanceCount, literalCount <= 286, all[256] > 0 else {
      throw HuffmanTable.fault
    }
    try literals.fill(all[..<literalCount])
    try distances.fill(all[literalCount...])
  }

  private mutating func decode(_ output: UnsafeMutableRawBufferPointer, _ count: inout Int)
    throws(Fault)
  {
    let symbol = try symbol(literals)
    if symbol < 256 { return put(UInt8(truncatingIfNeeded: symbol), output, &count) }
    guard symbol > 256 else { return endBlock() }
    guard symbol < 286 else { throw Fault(clause: "a length is none of the format") }
    // RFC 1951, 3.2.5: four lengths for each number of further bits, two distances.
    let step = symbol - 257
    let lengthBits = step < 8 ? 0 : step / 4 - 1
    let length = step < 8 ? step + 3 : step == 28 ? 258 : (4 + step % 4) << lengthBits + 3
    matchLength = length + (step == 28 ? 0 : try take(lengthBits))
    let code = try self.symbol(distances)
    guard code < 30 else { throw Fault(clause: "a distance is none of the format") }
    let distanceBits = code < 4 ? 0 : code / 2 - 1
    let distance = code < 4 ? code + 1 : (2 + code % 2) << distanceBits + 1
    matchDistance = distance + (try take(distanceBits))
    guard matchDistance <= made else {
      throw Fault(clause: "a distance reaches before the beginning")
    }
  }

  @inline(__always)
  private mutating func fill() {
    while bitCount <= 48, place < input.count {
      bits |= UInt64(input[place]) << UInt64(bitCount)
      place += 1
      bitCount += 8
    }
  }

  @inline(__always)
  private mutating func take(_ count: Int) throws(Fault) -> Int {
    if bitCount < count { fill() }
    return try consume(count, Int(bits & (1 << UInt64(count) - 1)))
  }

  @inline(__always)
  private mutating func symbol(_ table: HuffmanTable) throws(Fault) -> Int {
    if bitCount < HuffmanTable.width { fill() }
    let entry = table.entries[Int(bits) & (1 << HuffmanTable.width - 1)]
    // Bits after the end are 0, and may look like the beginning of a code that does not exist.
    guard entry > 0 else {
      throw bitCount < HuffmanTable.width
        ? Inflater.cutOff : Fault(clause: "a code is not one of its block")
    }
    return try consume(Int(entry & 15), Int(entry >> 4))
  }

  @inline(__always)
  private mutating func consume(_ count: Int, _ value: Int) throws(Fault) -> Int {
    guard bitCount >= count else { throw Inflater.cutOff }
    bits >>= UInt64(count)
    bitCount -= count
    return value
  }

  private static let cutOff = Fault(clause: "its packed bytes end inside a block")
  private static let lengthOrder = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]
}

/// The symbols of a prefix code by the next 15 bits of the input, the first one lowest.
private struct HuffmanTable {
  /// The longest code.
  static let width = 15
  static let fault = Inflater.Fault(clause: "the codes of a block are wrong")

  /// Symbol · 16 + length of its code; 0 for no code.
  private(set) var entries = [UInt16](repeating: 0, count: 1 << HuffmanTable.width)

  /// Sets the code with these lengths by symbol, 0 for none (RFC 1951, 3.2.2).
  ///
  /// Two codes that begin alike are refused. Unused codes are allowed, as where one distance is all there is.
  mutating func fill(_ lengths: ArraySlice<Int>) throws(Inflater.Fault) {
    var counts = [Int](repeating: 0, count: HuffmanTable.width + 1)
    for length in lengths where length > 0 { counts[length] += 1 }
    var next = [Int](repeating: 0, count: HuffmanTable.width + 1)
    var code = 0
    for length in 1...HuffmanTable.width {
      code = (code + counts[length - 1]) << 1
      next[length] = code
      guard code + counts[length] <= 1 << length else { throw HuffmanTable.fault }
    }
    for index in entries.indices { entries[index] = 0 }
    for (symbol, length) in lengths.enumerated() where length > 0 {
      let reversed = (0..<length).reduce(0) { $0 | (next[length] >> $1 & 1) << (length - 1 - $1) }
      next[length] += 1
      for index in stride(from: reversed, to: entries.count, by: 1 << length) {
        entries[index] = UInt16(symbol << 4 | length)
      }
    }
  }
}
