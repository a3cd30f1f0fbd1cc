// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Testing

/// A chip that makes a sample each 10 ms, whose counter has 400 ticks from one to the next: its FIFO's fill is read every
/// 200 ms, and its counter 3 ms later.
@Suite("Stamps of the chip's counter in a log")
struct StampedLogTests {
  /// What is wrong with each stamp.
  enum Flaw: CaseIterable {
    case none, missing, contradictory, unread, ofNoEpoch, ofAnotherEpoch, ofLaterSlot
  }

  private static let period: Int64 = 10_000_000

  private func account(_ flaw: Flaw) throws -> ClockAccount {
    var description = ExampleLog.description()
    description.rate = SampleRate(100) ?? ExampleLog.tenHertz
    (description.clock, description.plannedTicks) = (.chip(busClock: 400_000), nil)
    var encoder = try LogEncoder(description)
    for index in 1...100 as ClosedRange<Int64> {
      let slot = index * 20
      for tick in slot - 20..<slot {
        encoder.append(
          TickRecord(tick: UInt64(tick), time: tick * Self.period, sample: RawSample()))
      }
      let reading = FIFOReading(
        epoch: 0, cause: .start, firstTick: 0, countBefore: 0, count: slot,
        before: slot * Self.period + index * 70_000, length: 300_000, offset: 0, isDrained: true)
      // The latch is 150 µs after the beginning, and a tick 25 µs.
      var stamped = reading
      (stamped.before, stamped.isDrained) = (reading.before + 3_000_000, false)
      let ticks = (stamped.before + 150_000 - slot * Self.period) / 25_000
      stamped.stamp = SlotStamp(ticks: UInt16(ticks), ticksPerSlot: 400)
      switch flaw {
      case .none, .missing: break
      case .contradictory: stamped.stamp = SlotStamp(ticks: UInt16(ticks + 800), ticksPerSlot: 400)
      case .unread: stamped.length = 0
      case .ofNoEpoch: stamped.epoch = 1
      case .ofAnotherEpoch: stamped.firstTick = 5
      case .ofLaterSlot: stamped.count += 1
      }
      encoder.append(TickRecord(reading))
      if flaw != .missing { encoder.append(TickRecord(stamped)) }
    }
    encoder.flush()
    return try #require(try ChipTimesTests.Found(Array(encoder.output)).account?.chipClock)
  }

  @Test("narrow the intervals when they are right, and are counted")
  func right() throws {
    let (with, without) = (try account(.none), try account(.missing))
    #expect(with.stampCount == 100 && without.stampCount == 0)
    #expect(with.leftOutCount == 0 && without.leftOutCount == 0)
    let (narrow, wide) = (try #require(with.median), try #require(without.median))
    #expect(narrow * 2 < wide, "\(narrow) of \(wide)")
  }

  @Test(
    "change nothing about the readings when they are wrong, and places where they contradict them are counted",
    arguments: Flaw.allCases)
  func wrong(flaw: Flaw) throws {
    let (clock, without) = (try account(flaw), try account(.missing))
    #expect(clock.assumptions == without.assumptions)
    #expect(clock.readingCount == 100 && clock.findingCount == 0)
    #expect(clock.provedCount == 2000)
    switch flaw {
    case .none: break
    case .contradictory:
      #expect(clock.stampCount == 100)
      // One each half second of 20 s.
      #expect((38...42).contains(clock.leftOutCount), "\(clock.leftOutCount)")
      #expect(clock.median == without.median)
    case .missing, .unread, .ofNoEpoch, .ofAnotherEpoch, .ofLaterSlot:
      // Not printed: it has a histogram.
      let isSame = clock == without
      #expect(isSame)
    }
  }
}
