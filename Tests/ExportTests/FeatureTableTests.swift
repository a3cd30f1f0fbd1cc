// SPDX-License-Identifier: Apache-2.0

@testable import Export
import IMUModel
import LogFormat
import LogStore
import TestSupport
import Testing

/// The rows of seconds of a recording that begins at second 1000 of 1970.
@Suite("The table of features")
struct FeatureTableTests {
  private func rows(_ log: TestLog) throws -> [[Int64?]] {
    var reader = try LogReader(TestLog.storage(log.bytes()))
    var sink = ArraySink()
    _ = try Exporter.writeFeatures(of: &reader, labels: [], calibration: nil, to: &sink)
    let file = try ParquetReader(sink.bytes)
    let words = ["t", "t_error_ns"].map { file.metadata["imulog.words.\($0)"] }
    #expect(words == ["claimed", "proved"] && file.names.count { TimeNames.needWord($0) } == 2)
    let columns = ["t", "samples", "missing", "marks"].map { file.integers($0) }
    return columns[0].indices.map { row in
      [columns[0][row].map { $0 / 1_000_000 }] + columns.dropFirst().map { $0[row] }
    }
  }

  @Test("a mark counts in its own second, in a gap, before the first sample and after the last")
  func marks() throws {
    var log = TestLog()
    log.clock(0, wall: 1_000_000_000_000)
    log.samples(0..<10) { _ in RawSample(ax: 1, ay: -2, az: 16384, gx: 4) }
    log.gap(10, 40, .busError)
    log.samples(50..<65) { _ in RawSample(ax: 2, ay: -3, az: 16384, gx: 5) }
    for tenth in [85, 39, -5, 25, 35, 9, 59] as [Int64] { log.mark(tenth * 100_000_000) }
    #expect(
      try rows(log) == [
        [999, 0, 0, 1], [1000, 10, 0, 1], [1001, 0, 40, 0], [1002, 0, 0, 1], [1003, 0, 0, 2],
        [1005, 10, 0, 1], [1006, 5, 0, 0], [1008, 0, 0, 1],
      ])
  }
}
