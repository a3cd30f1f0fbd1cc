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
