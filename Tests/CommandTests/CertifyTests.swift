// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("imulog certify", .waitsForPrograms)
struct CertifyTests {
  @Test("prints a line for each finding and exits with 0 for the simulator's chips")
  func program() {
    let bench = Bench()
    for sensor in ["auto", "lsm9ds1"] {
      let outcome = bench.run("certify", "--board", "simulator", "--sensor", sensor).expect(0)
      #expect(outcome.lines.count == (sensor == "lsm9ds1" ? 27 : 28))
      #expect(outcome.lines.allSatisfy { $0.hasSuffix(")") })
      let open = outcome.lines.filter { !$0.hasPrefix("PASS  ") }
      #expect(open.allSatisfy { $0.hasPrefix("-     ") }, "\(open)")
      #expect(open.count == (sensor == "lsm9ds1" ? 7 : 1), "\(open)")
    }
  }

  @Test("exits with 75 for a chip that moves, with a sentence, and prints its document")
  func movedProgram() throws {
    let outcome = Bench().run("certify", "--board", "simulator", "--motion", "tumble", "--json")
      .expect(75, "the sensor moved: hold it still and run it again")
    let document = try JSON(outcome.bytes)
    #expect(document["verdict"] == .string("unknown") && document["isMoved"] == .bool(true))
  }

  @Test("exits with 1 for a chip of half of gravity")
  func failed() throws {
    let bench = Bench()
    let motion = bench.file(
      "still.csv", "t_us,ax,ay,az,gx,gy,gz,temp\n0,1,2,4096,4,5,6,7\n1000,1,2,4096,4,5,6,7\n")
    let outcome = bench.run("certify", "--board", "simulator", "--motion", motion).expect(1)
    #expect(outcome.lines.contains { $0.hasPrefix("FAIL  gravity") }, "\(outcome.lines)")
    #expect(outcome.talk.isEmpty)
  }

  @Test(
    "what cannot be done is refused in a sentence",
    arguments: [
      Refusal("certify --bus 77", 69, "I2C bus 77"),
      Refusal("certify --board simulator --bus 1", 64, "--bus 1: the simulator has no bus"),
      Refusal("certify --board simulator --sensor nope", 64, "--sensor nope", "auto"),
      Refusal("certify --bus 1 --motion still", 64, "--motion", "--board simulator"),
    ])
  func refused(refusal: Refusal) {
    expectSentence(Bench().run(refusal.arguments), refusal.status, refusal.words)
  }
}
