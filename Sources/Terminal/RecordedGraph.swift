// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel
import Text

/// What the views of a recording share.
extension RecordingOnScreen {
  /// A y axis for each panel that fits an envelope's values.
  func axes(
    for envelope: Envelope, _ choice: LineChoice = LineChoice()
  ) -> [PanelKind: ClosedRange<Double>] {
    var axes: [PanelKind: ClosedRange<Double>] = [:]
    for kind in sensor.panels {
      axes[kind] = sensor.values(kind, in: envelope, choice).map {
        AutoRange.round($0, least: sensor.leastExtent(kind))
      }
    }
    return axes
  }

  /// The times of the whole recording; at least a period, so that the axis of one without ticks is readable.
  var span: Range<Int64> { 0..<max(trace.duration, trace.rate.periodNanoseconds) }

  /// Y axes that fit the whole recording.
  func wholeAxes(_ choice: LineChoice, glyphs: GlyphSet) -> [PanelKind: ClosedRange<Double>] {
    axes(for: envelope(span, columns: 200, glyphs: glyphs), choice)
  }

  /// The samples of a span before `limit`, for a screen of so many columns.
  func envelope(
    _ span: Range<Int64>, columns: Int, glyphs: GlyphSet, before limit: Int64 = .max
  ) -> Envelope {
    var envelope = GraphPicture.envelope(covering: span, screenColumns: columns, glyphs: glyphs)
    trace.draw(into: &envelope, before: limit)
    return envelope
  }

  /// The latest sample at a time; `nil` in a gap.
  func reading(at time: Int64) -> Trace.Reading? {
    trace.gap(at: time) == nil ? trace.reading(at: time) : nil
  }

  /// `gap of 15 ticks: bus error`; `nil` outside of gaps.
  func gapText(at time: Int64) -> String? {
    trace.gap(at: time).map { "gap of \(Plain.count($0.count, "tick")): \($0.cause.phrase)" }
  }

  /// `in the file 1790000005.000 s`, as `export --from` wants it; `nil` where the file's times begin at 0.
  func fileTime(_ time: Int64) -> String? {
    origin == 0 ? nil : "in the file \(Figures.fileTime(origin &+ time))"
  }

  /// A view's screen: title, graph, a line, key hints. Each part of the line has its forms, the longest first; one without
  /// room for any is left out: half of a number would be another number.
  func screen(
    columns: Int, rows: Int, glyphs: GlyphSet, line: [[String]], isAlert: Bool = false,
    hints: [KeyHint], picture: () -> GraphPicture
  ) -> Screen {
    guard GraphPicture.fits(columns: columns, rows: rows) else {
      return Screen.tooSmall(columns: columns, rows: rows, least: GraphPicture.leastScreen)
    }
    var screen = Screen(columns: columns, rows: rows)
    putTitle(on: &screen, glyphs)
    picture().draw(on: &screen, rows: 1..<rows - 2)
    var column = 1
    for (index, forms) in line.enumerated() {
      let texts = forms.map { (index == 0 ? "" : glyphs.separator) + $0 }
      let fitting = texts.first { column + CellWidth.of($0) <= columns }
      guard let text = fitting ?? (index == 0 ? texts.last : nil) else { continue }
      column = screen.put(
        CellWidth.fit(text, columns - column, isASCII: glyphs.isASCII), row: rows - 2,
        column: column, isAlert ? CellStyle(.alert) : .plain)
    }
    screen.put(hints, row: rows - 1)
    return screen
  }
}

/// The part of a recording that is in sight: within the recording, and at least four ticks long.
struct TimeWindow: Equatable {
  /// The left edge and the length, in nanoseconds from tick 0.
  private(set) var start: Int64
  private(set) var length: Int64
  /// The whole recording's length.
  let duration: Int64
  private let least: Int64

  /// The whole recording; below a nanosecond counts as one.
  init(duration: Int64, rate: SampleRate) {
    self.duration = max(1, duration)
    least = min(self.duration, max(1, rate.nanoseconds(atTick: 4)))
    start = 0
    length = self.duration
  }

  var end: Int64 { start + length }
  var span: Range<Int64> { start..<end }

  /// Makes the window `numerator` / `denominator` times as long; `centre` stays where it is.
  mutating func zoom(_ numerator: Int64, _ denominator: Int64, around centre: Int64) {
    let wanted = Double(length) * Double(numerator) / Double(denominator)
    let new = wanted >= Double(duration) ? duration : max(least, Int64(wanted))
    let share = Double(centre - start) / Double(length)
    length = new
    move(to: centre - Int64((Double(new) * share).rounded()))
  }

  /// Moves by a fraction of its length.
  mutating func pan(_ numerator: Int64, _ denominator: Int64) {
    move(to: start + Int64(Double(length) * Double(numerator) / Double(denominator)))
  }

  /// Moves the left edge to a time, within the recording.
  mutating func move(to time: Int64) {
    start = max(0, min(time, duration - length))
  }

  /// Brings a time into sight, a quarter of the window from the edge that it crossed.
  mutating func follow(_ time: Int64) {
    if time >= end {
      move(to: time - length / 4)
    } else if time < start {
      move(to: time - length * 3 / 4)
    }
  }

  mutating func showAll() {
    (start, length) = (0, duration)
  }
}
