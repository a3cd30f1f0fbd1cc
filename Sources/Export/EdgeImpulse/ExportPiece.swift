// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

/// A part of a recording that has a sample at each tick.
///
///     ticks    0 1 2 3 · · 6 7 8 9
///     pieces  [ 1     )   [ 2     )
struct ExportPiece {
  /// The time of its first sample, in nanoseconds since tick 0's deadline.
  let from: Int64
  /// A nanosecond after the time of its last one.
  var to: Int64
  var ticks: ClosedRange<UInt64>
  /// Where labels begin in it: the sample, counted from 0, and what its name is from there on.
  var labels: [(start: UInt64, name: String)] = []

  var sampleCount: UInt64 { ticks.upperBound - ticks.lowerBound + 1 }
}

/// Finds the pieces of a recording, and writes nothing.
struct PieceScan: SampleFormat {
  /// The first ``limit`` of them.
  private(set) var pieces: [ExportPiece] = []
  private(set) var pieceCount: UInt64 = 0
  /// Ticks without a sample between two that have one.
  private(set) var missingTicks: UInt64 = 0
  /// The most nanoseconds between a sample's time and its place at an even rate from the beginning of its piece.
  private(set) var displacement: UInt64 = 0
  private let rate: SampleRate
  private var labels: LabelColumn?
  /// Labels within which there was no sample so far.
  private(set) var emptyLabels: [RecordingLabel]
  /// From here on the label may be another.
  private var labelEnd = Int64.min

  /// More files in a directory are more than any program takes.
  static let limit = 10_000
  /// The name of what has no label, where no label has it.
  static let usualNoLabel = "none"
  /// The name of what has no label.
  let noLabel: String

  init(_ plan: ExportPlan) {
    rate = plan.description.rate
    let names = Set(plan.labels.map(\.name))
    var free = PieceScan.usualNoLabel
    while names.contains(free) { free = free == PieceScan.usualNoLabel ? "no label" : free + "-" }
    noLabel = free
    emptyLabels = plan.labels
    if !plan.labels.isEmpty {
      labels = LabelColumn(plan.labels, prefix: "", suffix: "", empty: noLabel)
    }
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    for row in rows { add(block.ticks[row], block.times[row]) }
  }

  private var last: (tick: UInt64, origin: Int64)?

  private mutating func add(_ tick: UInt64, _ time: Int64) {
    let place = rate.nanoseconds(atTick: tick)
    if let last, tick == last.tick &+ 1 {
      let away = (time &- place).subtractingReportingOverflow(last.origin)
      displacement = max(displacement, away.overflow ? .max : away.partialValue.magnitude)
      self.last = (tick, last.origin)
      if !pieces.isEmpty, pieceCount == pieces.count {
        let index = pieces.count - 1
        pieces[index].to = max(time, time &+ 1)
        pieces[index].ticks = pieces[index].ticks.lowerBound...tick
      }
    } else {
      if let last, tick > last.tick {
        missingTicks = missingTicks.addingSaturated(tick - last.tick - 1)
      }
      last = (tick, time &- place)
      pieceCount += 1
      if pieces.count < PieceScan.limit {
        pieces.append(ExportPiece(from: time, to: max(time, time &+ 1), ticks: tick...tick))
        labelEnd = .min
      }
    }
    if labels != nil, time >= labelEnd, pieceCount == pieces.count { beginLabel(tick, time) }
  }

  private mutating func beginLabel(_ tick: UInt64, _ time: Int64) {
    labelEnd = labels?.move(to: time) ?? .max
    emptyLabels.removeAll { $0.from <= time && time < $0.to }
    let name = String(decoding: labels?.text ?? [], as: UTF8.self)
    let index = pieces.count - 1
    let isSame = pieces[index].labels.last?.name.utf8.elementsEqual(name.utf8) ?? false
    guard !isSame else { return }
    pieces[index].labels.append((tick - pieces[index].ticks.lowerBound, name))
  }
}
