import Glibc
import IMUModel
import LinuxIO
import LogStore

/// Asks the card for what a service needs besides its takes, on a thread of its own: neither the thread that feeds the
/// watchdog nor the start of a take waits for a card that hangs.
///
///     main ── tend, measure, read ──► imu-keeper ──► card
///      ▲ └── what is free ◄───────────┤
///      └──── news: a configuration ◄──┘
final class StoreKeeper {
  private let orders: Inbox<Order>
  private let measurements: Inbox<Space>
  private var thread: RunningThread<Void>?
  /// What was measured last.
  private var space: Space?
  /// Whether a measurement was ordered that has not come.
  private var isMeasuring = false

  private enum Order: Sendable {
    case tend(Catalogue)
    case measure(Catalogue)
    case read(ServiceConfigurationFile, usualStore: String)
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

  /// Starts the thread.
  ///
  /// - Parameter news: Gets each configuration that is read.
  init(news: Inbox<ServiceNews>) throws(LinuxIOError) {
    let orders = try Inbox<Order>()
    let measurements = try Inbox<Space>()
    self.orders = orders
    self.measurements = measurements
    thread = .some(
      try RealTimeThread(name: "imu-keeper").run {
        var work = Work(orders: orders, measurements: measurements, news: news)
        work.run()
      })
  }

  /// Waits for the recording that is looked into, but not for a card that hangs: a thread that is left behind ends with
  /// the program, and the next start does what it has not done.
  deinit {
    orders.post(.quit)
    if let thread = thread.take() { thread.join(within: StoreKeeper.endPatience) }
  }

  /// Adopts what was cut off in a store, and deletes what has been in its trash for 30 days, soon.
  func tend(_ store: Catalogue) { orders.post(.tend(store)) }

  /// Reads the configuration and makes its store; ``ServiceNews/configurationRead(_:)`` follows.
  ///
  /// - Parameter usualStore: Where recordings are when the configuration does not say.
  func read(_ file: ServiceConfigurationFile, usualStore: String) {
    orders.post(.read(file, usualStore: usualStore))
  }

  /// Bytes that are free in a store: what was measured last when the card does not answer at once; `nil` when the store is
  /// gone, or nothing of it is known yet.
  func freeByteCount(in store: Catalogue) -> UInt64? {
    takeMeasurements()
    if !isMeasuring {
      isMeasuring = true
      orders.post(.measure(store))
      measurements.wait(until: SystemClock().now() + StoreKeeper.statusPatience)
      takeMeasurements()
    }
    guard let space, space.path == store.path else { return nil }
    return space.byteCount
  }

  private func takeMeasurements() {
    if let newest = measurements.take().last { (space, isMeasuring) = (newest, false) }
  }

  /// What the thread does.
  private struct Work {
    let orders: Inbox<Order>
    let measurements: Inbox<Space>
    let news: Inbox<ServiceNews>
    /// The store that is to be put in order next.
    private var next: Catalogue?
    private var isQuitting = false

    init(orders: Inbox<Order>, measurements: Inbox<Space>, news: Inbox<ServiceNews>) {
      self.orders = orders
      self.measurements = measurements
      self.news = news
    }

    mutating func run() {
      while !isQuitting {
        orders.wait(until: nil)
        carryOutOrders()
        while !isQuitting, let store = next.take() { tidy(store) }
      }
    }

    private mutating func carryOutOrders() {
      for order in orders.take() {
        switch order {
        // The last one: they are the same but after a change of the configuration.
        case .tend(let store):
          next = store
          measure(store)
        case .measure(let store): measure(store)
        case .read(let file, let usualStore):
          news.post(.configurationRead(Work.read(file, usualStore: usualStore)))
        case .quit: isQuitting = true
        }
      }
    }

    private func measure(_ store: Catalogue) {
      let byteCount = SystemTree.live.freeBytes(at: store.path)
      measurements.post(Space(path: store.path, byteCount: byteCount))
    }

    /// Reads a configuration, and makes its store when it is missing.
    private static func read(_ file: ServiceConfigurationFile, usualStore: String) -> NextSetup {
      do {
        let setup = try ServiceSetup(try file.read(), usualStore: usualStore)
        return .success((setup, try OpenStore.making(setup.store)))
      } catch {
        return .failure(CommandFailure(error, else: .configuration))
      }
    }

    private mutating func tidy(_ store: Catalogue) {
      // One that is gone is made anew by the take, and has nothing to put in order.
      guard access(store.path, F_OK) == 0 else { return }
      OpenStore.tidy(
        store, now: SystemClock().wallTime,
        while: {
          // Between two recordings, of which there may be many.
          carryOutOrders()
          return !isQuitting
        },
        say: { ServiceJournal.say(.warning, $0) })
    }
  }
}
