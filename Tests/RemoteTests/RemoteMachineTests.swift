// SPDX-License-Identifier: Apache-2.0

import IMUModel
@testable import Remote
import Testing

@Suite("What a machine reports about itself")
struct RemoteMachineTests {
  private typealias Facts = [(name: String, value: String)]

  private static let machine = RemoteMachine(
    software: "0.1.0", wall: WallTime(nanoseconds: -7, isSynchronised: true), freeBytes: .max,
    recorder: "armed", problem: "no sensor")

  @Test("arrives as it was sent, with everything or with what must be there")
  func both() {
    #expect(RemoteMachine(RemoteMachineTests.machine.facts) == RemoteMachineTests.machine)
    let least = RemoteMachine(
      software: "0.1.0", wall: WallTime(nanoseconds: .min, isSynchronised: false), freeBytes: nil,
      recorder: nil, problem: nil)
    #expect(RemoteMachine(least.facts) == least)
    #expect(least.facts.count == 3)
  }

  @Test("is nothing without a version or a clock, or with nonsense for a number")
  func nonsense() {
    let right = RemoteMachineTests.machine.facts
    for name in ["software", "time"] {
      #expect(RemoteMachine(right.filter { $0.name != name }) == nil, "\(name)")
    }
    for (name, value) in [
      ("time", "1.5"), ("time", "9223372036854775808"), ("free", "-1"), ("free", ""),
      ("free", "18446744073709551616"),
    ] {
      let facts: Facts = right.map { $0.name == name ? (name, value) : $0 }
      #expect(RemoteMachine(facts) == nil, "\(name) \(value)")
    }
    #expect(RemoteMachine(right + [("of a later version", "x")]) == RemoteMachineTests.machine)
  }

  @Test("fits into lines that the other side reads, however long its problem is")
  func long() throws {
    for character in ["a", " ", "ø", "漢", "👩‍👩‍👧‍👧", "\n"] as [Character] {
      var machine = RemoteMachineTests.machine
      machine.problem = String(repeating: character, count: 5000)
      let lines = machine.facts.map { PullReply.fact($0.name, $0.value).line }
      #expect(lines.allSatisfy { $0.utf8.count <= PullLine.longest }, "\(character)")
      let facts: Facts = try lines.map { line in
        guard case .fact(let name, let value) = try #require(PullReply(line: line)) else {
          return ("", "")
        }
        return (name, value)
      }
      #expect(RemoteMachine(facts)?.problem?.isEmpty == false, "\(character)")
    }
  }

  @Test("its clock is ahead by the difference, at most by what 64 bits hold")
  func clockOffset() {
    func offset(_ there: Int64, asked: Int64? = nil, _ here: Int64) -> Int64 {
      var machine = RemoteMachine(
        software: "", wall: WallTime(nanoseconds: there, isSynchronised: false), freeBytes: nil,
        recorder: nil, problem: nil)
      machine.asked = asked.map { WallTime(nanoseconds: $0, isSynchronised: true) }
      return machine.clockOffset(now: WallTime(nanoseconds: here, isSynchronised: true))
    }
    // Any clock between the question and the answer may be right.
    #expect(offset(5, asked: 2, 9) == 0)
    #expect(offset(2, asked: 2, 9) == 0)
    #expect(offset(9, asked: 2, 9) == 0)
    #expect(offset(11, asked: 2, 9) == 2)
    #expect(offset(-3, asked: 2, 9) == -5)
    #expect(offset(5, 2) == 3)
    #expect(offset(-5, 2) == -7)
    #expect(offset(.max, -1) == .max)
    #expect(offset(.min, 1) == .min)
  }

  @Test("whether ssh shows the host's key changes nothing of the route that a request went")
  func route() {
    var connection = SSHConnection(program: "ssh")
    connection.port = "22"
    let plain = connection.route(to: "pi@pump")
    connection.showsHostKey = true
    #expect(connection.arguments(host: "pi@pump").contains("VisualHostKey=yes"))
    #expect(connection.route(to: "pi@pump") == plain)
  }
}
