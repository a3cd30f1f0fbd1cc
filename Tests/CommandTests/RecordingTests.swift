// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import Testing
import TestSupport
import Text

@Suite("Recordings are made, listed, shown, checked and removed", .waitsForPrograms)
struct RecordingCommandTests {
  @Test("a recording's number is the last line of stdout, alone; --json prints it with the account")
  func numberAlone() throws {
    let bench = Bench()
    for number in 1...3 {
      let outcome = bench.run(Bench.simulated + ["--for", "1s"]).expect(0)
      #expect(outcome.output == "\(number)\n")
      #expect(
        outcome.talk == "imulog: recording from MPU-6050 at 0x68, 10 Hz, for 1 s\n"
          + "imulog: recording \(number): 10 of 10 samples\n"
          + "imulog: good: 10 of 10 samples\n"
          + "imulog: recording \(number) is \(bench.store)/\(bench.recordings[number - 1])\n"
          + "imulog: next: `imulog show \(number)`, `imulog export \(number) -o \(number).json`\n")
    }
    let json = try bench.run(Bench.simulated + ["--json", "--for", "2s"]).json()
    #expect(json["number"] == .integer(4))
    #expect(try json["id"] == bench.list()[0]["id"])
    json.expect(["ticks.scheduled": 20, "ticks.sampled": 20, "stopReason": "completed"])
  }

  @Test(
    "a recording has the requested samples and columns, by default 60 s at 10 Hz",
    arguments: [
      ("", 600, "ax,ay,az,gx,gy,gz,temp"), ("--for 1ms", 1, "ax,ay,az,gx,gy,gz,temp"),
      ("--for 101ms", 2, "ax,ay,az,gx,gy,gz,temp"),
      ("--for 0.5 --rate 1000 --clock grid", 500, "ax,ay,az,gx,gy,gz,temp"),
      ("--for 1.5m --rate 0.1 --motion still", 9, "ax,ay,az,gx,gy,gz,temp"),
      ("--for 1s --channels accel", 10, "ax,ay,az"), ("--for 1s --channels gyro", 10, "gx,gy,gz"),
      (
        "--for 2s --rate 12.5 --sensor lsm6dso --accel-range 16 --gyro-range 125dps", 25,
        "ax,ay,az,gx,gy,gz,temp"
      ),
      ("--for 1s --sensor MPU6050 --accel-range 2g --sync-every 0", 10, "ax,ay,az,gx,gy,gz,temp"),
    ] as [(String, Int64, String)])
  func asked(_ options: String, _ samples: Int64, _ columns: String) throws {
    let bench = Bench()
    let outcome = bench.run(Bench.simulated + options.split(separator: " ").map { String($0) })
    try #require(outcome.status == 0, "\(outcome.talk)")
    #expect(try bench.list()[0]["sampleCount"] == .integer(samples))
    #expect(bench.run("export", "1", "--format", "csv").lines.first == "t_ns," + columns)
    #expect(bench.run("verify", "1").status == 0)
  }

  @Test("the simulator replays the counts of a CSV file")
  func motionFromFile() throws {
    let bench = Bench()
    let rows = (0..<50).map { "\($0 * 20_000),\(100 * $0),\(-100 * $0),8192,1,2,3" }
    let motion = bench.file(
      "motion.csv", "t_us,ax,ay,az,gx,gy,gz\n" + rows.joined(separator: "\n") + "\n")
    try bench.record("--for", "500ms", "--rate", "50", "--motion", motion)
    let table = bench.run("export", "1", "--format", "csv", "--units", "raw").lines.dropFirst()
    let recorded = Set(table.map { $0.split(separator: ",")[1...6].joined(separator: ",") })
    let given = Set(rows.map { $0.split(separator: ",").dropFirst().joined(separator: ",") })
    #expect(table.count == 25)
    #expect(recorded.isSubset(of: given))
    #expect(recorded.count >= 20)
  }

  @Test("list --json has every field of every recording")
  func listFields() throws {
    let bench = Bench()
    try bench.record("--for", "3s", "--rate", "25", "--note", "left \"wheel\" ü")
    let row = try #require(try bench.list().first)
    #expect(row["number"] == .integer(1))
    #expect(row["id"].text?.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
    #expect(row["started"].text?.hasSuffix("Z") == true)
    row.expect([
      "duration_s": 3, "sensor.model": "MPU-6050", "rate_hz": 25, "sampleCount": 75,
      "complete": true, "gapCount": 0,
    ])
    let log = try bench.logName()
    #expect(row["size_bytes"] == .integer(Int64(bench.directory.bytes(of: log).count)))
    #expect(row["note"] == .string("left \"wheel\" ü"))
  }

  @Test("lists have ten recordings a page, newest first, and name the next page")
  func pages() throws {
    let bench = Bench()
    for _ in 0..<12 { try bench.record("--for", "100ms") }
    let numbers = { (page: String) in try bench.list("--page", page).map { $0["number"].integer } }
    #expect(try numbers("1") == (3...12).reversed().map { Int64($0) })
    #expect(try numbers("2") == [2, 1])
    #expect(try numbers("3") == [])
    #expect(try numbers("9223372036854775807") == [])
    let first = bench.run("list")
    #expect(first.lines.count == 11)
    #expect(first.talk.hasPrefix("imulog: page 1 of 2; the next is --page 2\n"))
    #expect(bench.run("list", "--page", "2").talk.hasPrefix("imulog: page 2 of 2\n"))
    #expect(bench.run("list", "--page", "3").talk == "imulog: there are only 2 pages\n")
  }

  @Test("a table shows what a person needs and nothing that a terminal obeys; a program gets UTC")
  func table() throws {
    var bench = Bench()
    bench.environment["TZ"] = "XYZ-05:30"
    let note = "\u{1B}[31mred\u{7}\nnext"
    try bench.record("--for", "2s", "--note", note)
    let lines = bench.run("list").lines
    #expect(lines.count == 2 && lines[0].hasPrefix("NUMBER  STARTED"))
    for word in ["STARTED", "DURATION", "SENSOR", "RATE", "GAPS", "SIZE", "STATE", "NOTE"] {
      #expect(lines[0].contains(word), "\(word)")
    }
    #expect(lines[1].contains(" +05:30  "))
    let size = try bench.directory.bytes(of: bench.logName()).count
    #expect(lines[1].hasSuffix("-  \(Plain.bytes(UInt64(size)))  complete  ?[31mred??next"))
    #expect(!bench.run("info", "1").output.contains("\u{1B}"))
    #expect(try bench.list()[0]["note"] == .string(note))
    #expect(bench.run("list", "--json").output.contains(#"Z","duration_s""#))
  }

  @Test("info reports sensor, ticks and end, and verify that all is whole, by number and by path")
  func info() throws {
    let bench = Bench()
    try bench.record("--for", "2s", "--accel-range", "8g", "--gyro-range", "1000dps", "--note", "x")
    let words = bench.run("info", "latest")
    for word in ["MPU-6050 at 0x68, ±8 g, ±1000 °/s", "20 of 20 sampled", "completed"] {
      #expect(words.output.contains(word))
    }
    let info = try bench.run("info", "1", "--json").json()
    #expect(info["sensor"]["accelerometerRange_g"] == .integer(8))
    #expect(info["sensor"]["gyroscopeRange_dps"] == .integer(1000))
    #expect(info["ticks"]["scheduled"] == .integer(20) && info["note"] == .string("x"))
    #expect(info["stopReason"] == .string("completed") && info["state"] == .string("complete"))
    for target in ["1", "latest", bench.directory.path + "/" + (try bench.logName())] {
      let outcome = bench.run("verify", target).expect(0)
      #expect(outcome.talk == "imulog: the recording is whole\n")
      let json = try bench.run("verify", target, "--json").json()
      #expect(json["intact"].isTrue && json["sampleCount"] == .integer(20))
      #expect(json["damage"] == .array([]))
    }
  }

  @Test("removed recordings move to the trash, all or none, and their numbers are not reused")
  func remove() throws {
    let bench = Bench()
    for _ in 0..<4 { try bench.record("--for", "100ms") }
    let id = try #require(try bench.list()[0]["id"].text)
    #expect(bench.run("rm", "4", "latest", "2").status == 0)
    #expect(try bench.list().map { $0["number"].integer } == [3, 1])
    #expect(bench.directory.names(in: "store/.trash").count == 2)
    expectSentence(bench.run("info", id), 66, ["no recording \(id)"])
    #expect(try bench.record("--for", "100ms") == "5")
    let before = bench.inventory()
    bench.refuses("rm 1 87654321 3", 66, "no recording 87654321", "from 1 to 5")
    #expect(bench.inventory() == before)
    // The trash can be emptied at once, to make room.
    #expect(bench.run("rm", "1", "--empty-trash").talk == "imulog: 3 recordings deleted\n")
    #expect(bench.directory.names(in: "store/.trash").isEmpty)
    #expect(try bench.list().map { $0["number"].integer } == [5, 3])
    #expect(bench.run("rm", "--empty-trash").talk == "imulog: 0 recordings deleted\n")
  }

  @Test("boards are listed, shown and described as JSON")
  func boards() throws {
    let bench = Bench()
    let list = bench.run("boards").expect(0)
    #expect(list.output.contains("raspberry-pi-4"))
    #expect(list.output.contains("simulator"))
    let json = try bench.run("boards", "--json").json()["boards"]
    #expect(json.items.count == list.lines.count)
    #expect(json.items.contains { $0["id"] == .string("raspberry-pi-4") })
    let board = bench.run("boards", "raspberry-pi-4")
    #expect(board.output.contains("SDA: pin 3"))
    #expect(board.output.contains("To do once:"))
    #expect(try bench.run("boards", "simulator", "--json").json()["boards"].items.count == 1)
  }

  @Test(
    "what keeps the time is said where the user could have expected something else",
    arguments: [
      ("--rate 700", "the MPU-6050 does it at 500 or 1000 Hz"),
      ("--rate 1000 --interrupt GPIO22", "the MPU-6050 has no watermark"),
      ("--rate 1000 --time-stamps", "the MPU-6050 has no time stamps"),
      ("--sensor auto@0x6a --rate 104 --time-stamps", "not used without --clock chip"),
      ("--sensor lsm6dso --rate 104 --interrupt GPIO22", "not used without --clock chip"),
      ("--sensor lsm9ds1 --rate 104 --interrupt GPIO22", "interrupt line is not used\n"),
    ])
  func clockRemarks(options: String, remark: String) {
    let bench = Bench()
    let outcome = bench.run(
      ["record", "--board", "simulator", "--virtual-time", "--for", "100ms"]
        + options.split(separator: " ").map { String($0) })
    #expect(outcome.status == 0 && outcome.talk.contains(remark), "\(outcome.talk)")
  }

  @Test("boards, list and info create no store")
  func lookingMakesNothing() {
    let bench = Bench()
    for arguments in [["boards"], ["list"], ["info", "1"], ["verify", "1"], ["rm", "1"]] {
      _ = bench.run(arguments)
    }
    #expect(bench.directory.names().isEmpty)
  }
}
