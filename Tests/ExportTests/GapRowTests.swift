// SPDX-License-Identifier: Apache-2.0

import ChipClockTesting
import Export
import IMUModel
import LogFormat
import Testing

@Suite("Gaps as rows of a table")
struct GapRowTests {
  /// 10 Hz: samples 0, 1, 4, 5; two gaps of different causes between them, one after them.
  private func log() throws -> TestLog {
    var log = TestLog(TestLog.description(channels: ChannelSet(rawValue: 0b11)))
    for tick in [0, 1, 4, 5] as [UInt64] {
      log.sample(tick, Int64(tick) * 100_000_000 + 7, RawSample(ax: Int16(tick), ay: -5))
    }
    log.gap(2, 1, .busError, code: 121)
    log.gap(3, 1, .missed)
    log.gap(6, 3, .ringFull)
    log.endAsCounted()
    return log
  }

  private func options(_ format: ExportFormat) -> ExportOptions {
    ExportOptions(format: format, units: .raw).with { $0.gaps = .rows }
  }

  @Test("CSV has cause and length at the first tick, no values, and empty cells for samples")
  func table() throws {
    #expect(
      try log().export(options(.csv)) == """
        t_ns,ax,ay,gap,gap_ticks
        7,0,-5,,
        100000007,1,-5,,
        200000000,,,busError,1
        300000000,,,missed,1
        400000007,4,-5,,
        500000007,5,-5,,
        600000000,,,ringFull,3

        """)
  }

  @Test("NDJSON has records of their own")
  func records() throws {
    #expect(
      try log().export(options(.ndjson)) == """
        {"t_ns":7,"ax":0,"ay":-5}
        {"t_ns":100000007,"ax":1,"ay":-5}
        {"t_ns":200000000,"gap":"busError","gap_ticks":1}
        {"t_ns":300000000,"gap":"missed","gap_ticks":1}
        {"t_ns":400000007,"ax":4,"ay":-5}
        {"t_ns":500000007,"ax":5,"ay":-5}
        {"t_ns":600000000,"gap":"ringFull","gap_ticks":3}

        """)
  }

  @Test("labels, names with units and times of other forms stay in their columns")
  func columns() throws {
    var options = options(.csv)
    (options.hasLabels, options.time, options.hasUnitNames) = (true, .seconds, true)
    options.labels = [try RecordingLabel("a, b", from: 150_000_000, to: 350_000_000)]
    let lines = try log().export(options).split(separator: "\n")
    #expect(lines[0] == "t_s,ax_count,ay_count,label,gap,gap_ticks")
    #expect(lines[2] == "0.100000007,1,-5,,,")
    #expect(lines[3] == "0.200000000,,,\"a, b\",busError,1")
    #expect(lines[5] == "0.400000007,4,-5,,,")
  }

  @Test("the uncertainty of a gap's time is empty, as its values are")
  func bounds() throws {
    let options = options(.csv).with { $0.hasUncertainty = true }
    let log = try ChipExportTests.log(.stall(0.15e9), seconds: 4, at: 2e9)
    let lines = try TestLog.export(log.bytes, options).text.split(separator: "\n")
    #expect(lines.dropFirst().contains { !$0.hasSuffix(",,") })
    let width = lines[0].split(separator: ",").count
    #expect(lines[0].hasPrefix("t_ns,t_lo_ns,t_hi_ns,"))
    for line in lines {
      #expect(line.split(separator: ",", omittingEmptySubsequences: false).count == width)
    }
  }
}
