// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import TestSupport
import Testing
import Text

@Suite("Text that leaves the program", .waitsForPrograms, .timeLimit(.minutes(60)))
struct TerminalTextTests {
  /// An escape sequence, C1 controls, a backspace, and bidirectional controls.
  static let hostile = "a\u{1B}[2J\u{9B}31m\u{8}\u{202E}gnp.exe\u{2066}b\u{85}\u{FEFF}c"
  static let letters = "é µ 12 °C — “Grüße” 日本 👩‍🔬"

  /// Control characters in the output, except line feeds and the tabs of a script.
  static func obeyed(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter { $0 != "\n" && ForeignText.isObeyed($0) }
  }

  /// Runs every verb, with success and with failure, on a store with hostile text in its path, notes and file names.
  static func everyVerb(_ bench: Bench, note: String) throws -> [(words: [String], Outcome)] {
    try bench.record("--for", "1s", "--note", note, "--motion", "tumble")
    try bench.record("--for", "2s", "--note", note)
    bench.directory.write([1, 2, 3], to: "store/\(note.replacingSlashes()).imulog")
    bench.directory.write([1, 2, 3], to: "store/.part-1b4e28ba-2fa1-41d2-883f-0016d3cca427")
    bench.directory.write([UInt8](repeating: 7, count: 5000), to: "damaged.imulog")
    let motion = bench.file("table.csv", "t_us,ax,\(note)\n0,1,2\n")
    let configuration = bench.file("imulog.conf", "rate = \(note)\n")
    let log = try bench.logName()
    let commands = [
      [], ["--help"], ["--version"], [note], ["--\(note)"], ["help"], ["help", "export"],
      ["list", "--plain"], ["list", "--partial"], ["list", "--store", note], ["list", note],
      ["list", "--page", note], ["show", "1"], ["show", note], ["play", "1"], ["info", "1"],
      ["info", note], ["info", "1", "--check"], ["verify", "1"], ["verify", "damaged.imulog"],
      ["verify", note + ".x"], ["export", "1", "-o", "\(note)/x"], ["export", note],
      ["export", "1", "--format", note], ["import", motion], ["import", note + ".csv"],
      ["import", log],
      ["recover", "1"], ["recover", "damaged.imulog"], ["rm", "2"], ["rm", note],
      ["rm", "--empty-trash"], ["boards"], ["boards", "raspberry-pi-4"], ["boards", note],
      ["record", "--board", note], ["record", "--sensor", note], ["record", "--rate", note],
      ["record", "--board", "simulator", "--motion", note], ["record", "--for", note],
      ["record", "--board", "simulator", "--virtual-time", "--for", "1s", "--note", note],
      ["daemon", "--config", configuration], ["daemon", "--config", note], ["status"], ["start"],
      ["stop"], ["mark", note], ["keep"], ["discard"], ["watch"], ["install", "--print"],
      ["pull", note], ["pull", "-x"], ["pull", "nowhere"], ["serve", note], ["serve"],
    ]
    let verbs = [
      "record", "list", "show", "play", "info", "export", "import", "verify", "recover", "rm",
      "boards", "daemon", "status", "start", "stop", "mark", "keep", "discard", "install", "watch",
      "pull", "serve",
    ]
    return (commands + verbs.map { [$0, "--help"] }).map { ($0, bench.run($0)) }
  }

  private func bench() -> Bench {
    var bench = Bench()
    bench.environment["IMULOG_SSH"] = bench.directory.script(
      "ssh", "#!/bin/sh\nprintf '\(Self.hostile)\\n' >&2\nexit 255\n")
    return bench
  }

  @Test("no verb prints control characters of foreign text")
  func nothingObeyed() throws {
    for (words, outcome) in try Self.everyVerb(bench(), note: Self.hostile) {
      #expect(Self.obeyed(outcome.output + outcome.talk).isEmpty, "\(words)")
      #expect(outcome.status >= 0 && outcome.status < 255, "\(words)")
    }
  }

  @Test("with LANG=C every verb writes ASCII alone")
  func ascii() throws {
    var bench = bench()
    bench.environment["LANG"] = "C"
    for (words, outcome) in try Self.everyVerb(bench, note: Self.letters) {
      let isASCII = (outcome.bytes + Array(outcome.talk.utf8)).allSatisfy { $0 < 0x80 }
      #expect(isASCII, "\(words): \(outcome.output)\(outcome.talk)")
    }
    for locale in ["POSIX", "en_US.ISO-8859-1", ""] {
      bench.environment["LANG"] = locale
      let info = bench.run("info", "1").output
      #expect(info.contains("MPU-6050 at 0x68, +-4 g, +-500 deg/s"))
      #expect(info.contains("note        ? u 12 degC - \"Gr??e\" ?? ?"))
    }
    #expect(bench.run("boards", "raspberry-pi-4").output.contains("1.8 kohm"))
    // ASCII replacements are longer, but still fit into 80 columns.
    let help = bench.run("export", "--help").lines + bench.run("import", "--help").lines
    #expect(help.allSatisfy { $0.utf8.count <= 80 || $0.hasPrefix("USAGE") }, "\(help)")
  }

  @Test(
    "JSON and exports keep their characters in any locale, and escape control characters")
  func data() throws {
    var bench = bench()
    bench.environment["LANG"] = "C"
    try bench.record("--for", "1s", "--note", Self.letters)
    try bench.record("--for", "1s", "--note", Self.hostile)
    for words in [["list", "--json"], ["info", "1", "--json"], ["export", "1"]] {
      #expect(bench.run(words).output.contains(Self.letters), "\(words)")
    }
    for words in [["list", "--json"], ["info", "2", "--json"], ["export", "2"]] {
      let outcome = bench.run(words)
      #expect(Self.obeyed(outcome.output).isEmpty, "\(words)")
      #expect(outcome.output.contains("\\u202e"), "\(words)")
    }
    #expect(try bench.run("info", "2", "--json").json()["note"] == .string(Self.hostile))
    for format in ["svg", "html"] {
      #expect(Self.obeyed(bench.run("export", "2", "--format", format).output).isEmpty, "\(format)")
    }
  }

  @Test("a screen shows foreign text without control characters, and only ASCII in the C locale")
  func screens() throws {
    let bench = bench()
    try bench.record("--for", "1s", "--note", "\(Self.letters) \(Self.hostile)")
    for arguments in [["list"], ["show", "1"], ["play", "1"]] {
      for locale in ["C", "C.UTF-8"] {
        let child = bench.atTerminal(arguments, columns: 120, ["LANG": locale])
        #expect(child.waits(for: "12 "), "\(arguments)")
        child.quit()
        let sent = String(decoding: child.sent, as: UTF8.self)
        #expect(!sent.unicodeScalars.contains("\u{202E}") && !sent.contains("\u{1B}[2J\u{9B}"))
        #expect(locale != "C" || child.sent.allSatisfy { $0 < 0x80 }, "\(arguments)")
      }
    }
  }

  @Test(
    "a misspelt verb or board is answered with a suggestion",
    arguments: [
      (["recrod"], 64, "there is no verb recrod; did you mean record? See `imulog --help`"),
      (["--store", "x", "lst", "--json"], 64, "there is no verb lst; did you mean list? See"),
      (["help", "exprot"], 64, "did you mean export?"),
      (["rec"], 64, "did you mean record or recover?"),
      (["pull-sever"], 64, "there is no verb pull-sever; see `imulog --help`"),
      (["dance"], 64, "there is no verb dance; see `imulog --help`"),
      (
        ["boards", "pi4"], 78,
        "there is no board named pi4; did you mean raspberry-pi-4 or rock-pi-4?"
      ),
      (["record", "--board", "RaspberryPi5"], 64, "give auto or one of raspberry-pi-5, "),
      (["boards", "zero2w"], 78, "did you mean raspberry-pi-zero-2-w?"),
      (["boards", "beaglebon-balck"], 78, "did you mean beaglebone-black?"),
      (["boards", "jetson"], 78, "there is no board named jetson; there are raspberry-pi-5, "),
    ])
  func suggestions(_ words: [String], _ status: Int, _ sentence: String) {
    expectSentence(Bench().run(words), Int32(status), [sentence])
  }

  @Test(
    "record reports its settings, the recording's path and the next commands, and prints only the number on stdout"
  )
  func recordTalk() throws {
    let bench = Bench()
    let store = bench.directory.path + "/my store"
    let outcome = bench.run(Bench.simulated + ["--for", "1.5s", "--rate", "100", "--store", store])
    #expect(outcome.output == "1\n")
    let talk = outcome.talk.split(separator: "\n")
    #expect(talk.first == "imulog: recording from MPU-6050 at 0x68, 100 Hz, for 1.5 s")
    let name = try #require(bench.directory.names(in: "my store").first { $0.hasSuffix(".imulog") })
    #expect(talk.dropLast().last == "imulog: recording 1 is \(store)/\(name)")
    let next = try #require(talk.last)
    #expect(
      next == "imulog: next: `imulog --store '\(store)' show 1`, "
        + "`imulog --store '\(store)' export 1 -o 1.json`")
    // A shell can run the printed commands verbatim.
    for command in next.split(separator: "`").filter({ $0.hasPrefix("imulog ") }) {
      let line = "\(Child.program)\(command.dropFirst("imulog".count))"
      let shell = bench.shell(line)
      #expect(shell.status == 0, "\(line): \(shell.talk)")
    }
    #expect(bench.directory.names().contains("1.json"))
  }

  @Test("copies that did not become recordings are listed, as a table and as JSON")
  func leftovers() throws {
    let bench = Bench()
    try bench.record("--for", "1s")
    #expect(bench.run("list", "--partial").lines.isEmpty)
    #expect(bench.run("list", "--partial", "--json").output == "{\"schema\":1,\"copies\":[]}\n")
    let id = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
    for name in [".part-\(id)", ".unsynced-\(id)", ".aside-\(id)-1"] {
      bench.directory.write([UInt8](repeating: 7, count: 5000), to: "store/" + name)
    }
    let lines = bench.run("list", "--partial").lines
    #expect(lines.map { $0.prefix(8) } == ["STATE   ", "aside   ", "partial ", "unsynced"])
    #expect(lines[1].contains("5 kB") && lines[1].hasSuffix(".aside-\(id)-1"))
    let json = try bench.run("list", "--partial", "--json").json()["copies"].items
    #expect(json.map { $0["state"].text } == ["aside", "partial", "unsynced"])
    #expect(json.allSatisfy { $0["id"] == .string(id) && $0["size_bytes"] == .integer(5000) })
    #expect(bench.run("list").lines.count == 2)
  }
}

extension String {
  /// A file name.
  fileprivate func replacingSlashes() -> String { String(map { $0 == "/" ? "-" : $0 }) }
}
