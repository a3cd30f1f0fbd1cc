// SPDX-License-Identifier: Apache-2.0

import LogStore
@testable import Terminal
import Testing

@Suite("Searching the list of recordings")
struct ListSearchTests {
  private static let places = ["kerb", "Left Wheel", "Wiese, nass", "ÄRGER", "left door"]

  private func view(_ numbers: ClosedRange<UInt32>) -> ListView {
    var view = ListView(Recordings.entries(numbers), glyphs: GlyphSet(isASCII: true))
    view.fit(columns: 80, rows: 14)
    return view
  }

  private func details(_ entry: CatalogueEntry) -> ListDetails {
    var row = ListDetails()
    (row.started, row.zone) = ("2026-11-21 15:04:\(10 + entry.number % 50)", "+01:00")
    (row.length, row.size, row.gaps) = ("59:59", "77 MB", "88")
    (row.sensor, row.state) = ("MPU-6050", entry.number == 4 ? "recovered" : "complete")
    row.note = ListSearchTests.places[Int(entry.number) % 5]
    return row
  }

  private func screen(_ view: ListView) -> Screen {
    view.screen(store: "/store") { details($0) }
  }

  /// Searches rows, all of them by default.
  private func search(_ view: inout ListView, _ count: Int = .max) {
    var left = count
    while left > 0, let entry = view.nextToSearch() {
      view.searched(entry, details(entry))
      left -= 1
    }
    view.showFound()
  }

  private func type(_ text: String, into view: inout ListView) {
    for scalar in text.unicodeScalars {
      _ = view.handle(.character(scalar))
      search(&view)
    }
  }

  private func numbers(_ view: ListView) -> [UInt32] { view.visible.map(\.number) }

  @Test(
    "shows the recordings with the phrase in number, start, sensor, state or note, in any case",
    arguments: [
      ("left", [9, 6, 4, 1]), ("LEFT wheel", [6, 1]), ("ärger", [8, 3]), ("wiese, n", [7, 2]),
      ("recov", [4]), ("15:04:12", [2]), ("mpu-6050", Array((1...9).reversed())), ("7", [7]),
      ("wheel left", []), ("mb", []), ("kerb complete", []),
    ])
  func phrases(phrase: String, found: [UInt32]) {
    var view = view(1...9)
    _ = view.handle(.character("/"))
    type(phrase, into: &view)
    #expect(numbers(view) == found)
    #expect(screen(view).text.contains("\(found.count) of 9 recordings"))
    #expect(screen(view).lines[12].hasPrefix("/"))
    #expect(found.isEmpty == screen(view).text.contains("no recording contains it"))
  }

  @Test("enter keeps what was found and gives the keys back; escape shows all again, then leaves")
  func keys() {
    var view = view(1...9)
    _ = view.handle(.character("/"))
    type("left", into: &view)
    // Letters are text, and other keys move.
    _ = view.handle(.down)
    #expect(view.selection?.number == 6)
    #expect(view.handle(.enter) == .stay)
    #expect(view.handle(.character("d")) == .act(.delete, Recordings.entries([6])[0]))
    view.refresh(Recordings.entries((1...9).filter { $0 != 6 }))
    #expect(numbers(view) == [9, 4, 1] && view.selection?.number == 4)
    #expect(view.handle(.escape) == .stay)
    #expect(numbers(view) == [9, 8, 7, 5, 4, 3, 2, 1] && view.selection?.number == 4)
    #expect(view.handle(.escape) == .leave)
  }

  @Test("backspace takes back a letter and then the search, Ctrl-U all letters, Ctrl-C the search")
  func correction() {
    var view = view(1...9)
    _ = view.handle(.character("/"))
    type("leftx", into: &view)
    #expect(numbers(view).isEmpty)
    _ = view.handle(.backspace)
    search(&view)
    #expect(numbers(view) == [9, 6, 4, 1])
    _ = view.handle(.control("u"))
    #expect(numbers(view).count == 9)
    _ = view.handle(.backspace)
    #expect(view.handle(.character("q")) == .leave)
    _ = view.handle(.character("/"))
    type("left", into: &view)
    #expect(view.handle(.control("c")) == .stay)
    #expect(numbers(view).count == 9 && view.mode == .list)
  }

  @Test("an abandoned search leaves the screen as it was")
  func abandoned() {
    var view = view(1...40)
    for _ in 0..<15 { _ = view.handle(.down) }
    let (before, selected) = (numbers(view), view.selection)
    _ = view.handle(.character("/"))
    type("kerb", into: &view)
    #expect(view.selection?.number == 25)
    type("nowhere", into: &view)
    #expect(view.selection == nil)
    for key: Key in [.down, .end, .pageUp, .enter] { _ = view.handle(key) }
    #expect(view.handle(.character("x")) == .stay && view.handle(.character("d")) == .stay)
    _ = view.handle(.escape)
    #expect(numbers(view) == before && view.selection == selected)
  }

  @Test("finds as rows are read, reports how many were, and moves no row that is in sight")
  func shares() {
    var view = view(1...30)
    _ = view.handle(.character("/"))
    for scalar in "left".unicodeScalars { _ = view.handle(.character(scalar)) }
    #expect(view.isSearching && view.selection == nil)
    // Nothing is selected that was not found.
    #expect(screen(view).lines[12].hasSuffix("searched 0 of 30"))
    search(&view, 8)
    #expect(numbers(view) == [29, 26, 24] && view.selection?.number == 29)
    #expect(screen(view).lines[12].hasSuffix("searched 8 of 30"))
    _ = view.handle(.down)
    search(&view, 9)
    #expect(numbers(view) == [29, 26, 24, 21, 19, 16, 14] && view.selection?.number == 26)
    search(&view)
    #expect(!view.isSearching && !screen(view).text.contains("searched"))
    #expect(numbers(view).count == 10 && screen(view).text.contains("12 of 30 recordings"))
  }

  @Test("a recording that comes is searched too, and one that changes is searched again")
  func changes() throws {
    var view = view(1...9)
    _ = view.handle(.character("/"))
    type("left", into: &view)
    _ = view.handle(.enter)
    view.refresh(Recordings.entries(1...11))
    #expect(view.isSearching && numbers(view) == [9, 6, 4, 1])
    search(&view)
    // It comes above those in sight, which stay in place.
    #expect(numbers(view) == [9, 6, 4, 1] && screen(view).lines[0].contains("1 newer"))
    _ = view.handle(.home)
    #expect(numbers(view) == [11, 9, 6, 4, 1])
    view.changed(Recordings.entries([6])[0].fileName)
    let next = view.nextToSearch()
    let six = try #require(next)
    #expect(six.number == 6)
    view.searched(six, ListDetails())
    view.showFound()
    #expect(numbers(view) == [11, 9, 4, 1])
  }

  @Test("of a phrase that is longer than the row the end is in sight")
  func long() {
    var view = view(1...3)
    _ = view.handle(.character("/"))
    type(String(repeating: "a", count: 100) + "end", into: &view)
    #expect(screen(view).lines[12].hasSuffix("aend"))
  }
}
