// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Text

/// Whether a recording can be used.
public enum Verdict: String, CaseIterable, Sendable {
  /// Complete, on time and within the ranges.
  case good
  /// Everything recorded can be read, but something is wrong.
  case flawed
  /// Parts cannot be read.
  case damaged
  /// It is still being recorded.
  case live = "running"
}

extension Account {
  /// Whether the recording can be used.
  public var verdict: Verdict {
    if damageCount > 0 { return .damaged }
    if isLive { return .live }
    return flaws.isEmpty ? .good : .flawed
  }

  /// What is wrong, each in a few words.
  public var flaws: [String] {
    var flaws: [String] = []
    if sampleCount == 0 { flaws.append("no samples") }
    if damageCount == 0, isBalanced == false || unexplainedTickCount > 0 {
      flaws.append("its account does not balance")
    }
    let gapTime = description.rate.nanoseconds(atTick: longestGap)
    if sampleCount > 0,
      missingCount > tickCount / 1000 || (longestGap > 0 && gapTime > 1_000_000_000)
    {
      flaws.append("\(missingCount) of \(tickCount) samples are missing")
    }
    if let count = motion?.clippedAccelerations, count > 0 {
      flaws.append("accelerations are clipped in \(Account.samples(count))")
    }
    if let count = motion?.clippedRates, count > 0 {
      flaws.append("rates are clipped in \(Account.samples(count))")
    }
    // A chip that keeps the time makes its samples whenever they are read.
    if let lateness, description.clock == .grid,
      lateness.percentile99 > description.rate.periodNanoseconds / 2
    {
      flaws.append("one read in 100 was more than half a period late")
    }
    if let flaw = chipClock?.flaw { flaws.append(flaw) }
    if let motion, let rest = motion.accelerationAtRest, motion.stillness.stillTime > 1_000_000_000,
      abs(rest - 1) > 0.1
    {
      flaws.append("at rest it measures \(Plain.number(rest * 100, per: 1)) % of gravity")
    }
    if let certificate, certificate.verdict == .fail {
      let failed = certificate.findings(.fail).map(\.sentence)
      flaws.append("the sensor's certificate fails: " + failed.joined(separator: ", "))
    }
    if end == nil, !isLive { flaws.append("the end is missing") }
    if let flaw = end?.reason.flaw { flaws.append(flaw) }
    return flaws
  }

  /// How late the sampler woke; `nil` when it was not measured or the end is missing.
  public var lateness: LatenessSummary? { end?.measuredLateness }

  private static func samples(_ count: UInt64) -> String {
    "\(Plain.count(count, "sample")), a larger range is needed"
  }

  /// The verdict with its reasons, on one line.
  public var sentence: String {
    switch verdict {
    case .good:
      let missing = missingCount == 0 ? "" : ", \(missingCount) missing"
      return "good: \(sampleCount) of \(tickCount) samples\(missing)"
    case .flawed: return "flawed: " + flaws.joined(separator: "; ")
    case .live: return "running: \(sampleCount) samples so far"
    case .damaged:
      let damage = "\(Plain.count(damageCount, "part")) cannot be read"
      return "damaged: " + ([damage] + flaws).joined(separator: "; ")
    }
  }
}
