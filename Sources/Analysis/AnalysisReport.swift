// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import Text

/// What an analysis shows, in words and numbers for people: on the terminal and in a page.
///
/// Texts may have foreign words of the log's header; each medium cleans them.
package struct AnalysisReport {
  /// The recording's number in its store.
  package let number: UInt32
  package let description: RecordingDescription
  package let analysis: RecordingAnalysis
  /// The mounting in the log's header where the axes are nevertheless the chip's; else `nil`.
  package let mounting: AxisMap?

  /// A report on an analysis.
  ///
  /// - Parameter isMounted: Whether the samples that were analysed are in the axes of the header's mounting.
  package init(
    number: UInt32, description: RecordingDescription, analysis: RecordingAnalysis, isMounted: Bool
  ) {
    (self.number, self.description, self.analysis) = (number, description, analysis)
    mounting = isMounted ? nil : description.axes
  }

  package var subject: String {
    let segments = Plain.count(analysis.segmentCount, "segment")
    var text =
      "recording \(number): \(analysis.sampleCount) samples in \(segments), "
      + "\(Digits.text(analysis.duration, 4)) s at \(Plain.hertz(analysis.rate)) Hz"
    if let error = analysis.rateError {
      text += " (the chip's, proved to \(Digits.text(error * 1e6, 2)) ppm)"
    } else if description.isFreeRunning {
      text += " (the mean of the times, \(description.timeWord))"
    } else {
      text += " claimed"
    }
    return text
  }

  /// What was left out, and what is doubtful: clauses.
  package var remarks: [String] {
    let account = analysis.account
    var lines: [String] = []
    func add(_ count: UInt64, _ one: String, _ many: String) {
      if count > 0 { lines.append(Plain.count(count, one, many)) }
    }
    if let mounting {
      lines.append("axes are the chip's, not those of the mounting \(mounting)")
    }
    if let drift = analysis.rateDrift {
      lines.append(
        "the rate changes by \(Digits.text(drift * 100, 2)) %, which smears frequencies by as much")
    }
    add(
      account.gaps, "gap divides the samples: no window reaches across it",
      "gaps divide the samples: no window reaches across them")
    let segments = description.isFreeRunning ? "begins a segment" : "was read late"
    let many = description.isFreeRunning ? "begin a segment" : "were read late"
    add(
      account.unevenTimes, "sample is more than half a period off its time and \(segments)",
      "samples are more than half a period off their times and \(many)")
    let shortest = "left out: runs of fewer than \(SampleColumns.shortest) samples are too short"
    add(account.leftOut, "sample is \(shortest)", "samples are \(shortest)")
    add(
      UInt64(analysis.outsideWindows),
      "sample is not in the spectra: its segment is shorter than a window",
      "samples are not in the spectra: their segments are shorter than a window")
    add(
      UInt64(analysis.clipped), "value is clipped: peaks are higher, and other figures too low",
      "values are clipped: peaks are higher, and other figures too low")
    add(
      account.damages, "part of the log cannot be read", "parts of the log cannot be read")
    return lines + analysis.bandRefusals
  }

  /// The windows of the spectra, and the band that they cover.
  package var covered: String {
    let half = analysis.rate / 2
    var text = "covered: "
    if let spectrum = analysis.axes.first?.spectrum {
      text =
        "spectra: \(Plain.count(spectrum.windows, "Hann window")) of \(spectrum.length) samples, "
        + "\(Digits.text(spectrum.resolution, 3)) Hz apart, each value with a "
        + "relative standard deviation of \(Digits.text(spectrum.relativeError * 100, 2)) %; covered: \(Digits.text(spectrum.resolution, 3)) to "
    }
    text += "\(Digits.text(half, 4)) Hz, half the rate"
    if !description.sensor.filter.isEmpty {
      text += ", and what the filter passes (\(description.sensor.filter))"
    }
    if analysis.axes.contains(where: \.isAcceleration), !hasVelocity {
      text +=
        half > RecordingAnalysis.velocityBand.lowerBound
        ? "; no velocity, as the windows are too short for 10 Hz"
        : "; no velocity, as that is of 10 Hz and more"
    } else if hasVelocity, analysis.rate < RecordingAnalysis.velocityRate {
      text +=
        "; no ISO 20816 zone is stated below a rate of \(Digits.short(RecordingAnalysis.velocityRate)) Hz"
    }
    return text
  }

  /// Why noise terms are missing: a clause for each reason.
  package var noiseReasons: [String] {
    if let motion = analysis.motion { return ["no noise terms: \(motion)"] }
    return AnalysisReport.terms.flatMap { name, term in
      analysis.refusals(term).map { "no \(name) of \($0)" }
    }
  }

  private static var terms: [(name: String, of: (NoiseTerms) -> NoiseTerms.Term)] {
    [("N", \.randomWalk), ("B", \.biasInstability), ("K", \.rateRandomWalk)]
  }

  /// A row of the table of figures: its name, and the text of each axis.
  package typealias Row = (name: String, cells: [String])

  /// The table of figures; its first row has the names of the axes, and of the vector of the acceleration.
  package var rows: [Row] {
    let axes = analysis.axes
    var rows: [Row] = [("", axes.map(\.name) + (total == nil ? [] : ["|a|"]))]
    func add(_ name: String, _ cell: (AxisAnalysis) -> String, all: Double? = nil) {
      rows.append((name, axes.map(cell) + (all.map { [Digits.text($0, 4)] } ?? [])))
    }
    func digits(_ value: Double?) -> String { value.map { Digits.text($0, 4) } ?? "-" }
    add("unit", { $0.isAcceleration ? "g" : "°/s" })
    add("mean", { digits($0.mean) })
    add("RMS without mean", { digits($0.rms) }, all: total)
    add("peak from mean", { digits($0.peak) })
    add("crest factor", { digits($0.moments.crest) })
    add("kurtosis", { digits($0.moments.kurtosis) })
    if hasVelocity {
      add(velocityName, { digits($0.velocity) }, all: analysis.total(\.velocity))
    }
    for band in analysis.bands {
      guard axes.contains(where: { $0.spectrum.rms(in: band) != nil }) else { continue }
      let end = min(band.upperBound, analysis.rate / 2)
      let name = "RMS \(Plain.hertz(band.lowerBound)) to \(Digits.short(end)) Hz"
      add(
        name, { digits($0.spectrum.rms(in: band)) },
        all: analysis.total { $0.spectrum.rms(in: band) })
    }
    for place in 0..<AxisAnalysis.peakLimit where axes.contains(where: { $0.peaks.count > place }) {
      add(
        "peak \(place + 1) in Hz, \(description.timeWord)",
        { $0.peaks.count > place ? digits($0.peaks[place].frequency) : "-" })
      add("  its RMS", { $0.peaks.count > place ? digits($0.peaks[place].rms) : "-" })
    }
    guard analysis.motion == nil else { return rows }
    add("N (density/√2) in µg/√Hz, m°/s/√Hz", { term($0, \.randomWalk, 1e6, 1e3) })
    add("  as m/s/√h, °/√h", { term($0, \.randomWalk, 60 * OrientationConstants.gravity, 60) })
    add("B in µg, °/h", { term($0, \.biasInstability, 1e6, 3600) })
    add("K in µg/s/√Hz, m°/s²/√Hz", { term($0, \.rateRandomWalk, 1e6, 1e3) })
    return rows
  }

  private var total: Double? { analysis.total(\.rms) }

  private var hasVelocity: Bool { analysis.axes.contains { $0.velocity != nil } }

  private var velocityName: String {
    let end = min(1000, analysis.rate / 2)
    return "velocity RMS, mm/s, 10 to \(Digits.short(end)) Hz"
  }

  private func term(
    _ axis: AxisAnalysis, _ term: (NoiseTerms) -> NoiseTerms.Term, _ acceleration: Double,
    _ rate: Double
  ) -> String {
    guard case .found(let value, let error, _) = term(axis.noise) else { return "-" }
    let unit = axis.isAcceleration ? acceleration : rate
    return Digits.text(value * axis.scale * unit, 3) + " ±" + Digits.text(error * 100, 1) + "%"
  }
}
