// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite(
  "Hangs of card and bus", .waitsForPrograms, .timeLimit(.minutes(60)),
  .holdsThread)
struct HangTests {
  private let bench = Bench()

  private static let live = [
    "record", "--board", "simulator", "--rate", "100", "--sync-every", "50ms", "--until-stopped",
  ]

  private func expect(
    _ child: borrowing Child, says words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let hasSaid = child.waits(toSay: words)
    try #require(hasSaid, "never \(words): \(child.said)", sourceLocation: sourceLocation)
  }

  @Test(
    "a signal ends record 20 s later when the card hangs, and the synced data stays",
    arguments: [SIGINT, SIGTERM])
  func heldFlusher(_ signal: Int32) throws {
    let child = try bench.startRecording(HangTests.live)
    let held = try HeldThread("imu-flusher", of: child)
    child.signal(signal)
    try expect(child, says: "waits for the card, up to 20 s")
    try expect(
      child,
      says: "did not take the end of recording 1 in 20 s; what is on it will be recovered")
    let outcome = child.outcome(holding: held).expect(74)
    #expect(outcome.bytes.isEmpty)
    #expect(try bench.list().map { $0["state"] } == [.string("recovered")])
  }

  @Test(
    "a signal ends record when the card hangs at the creation of the file, and no recording is reported as kept"
  )
  func heldStore() throws {
    try bench.record("--for", "1s")
    let lock = try #require(StoreLock(bench))
    let watch = DirectoryWatch(opening: bench.store + "/.lock")
    let child = bench.start(HangTests.live)
    // It waits for the lock, with a limit.
    let isOpened = watch.waitForEvent()
    try #require(isOpened)
    let held = try HeldThread("imu-flusher", of: child)
    try expect(child, says: "waits for the card; Ctrl-C gives it 20 s")
    child.signal(SIGTERM)
    try expect(
      child,
      says:
        "the card did not make the recording's file in 20 s, and nothing of the recording is kept")
    #expect(child.outcome(holding: held).status == 74)
    withExtendedLifetime(lock) {}
    #expect(bench.recordings.count == 1)
  }

  @Test(
    "Ctrl-C and s at the terminal end a recording that has no file yet", arguments: ["\u{3}", "s"])
  func keyWithoutFile(_ key: String) throws {
    try bench.record("--for", "1s")
    var lock = StoreLock(bench)
    try #require(lock != nil)
    let watch = DirectoryWatch(opening: bench.store + "/.lock")
    let child = bench.atTerminal(HangTests.live)
    let isOpened = watch.waitForEvent()
    try #require(isOpened)
    child.type(key)
    // The key is there before the file can be.
    child.watch(milliseconds: 300)
    withExtendedLifetime(lock) {}
    lock = nil
    #expect(child.status() == 0)
    #expect(child.isAsBefore)
    #expect(try bench.run("info", "2", "--json").json()["stopReason"] == .string("button"))
  }

  @Test("a signal ends record 5 s later when the bus hangs, and the log has a gap up to it")
  func heldSampler() throws {
    let child = try bench.startRecording(HangTests.live)
    let held = try HeldThread("imu-sampler", of: child)
    child.signal(SIGTERM)
    try expect(child, says: "the sensor's bus hangs, and recording 1 ends with a gap")
    let outcome = child.outcome(holding: held).expect(69)
    #expect(outcome.lines == ["1"])
    let json = try bench.run("export", "1").json()
    json.expect(["complete": true, "stopReason": "signal"])
    let ticks = json["ticks"]
    #expect(try #require(ticks["missed"].integer) > 0)
    #expect(json["gaps"].items.last?["cause"] == .string("missed"))
    #expect(bench.run("verify", "1").status == 0)
  }
}

/// Holds the lock of a store's numbers, so that the store hangs.
final class StoreLock {
  private let descriptor: Int32

  init?(_ bench: Bench) {
    descriptor = open(bench.store + "/.lock", O_RDWR | O_CLOEXEC)
    if descriptor < 0 || flock(descriptor, LOCK_EX) != 0 { return nil }
  }

  deinit { close(descriptor) }
}
