// SPDX-License-Identifier: Apache-2.0

import Export
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

  /// Coordinates of the longest path of a colour.
  private func points(_ colour: String, in text: String) -> [(x: Double, y: Double)] {
    let paths = text.split(separator: "\n").filter {
      $0.contains(colour) && $0.hasPrefix("<path d=\"M")
    }
    guard let path = paths.max(by: { $0.count < $1.count })?.split(separator: "\"")[1] else {
      return []
    }
    return path.split { "ML".contains($0) }.compactMap { pair in
      let numbers = pair.split(separator: " ").compactMap { Double($0) }
      return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
    }
  }

  @Test("it has a panel for each sensor, with legend, units, times, gaps and marks")
  func whole() throws {
    var log = TestLog()
    for tick in 0..<300 as Range<UInt64> where !(100..<120).contains(tick) {
      log.sample(tick, Int64(tick) * 100_000_000, RawSample(ax: 100, ay: -100, gz: 5))
    }
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
    #expect(count("stroke-dasharray=\"7 3\"", in: text) == 4)
    let onlyGyro = try log.export(ExportOptions(format: .svg, units: .gDps, channels: .gyro))
    #expect(openElements(onlyGyro) == [])
    #expect(!onlyGyro.contains("Acceleration") && onlyGyro.contains("Angular rate in °/s"))
  }

  @Test("no line crosses a gap")
  func gaps() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    for tick in [0, 1, 2, 7, 8] as [UInt64] {
      log.sample(tick, Int64(tick) * 100_000_000, RawSample(ax: 100))
    }
    let text = try log.export(drawing)
    let line = try #require(
      text.split(separator: "\n").first { $0.hasPrefix("<path d=\"M70 ") && $0.contains("#c04a00") }
    )
    #expect(count("M", in: String(line)) == 2)
    #expect(count("L", in: String(line)) == 3)
  }

  @Test("samples of an imported table lie at their times, and gaps between them")
  func imported() throws {
    // From a time far from 0 on, at a rate that is a hundredth off the one that is given, 100 s without 20.
    let begin: Int64 = 1_700_000_000_000_000_000
    let rows = (0..<10_000).filter { !(7000..<9000).contains($0) }
    let text = "t_ns,ax\n" + rows.map { "\(begin + Int64($0) * 10_100_000),\($0 % 2)\n" }.joined()
    var options = Imports.options
    options.rate = hertz(100)
    let log = try Imports.log(Imports.csv(text, options))
    let whole = try TestLog.export(log, drawing).text
    let points = points("#c04a00", in: whole)
    #expect(points.first?.x == 70)
    #expect(abs((points.last?.x ?? 0) - 930) < 0.1)
    #expect(abs(bands(in: whole)[0].begin - (70 + 860 * 0.7)) < 0.1)
    #expect(abs(bands(in: whole)[0].end - (70 + 860 * 0.9)) < 0.1)
    #expect(bands(in: whole).count == 1)
    let time = begin + 8000 * 10_100_000
    let part = ExportOptions(
      format: .svg, from: time - 20_000_000_000, to: time + 5_000_000_000)
    let cut = bands(in: try TestLog.export(log, part).text)
    #expect(cut.count == 1)
    #expect(abs(cut[0].begin - (70 + 860 * 9.9 / 25)) < 0.5 && abs(cut[0].end - 930) < 0.1)
  }

  /// Where gaps are drawn in the first panel.
  private func bands(in text: String) -> [(begin: Double, end: Double)] {
    text.split(separator: "\n").filter { $0.hasPrefix("<rect class=\"gap\"") }.compactMap { line in
      let words = line.split(separator: "\"")
      guard let begin = Double(words[3]), let width = Double(words[7]) else { return nil }
      return (begin, begin + width)
    }
  }

  @Test("a peak of one sample in many thousands is drawn, and the drawing stays small")
  func peaks() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer, rate: hertz(1000)))
    for tick in 0..<20_000 as Range<UInt64> {
      let ax: Int16 = tick == 12_345 ? 16_384 : 0
      log.sample(tick, Int64(tick) * 1_000_000, RawSample(ax: ax, ay: Int16(tick % 7)))
    }
    let text = try log.export(drawing)
    let points = points("#c04a00", in: text)
    let top = try #require(points.min { $0.y < $1.y })
    #expect(abs(top.x - (70 + 860 * 12.345 / 20)) < 1)
    #expect(points.filter { $0.y < top.y + 50 }.count <= 2)
    #expect(text.utf8.count < 500_000)
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

  @Test(
    "a recording without samples, of one sample, of gaps alone or of a time that is no time is drawn"
  )
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
}
