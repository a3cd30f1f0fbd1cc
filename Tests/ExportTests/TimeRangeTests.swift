// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import LogStoreTesting
import TestSupport
import Testing

@Suite("Time ranges")
struct TimeRangeTests {
  /// Samples at 0, 100, 200, 500 and 600 ms, ticks 3 and 4 missed.
  private func log() -> TestLog {
    var log = TestLog(TestLog.description(channels: ChannelSet(rawValue: 1)))
    log.samples([0, 1, 2]) { RawSample(ax: Int16($0)) }
    log.gap(3, 2, .missed)
    log.mark(450_000_000, "here")
    log.event(5, .back, .none)
    log.samples([5, 6]) { RawSample(ax: Int16($0)) }
    return log
  }

  private func ticks(from: Int64?, to: Int64?) throws -> [String] {
    let options = ExportOptions(format: .csv, units: .raw, from: from, to: to)
    return try log().export(options).split(separator: "\n").dropFirst().map { line in
      String(line.split(separator: ",")[1])
    }
  }

  @Test("a sample at the beginning is in, one at the end is out")
  func edges() throws {
    #expect(try ticks(from: nil, to: nil) == ["0", "1", "2", "5", "6"])
    #expect(try ticks(from: 100_000_000, to: 500_000_000) == ["1", "2"])
    #expect(try ticks(from: 100_000_001, to: 500_000_001) == ["2", "5"])
    #expect(try ticks(from: 600_000_000, to: nil) == ["6"])
    #expect(try ticks(from: nil, to: 0) == [])
    #expect(try ticks(from: nil, to: 1) == ["0"])
    #expect(try ticks(from: -5, to: .max) == ["0", "1", "2", "5", "6"])
    #expect(try ticks(from: 300_000_000, to: 400_000_000) == [])
    #expect(try ticks(from: 500_000_000, to: 100_000_000) == [])
  }

  @Test("a range in the middle of a long recording is whole")
  func longRecording() throws {
    let description = TestLog.description(channels: ChannelSet(rawValue: 1), rate: hertz(1000))
    let counts = TestLog.noise(5000, seed: 7)
    let log = try TestLog.ramp(description, counts).bytes()
    // Ends everywhere in the pages and blocks, which end where they like.
    for end in stride(from: 2000, to: 4000, by: 100) {
      let options = ExportOptions(
        format: .csv, units: .raw, from: 1_500_000_000, to: Int64(end) * 1_000_000)
      let rows = (1500..<end).map { "\($0)000000,\(counts[$0])\n" }
      #expect(try TestLog.export(log, options).text == "t_ns,ax\n" + rows.joined())
    }
  }

  @Test("the document counts and lists the items in the range, and names the range")
  func document() throws {
    func lines(from: Int64?, to: Int64?) throws -> [String: String] {
      try JSONDocumentTests.lines(log().export(ExportOptions(from: from, to: to)))
    }
    let all = try lines(from: nil, to: nil)
    #expect(all["range"] == nil)
    #expect(
      all["ticks"]
        == #"{"scheduled":7,"sampled":5,"missed":2,"busError":0,"ringFull":0,"stale":0,"reinitialising":0,"lost":0,"frozen":0}"#
    )

    let part = try lines(from: 200_000_000, to: 400_000_000)
    #expect(part["range"] == #"{"from_ns":200000000,"to_ns":400000000}"#)
    // Tick 4 of the gap is after the range, and tick 3 before the next one.
    #expect(
      part["ticks"]
        == #"{"scheduled":2,"sampled":1,"missed":1,"busError":0,"ringFull":0,"stale":0,"reinitialising":0,"lost":0,"frozen":0}"#
    )
    #expect(part["gaps"] == #"[{"t_ns":300000000,"tick":3,"count":1,"cause":"missed"}]"#)
    let rest = try lines(from: 400_000_000, to: 550_000_000)
    #expect(rest["gaps"] == #"[{"t_ns":400000000,"tick":4,"count":1,"cause":"missed"}]"#)
    #expect(rest["ticks"]?.hasPrefix(#"{"scheduled":2,"sampled":1,"missed":1,"#) == true)
    #expect(part["marks"] == "[]")
    #expect(part["sensorEvents"] == "[]")

    let end = try lines(from: 401_000_000, to: nil)
    #expect(end["range"] == #"{"from_ns":401000000,"to_ns":null}"#)
    #expect(end["gaps"] == "[]")
    #expect(end["marks"] == #"[{"t_ns":450000000,"label":"here"}]"#)
    #expect(end["sensorEvents"] == #"[{"t_ns":500000000,"tick":5,"kind":"back","fault":"none"}]"#)
  }

  @Test("exporting a range of a finished recording reads only the range, with the same result")
  func partRead() throws {
    let description = TestLog.description(channels: .all, rate: hertz(1000))
    var log = TestLog(description)
    log.clock(0, wall: 1_795_228_687_000_000_000)
    var generator = SeededGenerator(seed: 11)
    var tally = TickTally()
    var tick: UInt64 = 0
    while tick < 60_000 {
      if generator.next() % 700 == 0 {
        let count = 1 + generator.next() % 900
        log.gap(tick, count, .missed)
        tally.add(count, .missed)
        tick += count
      }
      if generator.next() % 900 == 0 { log.mark(Int64(tick) * 1_000_000, "\(tick)") }
      let sample = RawSample(&generator)
      log.sample(tick, Int64(tick) * 1_000_000 + Int64(generator.next() % 900_000), sample)
      tally.sampled += 1
      tick += 1
    }
    log.clock(Int64(tick) * 1_000_000, wall: 1_795_228_747_000_000_000, synchronised: true, .end)
    let open = try log.bytes()
    log.end(tally)
    let ended = try log.bytes()
    for _ in 0..<12 {
      let from = Int64(generator.next() % 60_000_000_000)
      let to = from + 1 + Int64(generator.next() % 3_000_000_000)
      let options = ExportOptions(from: from, to: to)
      let part = JSONDocumentTests.lines(try TestLog.export(ended, options).text)
      // A log without its end is read through.
      let whole = JSONDocumentTests.lines(try TestLog.export(open, options).text)
      for key in ["gaps", "marks", "ticks", "started", "clock", "range", "samples"] {
        #expect(part[key] == whole[key], "\(key) of \(from) to \(to) ns")
      }
      let disk = MemoryDisk(holding: ended)
      var sink = ArraySink()
      _ = try Exporter(options).write(MemoryStorage(disk), to: &sink)
      #expect(disk.snapshot.readByteCount < 4096 * (240 + Int(to - from) / 20_000_000))
      let table = ExportOptions(format: .csv, units: .raw, from: from, to: to)
      #expect(try TestLog.export(ended, table).text == TestLog.export(open, table).text)
    }
  }

  @Test("gaps of a table whose times do not begin at 0 have the times of the samples around them")
  func importedTimes() throws {
    let times = (Array(0..<300) + Array(360..<600)).map { 5_000_000_000 + Int64($0) * 10_000_000 }
    let log = try Imports.log(Imports.csv(Imports.table(times)))
    func lines(_ from: Int64?, _ to: Int64?) throws -> [String: String] {
      try JSONDocumentTests.lines(TestLog.export(log, ExportOptions(from: from, to: to)).text)
    }
    let gap = #"[{"t_ns":8000000000,"tick":300,"count":60,"cause":"lost"}]"#
    #expect(try lines(nil, nil)["gaps"] == gap)
    let part = gap.replacing("60", with: "10")
    #expect(try lines(8_000_000_000, 8_100_000_000)["gaps"] == part)
    #expect(try lines(8_000_000_000, 8_100_000_000)["ticks"]?.contains("\"lost\":10") == true)
    #expect(try lines(3_000_000_000, 3_100_000_000)["gaps"] == "[]")
  }
}
