import Export
import IMUModel
import LogStore
import Testing

@Suite("Raw export")
struct RawExportTests {
  private func raw(_ bytes: [UInt8], _ options: ExportOptions = ExportOptions(format: .raw)) throws
    -> [UInt8]
  {
    var sink = ArraySink()
    _ = try Exporter(options).write(ArrayStorage(bytes), to: &sink)
    return sink.bytes
  }

  @Test("a finished log comes out byte by byte")
  func whole() throws {
    let bytes = try TestLog.ramp(TestLog.description(), Array(-3000..<3000)).bytes()
    #expect(bytes.count > 3 * 4096)
    #expect(try raw(bytes) == bytes)
  }

  @Test("pages of zeros behind what was written are left out, zeros within a page are kept")
  func zeros() throws {
    var log = TestLog(TestLog.description())
    log.sample(0, 0, RawSample())
    let bytes = try log.bytes()
    let padded = bytes + [UInt8](repeating: 0, count: 2 * 4096 - bytes.count)
    #expect(try raw(padded + [UInt8](repeating: 0, count: 70_000)) == padded)
    #expect(try raw(padded) == padded)
  }

  @Test("what is no log is refused")
  func foreign() throws {
    var result: ExportError?
    do { _ = try raw(Array("t_us,ax\n0,1\n".utf8)) } catch { result = error as? ExportError }
    guard case .log(.foreign) = result else {
      Issue.record("\(String(describing: result))")
      return
    }
  }

  @Test("a range or a choice of channels does not go with it")
  func options() throws {
    let bytes = try TestLog.ramp(TestLog.description(), [1]).bytes()
    #expect(throws: ExportError.optionNotSupported(option: "a time range", format: .raw)) {
      try raw(bytes, ExportOptions(format: .raw, from: 5))
    }
    #expect(throws: ExportError.optionNotSupported(option: "--channels", format: .raw)) {
      try raw(bytes, ExportOptions(format: .raw, channels: .gyro))
    }
  }
}
