// SPDX-License-Identifier: Apache-2.0

/// A one-sided power spectral density, and what it says of bands and peaks.
package struct Spectrum: Equatable, Sendable {
  package struct Peak: Equatable, Sendable {
    /// Hertz, interpolated between the values.
    package let frequency: Double
    /// The root mean square of what oscillates there, in the axis' unit.
    package let rms: Double
    /// How many times the density is above the median of its surroundings.
    package let prominence: Double
  }

  /// Unit² a hertz, at multiples of ``resolution`` from 0 on.
  package let density: [Double]
  /// Hertz between two values.
  package let resolution: Double
  package let length: Int
  package let windows: Int

  /// The relative standard deviation of each value: neighbouring Hann windows that overlap by half share a sixth of
  /// their noise. (Welch 1967)
  package var relativeError: Double {
    windows > 0 ? (19.0 / 18 / Double(windows)).squareRoot() : .infinity
  }

  /// Samples in a window: the fewest whose resolution is 0.05 Hz, and at most a quarter of the longest segment, so that
  /// seven are averaged at least.
  ///
  /// - Parameter longest: Samples of the longest segment, at least ``SampleColumns/shortest``.
  static func length(rate: Double, longest: Int) -> Int {
    var length = 16
    while length < 1 << 17, Double(length) * 0.05 < rate, length * 8 <= longest { length *= 2 }
    return length
  }

  /// The places of a band: all whose frequencies are from its beginning on and below its end, without 0.
  private func places(_ band: Range<Double>) -> Range<Int> {
    // A tolerance, because 0.3 / 0.1 is less than 3.
    func place(_ frequency: Double) -> Int {
      Int(min(max(1, (frequency / resolution - 1e-9).rounded(.up)), Double(density.count)))
    }
    let (first, end) = (place(band.lowerBound), place(band.upperBound))
    return first..<max(first, end)
  }

  /// The root mean square in a band; `nil` when the spectrum does not resolve it, or ends before it does.
  ///
  /// - Parameter isIntegral: Whether of the integral over time: of the velocity where this is the spectrum of an acceleration.
  ///   Each value is then divided by (2πf)².
  package func rms(in band: Range<Double>, ofIntegral isIntegral: Bool = false) -> Double? {
    let places = places(band)
    guard band.lowerBound >= lowest, band.lowerBound < highest, !places.isEmpty else { return nil }
    let sum = places.reduce(0.0) { sum, place in
      let angular = isIntegral ? 2 * Double.pi * resolution * Double(place) : 1
      return sum + density[place] / (angular * angular)
    }
    return (sum * resolution).squareRoot()
  }

  /// The frequencies that a band must begin from, and below, in hertz.
  private var lowest: Double { 2 * resolution }
  private var highest: Double { resolution * Double(density.count - 1) }

  /// Why a band has no value, as a clause with the remedy; `nil` where it has one.
  func refusal(_ band: Range<Double>) -> String? {
    if band.lowerBound >= highest {
      return "it begins at half the rate or above, \(Digits.short(highest)) Hz"
    }
    let spacing = "\(Digits.text(resolution, 3)) Hz apart: analyse a longer run without a gap"
    if band.lowerBound < lowest {
      return
        "it begins below the second value of the spectrum, and values are \(spacing), or begin it at \(Digits.text(lowest, 3)) Hz"
    }
    guard places(band).isEmpty else { return nil }
    return "no value of the spectrum is in it, and these are \(spacing)"
  }

  /// A peak is this many times as high as the median of its surroundings.
  static let leastProminence = 10.0
  /// Local maxima whose surroundings are looked at, the highest first.
  private static let candidates = 200

  /// The strongest peaks, at most `limit`, the strongest first.
  package func peaks(atMost limit: Int) -> [Peak] {
    guard density.count > 16 else { return [] }
    // Beside 0 is what is left of the mean, and beside the end is one value only.
    let tops = (3..<(density.count - 3)).filter { place in
      let value = density[place]
      return value > 0 && value >= density[place - 1] && value > density[place + 1]
        && value >= density[place - 2] && value > density[place + 2]
    }
    var found: [Peak] = []
    for place in tops.sorted(by: { density[$0] > density[$1] }).prefix(Spectrum.candidates) {
      let prominence = density[place] / surroundings(of: place)
      if prominence >= Spectrum.leastProminence { found.append(peak(at: place, prominence)) }
      if found.count == limit { break }
    }
    return found
  }

  /// The median of the values within a fifth of the frequency, at least 8 to each side, without the peak's own.
  private func surroundings(of place: Int) -> Double {
    let reach = min(200, max(8, place / 5))
    let range = max(1, place - reach)...min(density.count - 1, place + reach)
    let values = range.filter { abs($0 - place) > 2 }.map { density[$0] }.sorted()
    return max(values[values.count / 2], .leastNormalMagnitude)
  }

  private func peak(at place: Int, _ prominence: Double) -> Peak {
    // The ratio of two neighbouring amplitudes gives the frequency of a sine in a Hann window exactly.
    let isRight = density[place + 1] > density[place - 1]
    let ratio = (max(density[place + 1], density[place - 1]) / density[place]).squareRoot()
    let shift = max(0, (2 * ratio - 1) / (ratio + 1)) * (isRight ? 1 : -1)
    // Its main lobe is four values wide.
    let power = density[(place - 2)...(place + 2)].reduce(0, +) * resolution
    return Peak(
      frequency: (Double(place) + shift) * resolution, rms: power.squareRoot(),
      prominence: prominence)
  }
}
