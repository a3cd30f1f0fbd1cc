// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing
import TestSupport

/// A word that follows an option is its value, also with a - in front: an axis, a note, a number that is too low.
@Suite("A value may begin with a dash", .waitsForPrograms)
struct DashTests {
  private let bench = Bench()

  @Test("a mounting is written as the help has it, and a note and a name as they are")
  func values() throws {
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

  @Test(
    "a value that is too low is named, and not missed",
    arguments: [
      Refusal("analyze 1 --band -1..5", 64, "-1..5"),
      Refusal("pull host --timeout -5s", 64, "-5s"),
      Refusal("pull host --jobs -1", 64, "at least 1"),
      Refusal("hub DIR/fleet --timeout -5s", 64, "-5s"),
      Refusal("hub DIR/fleet --jobs -1", 64, "at least 1"),
      Refusal("daemon --board simulator --pre-trigger -5s", 64, "-5s"),
      Refusal("import DIR/none --columns -ax=1", 64, "-ax"),
      Refusal("import DIR/none --units -g", 64, "-g"),
    ])
  func refusals(_ refusal: Refusal) {
    let path = bench.directory.path
    let outcome = bench.run(refusal.arguments.map { $0.replacing("DIR", with: path) })
    expectSentence(outcome, refusal.status, refusal.words)
    #expect(!outcome.talk.contains("missing value"), "\(outcome.talk)")
  }
}
