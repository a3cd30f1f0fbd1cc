// SPDX-License-Identifier: Apache-2.0

@testable import Terminal
import Testing

@Suite("The list of recordings")
struct ListViewTests {
  private func entries(_ numbers: some Sequence<UInt32>) -> [ListEntry] {
    numbers.map { ListEntry(number: $0, key: "key \($0)") }
  }

  private func view(_ numbers: ClosedRange<UInt32>) -> ListView {
    ListView(entries(numbers.reversed()), glyphs: GlyphSet(isASCII: true))
  }

  private func numbers(_ view: ListView) -> [UInt32] { view.page.map(\.number) }

  private func screen(
    _ view: ListView, columns: Int = 80, rows: Int = 24, summer: Set<UInt32> = []
  ) -> Screen {
    view.screen(columns: columns, rows: rows, store: "/store") { entry in
      var row = ListDetails()
      row.started = "2026-11-21 15:04:\(10 + entry.number % 50)"
      row.zone = summer.contains(entry.number) ? "+02:00" : "+01:00"
      (row.length, row.sensor, row.hertz) = ("1:02:03", "MPU-6050", "100")
      row.state = entry.number % 7 == 0 ? "recovered" : "complete"
      (row.gaps, row.size, row.note) = ("-", "3.4 MB", "note \(entry.number)")
      return row
    }
  }

  @Test("has ten recordings a page, newest first, and counts the newer and the older ones")
  func page() {
    var view = view(1...25)
    #expect(numbers(view) == Array((16...25).reversed()))
    #expect(screen(view).lines[0].hasSuffix("15 older"))
    _ = view.handle(.pageDown)
    #expect(numbers(view) == Array((6...15).reversed()))
    #expect(screen(view).lines[0].hasSuffix("10 newer, 5 older"))
    _ = view.handle(.pageDown)
    #expect(numbers(view) == Array((1...5).reversed()))
  }

  @Test("stays on the last page and reports it")
  func end() {
    var view = view(1...20)
    _ = view.handle(.pageDown)
    let last = numbers(view)
    for _ in 0..<3 {
      _ = view.handle(.pageDown)
      #expect(numbers(view) == last)
      #expect(screen(view).text.contains("this is the last page"))
    }
    _ = view.handle(.end)
    #expect(view.selection?.number == 1)
    _ = view.handle(.down)
    #expect(view.selection?.number == 1)
    #expect(screen(view).text.contains("this is the oldest"))
  }

  @Test("paging after a deletion skips no recording")
  func deletion() {
    for gone: UInt32 in 1...30 {
      var view = view(1...30)
      var seen = numbers(view)
      view.refresh(entries((1...30).reversed().filter { $0 != gone }))
      seen += numbers(view)
      for _ in 0..<3 {
        _ = view.handle(.pageDown)
        seen += numbers(view)
      }
      #expect(Set(seen).union([gone]) == Set(1...30))
    }
  }

  @Test("paging after a new recording repeats none")
  func insertion() {
    var view = view(1...30)
    _ = view.handle(.pageDown)
    let before = numbers(view)
    view.refresh(entries((1...33).reversed()))
    #expect(numbers(view) == before)
    _ = view.handle(.pageDown)
    #expect(numbers(view) == Array((1...10).reversed()))
    #expect(screen(view).lines[0].contains("23 newer"))
  }

  @Test(
    "while others come and go the selected recording stays selected; once it is gone, the next older one is"
  )
  func stable() {
    let seed = UInt64.random(in: 0...(.max))
    var generator = SeededGenerator(seed: seed)
    var present = Array(UInt32(1)...40)
    var next: UInt32 = 41
    var view = ListView(entries(present.reversed()), glyphs: GlyphSet())
    let keys: [Key] = [.up, .down, .pageUp, .pageDown, .home, .end]
    for _ in 0..<2000 {
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        _ = view.handle(keys.randomElement(using: &generator) ?? .up)
      }
      // While the newest is selected, the list follows new recordings.
      _ = view.handle(.down)
      guard present.count > 3, view.page.first != view.selection else { continue }
      let selected = view.selection?.number ?? 0
      if Bool.random(using: &generator) {
        present.append(next)
        next += 1
      } else {
        present.remove(at: Int.random(in: 0..<present.count, using: &generator))
      }
      view.refresh(entries(present.reversed()))
      let expected = present.last { $0 <= selected } ?? present[0]
      #expect(view.selection?.number == expected, "seed \(seed)")
      #expect(view.page.contains { $0.number == expected }, "seed \(seed)")
      #expect(numbers(view) == numbers(view).sorted(by: >), "seed \(seed)")
    }
  }

  @Test("deleted recordings are restored one after the other")
  func undo() {
    var view = view(1...3)
    _ = view.handle(.down)
    guard case .delete(let two) = view.handle(.character("d")) else {
      Issue.record("d deletes the selected one")
      return
    }
    #expect(two.number == 2)
    view.refresh(entries([3, 1]))
    view.deleted(two)
    #expect(screen(view).text.contains("recording 2 is in the trash; u brings it back"))
    #expect(view.selection?.number == 1)
    #expect(view.handle(.character("u")) == .restore(two))
    view.refresh(entries([3, 2, 1]))
    view.restored(two)
    #expect(view.selection?.number == 2)
    #expect(view.handle(.character("u")) == .stay)
    #expect(screen(view).text.contains("nothing was deleted here"))
  }

  @Test("a deletion that failed is reported, and the recording stays in the list")
  func failure() {
    var view = view(1...3)
    _ = view.handle(.character("d"))
    view.report("cannot remove it: the disk is read-only", isAlert: true)
    #expect(screen(view).text.contains("cannot remove it: the disk is read-only"))
    #expect(view.selection?.number == 3)
    // There is no recording to restore.
    #expect(view.handle(.character("u")) == .stay)
  }

  @Test("at 80 columns all important columns and the note fit")
  func columns() {
    let lines = screen(view(6...7)).lines
    #expect(
      lines[1].hasPrefix("  NO. STARTED +01:00    LENGTH SENSOR    HZ STATE     GAPS   SIZE NOTE"))
    #expect(
      lines[2].hasPrefix(
        ">   7 2026-11-21 15:04 1:02:03 MPU-6050 100 recovered    - 3.4 MB note 7"))
    let wide = screen(view(1...3), columns: 140).lines
    #expect(wide[1].hasPrefix("  NUMBER  STARTED "))
    for word in ["SENSOR", "RATE"] { #expect(wide[1].contains(word)) }
    #expect(wide[2].contains("2026-11-21 15:04:13 +01:00") && wide[2].contains("100 Hz"))
    let narrow = screen(view(1...3), columns: 40).lines
    #expect(narrow[2].contains("2026-11-21 15:04 1:02:03"))
  }

  @Test("after a change of the zone's offset each recording shows its own")
  func zones() {
    let lines = screen(view(1...3), summer: [1]).lines
    #expect(lines[2].contains("2026-11-21 15:04 +01:00") && lines[4].contains("15:04 +02:00"))
    #expect(!lines[1].contains("+0"))
  }

  @Test("an empty store is reported as empty, and no key does harm")
  func empty() {
    var view = ListView([], glyphs: GlyphSet())
    for key: Key in [.up, .down, .enter, .pageDown, .end, .character("d"), .character("x")] {
      #expect(view.handle(key) == .stay)
    }
    #expect(screen(view).text.contains("no recordings yet"))
  }
}
