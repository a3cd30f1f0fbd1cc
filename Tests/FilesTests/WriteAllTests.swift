// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import Testing

@Suite("Writing to a descriptor that takes little at once")
struct WriteAllTests {
  @Test("writes all bytes in order, and waits where it is full")
  func pieces() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    for end in ends { #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    var found: [UInt8] = []
    func take() {
      var piece = [UInt8](repeating: 0, count: 5000)
      let count = read(ends[0], &piece, piece.count)
      found += piece.prefix(max(0, count))
    }
    let code = bytes.withUnsafeBytes { writeAll($0, to: ends[1], whenFull: take) }
    #expect(code == 0)
    for _ in 0..<20 { take() }
    #expect(found == bytes)
  }
}
