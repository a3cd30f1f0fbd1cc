import Foundation
import IMUModel
import LogFormat
import Testing

/// Logs that were made once, beside their content as text: neither what old logs say nor what the encoder
/// writes may change unnoticed.
@Suite("A golden log")
struct GoldenTests {
  static let names = [
    "constant", "fixed-0", "fixed-1", "fixed-2", "fixed-3", "linear", "offset", "wasted-bits",
    "lattice",
    "escape", "wide-escape", "partitions", "zero-partition", "repeats", "tick-offset", "tick-steps",
    "gaps", "marks", "clock-pairs", "sensor-events", "end", "several-pages", "accelerometer-only",
    "flushes", "extremes",
  ]

  private func resource(_ name: String) throws -> [UInt8] {
    let folder = try #require(Bundle.module.resourceURL)
    return Array(try Data(contentsOf: folder.appendingPathComponent("Golden/\(name)")))
  }

  private func twin(_ name: String) throws -> GoldenTwin {
    try GoldenTwin(String(decoding: resource("\(name).txt"), as: UTF8.self))
  }

  @Test("decodes to its twin", arguments: names)
  func decodes(name: String) throws {
    let twin = try twin(name)
    let content = try LogContent(decoding: resource("\(name).imulog"))
    #expect(content == LogContent(of: twin.events, twin.description))
  }

  @Test("is what its twin encodes to", arguments: names)
  func encodes(name: String) throws {
    let twin = try twin(name)
    #expect(try encode(twin.events, twin.description) == resource("\(name).imulog"))
  }

  @Test("uses what its twin says, by the reference decoder", arguments: names)
  func usesFeatures(name: String) throws {
    let twin = try twin(name)
    let inspection = try Inspection(resource("\(name).imulog"), twin.description)
    #expect(inspection.samples == LogContent(of: twin.events, twin.description).samples)
    #expect(inspection.features.isSuperset(of: twin.features), "\(inspection.features)")
  }

  /// Where to write logs whose twins are new; not set in a test run.
  private static let folder = ProcessInfo.processInfo.environment["IMULOG_WRITE_GOLDEN"]

  @Test(
    "is made from its twin when a folder is named", .enabled(if: folder != nil), arguments: names)
  func makes(name: String) throws {
    let twin = try twin(name)
    let path = try #require(GoldenTests.folder) + "/\(name).imulog"
    try Data(encode(twin.events, twin.description)).write(to: URL(fileURLWithPath: path))
  }
}
