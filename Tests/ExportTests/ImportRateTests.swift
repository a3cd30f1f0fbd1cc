// SPDX-License-Identifier: Apache-2.0

import IMUModel
import TestSupport
import Testing

@Suite("Rates of imported tables")
struct ImportRateTests {
  /// Times, in nanoseconds, with these intervals in microseconds between them.
  private static func times(_ intervals: [Int64]) -> [Int64] {
    intervals.reduce(into: [0]) { times, interval in
      times.append((times.last ?? 0) + interval * 1000)
    }
  }

  private static func row(_ count: Int, _ interval: Int64) -> [Int64] {
    [Int64](repeating: interval, count: count)
  }

  struct Unsteady: CustomTestStringConvertible {
    let testDescription: String
    /// In microseconds.
    let intervals: [Int64]
    var line = 0
    let words: String
  }

  static let unsteady: [Unsteady] = [
    Unsteady(
      testDescription: "slower by a half", intervals: row(500, 10_000) + row(400, 14_900), line: 18,
      words: "from line 2 to here samples come at about 100 Hz and not at 82.1168 Hz"),
    Unsteady(
      testDescription: "now slow, now fast",
      intervals: Array(
        [[Int64]](repeating: row(100, 14_000) + row(100, 10_000), count: 5).joined()),
      line: 20, words: "samples come at about 71.4286 Hz and not at 83.3333 Hz"),
    Unsteady(
      testDescription: "ever slower",
      intervals: (0..<60).map { Int64(15_000 * Double($0).squareRoot()) },
      words: "the times are those of no fixed rate"),
    Unsteady(
      testDescription: "steady for long and then faster",
      intervals: row(20_000, 10_000) + row(200, 8_000),
      words: "the times are those of no fixed rate"),
  ]

  @Test("times whose rate changes are refused by the lines of the change", arguments: unsteady)
  func unsteadyRate(_ table: Unsteady) throws {
    let error = try #require(Imports.csvError(Imports.table(Self.times(table.intervals))))
    #expect(error.description.contains(table.words), "\(error)")
    #expect(error.description.hasSuffix("import the parts of the table separately"))
    #expect(table.line == 0 || error.description.contains(", line \(table.line): "), "\(error)")
  }

  @Test("samples that leave the ticks of the rate are accepted, and it is said how far and where")
  func departure() throws {
    let halves = Self.times(Self.row(500, 10_000) + Self.row(500, 11_000))
    let sentence = "at line 502 the samples of table.csv are 23 periods off the ticks of 95.2"
    let remarks = try Imported(halves).remarks
    #expect(remarks.count == 1)
    let remark = try #require(remarks.first)
    #expect(remark.hasPrefix(sentence) && remark.hasSuffix(" Hz: their rate changes"), "\(remark)")
    let other = (0..<6000).map { Int64(Double($0) * 1e9 / 96.7) }
    #expect(
      try Imported(other, rate: hertz(97)).remarks == [
        "at line 6001 the samples of table.csv are 18 periods off the ticks of 97 Hz: "
          + "their rate is another one, or changes"
      ])
    #expect(try Imported(other).remarks == [])
  }

  @Test("where times are rounded and none fits, --rate is the remedy")
  func roundedRefusal() throws {
    var generator = SeededGenerator(seed: 8)
    let all = (0..<3000).filter { _ in generator.next() % 22 != 0 }.map { tick in
      let jitter = (Double(generator.next() % 2001) / 1000 - 1) * 0.02
      return Int64(((Double(tick) + 0.3 + jitter) * 1000 / 657.64).rounded()) * 1_000_000
    }
    let error = Imports.csvError(Imports.table(all))
    #expect(
      error?.description.hasSuffix(
        "the times are rounded to about a period; give with --rate the rate at which the samples were taken"
      ) == true, "\(String(describing: error))")
    #expect(try Imported(all, rate: SampleRate(decimal: "657.64")).ledger.sampled == all.count)
  }

  /// Times at 100 Hz that jitter by thousandths of a period, and the ticks that are lost: about one of 30.
  private func jittering(_ jitter: UInt64, off: Double) -> (times: [Int64], lost: [Int64]) {
    var generator = SeededGenerator(seed: jitter)
    var (times, lost): ([Int64], [Int64]) = ([], [])
    for tick in 0..<8000 as Range<Int64> {
      let offset = Int64(generator.next() % (2 * jitter + 1)) - Int64(jitter)
      if (1..<7999).contains(tick), generator.next() % 30 == 0 {
        lost.append(tick)
      } else {
        times.append(Int64(Double(tick) * 1e7 * (1 + off)) / 1000 * 1000 + offset * 10_000)
      }
    }
    return (times, lost)
  }

  @Test("a rate that is given and a little off hides no lost tick among samples that jitter")
  func offGiven() throws {
    for (off, jitter) in [(0.0001, 200), (-0.0004, 300), (0.01, 200)] as [(Double, UInt64)] {
      let table = jittering(jitter, off: off)
      let found = try Imported(table.times, rate: hertz(100))
      #expect(found.rate == hertz(100))
      #expect(found.gaps.flatMap { $0 } == table.lost, "off by \(off)")
      let isSaid = found.remarks.contains {
        $0.hasSuffix(" Hz, which an import without --rate finds")
      }
      #expect(isSaid == (abs(off) > 0.0003), "off by \(off): \(found.remarks)")
    }
  }

  @Test("of samples in bursts, or few uneven ones, a remark says the remedy", arguments: [4, 8])
  func doubtfulRate(burst: Int64) throws {
    let bursts = (0..<3000 as Range<Int64>).map {
      $0 / burst * burst * 10_000_000 + $0 % burst * 100_000
    }
    let few: [Int64] = [
      0, 10_940, 24_930, 29_710, 45_180, 55_250, 64_670, 72_890, 85_190, 91_170, 591_830,
    ]
    for (times, reason) in [
      (bursts, "samples that come several at a time"),
      (few.map { $0 * 1000 }, "few samples, unevenly apart"),
    ] {
      let remark = "table.csv has \(reason), which says little about its rate; give it with --rate"
      #expect(try Imported(times).remarks.contains(remark))
      #expect(try !Imported(times, rate: hertz(100)).remarks.contains(remark))
    }
  }

  @Test("if rounded times allow two rates, a remark says so with the remedy")
  func doubt() throws {
    let rounded = (0..<2000).map { Int64((Double($0) * 1000 / 952).rounded()) * 1_000_000 }
    let sentence =
      "times in table.csv are rounded to about a period, so that lost ticks cannot be distinguished from a lower rate; "
      + "give the rate with --rate"
    #expect(try Imported(rounded).remarks.contains(sentence))
    #expect(try Imported(rounded, rate: hertz(952)).remarks == [])
    // Whole milliseconds of 412 Hz are as near to 588 Hz, at which ticks would be lost.
    for rate in [412, 429.51] {
      let all = (0..<2000).map { Int64((Double($0) * 1000 / rate).rounded()) * 1_000_000 }
      let mirrored = try Imported(all)
      #expect(abs(mirrored.rate.hertz - rate) < 1)
      #expect(mirrored.gaps == [])
    }
    // Times of a kilohertz without a hole leave no doubt.
    #expect(try Imported((0..<2000).map { Int64($0) * 1_000_000 }).remarks == [])
  }

  @Test("tables of known rates, jitter, losses, rounding and drift are imported as they were made")
  func random() throws {
    let seed: UInt64 = 20_261_122
    var generator = SeededGenerator(seed: seed)
    for index in 0..<60 {
      let period = 1e9 / [10, 97.3, 100, 208, 952, 6667][Int(generator.next() % 6)]
      let kind = index % 5
      let jitter = kind == 1 ? Double(generator.next() % 450) / 1000 : 0
      let loss: UInt64 = kind == 2 ? [1, 10, 50, 200][Int(generator.next() % 4)] : 0
      let drift = kind == 3 ? Double(generator.next() % 20) / 1000 : 0
      let unit: Int64 = kind == 4 ? 1000 : 1
      var (time, all, lost) = (0.0, [Int64](), [Int64]())
      for tick in 0..<1000 {
        let shift = (Double(generator.next() % 2001) / 1000 - 1) * jitter * period
        if loss > 0, (1..<999).contains(tick), generator.next() % 1000 < loss {
          lost.append(Int64(tick))
        } else {
          all.append(Int64(((time + shift) / Double(unit)).rounded()) * unit)
        }
        time += period * (1 + drift * (Double(tick) / 500 - 1))
      }
      let found = try Imported(all)
      #expect(found.gaps.flatMap { $0 } == lost, "seed \(seed), table \(index)")
      #expect(
        abs(found.rate.hertz * time / 1e9 / 1000 - 1) < 0.002,
        "seed \(seed), table \(index): \(found.rate)")
    }
  }
}
