// SPDX-License-Identifier: Apache-2.0

package import IMUDrivers
package import IMUModel
import Text

/// The findings of `certify` about a chip, for people or as JSON.
package struct CertifyReport: Equatable, Sendable {
  package let sensor: SensorIdentity
  package let findings: [CertificateFinding]
  /// Whether the chip moved, so that self-test and noise show nothing.
  package let isMoved: Bool

  /// The certificate's verdict; `unknown` if the chip moved and nothing fails.
  package var verdict: CertificateFinding.Verdict {
    let verdict = SensorCertificate(findings).verdict
    return isMoved && verdict != .fail ? .unknown : verdict
  }

  /// A line a finding: verdict, name, value and bound. Long values leave the column.
  package var lines: [String] {
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    let values = findings.map { Plain.text($0.value) }
    let width = values.map(\.count).filter { $0 <= CertifyReport.widestColumn }.max() ?? 0
    let longest = findings.map(\.name.count).max() ?? 0
    return zip(findings, values).map { finding, value in
      padded(CertifyReport.word(finding.verdict), 6) + padded(finding.name, longest + 2)
        + padded(value, width) + "  (" + Plain.text(finding.bound) + ")"
    }
  }

  private static let widestColumn = 40

  private static func word(_ verdict: CertificateFinding.Verdict) -> String {
    switch verdict {
    case .pass: "PASS"
    case .warn: "WARN"
    case .fail: "FAIL"
    case .unknown: "-"
    }
  }

  package var json: String {
    JSONWriter.document { json in
      json.member("sensor") { json in
        json.member("model", sensor.model.name)
        json.member("address", sensor.address.rawValue)
      }
      json.member("verdict", verdict.rawValue)
      json.member("isMoved", isMoved)
      json.member("findings", findings, onNewLines: true) { $0.finding($1) }
    }
  }
}
