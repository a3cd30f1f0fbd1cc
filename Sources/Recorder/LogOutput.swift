public import LogStore

/// Where the recorder puts the log's bytes: a queue that another thread empties, or storage at once.
public protocol LogOutput: ~Copyable {
  /// Takes what `writer` has encoded; `false` when some is left because there is no room now.
  mutating func take(from writer: inout LogWriter) -> Bool

  /// Asks that everything taken so far be made durable.
  mutating func requestSync()

  /// What stopped the output for good, if anything did.
  var failure: StorageError? { get }
}

/// The queue between the writer and the flusher thread: full while the card is held up.
public struct QueueOutput: LogOutput, ~Copyable {
  private let queue: FlushQueue

  /// The writer's end of `queue`.
  public init(_ queue: FlushQueue) {
    self.queue = queue
  }

  /// Queues as much as fits.
  public mutating func take(from writer: inout LogWriter) -> Bool { writer.drain(into: queue) }

  /// Wakes the flusher.
  public mutating func requestSync() { queue.requestSync() }

  /// The flusher's first error.
  public var failure: StorageError? { queue.failure }
}

/// Storage without a thread in between: for simulated time, which stands still while a card is slow, and
/// for imports.
public struct DirectOutput<Storage: LogStorage & ~Copyable>: LogOutput, ~Copyable {
  /// The storage; finish it when the log has its end.
  public var storage: Storage
  /// The storage's first error.
  public private(set) var failure: StorageError?

  /// Writes to `storage`.
  public init(_ storage: consuming Storage) {
    self.storage = storage
  }

  /// Appends everything. After an error it takes nothing more.
  public mutating func take(from writer: inout LogWriter) -> Bool {
    guard failure == nil else { return false }
    do {
      try writer.drain(into: &storage)
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Does nothing: what the kernel has survives the end of this program, and the storage's own
  /// ``LogStorage/finish()`` makes everything durable at once. A thousand syncs in a second of simulated time
  /// would only make the simulation slow.
  public mutating func requestSync() {}

  /// Takes bytes again after an error that said "full": the storage kept room for the log's end.
  public mutating func forgiveFull() {
    if let failure, failure.isFull { self.failure = nil }
  }

  /// Gives the storage back.
  public consuming func release() -> Storage { storage }
}
