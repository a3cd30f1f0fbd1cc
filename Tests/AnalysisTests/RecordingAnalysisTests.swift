// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import TestSupport
import Testing

@testable import Analysis

@Suite("What a recording shows")
struct RecordingAnalysisTests {
  /// 20 s at 500 Hz: 50 Hz of 1 g along x, a standstill elsewhere but for noise.
  static func vibration(_ noise: inout Noise) throws -> WrittenLog {
    var log = try WrittenLog(hertz: 500)
    for tick in 0..<10_000 {
      let x = 1000 * sin(2 * Double.pi * 0.1 * Double(tick))
      var sample = RawSample(ax: Noise.counts(x + 20), ay: -40, az: 1000)
      for axis in 1..<6 { sample[axis] += Noise.counts(noise.normal() * (axis < 3 ? 3 : 5)) }
      log.add(UInt64(tick), sample)
    }
    return log
  }

  @Test("figures are in g, °/s and mm/s")
  func figures() throws {
    var noise = Noise()
    let analysis = RecordingAnalysis(try Self.vibration(&noise).columns())
    let x = analysis.axes[0]
    #expect(analysis.axes.map(\.name) == ["ax", "ay", "az", "gx", "gy", "gz"])
    #expect(abs(x.mean - 0.02) < 1e-3)
    #expect(abs(x.rms - 0.5.squareRoot()) < 1e-3)
    // Ten samples a period: the highest are a fifth of it from its beginning.
    #expect(abs(x.peak - sin(0.4 * Double.pi)) < 2e-3)
    let velocity = try #require(x.velocity)
    #expect(abs(velocity / (0.5.squareRoot() * 9806.65 / (2 * Double.pi * 50)) - 1) < 2e-3)
    #expect(abs(try #require(x.peaks.first).frequency - 50) < 0.01)
    #expect(abs(analysis.axes[2].mean - 1) < 1e-3)
    #expect(abs(analysis.axes[3].rms - 0.05) < 0.005, "seed \(noise.seed)")
    #expect(analysis.axes[3].velocity == nil)
    #expect(abs(try #require(analysis.total(\.rms)) - 0.5.squareRoot()) < 1e-3)
  }

  @Test("noise terms are refused where the sensor moved, with the axis and the bound")
  func motion() throws {
    var noise = Noise()
    let analysis = RecordingAnalysis(try Self.vibration(&noise).columns())
    let motion = try #require(analysis.motion)
    let bound = "the standard deviation of ax is 0.71 g, and at rest it is 0.050 g at most"
    #expect(motion == "the sensor moved: \(bound)")
    for axis in analysis.axes {
      let terms = [axis.noise.randomWalk, axis.noise.biasInstability, axis.noise.rateRandomWalk]
      #expect(terms.allSatisfy { $0 == .refused(motion) }, "\(axis.name)")
    }
    expectRefusal("noise parameters cannot be written: \(motion): record") {
      _ = try KalibrNoise.text(analysis, number: 3)
    }
  }

  @Test("at rest, N is in g and °/s a √Hz, and Kalibr's file is refused without K")
  func rest() throws {
    var noise = Noise()
    var log = try WrittenLog(hertz: 100)
    for tick in 0..<40_000 {
      var sample = RawSample(az: 1000)
      for axis in 0..<6 { sample[axis] += Noise.counts(noise.normal() * (axis < 3 ? 20 : 30)) }
      log.add(UInt64(tick), sample)
    }
    let analysis = RecordingAnalysis(try log.columns())
    #expect(analysis.motion == nil)
    for axis in analysis.axes {
      let value = try #require(axis.noise.randomWalk.value, "\(axis.name), seed \(noise.seed)")
      let expected = axis.isAcceleration ? 0.02 / 10 : 0.3 / 10
      #expect(abs(value * axis.scale / expected - 1) < 0.2, "\(axis.name), seed \(noise.seed)")
    }
    let error = #expect(throws: AnalysisError.self, "seed \(noise.seed)") {
      try KalibrNoise.text(analysis, number: 3)
    }
    let words = "K of ax, ay, az, gx, gy, gz: no part of the curve has the slope +1/2"
    #expect(error?.description.contains(words) == true, "seed \(noise.seed)")
  }

  @Test("Kalibr's file is refused without one of the sensors, with the channels that are there")
  func oneSensor() throws {
    var log = try WrittenLog(hertz: 100, channels: .accelerometer)
    for tick in 0..<1000 { log.add(UInt64(tick), RawSample(az: 1000)) }
    let analysis = RecordingAnalysis(try log.columns(channels: .accelerometer))
    #expect(
      throws: AnalysisError.channelsMissing(
        needed: "x, y and z of both sensors", recorded: .accelerometer)
    ) { try KalibrNoise.text(analysis, number: 3) }
  }

  @Test("Kalibr's file has the noisiest axis in SI units")
  func kalibr() throws {
    var noise = Noise(seed: 7)
    var log = try WrittenLog(hertz: 100)
    log.description.sensor.accelerometerScale = Fraction(1, 1_000_000)
    log.description.sensor.gyroscopeScale = Fraction(1, 100_000)
    var walk = SIMD8<Double>()
    for tick in 0..<80_000 {
      var sample = RawSample()
      for channel in 0..<6 {
        walk[channel] += noise.normal() * (channel == 1 || channel == 5 ? 16 : 8)
        sample[channel] = Noise.counts(noise.normal() * 400 + walk[channel])
      }
      log.add(UInt64(tick), sample)
    }
    let analysis = RecordingAnalysis(try log.columns())
    let text = try KalibrNoise.text(analysis, number: 12)
    var values: [String: Double] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: " ")
      values[String(parts[0].dropLast())] = Double(parts[1])
    }
    #expect(text.contains("rostopic: /imu0\n"))
    #expect(values["update_rate"] == 100)
    let g = 9.80665e-6
    #expect(abs((values["accelerometer_noise_density"] ?? 0) / (40 * g) - 1) < 0.4)
    #expect(abs((values["accelerometer_random_walk"] ?? 0) / (160 * g) - 1) < 0.4)
    let radian = Double.pi / 180 * 1e-5
    #expect(abs((values["gyroscope_noise_density"] ?? 0) / (40 * radian) - 1) < 0.4)
    #expect(abs((values["gyroscope_random_walk"] ?? 0) / (160 * radian) - 1) < 0.4)
  }

  @Test("a spectrogram has a line at the frequency of a vibration, in every column")
  func spectrogram() throws {
    var noise = Noise()
    let columns = try Self.vibration(&noise).columns()
    let found = try Spectrogram(columns, of: .channel(0))
    #expect(found.rows == 128)
    #expect(found.top == 250)
    #expect(found.columns.count == 38)
    for column in found.columns {
      let highest = column.indices.max { column[$0] < column[$1] }
      // Row k is of (k + 1) · 500 / 256 Hz.
      #expect(highest == 25, "seed \(noise.seed)")
    }
    #expect(throws: AnalysisError.self) {
      try Spectrogram(try Self.vibration(&noise).columns(channels: .gyroscope), of: .magnitude)
    }
  }

  @Test("a spectrogram of times that go back by centuries has a column for each window that it can")
  func timesGoBack() throws {
    var log = try WrittenLog(hertz: 100, isImported: true)
    for tick in 0..<2000 {
      let start: Int64 = tick < 1000 ? 1 << 61 : -(1 << 62) + 1
      log.add(UInt64(tick), at: start + Int64(tick) * 10_000_000, RawSample(ax: Int16(tick % 7)))
    }
    let found = try Spectrogram(try log.columns(), of: .channel(0))
    #expect(found.columns.contains { !$0.isEmpty })
  }

  @Test("the cells of a frequency have their middle where the axis has it", arguments: [128, 4000])
  func place(count: Int) throws {
    var log = try WrittenLog(hertz: 1000)
    for tick in 0..<count {
      let value = 9000 * sin(2 * Double.pi * 250 * Double(tick) / 1000)
      log.add(UInt64(tick), RawSample(ax: Int16(value), ay: 7, az: -1000))
    }
    let spectrogram = try Spectrogram(try log.columns(), of: .channel(0))
    var text = ""
    try SpectrogramDrawing(spectrogram, number: 4)
      .write { (part: String) throws(AnalysisError) in text += part }
    func numbers(_ line: some StringProtocol) -> [Double] {
      line.split { !$0.isNumber && $0 != "." && $0 != "-" }.compactMap { Double($0) }
    }
    // translate(70 Y) scale(ACROSS -UP): cell k lies at Y - k UP; the brightest is the last of the paths.
    let group = try #require(text.split(separator: "\n").first { $0.contains("translate(70") })
    let change = numbers(group.split(separator: "transform=")[1])
    let column = try #require(spectrogram.columns.first)
    let brightest = try #require(column.indices.max { column[$0] < column[$1] })
    let y = change[1] + Double(brightest) * change[3]
    // <path … d="M65 Y H70"/><text …>200</text>
    let ticks = try ["200", "300"].map { label in
      let line = try #require(
        text.split(separator: "\n").first { $0.hasSuffix("text-anchor=\"end\">\(label)</text>") })
      return numbers(line.split(separator: "M65 ")[1].split(separator: "H")[0])[0]
    }
    let wanted = (ticks[0] + ticks[1]) / 2
    #expect(abs(y - wanted) < 0.01, "\(y) \(wanted)")
  }

  @Test("its drawing has axes, units and no more than 250 kB")
  func drawing() throws {
    var noise = Noise()
    var log = try WrittenLog(hertz: 1000)
    for tick in 0..<60_000 where !(20_000..<30_000).contains(tick) {
      log.add(UInt64(tick), RawSample(ax: Noise.counts(noise.normal() * 100), ay: 7, az: -1000))
    }
    var text = ""
    try SpectrogramDrawing(try Spectrogram(try log.columns(), of: .magnitude), number: 4)
      .write { (part: String) throws(AnalysisError) in text += part }
    #expect(text.hasPrefix("<?xml") && text.hasSuffix("</svg>\n"))
    #expect(text.contains("Recording 4: Magnitude of the acceleration, dB re 1 g²/Hz"))
    #expect(text.contains("Frequency in Hz") && text.contains("Time in s"))
    #expect(text.contains("prefers-color-scheme: dark"))
    for colour in ["#440154", "#fde725"] {
      #expect(text.contains("<path stroke=\"\(colour)\" d=\"M"))
    }
    #expect(text.utf8.count < 250_000)
  }
}

@Suite("Numbers with significant digits")
struct DigitsTests {
  @Test(
    "are rounded and have no more digits than asked for",
    arguments: [
      (1.0, 3, "1.00"), (-12.346, 4, "-12.35"), (9.996, 3, "10.0"), (0.00012345, 2, "0.00012"),
      (0.000012345, 3, "1.23e-5"), (1234.5, 2, "1200"), (999_999.6, 6, "1.00000e6"), (0, 4, "0"),
      (50, 4, "50.00"), (2e-9, 1, "2e-9"), (.infinity, 3, "-"), (.nan, 3, "-"),
    ])
  func text(value: Double, digits: Int, text: String) {
    #expect(Digits.text(value, digits) == text)
  }
}
