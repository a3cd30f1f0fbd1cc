// SPDX-License-Identifier: Apache-2.0

/// Unpacks a stream of RFC 1951 ("deflate"), piece by piece.
///
///     block = last (1 bit), kind (2 bits)     0: stored   1: fixed codes   2: codes of its own
///     codes: a literal byte, or a length and a distance back into the last 32 KiB
///
/// Codes are read bit by bit: tables of text are small, and the first bit after the stream is then known exactly.
///
/// - Complexity: 34 KiB of memory, whatever the input.
struct Inflater {
  /// The error in a stream, as a clause.
  struct Fault: Error {
    let clause: String
  }

  /// Where the stream stands between two calls.
  private enum State {
    case header
    case stored(left: Int)
    case coded
    case match(length: Int, distance: Int)
    case over
  }

  private var state = State.header
  private var isLastBlock = false
  private var bits: UInt32 = 0
  private var bitCount: UInt32 = 0
  private var window = [UInt8](repeating: 0, count: windowSize)
  /// Bytes unpacked so far.
  private(set) var count: UInt64 = 0
  private var literals = Codes([])
  private var distances = Codes([])
  private static let windowSize = 32 * 1024

  /// Whether the end of the stream was read.
  var isOver: Bool { if case .over = state { true } else { false } }

  /// Fills `output` with the next bytes and returns their number; 0 at the end.
  ///
  /// - Parameter next: The next byte of the stream.
  mutating func read<Failure: Error>(
    into output: UnsafeMutableRawBufferPointer, _ next: () throws(Failure) -> UInt8,
    fault: (Fault) -> Failure
  ) throws(Failure) -> Int {
    var place = 0
    while place < output.count {
      switch state {
      case .over: return place
      case .header:
        if isLastBlock {
          state = .over
        } else {
          try beginBlock(next, fault)
        }
      case .stored(let left):
        if left == 0 {
          state = .header
        } else {
          put(try next(), output, &place)
          state = .stored(left: left - 1)
        }
      case .coded: try decode(next, fault, output, &place)
      case .match(let length, let distance):
        guard length > 0 else {
          state = .coded
          continue
        }
        let from = Int(truncatingIfNeeded: count &- UInt64(distance)) & (Inflater.windowSize - 1)
        put(window[from], output, &place)
        state = .match(length: length - 1, distance: distance)
      }
    }
    return place
  }

  private mutating func put(
    _ byte: UInt8, _ output: UnsafeMutableRawBufferPointer, _ place: inout Int
  ) {
    output[place] = byte
    place += 1
    window[Int(truncatingIfNeeded: count) & (Inflater.windowSize - 1)] = byte
    count += 1
  }

  /// The next bits, the first in the lowest place.
  private mutating func take<Failure: Error>(_ number: UInt32, _ next: () throws(Failure) -> UInt8)
    throws(Failure) -> Int
  {
    while bitCount < number {
      bits |= UInt32(try next()) << bitCount
      bitCount += 8
    }
    let value = bits & (1 << number - 1)
    bits >>= number
    bitCount -= number
    return Int(value)
  }

  private mutating func beginBlock<Failure: Error>(
    _ next: () throws(Failure) -> UInt8, _ fault: (Fault) -> Failure
  ) throws(Failure) {
    isLastBlock = try take(1, next) == 1
    switch try take(2, next) {
    case 0:
      // The rest of the byte is skipped.
      (bits, bitCount) = (0, 0)
      let low = UInt16(try next())
      let length = low | UInt16(try next()) << 8
      let lowCheck = UInt16(try next())
      let check = lowCheck | UInt16(try next()) << 8
      guard length == ~check else {
        throw fault(Fault(clause: "the length of a stored block is wrong"))
      }
      state = .stored(left: Int(length))
    case 1:
      literals = Codes.fixedLiterals
      distances = Codes.fixedDistances
      state = .coded
    case 2:
      try readCodes(next, fault)
      state = .coded
    default: throw fault(Fault(clause: "a block is of no known kind"))
    }
  }

  /// Reads the lengths of a block's codes, which are coded themselves (RFC 1951, 3.2.7).
  private mutating func readCodes<Failure: Error>(
    _ next: () throws(Failure) -> UInt8, _ fault: (Fault) -> Failure
  ) throws(Failure) {
    let literalCount = try take(5, next) + 257
    let distanceCount = try take(5, next) + 1
    let lengthCount = try take(4, next) + 4
    var lengths = [UInt8](repeating: 0, count: 19)
    for index in 0..<lengthCount {
      lengths[Inflater.lengthOrder[index]] = UInt8(try take(3, next))
    }
    let codes = Codes(lengths)
    var all: [UInt8] = []
    while all.count < literalCount + distanceCount {
      let symbol = try symbol(codes, next, fault)
      switch symbol {
      case 16:
        guard let last = all.last else {
          throw fault(Fault(clause: "a code's length repeats nothing"))
        }
        all += repeatElement(last, count: 3 + (try take(2, next)))
      case 17: all += repeatElement(0, count: 3 + (try take(3, next)))
      case 18: all += repeatElement(0, count: 11 + (try take(7, next)))
      default: all.append(UInt8(symbol))
      }
    }
    guard all.count == literalCount + distanceCount, literalCount <= 286, all[256] > 0 else {
      throw fault(Fault(clause: "the codes of a block are wrong"))
    }
    literals = Codes(Array(all[..<literalCount]))
    distances = Codes(Array(all[literalCount...]))
    guard codes.isValid, literals.isValid, distances.isValid else {
      throw fault(Fault(clause: "the codes of a block are wrong"))
    }
  }

  private mutating func symbol<Failure: Error>(
    _ codes: Codes, _ next: () throws(Failure) -> UInt8, _ fault: (Fault) -> Failure
  ) throws(Failure) -> Int {
    var (code, first, index) = (0, 0, 0)
    for length in 1...15 {
      code |= try take(1, next)
      let count = codes.counts[length]
      if code - count < first { return codes.symbols[index + code - first] }
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    throw fault(Fault(clause: "a code is not one of its block"))
  }

  private mutating func decode<Failure: Error>(
    _ next: () throws(Failure) -> UInt8, _ fault: (Fault) -> Failure,
    _ output: UnsafeMutableRawBufferPointer, _ place: inout Int
  ) throws(Failure) {
    let symbol = try symbol(literals, next, fault)
    if symbol < 256 { return put(UInt8(symbol), output, &place) }
    if symbol == 256 { return state = .header }
    guard symbol < 286 else { throw fault(Fault(clause: "a length is none of the format")) }
    let length =
      Inflater.lengths[symbol - 257] + (try take(Inflater.lengthBits[symbol - 257], next))
    let code = try self.symbol(distances, next, fault)
    guard code < 30 else { throw fault(Fault(clause: "a distance is none of the format")) }
    let bits: UInt32 = code < 4 ? 0 : UInt32(code / 2 - 1)
    let base = code < 4 ? code + 1 : (2 + code % 2) << Int(bits) + 1
    let distance = base + (try take(bits, next))
    guard UInt64(distance) <= count else {
      throw fault(Fault(clause: "a distance reaches before the beginning"))
    }
    state = .match(length: length, distance: distance)
  }

  private static let lengthOrder = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]
  private static let lengths = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258,
  ]
  private static let lengthBits: [UInt32] = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
}

/// Canonical Huffman codes, by the length of each symbol's.
private struct Codes {
  /// How many codes have each length, and the symbols in the order of their codes.
  private(set) var counts = [Int](repeating: 0, count: 16)
  private(set) var symbols: [Int] = []
  /// Whether no two codes begin alike. One code alone may be short.
  private(set) var isValid = true

  init(_ lengths: [UInt8]) {
    for length in lengths { counts[Int(length)] += 1 }
    counts[0] = 0
    var left = 1
    for length in 1...15 { left = 2 * left - counts[length] }
    var room = 1
    for length in 1...15 {
      room = 2 * room - counts[length]
      if room < 0 { isValid = false }
    }
    for length in 1...15 {
      for symbol in lengths.indices where Int(lengths[symbol]) == length { symbols.append(symbol) }
    }
  }

  static let fixedLiterals = Codes(
    (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
  static let fixedDistances = Codes([UInt8](repeating: 5, count: 30))
}
