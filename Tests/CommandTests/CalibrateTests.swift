// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import TestSupport
import Testing

@Suite("A sensor is calibrated by its recordings", .waitsForPrograms)
struct CalibrateTests {
  private let bench = Bench()

  /// Six faces for 3 s each with a shaken second between, at 100 Hz: counts of an MPU-6050 at ±4 g and ±500 °/s whose
  /// offset is 41, −82 and 410 counts (5, −10, 50 mg). After six faces a turn about each axis, for 4 s between rests of 3 s.
  private func rows(_ count: Int) -> [String] {
    let faces = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    var rows = ["t_us,ax,ay,az,gx,gy,gz,temp"]
    func add(_ a: (Int, Int, Int), _ g: (Int, Int, Int)) {
      let time = 10_000 * (rows.count - 1)
      rows.append(
        "\(time),\(a.0 + 41),\(a.1 - 82),\(a.2 + 410),\(g.0 + 66),\(g.1 - 131),\(g.2),0")
    }
    for (x, y, z) in faces.prefix(count) {
      for _ in 0..<300 { add((8192 * x, 8192 * y, 8192 * z), (0, 0, 0)) }
      for index in 0..<100 {
        add((900 * (index % 9), -700 * (index % 7), 4000), (3000, -2000, 900))
      }
    }
    for axis in 0..<(count == 6 ? 3 : 0) {
      let up = (axis == 0 ? 8192 : 0, axis == 1 ? 8192 : 0, axis == 2 ? 8192 : 0)
      // 90 °/s for 4 s.
      let rate = (axis == 0 ? 5895 : 0, axis == 1 ? 5895 : 0, axis == 2 ? 5895 : 0)
      for index in 0..<1100 { add(up, 300..<700 ~= index ? rate : (0, 0, 0)) }
      for index in 0..<100 {
        add((900 * (index % 9), -700 * (index % 7), 4000), (3000, -2000, 900))
      }
    }
    return rows
  }

  private func faces(_ count: Int = 6) -> String {
    bench.file("faces\(count).csv", rows(count).joined(separator: "\n") + "\n")
  }

  private func recordFaces(_ count: Int = 6) throws {
    try bench.record(
      "--rate", "100", "--virtual-time", "--motion", faces(count), "--for",
      "\(4 * count + (count == 6 ? 36 : 0))s")
  }

  @Test("six faces give a file that a later recording keeps in its header")
  func kept() throws {
    try recordFaces()
    let file = bench.directory.path + "/left.cal"
    let made = bench.run("calibrate", "latest", "--name", "left shoe", "-o", file).expect(0)
    #expect(made.lines.contains("offset        x 5  y -10  z 50 mg"), "\(made.lines)")
    #expect(made.talk.contains("cross terms are not determined"))
    #expect(made.lines.contains("rate's scale  x 1  y 1  z 1"), "\(made.lines)")
    #expect(
      made.lines.contains { $0.hasPrefix("made at       100 Hz, 4 g, 500 °/s, ") }, "\(made.lines)")
    let json = try bench.run("calibrate", "latest", "--json").json()
    // What it was made of.
    let source = try bench.run("info", "latest", "--json").json()["id"].text
    #expect(json["number"].integer == 1 && json["id"].text == source)
    #expect(made.lines.first == "recording     1, \(source ?? "")", "\(made.lines)")
    #expect(json["missing"][0].text == "accelerometer.crossTerms" && json["turns"].integer == 3)
    let calibration = try SensorCalibration(text: bench.directory.text(of: "left.cal"))
    #expect(calibration.name == "left shoe" && calibration.sensor == "MPU-6050")
    try bench.record("--virtual-time", "--for", "1s", "--calibration", file, "--axes=-z,y,x")
    let info = try bench.run("info", "latest", "--json").json()
    #expect(info["calibration"]["name"].text == "left shoe" && info["axes"].text == "-z,y,x")
    #expect(info["calibration"]["id"].text == "\(calibration.id)")
    let plain = bench.run("info", "latest")
    #expect(plain.lines.contains { $0.hasPrefix("calibration left shoe") }, "\(plain.lines)")
    let export = try bench.run("export", "latest").json()
    export.expect(["calibration.accelerometer.points": 12, "axes": "-z,y,x"])
    // Of another chip it is left out.
    bench.run(Bench.simulated + ["--sensor", "lsm6dso", "--for", "1s", "--calibration", file])
      .expect(0, "is of MPU-6050, and the chip is LSM6DSO")
    #expect(try bench.run("info", "latest", "--json").json()["calibration"] == .null)
    // A file that cannot be written does not cost the result.
    let full = bench.run("calibrate", "1", "-o", "/dev/full")
    #expect(full.status == 74 && full.lines.contains("offset        x 5  y -10  z 50 mg"))
    #expect(full.talk.contains("cannot write /dev/full: No space left on device"), "\(full.talk)")
    #expect(full.talk.contains("choose another -o FILE") && !full.talk.contains("--store"))
  }

  @Test(
    "axes are said to be the chip's where the recording has a mounting, or one that is not read")
  func mounting() throws {
    try bench.record(
      "--rate", "100", "--virtual-time", "--motion", faces(5), "--for", "20s", "--axes=-z,y,x")
    let words = "axes are the chip's, not those of the mounting -z,y,x"
    #expect(bench.run("calibrate", "1").talk.contains(words))
    #expect(try bench.run("calibrate", "1", "--json").json()["remarks"][0].text == words)
    let later = Bench()
    try later.recordUnreadableAxes()
    let shown = later.run("show", "1")
    #expect(shown.status == 0 && shown.lines[0].contains("axes of the chip"), "\(shown.output)")
  }

  @Test("show draws calibrated values on request, in the mounting's axes, and says so")
  func shown() throws {
    try recordFaces()
    let file = bench.directory.path + "/left.cal"
    try #require(bench.run("calibrate", "1", "--name", "left shoe", "-o", file).status == 0)
    let plain = bench.run("show", "1")
    let shown = bench.run("show", "1", "--calibration", file).expect(0)
    #expect(shown.lines[0].contains("calibrated (left shoe)"), "\(shown.lines[0])")
    #expect(shown.talk.contains("the values of the accelerometer and gyroscope are calibrated"))
    #expect(!plain.lines[0].contains("calibrated") && plain.lines != shown.lines)
    bench.refuses("show 1 --calibrated", 64, "no calibration", "with --calibration")
    bench.refuses("show 1 --calibration /nonexistent", 66, "/nonexistent")
    // A table with the range's end in it says so when it is calibrated.
    let rows = (0..<200).map { "\($0 * 10_000),\($0 == 7 ? 32767 : $0 % 5),3,8192,1,2,3\n" }
    let table = bench.file("rail.csv", "t_us,ax,ay,az,gx,gy,gz\n" + rows.joined())
    bench.run("import", table, "--accel-lsb-per-g", "8192", "--gyro-lsb-per-dps", "65.5").expect(0)
    let own = bench.file(
      "own.cal",
      bench.directory.text(of: "left.cal").replacing("sensor MPU-6050", with: "sensor imported"))
    bench.run("show", "latest", "--calibration", own).expect(
      0, "the true ones are further from zero")
    let child = bench.atTerminal(["show", "1", "--calibration", file], columns: 120)
    #expect(child.waits(for: "calibrated (left shoe)"))
    child.quit()
  }

  @Test("a calibration in a header that no sensor can have is applied nowhere, with one sentence")
  func implausible() throws {
    var description = ExampleLog.description()
    description.calibration = SensorCalibration(
      id: RecordingID(high: 1, low: 2), name: "shoe", sensor: description.sensor.model, made: 0,
      accelerometer: SensorCalibration.Accelerometer(
        offset: Vector3(0, 0, -1.5), matrix: .identity, points: 9, residual: (0.1, 0)))
    let file = "wild.imulog"
    bench.directory.write(try ExampleLog(ticks: 200, description: description).bytes, to: file)
    try #require(bench.run("import", bench.directory.path + "/" + file).status == 0)
    let words = [
      "the calibration shoe is implausible: accelerometer-offset has -1.5 g", "--calibration",
    ]
    for line in [
      ["export", "1", "--calibrated"], ["export", "1", "--calibrated", "--format", "html"],
      ["export", "1", "--calibrated", "--format", "html", "--analysis", "-o", "p.html"],
      ["show", "1", "--calibrated"],
    ] {
      expectSentence(bench.run(line), 65, words)
    }
    #expect(!TemporaryDirectory.names(at: bench.directory.path).contains("p.html"))
    for line in [["export", "1"], ["show", "1"], ["info", "1"]] {
      #expect(bench.run(line).status == 0, "\(line)")
    }
  }

  @Test("without an ID it guides on the terminal, and calibrates by the recording that it made")
  func guided() throws {
    let child = bench.atTerminal([
      "calibrate", "--board", "simulator", "--name", "left shoe", "-o", "left.cal",
    ])
    #expect(child.waits(for: "lay it so that +x points up"))
    #expect(child.waits(for: "+z up, still for 2"))
    #expect(child.waits(for: "taken, go on"))
    child.type("s")
    #expect(child.status() == 1)
    #expect(child.isAsBefore)
    #expect(child.terminal.text.contains("rate at rest"), "\(child.terminal.text)")
    #expect(child.terminal.text.contains("still in 1 of 6"), "\(child.terminal.text)")
    #expect(try bench.run("info", "1", "--json").json()["note"].text == "left shoe")
    let calibration = try SensorCalibration(text: bench.directory.text(of: "left.cal"))
    #expect(calibration.accelerometer == nil && calibration.gyroscope?.offset != nil)
    #expect(calibration.name == "left shoe")
  }

  @Test("without a terminal there is no guide, and with an ID no sensor to choose")
  func noGuide() {
    let inventory = bench.inventory()
    bench.refuses("calibrate --board simulator", 64, "terminal", "ssh -t", "ID")
    bench.refuses("calibrate 1 --board simulator", 64, "--board and the ID exclude each other")
    bench.refuses("calibrate 1 -o -", 64, "-o takes a file")
    #expect(bench.inventory() == inventory)
    // Nor is there one whose result would be refused.
    let notes = bench.file("notes.txt", "left shoe")
    let child = bench.atTerminal(["calibrate", "--board", "simulator", "-o", notes])
    #expect(child.status() == 73)
  }

  @Test("what cannot be determined is refused, leaves no file, and replaces none that has more")
  func refusals() throws {
    try recordFaces(5)
    let file = bench.directory.path + "/no.cal"
    let partial = bench.run("calibrate", "1", "--json").expect(1)
    #expect(try partial.json()["calibration"]["accelerometer"] == .null)
    #expect(partial.talk.contains("still in 5 of 6 poses"), "\(partial.talk)")
    #expect(partial.talk.contains("−z never pointed up"), "\(partial.talk)")
    #expect(!bench.run("calibrate", "1").lines.contains { $0.hasPrefix("rate's scale") })
    for (name, words) in [
      (
        bench.calibration(),
        "lacks its accelerometer, accelerometer.crossTerms, accelerometer.drift"
      ),
      (bench.file("notes.txt", "left shoe"), "cannot be read as a calibration"),
    ] {
      let before = bench.inventory()
      bench.run("calibrate", "1", "-o", name).expect(
        73, "stays as it is", words, "another -o FILE", "--force")
      #expect(bench.inventory() == before)
      bench.run("calibrate", "1", "-o", name, "--force").expect(
        1, "wrote \(name); use it with `imulog record --calibration \(name)`", "−z never pointed up"
      )
      // It has as much now.
      bench.run("calibrate", "1", "-o", name).expect(1)
    }
    try bench.record("--rate", "100", "--virtual-time", "--motion", "tumble", "--for", "5s")
    let inventory = bench.inventory()
    bench.refuses("calibrate 2 -o \(file)", 65, "still in 0 of 6", "six faces", "never still")
    #expect(bench.inventory() == inventory)
    bench.refuses("calibrate 9", 66, "no recording 9")
    expectSentence(bench.run("calibrate", "1", "--name", ""), 64, ["--name"])
    bench.run("calibrate", "1", "-o", "/nonexistent/x.cal").expect(
      73, "cannot make /nonexistent/x.cal", "−z never pointed up")
  }

  @Test(
    "the status is 0 for offset and scale of all that is recorded, 1 for a part, 65 for nothing")
  func status() throws {
    let table = rows(6).map { $0.split(separator: ",").map(String.init) }
    for (columns, status, words) in [
      ([1, 2, 3, 4, 5, 6], 0, "cross terms are not determined"), ([1, 2, 3], 0, "cross terms"),
      ([1, 2, 3, 6], 1, "gx, gy are not recorded"), ([1, 2], 65, "az is not recorded"),
    ] {
      let rows = table.map { row in columns.map { row[$0] }.joined(separator: ",") }
      let file = bench.file("part.csv", rows.joined(separator: "\n") + "\n")
      let imported = bench.run(
        "import", file, "--rate", "100", "--accel-lsb-per-g", "8192", "--gyro-lsb-per-dps", "65.5")
      try #require(imported.status == 0, "\(imported.talk)")
      let made = bench.run("calibrate", "latest")
      #expect(made.status == Int32(status), "\(columns): \(made.talk)")
      #expect(made.talk.contains(words), "\(columns): \(made.talk)")
    }
  }

  @Test("of a damaged recording what can be read is used, with the status 1")
  func damaged() throws {
    try recordFaces()
    bench.directory.change(try bench.logName()) { $0[$0.count - 4096 + 100] ^= 0xff }
    let made = bench.run("calibrate", "1").expect(1, "damaged in 1 place, and")
    #expect(made.lines.contains { $0.hasPrefix("rate at rest") }, "\(made.lines)")
  }

  @Test("a magnetometer that was turned is calibrated, kept, and refused where it was not")
  func magnetometer() throws {
    let record =
      Bench.simulated + ["--sensor", "icm20948", "--field", "50", "--rate", "100", "--for", "60s"]
    bench.run(record + ["--motion", "turn"]).expect(0)
    let file = bench.directory.path + "/field.cal"
    let made = bench.run("calibrate", "1", "-o", file).expect(1, "still in 1 of 6 poses")
    #expect(made.lines.contains { $0.hasPrefix("hard iron     x ") }, "\(made.lines)")
    // The simulated field points 60.9° down.
    #expect(made.lines.contains { $0.hasSuffix("dip 61°") }, "\(made.lines)")
    let json = try bench.run("calibrate", "1", "--json").json()
    let calibration = try SensorCalibration(text: bench.directory.text(of: "field.cal"))
    let field = try #require(calibration.field)
    #expect(calibration.accelerometer == nil && calibration.sensor == "ICM-20948")
    #expect(json["calibration"]["field"]["offset_ut"][0].double == field.offset.x)
    bench.run(record + ["--motion", "tumble", "--calibration", file]).expect(0)
    let info = try bench.run("info", "2", "--json").json()
    #expect(info["calibration"]["field"]["matrix"][1][1].double == field.matrix.rows[1].y)
    // About one axis alone the field never comes along it.
    bench.run("calibrate", "2").expect(
      65, "the magnetometer is not calibrated: the field never was along")
  }

  @Test("a file that is not a calibration is refused before recording")
  func badFiles() throws {
    let bad = bench.file("bad.cal", "imulog-calibration 1\nid x\nend\n")
    _ = bench.calibration()
    _ = bench.file("wild.cal", "")
    let inventory = bench.inventory()
    let record = "record --board simulator --virtual-time --for 1s --calibration"
    bench.refuses("\(record) \(bad)", 65, "bad.cal", "`id`", "imulog calibrate")
    bench.refuses("\(record) /dev/zero", 66, "/dev/zero")
    let text = bench.directory.text(of: "all.cal")
    let wild = bench.file("wild.cal", text.replacing("1.02 0.013 -0.008", with: "3 0 0"))
    bench.refuses("\(record) \(wild)", 65, "wild.cal", "accelerometer-", "accepted")
    bench.refuses("\(record) /nonexistent", 66, "/nonexistent")
    #expect(bench.inventory() == inventory)
  }
}

extension Bench {
  /// A file with a calibration of an MPU-6050 that has every part.
  func calibration() -> String {
    file(
      "all.cal",
      """
      imulog-calibration 1
      id 0102030a-0506-4708-890a-0b0c0d0e0f10
      name left shoe
      sensor MPU-6050
      made 1767225600000000000
      accelerometer-offset 0.031 -0.052 0.12
      accelerometer-matrix 1.02 0.013 -0.008 0 0.97 0.021 0 0 1.05
      accelerometer-residual 0.08 0.001
      accelerometer-points 60
      accelerometer-drift 25 18 41 1 0.001 -0.002 0.0005
      gyroscope-offset -1.2 0.4 2.7
      gyroscope-scale 1.01 0.985 1.02
      gyroscope-drift 25 18 41 2 0.01 0 -0.02 0.001 0.03 0
      field-offset 12.25 -30.5 8.125
      field-matrix 1.02 0.013 -0.008 0.011 0.97 0.021 0 0 1.01
      end

      """)
  }
}
