// SPDX-License-Identifier: Apache-2.0

import Doctor
import Testing
import TestSupport

@Suite("The help is the text in Help/", .waitsForPrograms)
struct HelpTests {
  @Test(
    "each help equals the committed text",
    arguments: [
      "imulog", "record", "list", "show", "play", "info", "export", "import", "verify", "recover",
      "rm", "restore", "boards", "daemon", "status", "start", "stop", "mark", "keep", "discard",
      "install",
      "watch", "pull", "hub", "serve", "licences", "doctor", "label", "calibrate",
      "analyze", "certify", "hub round", "hub add", "hub status", "hub verify", "hub prune",
    ])
  func help(_ verb: String) throws {
    let bench = Bench()
    let words = verb == "imulog" ? [] : verb.split(separator: " ").map { String($0) }
    let outcome = bench.run(words + ["--help"])
    let path = Child.products + "/imulog_CommandTests.resources/Help/\(verb).txt"
    #expect(outcome.status == 0)
    #expect(outcome.talk.isEmpty)
    expectSame(Array(outcome.output.utf8), Array(try text(at: path).utf8))
  }

  @Test("doctor's help lists every check with its meaning")
  func checks() {
    let lines = Bench().run("doctor", "--help").output.split(separator: "\n")
    for (name, meaning) in DoctorCheck.all.flatMap(\.lines) {
      let isListed = lines.contains { $0.hasPrefix("  \(name) ") && $0.hasSuffix(" \(meaning)") }
      #expect(isListed, "\(name)")
    }
  }

  @Test("the program alone prints its help, and its version and licence when asked")
  func bare() {
    let bench = Bench()
    #expect(bench.run([]).output == bench.run("--help").output)
    #expect(
      bench.run("--version").output
        == "imulog 0.1.0\nLicence: Apache-2.0; see `imulog licences`.\n")
  }

  @Test("licences are those of the program and of all that a static link puts into it, in full")
  func licences() {
    let text = Bench().run("licences").output
    for part in [
      "imulog 0.1.0\n", "Swift Argument Parser", "Foundation", "Unicode", "the GNU C library",
      "libgcc", "libi2c", "Apache License\n", "END OF TERMS AND CONDITIONS",
      "GNU LESSER GENERAL PUBLIC LICENSE\n", "Runtime Library Exception",
    ] { #expect(text.contains(part), "\(part)") }
  }
}
