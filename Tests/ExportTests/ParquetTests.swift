// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import LogFormat
import TestSupport
import Testing

@Suite("Parquet")
struct ParquetTests {
  private static let started: Int64 = 1_763_800_000_123_456_789

  private func options(
    _ units: ExportUnits? = nil, channels: ExportChannels? = nil, from: Int64? = nil,
    to: Int64? = nil, gaps: ExportGaps? = nil
  ) -> ExportOptions {
    var options = ExportOptions(
      format: .parquet, units: units, channels: channels, from: from, to: to)
    options.gaps = gaps
    return options
  }

  private func read(_ log: TestLog, _ options: ExportOptions) throws -> ParquetReader {
    try ParquetReader(log.data(options))
  }

  /// The columns of the same recording's CSV.
  private func table(_ bytes: [UInt8], _ units: ExportUnits, uncertainty: Bool = false) throws
    -> [String: [Substring]]
  {
    let options = ExportOptions(format: .csv, units: units).with { $0.hasUncertainty = uncertainty }
    let rows = try TestLog.export(bytes, options).text.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    return Dictionary(
      uniqueKeysWithValues: rows[0].enumerated().map { index, name in
        (String(name), rows.dropFirst().map { $0[index] })
      })
  }

  private static let onlyX = TestLog.description(channels: ChannelSet(rawValue: 1))

  private static func bytes(_ hex: String) -> [UInt8] {
    hex.split(separator: " ").compactMap { UInt8($0, radix: 16) }
  }

  // Worked by hand from Encodings.md.
  @Test(
    "counts are packed as the specification says, bit for bit",
    arguments: [
      ([7, 5, 3, 1, 2, 3, 4, 5], "80 01 04 08 0e 03 02 00 00 00 c0 3f 00 00 00 00 00 00"),
      (
        [-1, 5, 3],
        "80 01 04 03 01 03 04 00 00 00 08 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
      ),
      ([5], "80 01 04 01 0a"),
      (Array(0...128), "80 01 04 81 01 00 02 00 00 00 00"),
    ])
  func packing(_ counts: [Int16], _ body: String) throws {
    let file = try read(.ramp(Self.onlyX, counts), options())
    #expect(file.columns["ax"]?.bodies == [Self.bytes(body)])
    #expect(file.integers("ax") == counts.map { Int64($0) })
  }

  @Test("a magnetometer's columns are those of the CSV, and empty where it has none")
  func field() throws {
    let log = TestLog.withField()
    let (file, table) = (try read(log, options()), try table(log.bytes(), .raw))
    for (place, name) in ["mx", "my", "mz", "m_lo_ns", "m_hi_ns"].enumerated() {
      let cells = file.columns[name]?.cells.map { cell -> String in
        switch cell {
        case .double(let value): "\(value)"
        case .integer(let value) where place > 2: "\(value)"
        case nil: ""
        default: "another kind"
        }
      }
      #expect(cells == table[name]?.map { String($0) }, "\(name)")
    }
    #expect(file.metadata["imulog.units.mx"] == "uT")
    #expect(file.metadata["imulog.words.m_lo_ns"] == "proved")
    #expect(file.metadata["imulog.field.model"] == "AK09916")
    #expect(try read(log, options().with { $0.isForHub = true }).columns["mx"] == nil)
  }

  @Test("values and times are those of the CSV, to the last bit", arguments: ExportUnits.allCases)
  func sameAsLines(_ units: ExportUnits) throws {
    var log = try TestLog.ramp(TestLog.description(), (-300...300).map { $0 * 109 })
    log.clock(50, wall: Self.started + 50)
    let file = try read(log, options(units))
    let table = try table(log.bytes(), units)
    #expect(file.rows == 601)
    #expect(file.integers("t_ns") == table["t_ns"]?.map { Int64($0) })
    for name in ["ax", "ay", "az", "gx", "gy", "gz", "temp"] {
      if units == .raw {
        #expect(file.integers(name) == table[name]?.map { Int64($0) })
      } else {
        #expect(file.doubles(name) == table[name]?.map { Double($0) })
      }
    }
    #expect(file.integers("t") == (0..<601).map { (Self.started + Int64($0) * 100_000_000) / 1000 })
  }

  @Test(
    "counts have their unit and scale, as an exact ratio, in metadata", arguments: [true, false])
  func scales(_ isRaw: Bool) throws {
    let file = try read(RecordFormatTests.threeSamples(), options(isRaw ? nil : .si))
    let metadata = file.metadata
    let scales = ["scale.ax", "scale.gz", "scale.temp", "offset.temp"].map {
      metadata["imulog.\($0)"]
    }
    let units = ["ax", "gz", "temp"].map { metadata["imulog.scaleUnit.\($0)"] }
    #expect(scales == (isRaw ? ["1/16384", "1/131", "1/340", "3653/100"] : [nil, nil, nil, nil]))
    #expect(units == (isRaw ? ["g", "deg/s", "degC"] : [nil, nil, nil]))
    #expect(metadata["imulog.units.ax"] == (isRaw ? "count" : "m/s^2"))
    #expect(metadata["imulog.id"] == TestLog.id.description)
    #expect(metadata["imulog.started"] == "2026-11-21T02:38:07.500Z")
    #expect(metadata["imulog.ticks.sampled"] == "3" && metadata["imulog.ticks.busError"] == "1")
    for name in file.names where TimeNames.needWord(name) {
      #expect(metadata["imulog.words.\(name)"] == (name == "t" ? "claimed" : "estimated"))
    }
    // No record has the 27 ticks before the last sample.
    #expect(metadata["imulog.ticks.scheduled"] == "31" && metadata["imulog.ticks.lost"] == "27")
  }

  @Test(
    "any number of rows is read back, also around the ends of blocks and pages",
    arguments: [
      0, 1, 2, 31, 32, 33, 127, 128, 129, 130, 257, 1024, 1025, 8191, 8192, 8193, 16_384, 16_500,
    ])
  func rowCounts(_ count: Int) throws {
    let counts = (0..<count).map { Int16(truncatingIfNeeded: $0 &* 7919) }
    let file = try read(.ramp(Self.onlyX, counts), options())
    #expect(file.rows == count)
    #expect(file.integers("ax") == counts.map { Int64($0) })
    #expect(file.integers("tick") == (0..<Int64(count)).map { $0 })
    #expect(file.rowGroups == (count == 0 ? [] : [count]))
    let pages = file.columns["ax"]?.pages.first ?? []
    #expect(pages.dropLast().allSatisfy { $0 == 8192 })
    #expect(pages.count == (count + 8191) / 8192)
  }

  @Test("a page begins where a step of time is so long that a reader would fail, and not elsewhere")
  func jumps() throws {
    let seconds: Int64 = 1_000_000_000
    var log = TestLog(Self.onlyX)
    log.clock(0, wall: Self.started)
    var times: [Int64] = []
    var time: Int64 = 0
    for tick in 0..<400 {
      switch tick {
      // Shorter and longer than 2^27 ns; than 2^27 µs; and once as long as a log's times can be.
      case 50: time += seconds / 10
      case 100: time += seconds / 5
      case 200: time += 300 * seconds
      case 300: time += 1 << 55
      default: break
      }
      time += 10_000_000 + Int64(tick * 7919 % 1000)
      times.append(time)
      log.sample(UInt64(tick), time, RawSample(ax: Int16(tick)))
    }
    let file = try read(log, options())
    #expect(file.integers("t_ns") == times)
    #expect(file.integers("t") == times.map { (Self.started + $0) / 1000 })
    #expect(file.columns["t_ns"]?.pages == [[100, 100, 100, 100]])
    #expect(file.columns["t"]?.pages == [[200, 100, 100]])
    #expect(file.columns["tick"]?.pages == [[400]])
    #expect(file.columns.values.allSatisfy { $0.widest <= 27 })
  }

  @Test("without a wall clock, times begin at zero, of no zone, and the metadata has no date")
  func noClock() throws {
    let log = try TestLog.ramp(Self.onlyX, [1, 2, 3])
    let file = try read(log, options())
    #expect(file.integers("t") == [0, 100_000, 200_000])
    let annotation = try #require(file.columns["t"]?.schema)[10]
    #expect(try annotation[8][1] == .flag(false))
    #expect(file.metadata["imulog.started"] == nil)
  }

  @Test("times before tick 0 and before 1970 are rounded down like all others")
  func negativeTimes() throws {
    var log = TestLog(Self.onlyX)
    log.description.sensor.model = SensorDescription.importedModel
    log.clock(0, wall: -1500)
    for (tick, time) in ([-2600, -1, 0, 999, 1000] as [Int64]).enumerated() {
      log.sample(UInt64(tick), time, RawSample())
    }
    let file = try read(log, options())
    #expect(file.integers("t_ns") == [-2600, -1, 0, 999, 1000])
    #expect(file.integers("t") == [-5, -2, -2, -1, -1])
  }

  @Test("a range has the samples, the gaps and the marks in it")
  func range() throws {
    var log = RecordFormatTests.threeSamples()
    log.mark(150_000_000, "in")
    log.mark(500_000_000, "out")
    let file = try read(log, options(from: 100_000_000, to: 300_000_000))
    #expect(file.integers("tick") == [2])
    #expect(file.texts("mark") == ["in"])
    #expect(file.metadata["imulog.ticks.scheduled"] == "2")
    #expect(file.metadata["imulog.range.from_ns"] == "100000000")
    #expect(file.metadata["imulog.range.to_ns"] == "300000000")
    let empty = try read(log, options(from: 600_000_000, to: 700_000_000))
    #expect(empty.rows == 0 && !empty.names.contains("mark"))
  }

  @Test("a mark is on the first row that is not before it, those of one row together")
  func marks() throws {
    var log = try TestLog.ramp(Self.onlyX, [1, 2, 3, 4, 5])
    for (time, label) in [
      (-5, "early"), (100_000_000, "at"), (100_000_001, ""), (150_000_000, "kerb; left"),
      (400_000_000, "last"), (400_000_001, "too late \"é\""),
    ] as [(Int64, String)] { log.mark(time, label) }
    let (bytes, report) = try TestLog.data(log.bytes(), options())
    let file = try ParquetReader(bytes)
    #expect(file.texts("mark") == ["early", "at", "; kerb; left", nil, "last"])
    #expect(report.remarks.count == 1)
    #expect(report.remarks.first?.hasPrefix("1 mark is after the last row") == true)
    #expect(
      file.metadata["imulog.marksAfterLastRow"]
        == #"[{"t_ns":400000001,"label":"too late \"é\""}]"#)
    let unmarked = try TestLog.data(TestLog.ramp(Self.onlyX, [1]).bytes(), options())
    #expect(try !ParquetReader(unmarked.bytes).names.contains("mark"))
    #expect(unmarked.report.remarks.isEmpty)
  }

  @Test("ticks without a sample have no rows, or one for each run of them")
  func gaps() throws {
    var log = TestLog()
    log.sample(0, 1234, RawSample(ax: 0, az: 16384))
    log.gap(1, 1, .busError, code: 121)
    log.sample(2, 200_000_017, RawSample(ax: -32768, az: -16384))
    log.gap(3, 20, .ringFull)
    log.gap(23, 7, .missed)
    log.sample(30, 3_000_000_000, RawSample(ax: 8192, az: 2))
    log.mark(310_000_000, "in a gap")
    #expect(try read(log, options()).integers("tick") == [0, 2, 30])
    let file = try read(log, options(gaps: .rows))
    #expect(file.integers("tick") == [0, 1, 2, 3, 23, 30])
    #expect(file.texts("gap") == [nil, "busError", nil, "ringFull", "missed", nil])
    #expect(file.integers("gap_ticks") == [nil, 1, nil, 20, 7, nil])
    #expect(file.integers("ax") == [0, nil, -32768, nil, nil, 8192])
    #expect(
      file.integers("t_ns")
        == [1234, 100_000_000, 200_000_017, 300_000_000, 2_300_000_000, 3_000_000_000])
    #expect(file.texts("mark")[4] == "in a gap")
    let si = try read(log, options(.si, gaps: .rows))
    #expect(si.doubles("az") == [9.80665, nil, -9.80665, nil, nil, 0.001197])
    #expect(try read(log, options(gaps: .leaveOut)).names == read(log, options()).names)
  }

  @Test("a page ends with its 8192nd row, also where rows of gaps and long steps are among them")
  func pagesWithGaps() throws {
    var log = TestLog(Self.onlyX)
    let count = 20_000
    // Ticks 100 and 9000 have no sample; from tick 12 000 on, times are a step later that no page holds.
    for tick in 0..<count {
      guard tick != 100, tick != 9000 else {
        log.gap(UInt64(tick), 1, .missed)
        continue
      }
      let late: Int64 = tick < 12_000 ? 0 : 1 << 40
      log.sample(
        UInt64(tick), Int64(tick) * 100_000_000 + late,
        RawSample(ax: Int16(truncatingIfNeeded: tick &* 7919)))
    }
    for units in [nil, ExportUnits.si] {
      let file = try read(log, options(units, gaps: .rows))
      #expect(file.integers("tick") == (0..<Int64(count)).map { $0 })
      let causes = file.texts("gap").enumerated().filter { $0.element != nil }.map(\.offset)
      #expect(causes == [100, 9000])
      #expect(file.columns["ax"]?.pages == [[8192, 8192, 3616]])
      #expect(file.columns["gap"]?.pages == [[8192, 8192, 3616]])
      #expect(file.columns["t_ns"]?.pages == [[8192, 3808, 8000]])
      guard units == nil else { continue }
      #expect(
        file.integers("ax")
          == (0..<count).map {
            $0 == 100 || $0 == 9000 ? nil : Int64(Int16(truncatingIfNeeded: $0 &* 7919))
          })
    }
  }

  @Test("--uncertainty has the bounds that CSV has")
  func uncertainty() throws {
    let log = try ChipExportTests.log()
    var options = options()
    options.hasUncertainty = true
    let file = try ParquetReader(TestLog.data(log.bytes, options).bytes)
    let table = try table(log.bytes, .raw, uncertainty: true)
    for name in ["t_ns", "t_lo_ns", "t_hi_ns"] {
      #expect(file.integers(name) == table[name]?.map { Int64($0) })
    }
    #expect(file.integers("t_lo_ns").contains { $0 != nil })
    var unproved = TestLog(Self.onlyX)
    unproved.description.clock = .chip(busClock: nil)
    unproved.sample(0, 1000, RawSample(ax: 1))
    let nothing = try ParquetReader(TestLog.data(unproved.bytes(), options).bytes)
    #expect(nothing.integers("t_lo_ns") == [nil] && nothing.integers("t_hi_ns") == [nil])
  }

  @Test("a row group ends at 2 MB, so that memory does not grow with the recording")
  func rowGroups() throws {
    let counts = (0..<100_000).map { Int16(truncatingIfNeeded: $0 &* 7919) }
    let log = try TestLog.ramp(TestLog.description(), counts)
    let file = try ParquetReader(TestLog.data(log.bytes(), options(.si)).bytes, readsValues: false)
    #expect(file.rowGroups.count == 3 && file.rows == counts.count)
    let sizes = try file.footer[4].elements.map { try $0[2].integer }
    // A page of 8192 rows may be above.
    #expect((2_000_000..<2_500_000).contains(sizes[0]))
  }
}
