// SPDX-License-Identifier: Apache-2.0

@testable import Export
import IMUModel
import Testing

@Suite("The drawing for papers")
struct DrawingTests {
  private let drawing = ExportOptions(format: .svg)

  /// Elements that are open when the text ends, or `nil` when a tag closes an element that is not open, a quote is not
  /// closed or an ampersand begins no entity.
  private func openElements(_ text: String) -> [String]? {
    var open: [String] = []
    var rest = text[...]
    while let begin = rest.firstIndex(of: "<") {
      guard isText(rest[..<begin]), let end = rest[begin...].firstIndex(of: ">") else { return nil }
      let tag = rest[rest.index(after: begin)..<end]
      rest = rest[rest.index(after: end)...]
      guard tag.filter({ $0 == "\"" }).count % 2 == 0, !tag.contains("<") else { return nil }
      let name = String(tag.prefix { !$0.isWhitespace && $0 != "/" })
      if tag.hasPrefix("?") { continue }
      if tag.hasPrefix("/") {
        guard open.popLast() == String(tag.dropFirst()) else { return nil }
      } else if !tag.hasSuffix("/") {
        open.append(name)
      }
    }
    return isText(rest) ? open : nil
  }

  private func isText(_ text: Substring) -> Bool {
    !text.contains(">")
      && text.split(separator: "&", omittingEmptySubsequences: false).dropFirst().allSatisfy {
        part in
        ["amp;", "lt;", "gt;", "quot;", "#39;"].contains { part.hasPrefix($0) }
      }
  }

  private func count(_ part: String, in text: String) -> Int {
    text.split(separator: part, omittingEmptySubsequences: false).count - 1
  }

  /// A path's lines as absolute points, by the rules of SVG 1.1, section 8.3; in units, not in the path's tenths.
  static func lines(_ data: Substring) -> [[(x: Double, y: Double)]] {
    var lines: [[(x: Double, y: Double)]] = []
    var point = (x: 0.0, y: 0.0)
    var rest = data
    while let command = rest.popFirst() {
      var numbers: [Double] = []
      var number = ""
      while let next = rest.first, !next.isLetter {
        if next == "-" || next == " ", !number.isEmpty {
          numbers.append(Double(number) ?? .nan)
          number = ""
        }
        if next != " " { number.append(next) }
        rest.removeFirst()
      }
      if !number.isEmpty { numbers.append(Double(number) ?? .nan) }
      switch (command, numbers.count) {
      case ("M", 2): point = (numbers[0], numbers[1])
      case ("m", 2), ("l", 2): point = (point.x + numbers[0], point.y + numbers[1])
      case ("h", 1): point.x += numbers[0]
      case ("v", 1): point.y += numbers[0]
      default: point = (.nan, .nan)
      }
      let shown = (x: point.x / 10, y: point.y / 10)
      if command == "M" || command == "m" { lines.append([]) }
      lines[lines.count - 1].append(shown)
    }
    return lines
  }

  /// The paths of a text with some words, as data.
  private func paths(_ words: String, in text: String) -> [Substring] {
    text.split(separator: "\n").filter { $0.contains(words) && $0.hasPrefix("<path") }
      .compactMap { line in
        line.split(separator: "\"").first { $0.hasPrefix("M") && !$0.contains("#") }
      }
  }

  /// Points of the longest path of a colour.
  private func points(_ colour: String, in text: String) -> [(x: Double, y: Double)] {
    paths("stroke=\"\(colour)\"", in: text).max { $0.count < $1.count }
      .map { Self.lines($0).flatMap { $0 } } ?? []
  }

  @Test("it has a panel for each sensor, with legend, units, times, gaps and marks")
  func whole() throws {
    var log = TestLog()
    log.samples(0..<300, without: 100..<120) { _ in RawSample(ax: 100, ay: -100, gz: 5) }
    log.gap(100, 20, .stale)
    log.mark(5_000_000_000, "kerb")
    let text = try log.export(drawing)
    #expect(openElements(text) == [])
    #expect(text.contains("<text x=\"70\" y=\"70\">Acceleration in m/s²</text>"))
    #expect(text.contains(">Angular rate in rad/s</text>"))
    #expect(count(">Time in s</text>", in: text) == 2)
    #expect(count("class=\"gap\"", in: text) == 2)
    #expect(count("class=\"mark\"", in: text) == 2)
    #expect(count(">kerb</text>", in: text) == 2)
    // A legend and a letter at the line's end in both panels.
    for name in ["x", "y", "z"] { #expect(count(">\(name)</text>", in: text) == 4) }
    #expect(count("stroke-dasharray=\"70 30\"", in: text) == 4)
    let onlyGyro = try log.export(ExportOptions(format: .svg, units: .gDps, channels: .gyro))
    #expect(openElements(onlyGyro) == [])
    #expect(!onlyGyro.contains("Acceleration") && onlyGyro.contains("Angular rate in °/s"))
  }

  @Test("no line crosses a gap")
  func gaps() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.samples([0, 1, 2, 7, 8]) { _ in RawSample(ax: 100) }
    let text = try log.export(drawing)
    let path = try #require(paths("#c04a00", in: text).first { $0.hasPrefix("M700 ") })
    #expect(Self.lines(path).map(\.count) == [3, 2])
    // From between ticks 2 and 3 on, for 400 ms.
    log.gap(3, 4, .stale)
    let band = try #require(
      bands(in: log.export(ExportOptions(format: .svg, from: 250_000_000, to: 650_000_000))).first)
    #expect(abs(band.begin - (70 + 860 / 8)) < 0.5)
  }

  @Test("samples of an imported table lie at their times, and gaps between them")
  func imported() throws {
    // From a time far from 0 on, at a rate that is a hundredth off the one that is given, 100 s without 20.
    let begin: Int64 = 172_800_000_000_000
    let rows = (0..<10_000).filter { !(7000..<9000).contains($0) }
    let text = "t_ns,ax\n" + rows.map { "\(begin + Int64($0) * 10_100_000),\($0 % 2)\n" }.joined()
    let log = try Imports.log(Imports.csv(text, Imports.given(units: "raw", rate: hertz(100))))
    let whole = try TestLog.export(log, drawing).text
    // As people count: since the first sample, whose time the caption has.
    #expect(whole.contains(">0:00</text>") && whole.contains(">1:30</text>"))
    #expect(whole.contains("times since 172800 s"))
    let label = whole.split(separator: "<text x=\"").first { $0.contains(">1:30</text>") }
    #expect(label?.hasPrefix("836.3") == true, "70 + 860 · 90 / 101")
    let points = points("#c04a00", in: whole)
    #expect(abs((points.first?.x ?? 0) - 70) < 0.5)
    #expect(abs((points.last?.x ?? 0) - 930) < 0.5)
    #expect(abs(bands(in: whole)[0].begin - (70 + 860 * 0.7)) < 0.1)
    #expect(abs(bands(in: whole)[0].end - (70 + 860 * 0.9)) < 0.1)
    #expect(bands(in: whole).count == 1)
    let time = begin + 8000 * 10_100_000
    let part = ExportOptions(format: .svg, from: time - 20_000_000_000, to: time + 5_000_000_000)
    let cut = bands(in: try TestLog.export(log, part).text)
    #expect(cut.count == 1)
    #expect(abs(cut[0].begin - (70 + 860 * 9.9 / 25)) < 0.5 && abs(cut[0].end - 930) < 0.1)
  }

  /// Where gaps are drawn in the first panel.
  private func bands(in text: String) -> [(begin: Double, end: Double)] {
    paths("class=\"gap\"", in: text).first.map { path in
      Self.lines(path).map { ($0[0].x, $0[1].x) }
    } ?? []
  }

  @Test("it has labels as bars with their names, and counts names without room")
  func labels() throws {
    var log = TestLog()
    log.samples(0..<100) { RawSample(ax: Int16($0)) }
    var options = drawing
    options.labels = [
      try RecordingLabel("earlier", from: -1, to: 0),
      try RecordingLabel("left & right", from: 2_000_000_000, to: 5_000_000_000),
      try RecordingLabel("hidden", from: 2_100_000_000, to: 3_000_000_000),
      try RecordingLabel("run", from: 7_000_000_000, to: 8_000_000_000),
      // The drawing's end is half a period after the last tick's.
      try RecordingLabel("later", from: 10_050_000_000, to: .max),
    ]
    let text = try log.export(options)
    #expect(openElements(text) == [])
    #expect(count("left &amp; right</text>", in: text) == 2)
    #expect(count("run</text>", in: text) == 2)
    #expect(["hidden", "later", "earlier"].allSatisfy { !text.contains($0) })
    #expect(text.contains("1 label without room for the name"))
    let data = try #require(text.split(separator: "<path class=\"label\" d=\"").dropFirst().first)
    let lines = Self.lines(data.prefix { $0 != "\"" }).filter { $0.count == 2 }
    #expect(lines.count { abs($0[1].y - $0[0].y - 8) < 0.01 } == 3, "where each begins")
    let bars = lines.filter { $0[0].y == $0[1].y }
    // One scale, from 70 on, some 86 units a second.
    let ends = bars.flatMap { [$0[0].x, $0[1].x] }
    #expect(ends.count == 4)
    for (end, seconds) in zip(ends, [2.0, 5, 7, 8]) {
      #expect(abs((end - 70) / seconds - 85.6) < 0.1, "\(ends)")
    }
  }

  @Test("a name has room from seven units behind the one before on")
  func room() throws {
    // Ten nanoseconds a unit, and seven units a letter.
    for (from, silent) in [(145, 0), (135, 1)] as [(Int64, Int)] {
      let labels = try [
        RecordingLabel("a", from: 0, to: 1), RecordingLabel("b", from: from, to: from + 1),
      ]
      #expect(DrawingLabels(labels, in: 0..<8600).silent == silent, "\(from)")
    }
  }

  @Test("a thousand labels need at most 20 kB")
  func manyLabels() throws {
    var log = TestLog()
    log.samples(0..<100) { RawSample(ax: Int16($0)) }
    let bare = try log.export(drawing).utf8.count
    var options = drawing
    options.labels = try (0..<1000 as Range<Int64>).map { index in
      try RecordingLabel(
        String(repeating: "\u{1F6B6}", count: 15), from: index * 10_000_000,
        to: index * 10_000_000 + 1)
    }
    let text = try log.export(options)
    #expect(openElements(text) == [])
    #expect(text.utf8.count - bare <= 20_000, "\(text.utf8.count - bare) bytes")
  }

  @Test("it has at most 150 kB: noise, gaps, marks and long words", arguments: [0, 1, 5])
  func worst(_ gapEvery: UInt64) throws {
    var log = TestLog(TestLog.description(rate: hertz(1000)))
    log.description.note = String(repeating: "\"&'", count: 333)
    log.description.sensor.model = String(repeating: "<", count: 60)
    var noise: UInt64 = 7
    for tick in 0..<20_000 as Range<UInt64> {
      if gapEvery > 0, tick / 14 % gapEvery == 1 || gapEvery == 1 && tick % 2 == 1 {
        log.gap(tick, 1, .missed)
        continue
      }
      func count() -> Int16 {
        // Knuth's linear congruence (MMIX), by its highest bit.
        noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return noise >> 63 == 0 ? .min : .max
      }
      let sample = RawSample(
        ax: count(), ay: count(), az: count(), gx: count(), gy: count(), gz: count())
      log.sample(tick, Int64(tick) * 1_000_000, sample)
      if tick % 2 == 0 { log.mark(Int64(tick) * 1_000_000, tick % 9 == 0 ? "\"" : "") }
    }
    let text = try log.export(drawing)
    #expect(openElements(text) == [])
    #expect(text.utf8.count <= 150_000, "\(text.utf8.count) bytes")
    #expect(text.utf8.count > 60_000)
    // Marks after the thousandth are drawn too.
    let marks = try #require(paths("class=\"mark\"", in: text).first)
    #expect((Self.lines(marks).last?.last?.x ?? 0) > 925)
    #expect(text.contains("marks without room for words"))
  }

  @Test("a line is where its samples are, however many they are", arguments: [20, 1433, 10_000])
  func places(_ count: UInt64) throws {
    var log = TestLog(TestLog.description(channels: .accelerometer, rate: hertz(100)))
    // A staircase of ten steps from the bottom to the top.
    log.samples(0..<count) { RawSample(ax: Int16($0 * 10 / count) * 1000) }
    let points = points("#c04a00", in: try log.export(drawing))
    let (top, bottom) = (points.map(\.y).min() ?? 0, points.map(\.y).max() ?? 0)
    for point in points {
      let share = (point.x - 70) / 860
      let height = (bottom - point.y) / (bottom - top) * 9
      let near: [Double] = [-1, 0, 1].map { (side: Double) -> Double in
        let place: Double = share * 10 + side * (0.03 + 10 / Double(count))
        return min(max(place.rounded(.down), 0), 9)
      }
      #expect(near.contains { abs($0 - height) < 0.05 }, "\(point)")
    }
  }

  @Test("the user's words are escaped as text")
  func escaping() throws {
    var log = TestLog()
    log.description.note = "</svg><script>alert(1)</script> & \"x\" \u{0}\u{1B}\u{FFFE}"
    log.description.sensor.model = "<b>"
    log.sample(0, 0, RawSample())
    log.mark(5, "</text><g onload='x'>")
    let text = try log.export(drawing)
    #expect(openElements(text) == [])
    #expect(!text.contains("<script") && !text.contains("<b>") && !text.contains("<g onload"))
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0xFFFE })
  }

  @Test("recordings without samples, of one, of gaps alone or of impossible times are drawn")
  func odd() throws {
    var one = TestLog()
    one.sample(5, 500_000_000, RawSample(ax: .min))
    var onlyGaps = TestLog()
    onlyGaps.gap(0, 1 << 40, .missed)
    var far = TestLog()
    far.sample(0, 0, RawSample())
    far.gap(1, (1 << 55), .missed)
    for log in [TestLog(), one, onlyGaps, far] {
      #expect(openElements(try log.export(drawing)) == [])
      for (from, to) in [(-5, 3), (7, 2), (.min, .max), (.max - 1, .max), (0, -9)]
        as [(Int64, Int64)]
      {
        let part = try log.export(ExportOptions(format: .svg, from: from, to: to))
        #expect(openElements(part) == [], "\(from)…\(to)")
        let page = try log.export(ExportOptions(format: .html, from: from, to: to))
        #expect(page.hasSuffix("</html>\n"), "\(from)…\(to)")
      }
    }
  }

  @Test("times that go back where no grid gives them are drawn")
  func backwards() throws {
    var log = TestLog(TestLog.description(model: "imported"))
    for (tick, second) in [(0, 50), (1, 80), (10, 100), (11, 60), (20, 70), (21, 200)]
      as [(UInt64, Int64)]
    {
      if tick == 10 { log.gap(2, 8, .missed) }
      if tick == 20 { log.gap(12, 8, .missed) }
      log.sample(tick, second * 1_000_000_000, RawSample(ax: 1))
    }
    log.endAsCounted()
    #expect(openElements(try log.export(drawing)) == [])
  }
}
