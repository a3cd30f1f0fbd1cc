// SPDX-License-Identifier: Apache-2.0

/// Unpacks a stream of RFC 1951 ("deflate") piece by piece.
///
///     block = last (1 bit), kind (2 bits)     0: stored   1: fixed codes   2: codes of its own
///     codes: a literal byte, or a length and a distance back into the last 32 KiB
///
/// Any bytes give output or a fault; output never grows without input.
struct Inflater {
  struct Fault: Error, Equatable {
    let clause: String

    static let cutOff = Fault(clause: "its packed bytes end inside a block")
    static let wrong = Fault(clause: "its packed bytes are not as the format has them")
  }

  private enum State { case between, inBlock, over }

  private static let windowSize = 32 * 1024
  private static let padding = [UInt8](repeating: 0, count: 8)
  private static let lengthOrder = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]

  /// Input and eight zeros, so that a word can be read at each of its bytes, and the place of the next bit.
  private var input = Inflater.padding
  private var place = 0
  private var isInputOver = false
  private var state = State.between
  private var isLastBlock = false
  /// Symbols by the next bits of the input, the first one lowest, as many as the longest code has: symbol · 16 + length of
  /// its code; 0 for no code.
  private var (literals, distances): ([UInt16], [UInt16]) = ([], [])
  /// Those of the fixed codes, literals first; empty until a block has them.
  private var fixed: [[UInt16]] = []
  /// The end of the output: at least 32 KiB, or all of it; and how much of this was given.
  private var output: [UInt8] = []
  private var given = 0

  private var bitCount: Int { (input.count - Inflater.padding.count) * 8 - place }

  var isDone: Bool { state == .over && given == output.count }

  /// Whether ``add(_:)`` is needed before more can be unpacked: a stored block has up to 64 KiB, the codes of another one
  /// up to 600 bytes.
  var needsInput: Bool { !isInputOver && bitCount < (64 * 1024 + 8) * 8 }

  /// Adds input; none ends it.
  mutating func add(_ bytes: [UInt8]) {
    isInputOver = bytes.isEmpty
    input.removeFirst(place / 8)
    input.removeLast(Inflater.padding.count)
    input += bytes + Inflater.padding
    place %= 8
  }

  /// Unpacks into `buffer` until it is full, the blocks are over or input is needed; returns the number of bytes.
  mutating func unpack(into buffer: UnsafeMutableRawBufferPointer) throws(Fault) -> Int {
    while output.count - given < buffer.count, state != .over, !needsInput {
      if state == .inBlock { try decode() } else { try beginBlock() }
    }
    let new = output[given...].prefix(buffer.count)
    buffer.copyBytes(from: new)
    given += new.count
    if given > 4 * Inflater.windowSize {
      output.removeFirst(given - Inflater.windowSize)
      given = Inflater.windowSize
    }
    return new.count
  }

  private mutating func endBlock() { state = isLastBlock ? .over : .between }

  private mutating func beginBlock() throws(Fault) {
    isLastBlock = try take(1) == 1
    switch try take(2) {
    case 0:
      // The rest of the byte is skipped.
      place = (place + 7) & ~7
      let length = try take(16)
      guard try take(16) == length ^ 0xFFFF else { throw .wrong }
      guard length * 8 <= bitCount else { throw .cutOff }
      output += input[place / 8..<place / 8 + length]
      place += length * 8
      endBlock()
    case 1:
      // Made once: a file may have a million such blocks, with nothing in them.
      if fixed.isEmpty {
        let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
        fixed = [
          try Inflater.table(lengths[...]), try Inflater.table(ArraySlice(repeating: 5, count: 30)),
        ]
      }
      (literals, distances, state) = (fixed[0], fixed[1], .inBlock)
    case 2:
      try readCodes()
      state = .inBlock
    default: throw .wrong
    }
  }

  /// Reads the lengths of a block's codes, which are coded themselves (RFC 1951, 3.2.7).
  private mutating func readCodes() throws(Fault) {
    let literalCount = try take(5) + 257
    let count = try literalCount + take(5) + 1
    let lengthCount = try take(4) + 4
    var lengths = [Int](repeating: 0, count: 19)
    for symbol in Inflater.lengthOrder.prefix(lengthCount) { lengths[symbol] = try take(3) }
    let table = try Inflater.table(lengths[...])
    lengths = []
    while lengths.count < count {
      let symbol = try symbol(table)
      switch symbol {
      case 16:
        guard let last = lengths.last else { throw .wrong }
        lengths += repeatElement(last, count: 3 + (try take(2)))
      case 17: lengths += repeatElement(0, count: 3 + (try take(3)))
      case 18: lengths += repeatElement(0, count: 11 + (try take(7)))
      default: lengths.append(symbol)
      }
    }
    guard lengths.count == count, literalCount <= 286, lengths[256] > 0 else { throw .wrong }
    literals = try Inflater.table(lengths[..<literalCount])
    distances = try Inflater.table(lengths[literalCount...])
  }

  /// The symbols of the code with these lengths by symbol, 0 for none (RFC 1951, 3.2.2).
  ///
  /// Two codes that begin alike are refused. Unused codes are allowed, as where one distance is all there is.
  private static func table(_ lengths: ArraySlice<Int>) throws(Fault) -> [UInt16] {
    // A file may have a code for every few bytes: a table is only as large as its code needs.
    let longest = max(1, lengths.max() ?? 1)
    var table = [UInt16](repeating: 0, count: 1 << longest)
    var code = 0
    for length in 1...longest {
      code <<= 1
      for (symbol, own) in lengths.enumerated() where own == length {
        guard code < 1 << length else { throw .wrong }
        let reversed = (0..<length).reduce(0) { $0 << 1 | code >> $1 & 1 }
        for index in stride(from: reversed, to: table.count, by: 1 << length) {
          table[index] = UInt16(symbol << 4 | length)
        }
        code += 1
      }
    }
    return table
  }

  private mutating func decode() throws(Fault) {
    let symbol = try symbol(literals)
    if symbol < 256 { return output.append(UInt8(truncatingIfNeeded: symbol)) }
    guard symbol > 256 else { return endBlock() }
    guard symbol < 286 else { throw .wrong }
    let length = symbol == 285 ? 258 : 3 + (try number(symbol - 257, group: 4))
    let code = try self.symbol(distances)
    guard code < 30, case let distance = 1 + (try number(code, group: 2)),
      distance <= output.count
    else { throw .wrong }
    for _ in 0..<length { output.append(output[output.count - distance]) }
  }

  /// The number that a symbol and further bits make: a group of symbols for each count of bits (RFC 1951, 3.2.5).
  private mutating func number(_ symbol: Int, group: Int) throws(Fault) -> Int {
    guard symbol >= group else { return symbol }
    let count = symbol / group - 1
    return (group + symbol % group) << count + (try take(count))
  }

  /// The next bits, the first one lowest, at least 57; zeros after the end.
  ///
  /// Safe: `take` and `symbol` pass no bit that is not there, so the eight bytes of padding follow the byte of `place`.
  private var next: UInt64 {
    input.withUnsafeBytes {
      $0.loadUnaligned(fromByteOffset: place / 8, as: UInt64.self).littleEndian
    } >> UInt64(place % 8)
  }

  private mutating func take(_ count: Int) throws(Fault) -> Int {
    guard count <= bitCount else { throw .cutOff }
    defer { place += count }
    return Int(next & (1 << UInt64(count) - 1))
  }

  private mutating func symbol(_ table: [UInt16]) throws(Fault) -> Int {
    let entry = Int(table[Int(truncatingIfNeeded: next) & (table.count - 1)])
    // Zeros after the end may look like the beginning of a code that does not exist.
    guard entry > 0 || bitCount < table.count.trailingZeroBitCount else { throw .wrong }
    guard entry > 0, entry & 15 <= bitCount else { throw .cutOff }
    place += entry & 15
    return entry >> 4
  }
}
