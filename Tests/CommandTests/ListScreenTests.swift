// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import TestSupport

@Suite("The list at a terminal", .waitsForPrograms, .timeLimit(.minutes(60)))
struct ListScreenTests {
  private let bench = Bench()

  private func record(_ count: Int) throws {
    for number in 1...count { try bench.record("--for", "1s", "--note", "take \(number)") }
  }

  @Test("shows, plays, exports, deletes and restores the selected recording")
  func keys() throws {
    try record(3)
    let child = bench.atTerminal(["list"], columns: 120)
    #expect(child.waits(for: "take 1"))
    for words in ["3 recordings", "NUMBER", "STARTED", "+00:00", "LENGTH", "SENSOR", "complete"] {
      #expect(child.terminal.text.contains(words), "\(words)")
    }
    child.type("\u{1B}[B\r")
    #expect(child.waits(for: "recording 2"))
    child.type("q")
    #expect(child.waits(for: "3 recordings"))
    child.type("p")
    #expect(child.waits(for: "speed 1"))
    child.type("q")
    #expect(child.waits(for: "3 recordings"))
    child.type("d")
    #expect(child.waits(for: "recording 2 is in the trash"))
    #expect(child.waits(for: "2 recordings"))
    #expect(bench.recordings.count == 2)
    child.type("u")
    #expect(child.waits(for: "recording 2 is back"))
    #expect(bench.recordings.count == 3)
    #expect(bench.directory.names(in: "store/.trash").isEmpty)
    child.type("x")
    #expect(child.waits(for: "export recording 2 as"))
    child.type("j")
    #expect(child.waits(for: "written to recording-2.json"))
    child.quit()
    #expect(bench.run("verify", "2").status == 0)
    expectSame(bench.directory.bytes(of: "recording-2.json"), bench.run("export", "2").bytes)
  }

  @Test("after a failed export the recording stays selected, and nothing is overwritten")
  func failedExport() throws {
    try record(1)
    _ = bench.file("recording-1.json", "mine")
    let child = bench.atTerminal(["list"])
    #expect(child.waits(for: "take 1"))
    child.type("xj")
    #expect(child.waits(for: "recording-1.json exists already"))
    #expect(child.terminal.text.contains("take 1"))
    #expect(bench.directory.bytes(of: "recording-1.json") == Array("mine".utf8))
    // Through a link that points to nothing an export would make a file elsewhere.
    #expect(symlink("elsewhere", bench.directory.path + "/recording-1.csv") == 0)
    child.type("xc")
    #expect(child.waits(for: "recording-1.csv exists already"))
    #expect(!bench.directory.names().contains("elsewhere"))
  }

  @Test("a format that cannot hold the recording is refused in words of the screen")
  func refusedFormat() throws {
    let rows = (0..<20).filter { $0 != 7 }.map { "\($0 * 10),0,0,1\n" }
    let gap = bench.file("gap.csv", "t_ms,ax_g,ay_g,az_g\n" + rows.joined())
    let one = bench.file("one.csv", "t_ms,ax_g\n" + (0..<20).map { "\($0 * 10),1\n" }.joined())
    for file in [gap, one] { try #require(bench.run("import", file).status == 0) }
    let child = bench.atTerminal(["list"], columns: 80)
    #expect(child.waits(for: "2 recordings"))
    child.type("xg")
    #expect(child.waits(for: "x, y and z of the accelerometer"))
    #expect(!child.terminal.text.contains("--"))
    child.type("\u{1B}[Bxg")
    // In two rows, whole.
    let command = "`imulog export 1 --fill hold --format gyrodata -o FILE` repeats the sample"
    #expect(
      child.waits {
        let words = $0.text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        return words.contains(command) && words.contains("sample before them")
      })
    #expect(!bench.directory.names().contains { $0.hasPrefix("recording-") })
    child.type("xj")
    #expect(child.waits(for: "written to recording-1.json"))
  }

  @Test("one corrupt recording does not hide the others from the list")
  func corrupt() throws {
    try record(3)
    let name = try #require(bench.recordings.first { $0.hasPrefix("000002") })
    bench.directory.write(Array(repeating: 0x55, count: 5000), to: "store/" + name)
    let child = bench.atTerminal(["list"], columns: 120)
    #expect(child.waits(for: "unreadable"))
    // The note is cut at its end: what it begins with is the reason.
    let row = try #require(child.terminal.lines.first { $0.contains("unreadable") })
    #expect(row.contains("not an imulog") && !row.contains("/store/"), "\(row)")
    #expect(child.terminal.text.contains("take 1") && child.terminal.text.contains("take 3"))
    child.type("\u{1B}[B\r")
    #expect(child.waits(for: "not an imulog recording"))
    child.type("\u{1B}[B\r")
    #expect(child.waits(for: "recording 1"))
  }

  @Test("a running recording's preview grows with it; it is exported as such, and not deleted")
  func running() throws {
    let recording = try bench.startRecording([
      "record", "--board", "simulator", "--until-stopped", "--sync-every", "0.1s", "--rate", "100",
    ])
    let child = bench.atTerminal(["list"], columns: 200, rows: 36)
    #expect(child.waits { $0.lines[1].contains("recording 1") && $0.lines[1].contains("running") })
    let axis = child.terminal.lines[33]
    #expect(child.waits { $0.lines[33] != axis })
    child.type("d")
    #expect(child.waits(for: "is being written"))
    child.type("xj")
    #expect(child.waits(for: "written to recording-1.json"))
    let text = bench.directory.text(of: "recording-1.json")
    #expect(text.contains(#""stopReason":"running""#), "\(text.prefix(600))")
    recording.end()
    #expect(child.waits { $0.lines[2].contains("complete") && !$0.lines[1].contains("running") })
  }

  @Test("dates are those of the calendar, on the last days of a year too, in the local zone")
  func dates() throws {
    // 2024-12-30 has week-year 2025 and day 365.
    let json =
      #"{"identifier":"8a6e0804-2bd0-4672-b79d-d97027f9071a","dataType":0,"coordinateList":["#
      + #"{"x":0,"y":0,"z":1}],"date":757260000,"duration":0.1}"#
    let path = bench.file("phone.json", json)
    try #require(bench.run("import", path, "--format", "gyrodata").status == 0)
    let child = bench.atTerminal(["list"], columns: 120, ["TZ": "XYZ-05:30"])
    #expect(child.waits(for: "2024-12-30"))
    #expect(child.terminal.text.contains("+05:30"))
    #expect(!child.terminal.text.contains("2025"))
  }

  @Test("a search reads all recordings and shows those with the phrase; its keys are typed ahead")
  func search() throws {
    try record(30)
    let child = bench.atTerminal(["list"], columns: 120, rows: 12)
    #expect(child.waits(for: "take 30"))
    // Recording 3 is not in sight and has not been read when d is pressed.
    child.type("/take 3\u{7F}3\u{1B}[B\rd")
    #expect(child.waits(for: "recording 3 is in the trash"))
    #expect(child.waits(for: "1 of 29 recordings"))
    #expect(bench.recordings.count == 29)
  }

  @Test(
    "names of labels are before the note, are found by a search, and come when made in the graph")
  func labels() throws {
    try record(2)
    #expect(bench.run("label", "1", "0s..0.5s", "walking").status == 0)
    let child = bench.atTerminal(["list"], columns: 120)
    #expect(child.waits(for: "[walking] take 1"))
    child.type("/WALK\r")
    #expect(child.waits(for: "1 of 2 recordings"))
    child.type("\u{1B}")
    #expect(child.waits { $0.lines[0].hasPrefix("2 recordings") })
    child.type("k\r")
    #expect(child.waits(for: "q back"))
    #expect(bench.run("label", "2", "0s..1s", "running").status == 0)
    child.type("q")
    #expect(child.waits(for: "[running] take 2"))
  }

  @Test(
    "exports in each format of `imulog export`, by a key of its own and under names that differ")
  func formats() throws {
    // A rate that every format has.
    try bench.record("--for", "1s", "--rate", "100", "--note", "take 1")
    let child = bench.atTerminal(["list"])
    #expect(child.waits(for: "take 1"))
    let help = bench.run("export", "--help").output
    let list = try #require(help.firstMatch(of: /\(values:\s+(json,[^)]*)\)/)).1
    let formats = list.split { ", \n".contains($0) }.map { String($0) }
    #expect(formats.starts(with: ["json", "ndjson", "csv", "gyrodata", "raw"]))
    var names: Set<String> = []
    for format in formats {
      let words = "  \(format), "
      child.type("x")
      #expect(child.waits(for: words))
      let line = try #require(child.terminal.lines.first { $0.contains(words) })
      let place = try #require(line.firstRange(of: words)).lowerBound
      child.type(String(try #require(line[..<place].last)))
      var name = ""
      #expect(
        child.waits { screen in
          name =
            bench.directory.names().first {
              !names.contains($0) && screen.text.contains("written to \($0)")
            } ?? ""
          return !name.isEmpty
        })
      names.insert(name)
      expectSame(
        bench.directory.bytes(of: name), bench.run("export", "1", "--format", format).bytes)
    }
    #expect(names.isSuperset(of: ["recording-1.json", "recording-1-gyrodata.json"]))
  }
}
