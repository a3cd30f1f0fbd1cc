import Glibc
import LinuxIOTestSupport
import LogStoreTesting
import Testing
import TestScheduling

/// A thread of the program that the kernel does not run, as in a transfer to a card or on a bus that hangs.
final class HeldThread {
  private let thread: pid_t

  /// What is said where tracing is not permitted.
  struct Refusal: Error, CustomStringConvertible {
    let code: Int32
    var description: String { "tracing is not permitted (errno \(code))" }
  }

  /// Why no thread can be held here, if none can.
  static let refusal: String? = {
    let child = Bench().start(["record", "--board", "simulator", "--until-stopped"])
    do {
      try HeldThread("imu-writer", of: child).release()
      return nil
    } catch {
      return "\(error)"
    }
  }()

  static let isPossible = refusal == nil
  static let reason = "needs to hold a thread: \(refusal ?? "it can")"

  /// Holds the thread of that name, as soon as there is one.
  init(_ name: String, of child: borrowing Child) throws {
    let pid = child.pid
    var thread: pid_t = -1
    try waitUntil(
      {
        thread = hold_thread(pid, name)
        return thread >= 0 || errno != ESRCH
      }, else: "never a thread \(name)")
    if thread < 0 { throw Refusal(code: errno) }
    self.thread = thread
  }

  /// Lets it run.
  func release() { release_thread(thread) }

  /// Waits until it is gone with its process, whose end others see only then.
  func waitForEnd() { wait_for_thread(thread) }
}

@Suite(
  "Hangs of card and bus", .waitsForPrograms, .timeLimit(.minutes(15)),
  .enabled(if: HeldThread.isPossible, Comment(rawValue: HeldThread.reason)))
struct HangTests {
  private let bench = Bench()

  private func record() -> Child {
    bench.start([
      "record", "--board", "simulator", "--rate", "100", "--sync-every", "50ms", "--until-stopped",
    ])
  }

  /// Waits until the program has said it. If it never does, its thread is released: nothing else could end it.
  private func wait(_ child: borrowing Child, _ held: HeldThread, says words: String) throws {
    do {
      try waitUntil({ child.said.contains(words) }, else: "never \(words): \(child.said)")
    } catch {
      held.release()
      throw error
    }
  }

  /// Waits until samples are on the card: a recording whose file has just got its name is not yet one to the program.
  private func waitForSamples() throws {
    try waitUntil({ !bench.recordings.isEmpty })
    try waitUntil({ try bench.list().first?["samples"].integer ?? 0 >= 10 })
  }

  @Test(
    "a signal ends record 20 s later when the card hangs, and what is on it is there",
    arguments: [SIGINT, SIGTERM])
  func heldFlusher(_ signal: Int32) throws {
    let child = record()
    try waitForSamples()
    let held = try HeldThread("imu-flusher", of: child)
    child.signal(signal)
    try wait(child, held, says: "waits for the card, up to 20 s")
    try wait(
      child, held,
      says: "did not take the end of recording 1 in 20 s; what is on it will be recovered")
    held.waitForEnd()
    let outcome = child.outcome()
    #expect(outcome.status == 74)
    #expect(outcome.bytes.isEmpty)
    #expect(try bench.list().map { $0["state"] } == [.string("recovered")])
  }

  @Test(
    "a signal ends record when the card does not even make the file, and nothing is said to be kept"
  )
  func heldStore() throws {
    try bench.record("--for", "1s")
    let lock = try #require(StoreLock(bench))
    let child = record()
    // While it waits for the lock, for which it would not wait for ever.
    try waitUntil({ hasOpen("/.lock", child) })
    let held = try HeldThread("imu-flusher", of: child)
    try wait(child, held, says: "waits for the card; Ctrl-C gives it 20 s")
    child.signal(SIGTERM)
    try wait(
      child, held,
      says:
        "the card did not make the recording's file in 20 s, and nothing of the recording is kept")
    held.waitForEnd()
    #expect(child.outcome().status == 74)
    withExtendedLifetime(lock) {}
    #expect(bench.recordings.count == 1)
  }

  private func hasOpen(_ name: String, _ child: borrowing Child) -> Bool {
    let directory = "/proc/\(child.pid)/fd"
    var target = [CChar](repeating: 0, count: 4096)
    return TemporaryDirectory.names(at: directory).contains { descriptor in
      let count = readlink(directory + "/" + descriptor, &target, target.count)
      return String(
        decoding: target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self
      )
      .hasSuffix(name)
    }
  }

  @Test("a signal ends record 5 s later when the bus hangs, and the log has a gap up to it")
  func heldSampler() throws {
    let child = record()
    try waitForSamples()
    let held = try HeldThread("imu-sampler", of: child)
    child.signal(SIGTERM)
    try wait(child, held, says: "the sensor's bus hangs, and recording 1 ends with a gap")
    held.waitForEnd()
    let outcome = child.outcome()
    #expect(outcome.status == 69)
    #expect(outcome.lines == ["1"])
    let json = try bench.run("export", "1").json()
    #expect(json["complete"].isTrue)
    #expect(json["stopReason"] == .string("signal"))
    let ticks = json["ticks"]
    #expect(try #require(ticks["missed"].integer) > 0)
    #expect(json["gaps"].items.last?["cause"] == .string("missed"))
    #expect(bench.run("verify", "1").status == 0)
  }

  @Test(
    "a take whose bus hangs up to its planned end and beyond ends by itself, with a gap up to it")
  func heldSamplerToTheEnd() throws {
    let child = bench.start(["record", "--board", "simulator", "--rate", "100", "--for", "5s"])
    try waitForSamples()
    let held = try HeldThread("imu-sampler", of: child)
    try wait(child, held, says: "the sensor's bus hangs, and recording 1 ends with a gap")
    held.waitForEnd()
    #expect(child.outcome().status == 69)
    let json = try bench.run("export", "1").json()
    #expect(json["complete"].isTrue)
    #expect(json["stopReason"] == .string("sensor-lost"))
    #expect(json["ticks"]["scheduled"] == .integer(500))
  }
}

/// The lock of a store's numbers, held: the store hangs.
final class StoreLock {
  private let descriptor: Int32

  init?(_ bench: Bench) {
    descriptor = open(bench.store + "/.lock", O_RDWR | O_CLOEXEC)
    if descriptor < 0 || flock(descriptor, LOCK_EX) != 0 { return nil }
  }

  deinit { close(descriptor) }
}
