// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("The search of a text in a text")
struct TextSearchTests {
  @Test(
    "finds the first place, by bytes",
    arguments: [
      ("key in /a in /b", " in ", "key", "/a in /b"), ("aaab", "aab", "a", ""), ("x", "x", "", ""),
      ("°C at 25 °C", "°C", "", " at 25 °C"), ("e\u{301}", "e", "", "\u{301}"), ("", "", "", ""),
    ])
  func found(text: String, wanted: String, before: String, after: String) {
    let parts = text.parts(around: wanted)
    #expect(parts.map { Array($0.before.utf8) } == Array(before.utf8))
    #expect(parts.map { Array($0.after.utf8) } == Array(after.utf8))
  }

  @Test("finds nothing where it is not", arguments: [("abc", "abd"), ("", "a"), ("ab", "abc")])
  func missing(text: String, wanted: String) { #expect(text.parts(around: wanted) == nil) }
}
