// SPDX-License-Identifier: Apache-2.0

@testable import Terminal
import TerminalTesting
import TestSupport
import Testing

@Suite("The bytes for a terminal")
struct ScreenDifferenceTests {
  private static let words = ["", "a", "12.345", "⠒⠢⠤", "x y", "   ", "見本", "−1.0 g", "·"]
  private static let styles = [
    CellStyle.plain, .faint, .bold, CellStyle(.x), CellStyle(.z), CellStyle(.alert, isBold: true),
    CellStyle(.text, isReversed: true),
  ]

  /// A screen with random words on it, made from an older one.
  private func next(_ old: Screen, _ generator: inout SeededGenerator) -> Screen {
    var screen = old
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      let word = ScreenDifferenceTests.words.randomElement(using: &generator) ?? ""
      let style = ScreenDifferenceTests.styles.randomElement(using: &generator) ?? .plain
      screen.put(
        word, row: Int.random(in: 0..<screen.rows, using: &generator),
        column: Int.random(in: 0..<screen.columns, using: &generator), style)
    }
    if Int.random(in: 0..<8, using: &generator) == 0 {
      screen = Screen(columns: old.columns, rows: old.rows)
    }
    if Int.random(in: 0..<8, using: &generator) == 0 {
      screen.restyle(
        row: Int.random(in: 0..<screen.rows, using: &generator),
        CellStyle(.text, isReversed: true))
    }
    return screen
  }

  @Test(
    "reproduce random screens to the cell and colour", arguments: [Palette.dark, .light, .none])
  func walk(_ palette: Palette) {
    let seed = UInt64.random(in: 0...(.max))
    var generator = SeededGenerator(seed: seed)
    for (columns, rows) in [(20, 6), (1, 1), (7, 2), (80, 24)] {
      var terminal = VirtualTerminal(columns: columns, rows: rows)
      var drawn = VirtualTerminal(columns: columns, rows: rows)
      var shown: Screen?
      for step in 0..<150 {
        let screen = next(shown ?? Screen(columns: columns, rows: rows), &generator)
        terminal.feed(ScreenDifference.bytes(from: shown, to: screen, palette: palette))
        // The difference gives the same screen as a full redraw.
        drawn = VirtualTerminal(columns: columns, rows: rows)
        drawn.feed(ScreenDifference.bytes(from: nil, to: screen, palette: palette))
        shown = screen
        guard terminal.text == screen.text, looks(terminal) == looks(drawn) else {
          Issue.record("seed \(seed), \(columns)x\(rows), step \(step)")
          return
        }
      }
      #expect(terminal.unknown.isEmpty)
    }
  }

  /// Styles of all cells; blanks have none that can be seen unless they are reversed.
  private func looks(_ terminal: VirtualTerminal) -> [[Int]] {
    var looks: [[Int]] = []
    for row in 0..<terminal.rows {
      for column in 0..<terminal.columns {
        let style = terminal.style(row: row, column: column)
        looks.append(terminal.isBlank(row: row, column: column) ? style.filter { $0 == 7 } : style)
      }
    }
    return looks
  }

  @Test("a changed digit needs a cursor movement and a digit, and no change no byte")
  func digit() {
    var old = Screen(columns: 80, rows: 24)
    old.put("12.3 s", row: 3, column: 5)
    var new = Screen(columns: 80, rows: 24)
    new.put("12.4 s", row: 3, column: 5)
    let bytes = ScreenDifference.bytes(from: old, to: new, palette: .dark)
    #expect(String(decoding: bytes, as: UTF8.self) == "\u{1B}[4;9H4")
    #expect(ScreenDifference.bytes(from: new, to: new, palette: .dark).isEmpty)
  }

  @Test("an ink is one of the terminal's own 16 colours, by its SGR parameter")
  func inks() {
    let inks: [Ink] = [.text, .faint, .x, .y, .z, .magnitude, .gap, .mark, .alert, .recording]
    for (palette, colours) in [
      (Palette.dark, [39, 90, 91, 92, 94, 96, 35, 93, 93, 91]),
      (.light, [39, 90, 31, 32, 34, 36, 35, 35, 31, 31]),
    ] {
      #expect(inks.map(palette.foreground) == colours)
    }
  }

  @Test("without colours only bold and reversed are sent")
  func noColour() {
    var screen = Screen(columns: 10, rows: 1)
    screen.put("x", row: 0, column: 0, CellStyle(.x))
    screen.put("b", row: 0, column: 2, .bold)
    screen.put("r", row: 0, column: 4, CellStyle(.alert, isReversed: true))
    var terminal = VirtualTerminal(columns: 10, rows: 1)
    terminal.feed(ScreenDifference.bytes(from: nil, to: screen, palette: .none))
    #expect(terminal.parametersSeen.isSubset(of: [0, 1, 7]))
    #expect(terminal.style(row: 0, column: 2) == [1])
    #expect(terminal.style(row: 0, column: 4) == [7])
  }

  @Test("an accent of its own takes no cell, and an East Asian character two")
  func widths() {
    for (text, width) in [("e\u{301}", 1), ("é", 1), ("見本", 4)] {
      #expect(CellWidth.of(text) == width)
    }
  }

  @Test(
    "a background is light by its luma, from any number of digits, and unknown without a colour",
    arguments: [
      ("ffff/ffff/dddd", true), ("0/a/0", false), ("00/ff/00", true), ("ff/ff", nil),
      ("00000/0/0", nil),
    ] as [(String, Bool?)])
  func background(colour: String, isLight: Bool?) {
    #expect(BackgroundColour.isLight(Array("\u{1B}]11;rgb:\(colour)\u{1B}\\".utf8)) == isLight)
  }

  @Test("control characters in a note are shown and never obeyed")
  func controls() {
    var screen = Screen(columns: 20, rows: 1)
    screen.put("a\u{1B}[2Jb\u{7}\u{9B}c", row: 0, column: 0)
    #expect(screen.lines == ["a?[2Jb??c"])
  }
}
