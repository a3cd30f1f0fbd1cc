// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The gyroscope's part of a calibration.
extension CalibrationStudy {
  /// The difference of turns about an axis that is reported: two degrees of 360.
  private static let largestDifference = 0.006
  /// The variation of the rate at rest that is reported, in °/s.
  private static let largestVariation = 0.05
  /// A bias beyond so many typical zero-rate levels is reported: these are before soldering and at 25 °C.
  private static let zeroRates = 2.0

  /// The rate at rest, its change with temperature and the scales; `nil` without a bias, on which the others rest.
  func gyroscope(
    _ rests: Rests, zeroRate: Double?, _ result: inout CalibrationResult
  ) -> SensorCalibration.Gyroscope? {
    let still = stillPoints(rests)
    guard !still.isEmpty else {
      let cause = attempt.unrest.flatMap { $0.isOfCounts ? sentence($0) : nil }
      result.refuse(
        .gyroscope,
        rests.turned.isEmpty
          ? "the gyroscope's bias is not determined: \(cause ?? "the sensor was never still for \(restText)")"
          : "the gyroscope's bias is not determined: the rates at rest differ by more than \(RestRates.leastTurn) °/s, so it turned in some of them: lay it on something that stands still"
      )
      return nil
    }
    if let sentence = misreading {
      result.refuse(.gyroscope, sentence)
      return nil
    }
    let drift = rateDrift(still, &result)
    var found = SensorCalibration.Gyroscope(offset: Vector3(), drift: drift)
    // Each direction counts once, as gravity acts on the bias; a drift is fitted to windows.
    let points = drift == nil && rests.poses.count > 1 ? rests.poses.map(\.point) : still
    let rates = points.map { point in
      guard let drift, let temperature = point.temperature else { return point.rate }
      return point.rate - drift.offset(at: temperature)
    }
    let count = Double(rates.count)
    // The median ignores rests with slow turns; a fitted curve goes with the mean.
    found.offset = drift == nil ? RestRates.median(of: points) : rates.reduce(Vector3(), +) / count
    guard acceptsBias(found.offset, zeroRate, still, &result) else { return nil }
    let offset = found.offset
    result.bounds.rate =
      RateBound.bound(of: offset, points, rates, order: drift?.order)
      + rounding(rests.poses, scale: sensor.gyroscopeScale.value, \.leastRate)
    if rates.count > 1 {
      let squares = rates.reduce(Vector3()) { $0 + ($1 - offset) * ($1 - offset) }
      let variation = (squares / (count - 1)).squareRoot().max()
      let warmth = StillPoint.width(of: points) >= CalibrationStudy.leastWarmth
      // A span below that of a fit has a change nevertheless, and a wide one more than a curve.
      if warmth,
        drift?.order ?? 0 < max(1, Int(StillPoint.width(of: points) / TemperatureDrift.leastSpan))
      {
        // The rest of the change is at most what the rests show.
        let most = rates.map { rate in
          let off = rate - offset
          return max(off.max(), -off.min())
        }
        result.bounds.rate? += most.max() ?? 0
      }
      if variation > CalibrationStudy.largestVariation {
        result.remarks.append(
          "the rate at rest varies by \(milli(variation, 100)) °/s from rest to rest\(drift != nil ? ", also without its change with temperature" : warmth ? ", and the temperature by \(spanText(points))" : "")"
        )
      }
    }
    turnScales(rests, &found, &result)
    return found
  }

  /// Whether the chip can have a bias. One beyond its data sheet is reported, and refused if all rests have one direction.
  private func acceptsBias(
    _ bias: Vector3, _ zeroRate: Double?, _ still: [StillPoint], _ result: inout CalibrationResult
  ) -> Bool {
    guard let zeroRate else { return true }
    let limit = zeroRate * CalibrationStudy.zeroRates
    guard let axis = (0..<3).first(where: { abs(bias[$0]) > limit }) else { return true }
    let words =
      "the rate at rest about \(CalibrationStudy.axes[axis]) would be \(milli(bias[axis], 10)) °/s, and the chip's data sheet has ±\(milli(zeroRate, 10)) °/s"
    let first = still.first?.acceleration ?? Vector3()
    guard still.allSatisfy({ CalibrationStudy.isSame($0.acceleration, first) }) else {
      result.remarks.append(words + ": the gyroscope is faulty, or a copy")
      return true
    }
    result.refuse(
      .gyroscope,
      "the gyroscope's bias is not determined: \(words): it turned all the time; lay it on something that stands still, on several faces"
    )
    return false
  }

  private func rateDrift(
    _ still: [StillPoint], _ result: inout CalibrationResult
  ) -> TemperatureDrift? {
    guard channels.contains(.temperature), let span = StillPoint.span(of: still) else {
      result.miss(
        .gyroscopeDrift,
        "no change with temperature is determined: the temperature is not recorded")
      return nil
    }
    let width = span.upperBound - span.lowerBound
    let values = still.compactMap { point in
      point.temperature.map { (temperature: $0, value: point.rate) }
    }
    let drift = TemperatureDrift(fitting: values)
    let least = Int(TemperatureDrift.leastSpan)
    switch (drift?.order, width) {
    case (nil, ..<TemperatureDrift.leastSpan):
      result.miss(
        .gyroscopeDrift,
        "no change with temperature is determined: that needs a span of \(least) °C, and it changed by \(spanText(still))"
      )
    case (nil, _):
      result.miss(
        .gyroscopeDrift,
        "the gyroscope's change with temperature is not determined, though the temperature changed by \(spanText(still)): that needs rest all over this span, not at one end of it"
      )
    case (let order?, _) where order < TemperatureDrift.order(ofSpan: width):
      result.remarks.append(
        "the gyroscope's change with temperature is taken as \(order == 1 ? "a straight line" : "a curve of order \(order)"): a higher order needs more rest all over the \(spanText(still))"
      )
    default: break
    }
    return drift
  }

  /// What gravity does when each of the gyroscope's axes turns, if known.
  private var columns: [AxisJudge.Column?] {
    guard case .columns(let columns) = judge.verdict else { return [nil, nil, nil] }
    return columns
  }

  /// Whether gravity shows another scale of an axis than the recorded one.
  func isMisread(_ axis: Int) -> Bool {
    columns[axis].map { $0.axis == axis && !CalibrationStudy.factors.contains($0.factor) } ?? false
  }

  /// Factors of a rate that may be a chip's: wrong scales are off by half or more.
  private static let factors = 0.7...1.4

  /// Why the rates contradict the turns of gravity; `nil` if they do not.
  private var misreading: String? {
    let start = "the gyroscope is not calibrated: "
    let silent = judge.silent
    guard silent.isEmpty else {
      let names = silent.map { ChannelSet.names[3 + $0] }.joined(separator: ", ")
      return start
        + "\(names) \(silent.count == 1 ? "does" : "do") not answer: gravity turned about \(silent.count == 1 ? "it" : "them"), and there is nothing but noise: it is faulty, or asleep"
    }
    let columns = columns
    let isOrdered = (0..<3).allSatisfy { axis in
      columns[axis].map { $0.axis == axis && $0.factor > 0 } ?? true
    }
    guard isOrdered else {
      let isReversed = (0..<3).allSatisfy { axis in
        columns[axis].map { $0.axis == axis && $0.factor < 0 } ?? false
      }
      let words = zip(0..<3, columns).compactMap { axis, column in
        column.flatMap { $0.axis == axis && $0.factor > 0 ? nil : (axis, $0) }
      }.sorted { $0.1.axis < $1.1.axis }.map { axis, column in
        "about \(CalibrationStudy.axes[column.axis]) as \(column.factor < 0 ? "−" : "")\(ChannelSet.names[3 + axis]) says"
      }
      return start
        + "gravity turned \(isReversed ? "the other way than the rates say" : words.joined(separator: ", ")): the \(isReversed ? "signs" : "axes") of the two sensors do not agree: choose the columns of an import anew, or their signs in its file; a chip that does this is faulty or another one, as `axes` in its certificate says"
    }
    let wrong = (0..<3).filter(isMisread).map { axis in
      "\(milli(columns[axis]?.factor ?? 1, 10)) times as far about \(CalibrationStudy.axes[axis])"
    }
    guard !wrong.isEmpty else { return nil }
    return start
      + "gravity turned \(wrong.joined(separator: ", ")) as the rates say, so their scale is wrong: the chip had another full scale than the recording states, the import was given a wrong scale, or the axis is faulty"
  }

  /// The scales of the axes that were turned about.
  private func turnScales(
    _ rests: Rests, _ found: inout SensorCalibration.Gyroscope,
    _ result: inout CalibrationResult
  ) {
    let turns = turns(rests)
    var fits = [TurnFit?](repeating: nil, count: turns.count)
    // Single turns first: with their scales, several in one go can be counted.
    for (index, turn) in turns.enumerated() {
      _ = reason(turn, Vector3(repeating: .nan), &fits[index])
    }
    let first = TurnFit.solution(fits.compactMap(\.self)).scales
    for (index, turn) in turns.enumerated() {
      guard let why = reason(turn, first, &fits[index]) else { continue }
      result.turnCount += 1
      guard why != "" else { continue }
      result.remarks.append(
        "turn \(result.turnCount), after the rest at \(Plain.length(turn.start)), is left out: \(why)"
      )
    }
    let used = fits.compactMap(\.self)
    let (scales, known) = TurnFit.solution(used)
    result.bounds.rateScale = known
    nameTurned(rests, used: zip(turns, fits).filter { $1 != nil }.map(\.0), &result)
    for case (let turn, let fit?) in zip(turns, fits) {
      let share = fit.uncertainty / abs(360 * Double(fit.turns))
      guard share > CalibrationStudy.largestDifference else { continue }
      result.remarks.append(
        "the turn after the rest at \(Plain.length(turn.start)) is good for \(milli(share * 100, 10)) % only: \(sentence(bias: turn))"
      )
    }
    var missing: [String] = []
    for axis in 0..<3 {
      // Without a turn the scale is not a number.
      guard abs(scales[axis] - 1) <= 2 * TurnFit.largestError else {
        result.missing.append(.gyroscopeScale(axis))
        missing.append(CalibrationStudy.axes[axis])
        continue
      }
      found.scale[axis] = scales[axis]
    }
    noteDisagreement(used, found.scale, &result)
    let unshown = Set(used.map(\.axis)).filter { columns[$0] == nil }
      .sorted().map { CalibrationStudy.axes[$0] }
    if !unshown.isEmpty {
      result.remarks.append(
        "how often it was turned about \(unshown.joined(separator: ", ")) is known of the gyroscope alone, and nothing shows a scale that is wrong by a factor of two: turn it about \(unshown.count == 1 ? "this axis" : "each of these axes") too while the axis lies level"
      )
    }
    if !missing.isEmpty {
      result.refusals.append(
        "the gyroscope's scale about \(missing.joined(separator: ", ")) is not determined: turn it by 360° about the axis, from rest to rest in the same place"
      )
    }
  }

  /// The least move that counts as an attempt at a turn, in degrees; elsewhere more: to the opposite face is half a turn.
  private static let leastTurn = (back: 180.0, elsewhere: 270.0)

  /// Why a turn is left out; empty if it counts, `nil` if it is not a turn. With the scales of single turns, more turns in
  /// one go can be counted.
  private func reason(_ turn: Turn, _ scales: Vector3, _ fit: inout TurnFit?) -> String? {
    if fit != nil { return "" }
    let degrees = turn.degrees
    let least = CalibrationStudy.leastTurn
    guard degrees.length >= (turn.isBack ? least.back : least.elsewhere) else { return nil }
    guard turn.isWhole else {
      return
        "samples are missing in it, or at the end of the range: turn it again, more slowly if it was fast"
    }
    guard turn.isBack else {
      return "the next rest that counts was not in the place where it began"
    }
    let axis = (0..<3).max { abs(degrees[$0]) < abs(degrees[$1]) } ?? 0
    do throws(TurnFit.Failure) {
      guard !scales[axis].isNaN else {
        fit = try TurnFit(degrees: degrees, uncertainty: turn.uncertainty)
        return ""
      }
      var known = scales
      for axis in 0..<3 where known[axis].isNaN { known[axis] = 1 }
      fit = try TurnFit(
        degrees: degrees, scale: known, error: TurnFit.knownError, uncertainty: turn.uncertainty)
      return ""
    } catch {
      return sentence(error, turn)
    }
  }

  /// So many poses that turned are named one by one: a turn of minutes may be sixty.
  private static let namedPoses = 3

  /// Names poses that turned, other than parts of turns that count.
  private func nameTurned(
    _ rests: Rests, used: [Turn], _ result: inout CalibrationResult
  ) {
    let named = rests.turned.filter { turned in
      !used.contains { $0.start < turned.pose.start && turned.pose.start < $0.end }
    }
    let limit = CalibrationStudy.namedPoses
    for (pose, rate) in named.prefix(limit) {
      result.remarks.append(
        "\(name(pose)) is left out: it turned at \(milli(rate, 100)) °/s; take it again")
    }
    if named.count > limit {
      result.remarks.append("\(named.count - limit) more poses are left out: they turned")
    }
  }

  /// Reports turns about one axis that differ.
  private func noteDisagreement(
    _ fits: [TurnFit], _ scale: Vector3, _ result: inout CalibrationResult
  ) {
    for axis in 0..<3 {
      let lengths = fits.filter { $0.axis == axis }.map { ($0.shares * scale).length }
      guard let low = lengths.min(), let high = lengths.max(),
        high - low > CalibrationStudy.largestDifference
      else { continue }
      result.remarks.append(
        "the turns about \(CalibrationStudy.axes[axis]) differ by \(milli((high - low) * 100, 10)) %: one was not brought back to where it began, and the scale is known no better"
      )
    }
  }
}
