// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LogStore

/// Does the service's card work beside recordings on its own thread, for which nothing else waits:
///
///     main ── tidy, measure, read ──► imu-keeper ──► card
///      ▲ └── free bytes ◄─────────────┤
///      └──── news: a configuration ◄──┘
final class StoreKeeper {
  private let orders: Inbox<Order>
  private let measurements: Inbox<Space>
  private var thread: RunningThread<Void>?
  private var store: Catalogue
  private var space: Space?
  private var isMeasuring = false

  private enum Order: Sendable {
    case tidy(Catalogue)
    case measure(Catalogue)
    case read(@Sendable () throws -> RecorderSetup)
    case quit
  }

  /// Bytes that are free in a store; `nil` when it is gone.
  private struct Space: Sendable {
    let path: String
    let byteCount: UInt64?
  }

  /// How long a status waits for the card, in nanoseconds.
  private static var statusPatience: Int64 { 50_000_000 }
  /// How long the end waits for the thread, in nanoseconds.
  private static var endPatience: Int64 { 1_000_000_000 }

  /// Starts the thread; `news` gets each configuration that is read.
  init(
    _ store: Catalogue, news: Inbox<RecorderNews>, journal: @escaping Journal
  ) throws(LinuxIOError) {
    self.store = store
    let orders = try Inbox<Order>()
    let measurements = try Inbox<Space>()
    self.orders = orders
    self.measurements = measurements
    thread = .some(
      try RealTimeThread(name: "imu-keeper").run {
        var work = Work(
          orders: orders, measurements: measurements, news: news, journal: journal)
        work.run()
      })
  }

  /// Waits for a recording that is being adopted, but not for a card that hangs: the next start completes its work.
  deinit {
    orders.post(.quit)
    if let thread = thread.take() { thread.join(within: StoreKeeper.endPatience) }
  }

  /// Schedules the adoption of recordings that were cut off, and the deletion of those in the trash for 30 days.
  func tidy() { orders.post(.tidy(store)) }

  func use(_ store: Catalogue) {
    self.store = store
    tidy()
  }

  /// Reads the configuration and makes its store; ``RecorderNews/configurationRead(_:)`` follows.
  func read(_ setup: @escaping @Sendable () throws -> RecorderSetup) { orders.post(.read(setup)) }

  /// Free bytes in the store, by the last measurement if the card does not answer at once; `nil` when unknown.
  func freeByteCount() -> UInt64? {
    readMeasurements()
    if !isMeasuring {
      isMeasuring = true
      orders.post(.measure(store))
      measurements.wait(until: SystemClock().now() + StoreKeeper.statusPatience)
      readMeasurements()
    }
    guard let space, space.path == store.path else { return nil }
    return space.byteCount
  }

  private func readMeasurements() {
    if let newest = measurements.drain().last { (space, isMeasuring) = (newest, false) }
  }

  private struct Work {
    let orders: Inbox<Order>
    let measurements: Inbox<Space>
    let news: Inbox<RecorderNews>
    let journal: Journal
    var next: Catalogue?
    var isQuitting = false

    mutating func run() {
      while !isQuitting {
        orders.wait(until: nil)
        carryOutOrders()
        while !isQuitting, let store = next.take() { tidy(store) }
      }
    }

    private mutating func carryOutOrders() {
      for order in orders.drain() {
        switch order {
        // The last one counts: they differ only after a change of the configuration.
        case .tidy(let store):
          next = store
          measure(store)
        case .measure(let store): measure(store)
        case .read(let setup): news.post(.configurationRead(Work.read(setup)))
        case .quit: isQuitting = true
        }
      }
    }

    private func measure(_ store: Catalogue) {
      let byteCount = SystemTree.live.freeBytes(at: store.path)
      measurements.post(Space(path: store.path, byteCount: byteCount))
    }

    /// Reads a configuration, and makes its store when it is missing.
    private static func read(_ setup: () throws -> RecorderSetup) -> NextSetup {
      do {
        let setup = try setup()
        return .success((setup, try Catalogue(path: setup.store, create: true)))
      } catch {
        return .failure(CommandFailure(error, else: .configuration))
      }
    }

    private mutating func tidy(_ store: Catalogue) {
      // The next recording creates a missing store again.
      guard access(store.path, F_OK) == 0 else { return }
      store.tidy(
        now: RecorderClock.system.reading().wallTime,
        while: {
          // Before each of many recordings.
          carryOutOrders()
          return !isQuitting
        },
        report: { journal(.warning, $0) })
    }
  }
}
