// SPDX-License-Identifier: Apache-2.0

import Export
import Foundation
import IMUModel
import TestSupport
import Testing

@Suite("A file of several sensors")
struct TakeFileTests {
  private static let start: Int64 = 1_795_228_687_000_000_000

  /// A file of two recordings, whose sensors began 250 ms apart and whose wall clocks were read at other instants.
  private static func file(_ format: ExportFormat, _ channels: [ChannelSet] = [.all, .all]) throws
    -> [UInt8]
  {
    var sink = ArraySink()
    var file = TakeFile()
    for (index, name) in ["left", "b_2"].enumerated() {
      var log = TestLog(TestLog.description(channels: channels[index]))
      log.clock(0, wall: start + Int64(index) * 777_777_777)
      log.samples(0..<3) { RawSample(ax: Int16(100 * index) + Int16($0)) }
      log.mark(150_000_000, "mark of \(name)")
      log.endAsCounted()
      let options = ExportOptions(format: format).with { $0.takeDelay = Int64(index) * 250_000_000 }
      let report = try file.add(
        TestLog.storage(log.bytes()), of: name, by: Exporter(options), to: &sink)
      #expect(report.isWhole && report.samples == 3 && report.remarks == [])
    }
    try file.finish(to: &sink)
    return sink.bytes
  }

  @Test("has the rows of each sensor with its name, and times on one clock, in Parquet")
  func parquet() throws {
    let file = try ParquetReader(Self.file(.parquet))
    #expect(file.names.prefix(4) == ["sensor", "t", "t_ns", "tick"])
    #expect(file.texts("sensor") == ["left", "left", "left", "b_2", "b_2", "b_2"])
    let times: [Int64] = [0, 100, 200, 250, 350, 450].map { $0 * 1_000_000 }
    #expect(file.integers("t_ns") == times)
    #expect(file.integers("t") == times.map { (Self.start + $0) / 1000 })
    #expect(file.integers("tick") == [0, 1, 2, 0, 1, 2])
    #expect(file.integers("ax") == [0, 1, 2, 100, 101, 102])
    #expect(file.texts("mark") == [nil, nil, "mark of left", nil, nil, "mark of b_2"])
  }

  @Test("has the facts and the samples of one sensor after the other's in a page")
  func page() throws {
    let page = String(decoding: try Self.file(.html), as: UTF8.self)
    let parts = ["facts", "samples", "about-1", "facts-1", "samples-1"].map { "id=\"\($0)\">" }
    let places = parts.compactMap { page.range(of: $0)?.lowerBound }
    #expect(places == places.sorted() && places.count == parts.count)
    #expect(parts.allSatisfy { page.split(separator: $0).count == 2 })
    for delay in [0, 250_000_000] { #expect(page.contains("\"takeDelay_ns\":\(delay),")) }
    #expect(page.hasSuffix("</body>\n</html>\n") && page.split(separator: "</html>").count == 2)
  }

  @Test("refuses a sensor of other columns in Parquet")
  func columns() throws {
    expectRefusal("b_2 has other columns than the take's first sensor") {
      _ = try Self.file(.parquet, [.all, .accelerometer])
    }
    _ = try Self.file(.mcap, [.all, .accelerometer])
  }

  @Test("has topics of each sensor, and times on one clock, in MCAP")
  func messages() throws {
    let file = try MCAPFile(Self.file(.mcap))
    let topics = ["left", "b_2"].flatMap { ["/imu/\($0)", "/imu/\($0)/marks"] }
    #expect(Set(file.topics.keys).isSuperset(of: topics))
    for (name, delay) in [("left", 0), ("b_2", 250)] as [(String, UInt64)] {
      func times(_ topic: String) -> [UInt64] {
        file.messages.filter { $0.topic == topic }.map {
          ($0.time - UInt64(Self.start)) / 1_000_000
        }
      }
      #expect(times("/imu/\(name)") == [0, 100, 200].map { $0 + delay })
      #expect(times("/imu/\(name)/marks") == [150 + delay])
      let facts = file.metadata["imulog"]
      #expect(facts?["imulog.sensors.\(name).sensor.model"] == "MPU-6050")
      #expect(facts?["imulog.sensors.\(name).takeDelay_ns"] == "\(delay * 1_000_000)")
    }
  }
}
