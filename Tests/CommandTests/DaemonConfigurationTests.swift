// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("The service's configuration", .waitsForPrograms, .timeLimit(.minutes(60)))
struct DaemonConfigurationTests {
  @Test("at the start an error is reported with file and line, and the exit status is 78")
  func wrongAtStart() {
    let service = DaemonBench()
    let path = service.bench.file("wrong.conf", "# mine\n\nboard = pi\n")
    service.bench.refuses(
      "daemon --config \(path)", 78, "\(path):3: board = pi", "simulator", "raspberry-pi-4")
    #expect(access(service.socket, F_OK) != 0)
    #expect(service.bench.recordings.isEmpty)
    // One that does not exist is not read as an empty one.
    service.bench.refuses("daemon --config none.conf", 66, "none.conf")
  }

  @Test(
    "SIGHUP with a wrong file changes nothing and reports the error; a correct one is applied, to the sensor too"
  )
  func wrongReload() throws {
    let service = DaemonBench(["note": "old"])
    let child = try service.startArmed()
    service.configure(["note": "new", "rate": "fast"])
    child.signal(SIGHUP)
    let status = try service.wait(for: "armed") { $0["problem"].text == "configuration" }
    #expect(status["note"] == .string("old"))
    let said = child.said.split(separator: "\n").filter { $0.contains("\(service.configuration):") }
    #expect(said.count == 1, "\(child.said)")
    for word in ["rate = fast", "hertz", "the configuration before stays in force"] {
      #expect(said.first?.contains(word) == true, "\(said)")
    }
    // It records as before.
    try service.makeRecording()
    #expect(try service.bench.list()[0]["note"] == .string("old"))
    service.configure(["note": "new", "rate": "200", "sensor": "lsm6dso"])
    child.signal(SIGHUP)
    let mended = try service.wait(for: "armed") { $0["note"].text == "new" }
    mended.expect(["problem": .null, "sensor.model": "LSM6DSO"])
    try service.makeRecording()
    let json = try service.bench.run("info", "2", "--json").json()
    #expect(json["note"] == .string("new") && json["rate_hz"].double == 200)
    service.end(child)
  }

  @Test("lines that name sensors make a take of each press; SIGHUP with other lines another one")
  func take() throws {
    let service = DaemonBench([
      "sensor.left": "mpu6050@0x69", "sensor.right": "lsm6dso@0x6b rate=416 clock=chip axes=-z,y,x",
    ])
    let child = try service.startArmed()
    try service.makeRecording()
    let logs = try service.bench.list()
    #expect(logs.map { $0["sensorName"].text } == ["right", "left"])
    #expect(try service.bench.run("info", "2/right", "--json").json()["axes"].text == "-z,y,x")
    service.configure(["sensor.only": "mpu6050@0x68"])
    child.signal(SIGHUP)
    try service.wait(for: "armed") { $0["sensor"]["address"].double == 0x68 }
    try service.makeRecording()
    #expect(try service.bench.list().count == 3)
    service.end(child)
  }

  @Test(
    "a line that names no sensor is refused with its number",
    arguments: [
      ("sensor.Left = mpu6050", "\"Left\" is no name"),
      ("sensor.a = mpu6050 rate=fast", "rate fast: give hertz"),
      ("sensor.a = mpu6050 x", "\"x\" is not KEY=VALUE"),
      ("sensor.a = mpu6050 motion=turn", "motion is for record"),
      ("sensor.b = lsm6dso\nsensor.b = mpu6050", "b is the name of another sensor"),
      ("sensor.a = mpu6050\nsensor = auto", "keep those or this one"),
      ((0..<9).map { "sensor.s\($0) = mpu6050\n" }.joined(), "8 sensors at most"),
    ])
  func sensorLines(lines: String, words: String) {
    let service = DaemonBench()
    let path = service.bench.file("wrong.conf", "board = simulator\n\(lines)\n")
    let number = lines.split(separator: "\n").count + 1
    service.bench.refuses("daemon --config \(path)", 78, "wrong.conf:\(number): ", words)
  }

  @Test(
    "SIGHUP gives the time to the chip, and a rate that the chip lacks is a problem that names its nearest ones"
  )
  func chipClock() throws {
    let service = DaemonBench()
    let child = try service.startArmed()
    #expect(try service.status()?["chipClock"] == .null)
    service.configure(["clock": "chip", "rate": "300"])
    child.signal(SIGHUP)
    let status = try service.wait(for: "waking") { $0["problem"].text == "sensor" }
    #expect(status["failure"].text?.contains("ask for 250 or 333.33 Hz") == true, "\(status)")
    // Of the calendar's timer, too, whose unit counts 75 as a success.
    for words in [["start"], ["start", "--calendar"]] {
      expectSentence(service.bench.run(words), 69, ["see imulog status"])
    }
    service.configure(["clock": "chip", "rate": "100"])
    child.signal(SIGHUP)
    let clock = try service.wait(for: "armed") { $0["chipClock"] != .null }["chipClock"]
    #expect(abs((clock["rate_hz"].double ?? 0) - 100) < 5)
    #expect(child.said.contains("samples at 100 Hz by its own clock"), "\(child.said)")
    try service.makeRecording()
    #expect(try service.bench.run("info", "1", "--json").json()["chipTimes"] != .null)
    service.configure(["clock": "grid", "rate": "100"])
    child.signal(SIGHUP)
    try service.wait(for: "armed") { $0["chipClock"] == .null }
    service.end(child)
  }

  @Test("while idle the sensor may sleep: a request wakes it, and it sleeps again")
  func sleeping() throws {
    let service = DaemonBench(["while-idle": "sleep"])
    let child = service.start()
    let idle = try service.wait(for: "asleep")
    #expect(idle["sensor"] == .null)
    expectSentence(service.bench.run("keep"), 75, ["while-idle = sample"])
    try service.startRecording()
    try service.tell("stop")
    try service.wait(for: "asleep")
    #expect(try service.bench.list()[0]["complete"].isTrue)
    service.end(child)
  }

  @Test("without room for a recording beside the reserve none begins, and all existing ones stay")
  func noRoom() throws {
    let service = DaemonBench()
    try service.bench.record("--for", "1s")
    service.configure(["reserve": "8000000GB"])
    let child = try service.startArmed()
    service.bench.refuses("start", 73, "no room for a recording", service.bench.store)
    let status = try service.wait(for: "armed") { $0["problem"].text == "storageFull" }
    #expect(status["number"] == .null)
    let said = child.said
    for word in ["no room for a recording", service.bench.store] {
      #expect(said.contains(word), "\(said)")
    }
    // Deleting the one recording would not make room, so it is not advised.
    #expect(!said.contains("delete-oldest"), "\(said)")
    #expect(service.bench.recordings.count == 1)
    // The next recording with enough space clears the problem.
    service.configure([:])
    child.signal(SIGHUP)
    try waitUntil({ child.said.contains("is in force") })
    try service.wait(for: "armed")
    try service.startRecording()
    #expect(try service.status()?["problem"] == .null)
    service.end(child)
  }
}
