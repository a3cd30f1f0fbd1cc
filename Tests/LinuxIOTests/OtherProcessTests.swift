// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxIO
import TestSupport
import Testing

@Suite("A program that another one runs")
struct OtherProcessTests {
  private static let minute: Int64 = 60_000_000_000

  /// As the program does: writing to one that has ended fails with an errno.
  init() { signal(SIGPIPE, SIG_IGN) }

  private func ending(
    _ script: String, _ input: String = "", within nanoseconds: Int64 = minute
  ) throws -> OtherProcess.Ending {
    // Its start must not copy the locks that other tests release.
    let process = try ProgramStart.perform { try OtherProcess("sh", ["-c", script]) }
    let isTaken = process.offer(Array(input.utf8))
    #expect(isTaken)
    return process.finish(within: nanoseconds)
  }

  @Test("its status, what it wrote, and its last words are kept")
  func whole() throws {
    let ending = try ending("cat; echo a >&2; echo \"b c\" >&2; exit 3", "x\ny")
    #expect(ending.status == 3)
    #expect(!ending.isLate)
    #expect(ending.output == Array("x\ny".utf8))
    #expect(ending.lastLine == "b c")
    #expect(ending.trouble == "ended with status 3: b c")
    #expect(try self.ending("true").trouble == nil)
  }

  @Test("everything that it wrote before its end is read, more than a pipe holds")
  func long() throws {
    let ending = try ending("seq 1 400000; seq 40001 40100 >&2")
    #expect(ending.status == 0)
    #expect(ending.output == Array((1...400_000).map { "\($0)\n" }.joined().utf8))
    #expect(ending.lastLine == "40100")
  }

  @Test("its end counts: it may close its outputs before, and leave others writing without end")
  func endCounts() throws {
    let early = try ending("exec >&- 2>&-; cat >/dev/null; exit 4", "x")
    #expect(early.status == 4)
    #expect(!early.isLate)
    let noisy = try ending("yes & yes >&2 & exit 5")
    #expect(noisy.status == 5)
    #expect(!noisy.isLate)
  }

  @Test("one that takes too long is ended, with all that it started")
  func late() throws {
    let ending = try ending("echo begun >&2; yes & sleep 600", within: 300_000_000)
    #expect(ending.isLate)
    #expect(ending.trouble == "took too long, and was ended: begun")
  }

  @Test("one that has ended takes nothing, and that stops no one")
  func ended() throws {
    let process = try ProgramStart.perform { try OtherProcess("true", []) }
    while !process.hasEnded { sched_yield() }
    let isTaken = process.offer([1, 2, 3])
    #expect(!isTaken)
    #expect(process.finish(within: OtherProcessTests.minute).status == 0)
  }

  @Test("a program that is not there is named, with what to install")
  func missing() {
    let error = #expect(throws: LinuxIOError.self) { _ = try OtherProcess("no-such-program", []) }
    #expect(error?.place == "no-such-program")
  }
}
