// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LogStore
import Text

/// What the samples of one axis show. Quantities are in g for an axis of the accelerometer and in °/s for one of the
/// gyroscope, unless they say otherwise.
package struct AxisAnalysis: Equatable, Sendable {
  /// Its position in ``ChannelSet``.
  package let channel: Int
  /// g or °/s a count, positive.
  package let scale: Double
  /// In counts.
  package let moments: CountMoments
  /// In unit² a hertz.
  package let spectrum: Spectrum
  package let peaks: [Spectrum.Peak]
  /// In counts.
  package let allan: AllanCurve
  /// In counts.
  package let noise: NoiseTerms

  static let peakLimit = 3

  init(
    _ columns: SampleColumns, _ channel: Int, _ moments: CountMoments, _ welch: Welch,
    motion: String?
  ) {
    self.channel = channel
    self.moments = moments
    scale = columns.description.scale(ofChannel: channel)
    let (runs, rate, square) = (columns.runs(ofChannel: channel), columns.rate, scale * scale)
    welch.removeAll()
    for run in runs { welch.add(run) }
    spectrum = Spectrum(
      density: welch.density(rate: rate).map { $0 * square },
      resolution: rate / Double(welch.length), length: welch.length, windows: welch.windows)
    peaks = spectrum.peaks(atMost: AxisAnalysis.peakLimit)
    allan = AllanCurve(runs, rate: rate)
    noise = NoiseTerms(allan, duration: columns.duration, motion: motion)
  }

  package var name: String { ChannelSet.names[channel] }
  package var isAcceleration: Bool { channel < 3 }
  package var mean: Double { moments.mean * scale }
  /// The root mean square without the mean.
  package var rms: Double { moments.deviation * scale }
  package var peak: Double { moments.peak * scale }

  /// The root mean square of the velocity, in mm/s; `nil` for a rate, and where the spectrum does not resolve 10 Hz.
  package var velocity: Double? {
    guard isAcceleration else { return nil }
    return spectrum.rms(in: RecordingAnalysis.velocityBand, ofIntegral: true).map {
      $0 * 1000 * OrientationConstants.gravity
    }
  }
}

/// What a stretch of a recording shows of vibration and noise.
package struct RecordingAnalysis: Equatable, Sendable {
  package let axes: [AxisAnalysis]
  package let sampleCount: Int
  /// Runs of evenly spaced samples.
  package let segmentCount: Int
  /// What was left out, and what is doubtful.
  package let account: SampleColumns.Account
  package let rate: Double
  /// By how much of itself the rate may be wrong; `nil` where no chip's clock proves it.
  package let rateError: Double?
  /// By how much of itself the rate changes within the recording; `nil` where that moves no frequency by more than the
  /// spectrum's resolution.
  package let rateDrift: Double?
  package let duration: Double
  /// Samples in segments that are too short for a window of the spectrum.
  package let outsideWindows: Int
  /// Why the noise terms mean nothing; `nil` when the sensor was at rest.
  package let motion: String?
  /// The bands that are reported, in hertz.
  package let bands: [Range<Double>]
  /// Why bands that were asked for have no value: clauses.
  package let bandRefusals: [String]

  /// The bands that are reported unless others are asked for, in hertz.
  package static let usualBands: [Range<Double>] = [
    0.1..<1, 1..<5, 5..<10, 10..<50, 50..<100, 100..<500, 500..<1000, 1000..<5000,
  ]
  /// Where velocity is measured: from 10 Hz on and below 1 kHz, as ISO 20816-1 has it for most machines.
  static let velocityBand = 10.0..<1000.0
  /// The sampling rate from which the whole of ``velocityBand`` is covered: 2.56 times 1 kHz, as analysers have it for
  /// their filters.
  static let velocityRate = 2560.0
  /// The greatest standard deviation of an acceleration at rest, in g.
  static let restingAcceleration = 0.05
  /// The greatest standard deviation of a rate at rest, in °/s.
  static let restingRate = 1.0

  /// Analyses columns of at least one segment.
  ///
  /// - Parameter bands: Those that are asked for; `nil` for those of ``usualBands`` that the spectrum covers.
  package init(_ columns: SampleColumns, bands asked: [Range<Double>]? = nil) {
    let moments = columns.channels.intersection([.accelerometer, .gyroscope]).indices.map {
      (channel: $0, of: CountMoments(columns.runs(ofChannel: $0)))
    }
    let motion = RecordingAnalysis.motion(moments, columns.description)
    let length = Spectrum.length(rate: columns.rate, longest: columns.longest)
    let welch = Welch(length: length)
    axes = moments.map { AxisAnalysis(columns, $0.channel, $0.of, welch, motion: motion) }
    self.motion = motion
    bands = asked ?? RecordingAnalysis.usualBands
    let spectrum = axes.first?.spectrum
    bandRefusals = (asked ?? []).compactMap { band in
      spectrum?.refusal(band).map {
        "no value from \(Plain.hertz(band.lowerBound)) to \(Plain.hertz(band.upperBound)) Hz: \($0)"
      }
    }
    (sampleCount, segmentCount) = (columns.count, columns.segments.count)
    account = columns.account
    (rate, rateError, duration) = (columns.rate, columns.rateError, columns.duration)
    // At half the rate, the highest frequency, a resolution is 2 / length of it.
    let drift = columns.rateDrift(length: length)
    rateDrift = drift > 2 / Double(length) ? drift : nil
    outsideWindows = columns.segments.reduce(0) { $0 + ($1.count < length ? $1.count : 0) }
  }

  /// The axis that moved most beyond its bound, as a clause.
  private static func motion(
    _ moments: [(channel: Int, of: CountMoments)], _ description: RecordingDescription
  ) -> String? {
    let found = moments.map { channel, moments in
      let bound = channel < 3 ? restingAcceleration : restingRate
      let deviation = moments.deviation * description.scale(ofChannel: channel)
      return (channel: channel, deviation: deviation, bound: bound)
    }
    guard let most = found.max(by: { $0.deviation / $0.bound < $1.deviation / $1.bound }),
      most.deviation > most.bound
    else { return nil }
    let unit = most.channel < 3 ? "g" : "°/s"
    return "the sensor moved: the standard deviation of \(ChannelSet.names[most.channel]) is "
      + "\(Digits.text(most.deviation, 2)) \(unit), and at rest it is \(Digits.text(most.bound, 2)) \(unit) at most"
  }

  /// Samples at an end of the range of counts, of all axes.
  package var clipped: Int { axes.reduce(0) { $0 + $1.moments.clipped } }

  /// Why axes do not show a term: each reason with its axes, as `ax, ay: its noise is less than half a count`.
  package func refusals(_ term: (NoiseTerms) -> NoiseTerms.Term) -> [String] {
    var found: [(reason: String, names: String)] = []
    for axis in axes {
      guard case .refused(let reason) = term(axis.noise) else { continue }
      if let place = found.firstIndex(where: { $0.reason == reason }) {
        found[place].names += ", " + axis.name
      } else {
        found.append((reason, axis.name))
      }
    }
    return found.map { "\($0.names): \($0.reason)" }
  }

  /// The root mean square of the vector of the accelerations, or of their velocities; `nil` unless every axis of the
  /// accelerometer has a value.
  package func total(_ value: (AxisAnalysis) -> Double?) -> Double? {
    let values = axes.filter(\.isAcceleration).compactMap(value)
    return values.count == 3 ? values.reduce(0) { $0 + $1 * $1 }.squareRoot() : nil
  }
}

extension RecordingDescription {
  /// g or °/s a count, without its sign.
  func scale(ofChannel channel: Int) -> Double {
    (channel < 3 ? sensor.accelerometerScale : sensor.gyroscopeScale).value.magnitude
  }
}

/// Why a recording cannot be analysed.
package enum AnalysisError: Error, Equatable, Sendable, CustomStringConvertible, StatusError {
  case log(LogError)
  /// The samples do not show what was asked for, which is the fault of the request, or else of the recording.
  case refused(_ problem: String, remedy: String, isRequest: Bool = true)

  /// The recording has none of the channels that are needed.
  package static func channelsMissing(needed: String, recorded: ChannelSet) -> AnalysisError {
    let names = recorded.indices.map { ChannelSet.names[$0] }.joined(separator: ", ")
    return .refused(
      "this needs \(needed), and the recording has \(names)", remedy: "choose another recording")
  }

  package var description: String {
    switch self {
    case .log(let error): error.description
    case .refused(let problem, let remedy, _): "\(problem): \(remedy)"
    }
  }

  package var exitStatus: ExitStatus {
    switch self {
    case .log(let cause): cause.exitStatus
    case .refused(_, _, let isRequest): isRequest ? .usage : .damagedData
    }
  }
}
