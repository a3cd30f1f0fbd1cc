// SPDX-License-Identifier: Apache-2.0

import LinuxIO
import TerminalTesting
import TestSupport
import Testing

@Suite("The terminal", .excludesProgramStarts)
struct TerminalDeviceTests {
  @Test("is taken for a screen of its own and single keys, and given back")
  func taken() throws {
    let terminal = try #require(OwnTerminal(columns: 100, rows: 30))
    do {
      let device = try TerminalDevice()
      let size = device.size
      #expect(size == (100, 30))
      #expect(terminal.written() == Array("\u{1B}[?1049h\u{1B}[?25l".utf8))
      terminal.type("q")
      let keys = device.read()
      #expect(keys == Array("q".utf8))
    }
    #expect(terminal.written().suffix(14) == Array("\u{1B}[?25h\u{1B}[?1049l".utf8)[...])
  }
}
