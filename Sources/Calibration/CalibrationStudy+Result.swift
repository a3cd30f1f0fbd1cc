// SPDX-License-Identifier: Apache-2.0

package import IMUModel

extension CalibrationStudy {
  static let axes = ["x", "y", "z"]

  /// The calibration by poses; where these do not determine the accelerometer's, by still windows of 10 s.
  ///
  /// - Parameter zeroRate: The typical zero-rate level of the chip's data sheet in °/s, if known.
  package func calibration(
    id: RecordingID, name: String, made: Int64, zeroRate: Double? = nil
  ) -> CalibrationResult {
    var result = CalibrationResult()
    guard sampleCount > 0 else {
      if !channels.isDisjoint(with: .accelerometer) { result.missing.append(.accelerometer) }
      if !channels.isDisjoint(with: .gyroscope) { result.missing.append(.gyroscope) }
      if sensor.field != nil { result.missing.append(.field) }
      result.refusals.append("there is no sample to calibrate from: choose another recording")
      return result
    }
    var made = SensorCalibration(id: id, name: name, sensor: sensor.model, made: made)
    let source = isGyroscopeUseless ? alone[0] : self
    let rests = source.rests()
    result.poseCount = rests.poses.count
    (result.windowCount, result.windowLength) = (source.windows.count, source.longLength)
    source.noteConditions(mounting, &result)
    if let why = whyNot(.accelerometer, "accelerometer") {
      result.refuse(.accelerometer, why)
    } else if channels.isSuperset(of: .accelerometer) {
      do throws(GravityFit.Failure) {
        made.accelerometer = try source.accelerometer(rests, &result)
      } catch {
        result.refuse(.accelerometer, sentence(error, rests))
      }
    }
    if let why = whyNot(.gyroscope, "gyroscope") {
      result.refuse(.gyroscope, why)
    } else if hasRate {
      made.gyroscope = gyroscope(self.rests(), zeroRate: zeroRate, &result)
    }
    made.field = field(made, &result)
    made.conditions = source.conditions(rests)
    if !made.isEmpty { result.calibration = made }
    if channels.isDisjoint(with: [.accelerometer, .gyroscope]) {
      result.refusals.append(
        "neither acceleration nor rates are recorded: there is nothing to calibrate")
    }
    return result
  }

  /// Whether only rates, clipped or too high, show unrest. The accelerometer is then calibrated without them.
  private var isGyroscopeUseless: Bool {
    guard let alone = alone.first, kept.isEmpty, !alone.kept.isEmpty else { return false }
    return attempt.unrest?.isOfCounts == true
  }

  /// Why a sensor cannot be calibrated: a channel is not recorded, or never changes.
  private func whyNot(_ three: ChannelSet, _ name: String) -> String? {
    let recorded = channels.intersection(three)
    guard !recorded.isEmpty else { return nil }
    func names(_ set: ChannelSet) -> String {
      set.indices.map { ChannelSet.names[$0] }.joined(separator: ", ")
    }
    let lacking = three.subtracting(recorded)
    guard lacking.isEmpty else {
      return
        "the \(name) is not calibrated: \(names(lacking)) \(lacking.indices.count == 1 ? "is" : "are") not recorded, and all three axes are needed"
    }
    // Less than a pose is refused as that.
    guard sampleCount >= CalibrationStudy.leastPoseWindows * shortCount else { return nil }
    let dead = three.subtracting(changing)
    // Without noise, accelerations at rest do not change; the refusal is then that poses are lacking.
    guard dead.isEmpty || dead == three && three == .accelerometer else {
      let verb = dead.indices.count == 1 ? "does" : "do"
      return
        "the \(name) is not calibrated: \(names(dead)) \(verb) not change\(dead == three ? "" : " while the other axes do"): it is faulty, or its \(dead.indices.count == 1 ? "column is" : "columns are") empty"
    }
    return nil
  }

  private func conditions(_ rests: Rests) -> SensorCalibration.Conditions {
    let temperatures =
      rests.poses.compactMap(\.point.temperature) + windows.compactMap(\.temperature)
    var span: ClosedRange<Double>?
    if let low = temperatures.min(), let high = temperatures.max() { span = low...high }
    return SensorCalibration.Conditions(
      rate: rate.hertz, accelerometerRange: sensor.accelerometerRange,
      gyroscopeRange: sensor.gyroscopeRange, temperatures: span)
  }

  private func accelerometer(
    _ rests: Rests, _ result: inout CalibrationResult
  ) throws(GravityFit.Failure) -> SensorCalibration.Accelerometer? {
    let found: SensorCalibration.Accelerometer
    do throws(GravityFit.Failure) {
      found = try fromPoses(rests, &result)
    } catch {
      guard let other = fromWindows(&result) else { throw error }
      found = other
    }
    guard found.residual.after < GravityFit.largestError else {
      (result.method, result.bounds.offset, result.bounds.scale) = (nil, nil, nil)
      let points = rests.poses.map(\.point)
      let cause =
        StillPoint.width(of: points) >= TemperatureDrift.leastSpan && found.drift == nil
        ? "the temperature changed by \(spanText(points)), and what that does shows only with each pose near both ends of it"
        : "it moved\(orWarmth(points)), or is faulty; hold it still on each face again"
      result.refuse(
        .accelerometer,
        "the accelerometer is not calibrated: its magnitude at rest is still off by \(milli(found.residual.after)) mg, more than \(milli(GravityFit.largestError)): \(cause)"
      )
      return nil
    }
    noteDrift(found.drift, rests, &result)
    return found
  }

  private func fromPoses(
    _ rests: Rests, _ result: inout CalibrationResult
  ) throws(GravityFit.Failure) -> SensorCalibration.Accelerometer {
    let points = rests.poses.map(\.point)
    let sorted = try GravityFit.withoutSpoilers(points)
    let (fit, leftOut) = (sorted.fit, sorted.leftOut)
    let used = points.indices.filter { !leftOut.contains($0) }.map { points[$0] }
    if fit.residualAfter >= GravityFit.largestError, let other = fromWindows(&result) {
      return other
    }
    result.method = fit.terms.hasCross ? .orientations : .faces
    let rounding = rounding(
      leftOut.isEmpty
        ? rests.poses
        : rests.poses.indices.filter { !leftOut.contains($0) }.map { rests.poses[$0] },
      scale: sensor.accelerometerScale.value, \.leastAcceleration)
    result.bounds.offset = sorted.known.offset + rounding
    result.bounds.scale = sorted.known.scale + rounding
    for place in leftOut { noteLeftOut(place, fit, used, rests, &result) }
    noteRivals(sorted, rests, &result)
    if !fit.terms.hasCross {
      result.miss(
        .crossTerms,
        "cross terms are not determined: they need nine poses, of which some lie on an edge")
    }
    result.uncheckedCount = sorted.unchecked.count
    if used.count <= fit.terms.unknowns {
      result.remarks.append("no pose is left over to check the result by")
    } else if !sorted.unchecked.isEmpty {
      result.remarks.append(sentence(unchecked: sorted.unchecked.map { rests.poses[$0] }))
    }
    if used.count > fit.terms.unknowns, sorted.rivals.isEmpty,
      fit.residualAfter > GravityFit.suspicious, fit.residualAfter < GravityFit.largestError
    {
      result.remarks.append(
        "the magnitude at rest is still off by \(milli(fit.residualAfter)) mg, more than rest leaves: a pose moved\(orWarmth(used))\(fit.terms.hasCross ? ", and which one cannot be told" : ", or the cross terms are large"); take them again, with edges"
      )
    }
    return fit.calibration(of: used, unchecked: sorted.unchecked.count)
  }

  /// The result of the still windows; `nil` if they determine nothing either.
  private func fromWindows(
    _ result: inout CalibrationResult
  ) -> SensorCalibration.Accelerometer? {
    guard windows.count >= GravityFit.leastWindows else { return nil }
    let span = StillPoint.span(of: windows)
    for usesTemperature in span.map(isReached) == true ? [true, false] : [false] {
      let fit: GravityFit
      do throws(GravityFit.Failure) {
        fit = try GravityFit(windows: windows, usesTemperature: usesTemperature)
      } catch {
        // The refusal is that of the poses.
        continue
      }
      guard fit.residualAfter < GravityFit.largestError else { continue }
      result.method = .windows
      result.bounds.offset = fit.known.offset.max() + windowRounding
      result.bounds.scale = fit.known.scale.max() + windowRounding
      result.miss(
        .crossTerms,
        "the poses do not determine a result: it is that of \(windows.count) still windows in \(fit.redundancies.count) directions, without cross terms"
      )
      return fit.calibration(of: windows)
    }
    return nil
  }

  private var windowRounding: Double {
    rounding(leastWindowSpread, scale: sensor.accelerometerScale.value)
  }

  /// Whether the windows show each side of each axis in both halves of a span, which tells its slope from the offset.
  private func isReached(_ span: ClosedRange<Double>) -> Bool {
    guard span.upperBound - span.lowerBound >= TemperatureDrift.leastSpan else { return false }
    let middle = (span.lowerBound + span.upperBound) / 2
    return [false, true].allSatisfy { isWarm in
      let half = windows.filter { (($0.temperature ?? .nan) >= middle) == isWarm }
      return GravityFit.lack(half.map(\.acceleration)) == nil
    }
  }

  private func noteDrift(
    _ drift: TemperatureDrift?, _ rests: Rests, _ result: inout CalibrationResult
  ) {
    if let drift, drift.order == 1, result.method != .windows,
      TemperatureDrift.order(ofSpan: drift.span.upperBound - drift.span.lowerBound) > 1
    {
      result.remarks.append(
        "the accelerometer's change with temperature is taken for a line: what a curve may add is in what the offset is known to"
      )
    }
    guard drift == nil else { return }
    let points = rests.poses.map(\.point)
    guard channels.contains(.temperature),
      StillPoint.width(of: points) >= TemperatureDrift.leastSpan
    else {
      return result.missing.append(.accelerometerDrift)
    }
    result.miss(
      .accelerometerDrift,
      "the accelerometer's change with temperature is not determined, though the temperature changed by \(spanText(points)): hold each pose near both ends of it"
    )
  }

  /// The error of poses' means by rounding to counts: half a count if an axis spreads by less, 0 if noise averages it out.
  func rounding(_ poses: [Pose], scale: Double, _ least: KeyPath<Spread, Double>) -> Double {
    rounding(poses.map { $0.spread[keyPath: least] }.min() ?? .infinity, scale: scale)
  }

  private func rounding(_ spread: Double, scale: Double) -> Double {
    let count = abs(scale)
    // Half a count, and the variance of rounding itself.
    let limit = (0.25 + 1.0 / 12).squareRoot() * count
    return spread < limit ? count / 2 : 0
  }
}

extension GravityFit {
  /// What it found of points.
  fileprivate func calibration(
    of points: [StillPoint], unchecked: Int = 0
  ) -> SensorCalibration.Accelerometer {
    var change: TemperatureDrift?
    if let reference, let span = StillPoint.span(of: points) {
      change = TemperatureDrift(
        reference: reference, span: span,
        coefficients: (0..<3).map { axis in drift.map { $0[axis] } })
    }
    return SensorCalibration.Accelerometer(
      offset: offset, matrix: matrix, drift: change, points: points.count, unchecked: unchecked,
      residual: (residualBefore, residualAfter))
  }
}

extension CalibrationResult {
  /// Leaves a part out, and makes the calibration incomplete.
  mutating func refuse(_ part: Part, _ sentence: String) {
    missing.append(part)
    refusals.append(sentence)
  }

  /// Leaves a part out that a complete calibration may lack.
  mutating func miss(_ part: Part, _ sentence: String) {
    missing.append(part)
    remarks.append(sentence)
  }
}
