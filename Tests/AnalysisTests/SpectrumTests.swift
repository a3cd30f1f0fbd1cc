// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@testable import Analysis

@Suite("Spectra")
struct SpectrumTests {
  @Test("a sine is a peak of its frequency and of its root mean square, between two values too")
  func sine() throws {
    // 50.1 Hz at 800 Hz is no multiple of the resolution.
    let found = spectrum(
      Noise.sine(40_000, amplitude: 9000, frequency: 50.1 / 800), length: 2048, rate: 800)
    let peak = try #require(found.peaks(atMost: 3).first)
    #expect(abs(peak.frequency - 50.1) < 0.001)
    #expect(abs(peak.rms / (9000 / 2.0.squareRoot()) - 1) < 0.002)
    #expect(abs((found.rms(in: 40..<60) ?? 0) / (9000 / 2.0.squareRoot()) - 1) < 1e-4)
    #expect((found.rms(in: 100..<200) ?? 9) < 1)
  }

  @Test("the velocity of a sine is its amplitude over its angular frequency")
  func velocity() throws {
    let found = spectrum(
      Noise.sine(60_000, amplitude: 12_000, frequency: 0.05), length: 4096, rate: 1000)
    let velocity = try #require(found.rms(in: 10..<500, ofIntegral: true))
    #expect(abs(velocity / (12_000 / 2.0.squareRoot() / (2 * Double.pi * 50)) - 1) < 1e-3)
  }

  @Test("white noise has a flat density of its variance over half the rate, and no peak")
  func white() {
    var noise = Noise()
    let found = spectrum(noise.white(400_000, deviation: 300), length: 256, rate: 200)
    for place in 2..<127 {
      let error = found.density[place] / (300 * 300 / 100.0) - 1
      #expect(abs(error) < 6 * found.relativeError, "\(place), seed \(noise.seed)")
    }
    #expect(found.peaks(atMost: 3).isEmpty, "seed \(noise.seed)")
    let half = found.rms(in: 25..<75) ?? 0
    #expect(abs(half * half / (300 * 300 / 2) - 1) < 0.02, "seed \(noise.seed)")
  }

  @Test("the sum of the density is the variance")
  func parseval() {
    var noise = Noise()
    let found = spectrum(noise.white(200_000, deviation: 70), length: 512, rate: 333)
    let variance = found.density.reduce(0, +) * found.resolution
    #expect(abs(variance / (70 * 70 + 1 / 12.0) - 1) < 0.03, "seed \(noise.seed)")
  }

  @Test("windows never reach from one segment into another, and each counts as much as any other")
  func segments() {
    // A step between the segments would be in every value of a window across it.
    let low = [Int16](repeating: -20_000, count: 1000)
    let high = [Int16](repeating: 31_000, count: 700)
    let flat = spectrum(low, high, length: 256, rate: 100)
    #expect(flat.density.allSatisfy { $0 == 0 })
    #expect(flat.windows == 6 + 4)
    var noise = Noise()
    let (one, other) = (noise.white(1000, deviation: 90), noise.white(700, deviation: 400))
    let both = spectrum(one, other, length: 256, rate: 100)
    let parts = [one, other].map { spectrum($0, length: 256, rate: 100) }
    for place in 0...128 {
      let mean = (parts[0].density[place] * 6 + parts[1].density[place] * 4) / 10
      #expect(abs(both.density[place] - mean) <= 1e-9 * mean, "\(place), seed \(noise.seed)")
    }
  }

  @Test("a segment shorter than a window has none")
  func shortSegment() {
    #expect(spectrum([Int16](repeating: 1, count: 255), length: 256, rate: 1).windows == 0)
  }

  @Test("the window resolves 0.05 Hz, or is a quarter of the longest segment")
  func lengths() {
    #expect(Spectrum.length(rate: 1000, longest: 10_000_000) == 32_768)
    #expect(Spectrum.length(rate: 100, longest: 10_000_000) == 2048)
    #expect(Spectrum.length(rate: 6667, longest: 10_000_000) == 131_072)
    #expect(Spectrum.length(rate: 1000, longest: 10_000) == 2048)
    #expect(Spectrum.length(rate: 100, longest: SampleColumns.shortest) == 16)
  }

  @Test("a band that is not resolved, or is above half the rate, has no value")
  func bands() {
    let found = spectrum(Noise.sine(10_000, amplitude: 100, frequency: 0.1), length: 512, rate: 100)
    #expect(found.rms(in: 0.1..<1) == nil)
    #expect(found.rms(in: 50..<100) == nil)
    #expect(found.rms(in: 40..<100) != nil)
    #expect(found.rms(in: 60..<1000, ofIntegral: true) == nil)
  }
}
