// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import LogStoreTesting
import Recorder
import Testing

@Suite("A card that stalls")
struct StallTests {
  /// Two syncs' time before the hold, and one after it.
  static func recording(holding seconds: Int64, capacity: Int = 1 << 20) throws -> HeldRecording {
    let hold = (sync: 2, nanoseconds: seconds * 1_000_000_000)
    return try HeldRecording(ticks: UInt64(3 + seconds) * 1000, hold: hold, capacity: capacity)
  }

  static func report(_ recording: HeldRecording) throws -> Account {
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: recording.bytes)))
    return try reader.account()
  }

  @Test("10 s in one sync at 1 kHz lose no samples, and the queue reports the duration")
  func tenSeconds() throws {
    let recording = try StallTests.recording(holding: 10)
    #expect(recording.heldTicks.count > 9_990)
    let report = try StallTests.report(recording)
    #expect(report.isIntact)
    #expect(report.sampleCount == 13_000)
    #expect(report.gapCount == 0)
    #expect(recording.stepped.queue.longestSync >= 10_000_000_000)
    #expect(recording.stepped.queue.longestSync < 10_100_000_000)
  }

  @Test(
    "beyond the memory's capacity the newest samples are lost, and the log has their ticks and the cause"
  )
  func beyondMemory() throws {
    let capacity = 40_000
    let recording = try StallTests.recording(holding: 6, capacity: capacity)
    let report = try StallTests.report(recording)
    #expect(report.isIntact)
    #expect(report.gapCount == 1)
    #expect(report.end?.tally == recording.stepped.tally)
    let events = try read(recording.bytes)
    let gaps = events.compactMap { event -> Gap? in
      if case .other(.gap(let gap)) = event { return gap }
      return nil
    }
    let gap = try #require(gaps.first)
    #expect(gap.cause == .ringFull)
    #expect(gap.count == recording.stepped.tally.ringFull)
    // The oldest samples stay: those that fit into the queue at 16 bytes each, and a ring.
    #expect(gap.firstTick >= recording.heldTicks.lowerBound + UInt64(capacity / 16 + 600))
    // The gap ends with the hold, not before: no newer sample replaced an older one.
    let end = gap.firstTick + gap.count
    #expect((recording.heldTicks.upperBound...recording.heldTicks.upperBound + 2).contains(end))
    #expect(report.sampleCount + gap.count == 9_000)
  }

  @Test("the sampler is as late as without a stall, within memory and beyond it")
  func lateness() throws {
    let smooth = try HeldRecording(ticks: 6000, hold: (sync: 0, nanoseconds: 0))
    let stalled = try HeldRecording(ticks: 6000, hold: (sync: 2, nanoseconds: 3_000_000_000))
    let overrun = try HeldRecording(
      ticks: 6000, hold: (sync: 2, nanoseconds: 3_000_000_000), capacity: 20_000)
    #expect(smooth.stepped.tally.ringFull == 0)
    #expect(stalled.stepped.tally.ringFull == 0)
    #expect(overrun.stepped.tally.ringFull > 500)
    let lateness = try #require(smooth.stepped.end?.lateness)
    #expect(lateness.median < lateness.maximum)
    #expect(stalled.stepped.end?.lateness == lateness)
    // Not only in total: each sample was read at the same instant.
    let times = try StallTests.times(smooth)
    #expect(times.count == 6000)
    let isSame = try StallTests.times(stalled) == times
    #expect(isSame)
    let isRest = try StallTests.times(overrun).allSatisfy { times[$0.key] == $0.value }
    #expect(isRest)
  }

  /// When each sample of the log was read, by its tick.
  static func times(_ recording: HeldRecording) throws -> [UInt64: Int64] {
    var times: [UInt64: Int64] = [:]
    for event in try read(recording.bytes) {
      if case .sample(let tick, let time, _) = event { times[tick] = time }
    }
    return times
  }
}
