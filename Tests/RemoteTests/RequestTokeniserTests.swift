// SPDX-License-Identifier: Apache-2.0

import IMUModel
@testable import Remote
import Testing

@Suite("Words of a request are split without a shell")
struct RequestTokeniserTests {
  private func words(_ text: String) throws -> [String] {
    try RequestTokeniser.words(Array(text.utf8))
  }

  @Test("spaces separate words, quotes keep them")
  func splitting() throws {
    #expect(try words("") == [])
    #expect(try words("   ") == [])
    #expect(try words("export 3") == ["export", "3"])
    #expect(try words("  export   3  ") == ["export", "3"])
    #expect(try words("export '3 4'") == ["export", "3 4"])
    #expect(try words("export \"3 4\"5") == ["export", "3 45"])
    #expect(try words("a'b'\"c\"d") == ["abcd"])
    #expect(try words("''") == [""])
    #expect(try words("\"\" x") == ["", "x"])
    #expect(try words("a\\ b") == ["a b"])
    #expect(try words("\"a\\\"b\"") == ["a\"b"])
    #expect(try words("\"a\\b\"") == ["a\\b"])
    #expect(try words("'a\\b'") == ["a\\b"])
    #expect(try words("'a\"b'") == ["a\"b"])
  }

  @Test("shell characters are refused, quoted or not", arguments: "$`;|&<>(){}[]*?~!#".utf8)
  func shell(_ byte: UInt8) {
    let character = String(decoding: [byte], as: UTF8.self)
    for text in [
      character, "list \(character)", "'\(character)'", "\"\(character)\"", "\\\(character)",
    ] {
      #expect(throws: RequestRefusal.shellCharacter(byte)) { try words(text) }
    }
  }

  @Test("every byte but printable ASCII is refused")
  func bytes() {
    for byte in UInt8.min...UInt8.max where !(0x20...0x7E).contains(byte) {
      #expect(throws: RequestRefusal.notPlain(byte)) {
        try RequestTokeniser.words(Array("list".utf8) + [byte])
      }
    }
  }

  @Test("a quote must be closed, and a backslash must have something after it")
  func openEnds() {
    for text in ["'", "\"", "a'b", "a\"b", "a\\", "'a\"", "\"a'", "\"a\\\""] {
      #expect(throws: RequestRefusal.openQuote) { try words(text) }
    }
  }

  @Test("length and number of words are limited")
  func limits() throws {
    let longest = String(repeating: "a", count: RequestTokeniser.longest)
    #expect(try words(longest) == [longest])
    #expect(throws: RequestRefusal.tooLong(bytes: 1025)) { try words(longest + "a") }
    let most = [String](repeating: "a", count: RequestTokeniser.mostWords)
    #expect(try words(most.joined(separator: " ")) == most)
    #expect(throws: RequestRefusal.tooManyWords) {
      try words((most + ["a"]).joined(separator: " "))
    }
  }

  @Test("IDs are numbers, latest, and digits of a UUID")
  func identities() throws {
    let good = [
      "1", "4294967295", "latest", "LATEST", "1b4e28ba", "1b4e28ba-2fa1",
      "1b4e28ba-2fa1-41d2-883f-0016d3cca427", "1B4E28BA",
    ]
    for text in good { #expect(try RecordingReference(request: text).text == text.lowercased()) }
    let bad = [
      "", "-", "--", "-1", "1-", "latest1", "late", "x", "1 2", "1b4e28ba_2fa1", "0x1", "+1",
      String(repeating: "1", count: 37), "１", "ⅼatest",
    ]
    for text in bad {
      #expect(throws: RequestRefusal.identity(text)) { try RecordingReference(request: text) }
    }
    for text in ["..", ".", "/", "a/b", "../1", "1.imulog", "/etc/passwd"] {
      #expect(throws: RequestRefusal.path(text)) { try RecordingReference(request: text) }
    }
  }
}
