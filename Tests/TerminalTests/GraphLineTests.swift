// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel
import Testing

@testable import Terminal

@Suite("Lines of a graph")
struct GraphLineTests {
  @Test("every line that meets others in a cell is visible in the next ones", arguments: 1...15)
  func meeting(_ mask: Int) {
    let lines = GraphLine.allCases.filter { mask & 1 << $0.rawValue != 0 }
    var letters = DotCanvas(columns: 8, rows: 2, GlyphSet(isASCII: true))
    var dots = DotCanvas(columns: 8, rows: 2, GlyphSet())
    for line in lines {
      for x in 0..<8 { letters.fill(x: x, from: 1, to: 1, line: line) }
      for x in 0..<16 { dots.fill(x: x, from: 5, to: 5, line: line) }
    }
    let shown = (0..<8).compactMap { letters.cell(row: 1, column: $0)?.scalar }
    #expect(shown.count == 8)
    #expect(Set(shown) == Set(lines.map(\.letter)))
    let inks = (0..<8).compactMap { dots.cell(row: 1, column: $0)?.style.ink }
    #expect(Set(inks) == Set(lines.map(\.ink)))
    for line in lines {
      let share = inks.filter { $0 == line.ink }.count
      #expect(share >= 8 / lines.count, "each has its share")
    }
    #expect(letters.cell(row: 0, column: 0) == nil && dots.cell(row: 0, column: 0) == nil)
  }

  @Test("a key shows and hides its line, and the last one stays")
  func choice() {
    var choice = LineChoice()
    #expect(GraphLine.allCases.filter(choice.contains) == [.x, .y, .z])
    for key: Unicode.Scalar in ["v", "x", "y", "z"] {
      let isLine = choice.handle(.character(key))
      #expect(isLine)
    }
    #expect(GraphLine.allCases.filter(choice.contains) == [.magnitude])
    _ = choice.handle(.character("v"))
    #expect(GraphLine.allCases.filter(choice.contains) == [.magnitude])
    _ = choice.handle(.character("y"))
    #expect(GraphLine.allCases.filter(choice.contains) == [.y, .magnitude])
    for other: Key in [.character("w"), .up] {
      let isLine = choice.handle(other)
      #expect(!isLine)
    }
  }

  @Test("the magnitude is the vector's length in whole counts, at the extremes too")
  func magnitude() {
    let cases: [(RawSample, UInt16, UInt16)] = [
      (RawSample(), 0, 0),
      (RawSample(ax: 3, ay: -4, az: 12), 13, 0),
      (RawSample(ax: .min, ay: .min, az: .min), 56_756, 0),
      (RawSample(gx: .max, gy: 0, gz: .min), 0, 46_340),
      // √2 = 1.41, √3 = 1.73
      (RawSample(ax: 1, ay: 1, gx: 1, gy: -1, gz: 1), 1, 2),
    ]
    for (sample, acceleration, rotation) in cases {
      let found = Magnitudes(sample)
      #expect(found.acceleration == acceleration && found.rotation == rotation, "\(sample)")
    }
  }

  @Test("a magnitude is offered only where all three axes were recorded")
  func partly() {
    var all = LineChoice()
    _ = all.handle(.character("v"))
    #expect(Recordings.sensor(.accelerometer).lines(of: .acceleration, all) == GraphLine.allCases)
    let two = Recordings.sensor(ChannelSet(rawValue: 0b101))
    #expect(two.lines(of: .acceleration, all) == [.x, .z])
    // Of a panel without any chosen line, the axes are shown.
    var none = all
    for key: Unicode.Scalar in ["x", "z"] { _ = none.handle(.character(key)) }
    #expect(two.lines(of: .acceleration, none) == [.x, .z])
  }

  @Test("the magnitude of merged samples is that of samples, not of the highest axes")
  func merged() throws {
    for capacity in [2, 4, 64] {
      var trace = Trace(rate: Recordings.rate(10), capacity: capacity)
      for tick: UInt64 in 0..<64 {
        // Each has a length of 1000 along another axis; the highest counts together have one of 1732.
        let sample =
          [RawSample(ax: 1000), RawSample(ay: 1000), RawSample(az: 1000)][Int(tick % 3)]
        trace.append(tick: tick, time: Int64(tick) * 100_000_000, sample: sample)
      }
      let reading = try #require(trace.reading(at: trace.duration))
      #expect(reading.magnitudes == MagnitudeRange(Magnitudes(RawSample(ax: 1000))))
      var envelope = Envelope(covering: 0..<trace.duration, columns: 7)
      trace.draw(into: &envelope)
      for column in envelope.columns where column.sampleCount > 0 {
        let counts = try #require(LineCounts(.magnitude, of: .acceleration, in: column))
        #expect(counts.low == 1000 && counts.high == 1000)
        #expect(counts.first == 1000 && counts.last == 1000)
      }
    }
  }

  @Test("a flat Y is dashed, Z dotted, and the magnitude dotted twice as wide")
  func dashes() {
    var envelope = Envelope(covering: 0..<12, columns: 12)
    for time in 0..<12 as Range<Int64> {
      envelope.add(time, RawSample(), MagnitudeRange(Magnitudes(RawSample())))
    }
    let plot = PanelPlot(envelope: envelope, kind: .acceleration, scale: 1, range: -1...1)
    let dashes = ["############", "####..####..", "#..#..#..#..", "##....##...."]
    for (line, expected) in zip(GraphLine.allCases, dashes) {
      var canvas = DotCanvas(columns: 6, rows: 1, GlyphSet())
      plot.draw(line, on: &canvas, rows: 1)
      let dots = (0..<12).map { x in
        let cell = canvas.cell(row: 0, column: x / 2)?.scalar.value ?? 0
        return cell & (x % 2 == 0 ? 0x47 : 0xB8) != 0 ? "#" : "."
      }
      #expect(dots.joined() == expected, "\(line)")
    }
  }

  @Test("between two columns a steep line is a stair without overlaps")
  func stair() {
    var envelope = Envelope(covering: 0..<4, columns: 4)
    for (time, count) in [(0, -3), (3, 3)] as [(Int64, Int16)] {
      let sample = RawSample(ax: count)
      envelope.add(time, sample, MagnitudeRange(Magnitudes(sample)))
    }
    var canvas = DotCanvas(columns: 4, rows: 7, GlyphSet(isASCII: true))
    PanelPlot(envelope: envelope, kind: .acceleration, scale: 1, range: -3...3)
      .draw(.x, on: &canvas, rows: 7)
    let rows = (0..<7).map { row in
      (0..<4).map { canvas.cell(row: row, column: $0) == nil ? "." : "#" }.joined()
    }
    #expect(rows == ["...#", "...#", "..#.", "..#.", ".#..", ".#..", "#..."])
  }

  @Test(
    "a scale below 0 draws what that above 0 draws of the opposite counts",
    arguments: [Trace.usualCapacity, 16])
  func negativeScale(_ capacity: Int) {
    var mirrored = Recordings.description
    mirrored.accelerometerScale = Fraction(-1, 8192)
    let screens = [(Recordings.description, Int16(1)), (mirrored, -1)].map { description, sign in
      var trace = Trace(rate: Recordings.rate(10), capacity: capacity)
      for tick: UInt64 in 0..<100 {
        let sample = Recordings.sample(tick)
        trace.append(
          tick: tick, time: Int64(tick) * Recordings.second / 10,
          sample: RawSample(ax: sample.ax * sign, ay: sample.ay * sign, az: sample.az * sign))
      }
      let sensor = GraphSensor(description, channels: .accelerometer)
      var view = ShowView(
        RecordingOnScreen(
          title: Recordings.title, sensor: sensor, trace: trace, id: Recordings.id),
        glyphs: GlyphSet(isASCII: true))
      _ = view.handle(.character("v"), columns: 100, rows: 24)
      return view.screen(columns: 100, rows: 24)
    }
    #expect(screens[0].lines[1] == screens[1].lines[1])
    // Of several samples as one the lowest count comes first, which is another one here.
    guard capacity > 100 else { return }
    #expect(screens[0].lines[1].contains("y   0.500"), "\(screens[0].lines[1])")
    #expect(screens[0] == screens[1])
  }

  @Test("an axis fits the lines that are shown")
  func fitting() throws {
    let trace = Recordings.trace()
    var envelope = Envelope(covering: 0..<trace.duration, columns: 50)
    trace.draw(into: &envelope)
    let sensor = Recordings.sensor()
    var choice = LineChoice()
    #expect(sensor.values(.acceleration, in: envelope, choice) == -1...1)
    for key: Unicode.Scalar in ["x", "z"] { _ = choice.handle(.character(key)) }
    #expect(sensor.values(.acceleration, in: envelope, choice) == 0.5...0.5)
    for key: Unicode.Scalar in ["v", "y"] { _ = choice.handle(.character(key)) }
    let magnitude = try #require(sensor.values(.acceleration, in: envelope, choice))
    // √(0 + ½² + ½²) to √(1 + ½² + ½²).
    #expect(abs(magnitude.lowerBound - 0.7071) < 0.001)
    #expect(abs(magnitude.upperBound - 1.2247) < 0.001)
  }
}
