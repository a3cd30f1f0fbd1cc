// SPDX-License-Identifier: Apache-2.0

import Testing
import Text

@Suite("Text from elsewhere")
struct ForeignTextTests {
  @Test("everything that a terminal could obey is shown as a question mark, and nothing else is")
  func shown() {
    var obeyed: [UInt32] = []
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let shown = ForeignText.shown("a\(scalar)b")
      if shown == "a?b", scalar != "?" {
        obeyed.append(value)
      } else {
        let isSame = shown.unicodeScalars.elementsEqual("a\(scalar)b".unicodeScalars)
        #expect(isSame, "U+\(String(value, radix: 16))")
      }
      let isControl =
        scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
      #expect(!isControl || obeyed.last == value, "U+\(String(value, radix: 16))")
    }
    #expect(obeyed.count == 32 + 33 + 3 + 7 + 10 + 1 + 3 + 128)
  }

  @Test("letters and joined emoji stay as they are")
  func letters() {
    for text in ["Grüße, 12 °C", "میخواهم", "שלום", "👩‍🔬 at 3×", "ﬁle\u{301}"] {
      #expect(ForeignText.shown(text) == text)
    }
  }

  @Test("in JSON they are escapes of four digits, two above U+FFFF")
  func json() {
    #expect(ForeignText.escapedForJSON("\u{1B}") == "\\u001b")
    #expect(ForeignText.escapedForJSON("\u{202E}") == "\\u202e")
    #expect(ForeignText.escapedForJSON("\u{E0041}") == "\\udb40\\udc41")
  }
}
