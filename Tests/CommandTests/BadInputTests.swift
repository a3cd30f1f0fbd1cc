// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogStoreTesting
import Testing
import TestSupport

/// A refused command, with its exit status and message.
struct Refusal: CustomTestStringConvertible {
  /// `DIR` stands for the test's directory.
  let arguments: [String]
  let status: Int32
  let words: [String]

  init(_ arguments: String, _ status: Int32, _ words: String...) {
    self.arguments = arguments.split(separator: " ").map { String($0) }
    self.status = status
    self.words = words
  }

  var testDescription: String { arguments.joined(separator: " ") }
}

@Suite(
  "Bad input gets one sentence and an exit status, and leaves no partial files", .waitsForPrograms)
struct BadInputTests {
  private let bench = Bench()

  private func refuse(_ refusal: Refusal) {
    let before = bench.inventory()
    let path = bench.directory.path
    let outcome = bench.run(refusal.arguments.map { $0.replacing("DIR", with: path) })
    expectSentence(outcome, refusal.status, refusal.words)
    #expect(outcome.bytes.isEmpty)
    #expect(bench.inventory() == before)
  }

  private static let commands: [Refusal] = [
    Refusal("record --bus 77", 69, "I2C bus 77", "/dev/i2c-77"),
    Refusal("record --axes -x,y,z", 64, "-x,y,z", "no mirror image"),
    Refusal("record --board nope", 64, "--board nope: give auto or one of", "simulator"),
    Refusal("record --board simulator --bus 1", 64, "--bus 1: the simulator has no bus"),
    Refusal("record --board simulator --sensor nope", 64, "--sensor nope", "auto", "lsm6dso"),
    Refusal(
      "record --board simulator --sensor mpu9250", 78, "no MPU-9250",
      "mpu6050, lsm6dso, lsm9ds1, lsm6dsv and icm20948"),
    Refusal("record --board simulator --rate 0", 64, "--rate 0", "such as 10"),
    Refusal("record --board simulator --rate 5000", 78, "1000 Hz at most", "5000 Hz"),
    Refusal("record --board simulator --for 1s --until-stopped", 64, "--for", "--until-stopped"),
    Refusal("record --board simulator --for 0s", 64, "--for 0s", "1us to 36525d, such as"),
    Refusal("record --for -1s", 64, "--for -1s", "give a time of"),
    Refusal("pull pi --timeout 25h", 64, "--timeout", "give 1ms to 24h"),
    Refusal("hub DIR --every 500ms", 64, "--every", "give 1s to 366d"),
    Refusal("hub prune DIR --older 36526d", 64, "--older", "give 0s to 36525d"),
    Refusal("hub status DIR --check 36526d", 64, "--check", "give 0s to 36525d"),
    Refusal("record --board simulator --virtual-time --until-stopped", 64, "give --for"),
    Refusal("record --virtual-time", 64, "--board simulator"),
    Refusal("record --motion still", 64, "--board simulator"),
    Refusal("record --board simulator --motion DIR/none.csv", 66, "none.csv", "no such file"),
    Refusal("record --board simulator --motion DIR", 66, "is a directory"),
    Refusal("record --board simulator --virtual-time --store /proc/none", 73, "/proc/none"),
    Refusal("import DIR/table.csv --rate 0", 64, "--rate 0"),
    Refusal("import DIR/table.csv --accel-lsb-per-g x", 64, "--accel-lsb-per-g x"),
    Refusal(
      "import DIR/table.csv --gyro-lsb-per-dps 14.285714285714285", 64, "at most 9 digits"),
    Refusal("import DIR", 66, "not a regular file"),
    Refusal("import DIR/none.csv", 66, "none.csv", "no such file"),
    Refusal("import /dev/null", 66, "/dev/null", "not a regular file"),
    Refusal("import DIR/fifo", 66, "not a regular file"),
    Refusal("info 87654321", 66, "no recording 87654321", "the only one is 1"),
    Refusal("info zz", 66, "no recording zz"),
    Refusal("verify DIR/none.imulog", 66, "none.imulog", "no such file"),
    Refusal("verify DIR/", 66, "is a directory"),
    Refusal("recover DIR/none.imulog", 66, "none.imulog", "no such file"),
    Refusal("export 87654321", 66, "no recording 87654321"),
    Refusal("export 1 -o DIR/none/out.json", 73, "none/out.json", "another -o FILE"),
    Refusal("export 1 -o DIR", 64, "is a directory", "makes one file"),
    Refusal("export 1 -o /dev/full", 74, "/dev/full", "no space is left"),
    Refusal("export 1 --format raw --from 1s", 64, "--format raw", "leave it out"),
    Refusal("export 1 --format raw --channels accel", 64, "--channels", "--format raw"),
    Refusal("export 1 --format gyrodata --channels both", 64, "one sensor", "--channels accel"),
    Refusal("doctor --card-seconds 3601", 64, "--card-seconds takes 0 to 3600"),
    Refusal("boards nope", 78, "no board named nope", "raspberry-pi-5"),
    // A word that follows an option is its value, also with a - in front.
    Refusal("analyze 1 --band -1..5", 64, "-1..5"),
    Refusal("pull host --timeout -5s", 64, "-5s"),
    Refusal("pull host --jobs -1", 64, "at least 1"),
    Refusal("hub DIR/fleet --timeout -5s", 64, "-5s"),
    Refusal("hub DIR/fleet --jobs -1", 64, "at least 1"),
    Refusal("daemon --board simulator --pre-trigger -5s", 64, "-5s"),
    Refusal("import DIR/table.csv --columns -ax=1", 64, "-ax"),
    Refusal("import DIR/table.csv --units -g", 64, "-g"),
  ]

  @Test(
    "what cannot be done, or is not understood, is refused before anything is written",
    arguments: commands)
  func refusals(_ refusal: Refusal) throws {
    try bench.record("--for", "100ms")
    _ = bench.file("table.csv", "t_us,gx\n0,1\n5,2\n")
    mkfifo(bench.directory.path + "/fifo", 0o600)
    refuse(refusal)
    #expect(bench.directory.names() == ["fifo", "store", "table.csv"])
  }

  @Test("a mounting, a note and a name may begin with a dash")
  func dashes() throws {
    try bench.record("--virtual-time", "--for", "1s", "--axes", "-z,y,x", "--note", "-20 °C")
    let info = try bench.run("info", "1", "--json").json()
    #expect(info["axes"].text == "-z,y,x" && info["note"].text == "-20 °C")
    let table = bench.file("t.csv", "t_us,ax,ay,az\n0,1,2,8192\n100000,3,2,8190\n200000,2,2,8191\n")
    bench.run("import", table, "--accel-lsb-per-g", "8192", "--note", "-x up", "--rate", "10")
      .expect(0)
    #expect(try bench.run("info", "2", "--json").json()["note"].text == "-x up")
    let named = bench.run("calibrate", "1", "--name", "-left", "--json")
    #expect(!named.talk.contains("missing value"), "\(named.talk)")
  }

  @Test("the first failure leaves no store either")
  func noStore() {
    refuse(Refusal("record --board simulator --rate 5000", 78))
    refuse(Refusal("import DIR/none.csv", 66))
    #expect(bench.directory.names().isEmpty)
  }

  @Test(
    "the parser's refusals are one sentence with the command for help",
    arguments: [
      "nope", "record --nope", "record --for", "record --for 1s --until-stopped",
      "pull pi --timeout 3x", "list --page -1", "export 1 --from -x", "import x --accel-lsb-per-g",
      "export", "export 1 --format xml",
      "export 1 --units m", "export 1 --from yesterday", "import", "import x --format pdf",
      "import x y z", "rm",
      "list --page 0", "list --page x", "list 1",
    ])
  func parser(_ line: String) {
    let outcome = bench.run(line.split(separator: " ").map { String($0) })
    #expect(outcome.status == 64)
    expectSentence(outcome, 64, ["ee `imulog ", "--help`"])
    #expect(outcome.bytes.isEmpty)
    #expect(bench.directory.names().isEmpty)
  }

  @Test(
    "an unusable store is reported with the remedy",
    arguments: [
      Refusal("list --store DIR/file", 73, "is a file", "--store"),
      Refusal("list --store DIR/file/below", 73, "DIR/file", "--store"),
      Refusal("list --store DIR/none", 66, "no store at", "--store"),
      Refusal("export 1 --store DIR/none", 66, "no store at", "--store"),
      Refusal("rm 1 --store DIR/none", 66, "no store at"),
      Refusal("recover 1 --store DIR/none", 66, "no store at"),
      Refusal("record --board simulator --virtual-time --store DIR/file", 73, "is a file"),
      Refusal("record --board simulator --virtual-time --store DIR/file/below", 73, "file"),
      Refusal("import DIR/table.csv --store DIR/file", 73, "is a file", "--store"),
    ])
  func store(_ refusal: Refusal) {
    _ = bench.file("file", "x")
    _ = bench.file("table.csv", "t_us,ax_g\n0,1\n10,2\n")
    let words = refusal.words.map { $0.replacing("DIR", with: bench.directory.path) }
    let outcome = bench.run(
      refusal.arguments.map { $0.replacing("DIR", with: bench.directory.path) })
    expectSentence(outcome, refusal.status, words)
    #expect(bench.directory.names() == ["file", "table.csv"])
    #expect(bench.directory.bytes(of: "file") == Array("x".utf8))
  }

  @Test("an empty name of a store, and a home that is missing, are refused")
  func emptyStore() {
    expectSentence(bench.run("list", "--store", ""), 64, ["--store DIR"])
    var bench = bench
    bench.environment["IMULOG_STORE"] = ""
    expectSentence(bench.run("list"), 64, ["--store DIR"])
    bench.environment = [:]
    expectSentence(bench.run("list"), 78, ["no home directory", "--store DIR"])
  }

  @Test("channels that were not recorded cannot be exported")
  func missingChannels() throws {
    try bench.record("--for", "1s", "--channels", "accel")
    refuse(Refusal("export 1 --channels gyro", 64, "no gyroscope", "ax, ay, az", "--channels"))
    refuse(Refusal("export 1 --format gyrodata --channels gyro", 64, "no gyroscope"))
  }

  @Test("a note that is too long is refused, and the longest that fits is kept")
  func note() throws {
    try bench.record("--for", "100ms", "--note", String(repeating: "ü", count: 500))
    let before = bench.inventory()
    let long = String(repeating: "ü", count: 500) + "x"
    bench.refuses(
      "record --board simulator --virtual-time --note \(long)", 64, "--note", "1000 bytes fit")
    let table = bench.file("table.csv", "t_us,ax_g\n0,1\n10,2\n")
    bench.refuses("import \(table) --note \(long)", 64, "1001 bytes", "1000")
    #expect(bench.inventory() == before)
    #expect(try bench.list()[0]["note"].text?.count == 500)
  }

  @Test("a motion with a bad line is reported with the line")
  func badMotion() {
    let path = bench.file("motion.csv", "t_us,ax,ay,az,gx,gy,gz\n0,1,2,3,4,5,6\n10,1,2,x,4,5,6\n")
    let outcome = bench.run(Bench.simulated + ["--motion", path])
    expectSentence(outcome, 65, [path, "line 3"])
    #expect(bench.inventory().isEmpty)
  }

  @Test(
    "without /proc, from which the arguments are read, every verb is refused",
    .enabled(if: SmallDisk.isPossible, Comment(rawValue: SmallDisk.reason)))
  func noProc() {
    let outcome = Child(
      ["-m", "/bin/sh", "-c", "umount -l /proc && exec \(Child.program) list"],
      environment: bench.environment, directory: bench.directory.path, stdout: nil,
      program: "/usr/bin/unshare"
    ).outcome()
    expectSentence(outcome, 69, ["/proc"])
    #expect(outcome.bytes.isEmpty)
  }

  private static let last = RecordingTime.limit - 1

  @Test(
    "an import's times may be any within 146 years: no verb and no format ends by a signal for them",
    arguments: [
      (0..<20).map { $0 * 10_000_000 - last }, (0..<20).map { last - (19 - $0) * 10_000_000 },
      [-last, -last / 2 - 1, -2, last / 2 - 2, last - 3],
    ] as [[Int64]])
  func extremeTimes(_ times: [Int64]) throws {
    let bench = Bench()
    let rows = times.enumerated().map { "\($1),\($0 % 7),-\($0 % 5),8192,4,-5,6\n" }
    let table = bench.file("table.csv", "t_ns,ax,ay,az,gx,gy,gz\n" + rows.joined())
    let far = bench.file("far.csv", "t_ns,ax_g\n\(times[0]),1\n\(Int64.max),1\n")
    expectSentence(bench.run("import", far), 65, ["line 3", "146 years"])
    let scales = ["--accel-lsb-per-g", "8192", "--gyro-lsb-per-dps", "131"]
    try #require(bench.run(["import", table] + scales).status == 0)
    var commands = ["info", "verify", "show", "analyze", "calibrate"].map { [$0, "1"] }
    let formats = [
      "json", "ndjson", "csv", "html", "svg", "gcsv", "kalibr", "parquet", "mcap", "mseed", "cwa",
      "gyrodata", "edge-impulse",
    ]
    commands += formats.map { ["export", "1", "--format", $0] }
    commands += [
      ["gyrodata", "--fill", "hold"], ["edge-impulse", "--fill", "hold"],
      ["csv", "--time", "seconds"], ["csv", "--gaps", "rows", "--labels"], ["ndjson", "--labels"],
      ["json", "--orientation"], ["csv", "--linear", "--preamble"], ["parquet", "--labels"],
      ["html", "--orientation"], ["csv", "--from", "0s"], ["json", "--to", "5s"],
    ].map { ["export", "1", "--format"] + $0 }
    for command in commands {
      let outcome = bench.run(command)
      #expect([0, 64, 65].contains(outcome.status), "\(command): \(outcome.talk.prefix(300))")
    }
  }
}
