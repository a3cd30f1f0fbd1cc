// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import TestSupport
import Testing

@Suite("The page for a browser")
struct PageTests {
  private let page = ExportOptions(format: .html)

  @Test("every sample comes back with its tick, time and counts, whatever lies between them")
  func samples() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for unit: Int64 in [1, 1000, 1_000_000] {
      var log = TestLog(TestLog.description(rate: hertz(100), timeUnit: unit))
      var expected: [(UInt64, Int64, RawSample)] = []
      var tick: UInt64 = 0
      // Times are exact up to 2^53 units: 104 days of nanoseconds.
      let farthest: UInt64 = unit == 1 ? 5_000_000 : 5_000_000_000
      var level: Int16 = 0
      for index in 0..<2500 {
        // Calm, then wild; neighbours, then holes of any size.
        let isWild = index / 300 % 2 == 1
        if index % 97 == 0 {
          tick += [1, 200, 70_000, farthest].randomElement(using: &random) ?? 1
        }
        level =
          isWild
          ? .random(in: .min...(.max), using: &random)
          : level &+ .random(in: -9...9, using: &random)
        let late = Int64.random(in: 0...(isWild ? 9_000_000 : 90_000), using: &random)
        let time = (Int64(tick) * 10_000_000 + late) / unit * unit
        let sample = RawSample(ax: level, ay: -1, gz: level, temperature: 7)
        log.sample(tick, time, sample)
        expected.append((tick, time, sample))
        tick += 1
      }
      let found = try PageSamples(page: log.export(page))
      #expect(found.facts.sampleCount == expected.count)
      // Compared as a whole: thousands of numbers would say no more.
      let isInTime = found.ticks == expected.map(\.0) && found.times == expected.map(\.1)
      #expect(isInTime, "seed \(seed)")
      for channel in 0..<7 {
        let isSame = found.counts[channel] == expected.map { $0.2[channel] }
        #expect(isSame, "seed \(seed)")
      }
    }
  }

  @Test("100 000 samples of pure noise, a sensor's worst case, are less than 2.5 MB")
  func size() throws {
    var random = SeededGenerator(seed: 3)
    var log = TestLog(TestLog.description(rate: hertz(1000), timeUnit: 1000))
    for tick in 0..<3000 as Range<Int64> {
      var sample = RawSample()
      for channel in 0..<7 { sample[channel] = .random(in: .min...(.max), using: &random) }
      log.sample(
        UInt64(tick), tick * 1_000_000 + .random(in: 0...900, using: &random) * 1000, sample)
    }
    let text = try log.export(page)
    let samples = try PageSamples(page: text)
    let frame = text.utf8.count - samples.encodedCount
    #expect(frame < 85_500)
    #expect(frame + samples.encodedCount * 100_000 / 3000 < 2_500_000)
  }

  @Test("the user's words are escaped everywhere and never end a script")
  func escaping() throws {
    let words = "</script><script>alert(1)</script><!--<b>&\"'\u{1B}\u{0}"
    var log = TestLog()
    log.description.note = words
    log.description.board = words
    log.description.host = words
    log.description.sensor.model = words
    log.sample(0, 0, RawSample())
    log.mark(5, words)
    let text = try log.export(page)
    #expect(!text.contains("<script>alert"))
    #expect(!text.contains("<b>"))
    #expect(!text.contains("<!--"))
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x7F })
    // The three scripts of the page and no other.
    #expect(text.ranges(of: "<script").count == 3)
    #expect(text.ranges(of: "</script>").count == 3)
    #expect(text.contains("<title>Recording 7: &lt;/script&gt;&lt;script&gt;alert(1)"))
    let json = try PageSamples.element("application/json\" id=\"facts", in: text)
    #expect(json.contains(#""\u003c/script>\u003cscript>alert(1)"#))
  }

  @Test("the page loads nothing, and its policy forbids loading")
  func alone() throws {
    let text = try TestLog.ramp(TestLog.description(), [1, 2, 3]).export(page)
    #expect(text.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
    #expect(text.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; script-src"))
    for sign in ["://", " src=", "@import", "url(", "<link", "fetch(", "XMLHttpRequest", "import("]
    {
      #expect(!text.contains(sign), "\(sign)")
    }
  }

  @Test("the script gets gaps, marks, start and units")
  func facts() throws {
    var log = TestLog()
    log.clock(0, wall: 1_795_228_687_000_000_000, synchronised: true)
    log.sample(0, 0, RawSample())
    log.gap(1, 2, .missed)
    log.gap(3, 1, .busError, code: 121)
    log.sample(4, 400_000_000, RawSample())
    log.mark(250_000_000, "kerb")
    let text = try log.export(page)
    let json = try PageSamples.element("application/json\" id=\"facts", in: text)
    #expect(
      json.contains(
        #""gaps":[{"t_ns":100000000,"tick":1,"count":2,"cause":"missed"},{"t_ns":300000000,"tick":3,"count":1,"cause":"busError","errno":121}]"#
      ))
    #expect(json.contains(#""missed":"woken too late""#))
    #expect(json.contains(#""marks":[{"t_ns":250000000,"label":"kerb"}]"#))
    let facts = try PageSamples(page: text).facts
    #expect(facts.started_ms == 1_795_228_687_000)
    #expect(facts.range_ns == [0, 500_000_000])
    #expect(facts.panels.map(\.unit) == ["m/s²", "rad/s", "°C"])
    #expect(facts.panels.map(\.columns) == [[0, 1, 2], [3, 4, 5], [6]])
    #expect(facts.panels[0].scale == [[1, 16384], [980_665, 100_000]])
    #expect(facts.panels[2].offset == [3653, 100])
    let other = try PageSamples(
      page: log.export(ExportOptions(format: .html, units: .gDps, channels: .gyro))
    ).facts
    #expect(other.channels == ["gx", "gy", "gz"])
    #expect(other.panels.map(\.unit) == ["°/s"])
    #expect(other.panels[0].columns == [0, 1, 2])
  }

  @Test("a range has its samples, its gaps and its ends")
  func range() throws {
    var log = TestLog()
    log.samples(0..<100, without: 40..<41) { RawSample(ax: Int16($0)) }
    let part = ExportOptions(format: .html, from: 3_000_000_000, to: 5_000_000_000)
    let found = try PageSamples(page: log.export(part))
    #expect(found.counts[0] == Array(30..<40) + Array(41..<50))
    #expect(found.facts.range_ns == [3_000_000_000, 5_000_000_000])
  }

  @Test("the ends of a table that was imported are those of its times")
  func imported() throws {
    let times = (0..<500 as Range<Int64>).map { 5_000_000_000 + $0 * 10_100_000 }
    let log = try Imports.log(
      Imports.csv(Imports.table(times), Imports.given(units: "raw", rate: hertz(100))))
    let facts = try PageSamples(page: TestLog.export(log, page).text).facts
    #expect(facts.imported)
    #expect(facts.range_ns == [5_000_000_000, 10_049_900_000])
    let part = ExportOptions(format: .html, from: 1, to: 6_000_000_000)
    #expect(
      try PageSamples(page: TestLog.export(log, part).text).facts.range_ns
        == [5_000_000_000, 6_000_000_000])
  }

  @Test("a part has the ticks of its samples and gaps, and none that its ends suggest")
  func ticksOfAPart() throws {
    // A hundredth slower than the rate; 700..<720 are missing, from 7.07 s on.
    var drifting = TestLog(TestLog.description(channels: .accelerometer, rate: hertz(100)))
    drifting.description.clock = .chip(busClock: nil)
    // On the grid, but six tenths of a period late.
    var late = TestLog(TestLog.description(channels: .accelerometer, rate: hertz(100)))
    for tick in 0..<2000 as Range<UInt64> where !(700..<720).contains(tick) {
      drifting.sample(tick, Int64(tick) * 10_100_000, RawSample(ax: 1))
      late.sample(tick, Int64(tick) * 10_000_000 + 6_000_000, RawSample(ax: 1))
    }
    drifting.gap(700, 20, .missed)
    late.gap(700, 20, .missed)
    for log in [drifting, late] {
      for (from, to) in [
        (3_000_000_000, 9_000_000_000), (3_003_000_000, 8_995_000_000), (0, 5_005_000_000),
        (12_345_000_000, 12_995_000_000), (7_015_000_000, 7_077_000_000),
      ] as [(Int64, Int64)] {
        let part = ExportOptions(format: .html, from: from, to: to)
        let page = try PageSamples(page: log.export(part))
        let document = try log.export(ExportOptions(format: .json, from: from, to: to))
        let missing = try GapDocument(document).gaps.reduce(0) { $0 + $1.count }
        let ticks = page.facts.ticks
        #expect(
          ticks[1] - ticks[0] == UInt64(page.ticks.count) + missing, "\(from) to \(to) ns")
        #expect(ticks[0] <= page.ticks.first ?? .max && ticks[1] > page.ticks.last ?? 0)
      }
    }
    #expect(try PageSamples(page: late.export(page)).facts.ticks == [0, 2000])
  }

  @Test("a chip's recording is as long as its samples' times are, with what is missing at its end")
  func length() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer, rate: hertz(1000)))
    log.description.clock = .chip(busClock: nil)
    for tick in 0..<3000 as Range<UInt64> {
      log.sample(tick, Int64(tick) * 1_010_000, RawSample(ax: 1))
    }
    #expect(try log.export(page).contains("<dt>Length</dt><dd>3.03 s estimated</dd>"))
    let part = ExportOptions(format: .html, from: 1_000_000_000, to: 1_500_500_000)
    #expect(try log.export(part).contains("<dt>Length</dt><dd>0.5005 s estimated</dd>"))
    log.gap(3000, 500, .missed)
    let text = try log.export(page)
    #expect(text.contains("<dt>Length</dt><dd>3.53 s estimated</dd>"))
    #expect(try PageSamples(page: text).facts.range_ns == [0, 3_529_990_000])
  }

  @Test("a table of a calendar's times counts from its first sample, without losing a nanosecond")
  func calendar() throws {
    let begin: Int64 = 1_700_000_000_000_000_123
    let times = (0..<300).map { begin + $0 * 10_000_000 + $0 * 7919 % 90_000 }
    // As imports made it before they had a date of their own.
    var made = TestLog(TestLog.description(channels: ChannelSet(rawValue: 1), rate: hertz(100)))
    made.description.sensor.model = SensorDescription.importedModel
    for (tick, time) in times.enumerated() {
      made.sample(UInt64(tick), time, RawSample(ax: Int16(tick)))
    }
    made.end(TickTally(sampled: 300), .imported)
    let log = try made.bytes()
    for from in [nil, begin + 1_000_000_000] {
      var part = page
      part.from = from
      let text = try TestLog.export(log, part).text
      let found = try PageSamples(page: text)
      let isSame = found.times.map { $0 + begin } == times.filter { $0 >= from ?? 0 }
      #expect(isSame && found.facts.zero_ns == "\(begin)")
      #expect(found.facts.range_ns[0] == (from ?? begin) - begin)
      #expect(found.facts.started_ms == 1_700_000_000_000)
      #expect(text.contains("<dd>2023-11-14T22:13:20Z, claimed by the table&#39;s own times</dd>"))
      #expect(text.contains("<span>times since 2023-11-14T22:13:20.000000123Z</span>"))
    }
    // Since a computer's start, two days before: no date, but no 48 hours on the axis either.
    let table = Imports.table(times.map { $0 - begin + 172_800_000_000_000 })
    let text = try TestLog.export(Imports.log(Imports.csv(table)), page).text
    #expect(try PageSamples(page: text).facts.started_ms == nil)
    #expect(!text.contains("<dt>Started") && text.contains("times since 172800 s"))
  }

  @Test("a beginning before 1970 is cut to the second before it")
  func before1970() throws {
    #expect(try TestLog.before1970().export(page).contains("<dd>1969-12-31T23:59:58Z, claimed by"))
  }

  @Test("a recording without samples, and a damaged one, are pages too")
  func odd() throws {
    let empty = try PageSamples(page: TestLog().export(page))
    #expect(empty.facts.sampleCount == 0 && empty.ticks.isEmpty)
    let counts = TestLog.noise(4000, seed: 6)
    var bytes = try TestLog.ramp(TestLog.description(rate: hertz(100)), counts).bytes()
    bytes[2 * 4096 + 5] ^= 0x10
    let (text, report) = try TestLog.export(bytes, page)
    let found = try PageSamples(page: text)
    #expect(report.damages == 1)
    #expect(found.ticks.count == Int(report.samples) && found.ticks.count < 4000)
    for (tick, count) in zip(found.ticks, found.counts[0]) { #expect(count == counts[Int(tick)]) }
    #expect(text.contains("<dt>Damage</dt><dd>1 part of the log cannot be read</dd>"))
    let lost = 4000 - report.samples
    #expect(text.contains("<span>\(lost) missing in 1 unreadable part</span>"))
    #expect(text.contains("<dt>Samples</dt><dd>\(report.samples) of 4000, \(lost) lost"))
    // The grid shows which ticks a part of it has.
    let first = try #require(zip(found.ticks, found.ticks.dropFirst()).first { $1 > $0 + 1 })
    let cut = Int64(first.0 + 5) * 10_000_000
    let part = ExportOptions(format: .html, from: cut, to: cut + 20_000_000_000)
    let facts = try PageSamples(page: TestLog.export(bytes, part).text).facts
    #expect(facts.ticks == [first.0 + 5, first.0 + 2005])
  }
}
