// SPDX-License-Identifier: Apache-2.0

import Testing
@testable import Terminal

@Suite("Bytes from a terminal become keys")
struct KeyParserTests {
  /// A terminal's bytes, and the pressed key.
  private static let table: [(bytes: String, keys: [Key])] = [
    ("q", [.character("q")]), (" ", [.character(" ")]), ("é", [.character("é")]),
    ("\r", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{03}", [.control("c")]),
    ("\u{1B}[A", [.up]), ("\u{1B}[B", [.down]), ("\u{1B}[C", [.right]), ("\u{1B}[D", [.left]),
    ("\u{1B}OA", [.up]), ("\u{1B}OH", [.home]), ("\u{1B}[H", [.home]), ("\u{1B}[4~", [.end]),
    ("\u{1B}[5~", [.pageUp]), ("\u{1B}[6~", [.pageDown]), ("\u{1B}[3~", [.delete]),
    ("\u{1B}[1;2C", [.shiftRight]), ("\u{1B}[1;2D", [.shiftLeft]),
    ("\u{1B}[<0;1;1M", [.pressed(column: 0)]), ("\u{1B}[<0;200;50m", [.released(column: 199)]),
    ("\u{1B}[<32;12;5M", [.dragged(column: 11)]), ("\u{1B}[<64;1;1M", [.up]),
    ("\u{1B}[<65;1;1M", [.down]), ("\u{1B}[<2;1;1M", []), ("\u{1B}[<0;1M", []),
    ("\u{1B}[<0;99999999999999999999;1M", []), ("\u{1B}[<0;0;0M", [.pressed(column: 0)]),
    ("\u{1B}[?62;22c", []), ("\u{1B}]11;rgb:ffff/ffff/ffff\u{7}", []), ("\u{1B}[99~", []),
  ]

  @Test("every key is recognised, also when it comes byte by byte", arguments: 0..<table.count)
  func keys(_ row: Int) {
    let (bytes, keys) = KeyParserTests.table[row]
    var whole = KeyParser()
    #expect(whole.keys(bytes.utf8) == keys)
    #expect(!whole.hasPending)
    var cut = KeyParser()
    var found: [Key] = []
    for byte in bytes.utf8 { found += cut.keys([byte]) }
    #expect(found == keys)
    #expect(!cut.hasPending)
  }

  @Test("two keys in a row are two, wherever the bytes are cut")
  func cuts() {
    for (first, firstKeys) in KeyParserTests.table {
      for (second, secondKeys) in KeyParserTests.table {
        let bytes = Array((first + second).utf8)
        for cut in 0...bytes.count {
          var parser = KeyParser()
          let found = parser.keys(bytes[..<cut]) + parser.keys(bytes[cut...])
          #expect(
            found == firstKeys + secondKeys,
            "\(first.debugDescription) \(second.debugDescription) \(cut)")
        }
      }
    }
  }

  @Test("a lone ESC is the Escape key after a pause")
  func escape() {
    var parser = KeyParser()
    #expect(parser.keys([0x1B]) == [])
    #expect(parser.hasPending)
    #expect(parser.flush() == [.escape])
    #expect(!parser.hasPending)
    #expect(parser.keys([0x1B, 0x1B]) == [.escape])
  }

  @Test("after any bytes and a pause the parser recognises the next key")
  func garbage() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        var parser = KeyParser()
        _ = parser.keys([first, second])
        _ = parser.flush()
        #expect(parser.keys("q".utf8) == [.character("q")])
      }
    }
  }
}
