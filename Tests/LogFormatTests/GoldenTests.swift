// SPDX-License-Identifier: Apache-2.0

import Foundation
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Testing

/// Logs that were made once, beside their content as JSON: neither the meaning of old logs nor the encoder's
/// output may change unnoticed, and other implementations can be tried with them.
@Suite("A golden log")
struct GoldenTests {
  static let encoded = [
    "constant", "fixed-0", "fixed-1", "fixed-2", "fixed-3", "linear", "offset", "wasted-bits",
    "lattice", "escape", "wide-escape", "partitions", "zero-partition", "repeats", "tick-offset",
    "tick-steps", "gaps", "marks", "clock-pairs", "sensor-events", "end", "several-pages",
    "accelerometer-only", "flushes", "extremes", "odd-rate", "recovered", "imported-hole",
    "frozen", "readings", "stamps", "certificate", "kernel-clocks",
    "magnetometer",
  ]
  /// Logs that no encoder writes, or none yet.
  static let handmade = [
    "head-of-256", "many-chunks", "step-parameter", "long-codes", "short-history", "only-repeats",
    "times-predicted", "wasted-bits-begin", "partition-lengths", "linear-ends", "constant-values",
    "lattice-begins", "gaps-in-pages", "to-be-skipped", "header-text", "header-copy",
  ]
  /// Logs that no reader may believe.
  static let damaged = [
    "damaged-chunk", "damaged-page-header", "damaged-first-page", "damaged-first-chunk",
    "foreign-pages", "unwritten-page", "cut-in-chunk",
    "cut-in-page-header", "bytes-behind", "reserved-bits", "kind-0", "ticks-go-back",
    "times-out-of-range",
  ]
  static let refused = ["no-header", "damaged-header", "later-version"]
  static let intact = encoded + handmade
  static let all = intact + damaged + refused

  private func resource(_ name: String) throws -> Data {
    let folder = try #require(Bundle.module.resourceURL)
    return try Data(contentsOf: folder.appendingPathComponent("Golden/\(name)"))
  }

  private func log(_ name: String) throws -> [UInt8] { Array(try resource("\(name).imulog")) }

  private func twin(_ name: String) throws -> GoldenTwin {
    try GoldenTwin(resource("\(name).json"))
  }

  /// The bytes that the twin describes.
  private func bytes(_ twin: GoldenTwin) throws -> [UInt8] {
    let description = try twin.description()
    return try twin.byHand?.bytes(description) ?? encode(twin.events(), description)
  }

  @Test("equals its twin, byte by byte", arguments: all)
  func isMade(name: String) throws {
    #expect(try bytes(twin(name)) == log(name))
  }

  @Test("decodes to its twin, page by page", arguments: intact)
  func decodes(name: String) throws {
    let twin = try twin(name)
    let content = try LogContent(decoding: log(name))
    let expected = try LogContent(of: twin.events(), twin.description())
    #expect(content.samples == expected.samples)
    #expect(content.readings == expected.readings)
    #expect(content.field == expected.field)
    #expect(content.others.filter { $0.unknownKind == nil } == expected.others)
    #expect(try content.others.compactMap(\.unknownKind) == twin.unknownKinds())
    #expect(content.damage.isEmpty)
  }

  @Test("is read like its twin, with the same parts skipped", arguments: intact + damaged)
  func isRead(name: String) throws {
    let twin = try twin(name)
    let found = try StoredLog(log(name))
    let expected = try LogContent(of: twin.events(), twin.description())
    #expect(found.samples == expected.samples)
    #expect(found.others == expected.others)
    #expect(found.readings == expected.readings)
    #expect(found.field == expected.field)
    #expect(found.description.sensor.field == expected.description.sensor.field)
    #expect(found.damage == twin.damages)
    #expect(found.description.note == expected.description.note)
    #expect(found.description.recoveredFrom == expected.description.recoveredFrom)
    #expect(found.description.channels == expected.description.channels)
    #expect(found.description.rate == expected.description.rate)
    #expect(found.description.timeUnit == expected.description.timeUnit)
  }

  @Test("without a header that can be decoded is refused", arguments: refused)
  func isRefused(name: String) throws {
    #expect(try twin(name).isRefused)
    #expect(throws: LogError.self) { _ = try StoredLog(log(name)) }
  }

  /// Where to write the logs of new twins; not set in a test run.
  private static let folder = ProcessInfo.processInfo.environment["IMULOG_WRITE_GOLDEN"]

  @Test(
    "is made from its twin when a folder is named", .enabled(if: folder != nil), arguments: all)
  func makes(name: String) throws {
    let path = try #require(GoldenTests.folder) + "/\(name).imulog"
    try Data(bytes(twin(name))).write(to: URL(fileURLWithPath: path))
  }
}

extension LogRecord {
  /// The kind of a skipped record.
  fileprivate var unknownKind: Int64? {
    if case .unknown(let kind, _) = self { Int64(kind) } else { nil }
  }
}
