// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import Testing

@Suite("Raw export")
struct RawExportTests {
  private func raw(_ bytes: [UInt8], _ options: ExportOptions = ExportOptions(format: .raw)) throws
    -> [UInt8]
  {
    try TestLog.data(bytes, options).bytes
  }

  @Test("a finished log is exported byte by byte")
  func whole() throws {
    let counts = TestLog.noise(1000, seed: 5)
    var bytes = try TestLog.ramp(TestLog.description(), counts).bytes()
    #expect(bytes.count > 3 * 4096)
    #expect(try raw(bytes) == bytes)
    // Damaged ones too: the user may know how to mend a copied log.
    bytes[5000] ^= 1
    #expect(try raw(bytes) == bytes)
    bytes[0] ^= 1
    #expect(try raw(bytes) == bytes)
  }

  @Test("the report counts the samples in the copied bytes, and damage, even without a reader")
  func report() throws {
    func report(_ bytes: [UInt8]) throws -> Exporter.Report {
      try TestLog.data(bytes, ExportOptions(format: .raw)).report
    }
    var bytes = try TestLog.ramp(TestLog.description(), Array(repeating: 5, count: 300)).bytes()
    let whole = try report(bytes)
    #expect(whole.samples == 300 && whole.isWhole)
    bytes[bytes.count - 30] ^= 1
    #expect(try report(bytes).damages == 1)
    bytes[20] ^= 1
    let unreadable = try report(bytes)
    #expect(unreadable.samples == 0 && unreadable.damages == 1)
  }

  @Test("a followed log whose writer ended without an end is not whole", arguments: [false, true])
  func followed(hasEnd: Bool) throws {
    var log = TestLog(TestLog.description())
    log.sample(0, 0, RawSample())
    if hasEnd { log.end(TickTally(sampled: 1)) }
    // It was live when the export began.
    let options = ExportOptions(format: .raw).with { $0.isLive = true }
    var sink = ArraySink()
    let storage = try TestLog.storage(log.bytes())
    let report = try Exporter(options).follow(storage, to: &sink) { () throws(ExportError) in nil }
    #expect(report.isWhole == hasEnd && report.samples == 1)
  }

  @Test("pages of zeros after the last written byte are left out, zeros within a page are kept")
  func zeros() throws {
    var log = TestLog(TestLog.description())
    log.sample(0, 0, RawSample())
    let bytes = try log.bytes()
    let padded = bytes + [UInt8](repeating: 0, count: 4096 - bytes.count)
    #expect(try raw(padded + [UInt8](repeating: 0, count: 70_000)) == padded)
    #expect(try raw(padded) == padded)
  }
}
