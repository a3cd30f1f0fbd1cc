// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

/// A file that `import` refuses, and words of the sentence.
struct BadImport: CustomTestStringConvertible {
  let testDescription: String
  let bytes: [UInt8]
  let words: [String]

  init(_ description: String, _ text: String, _ words: String...) {
    (testDescription, bytes, self.words) = (description, Array(text.utf8), words)
  }

  init(_ description: String, bytes: [UInt8], _ words: String...) {
    (testDescription, self.bytes, self.words) = (description, bytes, words)
  }
}

@Suite(
  "Bad files to import get one sentence with a place and a remedy, and leave no recording",
  .waitsForPrograms)
struct BadImportTests {
  private let bench = Bench()

  private static let phyphox =
    "\"Time (s)\",\"Acceleration x (m/s^2)\","
    + "\"Acceleration y (m/s^2)\",\"Acceleration z (m/s^2)\"\n"

  private static let walk = MadeZip.File(
    "walk.csv", "t_us,ax_g\n" + (0..<50).map { "\($0 * 1000),\($0 % 4)\n" }.joined())

  private static func zip(_ file: MadeZip.File) -> [UInt8] { MadeZip([file]).bytes }

  private static let files = [
    BadImport("a picture", bytes: [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13], "PNG"),
    BadImport("deep JSON", String(repeating: "[", count: 100_000), "byte 1"),
    BadImport("Parquet that is cut off", bytes: Array("PAR1".utf8) + [21, 0, 21], "cut off"),
    BadImport("infinity", phyphox + "0,1,2,inf\n", "line 2", "column 4", "inf"),
    BadImport("an archive that is cut off", bytes: Array(zip(walk).dropLast()), "byte", "again"),
    BadImport(
      "a symbolic link in an archive",
      bytes: zip(MadeZip.File("walk.csv", "/etc/passwd").with { $0.mode = 0o120_777 }), "no file"),
    BadImport(
      "a bomb",
      bytes: zip(
        .init("a.csv", method: 8, packed: MadeZip.bomb(copies: 20_000), size: 5_160_001, sum: 0)),
      "no file that is a recording"),
    BadImport(
      "a bomb that hides its size",
      bytes: zip(
        .init("a.csv", method: 8, packed: MadeZip.bomb(copies: 20_000), size: 1000, sum: 0)),
      "a.csv"),
    BadImport(
      "a wrong value in an archive", bytes: zip(.init("a.csv", "t_us,ax_g\n0,1\n10,one\n")),
      "a.csv, line 3", "column 2"),
  ]

  @Test("files", arguments: files)
  func refused(_ file: BadImport) { expectRefusal(file) }

  @Test("a file that is not of the given format is named")
  func given() {
    let walk = BadImport("an archive", bytes: Self.zip(Self.walk), "a ZIP archive", "--format out")
    expectRefusal(walk, "--format", "gyrodata")
  }

  @Test("a second file is known by its bytes, too")
  func second() {
    let table = bench.file("table", "t_us,ax_g\n0,1\n10000,2\n")
    for (bytes, words) in [
      (Self.zip(Self.walk), ["zip"]), (Array("PAR1".utf8) + [21, 0, 21], ["parquet"]),
      (Array(repeating: 0, count: 100), ["100 bytes of 0"]),
    ] {
      let other = bench.file("other", bytes)
      expectSentence(bench.run("import", table, other), 65, words + [other])
    }
    #expect(bench.recordings.isEmpty)
  }

  private func expectRefusal(_ file: BadImport, _ options: String...) {
    let before = bench.inventory()
    let path = bench.file("file", file.bytes)
    let outcome = bench.run(["import", path] + options)
    expectSentence(outcome, 65, file.words + [path])
    // A place and what to do, and no page of it.
    #expect(outcome.talk.utf8.count < 600 && !outcome.talk.contains("\u{1B}"), "\(outcome.talk)")
    #expect(outcome.bytes.isEmpty)
    #expect(bench.inventory() == before)
  }

  @Test(
    "names that lead out of a folder, sizes after the data, and what is beside a table change nothing",
    arguments: ["../../walk.csv", "/tmp/walk.csv", "C:\\walk.csv", "a/./b/walk.csv"])
  func paths(_ name: String) {
    let named = BadImportTests.walk.with { $0.name = name }
    let beside = [MadeZip.File("a/", ""), .init("a/b.csv/", ""), .init("", "t_us,ax\n0,1\n")]
    for files in [[named], [named.with { $0.flags = 8 }], beside + [named]] {
      let before = bench.directory.names().filter { $0 != "store" }
      let outcome = bench.run("import", bench.file("file.zip", MadeZip(files).bytes))
      #expect(outcome.status == 0 && outcome.talk.contains(name), "\(outcome.talk)")
      let after = bench.directory.names().filter { $0 != "store" }
      #expect(Set(after) == Set(before + ["file.zip"]))
    }
  }

  @Test("one row, and what other programs may write, are imported")
  func accepted() {
    bench.run("import", bench.file("one.csv", "t_us,ax_g\n7,1")).expect(65, "a single row")
    bench.run("import", bench.file("one.csv", "t_us,ax_g\n7,1"), "--rate", "9").expect(0)
    let mark = "\u{FEFF}" + BadImportTests.phyphox + "0,1,2,3\r\n0.1,NaN,NaN,NaN\r\n0.2,1,2,3\r\n"
    bench.run("import", bench.file("mark.csv", mark.replacing("\n\"", with: "\n\""))).expect(
      0, "line 3")
  }

  /// A gigabyte after the beginning of each; a hole on the disk takes no room.
  @Test(
    "a line of a gigabyte is refused in little memory",
    arguments: [
      ("t_us,ax\n", "line 2"), ("", "line 1"), ("t_us,", "line 1"),
      ("{\"t_ns\":0,\"ax\":1}\n{\"t_ns\":", "line 3"), ("{\"coordinateList\":[", "line 2"),
      ("[{\"sensor\":\"", "line 2"),
    ])
  func gigabyte(_ beginning: String, _ word: String) {
    // Bytes of 0 at the beginning would be another encoding.
    let blanks = String(repeating: " ", count: 80)
    let isTable = beginning.hasPrefix("t_us,ax")
    let text =
      isTable
      ? beginning + blanks
      : beginning.isEmpty || beginning.hasSuffix(",")
        ? beginning + blanks : blanks + "\n" + beginning
    let path = bench.file("file", text)
    truncate(path, 1 << 30)
    // Kilobytes of addresses, of which a program has many more than it has memory.
    let outcome = bench.shell("ulimit -v 400000; exec \(Child.program) import \(path)")
    expectSentence(outcome, 65, [path, word])
    #expect(bench.inventory().isEmpty)
  }
}
