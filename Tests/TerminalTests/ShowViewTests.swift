// SPDX-License-Identifier: Apache-2.0

import IMUModel
@testable import Terminal
import TestSupport
import Testing
import Text

@Suite("The view of a recording")
struct ShowViewTests {
  private func view(_ trace: Trace, isASCII: Bool = true) -> ShowView {
    ShowView(Recordings.recording(trace), glyphs: GlyphSet(isASCII: isASCII))
  }

  @Test("is drawn with axes, units, legend, time, gaps and marks in ASCII")
  func ascii() {
    let trace = Recordings.trace(gap: 60..<75, marks: [2_500_000_000])
    let screen = view(trace).plainScreen(columns: 60, rows: 12)
    #expect(screen.lines[1].contains("g"))
    for name in ["x", "y", "z"] { #expect(screen.lines[1].contains(name)) }
    #expect(screen.lines[2...9].contains { $0.hasPrefix("   1.0 +") })
    #expect(screen.lines[2...9].contains { $0.hasPrefix("  -1.0 +") })
    // The gap is a gap in every row that has no line, and on the axis.
    #expect(screen.lines[10].contains("#######"))
    #expect(screen.lines[10].contains("^"))
    #expect(screen.lines[2...9].allSatisfy { $0.contains("#####") })
    #expect(screen.lines[11].hasSuffix("s"))
    #expect(screen.text.unicodeScalars.allSatisfy { $0.isASCII })
  }

  @Test("lines do not cross a gap, and each axis has its own kind of line")
  func braille() {
    let flat = view(Recordings.trace(ticks: 100, gap: 30..<70), isASCII: false)
      .plainScreen(columns: 80, rows: 24)
    for row in 2..<22 {
      // From column 8 on, 71 columns for 10 s; a cell inside the gap has no dots.
      for column in 31...56 { #expect(!isBraille(flat[row, column])) }
    }
    // y and z are flat: dashed and dotted, so that each has columns without a dot.
    let whole = view(Recordings.trace(), isASCII: false).plainScreen(columns: 80, rows: 24)
    let inks = [Ink.x, .y, .z].map { ink in
      (2..<22).map { row in (8..<79).filter { whole[row, $0].style.ink == ink }.count }
        .reduce(0, +)
    }
    #expect(inks.allSatisfy { $0 > 10 })
  }

  @Test("of the next sensor shows the same part, with the cursor where it was")
  func next() {
    var (left, right) = (view(Recordings.trace()), view(Recordings.trace(ticks: 50)))
    for key in [Key.up, .up, .right] { #expect(left.handle(key, columns: 80, rows: 24) == .stay) }
    #expect(left.handle(.tab, columns: 80, rows: 24) == .next)
    var same = view(Recordings.trace(gap: 60..<75))
    same.follow(left)
    #expect(same.cursor == left.cursor && same.window == left.window)
    // A shorter one has its own part, and its last instant.
    let window = right.window
    right.follow(left)
    #expect(right.window == window && right.cursor <= window.duration - 1)
  }

  private func isBraille(_ cell: Cell) -> Bool { (0x2801...0x28FF).contains(cell.scalar.value) }

  @Test("x, y, z and v show and hide lines; ? shows the keys until the next one")
  func lines() {
    var view = view(Recordings.trace())
    let all = view.screen(columns: 100, rows: 24).lines[1]
    #expect(all.contains("xxx x") && all.contains("zzz z") && !all.contains("|v|"))
    for key: Unicode.Scalar in ["v", "x", "z"] {
      #expect(view.handle(.character(key), columns: 100, rows: 24) == .stay)
    }
    let some = view.screen(columns: 100, rows: 24).lines[1]
    #expect(!some.contains("xxx") && some.contains("yyy y") && some.contains("vvv |v|"))
    // At 5 s x is 0 and y and z are half a g.
    #expect(some.contains("|v|   0.707") || some.contains("|v|   1.225"))
    _ = view.handle(.character("?"), columns: 100, rows: 24)
    #expect(view.screen(columns: 100, rows: 24).text.contains("show or hide the magnitude"))
    // A click is no key, and its second half moves nothing.
    let cursor = view.cursor
    for key: Key in [.pressed(column: 20), .dragged(column: 25), .released(column: 30)] {
      _ = view.handle(key, columns: 100, rows: 24)
      #expect(view.screen(columns: 100, rows: 24).text.contains("show or hide the magnitude"))
    }
    #expect(view.cursor == cursor)
    #expect(view.handle(.character("q"), columns: 100, rows: 24) == .stay)
    #expect(!view.screen(columns: 100, rows: 24).text.contains("show or hide the magnitude"))
    #expect(view.handle(.character("?"), columns: 100, rows: 24) == .stay)
    #expect(view.handle(.control("c"), columns: 100, rows: 24) == .leave)
  }

  @Test("the cursor shows the sample at or before it, by recorded time, and gaps by cause")
  func cursor() {
    var view = view(Recordings.trace(gap: 60..<75, late: [50]))
    #expect(view.screen(columns: 100, rows: 24).text.contains("cursor 5.000 s"))
    // Tick 50 came late: at 5 s the newest sample is that of tick 49.
    #expect(view.screen(columns: 100, rows: 24).text.contains("sample 49 at 4.900000 s"))
    _ = view.handle(.character("."), columns: 100, rows: 24)
    #expect(view.screen(columns: 100, rows: 24).text.contains("sample 50 at 5.030000 s"))
    _ = view.handle(.character("g"), columns: 100, rows: 24)
    #expect(view.screen(columns: 100, rows: 24).text.contains("gap of 15 ticks: bus error"))
    _ = view.handle(.character("g"), columns: 100, rows: 24)
    #expect(view.screen(columns: 100, rows: 24).text.contains("there is no gap after the cursor"))
  }

  @Test("of an import the axis begins at 0, and title and cursor have the file's own times")
  func fileTimes() {
    func lines(_ origin: Int64, columns: Int) -> [String] {
      let recording = Recordings.recording(Recordings.trace(), origin: origin)
      return ShowView(recording, glyphs: GlyphSet(isASCII: true))
        .screen(columns: columns, rows: 24).lines
    }
    let epoch = lines(1_790_000_000 * Recordings.second, columns: 100)
    #expect(epoch[0].hasPrefix("recording 7 - 0 is 1790000000.000 s in the file - "))
    #expect(epoch[21].split(separator: " ").first == "0")
    #expect(
      epoch[22].hasPrefix(
        " cursor 5.000 s - in the file 1790000005.000 s - sample 50 at 5.000000 s"))
    for columns in 30...45 {
      #expect(
        lines(1_790_000_000 * Recordings.second, columns: columns)[22].hasPrefix(
          " in the file 1790000005.000 s"))
    }
    #expect(lines(-6_500_000_000, columns: 100)[22].contains("in the file -1.500 s"))
    #expect(!lines(0, columns: 100).joined().contains("in the file"))
  }

  @Test("a part of the cursor's line is whole or left out, on any width")
  func wholeParts() {
    let view = view(Recordings.trace())
    let parts = ["cursor 5.000 s", "sample 50 at 5.000000 s", "sample 50", "37 degC"]
    for columns in 30...80 {
      let line = view.screen(columns: columns, rows: 24).lines[22].dropFirst()
      for part in line.split(separator: " - ") { #expect(parts.contains { $0 == part }, "\(line)") }
    }
  }

  @Test("a mark nearer to the cursor than a hundredth of the window is named")
  func mark() {
    // Of 10 s, around the middle.
    for (time, isNamed) in [(5_099_500_000, true), (5_100_500_000, false)] as [(Int64, Bool)] {
      let line = view(Recordings.trace(marks: [time])).screen(columns: 100, rows: 24).lines[22]
      #expect(line.hasSuffix(" - mark kerb") == isNamed, "\(time): \(line)")
    }
  }

  @Test("times from a minute on have the form that the command line reads")
  func positions() {
    let second = Recordings.second
    for (time, text) in [
      (59_999_999_999, "59.999 s"), (123 * second + 45_000_000, "2m03.045s"),
      (60 * second, "1m00.000s"), (130 * second, "2m10.000s"), (3_600 * second, "1h00m00.000s"),
      (3_723 * second, "1h02m03.000s"), (4_210 * second, "1h10m10.000s"), (-1 * second, "-1.000 s"),
    ] {
      let shown = Figures.position(time, decimals: 3)
      #expect(shown == text)
      let read = SpanText.nanoseconds(shown.filter { $0 != " " && $0 != "-" })
      #expect(read == Int64(time.magnitude) / 1_000_000 * 1_000_000)
    }
  }

  @Test("works from 30x8 on, and a smaller terminal is given that size")
  func leastSize() {
    let view = view(Recordings.trace())
    for (columns, rows) in [(29, 8), (30, 7), (12, 3)] {
      let lines = view.screen(columns: columns, rows: rows).lines
      #expect(lines.joined(separator: " ").contains("too small: 30x8 or more"), "\(lines)")
    }
    let lines = view.screen(columns: 30, rows: 8).lines
    #expect(lines[0].hasPrefix("recording 7") && lines[1].contains("x"))
    #expect(lines[6].contains("cursor 5.000 s") && lines[7].hasPrefix("q back"))
  }

  @Test("when a key can do nothing, the reason replaces the cursor's line")
  func notice() {
    var view = view(Recordings.trace())
    _ = view.handle(.character("m"), columns: 80, rows: 24)
    let line = view.screen(columns: 80, rows: 24).lines[22]
    #expect(line == " there is no mark after the cursor")
    _ = view.handle(.left, columns: 80, rows: 24)
    #expect(view.screen(columns: 80, rows: 24).lines[22].contains("cursor 4."))
  }

  @Test("the lowest and the highest value are never cut", arguments: [64, 72, 80, 100, 140])
  func ranges(columns: Int) {
    var trace = Trace(rate: Recordings.rate(10), capacity: 8)
    for tick: UInt64 in 0..<1000 {
      let high: Int16 = tick % 2 == 0 ? 32_000 : -32_000
      trace.append(
        tick: tick, time: Int64(tick) * Recordings.second / 10,
        sample: RawSample(ax: high, ay: high, az: high, gx: high, gy: high, gz: high))
    }
    for isASCII in [true, false] {
      let view = ShowView(Recordings.recording(trace, .all), glyphs: GlyphSet(isASCII: isASCII))
      let lines = view.screen(columns: columns, rows: 24).lines
      let titles = [lines[1], lines.dropFirst(2).first { $0.contains("..") } ?? ""]
      for (title, end) in zip(titles, ["3.9", "48"]) {
        let words = title.split(separator: "..").dropFirst()
        #expect(words.count == 3, "\(title)")
        for word in words { #expect(word.drop { $0 == " " }.hasPrefix(end), "\(title)") }
        // Nothing is cut at the edge.
        #expect(title.suffix(5).contains("."), "\(title)")
      }
    }
  }

  @Test("zooms around the cursor, and never out of the recording")
  func zoom() {
    var view = view(Recordings.trace())
    #expect(view.window.length == 10 * Recordings.second)
    _ = view.handle(.character("+"), columns: 80, rows: 24)
    #expect(view.window.length == 5 * Recordings.second)
    let start = view.window.start
    _ = view.handle(.shiftRight, columns: 80, rows: 24)
    #expect(view.window.start == start + Recordings.second * 5 / 4)
    #expect(view.cursor == Recordings.second * 25 / 4, "the cursor stays where it is on the screen")
    for _ in 0..<40 { _ = view.handle(.character("+"), columns: 80, rows: 24) }
    #expect(view.window.length == 400_000_000)
    #expect(view.window.span.contains(view.cursor))
    for _ in 0..<300 { _ = view.handle(.right, columns: 80, rows: 24) }
    #expect(view.window.span.contains(view.cursor))
    _ = view.handle(.end, columns: 80, rows: 24)
    #expect(view.window.end == 10 * Recordings.second)
    _ = view.handle(.home, columns: 80, rows: 24)
    #expect(view.window.start == 0)
    _ = view.handle(.character("0"), columns: 80, rows: 24)
    #expect(view.window.length == 10 * Recordings.second)
  }

  @Test("a time out of sight comes into it a quarter of the window from the edge that it crossed")
  func follow() {
    let second = Recordings.second
    var window = TimeWindow(duration: 100 * second, rate: Recordings.rate(10))
    window.zoom(1, 5, around: 50 * second)
    for (time, start) in [(59, 40), (60, 55), (54, 39)] as [(Int64, Int64)] {
      window.follow(time * second)
      #expect(window.start == start * second)
    }
  }
}
