// SPDX-License-Identifier: Apache-2.0

/// What was found out about a sensor while it recorded: each finding with its bound and its verdict.
///
/// It judges the sensor and not the recording, and it changes no sample. A log has it in text: see
/// `CertificateText` in LogFormat.
public struct SensorCertificate: Equatable, Sendable {
  /// In the order in which they are shown; each name once.
  public var findings: [CertificateFinding]

  /// A certificate of these findings.
  public init(_ findings: [CertificateFinding]) {
    self.findings = findings
  }

  /// The worst verdict of all findings; ``CertificateFinding/Verdict/unknown`` when none could be judged.
  public var verdict: CertificateFinding.Verdict {
    let verdicts = findings.map(\.verdict)
    return [.fail, .warn, .pass].first { verdicts.contains($0) } ?? .unknown
  }

  /// The findings with that verdict.
  public func findings(_ verdict: CertificateFinding.Verdict) -> [CertificateFinding] {
    findings.filter { $0.verdict == verdict }
  }

  /// The finding of that name.
  public subscript(name: String) -> CertificateFinding? { findings.first { $0.name == name } }

  /// The verdict, and the findings that are the reason for it, on one line.
  public var sentence: String {
    guard verdict == .fail || verdict == .warn else { return verdict.rawValue }
    let reasons = findings(.fail) + findings(.warn)
    return "\(verdict.rawValue): " + reasons.map(\.sentence).joined(separator: "; ")
  }
}
