// SPDX-License-Identifier: Apache-2.0

@testable import Export
import Import
import IMUModel
import TestSupport
import Testing

/// Documents and tables of this program with gaps, which come back.
@Suite("Own files with gaps come back")
struct OwnRoundTripTests {
  private static let counts = ExportOptions(format: .csv, units: .raw)

  /// The log's scales, and what a document without units needs.
  private static func request(_ format: ExportFormat, _ units: ExportUnits, _ log: TestLog)
    -> ImportRequest
  {
    let sensor = log.description.sensor
    return format == .json
      ? Imports.given()
      : Imports.given(
        units: units.rawValue, accelerometerScale: sensor.accelerometerScale,
        gyroscopeScale: sensor.gyroscopeScale)
  }

  /// 104 Hz: gaps at both ends and two of different causes in the middle.
  private static func log() throws -> TestLog {
    var log = TestLog(
      TestLog.description(
        rate: hertz(104), accelerometerScale: Fraction(122, 1_000_000),
        gyroscopeScale: Fraction(17_500, 1_000_000)))
    var generator = SeededGenerator(seed: 11)
    var tally = TickTally(sampled: 288)
    for gap in gaps {
      log.gap(gap.firstTick, gap.count, gap.cause)
      tally.add(gap.count, gap.cause)
    }
    for tick in 2..<300 as Range<UInt64> where !(100..<110).contains(tick) {
      var sample = RawSample(&generator)
      if tick == 7 { (sample.ax, sample.gz) = (-32768, 32767) }
      log.sample(tick, hertz(104).nanoseconds(atTick: tick) + 1234, sample)
    }
    log.end(tally)
    return log
  }

  private static let gaps = [
    Gap(firstTick: 0, count: 2, cause: .reinitialising),
    Gap(firstTick: 100, count: 6, cause: .busError), Gap(firstTick: 106, count: 4, cause: .missed),
    Gap(firstTick: 300, count: 3, cause: .ringFull),
  ]

  @Test(
    "gaps before the first sample, among samples and after the last one come back with their causes",
    arguments: [ExportFormat.csv, .ndjson, .json], [ExportUnits.raw, .si, .gDps])
  func whole(_ format: ExportFormat, _ units: ExportUnits) throws {
    let log = try Self.log()
    var options = ExportOptions(format: format, units: units)
    if format != .json { options.gaps = .rows }
    let text = try log.export(options)
    let request = Self.request(format, units, log)
    let importer = try Imports.csv(text, request)
    #expect(importer.end.tally.scheduled == 303 && importer.end.tally.lost == 0)
    #expect(importer.end.tally.ringFull == 3 && importer.end.tally.reinitialising == 2)
    #expect(importer.summary.hasSuffix("4 gaps of 15 ticks"))
    let records = try Imports.records(importer)
    #expect(records.compactMap(\.gap) == Self.gaps)
    #expect(
      records.filter { $0.kind == .sample }.map(\.tick) == Array(2..<100) + Array(110..<300))
    #expect(
      try TestLog.export(Imports.log(Imports.csv(text, request)), Self.counts).text
        == log.export(Self.counts))
  }

  @Test(
    "a magnetometer's values are left out, by name, and nothing else",
    arguments: [ExportFormat.csv, .ndjson, .json, .parquet, .mcap])
  func field(_ format: ExportFormat) throws {
    var log = TestLog.withField()
    // More than a reader of JSON holds at a time.
    for time in 2000..<5000 as Range<Int64> { log.field(time, 1, Int16(time), 1, -1) }
    var options = ExportOptions(format: format, units: format == .mcap ? .si : .raw)
    options.hasPreamble = format == .csv
    let request = format == .ndjson ? Self.request(format, .raw, log) : Imports.given()
    let bytes = try log.data(options)
    let importer = try Imports.file(bytes, request)
    let plain = ExportOptions(format: .csv, units: .raw, channels: .accel)
    if format != .ndjson {
      #expect(importer.remarks.contains { $0.contains("its magnetometer are left out") })
    }
    #expect(try TestLog.export(Imports.log(importer), plain).text == log.export(plain))
  }

  @Test("a table with a magnetometer's columns and units in its names is still this program's")
  func fieldByNames() throws {
    let log = TestLog.withField()
    let table = try log.export(
      ExportOptions(format: .csv, units: .gDps).with { $0.hasUnitNames = true })
    let importer = try Imports.csv(table, Imports.given())
    let plain = ExportOptions(format: .csv, units: .gDps, channels: .accel)
    #expect(try TestLog.export(Imports.log(importer), plain).text == log.export(plain))
  }

  @Test("gaps of a table come back where some rows begin the file", arguments: [0, 3, 100])
  func many(_ gaps: Int) throws {
    let lost = (0..<gaps).map { "{\"t_ns\":\($0)0,\"gap\":\"busError\",\"gap_ticks\":1}\n" }
    let rows = (gaps..<(gaps + 3)).map { "{\"t_ns\":\($0)0,\"ax\":0.\($0),\"ay\":-0.5}\n" }
    let request = Imports.given(units: "g")
    let importer = try Imports.csv((lost + rows).joined(), request)
    #expect(importer.end.tally.busErrors == UInt64(gaps) && importer.end.tally.sampled == 3)
  }

  /// A recording of these gaps and `ticks` ticks; each sample is some microseconds after its tick.
  private static func log(
    _ rate: SampleRate, ticks: UInt64, _ gaps: [Gap], late: (UInt64) -> Int64 = { _ in 0 },
    clock: Double = 1
  ) -> TestLog {
    var log = TestLog(TestLog.description(channels: .all, rate: rate))
    var tally = TickTally()
    var (tick, rest) = (0 as UInt64, gaps[...])
    while tick < ticks {
      if let gap = rest.first, gap.firstTick == tick {
        log.gap(gap.firstTick, gap.count, gap.cause)
        tally.add(gap.count, gap.cause)
        rest.removeFirst()
        tick += gap.count
        continue
      }
      let time = Int64((Double(rate.nanoseconds(atTick: tick)) * clock).rounded())
      var sample = RawSample()
      (sample.ax, sample.gz) = (Int16(tick % 3000) - 1500, Int16(tick % 17))
      sample.az = 16384 - Int16(tick % 5)
      log.sample(tick, time + 55_000 + Int64(tick % 7) * 9_000 + late(tick), sample)
      tally.sampled += 1
      tick += 1
    }
    log.end(tally)
    return log
  }

  /// Expects the rate, ticks, causes and counts of the log.
  private static func expectWhole(
    _ log: TestLog, _ rate: SampleRate, _ gaps: [Gap], _ format: ExportFormat, hasRows: Bool
  ) throws {
    var options = ExportOptions(format: format, units: .gDps)
    options.hasPreamble = format == .csv
    if hasRows { options.gaps = .rows }
    let text = try log.export(options)
    let importer = try Imports.csv(text, Imports.given())
    #expect(importer.description.rate == rate)
    let hasCauses = hasRows || format == .json
    let found = try Imports.records(importer).compactMap(\.gap)
    #expect(
      found
        == gaps.map {
          Gap(firstTick: $0.firstTick, count: $0.count, cause: hasCauses ? $0.cause : .lost)
        })
    #expect(
      try TestLog.export(Imports.log(Imports.csv(text, Imports.given())), counts).text
        == log.export(counts))
  }

  @Test(
    "gaps have the stated lengths and causes, however long they are and however often",
    arguments: [(ExportFormat.json, false), (.csv, true), (.csv, false)])
  func lengths(_ format: ExportFormat, _ hasRows: Bool) throws {
    let long = [
      Gap(firstTick: 128, count: 66, cause: .missed),
      Gap(firstTick: 273, count: 97_445, cause: .missed),
    ]
    let rate = hertz(973, per: 10)
    try Self.expectWhole(
      Self.log(rate, ticks: 97_884, long), rate, long, format, hasRows: hasRows)
    // Times alone would be those of 50 Hz.
    let even = (0..<250).map { Gap(firstTick: 2 * $0 + 1, count: 1, cause: .busError) }
    for (ticks, gaps) in [(499, Array(even.dropLast())), (900, even)] as [(UInt64, [Gap])] {
      try Self.expectWhole(
        Self.log(hertz(100), ticks: ticks, gaps), hertz(100), gaps, format, hasRows: hasRows)
    }
  }

  @Test(
    "the rate that was written with few digits comes back as a fraction",
    arguments: [
      hertz(973, per: 10), hertz(1000, per: 3), hertz(2125, per: 169), hertz(90_909, per: 10_000),
      hertz(1, per: 10), hertz(100),
    ],
    [ExportFormat.json, .csv])
  func rates(_ rate: SampleRate, _ format: ExportFormat) throws {
    for ticks in [1, 2, 400] as [UInt64] {
      try Self.expectWhole(Self.log(rate, ticks: ticks, []), rate, [], format, hasRows: false)
    }
  }

  @Test("a sample that was read late, and a chip off its rate, keep their ticks")
  func late() throws {
    let gaps = [Gap(firstTick: 60, count: 9, cause: .missed)]
    try Self.expectWhole(
      Self.log(hertz(100), ticks: 200, gaps) { $0 == 59 ? 95_000_000 : 0 }, hertz(100), gaps, .json,
      hasRows: false)
    for clock in [0.987, 1.013] {
      try Self.expectWhole(
        Self.log(hertz(104), ticks: 3000, gaps, clock: clock), hertz(104), gaps, .json,
        hasRows: false)
    }
  }

  @Test("a rate of the file that its times contradict is objected to")
  func contradiction() throws {
    let text = try Self.log(hertz(100), ticks: 300, [])
      .export(ExportOptions(format: .json, units: .gDps))
      .replacing("\n\"rate_hz\":100,", with: "\n\"rate_hz\":4,")
    var strict = Imports.given()
    strict.isAnyway = false
    let error = #expect(throws: ImportError.self) { _ = try Imports.csv(text, strict) }
    #expect(error?.remedy.contains("--anyway") == true)
    #expect(error.map { "\($0)".contains("states 4 Hz") } == true, "\(String(describing: error))")
    let request = Imports.given()
    #expect(try Imports.csv(text, request).description.rate == hertz(4))
  }

  /// An imported recording whose samples are up to `jitter` of a period early or late, with gaps of one to forty ticks,
  /// some of two causes.
  private static func irregular(
    _ rate: SampleRate, jitter: Double, _ generator: inout SeededGenerator
  ) -> TestLog {
    var description = TestLog.description(channels: .all, rate: rate)
    description.sensor.model = SensorDescription.importedModel
    var log = TestLog(description)
    var (tick, time, tally) = (0 as UInt64, 0 as Int64, TickTally())
    let causes: [GapCause] = [.lost, .missed, .busError]
    let period = 1e9 / rate.hertz
    while tick < 600 {
      if tick > 0, generator.next() % 40 == 0 {
        for _ in 0...Int(generator.next() % 2) {
          let count = generator.next() % 40 + 1
          let cause = causes[Int(generator.next() % 3)]
          log.gap(tick, count, cause)
          tally.add(count, cause)
          tick += count
          time += Int64(Double(count) * period)
        }
      }
      let step = period * (1 + jitter * (Double(generator.next() % 2001) / 1000 - 1))
      time += max(1, Int64(step))
      log.sample(tick, time, RawSample(&generator))
      tally.sampled += 1
      tick += 1
    }
    log.end(tally, .imported)
    return log
  }

  @Test(
    "random parts of an irregular recording keep times and counts, whole ones their gaps too",
    arguments: [0.2, 0.45, 0.9])
  func parts(_ jitter: Double) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    for round in 0..<12 {
      let rate = [hertz(2237, per: 9), hertz(104), hertz(1000, per: 3)][round % 3]
      let log = try Self.irregular(rate, jitter: jitter, &generator).bytes()
      let length = UInt64(600e9 / rate.hertz)
      var options = ExportOptions(format: .json, units: .raw)
      let isWhole = round % 4 == 0
      if !isWhole {
        let from = Int64(generator.next() % (length / 2))
        options.from = round % 4 == 3 ? nil : from
        options.to =
          round % 4 == 2 ? nil : from + Int64(length / 8 + generator.next() % (length / 2))
      }
      let text = try TestLog.export(log, options).text
      var table = options
      table.format = .csv
      let expected = try TestLog.export(log, table).text
      let request = Imports.given()
      let imported = try Imports.log(Imports.csv(text, request))
      (table.from, table.to) = (nil, nil)
      if isWhole { table.gaps = .rows }
      let wanted = isWhole ? try TestLog.export(log, table).text : expected
      #expect(
        try TestLog.export(imported, table).text == wanted, "seed \(seed), round \(round)")
    }
  }
}
