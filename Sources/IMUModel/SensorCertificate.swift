// SPDX-License-Identifier: Apache-2.0

/// Findings about a sensor while it recorded, each with its bound and its verdict. It judges the sensor and not the
/// recording, and changes no sample. A log has it as `CertificateText`.
public struct SensorCertificate: Equatable, Sendable {
  /// In the order in which they are shown; each name once.
  public var findings: [CertificateFinding]

  /// A certificate of these findings.
  public init(_ findings: [CertificateFinding]) { self.findings = findings }

  /// The findings that a sensor needs to pass, where the certificate has them: which chip it is, whether it was set up,
  /// measures gravity, has all axes alive, and answers the self-test.
  private static let needed =
    ["identity", "registers", "gravity", "zero", "stuck"]
    + ChannelSet.names.prefix(6).map { "self-test-\($0)" }

  /// Those of the findings that a sensor needs to pass, and that could not be judged.
  private var missing: [CertificateFinding] {
    findings(.unknown).filter { SensorCertificate.needed.contains($0.name) }
  }

  /// The worst verdict of all findings; ``CertificateFinding/Verdict/unknown`` when nothing is wrong, but a needed finding, or
  /// all, could not be judged.
  public var verdict: CertificateFinding.Verdict {
    let verdicts = findings.map(\.verdict)
    if let bad = [.fail, .warn].first(where: { verdicts.contains($0) }) { return bad }
    return missing.isEmpty && verdicts.contains(.pass) ? .pass : .unknown
  }

  /// The findings with that verdict.
  public func findings(_ verdict: CertificateFinding.Verdict) -> [CertificateFinding] {
    findings.filter { $0.verdict == verdict }
  }

  /// The finding of that name.
  public subscript(name: String) -> CertificateFinding? { findings.first { $0.name == name } }

  /// The verdict, and the findings that are the reason for it, on one line.
  public var sentence: String {
    guard verdict == .fail || verdict == .warn else {
      let names = missing.map(\.name).joined(separator: ", ")
      return verdict.rawValue + (names.isEmpty ? "" : ": not judged: \(names)")
    }
    let reasons = findings(.fail) + findings(.warn)
    return "\(verdict.rawValue): " + reasons.map(\.sentence).joined(separator: "; ")
  }
}

/// One finding about a sensor.
public struct CertificateFinding: Equatable, Sendable {
  /// The judgement of a finding; ``unknown`` when there was not enough to judge by.
  public enum Verdict: String, CaseIterable, Sendable { case pass, warn, fail, unknown }
  /// Such as `noise-density-ax`.
  public let name: String
  /// Such as `92 µg/√Hz`.
  public let value: String
  /// Such as `at most 400`.
  public let bound: String
  /// The judgement.
  public let verdict: Verdict

  /// A finding.
  public init(name: String, value: String, bound: String, verdict: Verdict) {
    (self.name, self.value, self.bound, self.verdict) = (name, value, bound, verdict)
  }

  /// Such as `gravity 0.5 g (0.93 to 1.07 g)`.
  public var sentence: String {
    "\(name) \(value)" + (bound.isEmpty ? "" : " (\(bound))")
  }
}
