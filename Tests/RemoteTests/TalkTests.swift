// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Remote

@Suite("What a program says on stderr")
struct TalkTests {
  /// What is shown of a host's key when the parts were read one after the other.
  private func key(_ parts: [String]) throws -> String? {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    try #require(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    defer { for end in ends { close(end) } }
    let talk = Talk(ends[0])
    for part in parts {
      let bytes = Array(part.utf8)
      try #require(write(ends[1], bytes, bytes.count) == bytes.count)
      talk.drain()
    }
    return talk.hostKey
  }

  @Test("the host's key is that of the first line that shows one, however much comes after it")
  func first() throws {
    let own = "Host key fingerprint is SHA256:own\n+--[ED25519 256]--+\n"
    let other = "Host key fingerprint is SHA256:other\n"
    #expect(try key([own]) == "SHA256:own")
    #expect(try key([own + other]) == "SHA256:own")
    #expect(
      try key([own] + Array(repeating: String(repeating: "x", count: 5000), count: 4) + [other])
        == "SHA256:own")
    #expect(try key([String(own.prefix(30)), String(own.dropFirst(30)), other]) == "SHA256:own")
    #expect(try key(["Host key fingerprint is SHA256:ow"]) == nil)
    #expect(try key(["nothing\n"]) == nil)
  }
}
