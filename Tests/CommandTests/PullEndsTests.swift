// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import TestSupport
import Testing

@Suite(
  "A far end of a pull that never completes a recording", .waitsForPrograms,
  .timeLimit(.minutes(60)))
struct PullEndsTests {
  private static let id = ExampleLog.description().id
  private static let zeros = String(repeating: "0", count: 64)
  /// A recording of some 200 kB.
  private static let log: [UInt8] = {
    do {
      return try ExampleLog(
        ticks: 600, flushEvery: 100, marksEvery: 3, marksAtOnce: 5, labelLength: 200
      ).bytes
    } catch {
      preconditionFailure("an example is a log: \(error)")
    }
  }()

  /// Shell lines that greet, list the log as `state` and read the request for it; `answer` follows.
  private static func script(_ state: String, _ answer: String) -> String {
    "echo imulog-pull 1 free; read request; echo recording 3 \(id) $(stat -c %s log) \(state) 0\n"
      + "echo end; read request; echo end; read verb uuid offset rest; \(answer)"
  }

  /// Ends the log's answer, and waits for one more request.
  private static let whole =
    "echo whole $(stat -c %s log) $(sha256sum < log | cut -d' ' -f1) complete; read request"

  /// Pulls from a far end that lists the log and sends `answer`.
  ///
  /// - Returns: The far end, and the pull's messages.
  private func pull(
    _ options: String = "--timeout 1s", state: String = "complete", log: [UInt8] = log,
    hasCopy: Bool = false, status: Int32, _ answer: String
  ) throws -> (far: ScriptedFarEnd, talk: String) {
    let far = try ScriptedFarEnd(PullEndsTests.script(state, answer))
    far.laptop.directory.write(log, to: "log")
    if hasCopy {
      let id = PullEndsTests.id.description.prefix(8)
      far.laptop.record(log, as: "000003-20261121T023807Z-\(id).imulog")
    }
    let outcome = far.pull(options).expect(status)
    return (far, outcome.talk)
  }

  @Test("with a different beginning at each connection has the partial copy set aside once")
  func otherBeginnings() throws {
    let (far, talk) = try pull(
      status: 74,
      "[ $offset = 0 ] || { echo prefix \(PullEndsTests.zeros); echo whole 0 \(PullEndsTests.zeros) complete\n"
        + "read request; }; echo bytes 90112; head -c 90112 log")
    #expect(talk.contains("beginning changed there for the second time"), "\(talk)")
    #expect(far.connections < 8)
    let names = far.laptop.directory.names(in: "store")
    #expect(names.count { $0.hasPrefix(".aside-") } == 1, "\(names)")
  }

  @Test("is given up when it ends at each request to free a large recording")
  func dyingFree() throws {
    let log = try ExampleLog(
      ticks: 1_200, flushEvery: 100, marksEvery: 1, marksAtOnce: 20, labelLength: 200
    ).bytes
    #expect(log.count > 4 << 20)
    let (far, talk) = try pull(
      "--then-free --timeout 1s", log: log, hasCopy: true, status: 75, "exit 0")
    #expect(far.connections < 8, "\(far.connections)")
    // The copies here are still reported.
    #expect(
      talk.contains("recording 3 is here as 3: it is not known whether it was freed there"),
      "\(talk)")
  }

  @Test(
    "is not given up while a followed recording grows by nothing for longer than the timeout")
  func slowTake() throws {
    var description = ExampleLog.description()
    description.syncInterval = 10_000_000
    let log = try ExampleLog(ticks: 300, description: description).bytes
    let (far, _) = try pull(
      "--follow --timeout 500ms", state: "running", log: log, status: 0,
      "echo bytes 5000; head -c 5000 log; for i in 1 2 3 4 5 6; do sleep 0.25; echo alive; done\n"
        + "echo bytes $(($(stat -c %s log) - 5000)); tail -c +5001 log\n" + PullEndsTests.whole)
    #expect(try RemoteBench.log(far.laptop) == log)
  }

  @Test("is not given up after a stop of this side that lasts longer than the timeout")
  func stopped() throws {
    let (far, _) = try pull(
      status: 0,
      "kill -STOP $PPID; sleep 2; kill -CONT $PPID; sleep 0.1; echo bytes $(stat -c %s log); cat log\n"
        + PullEndsTests.whole)
    #expect(try RemoteBench.log(far.laptop) == PullEndsTests.log)
  }
}
