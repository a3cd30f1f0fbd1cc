// SPDX-License-Identifier: Apache-2.0

import Export
import FoundationEssentials
import IMUModel
import LogFormat
import TestSupport
import Testing

@Suite("Round trips")
struct RoundTripTests {
  private static let counts = ExportOptions(format: .csv, units: .raw)

  /// A table as an export writes it, from times and a source of counts.
  private func table(_ columns: [String], _ times: [Int64], seed: UInt64) -> String {
    var generator = SeededGenerator(seed: seed)
    var text = "t_ns," + columns.joined(separator: ",") + "\n"
    for time in times {
      text += "\(time)"
      for _ in columns { text += ",\(Int16(truncatingIfNeeded: generator.next()))" }
      text += "\n"
    }
    return text
  }

  @Test(
    "counts and times come back byte by byte",
    arguments: [
      (["ax", "ay", "az", "gx", "gy", "gz", "temp"], 1_000_000), (["ax", "ay", "az"], 1000),
      (["gx", "gy", "gz"], 1), (["ay", "temp"], 1), (["temp"], 1000),
    ] as [([String], Int64)])
  func counts(_ columns: [String], _ unit: Int64) throws {
    var generator = SeededGenerator(seed: 1)
    for first in [0, -7_000_000_000, 12_345_678] as [Int64] {
      var due = first * unit
      var times: [Int64] = []
      for _ in 0..<3000 {
        // Jitter, samples that come late and together, and now and then a hole.
        times.append(
          max(times.last.map { $0 + unit } ?? .min, due + Int64(generator.next() % 18) * unit))
        if generator.next() % 300 == 0 { times[times.count - 1] += 50 * unit }
        due += 20 * unit
        if generator.next() % 500 == 0 { due += 1_000_000 * unit }
      }
      let text = table(columns, times, seed: 2)
      let log = try Imports.log(Imports.csv(text))
      #expect(try TestLog.export(log, Self.counts).text == text)
    }
  }

  @Test("extreme times and counts come back")
  func extremes() throws {
    let text = """
      t_ns,ax,ay
      -4611686018427387903,-32768,32767
      0,32767,-32768
      4611686018427387903,0,-1

      """
    let log = try Imports.log(Imports.csv(text, Imports.given(units: "raw", rate: hertz(10))))
    #expect(try TestLog.export(log, Self.counts).text == text)
  }

  @Test("gyrodata comes back with the same values")
  func gyrodata() throws {
    var log = TestLog(TestLog.description(timeUnit: 1_000_000))
    log.clock(0, wall: 1_795_228_687_500_000_000)
    var generator = SeededGenerator(seed: 4)
    for tick in 0..<600 as Range<UInt64> {
      let sample = RawSample(&generator, channels: 6)
      log.sample(tick, Int64(tick) * 100_000_000, sample)
    }
    for channels in [ExportChannels.accel, .gyro] {
      let text = try log.export(ExportOptions(format: .gyrodata, channels: channels))
      let importer = try Imports.csv(text, Imports.given())
      #expect(importer.clockPairs.first?.wallAtStart == 1_795_228_687_500_000_000)
      let copy = try Imports.log(importer)
      // -32768 at ±2 g needs the next full scale: values agree to half of its count.
      let (again, _) = try TestLog.export(copy, ExportOptions(format: .gyrodata))
      #expect(try values(again).count == 1800)
      let pairs = try zip(values(text), values(again))
      let tolerance = channels == .accel ? 0.5 / 8192 : 0.5 / 65.5 * .pi / 180
      #expect(pairs.allSatisfy { abs($0 - $1) < tolerance * 1.01 })
    }
  }

  private static let wall: Int64 = 1_795_228_687_123_456_789

  /// A log of an LSM6DSO at 104 Hz, with a gap and counts at their ends.
  private func log() -> TestLog {
    var log = TestLog(
      TestLog.description(
        channels: [.accelerometer, .gyroscope], rate: hertz(104),
        accelerometerScale: Fraction(122, 1_000_000),
        gyroscopeScale: Fraction(17_500, 1_000_000)))
    log.clock(0, wall: Self.wall)
    var generator = SeededGenerator(seed: 11)
    for tick in 0..<300 as Range<UInt64> where !(100..<110).contains(tick) {
      var sample = RawSample(&generator)
      if tick == 7 { (sample.ax, sample.gz) = (-32768, 32767) }
      log.sample(tick, hertz(104).nanoseconds(atTick: tick) + 1234, sample)
    }
    return log
  }

  @Test("marks, labels, causes of gaps and sensor events come back from a document")
  func notes() throws {
    var log = TestLog()
    log.clock(0, wall: Self.wall)
    log.samples(0..<100) { RawSample(ax: Int16($0)) }
    log.event(100, .lost, .bus)
    log.gap(100, 10, .missed)
    log.samples(110..<300) { RawSample(ax: Int16($0)) }
    log.endAsCounted()
    log.mark(2_500_000_001, "jump")
    log.mark(-7)
    var options = ExportOptions(format: .json)
    options.labels = [
      try RecordingLabel("a & \u{e4}", from: -5, to: 1_000_000_001),
      try RecordingLabel("b", from: 7, to: 9),
    ]
    // With the mark that some editors put before a text.
    let importer = try Imports.csv("\u{FEFF}" + log.export(options), Imports.given())
    #expect(importer.clockPairs.first?.wallAtStart == Self.wall)
    #expect(
      importer.marks.sorted { $0.time < $1.time } == [
        Mark(time: -7), Mark(time: 2_500_000_001, label: "jump"),
      ])
    #expect(importer.labels == options.labels)
    #expect(importer.end.tally.missed == 10 && importer.end.tally.lost == 0)
    let records = try Imports.records(importer)
    #expect(records.compactMap(\.gap) == [Gap(firstTick: 100, count: 10, cause: .missed)])
    #expect(records.compactMap(\.sensorEvent) == [SensorEvent(tick: 100, kind: .lost, fault: .bus)])
  }

  @Test("a gcsv comes back exactly, and so does a table of Kalibr's")
  func tables() throws {
    let log = log()
    let expected = try log.export(Self.counts)
    let gcsv = try Imports.csv(log.export(ExportOptions(format: .gcsv)), Imports.given())
    #expect(gcsv.description.sensor.gyroscopeScale == Fraction(17_500, 1_000_000))
    #expect(gcsv.description.sensor.accelerometerScale == Fraction(122, 1_000_000))
    #expect(gcsv.clockPairs.first?.wallAtStart == Self.wall / 1_000_000_000 * 1_000_000_000)
    #expect(try TestLog.export(Imports.log(gcsv), Self.counts).text == expected)

    let kalibr = try Imports.csv(log.export(ExportOptions(format: .kalibr)), Imports.given())
    #expect(kalibr.clockPairs.first?.wallAtStart == Self.wall + 1234)
    let again = try TestLog.export(Imports.log(kalibr), Self.counts).text
    func rows(_ text: String) -> [Substring] {
      text.split(separator: "\n").map { $0[($0.firstIndex(of: ",") ?? $0.startIndex)...] }
    }
    #expect(rows(again) == rows(expected))
    #expect(again.hasPrefix("t_ns,ax,ay,az,gx,gy,gz\n0,"))
  }

  /// The numbers in a document's list of coordinates.
  private func values(_ document: String) throws -> [Double] {
    struct Document: Decodable { var coordinateList: [[String: Double]] }
    return try JSONDecoder().decode(Document.self, from: Data(document.utf8)).coordinateList
      .flatMap { row in try ["x", "y", "z"].map { try #require(row[$0]) } }
  }
}
