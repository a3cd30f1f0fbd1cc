// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

@testable import Import

/// Recordings made of tables, and of exports again.
enum Imports {
  /// Counts, whatever their size.
  static let options = given(units: "raw")

  /// What a user says about a file; objections are overridden.
  static func given(
    units: String? = nil, rate: SampleRate? = nil, accelerometerScale: Fraction? = nil,
    gyroscopeScale: Fraction? = nil
  ) -> ImportRequest {
    var request = ImportRequest(id: TestLog.id)
    (request.host, request.software, request.note) = ("lab", "imulog 0.1.0", "a note")
    request.units = units.flatMap { UnitsOption($0) }
    (request.rate, request.isAnyway) = (rate, true)
    (request.accelerometerScale, request.gyroscopeScale) = (accelerometerScale, gyroscopeScale)
    return request
  }

  /// A table with the times, in nanoseconds, and counts that go up by one.
  static func table(_ times: [Int64]) -> String {
    "t_ns,ax\n" + times.enumerated().map { "\($1),\($0 % 30_000)\n" }.joined()
  }

  static func csv(_ text: String, _ request: ImportRequest = options) throws(ImportError)
    -> ImportedRecording
  {
    try file(Array(text.utf8), request)
  }

  static func file(_ bytes: [UInt8], _ request: ImportRequest) throws(ImportError)
    -> ImportedRecording
  {
    try ImportedRecording(BytesSource(bytes), request)
  }

  /// The times and counts of all records.
  static func records(_ importer: consuming ImportedRecording) throws -> [TickRecord] {
    var records: [TickRecord] = []
    while let record = try importer.next() { records.append(record) }
    return records
  }

  /// The log that the imported recording becomes.
  static func log(_ importer: consuming ImportedRecording) throws -> [UInt8] {
    var encoder = try LogEncoder(importer.description)
    for pair in importer.clockPairs { encoder.append(pair) }
    while let record = try importer.next() { encoder.append(record) }
    encoder.finish(importer.end)
    return Array(encoder.output)
  }
}

/// A file in memory.
private final class BytesSource: SeekableSource {
  let name = "table.csv"
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var size: UInt64 { UInt64(bytes.count) }

  func another() -> BytesSource { BytesSource(bytes) }

  func seek(to offset: UInt64) { self.offset = Int(min(offset, size)) }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, bytes.count - offset)
    buffer.copyBytes(from: bytes[offset..<(offset + count)])
    offset += count
    return count
  }
}
