// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import Text

/// The quality of a recording, for people or as JSON.
struct ReviewReport {
  let account: Account

  init(_ account: Account) { self.account = account }

  private var motion: MotionAccount? { account.motion }

  private var stillness: Stillness { account.motion?.stillness ?? Stillness() }

  /// The exit status of a check; `nil` when all is good.
  var status: ExitStatus? { ReviewReport.status(of: account.verdict) }

  static func status(of verdict: Verdict) -> ExitStatus? {
    switch verdict {
    case .good: return nil
    case .flawed: return .flawed
    case .damaged: return .damagedData
    case .live: return .tryAgain
    }
  }

  /// The report at the end of a recording: keys of at most 11 characters, and values.
  var lines: [(String, String)] {
    var lines = [(String, String)]()
    if let lateness = account.lateness { lines.append(("lateness", ReviewReport.text(lateness))) }
    lines.append(("gaps", gaps))
    return lines + findings + [("clock", clock), ("verdict", account.sentence)]
  }

  /// Findings that need a pass over all samples.
  var findings: [(String, String)] {
    var lines = [(String, String)]()
    if let hertz = motion?.achievedHertz {
      let word = account.description.timeWord
      lines.append(("achieved", "\(Plain.number(hertz, per: 1000)) Hz \(word)"))
    }
    lines.append(("clipped", clipped))
    if let motion, !motion.stillness.parts.isEmpty {
      lines.append(("motion", text(motion.stillness)))
    }
    if let rest = motion?.accelerationAtRest {
      lines.append(("at rest", "\(Plain.number(rest, per: 1000)) g"))
    }
    if let temperature = motion?.temperature {
      let ends = [temperature.lowerBound, temperature.upperBound].map {
        Plain.number($0, per: 10)
      }
      let range = ends[0] == ends[1] ? ends[0] : "\(ends[0]) to \(ends[1])"
      lines.append(("temperature", "\(range) °C"))
    }
    return lines + (ChipTimesReport(account)?.lines ?? []) + [("bus clock", busClock)]
  }

  /// Estimates from the drains, or from the opening of the sensor; and what the board states.
  private var busClock: String {
    func kilohertz(_ hertz: some BinaryInteger) -> String {
      "\(Plain.number(Int64(hertz), per: 1000)) kHz"
    }
    let (log, found) = (account.description, account.busClock)
    var parts: [String] = []
    if let hertz = found.hertz {
      parts.append(
        "\(kilohertz(hertz)) estimated (\(kilohertz(found.least)) to \(kilohertz(found.most)))")
    } else if let hertz = log.busClockMeasured {
      parts.append("\(kilohertz(hertz)) estimated when the sensor was opened")
    }
    if case .chip(let hertz?) = log.clock { parts.append("\(kilohertz(hertz)) claimed") }
    return parts.joined(separator: ", ")
  }

  /// `3: missed 2 (5 ticks), bus error 1 (1 tick); longest 4 ticks`.
  var gaps: String {
    let runs = account.gapCount
    guard runs > 0 else { return "0" }
    let causes = account.losses.map { losses in
      "\(losses.runs) \(losses.cause.phrase), \(Plain.count(losses.ticks, "tick"))"
    }
    return "\(runs): " + causes.joined(separator: "; ") + "; longest \(account.longestGap)"
  }

  private var clipped: String {
    guard let motion, motion.clippedAccelerations + motion.clippedRates > 0 else {
      return "nothing"
    }
    return "\(motion.clippedAccelerations) accelerations, \(motion.clippedRates) rates"
  }

  /// The totals, and the parts if they are few.
  private func text(_ stillness: Stillness) -> String {
    let sums =
      "still \(Plain.seconds(stillness.stillTime)), moving \(Plain.seconds(stillness.movingTime))"
      + ", \(account.description.timeWord)"
    guard (2...6).contains(stillness.parts.count) else { return sums }
    let parts = stillness.parts.map { part in
      "\(part.isStill ? "still" : "moving") from \(Plain.seconds(part.start))"
    }
    return sums + " (" + parts.joined(separator: ", ") + ")"
  }

  /// The verdict of the sensor's certificate, and every finding that does not pass.
  var certificate: String {
    guard let certificate = account.certificate else { return "no certificate in this log" }
    return Plain.text(certificate.sentence)
  }

  private var clock: String {
    guard let clock = account.clock else { return "not known" }
    let state = clock.isSynchronised ? "synchronised" : "not synchronised"
    return account.clockChanges == 0 ? state : "\(state), changed \(account.clockChanges) times"
  }

  /// Median, 99th percentile and maximum, in microseconds.
  static func text(_ lateness: LatenessSummary) -> String {
    let figures = [lateness.median, lateness.percentile99, lateness.maximum].map {
      Plain.number($0 / 1000, per: 1) + " µs"
    }
    return "median \(figures[0]), 99 % \(figures[1]), most \(figures[2]), estimated"
  }

  /// A document of its own.
  var json: String {
    JSONWriter.document { json in
      json.times.areClaimed = account.description.isImported
      add(to: &json)
      addClock(to: &json)
    }
  }

  /// The member `clock`: the clock that dates the recording.
  func addClock(to json: inout JSONWriter) {
    json.member("clock") { json in
      json.member("synchronised", account.clock?.isSynchronised ?? false)
      json.member("changeCount", account.clockChanges)
    }
  }

  /// The members of the object `review`.
  func add(to json: inout JSONWriter) {
    func decimal(_ value: Double?, _ parts: Int64) -> String? {
      value.map { Plain.number($0, per: parts) }
    }
    func seconds(_ nanoseconds: Int64) -> String { Plain.number(nanoseconds, per: 1_000_000_000) }
    json.member("verdict", account.verdict.rawValue)
    json.member("flaws", account.flaws)
    json.member("achieved_hz", number: decimal(motion?.achievedHertz, 1_000_000))
    json.member("missing", account.missingCount)
    json.member("gapsByCause") { json in
      for losses in account.losses {
        json.member(losses.cause.name) { json in
          json.member("count", losses.runs)
          json.member("ticks", losses.ticks)
        }
      }
    }
    json.member("longestGap", account.longestGap)
    json.member("clippedAccelerations", motion?.clippedAccelerations ?? 0)
    json.member("clippedRates", motion?.clippedRates ?? 0)
    json.member("still_s", number: seconds(stillness.stillTime))
    json.member("moving_s", number: seconds(stillness.movingTime))
    json.member("parts", stillness.parts) { json, part in
      json.object { json in
        json.member("still", part.isStill)
        json.member("from_s", number: seconds(part.start))
        json.member("to_s", number: seconds(part.end))
      }
    }
    json.member("accelerationAtRest_g", number: decimal(motion?.accelerationAtRest, 1_000_000))
    json.member(
      "temperatureMinimum_c", number: decimal(motion?.temperature?.lowerBound, 1000))
    json.member(
      "temperatureMaximum_c", number: decimal(motion?.temperature?.upperBound, 1000))
  }
}
