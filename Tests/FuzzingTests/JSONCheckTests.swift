// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import Foundation
import Testing

/// The fuzzer's own checker must not be the one that is wrong.
@Suite("The check of JSON")
struct JSONCheckTests {
  static let right: [String] = [
    "0", "-0", "1.5", "-12e3", "1E+5", "0.1e-7", "true", "false", "null", "\"\"", "[]", "{}",
    " [1, 2 ,{\"a\":[null]}]\n", "\"\\u00e9\\n\\\"\"", "\"é\"", "{\"a\":1,\"b\":{}}",
  ]
  static let wrong: [String] = [
    "", " ", "01", "1.", ".5", "+1", "1e", "--1", "0x1", "tru", "truee", "nul", "\"", "\"\\x\"",
    "\"\\u12g4\"", "\"\u{1}\"", "\"\n\"", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", "{1:2}",
    "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "1 2", "[]]", "NaN", "Infinity",
    "'a'", "[1}", "{\"a\":1]",
  ]

  @Test("it accepts texts that an independent parser accepts", arguments: right)
  func taken(_ text: String) throws {
    _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: [.fragmentsAllowed])
    #expect(JSONCheck.isValue(Array(text.utf8)[...]))
  }

  @Test("it refuses texts that RFC 8259 does not allow, trailing commas included", arguments: wrong)
  func refused(_ text: String) {
    #expect(!JSONCheck.isValue(Array(text.utf8)[...]))
  }

  @Test("bytes that are no UTF-8 are no JSON")
  func encoding() {
    #expect(!JSONCheck.isValue([0x22, 0xFF, 0x22]))
    #expect(!JSONCheck.isValue([0x22, 0xED, 0xA0, 0x80, 0x22]))
  }
}
