// SPDX-License-Identifier: Apache-2.0

import TestSupport
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

  /// What the program answers about the argument at the end of these words, which are as they were typed.
  private func asked(_ verb: String, _ words: String...) -> [String] {
    let count = words.count + 1
    let line =
      ["---completion", verb, "--", "positional@0", "\(count)", "0", "imulog", verb] + words
    return bench.run(line).lines
  }

  @Test("know the recordings of the line's store, newest first, and that there may be none")
  func recordings() throws {
    #expect(offered("imulog", "export", "") == ["latest"])
    try bench.record("--for", "1s")
    try bench.record("--for", "1s")
    for verb in ["export", "show", "play", "info", "rm", "verify", "recover"] {
      let words = offered("imulog", verb, "").filter { !$0.hasPrefix("-") }
      #expect(words.prefix(3) == ["latest", "2", "1"])
    }
    #expect(offered("imulog", "export", "--store", "elsewhere", "") == ["latest"])
    // Of the trash for restore, last removed first.
    #expect(offered("imulog", "restore", "") == ["latest"])
    #expect(bench.run("rm", "1", "2").status == 0)
    #expect(Set(offered("imulog", "restore", "")) == ["latest", "1", "2"])
    #expect(offered("imulog", "restore", "1", "l") == ["latest"])
  }

  @Test("know a store whose path is quoted, escaped, after an equals sign, or at home")
  func quotedStores() throws {
    let store = "\(bench.directory.path)/home/my store"
    bench.directory.makeDirectory("home")
    try bench.record("--store", store, "--for", "1s")
    for word in ["\"\(store)\"", store.replacing(" ", with: "\\ "), "~/my\\ store"] {
      #expect(asked("export", "--store", word, "") == ["latest", "1"], "\(word)")
      #expect(asked("export", "--store=\(word)", "") == ["latest", "1"], "\(word)")
      #expect(asked("export", "--store", "=", word, "") == ["latest", "1"], "\(word)")
    }
    #expect(asked("export", "--store", "'\(store)'", "") == ["latest", "1"])
  }

  @Test("know files where a log's path may stand, and none with a command in its name")
  func files() throws {
    try bench.record("--for", "1s")
    bench.directory.makeDirectory("logs")
    for name in ["logs/walk.imulog", "logs/$(touch ran).imulog", "logs/.hidden", "walk.csv"] {
      bench.directory.write([0], to: name)
    }
    for verb in ["verify", "recover"] {
      let all = offered("imulog", verb, "")
      #expect(Set(all).isSuperset(of: ["latest", "1", "logs/", "walk.csv"]), "\(all)")
      #expect(offered("imulog", verb, "logs/") == ["logs/walk.imulog"])
      #expect(offered("imulog", verb, "lo") == ["logs/"])
    }
    #expect(!bench.directory.names(in: ".").contains("ran"))
    #expect(offered("imulog", "export", "latest", "-o", "walk") == ["walk.csv"])
    #expect(offered("imulog", "import", "walk") == ["walk.csv"])
    #expect(offered("imulog", "record", "--motion", "w") == ["walk.csv"])
    #expect(offered("imulog", "record", "--motion", "t") == ["tumble", "turn"])
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
