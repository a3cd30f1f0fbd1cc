// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing
import TestSupport

@Suite("The verdict on a recording", .waitsForPrograms)
struct ReviewCommandTests {
  @Test("--check reports the verdict on stdout and by the exit status")
  func check() throws {
    let bench = Bench()
    try bench.record("--for", "5s", "--rate", "100")
    let good = bench.run("info", "1", "--check")
    #expect(good.status == 0 && good.output == "good: 500 of 500 samples\n" && good.talk.isEmpty)
    // A range of 2 g cannot hold a full register.
    let table = bench.file("loud.csv", "t_us,ax,ay,az\n0,1,2,32767\n10000,1,2,3\n20000,1,2,3\n")
    try #require(bench.run("import", table, "--units", "raw").status == 0)
    #expect(bench.run("info", "2").lines.contains("certificate no certificate in this log"))
    #expect(try bench.run("info", "2", "--json").json()["certificate"] == .null)
    let flawed = bench.run("info", "2", "--check")
    #expect(flawed.status == 1 && flawed.talk.isEmpty)
    #expect(
      flawed.output == "flawed: accelerations are clipped in 1 sample, a larger range is needed\n")
    bench.directory.change("store/" + bench.recordings[0]) { $0.removeLast(40) }
    let cut = bench.run("info", "1", "--check")
    #expect(cut.status == 65 && cut.output.hasPrefix("damaged: ") && cut.talk.isEmpty)
    #expect(bench.run("info", "99", "--check").status == 66)
  }

  @Test("the last line of info is the verdict, and JSON has all of it")
  func info() throws {
    let bench = Bench()
    try bench.record("--for", "5s", "--rate", "100")
    let outcome = bench.run("info", "1")
    #expect(outcome.lines.last == "verdict     good: 500 of 500 samples")
    #expect(outcome.lines.contains("motion      still 5 s, moving 0 s, estimated"))
    #expect(outcome.lines.contains("achieved    100 Hz estimated"))
    #expect(outcome.lines.contains("certificate pass"))
    let certificate = try bench.run("info", "1", "--json").json()["certificate"]
    #expect(certificate["verdict"] == .string("pass"))
    #expect(try bench.run("export", "1").json()["certificate"] == certificate)
    let review = try bench.run("info", "1", "--json").json()["review"]
    review.expect(["verdict": "good", "clippedAccelerations": 0, "missing": 0])
    #expect(try bench.run("info", "1", "--json", "--check").json()["verdict"] == .string("good"))
  }

  @Test("a certificate that fails is named by info, show and the page, and flaws the recording")
  func failedCertificate() throws {
    let bench = Bench()
    // Half of gravity, as of a chip with twice the range.
    let motion = bench.file(
      "half.csv", "t_us,ax,ay,az,gx,gy,gz,temp\n0,1,2,4096,4,5,6,7\n1000,1,2,4096,4,5,6,7\n")
    try bench.record("--rate", "100", "--virtual-time", "--motion", motion, "--for", "5s")
    let sentence = "gravity 0.5 g, half: the chip has twice the range it is driven with"
    let info = bench.run("info", "1")
    #expect(info.lines.contains { $0.hasPrefix("certificate fail: \(sentence)") }, "\(info.lines)")
    let check = bench.run("info", "1", "--check").expect(1)
    #expect(check.lines.first?.contains("the sensor's certificate fails: \(sentence)") == true)
    #expect(bench.run("show", "1").lines[0].contains("the sensor's certificate fails: gravity"))
    #expect(bench.run("export", "1", "--format", "html").lines.contains { $0.contains(sentence) })
  }

  @Test(
    "info and verify show what dates the samples of a chip that keeps the time, and what proves it")
  func chipTimes() throws {
    let bench = Bench()
    try bench.record("--for", "5s", "--rate", "1000", "--clock", "chip")
    let info = bench.run("info", "1").lines
    for begin in [
      "chip clock  1002.", "instants    proved to ±",
      "assumed     drift up to 50 ppm/s, jitter up to 5 µs",
      "proved      0 lost unnoticed, 0 doubled",
    ] { #expect(info.contains { $0.hasPrefix(begin) }, "\(begin)") }
    #expect(info.contains { $0.contains(" ppm fast, proved to ") })
    let times = try bench.run("info", "1", "--json").json()["chipTimes"]
    times.expect(["findingCount": 0, "unprovedCount": 0, "assumptions.stamped": false])
    #expect(try bench.run("export", "1").json()["chipTimes"] == times)
    #expect(try bench.run("verify", "1", "--json").json()["chipTimes"] == times)
    #expect(bench.run("verify", "1").lines.contains("proved    0 lost unnoticed, 0 doubled"))
    #expect(times["stampCount"] == .integer(0))
    let slow = ["--for", "10s", "--sensor", "lsm6dso", "--rate", "104", "--clock", "chip"]
    bench.run(Bench.simulated + slow + ["--time-stamps"]).expect(0)
    let stamped = bench.run("info", "latest").lines
    #expect(stamped.contains { $0.hasPrefix("assumed ") && $0.hasSuffix(" time stamps") })
    let stamps = try bench.run("info", "latest", "--json").json()["chipTimes"]["stampCount"].integer
    #expect(stamps ?? 0 > 0)
    // Its readings contradict each other.
    let log = JSONSchemaTests.golden + "readings.imulog"
    try #require(bench.run("import", log).status == 0)
    let verify = bench.run("verify", "3").expect(65)
    #expect(
      verify.lines.contains(
        "epoch     FIFO reset between 0.105 s and 0.124 s: 107 to 108 missing, proved"))
    #expect(verify.lines.contains("finding   readings that contradict each other at 0 s, proved"))
    #expect(verify.talk.contains("contradict each other in 3 places"))
    #expect(bench.run("info", "3", "--check").status == 1)
  }
}
