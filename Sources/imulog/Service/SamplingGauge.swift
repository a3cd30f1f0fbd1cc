import Glibc
import IMUModel
import Recorder

/// What the writer shows of its work to the main thread: for `status`, and for the watchdog.
final class SamplingGauge: @unchecked Sendable {
  /// One look.
  struct Reading: Sendable {
    /// Of the take at hand.
    var progress: TakeProgress?
    /// The longest sync of the take at hand, in nanoseconds.
    var longestSync: Int64?
    /// When the sampler was last seen to hand on a record.
    var lastArrival = MonotonicTime(nanoseconds: 0)
  }

  // Safe: read and written only while the mutex is held.
  private var reading = Reading()
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    // Initialising with default attributes cannot fail on Linux.
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// What was shown last.
  var value: Reading {
    get {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return reading
    }
    set {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      reading = newValue
    }
  }
}
