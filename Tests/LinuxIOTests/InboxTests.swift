// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import Testing

@testable import LinuxIO

@Suite("An inbox between threads")
struct InboxTests {
  @Test("gives messages in their order, and its descriptor is ready for as long as there are any")
  func order() throws {
    let inbox = try Inbox<Int>()
    #expect(!isReady(inbox.fileDescriptor))
    #expect(inbox.drain() == [])
    for round in 0..<3 {
      for message in 0..<50 { inbox.post(round * 100 + message) }
      #expect(isReady(inbox.fileDescriptor))
      #expect(inbox.drain() == (0..<50).map { round * 100 + $0 })
      #expect(!isReady(inbox.fileDescriptor))
      #expect(inbox.drain() == [])
    }
  }

  private func post(_ poster: Int, to inbox: Inbox<Int>) {
    for message in 0..<2000 { inbox.post(poster * 10_000 + message) }
  }

  @Test("loses and doubles nothing between threads, and keeps each thread's order")
  func threads() throws {
    let inbox = try Inbox<Int>()
    let one = try RealTimeThread(name: "poster").run { post(0, to: inbox) }
    let other = try RealTimeThread(name: "poster").run { post(1, to: inbox) }
    var taken: [Int] = []
    while taken.count < 4000 {
      inbox.wait(until: SystemClock().now() + 30_000_000_000)
      let messages = inbox.drain()
      try #require(!messages.isEmpty, "\(taken.count) messages, and no more in 30 s")
      taken += messages
    }
    one.join()
    other.join()
    #expect(inbox.drain() == [])
    for poster in 0..<2 {
      let own = taken.filter { $0 / 10_000 == poster }
      #expect(own == (0..<2000).map { poster * 10_000 + $0 })
    }
  }

  @Test("a wait ends at once when a message is there or the deadline is past")
  func deadlines() throws {
    let inbox = try Inbox<Int>()
    let now = SystemClock().now()
    inbox.wait(until: now)
    inbox.wait(until: MonotonicTime(nanoseconds: 0))
    inbox.post(1)
    inbox.wait(until: nil)
    inbox.wait(until: now + 60_000_000_000)
    #expect(SystemClock().now() - now < 30_000_000_000)
    #expect(inbox.drain() == [1])
  }

  @Test("without a descriptor the kernel's reason is told")
  func refused() throws {
    #expect(try opened(3, "eventfd", for: "testing") == 3)
    let error = #expect(throws: LinuxIOError.self) {
      try opened(-EMFILE, "eventfd", for: "testing")
    }
    #expect(error?.errno == EMFILE)
  }

  @Test("a wait for poll never ends before its deadline, and never overflows")
  func timeouts() {
    let now = MonotonicTime(nanoseconds: 5_000_000_000)
    #expect(PollTimeout.milliseconds(until: nil, now: now) == -1)
    for (later, milliseconds) in [
      (-1, 0), (0, 0), (1, 1), (999_999, 1), (1_000_000, 1), (1_000_001, 2), (20_000_000, 20),
    ] as [(Int64, Int32)] {
      #expect(PollTimeout.milliseconds(until: now + later, now: now) == milliseconds)
    }
    let last = MonotonicTime(nanoseconds: .max - 1_000_000)
    #expect(PollTimeout.milliseconds(until: last, now: now) == .max)
    #expect(PollTimeout.milliseconds(until: MonotonicTime(nanoseconds: 0), now: now) == 0)
  }
}
