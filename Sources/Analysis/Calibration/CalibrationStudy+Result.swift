// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// What a study lets be said: a calibration, and a sentence for what it refuses.
public struct CalibrationResult: Sendable {
  /// How the accelerometer's errors were found; `nil` when they were not.
  public enum Method: String, Sendable {
    /// From six faces.
    case faces
    /// From nine orientations or more, with cross terms.
    case orientations
    /// From the still windows of a long recording.
    case windows
  }

  /// `nil` when nothing could be determined.
  public var calibration: SensorCalibration?
  /// How the accelerometer's errors were found.
  public var method: Method?
  /// What was used and left out.
  public var remarks: [String] = []
  /// What could not be determined, why, and what to do.
  public var refusals: [String] = []
}

extension CalibrationStudy {
  /// The largest error afterwards that is accepted, in g (van Hees and others 2014: 10 mg).
  public static let largestError = FreeLivingFit.largestError
  private static let axes = ["x", "y", "z"]
  private static let notAllSampled =
    "is left out: samples are missing in it or at the end of the range"

  /// The calibration that the study supports.
  ///
  /// From ``FreeLivingFit/leastPoints`` still windows of 10 s on, it is made of these; else of the poses.
  public func calibration(id: RecordingID, name: String, made: Int64) -> CalibrationResult {
    var result = CalibrationResult()
    var made = SensorCalibration(
      id: id, name: name, sensor: sensor.model, made: made)
    if channels.isSuperset(of: .accelerometer) {
      do throws(GravityFit.Failure) {
        made.accelerometer = try accelerometer(&result)
      } catch {
        result.method = nil
        result.refusals.append(sentence(error))
      }
    }
    if hasRate { made.gyroscope = gyroscope(&result) }
    if made.accelerometer != nil || made.gyroscope != nil { result.calibration = made }
    return result
  }

  private func accelerometer(
    _ result: inout CalibrationResult
  ) throws(GravityFit.Failure) -> SensorCalibration.Accelerometer? {
    let found: SensorCalibration.Accelerometer
    if windows.count >= FreeLivingFit.leastPoints {
      found = try fromWindows()
      result.method = .windows
    } else {
      let fit = try GravityFit(poses.map(\.point.acceleration))
      found = SensorCalibration.Accelerometer(
        offset: fit.offset, matrix: fit.matrix, points: poses.count,
        residual: (fit.residualBefore, fit.residualAfter))
      result.method = fit.extent == .scale ? .faces : .orientations
      if fit.extent == .scale {
        result.remarks.append(
          "cross terms are not determined: they need nine orientations, of which some lie on an edge"
        )
      }
      let spare = poses.count - fit.extent.unknowns
      if spare < 1 { result.remarks.append("no orientation is left over to check the result by") }
    }
    guard found.residual.after < CalibrationStudy.largestError else {
      result.method = nil
      result.refusals.append(
        "the accelerometer's magnitude at rest is still off by \(milli(found.residual.after)) mg, at most 10 are accepted: it moved, or is faulty"
      )
      return nil
    }
    return found
  }

  private func fromWindows() throws(GravityFit.Failure) -> SensorCalibration.Accelerometer {
    let temperatures = windows.compactMap(\.temperature)
    let span = (temperatures.max() ?? 0) - (temperatures.min() ?? 0)
    let usesTemperature =
      temperatures.count == windows.count && span >= TemperatureDrift.leastSpan
    let fit = try FreeLivingFit(windows, usesTemperature: usesTemperature)
    var drift: TemperatureDrift?
    var warm = Vector3()
    if usesTemperature, let low = temperatures.min(), let high = temperatures.max() {
      let reference = temperatures.reduce(0, +) / Double(temperatures.count)
      // offset + scale · a + slope · T  =  scale · (a − b − d · (T − reference))
      warm = fit.temperatureSlope * reference
      let slope = -fit.temperatureSlope / fit.scale
      drift = TemperatureDrift(
        reference: reference, span: low...high, coefficients: [[slope.x], [slope.y], [slope.z]])
    }
    return SensorCalibration.Accelerometer(
      offset: -(fit.offset + warm) / fit.scale, matrix: SensorMatrix(diagonal: fit.scale),
      drift: drift, points: windows.count, residual: (fit.errorBefore, fit.errorAfter))
  }

  private func gyroscope(_ result: inout CalibrationResult) -> SensorCalibration.Gyroscope? {
    // Poses leave out the tremor of a hand better than windows, but a long rest may be one pose only.
    let still = windows.count > poses.count ? windows : poses.map(\.point)
    guard !still.isEmpty else {
      result.refusals.append(
        "the gyroscope's bias is not determined: the sensor was never still for 2 s")
      return nil
    }
    var values: [(temperature: Double, value: Vector3)] = []
    for point in still {
      if let temperature = point.temperature { values.append((temperature, point.rate)) }
    }
    let drift = values.count == still.count ? TemperatureDrift(fitting: values) : nil
    if drift == nil {
      result.remarks.append(
        "no change with temperature is determined: that needs a span of \(Int(TemperatureDrift.leastSpan)) °C"
      )
    }
    var sum = Vector3()
    for point in still {
      sum += point.rate
      if let drift, let temperature = point.temperature { sum -= drift.offset(at: temperature) }
    }
    var found = SensorCalibration.Gyroscope(offset: sum / Double(still.count), drift: drift)
    turnScales(&found, &result)
    return found
  }

  /// The scales of the axes that were turned about.
  private func turnScales(
    _ found: inout SensorCalibration.Gyroscope, _ result: inout CalibrationResult
  ) {
    var sums = Vector3()
    var weights = Vector3()
    for (index, turn) in turns.enumerated() where turn.isBack {
      do throws(TurnFit.Failure) {
        let fit = try TurnFit(degrees: turn.degrees - found.offset * turn.seconds)
        guard turn.isWhole else {
          result.remarks.append("turn \(index + 1) \(CalibrationStudy.notAllSampled)")
          continue
        }
        let turns = Double(abs(fit.turns))
        sums[fit.axis] += fit.scale * turns
        weights[fit.axis] += turns
      } catch {
        if let why = sentence(error) {
          let reason = turn.isWhole ? why : CalibrationStudy.notAllSampled
          result.remarks.append("turn \(index + 1) \(reason)")
        }
      }
    }
    var missing: [String] = []
    for axis in 0..<3 {
      if weights[axis] > 0 {
        found.scale[axis] = sums[axis] / weights[axis]
      } else {
        missing.append(CalibrationStudy.axes[axis])
      }
    }
    if !missing.isEmpty {
      result.remarks.append(
        "the gyroscope's scale about \(missing.joined(separator: ", ")) is not determined: turn it by 360° about the axis, from rest to rest in the same place"
      )
    }
  }

  private func milli(_ value: Double) -> String {
    Plain.number(Int64((value * 10_000).rounded()), per: 10)
  }

  /// Why a turn is left out; `nil` for one that is none.
  private func sentence(_ failure: TurnFit.Failure) -> String? {
    switch failure {
    case .noTurn: return nil
    case .tilted(let axis, let other, _):
      let names = CalibrationStudy.axes
      return "is left out: it is about \(names[axis]) and \(names[other]) at once"
    case .notWhole(let axis, let degrees):
      let size = Plain.number(Int64(abs(degrees).rounded()), per: 1)
      return "is left out: \(size)° about \(CalibrationStudy.axes[axis]) are no whole turns"
    }
  }

  private func sentence(_ failure: GravityFit.Failure) -> String {
    let subject = "the accelerometer is not calibrated: "
    switch failure {
    case .tooFew(let count, let needed):
      return subject
        + "it was still in \(count) of \(needed) orientations: hold it still for 2 s on each of its six faces"
    case .notTurned(let axis, let isPositive):
      let name = (isPositive ? "+" : "−") + CalibrationStudy.axes[axis]
      return subject + "\(name) never pointed up while it was still: lay it so for 2 s too"
    case .undetermined(let axis):
      return subject
        + "the orientations are too much alike for its \(CalibrationStudy.axes[axis]) axis: add others"
    case .notConverged:
      return subject
        + "its magnitudes at rest fit no sensor: it moved, or its scale is not that of its chip"
    }
  }
}
