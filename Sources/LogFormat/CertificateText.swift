// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import Text

/// A sensor's certificate as lines of text, one a finding, in a chunk of its own:
///
///     noise-density-ax pass 92 µg/√Hz | 38 to 150 µg/√Hz
///     └ name           │    └ value     └ bound
///                      └ verdict
///
/// Escapes are those of the header's text.
enum CertificateText {
  /// Between value and bound; a value does not contain it.
  private static var bar: [UInt8] { Array(" | ".utf8) }

  static func text(_ certificate: SensorCertificate) -> [UInt8] {
    certificate.findings.reduce(into: []) { text, finding in
      precondition(
        finding.isWritable, "a finding's name has no blank, and its value no bar between blanks")
      let value = HeaderText.escaped("\(finding.verdict.rawValue) \(finding.value)")
      text += Array("\(finding.name) \(value)".utf8)
      if !finding.bound.isEmpty { text += bar + Array(HeaderText.escaped(finding.bound).utf8) }
      text.append(UInt8(ascii: "\n"))
    }
  }

  /// The findings in a text; lines with an unknown verdict are skipped, so that later versions can add some.
  static func certificate(_ text: [UInt8]) -> SensorCertificate {
    var names: Set<String> = [""]
    let findings = HeaderEntries(text).all.compactMap { finding($0.key, $0.value) }
    return SensorCertificate(findings.filter { names.insert($0.name).inserted })
  }

  private static func finding(
    _ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>
  ) -> CertificateFinding? {
    let words = value.split(
      separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
    guard let word = words.first,
      let verdict = CertificateFinding.Verdict(rawValue: String(decoding: word, as: UTF8.self))
    else { return nil }
    let rest = words.count > 1 ? words[1] : []
    let bar = rest.indices.first { rest[$0...].starts(with: CertificateText.bar) }
    return CertificateFinding(
      name: String(decoding: key, as: UTF8.self),
      value: HeaderEntries.unescaped(rest[..<(bar ?? rest.endIndex)]),
      bound: bar.map { HeaderEntries.unescaped(rest[($0 + 3)...]) } ?? "", verdict: verdict)
  }
}

extension CertificateFinding {
  /// Whether a log can have it.
  fileprivate var isWritable: Bool {
    !name.isEmpty && !name.utf8.contains { " \n".utf8.contains($0) }
      // A value that ends in a blank and a bar would make one with the next blank.
      && (value + " ").parts(around: " | ") == nil
  }
}

extension SensorCertificate {
  /// The certificate with as many of the first findings as a log can have: for one that was read from a foreign log.
  package var shortened: SensorCertificate {
    var short = SensorCertificate(findings.filter(\.isWritable))
    while CertificateText.text(short).count > LogFormat.certificateLength {
      short.findings.removeLast()
    }
    return short
  }
}
