// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import Testing

/// The text of a certificate, put together by hand from the specification.
@Suite("A certificate in a log")
struct CertificateTests {
  /// The certificates in a page that has these texts in chunks of kind 15, first byte 18.
  private func decoded(_ texts: String...) -> [[String]] {
    decoded(texts.map { Array($0.utf8) })
  }

  private func decoded(_ texts: [[UInt8]]) -> [[String]] {
    var page = TestPage(.example, sequence: 0)
    for text in texts { page.add(kind: 15, [18] + text) }
    let content = LogContent(decoding: page.bytes, .example)
    #expect(content.damage.isEmpty)
    return content.others.map { record in
      guard case .certificate(let certificate) = record else { return ["no certificate"] }
      return certificate.findings.flatMap { [$0.name, $0.verdict.rawValue, $0.value, $0.bound] }
    }
  }

  private func finding(
    _ name: String, _ value: String = "1", _ bound: String = "2",
    _ verdict: CertificateFinding.Verdict = .pass
  ) -> CertificateFinding {
    CertificateFinding(name: name, value: value, bound: bound, verdict: verdict)
  }

  @Test("is lines of a name, a verdict, a value, a bar and a bound")
  func lines() {
    #expect(
      decoded("noise-density-ax pass 92 µg/√Hz | 38 to 150 µg/√Hz\nstuck fail gy at -7 | none\n")
        == [
          [
            "noise-density-ax", "pass", "92 µg/√Hz", "38 to 150 µg/√Hz", "stuck", "fail",
            "gy at -7",
            "none",
          ]
        ])
  }

  @Test("may lack bounds, values and its last line feed")
  func shortLines() {
    #expect(
      decoded("a warn 5\nb unknown\nc pass  | 6\nd fail x |y") == [
        [
          "a", "warn", "5", "", "b", "unknown", "", "", "c", "pass", "", "6", "d", "fail", "x |y",
          "",
        ]
      ])
    #expect(decoded("") == [[]])
  }

  @Test(
    "skips lines without a name, without a verdict that is known, and those of a name that was there"
  )
  func skippedLines() {
    #expect(
      decoded("\n pass 1 | 2\na good 1 | 2\na pass 3 | 4\na fail 5 | 6\nb\nc PASS 1\n") == [
        ["a", "pass", "3", "4"]
      ])
  }

  @Test("has the header's escapes, taken away after the line was cut")
  func escapes() {
    #expect(
      decoded("a pass 1\\n2\\\\3\\r | 4\\n | 5\\q\n") == [["a", "pass", "1\n2\\3\r", "4\n | 5q"]])
    #expect(
      decoded([Array("a pass ".utf8) + [0xFF, 0x20, 0x7C, 0x20, 0xC3]]) == [
        ["a", "pass", "\u{FFFD}", "\u{FFFD}"]
      ])
  }

  @Test("comes back as it was written, with everything that a log can have in it")
  func roundTrip() throws {
    let certificate = SensorCertificate([
      finding("identity", "0x68 MPU-6050", "0x68"), finding("bare", "", "", .unknown),
      finding("odd", "a|b \\ c\nd\re", "\\ | \n", .fail), finding("gravity", "0.5 g", "", .warn),
    ])
    let events: [LogEvent] = [
      .record(sample(0)), .certificate(certificate), .record(sample(1)),
      .certificate(SensorCertificate([])), .end(.example),
    ]
    let content = try LogContent(decoding: encode(events))
    #expect(content == LogContent(of: events, .example))
    #expect(content.others.first == .certificate(certificate))
  }

  @Test("has the worst verdict of its findings")
  func verdicts() {
    #expect(SensorCertificate([]).verdict == .unknown)
    #expect(SensorCertificate([finding("a", "", "", .unknown)]).verdict == .unknown)
    #expect(SensorCertificate([finding("a"), finding("b", "", "", .unknown)]).verdict == .pass)
    #expect(SensorCertificate([finding("a", "", "", .warn), finding("b")]).verdict == .warn)
    #expect(
      SensorCertificate([finding("a", "", "", .warn), finding("b", "", "", .fail)]).verdict == .fail
    )
  }

  @Test("passes only where identity, registers, gravity and dead axes were judged, else names them")
  func notJudged() {
    for name in ["identity", "registers", "gravity", "zero", "stuck"] {
      let open = SensorCertificate([finding("clone"), finding(name, "-", "", .unknown)])
      #expect(open.verdict == .unknown && open.sentence == "unknown: not judged: \(name)")
      let warned = SensorCertificate(open.findings + [finding("bias-gx", "9", "", .warn)])
      #expect(warned.verdict == .warn)
      #expect(SensorCertificate(open.findings + [finding("axes", "", "", .fail)]).verdict == .fail)
    }
    // What most recordings cannot show is not needed.
    for name in ["axes", "rate", "noise-density-ax", "still", "equal"] {
      let open = SensorCertificate([finding("identity"), finding(name, "-", "", .unknown)])
      #expect(open.verdict == .pass && open.sentence == "pass")
    }
    let several = SensorCertificate([
      finding("identity"), finding("gravity", "", "", .unknown), finding("zero", "", "", .unknown),
    ])
    #expect(several.sentence == "unknown: not judged: gravity, zero")
  }

  @Test("of a foreign log is cut to the findings that this program would write")
  func foreign() {
    let long = SensorCertificate(
      (0..<40).map { finding("n\($0)", String(repeating: "x", count: 90)) })
    let short = long.shortened
    // A line takes at least 100 bytes, and there is room for 2000.
    #expect((15..<20).contains(short.findings.count))
    #expect(short.findings == Array(long.findings.prefix(short.findings.count)))
    let unwritable = SensorCertificate([finding("a b"), finding("c", "x | y"), finding("d")])
    #expect(unwritable.shortened.findings == [finding("d")])
  }
}
