// SPDX-License-Identifier: Apache-2.0

import IMUModel
@testable import Terminal
import Testing

@Suite("Playback of a recording")
struct PlayViewTests {
  private let second = Recordings.second

  private func view(_ trace: Trace, speed: Double = 1) -> PlayView {
    PlayView(
      Recordings.recording(trace), glyphs: GlyphSet(isASCII: true), speed: speed, now: 1000 * second
    )
  }

  private func shown(_ view: PlayView) -> String { view.screen(columns: 100, rows: 24).text }

  /// Presses keys, so many seconds after 1000 s.
  private func press(_ view: inout PlayView, _ keys: Key..., at seconds: Int64 = 0) {
    for key in keys { _ = view.handle(key, columns: 100, rows: 24, now: (1000 + seconds) * second) }
  }

  @Test("follows the recorded times and not the ticks: a late sample appears late")
  func trueTimes() {
    var view = view(Recordings.trace(late: [20]))
    view.tick(now: 1002 * second)
    #expect(view.head == 2 * second)
    #expect(shown(view).contains("sample 19"))
    view.tick(now: 1002 * second + 29_999_999)
    #expect(shown(view).contains("sample 19"))
    view.tick(now: 1002 * second + 30_000_000)
    #expect(shown(view).contains("sample 20"))
    view.tick(now: 1002 * second + 100_000_000)
    #expect(shown(view).contains("sample 21"))
  }

  @Test("in a gap no sample appears, and the gap is reported")
  func gap() {
    var view = view(Recordings.trace(gap: 30..<70))
    view.tick(now: 1005 * second)
    #expect(shown(view).contains("gap of 40 ticks: bus error"))
    #expect(!shown(view).contains("sample"))
  }

  @Test("the graph ends at the head; playback stops at the end, and restarts from the beginning")
  func end() {
    var view = view(Recordings.trace())
    view.tick(now: 1005 * second)
    let half = shown(view).filter { $0 == "y" }.count
    view.tick(now: 1009 * second)
    #expect(view.isPlaying)
    #expect(shown(view).filter { $0 == "y" }.count > half + 20)
    view.tick(now: 1030 * second)
    #expect(view.head == 10 * second)
    #expect(view.isEnded && !view.isPlaying)
    #expect(shown(view).contains("again"))
    press(&view, .character(" "), at: 40)
    #expect(view.isPlaying && view.head == 0)
    view.tick(now: 1041 * second)
    #expect(view.head == second)
  }

  @Test("speed, pause, steps and seeking each set the head exactly")
  func controls() {
    var view = view(Recordings.trace(late: [42]), speed: 2)
    view.tick(now: 1001 * second)
    #expect(view.head == 2 * second)
    press(&view, .down, .down, at: 1)
    view.tick(now: 1003 * second)
    #expect(view.head == 3 * second)
    press(&view, .character(" "), at: 3)
    view.tick(now: 1900 * second)
    #expect(view.head == 3 * second)
    press(&view, .character("."), at: 900)
    #expect(view.head == 3_100_000_000)
    press(&view, .character(","), at: 900)
    #expect(view.head == 3 * second)
    press(&view, .right, at: 900)
    #expect(view.head == 3_500_000_000)
    for _ in 0..<7 { press(&view, .character("."), at: 900) }
    #expect(view.head == 4_230_000_000)
    press(&view, .end, at: 900)
    #expect(view.isEnded)
    press(&view, .home, at: 900)
    #expect(view.head == 0 && !view.isPlaying)
  }

  @Test("speeds double, and stay within their limits")
  func speeds() {
    var view = view(Recordings.trace())
    press(&view, .up)
    #expect(view.speed == 2)
    for _ in 0..<100 { press(&view, .up) }
    #expect(view.speed == RecordingOnScreen.speeds.upperBound)
    for _ in 0..<100 { press(&view, .down) }
    #expect(view.speed == RecordingOnScreen.speeds.lowerBound)
  }

  @Test("a recording without samples ends at once")
  func empty() {
    var view = view(Recordings.trace(ticks: 0))
    view.tick(now: 1001 * second)
    #expect(view.isEnded)
    #expect(!shown(view).isEmpty)
  }

  @Test("x, y, z and v show and hide lines, and ? the keys, while it plays")
  func lines() {
    var view = view(Recordings.trace())
    press(&view, .character("v"), .character("x"))
    view.tick(now: 1001 * second)
    let legend = view.screen(columns: 100, rows: 24).lines[1]
    #expect(!legend.contains("xxx") && legend.contains("vvv |v|"))
    press(&view, .character("?"), at: 1)
    #expect(shown(view).contains("twice as fast"))
    press(&view, .character(" "), at: 1)
    #expect(view.isPlaying)
    #expect(!shown(view).contains("twice as fast"))
    press(&view, .character("?"), at: 1)
    #expect(view.handle(.character("q"), columns: 100, rows: 24, now: 1001 * second) == .stay)
    press(&view, .character("?"), at: 1)
    #expect(view.handle(.control("c"), columns: 100, rows: 24, now: 1001 * second) == .leave)
  }
}
