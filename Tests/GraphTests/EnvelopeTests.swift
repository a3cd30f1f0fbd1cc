// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel
import TestSupport
import Testing

@Suite struct EnvelopeTests {
  @Test("a column has its lowest, highest, first and last count for any number of samples")
  func peaks() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let samples = (0..<1000).map { _ in
      RawSample(
        ax: .random(in: .min...(.max), using: &random), gz: .random(in: -9...9, using: &random),
        temperature: .random(in: -3...3, using: &random))
    }
    for columns in [1, 7, 999, 1000, 3000] {
      var envelope = Envelope(covering: 0..<10_000, columns: columns)
      for (index, sample) in samples.enumerated() { envelope.add(Int64(index) * 10, sample) }
      var seen = 0
      for column in 0..<columns {
        let from = envelope.start + Int64(column) * envelope.columnWidth
        let inside = samples.indices.filter {
          (from..<(from + envelope.columnWidth)).contains(Int64($0) * 10)
        }
        let found = envelope.columns[column]
        seen += found.sampleCount
        guard let first = inside.first, let last = inside.last, found.sampleCount == inside.count
        else {
          #expect(inside.isEmpty && found.sampleCount == 0, "seed \(seed)")
          continue
        }
        #expect(found.first == samples[first] && found.last == samples[last], "seed \(seed)")
        #expect(found.firstTime == Int64(first) * 10 && found.lastTime == Int64(last) * 10)
        for channel in [0, 1, 5, 6] {
          let counts = inside.map { samples[$0][channel] }
          #expect(found.minimum[channel] == counts.min(), "seed \(seed)")
          #expect(found.maximum[channel] == counts.max(), "seed \(seed)")
        }
      }
      #expect(seen == samples.count, "seed \(seed)")
      let all = samples.map(\.ax) + samples.map(\.gz)
      let range = envelope.range(of: [.accelerometer, .gyroscope])
      #expect(range?.lowerBound == all.min() && range?.upperBound == all.max())
    }
  }

  @Test("a column has the lowest and the highest magnitudes of its samples")
  func magnitudes() {
    var envelope = Envelope(start: 0, columnWidth: 10, columns: 1)
    let ranges = [300, 100, 200].map { MagnitudeRange(Magnitudes(RawSample(ax: $0))) }
    for (time, range) in ranges.enumerated() { envelope.add(Int64(time), RawSample(), range) }
    var all = ranges[0]
    all.include(ranges[1])
    #expect(envelope.columns[0].magnitudes == all)
  }

  @Test("samples and gaps outside the columns are ignored")
  func outside() {
    var envelope = Envelope(start: 100, columnWidth: 10, columns: 3)
    #expect(envelope.end == 130)
    for time: Int64 in [.min, 0, 99, 130, .max] { envelope.add(time, RawSample(ax: 1)) }
    envelope.addGap(.min..<100)
    envelope.addGap(130..<(.max))
    envelope.addGap(110..<110)
    #expect(envelope.columns.allSatisfy { $0.sampleCount == 0 && !$0.hasGap })
    #expect(envelope.range(of: .all) == nil)
    envelope.add(100, RawSample(ax: 1))
    envelope.add(129, RawSample(ax: 2))
    #expect(envelope.columns.map(\.sampleCount) == [1, 0, 1])
    envelope.addGap(.min..<(.max))
    #expect(envelope.columns.map { $0.hasGap && $0.sampleCount == 0 } == [false, true, false])
    #expect(envelope.columns.map(\.hasGap) == [true, true, true])
  }

  /// Samples at the times of digits, gaps where there are dashes; ten nanoseconds a column.
  private func envelope(_ drawing: String, gapsFirst: Bool) -> Envelope {
    var envelope = Envelope(
      covering: 0..<Int64(drawing.utf8.count), columns: drawing.utf8.count / 10)
    func addGaps() {
      var from: Int64?
      for (time, character) in (drawing + " ").enumerated() {
        if character == "-", from == nil { from = Int64(time) }
        if character != "-", let begin = from {
          envelope.addGap(begin..<Int64(time))
          from = nil
        }
      }
    }
    if gapsFirst { addGaps() }
    for (time, character) in drawing.enumerated() where character == "x" {
      envelope.add(Int64(time), RawSample(ax: 1))
    }
    if !gapsFirst { addGaps() }
    return envelope
  }

  @Test(
    "a line joins the samples of two columns unless a gap or other samples lie between",
    arguments: [true, false])
  func joins(gapsFirst: Bool) {
    for (drawing, joins) in [
      ("x x x x x x x x x x ", true), ("    x              x", true),
      ("x x x x x --x x x x ", false), ("x x x --x x x x x x ", true),
      ("x x x x x x x --x x ", true), ("x x x x x x x x x --x x x x ", true),
      ("x x x x x ------------- x x x", false), ("x         --        x         ", false),
      ("         ---         ", false), ("x                   ", false),
      ("x-                 x", false), ("x                 -x", false),
      ("-x                 x-", true),
    ] {
      let padded = drawing + String(repeating: " ", count: (30 - drawing.utf8.count))
      let found = envelope(padded, gapsFirst: gapsFirst)
      let columns = found.columns.indices.filter { found.columns[$0].sampleCount > 0 }
      guard let first = columns.first, columns.count > 1 else {
        #expect(!joins && !found.joins(0, 1), "\(drawing)")
        continue
      }
      #expect(found.joins(first, columns[1]) == joins, "\(drawing)")
      #expect(!found.joins(columns[1], first) && !found.joins(first, first))
    }
    let three = envelope("x         x         x         ", gapsFirst: gapsFirst)
    #expect(three.joins(0, 1) && three.joins(1, 2) && !three.joins(0, 2))
  }

  @Test("advancing drops the oldest columns and leaves the others in place")
  func advance() {
    var envelope = Envelope(start: 0, columnWidth: 10, columns: 4)
    for time in stride(from: Int64(0), to: 40, by: 10) {
      envelope.add(time, RawSample(ax: Int16(time)))
    }
    envelope.advance(by: 1)
    #expect(envelope.start == 10 && envelope.end == 50)
    #expect(envelope.columns.map(\.sampleCount) == [1, 1, 1, 0])
    #expect(envelope.columns[0].first.ax == 10)
    envelope.add(45, RawSample(ax: 45))
    #expect(envelope.columns[3].last.ax == 45)
    envelope.advance(by: 100)
    #expect(envelope.start == 1010 && envelope.columns.count == 4)
    #expect(envelope.columns.allSatisfy { $0.sampleCount == 0 })
  }
}
