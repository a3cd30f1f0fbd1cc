// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel

/// The latest samples, in columns.
struct LiveWindow: Sendable {
  /// The lengths that zooming steps through, in seconds.
  private static let lengths: [Int64] = [
    1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 28_800, longest,
  ]
  private static let longest: Int64 = 86_400
  /// Most records that are kept to draw another size or length.
  private static let mostRecent = 40_000

  private let rate: SampleRate
  private let glyphs: GlyphSet
  private var length: Int64
  private var screenColumns = 80
  private(set) var envelope: Envelope
  private var recent: [TickRecord] = []
  private var isEmpty = true
  /// By how many whole periods, in nanoseconds, the last sample was late by the nominal rate: a chip's own rate differs.
  private var shift: Int64 = 0

  /// A window of at least 10 s and 600 samples; a recording of fewer `planned` nanoseconds fills the graph.
  init(rate: SampleRate, glyphs: GlyphSet, planned: Int64? = nil) {
    self.rate = rate
    self.glyphs = glyphs
    let wanted = max(10, (600 * Int64(rate.denominator) / Int64(rate.numerator)))
    let usual = LiveWindow.lengths.first { $0 >= wanted } ?? LiveWindow.longest
    let least = rate.nanoseconds(atTick: 4)
    let fitting = planned.map { max($0, least) } ?? .max
    length = min(usual * 1_000_000_000, fitting)
    envelope = GraphPicture.envelope(covering: 0..<1, screenColumns: 80, glyphs: glyphs)
    makeEnvelope(from: 0)
  }

  mutating func append(_ record: TickRecord) {
    if record.kind == .sample {
      let late = record.time - rate.nanoseconds(atTick: record.tick)
      shift = late - late % rate.periodNanoseconds
    }
    if isEmpty {
      isEmpty = false
      // A recording that has just begun is shown from its start.
      let first = time(of: record)
      makeEnvelope(from: first < length ? 0 : first)
    }
    recent.append(record)
    if recent.count > LiveWindow.mostRecent { recent.removeFirst(LiveWindow.mostRecent / 4) }
    makeRoom(until: time(of: record))
    add(record)
  }

  mutating func fit(screenColumns: Int) {
    guard screenColumns != self.screenColumns else { return }
    self.screenColumns = screenColumns
    redraw()
  }

  mutating func zoom(in isCloser: Bool) {
    let lengths = LiveWindow.lengths.lazy.map { $0 * 1_000_000_000 }
    let next = isCloser ? lengths.last { $0 < length } : lengths.first { $0 > length }
    guard let next else { return }
    length = next
    redraw()
  }

  private mutating func redraw() {
    // The latest record stays in sight.
    let newest = recent.last.map(time) ?? envelope.start
    // By the grid: a first record that is late does not move the graph's start.
    let first = recent.first.map { time(ofTick: $0.tick) } ?? envelope.start
    makeEnvelope(from: max(0, max(first, newest - length * 3 / 4)))
    for record in recent { add(record) }
  }

  private mutating func makeEnvelope(from start: Int64) {
    let (end, overflow) = start.addingReportingOverflow(length)
    let safe = overflow || end > .max / 2 ? 0..<length : start..<end
    envelope = GraphPicture.envelope(covering: safe, screenColumns: screenColumns, glyphs: glyphs)
  }

  /// Moves by quarters until a time is in sight.
  private mutating func makeRoom(until time: Int64) {
    guard time >= envelope.end else { return }
    let quarter = max(1, envelope.columns.count / 4)
    let beyond = (time - envelope.end) / envelope.columnWidth + 1
    let quarters = (beyond + Int64(quarter) - 1) / Int64(quarter)
    guard quarters <= 4 else {
      // Nothing in sight stays.
      return makeEnvelope(from: max(0, time - length / 4))
    }
    envelope.advance(by: Int(quarters) * quarter)
    let start = envelope.start
    let gone = recent.prefix { self.time(of: $0) < start }.count
    recent.removeFirst(gone)
  }

  private mutating func add(_ record: TickRecord) {
    switch record.kind {
    case .sample:
      let magnitudes = MagnitudeRange(Magnitudes(record.sample))
      envelope.add(record.time, record.sample, magnitudes)
    case .gap:
      let start = time(of: record)
      let end = time(ofTick: record.tick.addingReportingOverflow(record.count).0)
      if end > start { envelope.addGap(start..<end) }
    case .sensorEvent, .reading, .busClock, .field: break
    }
  }

  private func time(of record: TickRecord) -> Int64 {
    record.kind == .sample ? record.time : time(ofTick: record.tick)
  }

  private func time(ofTick tick: UInt64) -> Int64 {
    rate.nanoseconds(atTick: tick).addingReportingOverflow(shift).0
  }
}

/// The range of a y axis. Its ends are multiples of a sixtieth or more of it, so that they stay while values move:
///
///     values within        range stays
///     a value outside      widened to it, at once
///     less than 80 % used  for 2 s: narrowed half the way, and again each second
struct AutoRange: Equatable, Sendable {
  /// Nanoseconds for which a range must be too wide before it narrows.
  static let patience: Int64 = 2_000_000_000
  /// Nanoseconds between two steps of narrowing.
  private static let pause: Int64 = 1_000_000_000

  /// The axis' ends; `nil` before the first values.
  private(set) var range: ClosedRange<Double>?
  private let least: Double
  private var wideSince: Int64?

  /// - Parameter least: The least extent: some counts, so that a resting chip's noise does not fill the axis.
  init(least: Double) {
    self.least = least
  }

  /// Adjusts the axis to the lowest and the highest value in sight; `now` is in nanoseconds on a monotonic clock.
  mutating func include(_ values: ClosedRange<Double>?, now: Int64) {
    guard let values else { return }
    let wanted = AutoRange.round(values, least: least)
    guard let range else {
      self.range = wanted
      return
    }
    if values.lowerBound < range.lowerBound || values.upperBound > range.upperBound {
      let both =
        min(values.lowerBound, range.lowerBound)...max(values.upperBound, range.upperBound)
      self.range = AutoRange.round(both, least: least)
      wideSince = nil
      return
    }
    guard wanted.extent < 0.8 * range.extent else {
      wideSince = nil
      return
    }
    let since = wideSince ?? now
    wideSince = since
    guard now - since >= AutoRange.patience else { return }
    let half =
      (range.lowerBound + wanted.lowerBound) / 2...(range.upperBound + wanted.upperBound) / 2
    let narrowed = AutoRange.round(half, margin: 0, least: least)
    // Rounding outwards may give the same range again: then it narrows all the way.
    self.range = narrowed.extent < 0.95 * range.extent ? narrowed : wanted
    wideSince = now - AutoRange.patience + AutoRange.pause
  }

  /// The values with a margin, rounded outwards. Values that need more than `least` take at least four fifths of it.
  static func round(
    _ values: ClosedRange<Double>, margin: Double = 0.04, least: Double
  ) -> ClosedRange<Double> {
    var (low, high) = (values.lowerBound, values.upperBound)
    let pad = (high - low) * margin
    low -= pad
    high += pad
    if high - low < least {
      let middle = (low + high) / 2
      (low, high) = (middle - least / 2, middle + least / 2)
    }
    let step = AxisTicks(low...high, atMost: 60).step
    guard step > 0 else { return low...high }
    return (low / step + 1e-9).rounded(.down) * step...(high / step - 1e-9).rounded(.up) * step
  }
}

extension ClosedRange<Double> {
  var extent: Double { upperBound - lowerBound }
}
