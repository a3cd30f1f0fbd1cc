// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LinuxIO
import LogStoreTesting
import SimulatedIMU
import Testing

@testable import Recorder

@Suite("A recorder that cannot begin")
struct SingleRecordingTests {
  @Test("fails with the cause when its threads cannot start, and leaves no store")
  func noThreads() throws {
    let directory = TemporaryDirectory(inMemory: true)
    let refusal = CommandFailure(.unavailable, "starting a thread: the kernel refused (EAGAIN)")
    var configuration = RecorderConfiguration.default
    configuration.samplesWhileIdle = false
    let loop = try RecorderLoop(
      RecorderSetup(
        configuration, sensor: CountingSource(), store: directory.path + "/store", isSingle: true),
      RecorderLoop.Surroundings { _, _ in }, signals: try SignalWatch([]), memoryRefusal: nil
    ) { _, _ in
      throw refusal
    }
    let failure = #expect(throws: CommandFailure.self) { try loop.run() }
    #expect(failure?.sentence == refusal.sentence)
    #expect(failure?.status == .unavailable)
    #expect(directory.names() == [])
  }

  @Test("says so once as a service, however often it tries, and serves watchers meanwhile")
  func retried() throws {
    let directory = TemporaryDirectory(inMemory: true)
    let clock = VirtualClock(start: MonotonicTime(nanoseconds: 7_000_000_000))
    let (sentences, attempts) = (SentenceList(), SentenceList())
    var surroundings = RecorderLoop.Surroundings { _, sentence in sentences.add(sentence) }
    surroundings.clock = RecorderClock {
      clock.now()
    } reading: {
      ClockReading(monotonic: clock.now(), wall: 0, isSynchronised: false)
    }
    let loop = try RecorderLoop(
      RecorderSetup(.default, sensor: CountingSource(), store: directory.path), surroundings,
      signals: try SignalWatch([]), memoryRefusal: nil
    ) { _, _ in
      attempts.add("wake")
      throw CommandFailure(.unavailable, "no sensor is there")
    }
    let socket = directory.path + "/control"
    loop.callers.control = try ControlSocket(path: socket)
    loop.begin()
    let stream = try ControlClient.open(path: socket, line: "watch")
    for _ in 0..<3 {
      clock.advance(by: 2_000_000_000)
      loop.round()
    }
    #expect(attempts.all.count == 4)
    #expect(sentences.all == ["no sensor is there"])
    let line = String(decoding: stream.read() ?? [], as: UTF8.self).split(separator: "\n").first
    #expect(line?.contains("no sensor is there") == true, "\(line ?? "")")
    // More than the feed has room for, and a file that fails.
    loop.feed.offer((0..<9999).map { TickRecord(tick: $0, time: 0, sample: RawSample()) })
    let failure = FilingFailure(
      failure: CommandFailure(.inputOutput, "the card fails"), isFull: false, isGone: true,
      kept: nil)
    let end = RecordingEnd(reason: .signal, tally: TickTally(), lateness: LatenessSummary())
    let filed = FiledRecording(
      number: 1, id: ExampleLog.description(1).id, fate: .kept, end: end, failure: failure)
    loop.handle(.filed(filed))
    clock.advance(by: LiveFeed.framePeriod)
    loop.round()
    #expect(String(decoding: stream.read() ?? [], as: UTF8.self).hasPrefix("d "))
    #expect(sentences.all == ["no sensor is there", "the card fails"])
    try loop.end()
  }
}
