public import LogStore

/// Where the recorder puts the log's bytes: a queue that another thread empties, or storage at once.
public protocol LogOutput: ~Copyable {
  /// Takes all of `bytes` behind those taken before, or none of them and returns `false` when there is no room
  /// now.
  mutating func put(_ bytes: UnsafeRawBufferPointer) -> Bool

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

  /// Queues the bytes unless they do not fit.
  public mutating func put(_ bytes: UnsafeRawBufferPointer) -> Bool { queue.put(bytes) }

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

  /// Appends the bytes. After an error it takes bytes no more.
  public mutating func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard failure == nil else { return false }
    do {
      try storage.append(bytes)
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Makes what was appended durable.
  public mutating func requestSync() {
    guard failure == nil else { return }
    do {
      try storage.sync()
    } catch {
      failure = error
    }
  }

  /// Gives the storage back, and takes bytes again: an error that said "full" left room for the log's end.
  public mutating func forgiveFull() {
    if let failure, failure.isFull { self.failure = nil }
  }

  /// Gives the storage back.
  public consuming func release() -> Storage { storage }
}
