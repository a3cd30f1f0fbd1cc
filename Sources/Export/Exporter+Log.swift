import LogStore

extension Exporter {
  /// The log's own bytes, without pages of zeros at the end: space that was made ahead and not written.
  ///
  /// A log's last byte may well be a zero, so nothing less than a page is taken off.
  func writeLog<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ storage: inout Storage, from begin: UInt64 = 0, to sink: inout Sink
  ) throws(ExportError) {
    let length: UInt64
    do {
      length = try storage.writtenByteCount()
    } catch {
      throw .log(.storage(error))
    }
    try copy(&storage, begin..<max(begin, length), to: &sink)
  }

  /// Bytes of the log as they are.
  func copy<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ storage: inout Storage, _ range: Range<UInt64>, to sink: inout Sink
  ) throws(ExportError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let room = try sink.reserve(reservationLimit)
      // Safe: the sink gave `reservationLimit` bytes, which are overwritten up to `count`.
      let buffer = UnsafeMutableRawBufferPointer(
        start: room, count: Int(min(UInt64(reservationLimit), range.upperBound - offset)))
      let count = try read(&storage, at: offset, into: buffer)
      // A file that was cut by another program meanwhile.
      guard count > 0 else { return }
      sink.commit(count)
      offset += UInt64(count)
    }
  }

  /// What a reader finds in a log that was copied as it is.
  func inspect<Storage: LogStorage & ~Copyable>(_ storage: consuming Storage)
    throws(ExportError) -> Report
  {
    do {
      var reader = try LogReader(storage)
      let account = try reader.account()
      return Report(samples: account.sampleCount, damages: account.damageCount)
    } catch {
      if case .storage = error { throw .log(error) }
      // No reader gets beyond such a header: all of it is one damage.
      return Report(samples: 0, damages: 1)
    }
  }

  private func read<Storage: LogStorage & ~Copyable>(
    _ storage: inout Storage, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ExportError) -> Int {
    do {
      return try storage.read(at: offset, into: buffer)
    } catch {
      throw .log(.storage(error))
    }
  }
}
