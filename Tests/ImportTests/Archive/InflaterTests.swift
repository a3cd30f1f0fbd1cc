// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Import

/// Streams that Python's zlib packed.
@Suite("The inflater")
struct InflaterTests {
  private func unpack(_ packed: [UInt8], piece: Int = .max, room: Int = 100) throws -> [UInt8] {
    var inflater = Inflater()
    var rest = packed[...]
    var output: [UInt8] = []
    while !inflater.isDone {
      if inflater.needsInput {
        let part = Array(rest.prefix(piece))
        rest = rest.dropFirst(part.count)
        inflater.add(part)
        continue
      }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
      defer { buffer.deallocate() }
      let count = try inflater.unpack(into: buffer)
      output += buffer[..<count]
      try #require(output.count < 1 << 20)
    }
    return output
  }

  @Test("unpacks blocks of each kind, whatever pieces they come in", arguments: [1, 7, 300, .max])
  func kinds(piece: Int) throws {
    let table = (0..<60).map { "\($0),\($0 * $0 % 97)\n" }.joined()
    #expect(try unpack(Streams.dynamic, piece: piece) == Array(table.utf8))
    #expect(try unpack(Streams.fixed, piece: piece) == Array("abcabcabcabc imulog abcabc".utf8))
    #expect(try unpack(Streams.stored, piece: piece, room: 1) == Array("stored bytes".utf8))
  }

  @Test("unpacks the longest match at the least distance")
  func longest() throws {
    let expected = [UInt8](repeating: UInt8(ascii: "A"), count: 1 + 258 * 300)
    let isSame = try unpack(MadeZip.bomb(copies: 300), room: 1000) == expected
    #expect(isSame)
  }

  @Test("unpacks no further than it is to, so that all before a wrong block comes out")
  func noFurther() throws {
    var (inflater, byte) = (Inflater(), UInt8(0))
    // A block of one byte, and one of no known kind.
    inflater.add([0, 1, 0, 0xFE, 0xFF, 65, 7])
    inflater.add([])
    let count = try withUnsafeMutableBytes(of: &byte) { try inflater.unpack(into: $0) }
    #expect(count == 1 && byte == 65)
  }

  @Test("refuses what is cut off, and ends whatever bit is wrong")
  func damage() {
    for stream in [Streams.dynamic, Streams.fixed, Streams.stored] {
      for count in stride(from: 0, to: stream.count, by: stream.count > 100 ? 41 : 1) {
        #expect(throws: Inflater.Fault.cutOff) {
          try unpack(Array(stream[..<count]))
        }
      }
      for bit in stride(from: 0, to: stream.count * 8, by: stream.count > 100 ? 67 : 1) {
        var changed = stream
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        do { _ = try unpack(changed) } catch { #expect(error is Inflater.Fault) }
      }
    }
    // A block of no known kind, and a distance that reaches before the beginning.
    for stream in [[7], [3, 2, 0, 0]] as [[UInt8]] {
      #expect(throws: Inflater.Fault.wrong) { try unpack(stream) }
    }
  }
}

private enum Streams {
  static let dynamic = base64(
    """
    FU/HEQBBCPpTC48zYOi/sXM/DoME/fjBaHAmgoukFUQXilFo5mJYieUY7GPAjJ6wczQs2A5L3hDjFMU63FzBhnHyZX/wj+ZwowLu3IIHM+HJ \
    vXYxjy/uMU2dfjjwZQnx0RthnEE4dYcG3RHJWYRYhrhrT9m0w2ctxHkL+TEHaQxHOu1w8OhrDaQ4Qhb7/m724WEfv2/qe4zsbeVPqXgu5QVI \
    L0v1ctWvQ/P6tK/7Bw==
    """)
  static let fixed = base64("S0xKToQhhczc0pz8dAUIDwA=")
  static let stored = base64("AQwA8/9zdG9yZWQgYnl0ZXM=")

  private static func base64(_ text: String) -> [UInt8] {
    Array(Data(base64Encoded: text.filter { !$0.isWhitespace }) ?? Data())
  }
}
