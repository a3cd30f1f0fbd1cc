// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import Text

/// What a self-test needs next.
package enum SelfTestStep: Equatable, Sendable {
  /// At least this many nanoseconds before the next step.
  case wait(nanoseconds: Int64)
  /// Nothing: this is its report.
  case done(SelfTestReport)
}

/// The result of a chip's built-in self-test, and what became of its configuration.
package struct SelfTestReport: Equatable, Sendable {
  package enum Outcome: Equatable, Sendable {
    /// The answer of each axis.
    case answers([SelfTestAnswer])
    /// The chip did not lie still, so it is not judged: by the spread of an axis's samples, or the rest of its answer after
    /// the test, in g or °/s.
    case moved(channel: Int, amount: Double)
    /// It could not be carried out.
    case failed(SensorError)
  }

  /// What became of the registers that the test wrote.
  package enum Restoration: Equatable, Sendable {
    /// So many hold what they held before, as read back.
    case proved(count: Int)
    /// At least one does not.
    case failed(SensorError)
  }

  package let outcome: Outcome
  package let restoration: Restoration
}

/// The answer of one axis.
package struct SelfTestAnswer: Equatable, Sendable {
  /// The axis by its position in `ChannelSet`, 0 to 5.
  package let channel: Int
  /// In g or °/s.
  package let response: Double
  /// Whether the factory wrote no trim to judge it by. The maker writes one into every original.
  package var isUntrimmed = false
  package let finding: CertificateFinding

  package var verdict: CertificateFinding.Verdict { finding.verdict }
}

extension SelfTestReport {
  /// One for each axis, or one that says why there are none, and one for the configuration.
  package var findings: [CertificateFinding] { tested + [restored] }

  /// Whether the chip moved, so that the test should be run again.
  package var isMoved: Bool {
    if case .moved = outcome { true } else { false }
  }

  /// Whether the factory wrote no trim, as in a copy.
  package var isUntrimmed: Bool {
    guard case .answers(let answers) = outcome else { return false }
    return answers.contains(where: \.isUntrimmed)
  }

  private var tested: [CertificateFinding] {
    switch outcome {
    case .answers(let answers): return answers.map(\.finding)
    case .moved(let channel, let amount):
      let unit = SelfTestUnit(channel)
      return [
        CertificateFinding(
          name: "self-test",
          value: "\(ChannelSet.names[channel]) moved by \(unit.text(amount))",
          bound: "at most \(unit.stillness) \(unit.name)", verdict: .unknown)
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
    let (value, verdict): (String, CertificateFinding.Verdict) =
      switch restoration {
      case .proved(let count): ("\(count) registers", .pass)
      case .failed(let error):
        ("\(error); the chip may be in its self-test until the next recording resets it", .fail)
      }
    return CertificateFinding(
      name: "restored", value: value, bound: "as before the self-test", verdict: verdict)
  }
}

/// The unit in which a self-test's answers are shown.
struct SelfTestUnit {
  /// `mg` or `°/s`.
  let name: String
  /// Units in one g or one °/s.
  let factor: Int64
  /// How still a chip must lie: the bound of the spread of samples, and of the rest of the answer when the test is off again.
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
