// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
@testable import Terminal
import TestSupport
import Testing

@Suite("A live graph")
struct LiveViewTests {
  private let second = Recordings.second

  private func view(_ purpose: LiveView.Purpose = .recording) -> LiveView {
    let view = LiveView(
      Recordings.description, channels: .accelerometer, rate: Recordings.rate(100),
      note: "left wheel", glyphs: GlyphSet(isASCII: true), purpose: purpose)
    view.status.state = "recording 7"
    view.status.isRecording = true
    return view
  }

  private func window(planned: Int64? = nil) -> LiveWindow {
    LiveWindow(rate: Recordings.rate(100), glyphs: GlyphSet(isASCII: true), planned: planned)
  }

  private func records(_ ticks: Range<UInt64>) -> [TickRecord] {
    ticks.map {
      TickRecord(tick: $0, time: Int64($0) * second / 100, sample: Recordings.sample($0 / 10))
    }
  }

  @Test("shows state, time left, values with units, gaps and lateness")
  func words() {
    let view = view()
    view.append(records(0..<200))
    view.status.elapsed = 2 * second
    view.status.planned = 60 * second
    var tally = TickTally()
    tally.sampled = 195
    tally.add(5, .missed)
    view.status.tally = tally
    view.status.gapCount = 2
    view.status.latenessP99 = 61_000
    view.status.latenessMaximum = 1_200_000
    let text = view.screen(columns: 100, rows: 24, now: 0).text
    for words in [
      "* recording 7 - 2.0 s of 1:00.0 - 58.0 s left - MPU-6050 at 100 Hz", "acceleration, g",
      "y   0.500", "195 samples - 2 gaps, 5 missing - late p99 61 us, max 1.2 ms", "s stop",
      "m mark",
    ] {
      #expect(text.contains(words), "\(words)")
    }
  }

  @Test("has each sensor of a take below the first one's graph, those that lose samples first")
  func take() {
    let view = LiveView(
      Recordings.description, name: "left", channels: .accelerometer, rate: Recordings.rate(100),
      note: "", glyphs: GlyphSet(isASCII: true), purpose: .recording)
    let place = SensorPlace(model: "LSM6DSO", address: 0x6A)
    var (whole, losing) = (TickTally(), TickTally())
    whole.sampled = 200
    losing.add(3, .stale)
    view.status.members = [
      MemberStatus(name: "left", sensor: place, rate: 100, tally: whole),
      MemberStatus(
        name: "right", sensor: place, rate: 416, tally: losing,
        clock: ChipClockState(hertz: 409.14, uncertainty: 100_000)),
    ]
    let screen = view.screen(columns: 100, rows: 24, now: 0)
    #expect(screen.text.contains("left, MPU-6050 at 100 Hz"))
    #expect(screen.lines[22] == " right 409.1 Hz, 3 lost - left 100 Hz, 0 lost")
    #expect(screen[22, 2].style == CellStyle(.alert) && screen[22, 30].style == .plain)
  }

  @Test("a gap is beside its samples when the chip's own clock is fast", arguments: [7, -7, 0])
  func gapOfFastChip(_ percent: Int64) {
    var window = window()
    let period = second / 100 * 100 / (100 + percent)
    let records = records(0..<2000).map { record in
      TickRecord(tick: record.tick, time: Int64(record.tick) * period, sample: record.sample)
    }
    for record in records { window.append(record) }
    window.append(TickRecord(Gap(firstTick: 2000, count: 100, cause: .missed, code: 0)))
    let gap = window.envelope.columns.firstIndex { $0.hasGap }
    let last = window.envelope.column(at: 2000 * period)
    #expect(gap != nil && abs((gap ?? 0) - (last ?? .min / 2)) <= 1)
    // Drawn again at another length, it is still there.
    window.zoom(in: false)
    let again = window.envelope.columns.firstIndex { $0.hasGap }
    #expect(
      again != nil && abs((again ?? 0) - (window.envelope.column(at: 2000 * period) ?? 0)) <= 1)
  }

  @Test("a recording is discarded when asked twice, and only if there is one")
  func discardWithoutTake() {
    let view = view(.watch)
    #expect(view.handle(.character("d")) == .stay)
    #expect(view.screen(columns: 100, rows: 24, now: 0).text.contains("d again"))
    // The question is whole on the least screen.
    let rows = view.screen(columns: 30, rows: 8, now: 0).lines[1...6].map { $0.dropFirst() }
    #expect(
      rows.joined(separator: " ").hasSuffix(
        "d again moves this recording to the trash and starts another"))
    // The recording ended in between.
    view.status.isRecording = false
    #expect(!view.screen(columns: 100, rows: 24, now: 1).text.contains("d again"))
    for _ in 0..<3 { #expect(view.handle(.character("d")) == .stay) }
    #expect(!view.screen(columns: 100, rows: 24, now: 2).text.contains("d again"))
    view.status.isRecording = true
    #expect(view.handle(.character("d")) == .stay)
    // Another key takes the question back.
    #expect(view.handle(.character("m")) == .mark)
    #expect(view.handle(.character("d")) == .stay)
    #expect(view.handle(.character("d")) == .discard)
  }

  @Test("grows to the right, moves left by a quarter at the edge, and shows the latest sample")
  func pages() {
    let view = view()
    view.append(records(0..<10))
    let first = view.screen(columns: 80, rows: 24, now: 0).lines[21]
    view.append(records(10..<900))
    let same = view.screen(columns: 80, rows: 24, now: 1).lines[21]
    #expect(first == same)
    view.append(records(900..<1020))
    let moved = view.screen(columns: 80, rows: 24, now: 2)
    #expect(moved.lines[21] != first)
    #expect(moved.text.contains("10"))
    // A line is where the newest sample is, three quarters to the right.
    let column = 8 + 71 * 3 / 4
    #expect((2..<21).contains { moved[$0, column - 1].style.ink != .text })
  }

  @Test("begins at 0 at any width, also when the first sample is late", arguments: [80, 120])
  func beginning(columns: Int) {
    let view = view()
    view.append([TickRecord(tick: 0, time: 50_000, sample: RawSample())])
    let labels = view.screen(columns: columns, rows: 24, now: 0).lines[21]
    #expect(labels.hasPrefix("        0 "))
  }

  @Test("a short planned recording fills the graph, and a long one does not change it")
  func planned() {
    let short = window(planned: 5 * second)
    #expect(abs(short.envelope.end - 5 * second) < second / 10)
    let usual = window()
    let long = window(planned: 3600 * second)
    #expect(long.envelope.end == usual.envelope.end)
    let nothing = window(planned: 0)
    #expect(nothing.envelope.end >= 4 * second / 100)
    // Of 5 s, the next lengths are 2 s and 10 s.
    for (isCloser, expected) in [(true, 2), (false, 10)] {
      var window = short
      window.zoom(in: isCloser)
      #expect(abs(window.envelope.end - Int64(expected) * second) < second / 5)
    }
  }

  @Test("zooms through all lengths and stops at both ends")
  func zoom() {
    var window = window()
    for _ in 0..<40 { window.zoom(in: true) }
    #expect(window.envelope.end <= second + second / 10)
    for _ in 0..<40 { window.zoom(in: false) }
    #expect(abs(window.envelope.end - 86_400 * second) < 3600 * second)
  }

  @Test("x, y, z and v show and hide lines, and the legend names those in sight")
  func lines() {
    let view = view()
    view.append(records(0..<200))
    #expect(view.handle(.character("x")) == .stay)
    #expect(view.handle(.character("v")) == .stay)
    let screen = view.screen(columns: 100, rows: 24, now: 0)
    #expect(!screen.lines[1].contains(" x "))
    for name in ["yyy y", "zzz z", "vvv |v|"] { #expect(screen.lines[1].contains(name)) }
    #expect((2..<20).contains { row in screen.lines[row].contains("vv") })
  }

  @Test(
    "? shows the keys, and a key closes them and does nothing else; only Ctrl-C still ends",
    arguments: [LiveView.Purpose.recording, .watch])
  func help(_ purpose: LiveView.Purpose) {
    let keys: [Key] = [.escape, .up] + "smqdrx?".unicodeScalars.map(Key.character)
    for key in keys {
      let view = view(purpose)
      let before = view.screen(columns: 80, rows: 24, now: 0)
      #expect(view.handle(.character("?")) == .stay)
      let open = view.screen(columns: 80, rows: 24, now: 1).text
      #expect(open.contains("mark this moment"))
      #expect(view.handle(key) == .stay, "\(key)")
      #expect(view.screen(columns: 80, rows: 24, now: 2) == before, "\(key)")
    }
    let view = view(purpose)
    for size in [(29, 24), (80, 3)] {
      _ = view.screen(columns: size.0, rows: size.1, now: 0)
      _ = view.handle(.character("?"))
      #expect(view.handle(.character("s")) == .stop, "nothing was shown")
    }
    _ = view.screen(columns: 80, rows: 24, now: 0)
    #expect(view.handle(.character("?")) == .stay)
    #expect(view.handle(.control("c")) == (purpose == .recording ? .stop : .leave))
  }

  @Test("draws ticks without samples as a gap")
  func gaps() {
    let view = view()
    view.append(records(0..<300))
    view.append([TickRecord(Gap(firstTick: 300, count: 300, cause: .busError))])
    view.append(records(600..<800))
    let screen = view.screen(columns: 80, rows: 24, now: 0)
    #expect(screen.lines[20].contains("####################"))
  }

  @Test("leaving ends the program's own recording, not the service's; r begins one of the service")
  func leaving() {
    for key: Key in [.character("q"), .escape, .control("c")] {
      let own = view(.recording)
      let other = view(.watch)
      #expect(own.handle(key) == .stop)
      #expect(other.handle(key) == .leave)
    }
    let other = view(.watch)
    #expect(other.handle(.character("s")) == .stop)
    #expect(other.handle(.character("r")) == .stay)
    other.status.isRecording = false
    #expect(other.handle(.character("r")) == .start)
    let own = view(.recording)
    own.status.isRecording = false
    #expect(own.handle(.character("r")) == .stay)
  }

  @Test("figures change five times a second at most, and the graph at each frame")
  func calm() {
    let view = view()
    var texts: Set<String> = []
    for frame in 0..<25 {
      view.append(records(UInt64(frame * 4)..<UInt64(frame * 4 + 4)))
      view.status.elapsed = Int64(frame) * second / 25
      texts.insert(view.screen(columns: 80, rows: 24, now: Int64(frame) * second / 25).lines[0])
    }
    #expect(texts.count <= 6)
  }

  @Test("1 kHz at 25 frames a second is less than 20 kB a second for a terminal of 80 by 24")
  func bytes() {
    let view = LiveView(
      Recordings.description, channels: .all, rate: Recordings.rate(1000), note: "left wheel",
      glyphs: GlyphSet(), purpose: .recording)
    var shown: Screen?
    var count = 0
    let frames = 25 * 30
    for frame in 0..<frames {
      let ticks = UInt64(frame * 40)..<UInt64(frame * 40 + 40)
      view.append(
        ticks.map { tick in
          // Swings of all axes, and noise on them.
          let noise = Int16(truncatingIfNeeded: tick &* 2_654_435_761 >> 7 & 0xFF)
          let swing = Recordings.sample(tick / 40)
          return TickRecord(
            tick: tick, time: Int64(tick) * 1_000_000,
            sample: RawSample(
              ax: swing.ax + noise, ay: swing.ax / 2 - noise, az: noise * 8, gx: swing.ax * 2,
              gy: noise * 16, gz: -swing.ax))
        })
      view.status.elapsed = Int64(frame) * second / 25
      view.status.planned = 60 * second
      var tally = TickTally()
      tally.sampled = UInt64(frame * 40)
      view.status.tally = tally
      view.status.latenessP99 = 60_000
      let screen = view.screen(columns: 80, rows: 24, now: Int64(frame) * second / 25)
      count += ScreenDifference.bytes(from: shown, to: screen, palette: .dark).count
      shown = screen
    }
    let perSecond = count * 25 / frames
    #expect(perSecond < 20_000)
    // It does move.
    #expect(perSecond > 500)
  }
}
