import IMUModel
import LogStore

/// How a take came out, in words or as JSON.
struct ReviewReport {
  private let review: Account

  init(_ review: Account) {
    self.review = review
  }

  private var motion: MotionAccount? { review.motion }

  private var stillness: Stillness { review.motion?.stillness ?? Stillness() }

  /// The verdict and why.
  var sentence: String { review.sentence }

  /// The exit status of a check; `nil` when all is good.
  var status: ExitStatus? {
    switch review.verdict {
    case .good: return nil
    case .flawed: return .flawed
    case .damaged: return .damagedData
    case .live: return .tryAgain
    }
  }

  /// Everything for a person, at the end of a take: keys of at most 11 characters, and values.
  var lines: [(String, String)] {
    var lines = [(String, String)]()
    if let lateness = review.lateness { lines.append(("lateness", ReviewReport.text(lateness))) }
    lines.append(("gaps", gaps))
    return lines + findings + [("clock", clock), ("verdict", sentence)]
  }

  /// What only reading all samples shows.
  var findings: [(String, String)] {
    var lines = [(String, String)]()
    if let hertz = motion?.achievedHertz {
      lines.append(("achieved", "\(ReviewReport.decimal(hertz, digits: 3)) Hz"))
    }
    lines.append(("clipped", clipped))
    if let motion, !motion.stillness.parts.isEmpty {
      lines.append(("motion", text(motion.stillness)))
    }
    if let rest = motion?.accelerationAtRest {
      lines.append(("at rest", "\(ReviewReport.decimal(rest, digits: 3)) g"))
    }
    if let temperature = motion?.temperature {
      let ends = [temperature.lowerBound, temperature.upperBound].map {
        ReviewReport.decimal($0, digits: 1)
      }
      let range = ends[0] == ends[1] ? ends[0] : "\(ends[0]) to \(ends[1])"
      lines.append(("temperature", "\(range) °C"))
    }
    return lines
  }

  /// `3: missed 2 (5 ticks), bus error 1 (1 tick); longest 4 ticks`.
  var gaps: String {
    let runs = review.gapCount
    guard runs > 0 else { return "0" }
    let causes = review.losses.map { losses in
      "\(losses.runs) \(losses.cause.phrase), \(losses.ticks) \(losses.ticks == 1 ? "tick" : "ticks")"
    }
    return "\(runs): " + causes.joined(separator: "; ") + "; longest \(review.longestGap)"
  }

  private var clipped: String {
    guard let motion, motion.clippedAccelerations + motion.clippedRates > 0 else {
      return "nothing"
    }
    return "\(motion.clippedAccelerations) accelerations, \(motion.clippedRates) rates"
  }

  /// The sums, and the parts when they are few.
  private func text(_ stillness: Stillness) -> String {
    let sums =
      "still \(Plain.seconds(stillness.stillTime)), moving \(Plain.seconds(stillness.movingTime))"
    guard (2...6).contains(stillness.parts.count) else { return sums }
    let parts = stillness.parts.map { part in
      "\(part.isStill ? "still" : "moving") from \(Plain.seconds(part.start))"
    }
    return sums + " (" + parts.joined(separator: ", ") + ")"
  }

  private var clock: String {
    guard let clock = review.clock else { return "not known" }
    let state = clock.isSynchronised ? "synchronised" : "not synchronised"
    return review.clockChanges == 0 ? state : "\(state), changed \(review.clockChanges) times"
  }

  /// Median, 99th percentile and maximum.
  static func text(_ lateness: LatenessSummary) -> String {
    let figures = [lateness.median, lateness.percentile99, lateness.maximum].map {
      Plain.number($0 / 1000, per: 1) + " µs"
    }
    return "median \(figures[0]), 99 % \(figures[1]), most \(figures[2])"
  }

  /// All of it, on one line.
  var json: String {
    var gaps = JSONObject()
    for losses in review.losses {
      gaps = gaps.with(
        losses.cause.name,
        raw: JSONObject().with("runs", losses.runs).with("ticks", losses.ticks).text)
    }
    let parts = stillness.parts.map { part in
      JSONObject().with("still", part.isStill)
        .with("from", raw: Plain.number(part.start, per: 1_000_000_000))
        .with("to", raw: Plain.number(part.end, per: 1_000_000_000)).text
    }
    return JSONObject()
      .with("verdict", review.verdict.rawValue)
      .with("flaws", review.flaws)
      .with("achievedHz", raw: ReviewReport.json(motion?.achievedHertz, digits: 6))
      .with("missing", review.missingCount)
      .with("gaps", raw: gaps.text)
      .with("longestGapTicks", review.longestGap)
      .with("clippedAccel", motion?.clippedAccelerations ?? 0)
      .with("clippedGyro", motion?.clippedRates ?? 0)
      .with("still", raw: Plain.number(stillness.stillTime, per: 1_000_000_000))
      .with("moving", raw: Plain.number(stillness.movingTime, per: 1_000_000_000))
      .with("parts", raw: "[" + parts.joined(separator: ",") + "]")
      .with("accelAtRest_g", raw: ReviewReport.json(motion?.accelerationAtRest, digits: 6))
      .with("tempMin_degC", raw: ReviewReport.json(motion?.temperature?.lowerBound, digits: 3))
      .with("tempMax_degC", raw: ReviewReport.json(motion?.temperature?.upperBound, digits: 3))
      .with("clockSynchronised", review.clock?.isSynchronised ?? false)
      .with("clockChanges", review.clockChanges)
      .text
  }

  private static func json(_ value: Double?, digits: Int) -> String {
    value.map { decimal($0, digits: digits) } ?? "null"
  }

  /// A decimal number without needless zeros; the ends of what can be written for any scale that a log claims.
  private static func decimal(_ value: Double, digits: Int) -> String {
    let power = (0..<digits).reduce(1) { product, _ in product * 10 }
    let scaled = (value * Double(power)).rounded()
    guard scaled.magnitude < 9e18 else { return value < 0 ? "-9e18" : "9e18" }
    return Plain.number(Int64(scaled), per: Int64(power))
  }
}
