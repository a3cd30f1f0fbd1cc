// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Text

/// What a self-test needs next.
public enum SelfTestStep: Equatable, Sendable {
  /// At least this many nanoseconds before the next step.
  case wait(nanoseconds: Int64)
  /// Nothing: this is its report.
  case done(SelfTestReport)
}

/// The result of a chip's built-in self-test, and what became of its configuration.
public struct SelfTestReport: Equatable, Sendable {
  /// How the test ended.
  public enum Outcome: Equatable, Sendable {
    /// The answer of each axis.
    case answers([SelfTestAnswer])
    /// The chip did not lie still: nothing is known of it.
    case moved(SelfTestMovement)
    /// It could not be carried out.
    case failed(SensorError)
  }

  /// What became of the registers that the test wrote.
  public enum Restoration: Equatable, Sendable {
    /// They hold what they held before: so many, as read back.
    case proved(count: Int)
    /// At least one does not.
    case failed(SensorError)
  }

  /// How the test ended.
  public let outcome: Outcome
  /// What became of the registers that the test wrote.
  public let restoration: Restoration
}

/// The answer of one axis.
public struct SelfTestAnswer: Equatable, Sendable {
  /// The axis by its position in `ChannelSet`, 0 to 5.
  public let channel: Int
  /// The answer in g or °/s.
  public let response: Double
  /// Whether an output was at an end of its range, so that the true answer is this one or a larger one.
  public let isClipped: Bool
  /// What it is judged by.
  public let judgement: Judgement
  /// The judgement.
  public let verdict: CertificateFinding.Verdict

  /// What an answer is judged by.
  public enum Judgement: Equatable, Sendable {
    /// Its magnitude in mg or °/s.
    case magnitude(ClosedRange<Int64>)
    /// Its ratio to the factory's trim.
    case ratio(Double, within: ClosedRange<Double>)
    /// The factory wrote no trim: nothing to judge by. The maker writes one into every original.
    case noTrim(codes: ClosedRange<Int>)
  }
}

/// What moved, and by how much.
public struct SelfTestMovement: Equatable, Sendable {
  /// The axis by its position in `ChannelSet`, 0 to 5.
  public let channel: Int
  /// The spread of its samples, or what was left of the answer after the test, in g or °/s.
  public let amount: Double
}

extension SelfTestReport {
  /// A line for each axis, or one for why there are none, and one for the configuration.
  public var findings: [CertificateFinding] { tested + [restored] }

  /// Whether the chip moved, so that the test should be run again.
  public var isMoved: Bool {
    if case .moved = outcome { return true }
    return false
  }

  /// Whether the factory wrote no trim, as of a copy.
  public var isUntrimmed: Bool {
    guard case .answers(let answers) = outcome else { return false }
    return answers.contains {
      if case .noTrim = $0.judgement { true } else { false }
    }
  }

  private var tested: [CertificateFinding] {
    switch outcome {
    case .answers(let answers): return answers.map(\.finding)
    case .moved(let movement):
      let unit = SelfTestUnit(movement.channel)
      return [
        CertificateFinding(
          name: "self-test",
          value: "\(ChannelSet.names[movement.channel]) moved by \(unit.text(movement.amount))",
          bound: "at most \(unit.stillness) \(unit.name)",
          verdict: .unknown)
      ]
    case .failed(let error):
      return [
        CertificateFinding(
          name: "self-test", value: "not finished: \(error)", bound: "an answer of each axis",
          verdict: .fail)
      ]
    }
  }

  private var restored: CertificateFinding {
    switch restoration {
    case .proved(let count):
      return CertificateFinding(
        name: "restored", value: "\(count) registers", bound: "as before the self-test",
        verdict: .pass)
    case .failed(let error):
      return CertificateFinding(
        name: "restored",
        value: "\(error); the chip may be in its self-test until the next recording resets it",
        bound: "as before the self-test", verdict: .fail)
    }
  }
}

extension SelfTestAnswer {
  /// One line.
  public var finding: CertificateFinding {
    let unit = SelfTestUnit(channel)
    var (text, bound) = words(unit)
    // Gravity takes the room of the axis that is up. Without a trim code no face gives a judgement.
    if isClipped, verdict == .warn, channel < 3, !hasNoTrim { text += "; lay another face up" }
    return CertificateFinding(
      name: "self-test-\(ChannelSet.names[channel])", value: text, bound: bound, verdict: verdict)
  }

  private var hasNoTrim: Bool {
    if case .noTrim = judgement { true } else { false }
  }

  private func words(_ unit: SelfTestUnit) -> (value: String, bound: String) {
    func amount(_ response: Double) -> String {
      unit.text(response) + (isClipped ? " or more, as its output was at an end of the range" : "")
    }
    switch judgement {
    case .magnitude(let limits):
      return (
        amount(abs(response)), "\(limits.lowerBound) to \(limits.upperBound) \(unit.name)"
      )
    case .ratio(let ratio, let limits):
      func percent(_ ratio: Double) -> String {
        Plain.number(ratio * 100, per: 10)
      }
      return (
        "\(amount(response)), \(percent(ratio)) % of the factory's trim",
        "\(percent(limits.lowerBound)) to \(percent(limits.upperBound)) %"
      )
    case .noTrim(let codes):
      return (
        "\(amount(response)), with nothing to compare it with: its trim code is 0, as a clone's",
        "a code of \(codes.lowerBound) to \(codes.upperBound)"
      )
    }
  }
}

/// The unit in which a self-test's answers are shown.
struct SelfTestUnit {
  /// `mg` or `°/s`.
  let name: String
  /// So many of them are one g or one °/s.
  let factor: Int64
  /// How still a chip must lie: the bound of the spread of samples, and of what is left of the answer when the test is off
  /// again.
  ///
  /// Above any such chip's noise with the filters of the tests (an MPU-6050's samples differ by 25 mg at most), and below
  /// what would turn a judgement: 14 % of the smallest answer of an MPU-6050 are 48 mg.
  let stillness: Int64

  init(_ channel: Int) {
    (name, factor, stillness) = channel < 3 ? ("mg", 1000, 45) : ("°/s", 1, 3)
  }

  /// A quantity in g or °/s, to a tenth of the unit.
  func text(_ value: Double) -> String {
    Plain.number(value * Double(factor), per: 10) + " \(name)"
  }
}
