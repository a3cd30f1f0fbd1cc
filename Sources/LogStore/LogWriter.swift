public import IMUModel
import LogFormat

/// Joins an encoder to what takes its bytes: a ``FlushQueue`` when a flusher thread writes them, or
/// the storage itself where time is virtual.
///
///     records ──► LogEncoder ──► drain(into:) ──► FlushQueue ─ ─► storage
///
/// Bytes that are not taken stay in the encoder, in order, and are offered again. ``backlog`` says
/// how many: while there are any, the writer is to leave further samples in the ring.
public struct LogWriter: ~Copyable {
  private var encoder: LogEncoder

  /// A writer for a recording whose header is in the storage already.
  ///
  /// - Throws: ``LogError/description(_:)`` when the description cannot be a header.
  public init(after header: RecordingDescription) throws(LogError) {
    do {
      encoder = try LogEncoder(header)
    } catch {
      throw .description(error)
    }
    encoder.consumeOutput(encoder.headerByteCount)
  }

  /// Bytes encoded and not taken yet.
  public var backlog: Int { encoder.output.count }

  /// Bytes of the log so far, the header's included.
  public var byteCount: UInt64 { encoder.byteCount }

  /// Adds a sample, a gap or a sensor event, in order of ticks.
  public mutating func append(_ record: TickRecord) { encoder.append(record) }

  /// Adds a moment that the user marked.
  public mutating func append(_ mark: Mark) { encoder.append(mark) }

  /// Adds an instant on two clocks.
  public mutating func append(_ pair: ClockPair) { encoder.append(pair) }

  /// Encodes everything that was added; to be called before each sync.
  public mutating func flush() { encoder.flush() }

  /// Encodes everything that was added, and the end. Nothing may be added afterwards.
  public mutating func finish(_ end: RecordingEnd) { encoder.finish(end) }

  /// Queues what is encoded; `false` when the queue has no room for the rest of it.
  public mutating func drain(into queue: FlushQueue) -> Bool {
    while backlog > 0 {
      let piece = firstPiece
      guard queue.put(piece) else { return false }
      encoder.consumeOutput(piece.count)
    }
    return true
  }

  /// Appends what is encoded to the storage.
  ///
  /// After an error with ``StorageError/isFull`` the bytes that were not taken are still there:
  /// finish, and drain once more into the storage's spare.
  public mutating func drain<Storage: LogStorage & ~Copyable>(into storage: inout Storage)
    throws(StorageError)
  {
    while backlog > 0 {
      let piece = firstPiece
      try storage.append(piece)
      encoder.consumeOutput(piece.count)
    }
  }

  /// Safe: valid until the encoder changes, which it does only after the piece was copied or
  /// written.
  private var firstPiece: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: encoder.output.prefix(FlushQueue.largestPiece))
  }
}
