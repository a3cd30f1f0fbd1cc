// SPDX-License-Identifier: Apache-2.0

public import Files
import Glibc
public import IMUModel
public import LogFormat
import Synchronization

/// The bytes between the writer thread, which must never wait for a card, and the flusher thread, which does only that.
///
///     writer ── put, requestSync, close ──►  ring of bytes  ──► flusherStep ── append, sync ──► disk
///
/// Bounded: when a card stalls so long that the queue is full, ``put(_:)`` refuses and the writer leaves samples in the
/// ring. Neither end is the sampler, so a mutex is allowed.
///
/// When the storage fails, ``failure`` reports it and the bytes stay. After a full disk the writer puts the few bytes that
/// end the log and closes; the flusher then appends the queued bytes to the storage's spare.
public final class FlushQueue: @unchecked Sendable {
  // Safe: everything that changes is in `state`, with one exception: the bytes of the buffer. put() writes them under the
  // mutex; the flusher reads a piece without it. A piece is inside the first `count` bytes from `head`, which put() never
  // writes and only the flusher itself releases. The semaphore is made for use by several threads.
  private let state = Mutex(State())
  /// Wakes the flusher. Posted only for a flusher that waits, so that its value stays small.
  private let wakeUp: UnsafeMutablePointer<sem_t>
  private let buffer: UnsafeMutableRawBufferPointer

  private struct State {
    /// The queued bytes: `count` of them, from `head` on.
    var head = 0
    var count = 0
    var totalPut: UInt64 = 0
    var totalWritten: UInt64 = 0
    /// What was put before this total should be durable.
    var syncTarget: UInt64 = 0
    var totalDurable: UInt64 = 0
    var isClosed = false
    /// Whether the flusher found nothing to do and waits, or is about to.
    var isFlusherWaiting = false
    var firstFailure: StorageError?
    /// Whether a sync failed. The kernel reports the error once and then counts the bytes as written, so later syncs prove
    /// nothing about them.
    var isSyncDoubtful = false
    /// Nanoseconds of the longest sync.
    var longest: Int64 = 0
  }

  private let capacity: Int
  private let syncsEarly: Bool
  private let beforeLook: (@Sendable () -> Void)?

  /// The largest piece that is appended at once: small, so that as much of a queue as possible fits a spare.
  static let largestPiece = 4096

  /// An empty queue for `capacity` bytes; traps unless positive.
  ///
  /// - Parameters:
  ///   - syncsEarly: Whether ``requestSync()`` has an effect; simulated time needs only the sync at the storage's end.
  ///   - beforeLook: Called before each access of the writer, so that tests can run the flusher between any two.
  public init(
    capacity: Int = 1 << 20, syncsEarly: Bool = true, beforeLook: (@Sendable () -> Void)? = nil
  ) {
    precondition(capacity > 0, "a queue needs room")
    self.capacity = capacity
    self.syncsEarly = syncsEarly
    self.beforeLook = beforeLook
    buffer = .allocate(byteCount: capacity, alignment: 16)
    wakeUp = .allocate(capacity: 1)
    // Initialising with a value of 0 cannot fail on Linux.
    sem_init(wakeUp, 0, 0)
  }

  deinit {
    // Safe: no other reference exists, so no thread waits.
    sem_destroy(wakeUp)
    wakeUp.deallocate()
    buffer.deallocate()
  }

  /// Changes the state and wakes the flusher.
  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    let (result, isFlusherWaiting) = state.withLock { state in
      let result = body(&state)
      let isFlusherWaiting = state.isFlusherWaiting
      state.isFlusherWaiting = false
      return (result, isFlusherWaiting)
    }
    if isFlusherWaiting { sem_post(wakeUp) }
    return result
  }

  // MARK: The writer's end

  /// Queues all of `bytes`, or returns `false` when there is no room. Never waits for the storage.
  public func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
    beforeLook?()
    return change { state in
      precondition(!state.isClosed, "bytes put after the end of a log")
      guard bytes.count <= capacity - state.count else { return false }
      let tail = (state.head + state.count) % capacity
      let first = min(bytes.count, capacity - tail)
      // Safe: [tail, tail + first) and [0, rest) are inside the buffer and, as the guard says, not queued.
      UnsafeMutableRawBufferPointer(rebasing: buffer[tail..<tail + first])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<first]))
      UnsafeMutableRawBufferPointer(rebasing: buffer[..<(bytes.count - first)])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[first...]))
      state.count += bytes.count
      state.totalPut += UInt64(bytes.count)
      return true
    }
  }

  /// Requests that everything put so far be made durable; requests during a sync are merged.
  public func requestSync() {
    guard syncsEarly else { return }
    change { $0.syncTarget = $0.totalPut }
  }

  /// Ends the input; the flusher writes the rest, finishes the storage and returns.
  public func close() { change { $0.isClosed = true } }

  // MARK: Both ends

  /// The first error of the storage; `nil` while there is none.
  public var failure: StorageError? {
    beforeLook?()
    return state.withLock { $0.firstFailure }
  }

  /// Bytes queued and not yet appended to the storage.
  public var byteCount: Int { state.withLock { $0.count } }

  /// Bytes reported as durable, of all that were ever put; for tests.
  package var durableByteCount: UInt64 { state.withLock { $0.totalDurable } }

  /// Bytes requested to be durable, of all that were ever put; for tests.
  package var byteCountToSync: UInt64 { state.withLock { $0.syncTarget } }

  /// The longest sync so far, in nanoseconds.
  public var longestSync: Int64 { state.withLock { $0.longest } }

  // MARK: The flusher's end

  package enum FlusherStep {
    /// A piece was appended, a sync was made, or the storage failed.
    case worked
    /// There is nothing to do now.
    case idle
    /// The queue is closed and the storage finished: `nil` when every byte is durable, else the error.
    case finished(StorageError?)
  }

  /// One step of the flusher: appends a piece of the queue, syncs on request, or finishes the storage after ``close()``.
  ///
  /// After the first error nothing is appended until ``close()``. Then the queued bytes are tried once more: after a full
  /// disk, into the spare; if the file is gone from its path, into the file wherever it is.
  ///
  /// - Parameters:
  ///   - clock: Measures syncs.
  ///   - stopped: `nil` at first; then the error that stopped appending.
  ///   - waits: Whether to wait for something to do.
  package func flusherStep<Storage: LogStorage & ~Copyable, Clock: MonotonicClock>(
    _ storage: inout Storage, clock: Clock, _ stopped: inout StorageError?, waits: Bool
  ) -> FlusherStep {
    switch nextTask(isStopped: stopped != nil, waits: waits) {
    case .write(let piece):
      do {
        try storage.append(piece)
        drop(piece.count)
      } catch {
        stopped = fail(error)
      }
    case .sync(let target):
      let begin = clock.now()
      do {
        try storage.sync()
        synced(target, took: clock.now() - begin)
      } catch {
        stopped = fail(error, isSync: true)
      }
    case .finish: return .finished(finish(&storage, clock: clock, after: stopped))
    case nil: return .idle
    }
    return .worked
  }

  private enum Task {
    case write(UnsafeRawBufferPointer)
    case sync(upTo: UInt64)
    case finish
  }

  /// The next task; waits for one, or returns `nil` when there is none.
  private func nextTask(isStopped: Bool, waits: Bool) -> Task? {
    while true {
      let task = state.withLock { state in
        let task = self.task(in: state, isStopped: isStopped)
        state.isFlusherWaiting = task == nil && waits
        return task
      }
      guard task == nil, waits else { return task }
      // A signal ends a wait early, hence `while`.
      sem_wait(wakeUp)
    }
  }

  private func task(in state: State, isStopped: Bool) -> Task? {
    if !isStopped {
      if state.syncTarget > state.totalDurable, state.totalWritten >= state.syncTarget {
        return .sync(upTo: state.totalWritten)
      }
      if state.count > 0 { return .write(firstPiece(of: state)) }
    }
    return state.isClosed ? .finish : nil
  }

  /// The next bytes, at most to the end of the buffer.
  private func firstPiece(of state: State) -> UnsafeRawBufferPointer {
    let length = min(state.count, capacity - state.head, FlushQueue.largestPiece)
    return UnsafeRawBufferPointer(rebasing: buffer[state.head..<state.head + length])
  }

  private func drop(_ bytes: Int) {
    state.withLock {
      $0.head = ($0.head + bytes) % capacity
      $0.count -= bytes
      $0.totalWritten += UInt64(bytes)
    }
  }

  private func synced(_ target: UInt64, took nanoseconds: Int64) {
    state.withLock {
      if !$0.isSyncDoubtful { $0.totalDurable = max($0.totalDurable, target) }
      $0.longest = max($0.longest, nanoseconds)
    }
  }

  private func fail(_ error: StorageError, isSync: Bool = false) -> StorageError {
    state.withLock {
      if isSync { $0.isSyncDoubtful = true }
      if $0.firstFailure == nil { $0.firstFailure = error }
    }
    return error
  }

  private func finish<Storage: LogStorage & ~Copyable, Clock: MonotonicClock>(
    _ storage: inout Storage, clock: Clock, after stopped: StorageError?
  ) -> StorageError? {
    var result = stopped
    // A file that is gone from its path may still exist in its moved directory.
    if let stopped, stopped.isFull || stopped.isGone {
      do {
        while let piece = state.withLock({ $0.count > 0 ? firstPiece(of: $0) : nil }) {
          try storage.append(piece)
          drop(piece.count)
        }
        if stopped.isFull, !state.withLock({ $0.isSyncDoubtful }) { result = nil }
      } catch {
        result = fail(error)
      }
    }
    let begin = clock.now()
    do {
      try storage.finish()
      let total = state.withLock { $0.totalWritten }
      synced(total, took: clock.now() - begin)
    } catch {
      result = fail(error, isSync: true)
    }
    return result
  }
}

/// From the encoder to a ``FlushQueue``, or to the storage itself where time is simulated:
///
///     records ──► LogEncoder ──► drain(into:) ──► FlushQueue ─ ─► storage
///
/// Refused bytes stay in the encoder and are offered again. While ``backlog`` is not 0, samples stay in the ring.
extension LogEncoder {
  /// An encoder for a recording whose header is already in the storage; throws ``LogError/description(_:)``.
  public static func after(_ header: RecordingDescription) throws(LogError) -> LogEncoder {
    do {
      var encoder = try LogEncoder(header)
      encoder.consumeOutput(encoder.headerByteCount)
      return encoder
    } catch {
      throw .description(error)
    }
  }

  /// Bytes that are encoded and not drained.
  public var backlog: Int { output.count }

  /// Queues the encoded bytes; `false` when the queue has no room for the rest.
  public mutating func drain(into queue: FlushQueue) -> Bool {
    while backlog > 0 {
      let piece = firstPiece
      guard queue.put(piece) else { return false }
      consumeOutput(piece.count)
    }
    return true
  }

  /// Appends the encoded bytes to the storage. After an error with ``StorageError/isFull`` the refused bytes are still here:
  /// finish, and drain once more into the storage's spare.
  public mutating func drain<Storage: LogStorage & ~Copyable>(
    into storage: inout Storage
  ) throws(StorageError) {
    while backlog > 0 {
      let piece = firstPiece
      try storage.append(piece)
      consumeOutput(piece.count)
    }
  }

  /// Safe: valid until the encoder changes, which is after the piece was copied or written.
  private var firstPiece: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: output.prefix(FlushQueue.largestPiece))
  }
}
