// SPDX-License-Identifier: Apache-2.0

import LinuxIO
import LogStore
import LogStoreTesting
import TerminalTesting
import TestSupport
import Testing

@testable import Terminal

@Suite("A screen at a terminal", .excludesProgramStarts)
struct ScreenTests {
  @Test("a list is shown in the terminal's size before its first key, and ends by it")
  func list() throws {
    let terminal = try #require(OwnTerminal(columns: 100, rows: 12))
    let (directory, log) = (TemporaryDirectory(), Conversation.log("a"))
    directory.write(log.bytes, to: ExampleLog.fileName(7, of: log.description.id))
    // What every terminal replies, and a key.
    terminal.type("\u{1B}[?62cq")
    let screen = try ListScreen(
      Catalogue(path: directory.path), page: 1, TerminalSession(), formats: [],
      row: { _ in ListDetails() }, export: { _, _ in ("", false) })
    try screen.run(SignalWatch(SignalWatch.atTerminal))
    var shown = VirtualTerminal(columns: 100, rows: 12)
    shown.feed(terminal.written())
    #expect(shown.lines[0].contains("1 recording"), "\(shown.text)")
    withExtendedLifetime(screen) {}
  }
}
