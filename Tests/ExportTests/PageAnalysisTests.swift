// SPDX-License-Identifier: Apache-2.0

import Export
import Glibc
import IMUModel
import Testing

@Suite("The page's section about vibration and noise")
struct PageAnalysisTests {
  private var options: ExportOptions {
    ExportOptions(format: .html).with { $0.hasAnalysis = true }
  }

  /// 25 Hz of ±1000 counts along x and 7 Hz of ±500 counts about z, at 200 Hz.
  private func log(_ count: Int, channels: ChannelSet = .all) -> TestLog {
    var log = TestLog(TestLog.description(channels: channels, rate: hertz(200)))
    for tick in 0..<count {
      let turn = 2 * Double.pi * Double(tick) / 200
      var sample = RawSample(
        ax: Int16((1000 * sin(25 * turn)).rounded()), ay: Int16(tick % 3), az: 16384,
        gx: Int16(-(tick % 2)), gy: Int16(tick % 5), gz: Int16((500 * sin(7 * turn)).rounded()))
      sample.temperature = -2220
      log.sample(UInt64(tick), Int64(tick) * 5_000_000, sample)
    }
    log.end(TickTally(sampled: UInt64(count)))
    return log
  }

  /// The section's text.
  private func section(_ page: String) throws -> Substring {
    let parts = page.split(separator: "<section id=\"analysis\">")
    try #require(parts.count == 2)
    return try #require(parts[1].split(separator: "</section>").first)
  }

  @Test("has the figures of every axis, and drawings of densities, deviations and the spectrogram")
  func contents() throws {
    let section = try section(try log(4000).export(options))
    #expect(section.contains("recording 7: 4000 samples in 1 segment, 20.00 s at 200 Hz claimed"))
    let row = try #require(section.split(separator: "\n").first { $0.contains("RMS without mean") })
    // 1000 counts of 16384 a g, by the root of two.
    #expect(row.contains("<td>0.04316</td>"), "\(row)")
    #expect(section.contains("<th scope=\"row\">peak 1 in Hz, estimated</th><td>25.00</td>"))
    for title in [
      "Density of the acceleration in g²/Hz", "Density of the angular rate in (°/s)²/Hz",
      "Allan deviation of the acceleration in g", "Allan deviation of the angular rate in °/s",
      "Magnitude of the acceleration, dB re 1 g²/Hz",
    ] {
      #expect(section.contains("<title>\(title)</title>") || section.contains(": \(title)</title>"))
    }
    #expect(section.split(separator: "<figure>").count - 1 == 5)
    #expect(section.utf8.count < 450_000)
    // Markup of its own within the page: no second declaration, style or script.
    for word in ["<?xml", "<style", "<script", "<link", "href"] {
      #expect(!section.contains(word), "\(word)")
    }
    #expect(
      section.split(separator: "<figure>").count == section.split(separator: "</figure>").count)
  }

  @Test("the highest point of a curve is at the frequency of the vibration")
  func peak() throws {
    let section = try section(try log(4000).export(options))
    for (title, letter, frequency) in [
      ("Density of the acceleration", "x", 25.0), ("Density of the angular rate", "z", 7),
    ] {
      let drawing = try #require(
        section.split(separator: "<figure>").first { $0.contains("<title>\(title)") })
      // The first path of a letter is the legend's.
      let path = try #require(
        drawing.split(separator: "<path class=\"\(letter)\" d=\"").dropFirst(2).first?.split(
          separator: "\""
        ).first)
      let points = DrawingTests.lines(path).flatMap(\.self)
      let highest = try #require(points.min { $0.y < $1.y })
      // Windows of 512 samples: from 200 / 512 Hz to 100 Hz on 840 units.
      let (low, high) = (log10(200.0 / 512), log10(100.0))
      let wanted = 90 + 840 * (log10(frequency) - low) / (high - low)
      #expect(abs(highest.x - wanted) < 6, "\(title): \(highest.x), \(wanted)")
      #expect(abs(highest.y - 40) < 0.2, "\(title): \(highest.y)")
    }
  }

  @Test("is of the samples that the page has: a stretch, one sensor")
  func selection() throws {
    var part = options
    (part.from, part.to) = (2_000_000_000, 7_000_000_000)
    part.channels = .gyro
    let section = try section(try log(4000).export(part))
    #expect(section.contains("1000 samples in 1 segment, 5.000 s"))
    #expect(!section.contains("acceleration") && section.contains("gx, dB re 1 (°/s)²/Hz"))
  }

  @Test("says why a recording is not analysed, and leaves the page whole")
  func refused() throws {
    let page = try log(50).export(options)
    let section = try section(page)
    #expect(
      section.contains("Not analysed: 50 samples are the longest run without a gap"), "\(section)")
    #expect(try PageSamples(page: page).facts.sampleCount == 50)
    let cold = try self.section(try log(100, channels: .temperature).export(options))
    #expect(cold.contains("There is no axis of a sensor to analyse."))
    let none = try self.section(try TestLog().export(options))
    #expect(none.contains("Not analysed: there is no sample to analyse"))
  }

  @Test("is left out unless it is asked for")
  func unasked() throws {
    #expect(!(try log(4000).export(ExportOptions(format: .html))).contains("id=\"analysis\""))
  }
}
