// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@Suite("Several sensors on the command line", .waitsForPrograms)
struct TakeCommandTests {
  @Test("make a recording each, with their own settings, numbers on stdout in their order")
  func take() throws {
    let bench = Bench()
    let outcome = bench.run(
      Bench.simulated + [
        "--for", "3s", "--rate", "20", "--sensor", "left=mpu6050@0x69",
        "--sensor", "right=lsm6dso@0x6b rate=416 axes=-z,y,x motion=tumble",
      ])
    #expect(outcome.status == 0 && outcome.lines == ["1", "2"])
    for words in [
      "left, the MPU-6050 at 0x69, 20 Hz; right, the LSM6DSO at 0x6b, 416 Hz, for 3 s",
      "recording 1, left: 60 of 60 samples", "recording 2, right: ",
    ] {
      #expect(outcome.talk.contains(words), "\(outcome.talk)")
    }
    let row = try #require(bench.run("list").lines.dropFirst().first)
    #expect(row.hasPrefix("     1  ") && row.contains(" left, right  20-416 Hz  "))
    let info = bench.run("info", "2/right").output
    #expect(info.contains("sensor 2 of 2, ") && info.contains("-z,y,x"))
    #expect(outcome.talk.hasSuffix("next: `imulog info 1`, `imulog export 1 --take -o 1.csv`\n"))
    let graphs = bench.run("show", "2").lines
    #expect(graphs.count == 24)
    #expect(graphs[0].hasPrefix("recording 1, left") && graphs[12].hasPrefix("recording 2, right"))
    #expect(bench.run("show", "2/right").lines.count == 24)
    let both = bench.run("info", "2").lines
    #expect(both.first?.hasSuffix(", 2 sensors") == true)
    let rows = both.map { $0.split(separator: " ").map(String.init) }
    #expect(
      rows.contains([
        "left", "1", "MPU-6050", "at", "0x69", "20", "Hz", "60", "0", "0", "0", "good",
      ]))
    #expect(rows.contains { $0.starts(with: ["right", "2", "LSM6DSO"]) })
    #expect(both.contains { $0.hasPrefix("apart") } == false, "the first has no clock of its own")
    #expect(both.last?.hasPrefix("verdict     good: ") == true)
    #expect(bench.run("info", "1", "--check").output.hasSuffix(" samples of 2 sensors\n"))
    _ = bench.shell("rm store/000001*")
    let lone = bench.run("info", "2", "--check")
    #expect(lone.status == 65 && lone.output == "damaged: 1 of 2 recordings are not here\n")
  }

  @Test("are removed, brought back and labelled together, or one of them by its name")
  func together() throws {
    let bench = Bench()
    _ = bench.run(
      Bench.simulated + ["--for", "2s", "--sensor", "left=mpu6050@0x68", "--sensor", "b=lsm6dso"])
    _ = bench.run(Bench.simulated + ["--for", "2s"])
    func numbers() -> [String] {
      bench.recordings.sorted().reversed().compactMap { Int($0.prefix(6)).map { "\($0)" } }
    }
    bench.refuses("rm 1/right", 64, "the take of 1 has no sensor right here; it has left, b")
    bench.refuses("rm 3/left", 64, "3 is no recording of several sensors")
    #expect(bench.run("rm", "2").status == 0 && numbers() == ["3"])
    #expect(bench.run("restore", "1").lines == ["1", "2"] && numbers() == ["3", "2", "1"])
    #expect(bench.run("rm", "1/b", "3").status == 0 && numbers() == ["1"])
    #expect(bench.run("restore", "2").lines == ["2"])
    let label = bench.run("label", "2", "0s..1s", "step")
    #expect(label.status == 0 && label.talk.contains("recording 1: 0s..1s step"))
    #expect(bench.run("label", "1/b", "1s..2s", "turn").status == 0)
    #expect(bench.run("label", "1").lines == ["0s..1s step", "0s..1s step", "1s..2s turn"])
    bench.refuses("label 1 --json", 64, "give 1/NAME")
    // A copy, or what was salvaged of a sensor, goes alone, and so does what it was made of.
    let names = bench.recordings.sorted()
    for number in ["000008", "000009"] {
      _ = bench.shell("cp store/\(names[1]) store/\(number)\(names[1].dropFirst(6))")
    }
    #expect(bench.run("rm", "9").talk.contains("left alone: ") && numbers() == ["8", "2", "1"])
    #expect(bench.run("rm", "2").status == 0 && numbers() == ["8", "1"])
    #expect(bench.run("rm", "1").status == 0 && numbers() == [])
  }

  @Test("are removed as far as they can be, when one of them cannot")
  func removalOfSome() throws {
    let bench = Bench()
    _ = bench.run(
      Bench.simulated + ["--for", "1s", "--sensor", "a=mpu6050@0x68", "--sensor", "b=lsm6dso"])
    let first = try #require(bench.recordings.min())
    let held = open("\(bench.directory.path)/store/\(first)", O_RDONLY | O_CLOEXEC)
    defer { close(held) }
    #expect(flock(held, LOCK_EX) == 0)
    let outcome = bench.run("rm", "2")
    #expect(outcome.status == 75 && outcome.talk.contains("recording 2 is in the trash"))
    #expect(outcome.talk.contains("is being written"), "\(outcome.talk)")
    #expect(bench.recordings == [first])
  }

  @Test("are exported as one table with a column of their names, or one of them by its name")
  func table() throws {
    let bench = Bench()
    _ = bench.run(
      Bench.simulated + [
        "--for", "1s", "--rate", "20", "--sensor", "left=mpu6050@0x68",
        "--sensor", "b_2=lsm6dso rate=50 motion=turn",
      ])
    let table = bench.run("export", "2", "--take", "--format", "csv").lines.map {
      $0.split(separator: ",").map(String.init)
    }
    #expect(table[0].prefix(3) == ["sensor", "t_ns", "ax"])
    #expect(table.count == 71 && table.allSatisfy { $0.count == table[0].count })
    let (left, right) = (table[1..<21], table[21...])
    #expect(left.allSatisfy { $0[0] == "left" } && right.allSatisfy { $0[0] == "b_2" })
    for (name, rows) in [("left", left), ("b_2", right)] {
      let alone = bench.run("export", "1/\(name)", "--format", "csv").lines.dropFirst()
      #expect(Array(alone) == rows.map { $0.dropFirst().joined(separator: ",") })
    }
    let objects = try bench.run("export", "1", "--take", "--format", "ndjson").lines.map {
      try JSON(Array($0.utf8))
    }
    #expect(objects.count == 70)
    #expect(objects[20]["sensor"].text == "b_2" && objects[20]["t_ns"].double != nil)
    #expect(bench.run("export", "1", "--take", "-o", bench.directory.path + "/t.csv").status == 0)
    let document = try bench.run("export", "1", "--take").json()
    let alone = try ["1", "2"].map { try bench.run("export", $0).json() }
    #expect(document["recordings"] == .array(alone))
    #expect(document["takeID"] == alone[0]["take"]["id"] && alone[0]["take"]["id"].text != nil)
    bench.refuses("export 1 --take --format kalibr", 64, "--take")
    bench.refuses("export 1/left --take --format csv", 64, "is one; leave --take or the name out")
    bench.refuses("export 1 --take --follow --format csv", 64, "exclude each other")
    bench.refuses("export 1 --take --preamble --format csv", 64, "--preamble")
    _ = bench.run(Bench.simulated + ["--for", "1s"])
    bench.refuses("export 3 --take --format csv", 64, "no take of several sensors")
    let file = bench.calibration()
    for words in ["export 1 --take --format csv", "show 1"] {
      bench.refuses("\(words) --calibration \(file)", 64, "a calibration is of one chip")
    }
    let shared = bench.run(
      Bench.simulated + [
        "--for", "1s", "--calibration", file, "--sensor", "a=mpu6050@0x68", "--sensor", "b=lsm6dso",
      ])
    #expect(shared.status == 64 && shared.talk.contains("a calibration is of one chip"))
    _ = bench.run(
      Bench.simulated + [
        "--for", "1s", "--sensor", "a=mpu6050@0x68 channels=accel", "--sensor", "b=lsm6dso",
      ])
    bench.refuses("export 4 --take --format csv", 64, "recording 5 has other columns")
    // A copy is left alone, and a member that is not here is named.
    let store = bench.directory.path + "/store/"
    let second = try #require(bench.recordings.first { $0.hasPrefix("000002") })
    _ = bench.shell("cp \(store)\(second) \(store)000009\(second.dropFirst(6))")
    let copied = bench.run("export", "1", "--take", "--format", "csv")
    #expect(copied.status == 0 && copied.lines.count == 71 && copied.talk.contains("left alone: 9"))
    _ = bench.shell("rm \(store)000009* \(store)\(second)")
    let lone = bench.run("export", "1", "--take", "--format", "csv")
    #expect(lone.status == 65 && lone.lines.count == 21)
    #expect(lone.talk.contains("1 of the take's 2 recordings is not here"))
  }

  @Test("are exported as one Parquet file, in SI units, with the facts of each")
  func parquet() throws {
    let bench = Bench()
    _ = bench.run(
      Bench.simulated + [
        "--for", "2s", "--sensor", "left=mpu6050@0x68 rate=50", "--sensor", "b=lsm6dso rate=104",
      ])
    let file = bench.directory.path + "/t.parquet"
    #expect(bench.run("export", "2", "--take", "-o", file).status == 0)
    let text = bench.shell("strings -n 3 \(file)").output
    for fact in ["imulog.sensors.left.sensor.model", "imulog.sensors.b.units.ax", "m/s^2"] {
      #expect(text.contains(fact), "\(fact)")
    }
    bench.refuses("import \(file)", 65, "t.parquet")
    _ = bench.run(
      Bench.simulated + [
        "--for", "1s", "--sensor", "a=mpu6050@0x68 channels=accel", "--sensor", "b=lsm6dso",
      ])
    bench.refuses("export 3 --take --format parquet", 64, "b has other columns")
  }

  @Test("are exported side by side on one grid, with empty cells where one has no value")
  func joined() throws {
    let bench = Bench()
    _ = bench.run(
      Bench.simulated + [
        "--for", "3s", "--sensor", "left=mpu6050@0x68 rate=200 clock=chip motion=tumble",
        "--sensor", "b=lsm6dso rate=104 clock=chip channels=accel motion=turn",
      ])
    func cells(_ words: String...) -> [[String]] {
      bench.run(["export"] + words + ["--grid", "--format", "csv"]).lines.map {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
    }
    let table = cells("2", "--take")
    let names = ["ax", "ay", "az", "gx", "gy", "gz", "temp"]
    #expect(
      table[0] == ["t_grid_ns"] + names.map { "left_\($0)" } + ["b_ax", "b_ay", "b_az"])
    // The slower one's grid is that of the take, which begins with the first tick of both.
    let alone = cells("1/b")
    let rows = table.dropFirst().filter { $0[8] != "" }
    #expect(rows.map { [$0[0]] + $0[8...] } == Array(alone.dropFirst()))
    let objects = try bench.run("export", "1", "--take", "--grid", "--format", "ndjson").lines.map {
      try JSON(Array($0.utf8))
    }
    for (name, column) in [("left", 1), ("b", 8)] {
      let own = objects.filter { $0["sensor"].text == name }
      let there = table.dropFirst().filter { $0[column] != "" }
      #expect(own.map { $0["t_grid_ns"].double } == there.map { Double($0[0]) })
      #expect(own.map { $0["ax"].double } == there.map { Double($0[column]) })
    }
    #expect(table.dropFirst().contains { $0[1] == "" || $0[8] == "" })
    #expect(table.dropFirst().allSatisfy { $0.count == 11 && ($0[1] != "" || $0[8] != "") })
    let apart = cells("1", "--take", "--uncertainty")
    #expect(apart.map { [$0[0]] + $0[2...] } == table)
    var bounds: [String: [ClosedRange<Int64>]] = [:]
    for object in try bench.run(
      "export", "1", "--take", "--grid", "--uncertainty", "--format", "ndjson"
    ).lines.map({ try JSON(Array($0.utf8)) }) {
      guard let low = object["t_lo_ns"].integer, let high = object["t_hi_ns"].integer else {
        continue
      }
      bounds["\(object["t_grid_ns"].integer ?? -1)", default: []].append(low...high)
    }
    for row in apart.dropFirst() {
      let both = bounds[row[0]] ?? []
      let most =
        both.count < 2
        ? nil
        : max(
          both[0].upperBound - both[1].lowerBound, both[1].upperBound - both[0].lowerBound)
      #expect(row[1] == most.map { "\($0)" } ?? "")
    }
    #expect(apart.count { $0[1] != "" } > 100)
    bench.refuses("export 1 --take --grid --format csv --time seconds", 64, "leave --time out")
    _ = bench.shell("rm \(bench.directory.path)/store/\(bench.recordings[0])")
    let lone = bench.run("export", "2", "--take", "--grid", "--format", "csv")
    #expect(lone.status == 65 && lone.lines[0] == "t_grid_ns,b_ax,b_ay,b_az")
  }

  @Test("begin at tick 0, however long it takes to look at all of them")
  func manySensors() throws {
    let chips = ["mpu6050@0x68", "mpu6050@0x69", "lsm6dso@0x6a", "lsm6dso@0x6b"]
    let sensors = chips.enumerated().map { "--sensor=s\($0)=\($1)" }
    let outcome = Bench().run(Bench.simulated + ["--for", "3s"] + sensors)
    #expect(outcome.status == 0 && outcome.lines == ["1", "2", "3", "4"])
    #expect(outcome.talk.split(separator: ": 30 of 30 samples\n").count > 4, "\(outcome.talk)")
  }

  @Test("are one row of a list, on the page of the first of them, and go together")
  func listed() throws {
    let bench = Bench()
    let sensors = ["a=mpu6050@0x68", "b=mpu6050@0x69", "c=lsm6dso@0x6a", "d=lsm6dso@0x6b"]
    for _ in 1...4 {
      _ = bench.run(Bench.simulated + ["--for", "1s"] + sensors.flatMap { ["--sensor", $0] })
    }
    func rows(_ page: String, _ options: String...) -> [[Substring]] {
      bench.run(["list", "--page", page] + options).lines.dropFirst().map {
        $0.split(separator: " ")
      }
    }
    #expect(rows("1").map(\.first) == ["13", "9", "5"])
    #expect(rows("2").map(\.first) == ["1"])
    let sums = rows("2")[0].drop { $0 != "a," }.prefix(9)
    #expect(sums.map(String.init) == ["a,", "b,", "c,", "d", "10", "Hz", "40", "-", "-"])
    #expect(bench.run("list", "--json").output.split(separator: "\"number\":").count == 11)
    _ = bench.shell("rm store/000005*")
    let fewer = bench.run("list").output
    #expect(fewer.contains("     6  ") && fewer.contains("  3 of 4: b, c, d  "))
    #expect(bench.run("list").talk.contains("page 1 of 2; "))
    // Recordings 16 to 6 are all that is left.
    _ = bench.run("rm", "1")
    #expect(!bench.run("list").talk.contains("page "))
    let end = bench.run("list", "--page", "2")
    #expect(end.output.isEmpty && end.talk.contains("of a take on page 1"), "\(end.talk)")
    let child = bench.atTerminal(["list"], columns: 120)
    #expect(child.waits(for: "d, LSM6DSO"))
    child.type("d")
    #expect(child.waits(for: "recordings 13, 14, 15, 16 are in the trash; u brings them back"))
    #expect(rows("1").map(\.first) == ["9", "6"])
    child.type("u")
    #expect(child.waits(for: "recordings 13, 14, 15, 16 are back"))
    #expect(rows("1").map(\.first) == ["13", "9", "6"])
  }

  @Test("are drawn one at a time while they record, the next one by the tabulator")
  func drawn() {
    let bench = Bench()
    let child = bench.atTerminal([
      "record", "--board", "simulator", "--rate", "50", "--for", "1h", "--sensor", "left=mpu6050",
      "--sensor", "right=lsm6dso rate=104 channels=accel",
    ])
    #expect(child.waits(for: "left, MPU-6050 at 50 Hz"))
    #expect(child.waits(for: "tab next sensor"))
    child.type("?\t")
    #expect(child.waits(for: "left, MPU-6050 at 50 Hz"))
    child.type("\t")
    #expect(child.waits(for: "right, LSM6DSO at 104 Hz"))
    child.type("\t")
    #expect(child.waits(for: "left, MPU-6050 at 50 Hz"))
    child.type("s")
    #expect(child.status() == 0)
    // The store is there until now.
    #expect(bench.recordings.count == 2)
  }

  @Test(
    "are refused in a sentence where they cannot be a take",
    arguments: [
      (["mpu6050", "lsm6dso"], "several sensors need names; give left=mpu6050"),
      (["a=mpu6050", "a=lsm6dso"], "a is the name of another sensor"),
      (["A=mpu6050"], "\"A\" is no name"), (["=mpu6050"], "\"\" is no name"),
      (["a=mpu6050 rate"], "\"rate\" is not KEY=VALUE"), (["a=mpu6050 note=x"], "is not KEY=VALUE"),
      (["a=mpu6050 rate=1 rate=2"], "rate is given twice"),
      (["mpu6050 rate=100"], "only a sensor with a name"),
      (["a=mpu6050 rate=fast"], "--sensor a: rate fast: give hertz"), (["a=mpu6051"], "--sensor"),
      (["a=mpu6050@0x68", "b=mpu6050@0x68"], "a and b are the same chip"),
      (["a=mpu6050", "b=mpu6050"], "a and b are the same chip"),
      (["a=mpu6050 rate=1000 clock=grid", "b=lsm6dso rate=416"], "173 Hz or less of a"),
      (Array("abcdefghi").map { "\($0)=mpu6050" }, "a take has 8 sensors at most"),
    ] as [([String], String)])
  func refusals(sensors: [String], words: String) throws {
    let bench = Bench()
    let outcome = bench.run(
      Bench.simulated + ["--for", "1s"] + sensors.flatMap { ["--sensor", $0] })
    #expect(outcome.status != 0 && outcome.talk.contains(words), "\(outcome.talk)")
    #expect(bench.run("list").lines.count <= 1)
  }

  @Test("come in from one table, whose columns have a word for each")
  func imported() throws {
    let bench = Bench()
    let rows = (0..<50).map { row in
      "\(Double(row) / 100),0.\(row)1,0,1,9\(row < 10 || row > 40 ? ",,," : ",0.5,0.\(row)2,1")"
    }
    let header = "t_s,imu1_ax_g,imu1_ay_g,imu1_az_g,imu1_temp,foot_ax_g,foot_ay_g,foot_az_g"
    let path = bench.file("wide.csv", ([header] + rows).joined(separator: "\n") + "\n")
    let asked = bench.run("import", path)
    #expect(asked.status != 0 && asked.talk.contains("--take in place of --columns"))
    let outcome = bench.run("import", path, "--take")
    #expect(outcome.status == 0 && outcome.lines == ["1", "2"], "\(outcome.talk)")
    #expect(outcome.talk.contains("no axis of a sensor, and left out: imu1_temp"))
    #expect(bench.run("info", "1").output.contains("foot"))
    let lines = bench.run("export", "2", "--take", "--format", "csv", "--units", "g-dps").lines
    let table = lines.dropFirst().map { $0.split(separator: ",") }
    #expect(table.count { $0[0] == "imu1" } == 50)
    #expect(table.count { $0[0] == "foot" } == 31)
    for cells in table {
      let row = try #require(Int64(cells[1])) / 10_000_000
      let axis = try #require(Double(cells[cells[0] == "imu1" ? 2 : 3]))
      let wanted = try #require(Double("0.\(row)\(cells[0] == "imu1" ? 1 : 2)"))
      #expect(abs(axis - wanted) < 0.0001, "\(cells)")
    }
    // The unit of one sensor's rate is not stated, and no recording is made.
    let wrong = bench.file("wrong.csv", header + ",foot_gx\n" + rows.map { $0 + ",1\n" }.joined())
    #expect(bench.run("import", wrong, "--take").status != 0 && bench.recordings.count == 2)
    let one = bench.file("one.csv", "t_s,ax_g,ay_g,az_g\n0,0,0,1\n0.01,0,0,1\n")
    bench.refuses("import \(one) --take", 65, "has no columns of 2 to 8 sensors")
    bench.refuses(
      "import \(one) --take --each", 64, "leave a second file, --columns and --each out")
  }

  @Test("are one for a verb that looks at one")
  func single() throws {
    let outcome = Bench().run(
      "certify", "--board", "simulator", "--sensor", "a=mpu6050", "--sensor", "b=lsm6dso")
    #expect(outcome.status == 64 && outcome.talk.contains("give --sensor once"))
  }
}
