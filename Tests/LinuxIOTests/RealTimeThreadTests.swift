// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxIO
import LinuxIOTestSupport
import Synchronization
import Testing

/// A value that cannot be copied, as a sampler is.
private struct Cargo: ~Copyable {
  var sum = 0
  var name = ""
  var blocked: [Bool] = []
  let log: Log?

  init(log: Log? = nil) { self.log = log }

  deinit { log?.ends.add(1, ordering: .relaxed) }
}

private final class Log: Sendable {
  let ends = Atomic<Int>(0)
}

@Suite("A real-time thread")
struct RealTimeThreadTests {
  @Test("works on the value moved into it and returns it")
  func movesAndJoins() throws {
    let log = Log()
    let running = try RealTimeThread(name: "imu-test").run(moving: Cargo(log: log)) { cargo in
      for number in 1...1000 { cargo.sum += number }
      cargo.name = line(of: "/proc/thread-self/comm")
    }
    let cargo = running.join()
    let (sum, name) = (cargo.sum, cargo.name)
    #expect(sum == 500_500)
    #expect(name == "imu-test")
    #expect(log.ends.load(ordering: .relaxed) == 0)
    _ = consume cargo
    #expect(log.ends.load(ordering: .relaxed) == 1)
  }

  @Test("that is dropped waits for its work and destroys the moved value once")
  func droppedAtWork() throws {
    let log = Log()
    func drop() throws {
      _ = try RealTimeThread(name: "imu-test").run(moving: Cargo(log: log)) { $0.sum = 1 }
    }
    try drop()
    #expect(log.ends.load(ordering: .relaxed) == 1)
  }

  @Test("that is dropped without work ends")
  func droppedUnused() throws {
    for _ in 0..<100 { _ = try RealTimeThread(name: "imu-unused") }
    // A thread that was joined leaves the kernel's list a moment later.
    #expect(comes(within: 10) { threads(named: "imu-unused") == 0 })
  }

  @Test("that is abandoned ends when its work does")
  func leftBehind() throws {
    let log = Log()
    try RealTimeThread(name: "imu-left").run {
      while log.ends.load(ordering: .acquiring) == 0 { sched_yield() }
    }.leaveBehind()
    #expect(comes(within: 10) { threads(named: "imu-left") == 1 })
    log.ends.store(1, ordering: .releasing)
    #expect(comes(within: 10) { threads(named: "imu-left") == 0 })
  }

  @Test("that does not end in time is abandoned, with the moved value")
  func late() throws {
    let (log, cargo) = (Log(), Log())
    let thread = try RealTimeThread(name: "imu-late").run(moving: Cargo(log: cargo)) { _ in
      while log.ends.load(ordering: .acquiring) == 0 { sched_yield() }
    }
    let isDone = thread.join(within: 1_000_000)
    #expect(!isDone)
    #expect(comes(within: 10) { threads(named: "imu-late") == 1 })
    log.ends.store(1, ordering: .releasing)
    #expect(comes(within: 10) { threads(named: "imu-late") == 0 })
    #expect(cargo.ends.load(ordering: .relaxed) == 0)
  }

  @Test("that ends in time is joined, and the moved value is destroyed")
  func inTime() throws {
    let log = Log()
    let thread = try RealTimeThread(name: "imu-quick").run(moving: Cargo(log: log)) { _ in }
    let isDone = thread.join(within: 60_000_000_000)
    #expect(isDone)
    #expect(log.ends.load(ordering: .relaxed) == 1)
    #expect(comes(within: 10) { threads(named: "imu-quick") == 0 })
  }

  @Test("reports when its work is done")
  func finished() throws {
    let log = Log()
    let running = try RealTimeThread(name: "imu-test").run {
      while log.ends.load(ordering: .acquiring) == 0 { sched_yield() }
    }
    let early = running.isFinished
    #expect(!early)
    log.ends.store(1, ordering: .releasing)
    while !running.isFinished { sched_yield() }
    running.join()
  }

  @Test("keeps 15 bytes of its name, whole characters only")
  func longName() throws {
    for (name, kept) in [
      ("imu-sampler-of-sensor", "imu-sampler-of-"), ("imu-probe-abcdé", "imu-probe-abcd"),
    ] {
      let running = try RealTimeThread(name: name).run(moving: Cargo()) { cargo in
        cargo.name = line(of: "/proc/thread-self/comm")
      }
      let cargo = running.join()
      let found = cargo.name
      #expect(found == kept)
    }
  }

  @Test("receives no signals but those of crashes")
  func signals() throws {
    // A thread inherits its maker's signals, and a test's thread may have blocked some already.
    var (none, previous) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    let running = try RealTimeThread(name: "imu-test").run(moving: Cargo()) { cargo in
      var set = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &set)
      cargo.blocked = [SIGINT, SIGTERM, SIGUSR1, SIGSEGV, SIGPIPE].map {
        sigismember(&set, $0) == 1
      }
    }
    let cargo = running.join()
    let blocked = cargo.blocked
    #expect(blocked == [true, true, true, false, false])
  }

  @Test("that asks for nothing gets ordinary scheduling, without a refusal")
  func ordinary() throws {
    let thread = try RealTimeThread(name: "imu-test")
    let scheduling = thread.scheduling
    #expect(scheduling.asked == nil && scheduling.granted == nil && scheduling.refusal == nil)
    #expect(scheduling.description == "ordinary scheduling")
  }

  /// What a thread that asks for a priority reports, its policy, and the slack of its timers.
  private func scheduled(
    _ priority: Int32
  ) throws -> (report: SchedulingReport, policy: Int32, slack: Int32) {
    let running = try RealTimeThread(name: "imu-test", priority: priority).run(moving: [Int32]()) {
      $0 = [sched_getscheduler(0), timer_slack()]
    }
    let report = running.scheduling
    let found = running.join()
    return (report, found[0] & 0xFF, found[1])
  }

  @Test("has the class that it reports, and sharp timers where that class was refused")
  func askedFor() throws {
    let (report, policy, slack) = try scheduled(1)
    if report.granted == 1 {
      #expect(policy == SCHED_FIFO && report.refusal == nil && report.description == "fifo 1")
    } else {
      #expect(policy == SCHED_OTHER && slack == 1 && report.refusal != nil)
    }
  }

  @Test("that asks for an impossible priority works with ordinary scheduling and says why")
  func impossible() throws {
    let (report, policy, slack) = try scheduled(100)
    #expect(policy == SCHED_OTHER && slack == 1)
    #expect(report.granted == nil && report.refusal?.errno == EINVAL)
    #expect(report.description == "no fifo 100")
  }

  @Test(
    "without the right to real-time scheduling gets what the limit permits and reports the remedy")
  func notPermitted() throws {
    // Threads inherit the rights of the thread that makes them, so the right is dropped in one.
    let running = try RealTimeThread(name: "imu-test").run(moving: [SchedulingReport]()) {
      reports in
      guard drop_scheduling_right() == 0 else { return }
      do throws(LinuxIOError) {
        let thread = try RealTimeThread(name: "imu-inner", priority: 80)
        reports.append(thread.scheduling)
      } catch {
        Issue.record("\(error)")
      }
    }
    let reports = running.join()
    try #require(reports.count == 1)
    // The hard limit of the machine decides: 0 on most, 95 for members of Debian's group audio.
    if reports[0].granted == 80 {
      #expect(reports[0].refusal == nil)
    } else {
      #expect(reports[0].refusal?.errno == EPERM)
      let sentence = reports[0].refusal?.description ?? ""
      #expect(sentence.hasPrefix("real-time scheduling (SCHED_FIFO 80) was refused (errno 1,"))
      #expect(sentence.contains("LimitRTPRIO=80"))
      #expect(sentence.contains("ulimit -r"))
    }
  }

  @Test("that cannot be made throws")
  func tooMuch() throws {
    let error = try #require(throws: LinuxIOError.self) {
      _ = try RealTimeThread(name: "imu-test", stackSize: 1)
    }
    #expect(error.errno == EINVAL)
    #expect(error.place == "imu-test")
  }
}
