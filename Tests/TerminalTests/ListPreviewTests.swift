// SPDX-License-Identifier: Apache-2.0

import LogStore
import LogStoreTesting
import Testing

@testable import Terminal

@Suite("The preview beside the list")
struct ListPreviewTests {
  private func screen(
    _ preview: ListPreview, columns: Int, rows: Int, isASCII: Bool = true
  ) -> Screen {
    var view = ListView(
      Recordings.entries(1...50),
      glyphs: GlyphSet(isASCII: isASCII))
    view.fit(columns: columns, rows: rows)
    return view.screen(store: "/store", preview: preview) { _ in
      var row = ListDetails()
      (row.started, row.zone, row.length) = ("2026-11-21 15:04:11", "+01:00", "1:02:03")
      (row.sensor, row.hertz, row.state) = ("MPU-6050", "100", "complete")
      (row.gaps, row.size, row.note) = ("-", "3.4 MB", "a note that is longer than its column")
      return row
    }
  }

  private let recording = ListPreview.recording(
    Recordings.recording(Recordings.trace(marks: [Recordings.second * 5]), .all))

  @Test("has title and graphs of both sensors from 130x16 on; the list keeps 79 columns or more")
  func sizes() {
    for (columns, rows) in [(130, 16), (160, 36), (300, 60)] {
      for isASCII in [true, false] {
        let lines = screen(recording, columns: columns, rows: rows, isASCII: isASCII).lines
        let text = lines.joined(separator: "\n")
        #expect(lines[1].contains("recording 7"))
        let units = isASCII ? [" g ", "deg/s"] : [" g ", "°/s"]
        for words in units + ["NOTE", "3.4 MB"] {
          #expect(text.contains(words) || text.contains("acceleration"), "\(words)")
        }
        #expect(lines[2].contains("15:04:11"))
        let edge = isASCII ? "|" : "│"
        #expect(lines[2].contains(edge) && lines[rows - 3].contains(edge))
      }
    }
    for (columns, rows) in [(129, 36), (160, 15)] {
      #expect(!screen(recording, columns: columns, rows: rows).text.contains("recording 7"))
    }
  }

  @Test("stays beside the selected row, which alone is reversed")
  func reversed() {
    let screen = screen(recording, columns: 160, rows: 36)
    let reversed = (0..<160).filter { screen[2, $0].style.isReversed }
    #expect(reversed == Array(0..<(160 - 72 - 1)))
  }

  @Test("reports damage in a sentence below the graph")
  func damage() {
    let damaged = Recordings.recording(Recordings.trace(gap: 40..<60), damageCount: 2)
    let lines = screen(.recording(damaged), columns: 160, rows: 36).lines
    #expect(lines[33].hasSuffix("damaged in 2 places; the rest is shown"))
    #expect(lines[20].contains("####"))
  }

  @Test("of a recording without samples the title says so, cut if need be, on an axis of a period")
  func noSamples() {
    var title = Recordings.title
    title.state = "recovered, damaged in 1 place, no samples"
    let empty = Recordings.recording(Recordings.trace(ticks: 0), title: title, damageCount: 1)
    let lines = screen(.recording(empty), columns: 130, rows: 36).lines
    #expect(lines[1].contains("recording 7 - recovered, damaged in 1 p"))
    #expect(lines[33].hasSuffix("damaged in 1 place; no sample can be read"))
    #expect(lines[32].contains("0.00") && !lines[32].contains("0.0000000"), "\(lines[32])")
  }

  @Test("reports that it is read, or why it cannot be, in lines as wide as the preview")
  func unreadable() {
    let sentence =
      "/var/lib/imulog/recordings/000056-20261124T154545Z-e18bf2a1-and-more.imulog is not an imulog "
      + "recording: it begins with the bytes 72 dc b8 6c"
    let lines = screen(.unreadable(sentence), columns: 130, rows: 16).lines
    let shown = lines[1...3].map { $0.split(separator: "| ").last ?? "" }
    #expect(shown.joined().filter { $0 != " " } == sentence.filter { $0 != " " })
    #expect(lines.allSatisfy { $0.count <= 130 })
    #expect(screen(.reading, columns: 130, rows: 16).lines[1].hasSuffix("reading"))
  }

  @Test("a recording is read in shares, of which the first does not reach its end")
  func shares() throws {
    let (directory, log) = (TemporaryDirectory(), Conversation.log("a"))
    directory.write(log.bytes, to: ExampleLog.fileName(7, of: log.description.id))
    let catalogue = try Catalogue(path: directory.path)
    var reader = PreviewReader(catalogue)
    reader.select(try catalogue.list().entries.first)
    reader.read { false }
    let isReading = reader.isReading
    #expect(isReading)
    // One that has its end, and one without.
    for (log, isRecovered) in [("a", false), ("r", true)] as [(Character, Bool)] {
      directory.write(Conversation.log(log).bytes, to: ExampleLog.fileName(8))
      let entry = try #require(try catalogue.list().entries.first { $0.number == 8 })
      let state = try RecordingOnScreen(entry, in: catalogue).title.state
      #expect(state.hasPrefix("recovered") == isRecovered && !state.contains("running"))
    }
  }

  @Test("every size has a screen in every mode")
  func everySize() {
    for keys: [Key] in [
      [], [.character("/"), .character("a")], [.character("?")], [.character("x")],
    ] {
      var view = ListView(
        Recordings.entries(1...9), glyphs: GlyphSet(),
        formats: ListFormat.list([("json", "a document")]))
      for rows in 1...20 {
        for columns in [1, 4, 29, 30, 31, 40, 79, 80, 129, 130, 131, 200] {
          view.fit(columns: columns, rows: rows)
          for key in keys where view.mode == .list && !view.helpPanel.isOpen {
            _ = view.handle(key)
          }
          let screen = view.screen(store: "/store", preview: recording) { _ in ListDetails() }
          #expect(screen.columns == columns && screen.rows == rows)
          #expect(columns < 30 || rows < 5 || !screen.lines[0].isEmpty)
        }
      }
    }
  }
}
