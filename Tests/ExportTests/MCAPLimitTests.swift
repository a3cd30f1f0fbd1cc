// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import TestSupport
import Testing

@testable import Export

@Suite("Limits of MCAP: times, options, chunks")
struct MCAPLimitTests {
  @Test("without a wall clock times begin at 0, and metadata and a remark say so")
  func noClock() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.sample(0, 1234, RawSample())
    let (file, report) = try MCAPFile.export(log.bytes())
    #expect(file.messages.map(\.time) == [1234])
    #expect(file.metadata["imulog"]?["imulog.started"] == nil)
    #expect(
      file.metadata["imulog"]?["imulog.times"] == "nanoseconds from 0, for want of a wall clock")
    #expect(
      report.remarks == [
        "the recording has no date: programs show its first sample at 1970-01-01T00:00:00.000001234Z"
      ])
  }

  @Test(
    "times that seconds of 32 bits cannot hold are refused, whatever has them",
    arguments: [
      (-5_000_000_000, Int64(4_999_999_999)), (RecordingTime.limit - 1, 1),
      (1, 2_147_483_647_999_999_999), (0, Int64.min),
    ] as [(Int64, Int64?)])
  func refusedTimes(_ time: Int64, _ wall: Int64?) throws {
    let refusal = ExportError.timeNotHeld(at: time, started: wall, format: .mcap)
    #expect(refusal.exitStatus == .usage)
    var marked = TestLog(TestLog.description(channels: .accelerometer))
    if let wall { marked.clock(0, wall: wall) }
    marked.mark(time)
    #expect(throws: refusal) { try MCAPFile.export(marked) }
    var sampled = TestLog(TestLog.description(channels: .accelerometer))
    if let wall { sampled.clock(0, wall: wall) }
    sampled.sample(0, time, RawSample())
    #expect(throws: refusal) { try MCAPFile.export(sampled) }
  }

  @Test("the last nanosecond of 32-bit seconds, and the first one, are times")
  func extremeTimes() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.clock(0, wall: 2_147_483_647_999_999_998)
    log.sample(0, -2_147_483_647_999_999_998, RawSample())
    log.sample(1, 1, RawSample())
    #expect(try MCAPFile.export(log).messages.map(\.time) == [0, 2_147_483_647_999_999_999])
  }

  @Test("a part of a recording without a date has the times of the whole")
  func earlyPart() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.mark(-2_300_000_000)
    log.sample(0, -1_250_000_000, RawSample())
    log.gap(1, 59, .missed)
    log.sample(60, 5_000_000_000, RawSample())
    log.mark(5_500_000_000)
    log.endAsCounted()
    #expect(
      try MCAPFile.export(log.bytes()).file.messages.map(\.time)
        == [700_000_000, 1_750_000_000, 3_100_000_000, 8_000_000_000, 8_500_000_000])
    let options = ExportOptions(format: .mcap, from: 0)
    let (file, report) = try MCAPFile.export(log.bytes(), options)
    #expect(file.messages.map(\.time) == [3_100_000_000, 8_000_000_000, 8_500_000_000])
    #expect(
      file.metadata["imulog"]?["imulog.times"]
        == "nanoseconds from 0, for want of a wall clock, with 3 s added")
    #expect(
      report.remarks == [
        "the recording has no date: programs show its first sample at 1970-01-01T00:00:08Z, with 3 s added to its time"
      ])
  }

  @Test("the same in miniSEED and in CWA, whose times begin in 2000")
  func earlyTimesOfOthers() throws {
    let rows = (0..<200).map { "\(-1_250_000_000 + $0 * 10_000_000),7,-3,2\n" }.joined()
    let log = try Imports.log(Imports.csv("t_ns,ax,ay,az\n" + rows))
    let (data, seed) = try TestLog.data(log, ExportOptions(format: .mseed))
    // 1970, day 1, 0:00:00, 7500 tenths of a millisecond.
    #expect(Array(data[20..<30]) == [0x07, 0xB2, 0, 1, 0, 0, 0, 0, 0x1D, 0x4C])
    #expect(
      seed.remarks.contains {
        $0.contains("at 1970-01-01T00:00:00.750Z, with 2 s added to its time")
      },
      "\(seed.remarks)")
    let (_, sectors, cwa) = try CWATests.export(bytes: log)
    #expect(sectors.first?.time(period: 10_000_000) == 750_000_000)
    #expect(
      cwa.remarks.contains(
        "the recording has no date: its times begin in the year 2000, with 2 s added to them"),
      "\(cwa.remarks)")
  }

  @Test("a sentence says which time is refused, and the remedy")
  func refusalText() {
    #expect(
      ExportError.timeNotHeld(at: -5_000_000_000, started: nil, format: .mcap).description == """
        the recording has no date, so its times begin at 1970-01-01T00:00:00Z, and mcap holds times from 1970 to \
        2038-01-19T03:14:07Z, which excludes what happened 5 s before its beginning: choose a part with --from and \
        --to, or another --format
        """)
    for (format, words) in [
      (ExportFormat.mseed, "at 1970-01-01T00:00:00Z, and mseed holds times from 1970 to 2261,"),
      (
        .kalibr,
        "at 1970-01-01T00:00:00Z, and kalibr holds times from 1970-01-01T00:00:01Z to 2261,"
      ),
      (.csv, "at 1970-01-01T00:00:00Z, and csv holds times from 1678 to 2261,"),
      (.gyrodata, "at 1970-01-01T00:00:00Z, and gyrodata holds times from 1708 to 2261,"),
      (.cwa, "at 2000-01-01T00:00:00Z, and cwa holds times from 2000 to the end of 2063,"),
    ] {
      let refusal = ExportError.timeNotHeld(at: -1, started: nil, format: format)
      #expect(refusal.description.contains(words))
    }
  }

  @Test("a recording without samples is a file with the topic and the facts")
  func empty() throws {
    let (file, report) = try MCAPFile.export(
      TestLog(TestLog.description(channels: .gyroscope)).bytes())
    #expect(report.samples == 0)
    #expect(file.messages.isEmpty)
    #expect(Array(file.topics.keys) == ["/imu"])
    #expect(file.metadata["imulog"]?["imulog.ticks.sampled"] == "0")
  }

  @Test("many samples are several chunks of 512 KiB, in order, of at most 80 bytes a message")
  func chunks() throws {
    var generator = SeededGenerator(seed: 9)
    let counts = (0..<4000).map { _ in Int16(truncatingIfNeeded: generator.next() & 0xFFF) }
    let description = TestLog.description(
      channels: [.accelerometer, .gyroscope], rate: hertz(1000))
    let data = try TestLog.ramp(description, counts).data(ExportOptions(format: .mcap))
    let file = try MCAPFile(data)
    #expect(file.messages.map(\.sequence) == Array(0..<4000))
    #expect(file.chunks.count == 3)
    #expect(file.chunks.allSatisfy { $0.size <= 512 * 1024 })
    #expect(file.chunks[0].size > 512 * 1024 - 347)
    #expect(
      zip(file.chunks, file.chunks.dropFirst()).allSatisfy {
        $0.times.upperBound < $1.times.lowerBound
      })
    #expect(data.count < 4000 * 80)
  }

  @Test("chunks become larger when there are many, three times")
  func growingChunks() {
    let sizes = [0, 16383, 16384, 32767, 32768, 49151, 49152, 65536, .max].map {
      MCAPWriter.chunkSize(after: $0) / 1024
    }
    #expect(sizes == [512, 512, 1024, 1024, 2048, 2048, 4096, 4096, 4096])
    #expect(MCAPWriter.chunkSize(after: .max) == LZ4Frame.limit)
  }
}
