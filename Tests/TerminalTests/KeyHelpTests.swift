// SPDX-License-Identifier: Apache-2.0

@testable import Terminal
import Testing

@Suite("The panel of keys")
struct KeyHelpTests {
  private func lines(
    _ keys: [(key: String, meaning: String)], columns: Int, rows: Int, isASCII: Bool = false
  ) -> [String] {
    var screen = Screen(columns: columns, rows: rows)
    for row in 0..<rows { screen.put(String(repeating: "x", count: columns), row: row, column: 0) }
    KeyHelp(keys).draw(on: &screen, glyphs: GlyphSet(isASCII: isASCII))
    return screen.lines
  }

  private let few = [(key: "enter", meaning: "show the graph"), (key: "/", meaning: "search")]
  private let many = (1...16).map { (key: "k\($0)", meaning: "meaning \($0)") }

  @Test("is a box in the middle of the screen, over what was there")
  func box() {
    #expect(
      lines(few, columns: 31, rows: 6) == [
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "xxx┌─ keys ────────────────┐xxx",
        "xxx│ enter  show the graph │xxx",
        "xxx│ /      search         │xxx",
        "xxx└─────── any key closes ┘xxx",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
      ])
    let ascii = lines(few, columns: 31, rows: 6, isASCII: true)
    #expect(ascii[1] == "xxx+- keys ----------------+xxx")
    #expect(ascii[2] == "xxx| enter  show the graph |xxx")
  }

  @Test("has a line for each key, in several columns where rows are few")
  func columns() {
    let tall = lines(many, columns: 80, rows: 24)
    #expect(tall.filter { $0.contains("meaning") }.count == 16)
    let low = lines(many, columns: 80, rows: 12)
    #expect(low.filter { $0.contains("meaning") }.count == 8)
    #expect(low.contains { $0.contains("k1  meaning 1   k9   meaning 9 ") })
  }

  @Test(
    "shows every key on any screen, on pages that space turns; the frame says how many follow",
    arguments: [(30, 5), (30, 8), (34, 6), (80, 6), (80, 24)])
  func pages(columns: Int, rows: Int) throws {
    let help = KeyHelp(many)
    var page: Int? = 0
    var seen: Set<String> = []
    var turns = 0
    while let shown = page, turns < 20 {
      var screen = Screen(columns: columns, rows: rows)
      help.draw(shown, on: &screen, glyphs: GlyphSet())
      for line in screen.lines.dropFirst().dropLast() {
        seen.formUnion(
          line.split(separator: " ").map(String.init).filter { $0.wholeMatch(of: /k[0-9]+/) != nil }
        )
      }
      page = help.page(after: .character(" "), on: shown, columns: columns, rows: rows)
      let frame = try #require(screen.lines.last { $0.contains("┘") })
      #expect(frame.contains(page == nil ? "any key closes" : "space: \(16 - seen.count) more"))
      turns += 1
    }
    #expect(seen.count == 16)
    #expect(turns == 1 || rows < 12)
    // Other keys close it on any page.
    #expect(help.page(after: .enter, on: 0, columns: columns, rows: rows) == nil)
  }

  @Test("a choice begins again after its last page, and a terminal that grew shows it whole")
  func choice() {
    let choice = KeyHelp(choice: many, title: "format")
    var page = 0
    var pages: [Int] = []
    repeat {
      pages.append(page)
      page = choice.page(after: .down, on: page, columns: 30, rows: 5) ?? -1
    } while page > 0
    #expect(page == 0 && pages.count > 1)
    #expect(choice.page(after: .down, on: pages.count - 1, columns: 80, rows: 24) == nil)
    var screen = Screen(columns: 80, rows: 24)
    choice.draw(pages.count - 1, on: &screen, glyphs: GlyphSet())
    #expect(screen.text.contains("k1 ") && screen.text.contains("k16 "))
    #expect(screen.text.contains("esc leaves"))
  }

  @Test("shows all keys on 40 columns and 12 rows, and never writes outside of its frame")
  func small() {
    let small = lines(many, columns: 40, rows: 12)
    for number in 1...16 { #expect(small.contains { $0.contains("k\(number) ") }, "\(number)") }
    for rows in 1...14 {
      for columns in 1...60 {
        let lines = lines(many, columns: columns, rows: rows)
        #expect(lines.count == rows)
        for line in lines.dropFirst().dropLast() where columns > 4 && rows > 2 {
          let edge = line.drop { $0 == "x" }
          #expect(edge.isEmpty || "┌│└".contains(edge.first ?? "x"), "\(columns)x\(rows): \(line)")
        }
      }
    }
  }
}
