// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import Synchronization

/// Work on an I2C bus that may hang in the kernel, where nothing can interrupt it: a separate thread does it, and is
/// abandoned when it takes too long. While one hangs, no other is started for the same bus.
public struct BusErrand: Sendable {
  /// N of `/dev/i2c-N`.
  public let bus: Int
  /// How long the work may take from one sign of progress to the next, in nanoseconds.
  public let patience: Int64

  /// Enough for a search that times out at each address; less than the 5 s after which a silent program seems dead.
  public static var defaultPatience: Int64 { 4_000_000_000 }

  /// Buses whose thread has not returned.
  private static let hung = Mutex<Set<Int>>([])

  /// Work on a bus.
  public init(bus: Int, patience: Int64 = defaultPatience) {
    (self.bus, self.patience) = (bus, patience)
  }

  /// Does the work and waits for its outcome.
  ///
  /// - Parameter work: Calls `progress` whenever the bus has answered. A result that comes too late is destroyed on its
  ///   own thread.
  /// - Throws: ``LinuxIOError`` when the bus hangs, or the kernel creates no more threads.
  public func run<Outcome: ~Copyable>(
    _ work: @escaping @Sendable (_ progress: () -> Void) -> sending Outcome
  ) throws(LinuxIOError) -> sending Outcome {
    let bus = self.bus
    guard !Self.hung.withLock({ $0.contains(bus) }) else { throw hanging }
    let parcel = try Parcel<Outcome>()
    let thread = try RealTimeThread(name: "imu-probe").run {
      if !parcel.fill(work { parcel.noteProgress() }) { Self.hung.withLock { _ = $0.remove(bus) } }
    }
    thread.leaveBehind()
    parcel.wait(patience: patience)
    // Under the lock, so that the thread removes the bus only after it was inserted.
    let outcome = Self.hung.withLock { hung in
      let outcome = parcel.open()
      if outcome == nil { hung.insert(bus) }
      return outcome
    }
    guard let outcome else { throw hanging }
    return outcome
  }

  private var hanging: LinuxIOError {
    Attempt(attempt: "using I2C bus \(bus)", place: "/dev/i2c-\(bus)").error(
      "the bus hangs; a transfer does not end and cannot be interrupted", 0,
      "Check that SDA and SCL are not swapped or shorted, switch the sensor's power off and"
        + " on, and look for the adapter in `dmesg`.")
  }
}

private enum ParcelState: UInt8, AtomicRepresentable {
  case waiting
  case filled
  case refused
}

/// Holds a thread's result for another one that waits, until that one gives up.
///
/// Safe (`@unchecked Sendable`): `content` is the filler's until `state` is `filled`, and the waiter's from then on, or
/// the filler's for ever when `state` is `refused`. Both are set by one compare-exchange from `waiting`, so exactly one
/// of them holds; it releases what the filler wrote and acquires it for the waiter.
private final class Parcel<Content: ~Copyable>: @unchecked Sendable {
  private let state = Atomic(ParcelState.waiting)
  private var content: Content?
  private let bell: Inbox<Void>
  /// When the filler last made progress, in nanoseconds. It guards nothing: stored and loaded relaxed.
  private let progress: Atomic<Int64>

  init() throws(LinuxIOError) {
    bell = try Inbox()
    content = nil
    progress = Atomic(SystemClock().now().nanoseconds)
  }

  /// Stores the content; `false` when it is no longer wanted and was destroyed here.
  func fill(_ content: consuming Content) -> Bool {
    self.content = consume content
    let (isFilled, _) = state.compareExchange(
      expected: .waiting, desired: .filled, ordering: .acquiringAndReleasing)
    if isFilled { bell.post(()) } else { _ = self.content.take() }
    return isFilled
  }

  func noteProgress() { progress.store(SystemClock().now().nanoseconds, ordering: .relaxed) }

  /// Waits until the parcel is filled, or until `patience` nanoseconds pass without progress.
  func wait(patience: Int64) {
    let clock = SystemClock()
    while state.load(ordering: .relaxed) == .waiting {
      let deadline = MonotonicTime(nanoseconds: progress.load(ordering: .relaxed)) + patience
      guard clock.now() < deadline else { return }
      bell.wait(until: deadline)
    }
  }

  /// The content; `nil` when there is none yet, which then refuses it for good.
  func open() -> Content? {
    let (isRefused, _) = state.compareExchange(
      expected: .waiting, desired: .refused, ordering: .acquiringAndReleasing)
    return isRefused ? nil : content.take()
  }
}
