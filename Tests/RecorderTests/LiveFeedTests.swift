// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import RingBuffer
import Testing

@Suite("Samples for watchers")
struct LiveFeedTests {
  private func records(_ ticks: Range<UInt64>) -> [TickRecord] {
    ticks.map { TickRecord(tick: $0, time: Int64($0), sample: RawSample()) }
  }

  @Test("come in order and once")
  func order() {
    let feed = LiveFeed(isWatched: true)
    feed.offer(records(0..<3))
    feed.offer(records(3..<5))
    #expect(feed.drain().records == records(0..<5))
    #expect(feed.drain().records.isEmpty)
  }

  @Test("are dropped and counted when no watcher reads them, and resume when there is room")
  func full() {
    let feed = LiveFeed(capacity: 4, isWatched: true)
    feed.offer(records(0..<3))
    feed.offer(records(3..<9))
    let (taken, lost) = feed.drain()
    #expect(taken == records(0..<4))
    #expect(lost == 5)
    feed.offer(records(9..<10))
    #expect(feed.drain().records == records(9..<10))
    #expect(feed.drain().lost == 0)
  }

  @Test("are those of the chosen sensor of a take")
  func chosen() {
    let feed = LiveFeed(isWatched: true)
    feed.offer(records(0..<2), of: 0)
    feed.offer(records(5..<7), of: 1)
    #expect(feed.drain().records == records(0..<2))
    feed.offer(records(2..<4), of: 0)
    feed.choose(1)
    feed.offer(records(4..<6), of: 0)
    feed.offer(records(7..<9), of: 1)
    #expect(feed.drain().records == records(7..<9))
  }

  @Test("are not kept while no program watches")
  func unwatched() {
    let feed = LiveFeed()
    feed.offer(records(0..<3))
    feed.isWatched = true
    #expect(feed.drain().records.isEmpty)
    feed.offer(records(3..<4))
    feed.isWatched = false
    feed.isWatched = true
    #expect(feed.drain().records.isEmpty)
  }

  @Test("a gap that leaves a history in two parts is whole")
  func parts() {
    var ring = RingEnds<TickRecord>(capacity: 8)
    var history = History(ring.takeConsumer())
    _ = history.end(
      with: [TickRecord(Gap(firstTick: 5, count: 10, cause: .missed))] + records(15..<16))
    let parts = [history.next(before: 8), history.next(before: 100), history.next(before: 100)]
    #expect(parts.map { $0?.tick } == [5, 8, 15])
    #expect(parts.map { $0?.count } == [3, 7, 1])
  }

  @Test("looks at a history show each record once and remove none, whatever leaves between looks")
  func history() {
    var ring = RingEnds<TickRecord>(capacity: 8)
    var producer = ring.takeProducer()
    var history = History(ring.takeConsumer())
    var seen: [TickRecord] = []
    var made: UInt64 = 0
    let seed = UInt64.random(in: 0...(.max))
    var state = seed
    for _ in 0..<5000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      switch state >> 33 % 4 {
      case 0, 1:
        let record = TickRecord(tick: made, time: 0, sample: RawSample())
        if producer.push(record) { made += 1 }
      case 2:
        // Before any record leaves, like the writer.
        history.look(into: &seen)
        history.trim(to: Int(state >> 40 % 8), remembering: Int(state >> 44 % 4))
      default:
        history.look(into: &seen)
        _ = history.next(before: made > 2 ? made - 2 : 0)
      }
    }
    history.look(into: &seen)
    #expect(seen.map(\.tick) == Array(0..<made), "seed \(seed)")
  }
}
