// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import Testing

@Suite("The sensor's certificate in an export")
struct CertificateExportTests {
  /// Two certificates, of which the last one counts, between the samples.
  private func log() -> TestLog {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.sample(0, 0, RawSample(ax: 1))
    log.certificate(
      CertificateFinding(name: "still", value: "never", bound: "3 s", verdict: .unknown))
    log.sample(1, 100_000_000, RawSample(ax: -2))
    log.certificate(
      CertificateFinding(
        name: "noise-density-ax", value: "92 µg/√Hz", bound: "38 to 150 µg/√Hz", verdict: .pass),
      CertificateFinding(name: "gravity", value: "0.501 g", bound: "", verdict: .fail))
    log.sample(2, 200_000_000, RawSample(ax: 3))
    return log
  }

  @Test("is a member of the JSON document, with its verdict and every finding")
  func json() throws {
    let lines = JSONDocumentTests.lines(try log().export(ExportOptions()))
    #expect(
      lines["certificate"]
        == #"{"verdict":"fail","findings":[{"name":"noise-density-ax","value":"92 µg/√Hz","bound":"38 to 150 µg/√Hz","verdict":"pass"},{"name":"gravity","value":"0.501 g","bound":"","verdict":"fail"}]}"#
    )
    let part = ExportOptions().with { $0.from = 150_000_000 }
    var ended = log()
    ended.endAsCounted()
    #expect(JSONDocumentTests.lines(try ended.export(part))["certificate"] == "null")
  }

  @Test("is a line of a page, with the findings that do not pass")
  func page() throws {
    let page = try log().export(ExportOptions(format: .html))
    #expect(page.contains("<dt>Certificate</dt><dd>fail: gravity 0.501 g</dd>"))
    var ended = log()
    ended.endAsCounted()
    #expect(
      try ended.export(ExportOptions(format: .html)).contains("certificate fails: gravity 0.501 g"))
  }

  @Test("is among the facts before a table")
  func preamble() throws {
    let options = ExportOptions(format: .csv).with { $0.hasPreamble = true }
    let comments = try log().export(options).split(separator: "\n").filter { $0.hasPrefix("#") }
    #expect(
      comments.filter { $0.contains("certificate") } == [
        "# imulog.certificate.verdict: fail",
        "# imulog.certificate.noise-density-ax: pass 92 µg/√Hz (38 to 150 µg/√Hz)",
        "# imulog.certificate.gravity: fail 0.501 g",
      ])
  }
}
