// SPDX-License-Identifier: Apache-2.0

/// One finding about a sensor: what was looked at, what was found, which bound it has, and the judgement.
public struct CertificateFinding: Equatable, Sendable {
  /// The judgement of a finding; ``unknown`` when there was not enough to judge by.
  public enum Verdict: String, CaseIterable, Sendable { case pass, warn, fail, unknown }
  /// What was looked at, such as `noise-density-ax`.
  public let name: String
  /// What was found, such as `92 µg/√Hz`.
  public let value: String
  /// What is allowed, such as `at most 400`.
  public let bound: String
  /// The judgement.
  public let verdict: Verdict

  /// A finding.
  public init(name: String, value: String, bound: String, verdict: Verdict) {
    (self.name, self.value, self.bound, self.verdict) = (name, value, bound, verdict)
  }
}

extension CertificateFinding {
  /// Such as `gravity 0.5 g (0.93 to 1.07 g)`.
  public var sentence: String {
    "\(name) \(value)" + (bound.isEmpty ? "" : " (\(bound))")
  }
}
