// SPDX-License-Identifier: Apache-2.0

import Analysis
import IMUModel
import Text

extension AnalysisReport {
  /// The document of `imulog analyze --json`.
  var json: String {
    JSONWriter.document { json in
      json.member("number", number)
      json.member("id", "\(description.id)")
      json.member("sampleCount", analysis.sampleCount)
      json.member("segmentCount", analysis.segmentCount)
      json.member("gapCount", analysis.account.gaps)
      json.member("unevenTimeCount", analysis.account.unevenTimes)
      json.member("leftOutCount", analysis.account.leftOut)
      json.member("clippedCount", analysis.clipped)
      json.member("damageCount", analysis.account.damages)
      json.member("duration_s", analysis.duration)
      json.member("rate_hz", analysis.rate)
      json.member("rateError_ppm", analysis.rateError.map { $0 * 1e6 })
      json.member("rateDrift_ppm", analysis.rateDrift.map { $0 * 1e6 })
      json.member("mounting", mounting.map { "\($0)" })
      json.member("filter", description.sensor.filter.isEmpty ? nil : description.sensor.filter)
      json.member("motion", analysis.motion)
      if let spectrum = analysis.axes.first?.spectrum {
        json.member("windows") { json in
          json.member("shape", "hann")
          json.member("length", spectrum.length)
          json.member("windowCount", spectrum.windows)
          json.member("resolution_hz", spectrum.resolution)
          json.member("relativeError", spectrum.relativeError)
          json.member("outsideCount", analysis.outsideWindows)
        }
      }
      json.member("bands", analysis.bands) { json, band in
        json.object { json in
          json.member("from_hz", band.lowerBound)
          json.member("to_hz", band.upperBound)
        }
      }
      json.member("bandRefusals", analysis.bandRefusals)
      json.member("rms_g", analysis.total(\.rms))
      json.member("velocity_mm_s", analysis.total(\.velocity))
      json.member("accelerometer", analysis.axes.filter(\.isAcceleration)) {
        $0.add($1, bands: analysis.bands)
      }
      json.member("gyroscope", analysis.axes.filter { !$0.isAcceleration }) {
        $0.add($1, bands: analysis.bands)
      }
    }
  }
}

extension JSONWriter {
  /// A number, or `null` for what is none.
  fileprivate mutating func member(_ name: String, _ value: Double?) {
    member(name, number: value.flatMap { $0.isFinite ? "\($0)" : nil })
  }

  fileprivate mutating func add(_ value: Double?) {
    if let value, value.isFinite { number("\(value)") } else { null() }
  }

  fileprivate mutating func add(_ axis: AxisAnalysis, bands: [Range<Double>]) {
    let unit = axis.isAcceleration ? "g" : "dps"
    object { json in
      json.member("channel", axis.name)
      json.member("mean_\(unit)", axis.mean)
      json.member("rms_\(unit)", axis.rms)
      json.member("peak_\(unit)", axis.peak)
      json.member("crest", axis.moments.crest)
      json.member("kurtosis", axis.moments.kurtosis)
      json.member("clippedCount", axis.moments.clipped)
      if axis.isAcceleration { json.member("velocity_mm_s", axis.velocity) }
      json.member("bandRMS_\(unit)", bands.map(axis.spectrum.rms(in:))) { $0.add($1) }
      json.member("peaks", axis.peaks) { json, peak in
        json.object { json in
          json.member("frequency_hz", peak.frequency)
          json.member("rms_\(unit)", peak.rms)
          json.member("prominence", peak.prominence)
        }
      }
      json.member("density_\(unit)2_hz", axis.spectrum.density) { $0.add($1) }
      json.member("allan", axis.allan.points) { json, point in
        json.object { json in
          json.member("tau_s", point.tau)
          json.member("deviation_\(unit)", point.deviation * axis.scale)
          json.member("differenceCount", point.count)
          json.member("relativeError", point.relativeError)
        }
      }
      json.member("randomWalk_\(unit)_rthz", axis.noise.randomWalk, axis.scale)
      json.member("biasInstability_\(unit)", axis.noise.biasInstability, axis.scale)
      json.member("rateRandomWalk_\(unit)_s_rthz", axis.noise.rateRandomWalk, axis.scale)
    }
  }

  /// A noise term: its value, or the reason why there is none.
  private mutating func member(_ name: String, _ term: NoiseTerms.Term, _ scale: Double) {
    member(name) { json in
      switch term {
      case .found(let value, let error, let taus):
        json.member("value", value * scale)
        json.member("relativeError", error)
        json.member("from_s", taus.lowerBound)
        json.member("to_s", taus.upperBound)
        json.member("reason", String?.none)
      case .refused(let reason):
        for key in ["value", "relativeError", "from_s", "to_s"] { json.member(key, Double?.none) }
        json.member("reason", reason)
      }
    }
  }
}
