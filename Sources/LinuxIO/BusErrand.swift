import Glibc
import IMUModel
import Synchronization

/// Work on an I2C bus that may hang in the kernel, where nothing can interrupt it.
///
/// It is done by a thread of its own, which is left behind when it takes too long. As long as one hangs, no
/// other one is sent to the same bus.
public struct BusErrand: Sendable {
  /// N of `/dev/i2c-N`.
  public let bus: Int
  /// How long the work may take, in nanoseconds.
  public let patience: Int64

  /// Enough for a search that times out at each address, and for the slowest chip's set-up; less than the
  /// five seconds after which a person takes a silent program for a dead one.
  public static var defaultPatience: Int64 { 4_500_000_000 }

  /// Buses of which a thread has not come back.
  private static let hung = Mutex<Set<Int>>([])

  /// An errand to a bus.
  public init(bus: Int, patience: Int64 = defaultPatience) {
    (self.bus, self.patience) = (bus, patience)
  }

  /// Does the work and waits for its outcome.
  ///
  /// - Parameter work: What it gives after this call has given it up is destroyed on its own thread.
  /// - Throws: ``LinuxIOError`` of kind `busHangs`; of kind `system` when the kernel makes no more threads.
  public func run<Outcome: ~Copyable>(
    _ work: @escaping @Sendable () -> sending Outcome
  ) throws(LinuxIOError) -> sending Outcome {
    let bus = self.bus
    guard !Self.hung.withLock({ $0.contains(bus) }) else { throw hanging }
    let parcel = try Parcel<Outcome>()
    let thread = try RealTimeThread(name: "imu-probe").run {
      if !parcel.fill(work()) { Self.hung.withLock { _ = $0.remove(bus) } }
    }
    thread.leaveBehind()
    // Under the lock, so that the thread takes the bus off the list after it was put on.
    let clock = SystemClock()
    parcel.wait(until: clock.now() + patience)
    let outcome = Self.hung.withLock { hung in
      let outcome = parcel.open()
      if outcome == nil { hung.insert(bus) }
      return outcome
    }
    guard let outcome else { throw hanging }
    return outcome
  }

  private var hanging: LinuxIOError {
    LinuxIOError(
      kind: .busHangs, attempt: "using I2C bus \(bus)", place: "/dev/i2c-\(bus)",
      finding: "the bus hangs; a transfer does not end and cannot be interrupted", errno: 0,
      remedy: "Check that SDA and SCL are not swapped or shorted, switch the sensor's power off and"
        + " on, and look for the adapter in `dmesg`.")
  }
}

/// Where a thread puts what another one waits for, until that one gives up.
///
/// Safe (`@unchecked Sendable`): `content` is the filler's until `state` is `filled`, and the
/// waiter's from then on, or the filler's for ever when `state` is `refused`. Both are set by one
/// compare-exchange from `waiting`, so exactly one of them holds; it releases what the filler wrote
/// and acquires it for the waiter.
private final class Parcel<Content: ~Copyable>: @unchecked Sendable {
  private let state = Atomic<UInt8>(ParcelState.waiting)
  private var content: Content?
  private let bell: Inbox<Void>

  init() throws(LinuxIOError) {
    bell = try Inbox()
    content = nil
  }

  /// Puts the content in; whether it is still wanted. If not, it is destroyed here.
  func fill(_ content: consuming Content) -> Bool {
    self.content = consume content
    let (isFilled, _) = state.compareExchange(
      expected: ParcelState.waiting, desired: ParcelState.filled, ordering: .acquiringAndReleasing)
    if isFilled { bell.post(()) } else { _ = self.content.take() }
    return isFilled
  }

  /// Waits until the parcel is filled, or until `deadline`.
  func wait(until deadline: MonotonicTime) {
    let clock = SystemClock()
    while state.load(ordering: .relaxed) == ParcelState.waiting, clock.now() < deadline {
      bell.wait(until: deadline)
    }
  }

  /// The content; `nil` when there is none yet, which refuses it for ever.
  func open() -> Content? {
    let (isRefused, _) = state.compareExchange(
      expected: ParcelState.waiting, desired: ParcelState.refused, ordering: .acquiringAndReleasing)
    return isRefused ? nil : content.take()
  }
}

private enum ParcelState {
  static let waiting: UInt8 = 0
  static let filled: UInt8 = 1
  static let refused: UInt8 = 2
}
