import IMUModel
import RingBuffer
import Sampling
import Synchronization

/// How many samples a sampler has read, for those who want to know whether its chip answers: its records also come
/// when the chip does not, as gaps.
///
/// Safe to send: the only access to the shared number is atomic, and it orders nothing else. Its memory is never
/// freed, 8 bytes each time that the sensor is woken, so that no copy counts references.
struct SampleCount: @unchecked Sendable {
  private let storage: UnsafeMutablePointer<Storage>

  private struct Storage: ~Copyable {
    let count = Atomic<UInt64>(0)
  }

  init() {
    storage = .allocate(capacity: 1)
    storage.initialize(to: Storage())
  }

  /// The number so far.
  var value: UInt64 { storage.pointee.count.load(ordering: .relaxed) }

  /// One more. Only the sampler's thread counts.
  func increase() { storage.pointee.count.store(value &+ 1, ordering: .relaxed) }
}

/// The sampler's end of the ring in a service: counts what is a sample.
struct CountingSink: TickSink, ~Copyable {
  private var producer: RingProducer<TickRecord>
  private let samples: SampleCount

  init(_ producer: consuming RingProducer<TickRecord>, _ samples: SampleCount) {
    self.producer = producer
    self.samples = samples
  }

  /// - Complexity: O(1); neither allocates nor waits.
  mutating func push(_ record: TickRecord) -> Bool {
    if record.kind == .sample { samples.increase() }
    return producer.push(record)
  }
}

/// Tells when samples cease to come, and when they come again.
struct SilenceWatch {
  private let patience: Int64
  private var heard: UInt64 = 0
  private var heardAt: MonotonicTime
  private(set) var isSilent = false

  /// Samples at `rate` are expected from `start` on. Silence is 2 s without one, or three periods of a slow rate:
  /// longer than a chip takes that loses its supply for an instant and is set up again.
  init(_ rate: SampleRate, start: MonotonicTime) {
    patience = max(2_000_000_000, 3 * rate.periodNanoseconds)
    heardAt = start
  }

  /// Whether ``isSilent`` is another than before, when `count` samples have been read until `now`.
  mutating func notice(_ count: UInt64, now: MonotonicTime) -> Bool {
    if count != heard { (heard, heardAt) = (count, now) }
    let was = isSilent
    isSilent = now - heardAt > patience
    return isSilent != was
  }
}
