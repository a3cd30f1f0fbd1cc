// SPDX-License-Identifier: Apache-2.0

import TestScheduling
import Testing

/// What bash offers with the program's own completion script, asked as bash asks.
@Suite("Completions", .waitsForPrograms)
struct CompletionTests {
  private let bench = Bench()

  /// What is offered for the last of these words.
  private func offered(_ words: String...) -> [String] {
    let list = words.map { "'\($0)'" }.joined(separator: " ")
    let line = words.joined(separator: " ")
    let script = """
      . "$0"
      imulog() { '\(Child.program)' "$@"; }
      COMP_WORDS=(\(list)) COMP_CWORD=\(words.count - 1) COMP_LINE='\(line)' COMP_POINT=\(line.count)
      _imulog imulog "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    bench.directory.write(Array(script.utf8), to: "ask")
    return bench.shell(
      "'\(Child.program)' --generate-completion-script bash > offers && bash -c \"$(cat ask)\" ./offers"
    ).lines
  }

  @Test("know the recordings of the line's store, newest first, and that there may be none")
  func recordings() throws {
    #expect(offered("imulog", "export", "") == ["latest"])
    try bench.record("--for", "1s")
    try bench.record("--for", "1s")
    for verb in ["export", "show", "play", "info", "rm", "verify", "recover"] {
      #expect(offered("imulog", verb, "").filter { !$0.hasPrefix("-") } == ["latest", "2", "1"])
    }
    #expect(offered("imulog", "export", "--store", "elsewhere", "") == ["latest"])
  }

  @Test("know boards, chips, and the rates of the line's chip")
  func hardware() {
    #expect(offered("imulog", "record", "--board", "raspberry-pi-z") == ["raspberry-pi-zero-2-w"])
    #expect(offered("imulog", "record", "--sensor", "lsm6dso").contains("lsm6dsox"))
    #expect(
      offered("imulog", "record", "--sensor", "lsm6dso", "--rate", "")
        == ["12.5", "26", "52", "104", "208", "416", "833", "1666", "3332", "6664"])
    #expect(offered("imulog", "record", "--rate", "").contains("100"))
    #expect(offered("imulog", "boards", "sim") == ["simulator"])
  }
}
