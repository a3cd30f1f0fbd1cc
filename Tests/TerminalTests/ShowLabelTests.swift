// SPDX-License-Identifier: Apache-2.0

import IMUModel
@testable import Terminal
import Testing

@Suite("Labels in the view of a recording")
struct ShowLabelTests {
  // 10 s; on 109 columns the graph has 100, one for each 100 ms.
  private var view: ShowView {
    ShowView(Recordings.recording(Recordings.trace()), glyphs: GlyphSet(isASCII: true))
  }

  private func handle(_ view: inout ShowView, _ keys: Key...) -> ShowView.Outcome {
    keys.map { view.handle($0, columns: 109, rows: 24) }.last ?? .stay
  }

  private func type(_ view: inout ShowView, _ text: String) {
    for letter in text.unicodeScalars { _ = handle(&view, .character(letter)) }
  }

  private func lines(_ view: ShowView) -> [String] { view.screen(columns: 109, rows: 24).lines }

  private func label(_ name: String, _ from: Int64, _ to: Int64) throws -> RecordingLabel {
    try RecordingLabel(name, from: from * 1_000_000, to: to * 1_000_000)
  }

  @Test("l at two places and a name make a label between them, in either order")
  func keys() throws {
    var view = view
    #expect(handle(&view, .character("l"), .left, .left, .left, .character("l")) == .stay)
    #expect(lines(view)[22].contains("name of 4.700 s to 5.000 s: _"), "\(lines(view)[22])")
    // Letters of a name are no keys of the view.
    type(&view, "quick leg")
    #expect(lines(view)[22].contains("quick leg_"))
    #expect(handle(&view, .backspace, .enter) == .label(try label("quick le", 4700, 5000)))
    view.show(labels: [try label("quick le", 4700, 5000)], notice: "")
    _ = handle(&view, .right)
    #expect(lines(view)[22].contains("label quick le"))
    #expect(lines(view)[20].contains("==="))
    _ = handle(&view, .end)
    #expect(!lines(view)[22].contains("label"))
  }

  @Test("dragging the mouse makes a label of the part, and a click moves the cursor")
  func mouse() throws {
    var view = view
    #expect(
      handle(&view, .pressed(column: 28), .dragged(column: 50), .released(column: 58)) == .stay)
    type(&view, "x")
    #expect(handle(&view, .enter) == .label(try label("x", 2000, 5000)))
    #expect(handle(&view, .pressed(column: 78), .released(column: 78)) == .stay)
    #expect(lines(view)[22].contains("cursor 7.000"), "\(lines(view)[22])")
    // Left of the graph is its beginning, and right of it its end, which is inside.
    _ = handle(&view, .pressed(column: 108), .dragged(column: 500), .released(column: 0))
    type(&view, "all")
    let outcome = handle(&view, .enter)
    #expect(outcome == .label(try RecordingLabel("all", from: 0, to: 9_999_999_999)), "\(outcome)")
    // A label of an imported file has the file's times.
    let imported = Recordings.recording(Recordings.trace(), origin: 60 * Recordings.second)
    view = ShowView(imported, glyphs: GlyphSet(isASCII: true))
    _ = handle(&view, .pressed(column: 28), .dragged(column: 50), .released(column: 58))
    type(&view, "x")
    #expect(handle(&view, .enter) == .label(try label("x", 62_000, 65_000)))
  }

  @Test("Escape leaves what was begun, then the name, and then the view")
  func escape() {
    var view = view
    #expect(handle(&view, .character("l"), .escape) == .stay)
    #expect(!lines(view)[22].contains("label"))
    #expect(handle(&view, .character("l"), .right, .character("l"), .character("q")) == .stay)
    #expect(lines(view)[22].contains("q_"))
    #expect(handle(&view, .escape) == .stay)
    #expect(handle(&view, .escape) == .leave)
  }

  @Test("a label that ends beyond what the screen can count is outside of it")
  func far() throws {
    let moved = Recordings.recording(Recordings.trace(), origin: -.max / 2)
    var view = ShowView(moved, glyphs: GlyphSet(isASCII: true))
    view.show(labels: [try RecordingLabel("far", from: .max / 2, to: .max)], notice: "")
    #expect(!lines(view)[20].contains("="))
  }

  @Test("wrong stretches and names are refused in a sentence; the store's is shown")
  func refusals() {
    var view = view
    _ = handle(&view, .character("l"), .character("l"))
    #expect(lines(view)[22].contains("no length"))
    _ = handle(&view, .right, .character("l"), .enter)
    #expect(lines(view)[22].contains("type a name"))
    type(&view, "a;b")
    #expect(handle(&view, .enter) == .stay)
    #expect(lines(view)[22].contains("the character ';'"))
    type(&view, String(repeating: "c", count: 80))
    #expect(lines(view)[22].contains("at most 60 bytes"))
    _ = handle(&view, .escape)
    view.show(labels: [], notice: "the disk is full")
    #expect(lines(view)[22].contains("the disk is full"))
  }
}
