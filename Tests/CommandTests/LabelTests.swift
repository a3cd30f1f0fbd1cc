// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import TestSupport
import Testing

@Suite("Parts of recordings have names", .waitsForPrograms)
struct LabelCommandTests {
  private let bench = Bench()

  @Test("a label is added, listed as it was given, and removed as it is listed")
  func add() throws {
    try bench.record("--for", "10s")
    #expect(bench.run("label", "1").talk == "imulog: recording 1 has no labels\n")
    #expect(bench.run("label", "1", "3s..8s", "walking").status == 0)
    #expect(bench.run("label", "1", "500ms..1.25s", "left", "foot").status == 0)
    #expect(bench.run("label", "latest", "9s..", "end").status == 0)
    #expect(bench.run("label", "1", "..1s", "start").status == 0)
    #expect(
      bench.run("label", "1").lines == [
        "0s..1s start", "500ms..1.25s left foot", "3s..8s walking", "9s..10s end",
      ])
    // Once more is no other label.
    #expect(bench.run("label", "1", "3s..8s", "walking").status == 0)
    #expect(bench.run("label", "1", "500ms..1.25s", "left", "foot", "--remove").status == 0)
    #expect(bench.run("label", "1").lines == ["0s..1s start", "3s..8s walking", "9s..10s end"])
    bench.refuses("label 1 1s..2s x --remove", 66, "no label 1s..2s x", "3s..8s walking")
  }

  @Test("an import's gaps at both ends are parts of it, for labels as for exports")
  func ends() throws {
    var text = "t_ns,ax,ay,az,gap,gap_ticks\n0,,,,lost,5\n"
    for row in 5..<20 { text += "\(row * 100_000_000),\(row),2,3,,\n" }
    text += "2000000000,,,,lost,10\n"
    let table = bench.file("gaps.csv", text)
    #expect(bench.run("import", table, "--accel-lsb-per-g", "10").status == 0)
    for stretch in ["0s..500ms", "2.1s..3s", "..", "2900ms.."] {
      let outcome = bench.run("label", "1", stretch, "x")
      #expect(outcome.status == 0, "\(stretch): \(outcome.talk)")
    }
    bench.refuses("label 1 2s..3.1s x", 64, "ends at 3s")
    let part = bench.run("export", "1", "--format", "csv", "--gaps", "rows", "--from", "2.1s")
    #expect(part.status == 0 && part.output.contains("lost,9"), "\(part.output) \(part.talk)")
    bench.refuses("export 1 --from 3s", 64, "ends at 2.9s")
  }

  @Test(
    "those of an imported document that are not within the recording are kept and said, and removed as listed"
  )
  func outside() throws {
    let rows = (0..<20).map { "{\"t_ns\":\($0)00000000,\"ax\":\($0)}" }.joined(separator: ",")
    func document(_ labels: String, _ marks: String) -> String {
      bench.file(
        "walk.json",
        "{\"units\":{\"ax\":\"g\"},\"labels\":[\(labels)],\"marks\":[\(marks)],\"samples\":[\(rows)]}"
      )
    }
    let inside = "{\"from_ns\":0,\"to_ns\":2000000000,\"name\":\"all\"}"
    let first = "{\"from_ns\":-9223372036854775808,\"to_ns\":1500000000,\"name\":\"walk\"}"
    let last = "{\"from_ns\":5000000000,\"to_ns\":9223372036854775807,\"name\":\"run\"}"
    let marks = "{\"t_ns\":7,\"label\":\"in\"},{\"t_ns\":-1500000000,\"label\":\"before\"}"
    let outcome = bench.run("import", document("\(inside),\(first),\(last)", marks))
    #expect(outcome.status == 0 && outcome.output == "1\n")
    #expect(
      outcome.talk.contains(
        "recording 1 begins at 0s and ends at 2s: 2 of its labels are not all within it, such as -9223372036.854775808s..1.5s walk, and 1 of its marks is not within it, such as at -1.5s"
      ), "\(outcome.talk)")
    let listed = bench.run("label", "1").lines
    #expect(listed.count == 3)
    for line in listed {
      let words = line.split(separator: " ").map(String.init)
      #expect(bench.run(["label", "1", "--remove", "--"] + words).status == 0, "\(line)")
    }
    #expect(bench.run("label", "1").output == "")
    let silent = bench.run("import", document(inside, "{\"t_ns\":7,\"label\":\"in\"}"))
    #expect(!silent.talk.contains("within it"), "\(silent.talk)")
  }

  @Test("stretches and names that cannot be are refused with what can")
  func refusals() throws {
    try bench.record("--for", "10s")
    let inventory = bench.inventory()
    for (line, words) in [
      ("3s..11s x", "recording 1 ends at 10s, and the label after that; leave the label's end out"),
      ("10s.. x", "ends at 10s"), ("5s..4s x", "no length"),
      ("1s..4s a;b", "has the character ';'; use"),
      ("-1s..3s x", "-1s..3s looks like options; write -- before"),
      ("-- -1s..3s x", "begins at 0s"), ("1s..4s", "name the stretch"), ("1s-4s x", "1s-4s"),
      ("--remove", "as it is listed"), ("1s..2s \u{A0}", "no visible character"),
      ("1s..2s \u{3164}\u{2800}", "no visible character"),
      ("1s..2s \u{A0}=1+1", "spreadsheets take for a formula"), ("1s..2s \u{FF1D}1", "formula"),
      ("1s..2s a\u{3000}", "begins or ends with a space"),
    ] { bench.refuses("label 1 \(line)", 64, words) }
    for name in ["-x", "--slow", "-5"] {
      bench.refuses(
        "label 1 1s..4s \(name)", 64, "\(name) looks like an option",
        "a label cannot begin with -")
      bench.refuses(
        "label 1 1s..4s walk \(name)", 64, "\(name) looks like an option",
        "imulog label ID -- 1s..4s NAME")
    }
    bench.refuses(
      "list --label --slow", 64, "--label needs the name of a label", "none begins with -")
    bench.refuses("label 9 1s..2s x", 66, "no recording 9")
    for (option, shown) in [
      ("--remove", "--remove"), ("--json", "--json"), ("--store=/tmp", "--store=/tmp"),
      ("--help", "--help"), ("--version", "--version"), ("--store", "--store DIR"),
    ] {
      bench.refuses(
        "label 1 -- 1s..2s x \(option)", 64,
        "\(option) is an option and comes before --: imulog label ID \(shown) -- FROM..TO NAME")
    }
    #expect(bench.inventory() == inventory)
  }

  @Test("a refusal of a word keeps the options that were given, and asks for one that was misspelt")
  func suggestions() throws {
    let store = bench.store
    for line in ["label 1 --store \(store) -1s..3s x", "--store \(store) label 1 -1s..3s x"] {
      bench.refuses(
        line, 64, "write -- before it: `imulog label ID --store \(store) -- -1s..3s NAME`")
    }
    expectSentence(
      bench.run("label", "1", "--store", "/a b/it's", "-1s..3s", "x"), 64,
      ["`imulog label ID --store '/a b/it'\\''s' -- -1s..3s NAME`"])
    bench.refuses(
      "label 1 1s..4s walk -left --remove", 64,
      "write -- before the stretch: `imulog label ID --remove -- 1s..4s NAME`")
    bench.refuses(
      "label 1 1s..4s walk --remov", 64, "--remov looks like an option; did you mean --remove?",
      "imulog label ID -- 1s..4s NAME")
    bench.refuses(
      "label 1 1s..4s --jsn", 64, "a label cannot begin with -", "did you mean --json?")
    // An option after another one is no value of it.
    for words in [
      ["export", "1", "--channels", "--json"], ["label", "1", "1s..2s", "x", "--store", "--json"],
    ] {
      let outcome = bench.run(words)
      expectSentence(outcome, 64, ["missing value for '\(words[words.count - 2]) <"])
      #expect(!outcome.talk.contains("comes after ="), "\(outcome.talk)")
    }
  }

  @Test("list, info and exports have the labels")
  func shown() throws {
    for _ in 0..<3 { try bench.record("--for", "10s") }
    #expect(!bench.run("list", "--plain").output.contains("LABELS"))
    #expect(bench.run("label", "2", "3s..8s", "walking").status == 0)
    #expect(bench.run("label", "2", "1s..2s", "up, down").status == 0)
    let rows = bench.run("list", "--plain").lines
    #expect(rows[0].contains("LABELS"))
    #expect(rows[2].contains("up, down, walking"))
    let found = bench.run("list", "--label", "walking", "--json")
    let recordings = try found.json()["recordings"].items
    #expect(recordings.map { $0["number"].integer } == [2])
    #expect(recordings[0]["labels"].items.map(\.text) == ["up, down", "walking"])
    #expect(
      bench.run("list", "--label", "nothing").talk == "imulog: no recording has the label nothing\n"
    )
    bench.refuses("list --label x --trash", 64, "--label")
    let info = bench.run("info", "2").lines.first { $0.hasPrefix("labels") }
    #expect(info == "labels      1s..2s up, down, 3s..8s walking")
    let table = bench.run("export", "2", "--format", "csv", "--labels").lines
    #expect(table[0].hasSuffix(",label"))
    #expect(table.count { $0.hasSuffix(",\"walking\"") } == 50)
    #expect(table.count { $0.hasSuffix(",\"up, down\"") } == 10)
    expectSentence(bench.run("export", "2", "--format", "svg", "--labels"), 64, ["--labels"])
    let all = try bench.run("export", "2").json()["labels"].items
    #expect(all.map { $0["name"].text } == ["up, down", "walking"])
  }

  @Test("a damaged or cut line is left out, with its number and status 65, and exports say so")
  func damage() throws {
    try bench.record("--for", "10s")
    for name in ["one", "two"] { #expect(bench.run("label", "1", "3s..8s", name).status == 0) }
    let file = try "store/.labels/" + #require(bench.directory.names(in: "store/.labels").first)
    var bytes = bench.directory.bytes(of: file)
    bench.directory.write(Array(bytes.dropLast(3)), to: file)
    expectSentence(bench.run("label", "1"), 65, ["without a whole line"])
    bytes[12] ^= 1
    bench.directory.write(bytes, to: file)
    let outcome = bench.run("label", "1")
    #expect(outcome.lines == ["3s..8s two"])
    expectSentence(outcome, 65, ["recording 1: line 1 of its labels is damaged"])
    let export = bench.run("export", "1").expect(65, "line 1 of its labels is damaged")
    #expect(export.output.contains("\"two\"") && !export.output.contains("\"one\""))
  }

  @Test("a recording that is being written can be labelled, but has no end yet")
  func live() throws {
    let child = try bench.startRecording([
      "record", "--board", "simulator", "--until-stopped", "--rate", "100",
    ])
    #expect(bench.run("label", "1", "0s..1ms", "begin").status == 0)
    expectSentence(bench.run("label", "1", "0s..", "x"), 64, ["is being written"])
    bench.run("label", "1", "500h..600h", "ahead").expect(
      0, "may end before the label does")
    child.signal(SIGINT)
    #expect(child.outcome().status == 0)
    let list = bench.run("label", "1")
    #expect(list.lines == ["0s..1ms begin", "1800000s..2160000s ahead"])
    #expect(list.status == 0)
    #expect(list.talk.contains("1 of its labels is not all within it"), "\(list.talk)")
    #expect(bench.run("export", "1", "--format", "mcap").status == 0)
  }

  @Test("a file of labels that cannot be read is a question mark in the list; exports go on")
  func tooLarge() throws {
    try bench.record("--for", "10s")
    #expect(bench.run("label", "1", "3s..8s", "one").status == 0)
    let file = try "store/.labels/" + #require(bench.directory.names(in: "store/.labels").first)
    bench.directory.write([UInt8](repeating: 10, count: 3 << 20), to: file)
    bench.run("export", "1").expect(0, "its labels are left out")
    let plain = bench.run("list", "--plain").lines
    #expect(plain.count == 2 && plain[0].contains("LABELS") && plain[1].hasSuffix("  ?"))
  }

  @Test("a mark with a line feed is refused, and not changed")
  func mark() {
    expectSentence(bench.run("mark", "a\nb"), 64, ["has a line feed"])
  }
}

@Suite("show labels what is dragged", .waitsForPrograms)
struct ShowLabelCommandTests {
  private let bench = Bench()

  @Test(
    "a part that is dragged, and given a name, is a label in the store; the mouse is given back")
  func drag() throws {
    try bench.record("--for", "10s", "--motion", "tumble", "--rate", "100")
    let child = bench.atTerminal(["show", "1"], columns: 109)
    #expect(child.waits(for: "cursor 5.000"))
    #expect(child.terminal.isMouseReported)
    child.type("\u{1B}[<0;29;5M\u{1B}[<32;40;5M\u{1B}[<0;59;5m")
    #expect(child.waits(for: "name of 2.000 s to 5.000 s"))
    child.type("left foot\r")
    #expect(child.waits(for: "━━━━━━━━━━━━"), "\(child.terminal.text)")
    #expect(bench.run("label", "1").lines == ["2s..5s left foot"])
    child.quit()
    #expect(!child.terminal.isMouseReported)
    #expect(child.terminal.unknown.isEmpty)
  }
}
