// SPDX-License-Identifier: Apache-2.0

import Analysis
import Glibc
import IMUModel
import LogFormat
import LogStoreTesting
import Testing

/// Figures of made-up seconds, whose values follow from their definitions.
@Suite("Features of a second")
struct SecondFeaturesTests {
  /// ±4 g over 32768 counts, and 10 °/s in 655 counts.
  private static let description = ExampleLog.description()
  private static let acceleration = 9.80665 / 8192
  private static let rate = 10.0 / 655 * Double.pi / 180

  /// A second at 512 Hz of a sine of 20 Hz.
  private static let sine: [RawSample] = (0..<512).map { row in
    RawSample(ay: Int16((8000 * sin(2 * .pi * 20 * Double(row) / 512)).rounded()))
  }

  private func features(
    _ samples: [RawSample], hertz: Double = 100, ticks: [UInt64]? = nil, channels: ChannelSet = .all
  ) -> SecondFeatures {
    var description = Self.description
    description.channels = channels
    var features = SecondFeatures(description, hertz: hertz)
    var block = SampleBlock()
    for (row, sample) in samples.enumerated() {
      block.append(tick: ticks?[row] ?? UInt64(row), time: Int64(row) * 10_000_000, sample: sample)
      guard block.count == SampleBlock.capacity else { continue }
      features.add(0..<block.count, of: block)
      block = SampleBlock()
    }
    features.add(0..<block.count, of: block)
    return features
  }

  @Test("mean, deviation, peak, crest and kurtosis are those of their definitions, in SI units")
  func definitions() throws {
    // Of -3, 1, 1, 5: mean 1, m2 8, peak 4, m4 128.
    let values: [Int16] = [-3, 1, 1, 5]
    let features = features(values.map { RawSample(ax: $0, gz: -$0, temperature: 100) })
    let ax = try #require(features.axis(0))
    #expect(abs(ax.mean - 1 * Self.acceleration) < 1e-15)
    #expect(abs(ax.rms - 8.0.squareRoot() * Self.acceleration) < 1e-15)
    #expect(abs(ax.peak - 4 * Self.acceleration) < 1e-15)
    #expect(abs(try #require(ax.crest) - 2.0.squareRoot()) < 1e-12)
    #expect(abs(try #require(ax.kurtosis) - 2) < 1e-12)
    let gz = try #require(features.axis(5))
    #expect(abs(gz.mean + 1 * Self.rate) < 1e-15)
    #expect(abs(gz.peak - 4 * Self.rate) < 1e-15)
    let temperature: Double = 100.0 / 340 + 36.53
    #expect(abs(try #require(features.temperature) - temperature) < 1e-9)
  }

  @Test("a sine has its power in its band alone")
  func sine() throws {
    var features = features(Self.sine, hertz: 512)
    let bands = features.bandRMS()
    let expected = 8000 / 2.0.squareRoot() * Self.acceleration
    #expect(abs(try #require(bands[1]) / expected - 1) < 0.01)
    #expect(try #require(bands[2]) < expected / 100)
    #expect(try #require(bands[3]) < expected / 100)
    #expect(bands[4] == nil)
    #expect(bands[5] == nil)
  }

  @Test("a constant axis has neither crest nor kurtosis, and three samples no kurtosis")
  func none() throws {
    let still = [RawSample](repeating: RawSample(ax: -5, az: 8192), count: 9)
    let axis = try #require(features(still).axis(0))
    #expect((axis.rms, axis.peak) == (0, 0))
    #expect(axis.crest == nil && axis.kurtosis == nil)
    let three = try #require(features([-1, 0, 5].map { RawSample(ax: $0) }).axis(0))
    #expect(three.crest != nil && three.kurtosis == nil)
    #expect(features([]).axis(0) == nil)
  }

  @Test("the ends of the range in 8000 samples a second are exact")
  func extremes() throws {
    let samples = (0..<8000).map { row in
      RawSample(ax: row % 2 == 0 ? .min : .max, ay: .min, az: .max, gx: row == 0 ? .max : .min)
    }
    let features = features(samples, hertz: 8000)
    let ax = try #require(features.axis(0))
    #expect(abs(ax.mean + 0.5 * Self.acceleration) < 1e-12)
    #expect(abs(ax.rms - 32767.5 * Self.acceleration) < 1e-9)
    #expect(abs(try #require(ax.kurtosis) - 1) < 1e-12)
    #expect(try #require(features.axis(1)).rms == 0)
    let spike = try #require(features.axis(3))
    #expect(abs(spike.peak - 65535.0 * 7999 / 8000 * Self.rate) < 1e-9)
    #expect(try #require(spike.kurtosis) > 7900)
  }

  @Test("no window reaches across a missing tick, and a second without eight in a row has no bands")
  func gaps() throws {
    // 7 ticks, a gap, 7 ticks and so on: a step at each gap would be a broad spectrum.
    func made(_ run: Int, _ period: Int, _ count: Int, _ step: Int) -> SecondFeatures {
      var (ticks, samples): ([UInt64], [RawSample]) = ([], [])
      for row in 0..<count {
        let tick = row / run * period + row % run
        ticks.append(UInt64(tick))
        samples.append(RawSample(ax: Int16(tick / period * step)))
      }
      return features(samples, ticks: ticks)
    }
    var broken = made(7, 8, 70, 100)
    #expect(broken.bandRMS().allSatisfy { $0 == nil })
    var stepped = made(36, 40, 72, 9000)
    let bands = stepped.bandRMS()
    #expect(bands[1] == 0)
  }

  @Test("a second with one axis has the bands of that axis")
  func oneAxis() throws {
    var features = features(
      Self.sine, hertz: 512, channels: ChannelSet(rawValue: 0b000_0010))
    let band = try #require(features.bandRMS()[1])
    #expect(abs(band / (8000 / 2.0.squareRoot() * Self.acceleration) - 1) < 0.01)
    #expect(features.axis(0) == nil && features.axis(1) != nil && features.temperature == nil)
  }
}
