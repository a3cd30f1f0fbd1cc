/// Where an export's bytes go.
///
/// Writers format straight into the sink's own memory: ``reserve(_:)`` room, write into it, then
/// ``commit(_:)`` what was written. Two types conform: ``FileDescriptorSink`` and ``ArraySink``.
public protocol ByteSink: ~Copyable {
  /// Room for at least `count` bytes, at most 64 KiB, valid until the next call on the sink.
  ///
  /// - Throws: ``ExportError/output(name:code:)`` when bytes committed before could not be passed on.
  mutating func reserve(_ count: Int) throws(ExportError) -> UnsafeMutableRawPointer

  /// Takes the first `count` bytes of the room reserved last; traps when they are more than were reserved.
  mutating func commit(_ count: Int)

  /// Takes bytes from elsewhere, in order after all that was committed.
  ///
  /// - Throws: ``ExportError/output(name:code:)`` when bytes could not be passed on.
  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ExportError)

  /// Passes on everything taken so far. Bytes that are never flushed are dropped.
  ///
  /// - Throws: ``ExportError/output(name:code:)`` when bytes could not be passed on.
  mutating func flush() throws(ExportError)
}

/// The most that a caller may reserve at once.
let reservationLimit = 64 * 1024

extension ByteSink where Self: ~Copyable {
  /// Takes the bytes of an array.
  mutating func write(_ bytes: [UInt8]) throws(ExportError) {
    // `withUnsafeBytes` of Swift 6.0 cannot pass a typed throw through; a result can.
    let result = bytes.withUnsafeBytes { (buffer) -> Result<Void, ExportError> in
      do throws(ExportError) {
        try write(buffer)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }
}
