import Synchronization

/// A request to stop, shared between the sampler and whoever may end a take: main thread, signal handler.
///
/// Copies share one flag. It is never taken back.
///
/// Safe to send: the only access to the shared byte is atomic. Its memory is never freed, a few bytes a
/// take, so that a signal handler that runs late still finds it; and no copy counts references.
public struct StopFlag: @unchecked Sendable {
  private let storage: UnsafeMutablePointer<Storage>

  private struct Storage: ~Copyable {
    let isRequested = Atomic<Bool>(false)
  }

  /// A flag that is not raised.
  ///
  /// - Complexity: one allocation.
  public init() {
    storage = .allocate(capacity: 1)
    storage.initialize(to: Storage())
  }

  /// Raises the flag. May be called from any thread and from a signal handler, and more than once.
  ///
  /// Releasing, paired with the acquiring load in ``isRequested``: what was written before the request, such
  /// as its reason, is seen by whoever sees the request.
  public func request() {
    storage.pointee.isRequested.store(true, ordering: .releasing)
  }

  /// Whether the flag was raised.
  public var isRequested: Bool {
    storage.pointee.isRequested.load(ordering: .acquiring)
  }
}
