import Glibc
import LinuxIO
import LogStore
import Sampling

/// Puts a service's store in order, on a thread of its own: what a card has to be asked for, the thread that feeds the
/// watchdog does not wait for, nor does the start of a take.
final class StoreKeeper {
  private let stores: Inbox<Catalogue?>
  private let stop: StopFlag
  private let thread: RunningThread<Void>

  /// Starts the thread, which waits for a store.
  init() throws(LinuxIOError) {
    let stores = try Inbox<Catalogue?>()
    let stop = StopFlag()
    self.stores = stores
    self.stop = stop
    thread = try RealTimeThread(name: "imu-keeper").run { StoreKeeper.work(stores, stop) }
  }

  /// Waits for the recording that is looked into.
  deinit {
    stop.request()
    stores.post(nil)
  }

  /// Adopts what was cut off in a store, and deletes what has been in its trash for 30 days, soon.
  func tend(_ store: Catalogue) { stores.post(store) }

  private static func work(_ stores: Inbox<Catalogue?>, _ stop: StopFlag) {
    while !stop.isRequested {
      stores.wait(until: nil)
      // The last one: they are the same but after a change of the configuration.
      guard case .some(.some(let store)) = stores.take().last else { continue }
      // One that is gone is made anew by the take, and has nothing to put in order.
      guard access(store.path, F_OK) == 0 else { continue }
      OpenStore.tidy(
        store, now: SystemClock().wallTime, while: { !stop.isRequested }
      ) { ServiceJournal.say(.warning, $0) }
    }
  }
}
