// SPDX-License-Identifier: Apache-2.0

import Export
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
        // Jitter up to equal times, samples that come late and together, and now and then a hole.
        times.append(max(times.last ?? .min, due + Int64(generator.next() % 18) * unit))
        if generator.next() % 300 == 0 { times[times.count - 1] += 50 * unit }
        due += 20 * unit
        if generator.next() % 500 == 0 { due += 1_000_000 * unit }
      }
      let text = table(columns, times, seed: 2)
      let log = try Imports.log(Imports.csv(text))
      #expect(try TestLog.export(log, Self.counts).text == text)
    }
  }

  @Test("the unit of times is the coarsest that all of them are multiples of")
  func timeUnits() throws {
    func unit(_ times: [Int64]) throws -> Int64 {
      try Imports.csv(table(["ax"], times, seed: 3)).description.timeUnit
    }
    #expect(try unit([0, 1_000_000, 5_000_000]) == 1_000_000)
    #expect(try unit([0, 1_000_000, 5_001_000]) == 1000)
    #expect(try unit([0, 1_000_000, 5_001_001]) == 1)
    #expect(try unit([-1_500_000, 0]) == 1000)
  }

  @Test("extreme times and counts come back")
  func extremes() throws {
    let text = """
      t_ns,ax,ay
      -4611686018427387903,-32768,32767
      0,32767,-32768
      4611686018427387903,0,-1

      """
    var options = Imports.options
    options.rate = hertz(10)
    let log = try Imports.log(Imports.csv(text, options))
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
      let importer = try Imports.phone(text)
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

  /// The numbers in a document's list of coordinates.
  private func values(_ document: String) throws -> [Double] {
    var values: [Double] = []
    for part in document.split(separator: ":") {
      let digits = part.prefix { $0.isNumber || $0 == "-" || $0 == "." }
      let rest = part.dropFirst(digits.count)
      if rest.hasPrefix(",\"y\"") || rest.hasPrefix(",\"z\"") || rest.hasPrefix("}") {
        values.append(try #require(Double(digits)))
      }
    }
    // After the list stand date and duration, which the last brace ends.
    values.removeLast()
    return values
  }
}
