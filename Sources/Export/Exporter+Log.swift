import LogFormat
import LogStore

extension Exporter {
  /// The log's own bytes, without pages of zeros at the end: space that was made ahead and not written.
  ///
  /// A log's last byte may well be a zero, so nothing less than a page is taken off.
  func writeLog<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ storage: inout Storage, to sink: inout Sink
  ) throws(ExportError) {
    let length = try writtenLength(&storage)
    var offset: UInt64 = 0
    while offset < length {
      let room = try sink.reserve(reservationLimit)
      // Safe: the sink gave `reservationLimit` bytes, which are overwritten up to `count`.
      let buffer = UnsafeMutableRawBufferPointer(
        start: room, count: Int(min(UInt64(reservationLimit), length - offset)))
      let count = try read(&storage, at: offset, into: buffer)
      // A file that was cut by somebody else meanwhile.
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
      let verification = try reader.verify()
      return Report(samples: verification.sampleCount, damages: verification.damageCount)
    } catch {
      if case .storage = error { throw .log(error) }
      // No reader gets beyond such a header: all of it is one damage.
      return Report(samples: 0, damages: 1)
    }
  }

  private func writtenLength<Storage: LogStorage & ~Copyable>(_ storage: inout Storage)
    throws(ExportError) -> UInt64
  {
    let pageSize = UInt64(LogFormat.pageSize)
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: LogFormat.pageSize, alignment: 16)
    defer { page.deallocate() }
    var end: UInt64
    do {
      end = try storage.size()
    } catch {
      throw .log(.storage(error))
    }
    while end > 0 {
      let begin = (end - 1) / pageSize * pageSize
      let count = try read(&storage, at: begin, into: page)
      if page[..<count].contains(where: { $0 != 0 }) { return end }
      end = begin
    }
    return 0
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
