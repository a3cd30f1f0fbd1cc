// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LogFormat

/// What the samples of one second show: mean, deviation, peak, crest factor and kurtosis of each axis, and the vibration in
/// bands. It collects a second after another, in memory that does not grow.
///
/// Figures of an axis are those of its counts x, with n of them, times the value of one count:
///
///     mean = Σx / n       rms = √m₂        crest = peak / rms        with m₂ = Σ(x − mean)² / n
///     peak = max |x − mean|                kurtosis = m₄ / m₂²            m₄ = Σ(x − mean)⁴ / n
///
/// Sums up to the squares are of whole numbers, and exact. `CountMoments` does the same for whole recordings by a table of
/// all counts, which is too slow for each second.
package struct SecondFeatures {
  /// The figures of one axis, in m/s² or rad/s.
  package struct Axis: Equatable, Sendable {
    package var mean: Double
    /// The root mean square without the mean.
    package var rms: Double
    /// The largest distance from the mean.
    package var peak: Double
    /// ``peak`` / ``rms``; `nil` where the axis does not change.
    package var crest: Double?
    /// 3 of noise, 1.5 of a sine; `nil` where the axis does not change, or of fewer than four samples.
    package var kurtosis: Double?
  }

  /// Hertz: the bands whose vibration is found.
  package static let bands: [Range<Double>] = [
    5..<10, 10..<50, 50..<100, 100..<500, 500..<1000, 1000..<5000,
  ]
  /// The most samples of a second: sums of their squares times so many are below 2^63.
  package static let mostSamples = 65_536
  /// Windows of the spectrum have so many samples at most.
  private static let longestWindow = 4096
  private static let shortestWindow = 8

  private let channels: ChannelSet
  private let sensor: SensorDescription
  private let hertz: Double
  /// The counts of each axis in the second, and their ticks.
  private var counts = [[Int16]](repeating: [], count: 7)
  private var ticks: [UInt64] = []
  private var spectra: [Int: Welch] = [:]

  /// - Parameter hertz: The nominal rate, for the bands: by each second's own rate a value of the spectrum at a band's edge
  ///   would be in it in one second and not in the next.
  package init(_ description: RecordingDescription, hertz: Double) {
    (channels, sensor, self.hertz) = (description.channels, description.sensor, hertz)
  }

  package var count: Int { ticks.count }

  package mutating func add(_ rows: Range<Int>, of block: borrowing SampleBlock) {
    ticks += block.ticks[rows]
    for channel in channels.indices { counts[channel] += block.counts(ofChannel: channel)[rows] }
  }

  /// Begins the next second.
  package mutating func removeAll() {
    ticks.removeAll(keepingCapacity: true)
    for channel in counts.indices { counts[channel].removeAll(keepingCapacity: true) }
  }

  /// The figures of an axis, 0 to 5; `nil` without samples of it.
  package func axis(_ channel: Int) -> Axis? {
    let counts = counts[channel]
    guard !counts.isEmpty else { return nil }
    let unit =
      channel < 3
      ? sensor.accelerometerScale.value * OrientationConstants.gravity
      : sensor.gyroscopeScale.value * .pi / 180
    let count = Int64(counts.count)
    var (sum, squares): (Int64, Int64) = (0, 0)
    var (least, greatest) = (Int64.max, Int64.min)
    for value in counts {
      let value = Int64(value)
      sum &+= value
      squares &+= value &* value
      least = min(least, value)
      greatest = max(greatest, value)
    }
    // n² times the variance, and n times each distance from the mean, are whole numbers.
    let spread = Double(count &* squares &- sum &* sum)
    let number = Double(count)
    let rms = spread.squareRoot() / number
    let peak = Double(max(greatest &* count &- sum, sum &- least &* count)) / number
    var axis = Axis(
      mean: Double(sum) / number * unit, rms: rms * unit, peak: peak * unit, crest: nil,
      kurtosis: nil)
    guard spread > 0 else { return axis }
    axis.crest = peak / rms
    guard count >= 4 else { return axis }
    var fourth = 0.0
    for value in counts {
      let distance = Double(Int64(value) &* count &- sum)
      fourth += distance * distance * (distance * distance)
    }
    axis.kurtosis = fourth / (number * spread * spread)
    return axis
  }

  /// The temperature's mean in °C; `nil` without.
  package var temperature: Double? {
    let counts = counts[6]
    guard !counts.isEmpty else { return nil }
    let sum = counts.reduce(Int64(0)) { $0 &+ Int64($1) }
    return Double(sum) / Double(counts.count) * sensor.temperatureScale.value
      + sensor.temperatureOffset.value
  }

  /// The root mean square of the acceleration in each of ``bands``, over the recorded axes, in m/s²; `nil` for a band that the
  /// second does not resolve.
  package mutating func bandRMS() -> [Double?] {
    let none = [Double?](repeating: nil, count: SecondFeatures.bands.count)
    guard !channels.isDisjoint(with: .accelerometer), hertz > 0 else { return none }
    let runs = runs()
    guard let longest = runs.map(\.count).max(), longest >= SecondFeatures.shortestWindow else {
      return none
    }
    var length = SecondFeatures.shortestWindow
    while length * 2 <= min(longest, SecondFeatures.longestWindow) { length *= 2 }
    let welch = spectra[length] ?? Welch(length: length)
    spectra[length] = welch
    var density = [Double](repeating: 0, count: length / 2 + 1)
    for channel in channels.intersection(.accelerometer).indices {
      welch.removeAll()
      counts[channel].withUnsafeBufferPointer { counts in
        for run in runs { welch.add(UnsafeBufferPointer(rebasing: counts[run])) }
      }
      let own = welch.density(rate: hertz)
      for place in density.indices { density[place] += own[place] }
    }
    let unit = sensor.accelerometerScale.value * OrientationConstants.gravity
    let spectrum = Spectrum(
      density: density.map { $0 * unit * unit }, resolution: hertz / Double(length), length: length,
      windows: welch.windows)
    return SecondFeatures.bands.map { spectrum.rms(in: $0) }
  }

  /// Samples without a missing tick between them.
  private func runs() -> [Range<Int>] {
    guard let first = ticks.first, let last = ticks.last else { return [] }
    if last &- first == UInt64(ticks.count - 1) { return [0..<ticks.count] }
    var runs: [Range<Int>] = []
    var begin = 0
    for place in 1..<ticks.count where ticks[place] != ticks[place - 1] &+ 1 {
      runs.append(begin..<place)
      begin = place
    }
    return runs + [begin..<ticks.count]
  }
}
