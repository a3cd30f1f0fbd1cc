/// Where one log's bytes are kept: append at the end, read anywhere, rewrite nowhere.
///
///     0            length                        size
///     |  appended  |  zeros made ahead (0 or more) |
///
/// Storage may hold more bytes than were appended; these are zeros until ``finish()`` cuts them,
/// and a log's reader takes zeros as "not written".
///
/// Two types conform: ``FileStorage``, and a memory storage in the tests that fails on request.
public protocol LogStorage: ~Copyable {
  /// What to call this storage in messages: a path.
  var name: String { get }

  /// Writes `bytes` after what was appended before, all or nothing as far as the log is concerned.
  ///
  /// An error with ``StorageError/isFull`` means that the bytes were not taken and that the spare
  /// is now open: the same bytes, and the few that end the log, can be appended once more and will
  /// fit as long as they are no more than the spare. Appended bytes are durable after the next
  /// ``sync()``.
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError)

  /// Makes everything appended durable.
  mutating func sync() throws(StorageError)

  /// Fills `buffer` from `offset` on and says how many bytes there were; 0 at the end of the
  /// storage.
  mutating func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(StorageError) -> Int

  /// Bytes that can be read, zeros made ahead included.
  mutating func size() throws(StorageError) -> UInt64

  /// Cuts zeros made ahead and makes the whole durable. Nothing is appended afterwards.
  mutating func finish() throws(StorageError)
}
