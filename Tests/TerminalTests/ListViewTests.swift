// SPDX-License-Identifier: Apache-2.0

import LogStore
@testable import Terminal
import TestSupport
import Testing

@Suite("The list of recordings")
struct ListViewTests {
  /// With room for ten recordings.
  private func view(_ numbers: ClosedRange<UInt32>, page: Int = 1) -> ListView {
    var view = ListView(
      Recordings.entries(numbers), page: page, glyphs: GlyphSet(isASCII: true),
      formats: ListFormat.list([("json", "a document"), ("csv", "a table")]))
    view.fit(columns: 80, rows: 14)
    return view
  }

  private func numbers(_ view: ListView) -> [UInt32] { view.visible.map(\.number) }

  private func screen(
    _ view: ListView, columns: Int = 80, summer: Set<UInt32> = []
  ) -> Screen {
    var view = view
    view.fit(columns: columns, rows: view.rows)
    return view.screen(store: "/store") { entry in
      var row = ListDetails()
      row.started = "2026-11-21 15:04:\(10 + entry.number % 50)"
      row.zone = summer.contains(entry.number) ? "+02:00" : "+01:00"
      (row.length, row.sensor, row.hertz) = ("1:02:03", "MPU-6050", "100")
      row.state = entry.number % 7 == 0 ? "recovered" : "complete"
      (row.gaps, row.size, row.note) = ("-", "3.4 MB", "note \(entry.number)")
      return row
    }
  }

  @Test("fills the screen, newest first, and counts the newer and the older ones")
  func page() {
    var view = view(1...25)
    #expect(numbers(view) == Array((16...25).reversed()))
    #expect(screen(view).lines[0].hasSuffix("15 older"))
    _ = view.handle(.pageDown)
    #expect(numbers(view) == Array((6...15).reversed()))
    #expect(screen(view).lines[0].hasSuffix("10 newer, 5 older"))
    view.fit(columns: 80, rows: 24)
    #expect(numbers(view) == Array((1...20).reversed()))
    #expect(view.selection?.number == 15)
    view.fit(columns: 80, rows: 60)
    #expect(numbers(view) == Array((1...25).reversed()))
    view.fit(columns: 80, rows: 8)
    #expect(numbers(view).count == 4 && numbers(view).contains(15))
  }

  @Test("scrolls by a recording at the edges of the screen, and by a screen")
  func scrolling() {
    var view = view(1...25)
    for _ in 0..<9 { _ = view.handle(.down) }
    #expect(numbers(view).first == 25 && view.selection?.number == 16)
    _ = view.handle(.down)
    #expect(numbers(view) == Array((15...24).reversed()))
    for _ in 0..<9 { _ = view.handle(.up) }
    #expect(numbers(view).first == 24 && view.selection?.number == 24)
    _ = view.handle(.up)
    #expect(numbers(view).first == 25)
    _ = view.handle(.down)
    _ = view.handle(.pageDown)
    #expect(numbers(view).first == 15 && view.selection?.number == 14)
    _ = view.handle(.pageUp)
    #expect(numbers(view).first == 25 && view.selection?.number == 24)
    _ = view.handle(.end)
    #expect(numbers(view) == Array((1...10).reversed()) && view.selection?.number == 1)
    _ = view.handle(.home)
    #expect(numbers(view).first == 25 && view.selection?.number == 25)
  }

  @Test("page N begins where the N-th ten do, also on a screen for more")
  func pages() {
    #expect(numbers(view(1...45, page: 3)) == Array((16...25).reversed()))
    var last = view(1...45, page: 5)
    #expect(last.selection?.number == 5 && numbers(last) == Array((1...10).reversed()))
    last.fit(columns: 80, rows: 24)
    #expect(last.selection?.number == 5 && numbers(last).count == 20)
    #expect(view(1...45, page: 9).selection?.number == 1)
    #expect(view(1...45, page: .max).selection?.number == 1)
  }

  @Test("stays at the oldest and at the newest, and reports it")
  func end() {
    var view = view(1...20)
    for _ in 0..<2 { _ = view.handle(.pageDown) }
    for key: Key in [.pageDown, .down, .character(" "), .character("j")] {
      #expect(view.selection?.number == 1 && numbers(view).last == 1)
      _ = view.handle(key)
      #expect(screen(view).text.contains("this is the oldest"))
    }
    for _ in 0..<2 { _ = view.handle(.pageUp) }
    for key: Key in [.pageUp, .up, .left, .character("k")] {
      #expect(view.selection?.number == 20 && numbers(view).first == 20)
      _ = view.handle(key)
      #expect(screen(view).text.contains("this is the newest"))
    }
  }

  @Test("a notice that is longer than a row takes the rows above it, down to the smallest screen")
  func longNotice() {
    var view = view(1...20)
    let words = (1...12).map { "word\($0)" }.joined(separator: " ")
    view.fit(columns: 40, rows: 10)
    view.report(words, isAlert: true)
    let lines = screen(view, columns: 40).lines
    #expect(lines[7...8].map { String($0.dropFirst()) }.joined(separator: " ") == words)
    #expect(lines[6].contains("2026-11-21"))
    view.fit(columns: 30, rows: 5)
    let small = screen(view, columns: 30).lines
    #expect(small[1...3].map { String($0.dropFirst()) }.joined(separator: " ") == words)
    view.report(words + " " + words)
    #expect(screen(view, columns: 30).lines[3].hasSuffix("~"))
  }

  @Test("a terminal that is too small is given this screen's own least size, at which it works")
  func leastSize() {
    var view = view(1...20)
    view.fit(columns: 29, rows: 5)
    #expect(screen(view, columns: 29).text.contains("too small: 30x5 or more"))
    view.fit(columns: 30, rows: 4)
    #expect(screen(view, columns: 30).text.contains("too small: 30x5 or more"))
    view.fit(columns: 10, rows: 3)
    let words = screen(view, columns: 10).lines.joined(separator: " ")
    #expect(words.hasPrefix("too small: 30x5 or more"))
    view.fit(columns: 30, rows: 5)
    #expect(screen(view, columns: 30).text.contains("20 recordings"))
    #expect(view.selection?.number == 20)
    #expect(screen(view, columns: 30).lines[2].contains("20 2026-11-21"))
  }

  @Test("on the least screen help and formats have pages, and letters choose on any of them")
  func smallPanels() {
    var view = ListView(
      Recordings.entries([3, 2, 1]), glyphs: GlyphSet(isASCII: true),
      formats: ListFormat.list(
        ["json", "ndjson", "csv", "gyrodata", "raw", "html", "svg"].map { ($0, "a format") }))
    view.fit(columns: 30, rows: 5)
    _ = view.handle(.character("x"))
    #expect(screen(view, columns: 30).text.contains("space: 4 more"))
    _ = view.handle(.character(" "))
    #expect(screen(view, columns: 30).text.contains("g gyrodata"))
    #expect(
      view.handle(.character("j"))
        == .act(
          .export(ListFormat(name: "json", meaning: "a format", key: "j")),
          Recordings.entries([3])[0]))
    _ = view.handle(.character("?"))
    #expect(screen(view, columns: 30).text.contains("enter show the graph"))
    var pages = 1
    while view.helpPanel.isOpen, pages < 20 {
      _ = view.handle(.character(" "))
      pages += 1
    }
    #expect(pages > 2 && pages < 20)
  }

  @Test("the reason of an unreadable recording begins where its figures would be")
  func unreadableRow() {
    var view = view(1...2)
    for (columns, start) in [(80, "unreadable not an imulog recordi"), (60, "unreadable not an")] {
      view.fit(columns: columns, rows: 14)
      let lines = view.screen(store: "/store") { entry in
        var row = ListDetails()
        (row.started, row.zone) = ("2026-11-21 15:04:11", "+01:00")
        if entry.number == 1 {
          (row.state, row.isAlert) = ("unreadable", true)
          row.note = "not an imulog recording: it is empty"
        } else {
          (row.length, row.sensor, row.hertz) = ("1:02:03", "MPU-6050", "100")
          (row.state, row.gaps, row.size, row.note) = ("complete", "-", "3.4 MB", "walk")
        }
        return row
      }.lines
      let words = lines[3].split(separator: " ").joined(separator: " ")
      #expect(words.contains(start), "\(lines[3])")
      #expect(lines[2].contains("walk") && lines[1].hasSuffix("NOTE"))
    }
  }

  @Test("paging after a deletion skips no recording, and after a new one repeats none")
  func deletion() {
    for gone: UInt32 in 1...30 {
      var view = view(1...30)
      var seen = numbers(view)
      view.refresh(Recordings.entries((1...30).filter { $0 != gone }))
      seen += numbers(view)
      for _ in 0..<3 {
        _ = view.handle(.pageDown)
        seen += numbers(view)
      }
      #expect(Set(seen).union([gone]) == Set(1...30))
    }
    var grown = view(1...30)
    _ = grown.handle(.pageDown)
    let before = numbers(grown)
    grown.refresh(Recordings.entries(1...33))
    #expect(numbers(grown) == before)
    _ = grown.handle(.pageDown)
    #expect(numbers(grown) == Array((1...10).reversed()))
    #expect(screen(grown).lines[0].contains("23 newer"))
  }

  @Test("while others come and go the selection stays; once it is gone, it is the next older one")
  func stable() {
    let seed = UInt64.random(in: 0...(.max))
    var generator = SeededGenerator(seed: seed)
    var present = Array(UInt32(1)...40)
    var next: UInt32 = 41
    var view = ListView(Recordings.entries(present), glyphs: GlyphSet())
    view.fit(columns: 80, rows: 14)
    let keys: [Key] = [.up, .down, .pageUp, .pageDown, .home, .end]
    for _ in 0..<2000 {
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        _ = view.handle(keys.randomElement(using: &generator) ?? .up)
      }
      // While the newest is selected, the list follows new recordings.
      _ = view.handle(.down)
      guard present.count > 3, view.visible.first != view.selection else { continue }
      let selected = view.selection?.number ?? 0
      if Bool.random(using: &generator) {
        present.append(next)
        next += 1
      } else {
        present.remove(at: Int.random(in: 0..<present.count, using: &generator))
      }
      view.refresh(Recordings.entries(present))
      let expected = present.last { $0 <= selected } ?? present[0]
      #expect(view.selection?.number == expected, "seed \(seed)")
      #expect(view.visible.contains { $0.number == expected }, "seed \(seed)")
      #expect(numbers(view) == numbers(view).sorted(by: >), "seed \(seed)")
    }
  }

  @Test("deleted recordings are restored one after the other")
  func undo() {
    var view = view(1...3)
    _ = view.handle(.down)
    let two = Recordings.entries([2])[0]
    #expect(view.handle(.character("d")) == .act(.delete, two))
    view.refresh(Recordings.entries([3, 1]))
    view.deleted(two)
    #expect(screen(view).text.contains("recording 2 is in the trash; u brings it back"))
    #expect(view.selection?.number == 1)
    #expect(view.handle(.character("u")) == .act(.restore, two))
    view.refresh(Recordings.entries([3, 2, 1]))
    view.restored(two)
    #expect(view.selection?.number == 2)
    #expect(view.handle(.character("u")) == .stay)
    #expect(screen(view).text.contains("nothing was deleted here"))
    // A deletion that failed leaves no recording to restore.
    _ = view.handle(.character("d"))
    view.report("cannot remove it: the disk is read-only", isAlert: true)
    #expect(screen(view).text.contains("cannot remove it: the disk is read-only"))
    #expect(view.selection?.number == 2 && view.handle(.character("u")) == .stay)
  }

  @Test("at 80 columns all columns, seconds and the note fit")
  func columns() {
    let lines = screen(view(6...7)).lines
    #expect(
      lines[1].hasPrefix(
        "  NO. STARTED +01:00       LENGTH SENSOR    HZ STATE     GAPS   SIZE NOTE"))
    #expect(
      lines[2].hasPrefix(
        ">   7 2026-11-21 15:04:17 1:02:03 MPU-6050 100 recovered    - 3.4 MB note 7"))
    let wide = screen(view(1...3), columns: 120).lines
    #expect(wide[1].hasPrefix("  NUMBER  STARTED "))
    for word in ["SENSOR", "RATE"] { #expect(wide[1].contains(word)) }
    #expect(wide[2].contains("2026-11-21 15:04:13 +01:00") && wide[2].contains("100 Hz"))
    let narrow = screen(view(1...3), columns: 40).lines
    #expect(narrow[2].contains("2026-11-21 15:04 1:02:03"))
    // After a change of the zone's offset each recording shows its own.
    let zones = screen(view(1...3), summer: [1]).lines
    #expect(zones[2].contains("15:04 +01:00") && zones[4].contains("15:04 +02:00"))
    #expect(!zones[1].contains("+0"))
  }

  @Test("seconds are left out before any column is, and no column for their sake")
  func seconds() {
    for columns in 30...130 {
      let lines = screen(view(6...7), columns: columns).lines
      let hasAll = ["LENGTH", "SENSOR", "STATE", "GAPS", "SIZE"].allSatisfy(lines[1].contains)
      if lines[2].contains("15:04:17") { #expect(hasAll, "\(columns) columns") }
      if columns >= 77 { #expect(lines[2].contains("15:04:17"), "\(columns) columns") }
      if columns >= 74 { #expect(hasAll, "\(columns) columns") }
    }
  }

  @Test("an empty store is reported as empty, and no key does harm")
  func empty() {
    var view = ListView([], glyphs: GlyphSet())
    view.fit(columns: 80, rows: 14)
    for key: Key in [.up, .down, .enter, .pageDown, .end, .character("d"), .character("x")] {
      #expect(view.handle(key) == .stay)
    }
    #expect(screen(view).text.contains("no recordings yet"))
  }

  @Test("the question mark shows all keys, and any key closes them and does nothing else")
  func help() {
    for (columns, rows) in [(120, 30), (80, 24), (40, 12)] {
      var view = view(1...3)
      view.fit(columns: columns, rows: rows)
      _ = view.handle(.character("?"))
      let text = screen(view, columns: columns).text
      for words in [
        "enter", "show the graph", "search, show what is found", "play", "export",
        "move to the trash", "undo that", "PgUp PgDn", "newest, oldest", "quit",
      ] { #expect(text.contains(words), "\(words) at \(columns)x\(rows)") }
      for key: Key in [.character("q"), .escape, .character("d"), .enter] {
        #expect(view.handle(key) == .stay)
        #expect(!screen(view, columns: columns).text.contains("show the graph"))
        _ = view.handle(.character("?"))
      }
      #expect(view.handle(.control("c")) == .leave)
    }
  }

  @Test("x asks for the format of an export; escape leaves, and a wrong key is reported")
  func formats() {
    var view = view(1...3)
    _ = view.handle(.down)
    #expect(view.handle(.character("x")) == .stay)
    #expect(screen(view).text.contains("export recording 2 as"))
    #expect(screen(view).text.contains("c  csv, a table"))
    #expect(view.handle(.character("d")) == .stay)
    #expect(screen(view).text.contains("no format has the key d"))
    #expect(view.handle(.escape) == .stay)
    #expect(!screen(view).text.contains("csv"))
    _ = view.handle(.character("x"))
    // The choice is for the recording that the panel names.
    view.refresh(Recordings.entries([3, 1]))
    let csv = ListFormat(name: "csv", meaning: "a table", key: "c")
    #expect(view.handle(.character("c")) == .act(.export(csv), Recordings.entries([2])[0]))
    #expect(!screen(view).text.contains("export recording"))
  }

  @Test("each format has a key of its own: its first letter that is free")
  func formatKeys() {
    let names = ["json", "ndjson", "csv", "jsonl", "quick", "c"]
    let formats = ListFormat.list(names.map { ($0, "") })
    #expect(formats.map(\.name) == ["json", "ndjson", "csv", "jsonl", "quick"])
    #expect(formats.map(\.key) == ["j", "n", "c", "s", "u"])
  }
}
