// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

/// A file that `import` refuses, its exit status, and words of the sentence.
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

  private static let tables = [
    BadImport("a picture", bytes: [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13], "PNG"),
    BadImport(
      "a file of lost blocks", bytes: Array(repeating: 0, count: 70_000), "70000 bytes of 0"),
    BadImport(
      "a lost block before a table",
      bytes: Array(repeating: 0, count: 4096) + Array("t_us,ax\n0,1\n".utf8),
      "begins with 4096 bytes of 0"),
    BadImport("bytes of no kind", bytes: [1, 2, 3, 0, 255, 254, 0, 0], "unknown kind", "CSV"),
    BadImport("a program of ELF", "\u{7F}ELF\u{2}\u{1}\u{1}", "a program (ELF)"),
    BadImport("JSON of another kind", "{\"a\":1}", "coordinateList", "axisValues"),
    BadImport("a quote without an end", "t_us,ax,ay\n0,1,2\n5,\"1,2\n", "line 3", "quote"),
    BadImport("only a byte order mark", bytes: [0xEF, 0xBB, 0xBF], "line 1", "t_us"),
    BadImport(
      "a unit of the other sensor",
      "\"Time (s)\",\"Acceleration x (rad/s)\",\"Acceleration y (rad/s)\","
        + "\"Acceleration z (rad/s)\"\n0,1,2,3\n", "line 1", "column 2", "m/s2"),
    BadImport("infinity", phyphox + "0,1,2,inf\n", "line 2", "column 4", "inf", "beyond"),
    BadImport("a time that is not a number", phyphox + "NaN,1,2,3\n", "no samples"),
    BadImport("a value beyond a double", phyphox + "0,1,2,1e999\n", "line 2", "column 4"),
    BadImport(
      "deep JSON in a document",
      "{\"format\":\"imulog\",\"a\":"
        + String(repeating: "[", count: 100_000), "line 1", "cut off"),
    BadImport(
      "deep JSON", String(repeating: "[", count: 100_000), "byte 1, sample 1", "must be an object"),
    BadImport(
      "deep JSON in a row",
      "{\"t_ns\":0,\"ax\":" + String(repeating: "[", count: 2000)
        + String(repeating: "]", count: 2000) + "}\n", "line 1"),
  ]

  private static let walk = MadeZip.File(
    "walk.csv", "t_us,ax\n" + (0..<50).map { "\($0 * 1000),\($0 * 7)\n" }.joined())

  private static func zip(_ file: MadeZip.File) -> [UInt8] { MadeZip([file]).bytes }

  /// The end says that it is on the second disk.
  private static let spanned: [UInt8] = {
    var bytes = zip(walk)
    bytes[bytes.count - 18] = 1
    return bytes
  }()

  private static let archives = [
    BadImport("cut off", bytes: Array(zip(walk).dropLast()), "byte", "directory", "fetch it"),
    BadImport("empty", bytes: MadeZip([]).bytes, "byte 0", "no file", "--columns"),
    BadImport("without a recording", bytes: zip(.init("a.csv", "x,y\n1,2\n")), "no file"),
    BadImport("encrypted", bytes: zip(walk.with { $0.flags = 1 }), "walk.csv", "encrypted"),
    BadImport(
      "an unsupported method", bytes: zip(walk.with { $0.method = 12 }), "walk.csv", "unpack it"),
    BadImport(
      "another name in the local header", bytes: zip(walk.with { $0.localName = "talk.csv" }),
      "walk.csv", "contradicts the directory"),
    BadImport(
      "another method in the local header", bytes: zip(walk.with { $0.localMethod = 8 }),
      "walk.csv", "contradicts the directory"),
    BadImport(
      "another size in the local header", bytes: zip(walk.with { $0.localSize = 1 }),
      "walk.csv", "contradicts the directory"),
    BadImport(
      "a stored file of two sizes", bytes: zip(walk.with { $0.size -= 1 }), "walk.csv",
      "contradicts"),
    BadImport("a wrong sum", bytes: zip(walk.with { $0.sum ^= 1 }), "walk.csv", "damaged"),
    BadImport("ZIP64", bytes: MadeZip([walk], isZip64: true).bytes, "ZIP64", "unpack it"),
    BadImport(
      "two files of one name", bytes: MadeZip([walk, walk]).bytes, "walk.csv, walk.csv",
      "import one"),
    BadImport("a part of several", bytes: spanned, "byte", "several parts"),
    BadImport("only a directory", bytes: zip(.init("walk.csv/", "")), "byte 0", "no file"),
    BadImport("a file without a name", bytes: zip(walk.with { $0.name = "" }), "no file"),
    BadImport(
      "an encrypted file whose size follows the data", bytes: zip(walk.with { $0.flags = 9 }),
      "walk.csv", "encrypted"),
    BadImport(
      "sizes of ZIP64 in the directory",
      bytes: zip(walk.with { $0.size = 0xFFFF_FFFF }), "walk.csv", "ZIP64"),
    BadImport(
      "an ActiGraph's recording",
      bytes: MadeZip([.init("info.txt", "Serial"), .init("log.bin", "\u{1E}")]).bytes, "ActiGraph",
      "pygt3x"),
    BadImport(
      "a workbook",
      bytes: MadeZip([.init("[Content_Types].xml", "<"), .init("xl/workbook.xml", "<")]).bytes,
      "Excel", "CSV"),
    BadImport("arrays of NumPy", bytes: zip(.init("a.npy", "\u{1}")), "NPZ", "savetxt"),
    BadImport(
      "a symbolic link",
      bytes: zip(
        MadeZip.File("walk.csv", "/etc/passwd").with { $0.mode = 0o120_777 }), "no file"),
    BadImport(
      "a bomb",
      bytes: zip(
        .init("a.csv", method: 8, packed: MadeZip.bomb(copies: 20_000), size: 5_160_001, sum: 0)),
      "a.csv", "far more"),
    BadImport(
      "a bomb that hides its size",
      bytes: zip(
        .init("a.csv", method: 8, packed: MadeZip.bomb(copies: 20_000), size: 1000, sum: 0)),
      "a.csv", "damaged"),
    BadImport(
      "a wrong value in a table", bytes: zip(.init("a.csv", "t_us,ax\n0,1\n10,one\n")), "a.csv",
      "line 3", "column 2"),
    BadImport(
      "a document that is cut off",
      bytes: zip(
        .init("a.json", "{\"format\":\"imulog\",\"samples\":[{\"t_ns\":0,\"ax\":1}")), "a.json",
      "line 1", "cut off"),
  ]

  @Test("archives", arguments: archives)
  func archive(_ file: BadImport) { expectRefusal(file, "file.zip") }

  @Test(
    "names that lead out of a folder, sizes after the data, and what is beside a table change nothing",
    arguments: ["../../walk.csv", "/tmp/walk.csv", "C:\\walk.csv", "a/./b/walk.csv"])
  func paths(_ name: String) {
    let files = [false, true].map { isLater in
      MadeZip([
        BadImportTests.walk.with { file in
          file.name = name
          file.flags = isLater ? 8 : 0
        }
      ]).bytes
    }
    let beside = [
      MadeZip.File("a/", ""), MadeZip.File("a/b.csv/", ""), MadeZip.File("", "t_us,ax\n0,1\n"),
      BadImportTests.walk.with { $0.name = name },
    ]
    for bytes in files + [MadeZip(beside).bytes] {
      let before = bench.directory.names().filter { $0 != "store" }
      let outcome = bench.run("import", bench.file("file.zip", bytes))
      #expect(outcome.status == 0 && outcome.talk.contains(name), "\(outcome.talk)")
      let after = bench.directory.names().filter { $0 != "store" }
      #expect(Set(after) == Set(before + ["file.zip"]))
    }
  }

  @Test("a pause of a phone's experiment is said, and so are events that contradict each other")
  func pause() {
    let table = BadImportTests.phyphox + (0..<40).map { "0.\(100 + $0),1,2,3\n" }.joined()
    for (starts, words) in [
      (
        "\"START\",0.0,1763800000,\"x\"\n\"PAUSE\",0.11,1,\"x\"\n\"START\",0.11,1763800100,\"x\"\n",
        "contradicts itself"
      ),
      (
        "\"START\",0.0,1763800000,\"x\"\n\"PAUSE\",0.11,1763800000.11,\"x\"\n"
          + "\"START\",0.11,1763800012.61,\"x\"\n",
        "was paused at 0.11 s for 12.5 s"
      ),
      ("\"START\",0.0,1e400,\"x\"\n", "no date"), ("\"START\",0.0,1763800000,\"x\"\n", ""),
    ] {
      let file = MadeZip([
        .init("Accelerometer.csv", table),
        .init("meta/time.csv", "\"event\",\"experiment time\",\"system time\"\n" + starts),
      ])
      let outcome = bench.run("import", bench.file("file.zip", file.bytes)).expect(0)
      for word in ["contradicts itself", "was paused at 0.11 s for 12.5 s", "no date"] {
        #expect(outcome.talk.contains(word) == (word == words), "\(outcome.talk)")
      }
    }
  }

  private static let foreign = [
    BadImport("MCAP", bytes: [0x89] + Array("MCAP0\r\n".utf8), "MCAP", "CSV"),
    BadImport("Parquet", bytes: Array("PAR1".utf8) + [21, 0, 21], "Parquet", "CSV"),
    BadImport("gzip", bytes: [0x1F, 0x8B, 8, 0], "gzip", "unpack"),
    BadImport("CWA", bytes: [0x4D, 0x44, 0xFC, 3, 0, 0], "CWA", "omconvert"),
    BadImport("a program", bytes: Array("MZ".utf8) + [0x90, 0, 3, 0, 0, 0], "a program (EXE)"),
    BadImport("ZIP", bytes: zip(walk), "a ZIP archive", "leave --format out"),
    BadImport(
      "a log", bytes: [0x89] + Array("IMULOG\r\n".utf8), "a log of imulog", "leave --format out"),
  ]

  @Test(
    "a binary that is said to be text is named", arguments: foreign,
    ["csv", "json", "ndjson", "gyrodata", "zip", "raw"])
  func said(_ file: BadImport, _ format: String) {
    // What is of the kind is read as such.
    let isKind =
      (file.testDescription, format) == ("ZIP", "zip")
      || (file.testDescription, format) == ("a log", "raw")
    if !isKind { expectRefusal(file, "file", "--format", format) }
  }

  private static let readable = [
    ("csv", "t_us,ax\n0,1\n10,2\n", "a table or other text"),
    ("json", "{\"format\":\"imulog-json\",\"samples\":[]}", "JSON"),
    ("ndjson", "{\"t_ns\":0,\"ax\":1}\n", "JSON"),
    ("gyrodata", "{\"sensor\":0,\"axisValues\":[{\"x\":1,\"y\":2,\"z\":3}]}", "gyrodata"),
  ]

  @Test(
    "text that is said to be another kind is named with both kinds",
    arguments: ["csv", "json", "ndjson", "gyrodata", "zip", "raw"])
  func saidText(_ format: String) {
    for (kind, text, words) in BadImportTests.readable where kind != format {
      // Rows of JSON are read in any form.
      if kind.hasSuffix("json"), ["csv", "json", "ndjson"].contains(format) { continue }
      let file = BadImport(kind, text, words, "as \(format)", "leave --format out")
      expectRefusal(file, "file", "--format", format)
    }
  }

  @Test("a second file is known by its bytes, too")
  func second() {
    let table = bench.file("table", "t_us,ax\n0,1\n10000,2\n")
    for (bytes, words) in [
      (BadImportTests.zip(BadImportTests.walk), ["no table", "zip", "separately"]),
      (Array("PAR1".utf8) + [21, 0, 21], ["Parquet", "CSV"]),
      (Array(repeating: 0, count: 100), ["100 bytes of 0"]),
      (Array("{\"sensor\":1,\"axisValues\":[]}".utf8), ["no table", "gyrodata"]),
    ] {
      let other = bench.file("other", bytes)
      expectSentence(bench.run("import", table, other), 65, words + [other])
    }
    #expect(bench.recordings.isEmpty)
  }

  @Test("a program with an archive at its end is named so, unless it is said to be one")
  func extractor() {
    let bytes =
      Array("MZ".utf8) + Array(repeating: 0, count: 60) + BadImportTests.zip(BadImportTests.walk)
    let file = BadImport(
      "", bytes: bytes, "a program (EXE) with a ZIP archive at its end", "unpack it")
    expectRefusal(file, "file")
    expectRefusal(file, "file", "--format", "csv")
  }

  private func expectRefusal(_ file: BadImport, _ name: String, _ options: String...) {
    let before = bench.inventory()
    let path = bench.file(name, file.bytes)
    let outcome = bench.run(["import", path] + options)
    expectSentence(outcome, 65, file.words + [path])
    // A place and what to do, and no page of it.
    #expect(outcome.talk.utf8.count < 600 && !outcome.talk.contains("\u{1B}"), "\(outcome.talk)")
    #expect(outcome.bytes.isEmpty)
    #expect(bench.inventory() == before)
  }

  @Test("tables and JSON", arguments: tables)
  func table(_ file: BadImport) { expectRefusal(file, "file") }

  @Test("one row, and what other programs may write, are imported")
  func accepted() {
    bench.run("import", bench.file("one.csv", "t_us,ax\n7,1")).expect(0, "one sample", "--rate")
    let mark = "\u{FEFF}" + BadImportTests.phyphox + "0,1,2,3\r\n0.1,NaN,NaN,NaN\r\n0.2,1,2,3\r\n"
    bench.run("import", bench.file("mark.csv", mark.replacing("\n\"", with: "\n\""))).expect(
      0, "line 3")
  }

  /// A gigabyte after the beginning of each, of which a hole on the disk takes no room.
  @Test(
    "a line of a gigabyte is refused in little memory",
    arguments: [
      ("t_us,ax\n", "line 2"), ("", "line 1"), ("t_us,", "line 1"),
      ("{\"t_ns\":0,\"ax\":1}\n{\"t_ns\":", "line 3"), ("{\"coordinateList\":[", "64 MiB"),
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
