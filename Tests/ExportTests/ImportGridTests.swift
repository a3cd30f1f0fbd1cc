// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import LogStore
import TestSupport
import Testing

@Suite("Holes in imported tables")
struct ImportGridTests {
  /// Times on a grid of `period` nanoseconds without some ticks.
  private func times(_ count: Int64, _ period: Int64, without holes: [Range<Int64>] = []) -> [Int64]
  {
    (0..<count).filter { tick in !holes.contains { $0.contains(tick) } }.map { $0 * period }
  }

  @Test("a hole is a gap with the cause lost, and the rate is that of the samples around it")
  func hole() throws {
    let fast = times(1000, 10_000_000, without: [300..<360])
    let found = try Imported(fast)
    #expect(found.rate == hertz(100))
    #expect(found.gaps == [300..<360])
    #expect(found.times == fast)
    #expect(found.remarks == ["60 ticks of table.csv have no sample, in 1 gap"])

    let slow = times(600, 100_000_000, without: [250..<350])
    #expect(try Imported(slow).rate == hertz(10))
    #expect(try Imported(slow).gaps == [250..<350])
    #expect(try Imported(times(600, 100_000_000)).gaps == [])
  }

  @Test("an imported table with holes is a whole recording that exports the same times")
  func roundTrip() throws {
    let all = times(5000, 5_000_000, without: [1..<2, 100..<103, 2000..<4000, 4998..<4999])
    let text = Imports.table(all)
    let log = try Imports.log(Imports.csv(text))
    var reader = try LogReader(ArrayStorage(log))
    let report = try reader.account()
    #expect(report.isIntact)
    #expect(report.gapCount == 4)
    #expect(report.counted.lost == 2005)
    let options = ExportOptions(format: .csv, units: .raw)
    #expect(try TestLog.export(log, options).text == text)
  }

  @Test("a hole of every length at every place is found")
  func everyHole() throws {
    for count in 4...12 as ClosedRange<Int64> {
      for length in 1...8 as ClosedRange<Int64> {
        for place in 1..<count - 1 {
          let hole = place..<place + length
          let found = try Imported(times(count + length, 10_000_000, without: [hole]))
          #expect(found.gaps == [hole], "\(count) samples, \(hole)")
          #expect(found.rate == hertz(100))
        }
      }
    }
  }

  @Test("holes of any length are found among samples with jitter, whatever the phase after them")
  func jitter() throws {
    var seed: UInt64 = 20_261_122
    for jitter in [0, 5, 12, 20, 30] as [Int64] {
      for _ in 0..<10 {
        seed += 1
        var generator = SeededGenerator(seed: seed)
        let period = Int64(generator.next() % 20_000_000) + 100_000
        var times: [Int64] = []
        var holes: [Range<Int64>] = []
        var (time, tick): (Int64, Int64) = (0, 0)
        for index in 0..<3000 {
          if index > 50, index < 2950, generator.next() % 300 == 0 {
            let length = Int64(1 + generator.next() % 100)
            holes.append(tick..<tick + length)
            // Anywhere between two ticks, as after a restart.
            let phase = length == 1 ? 0 : Int64(generator.next() % 40) - 20
            time += length * period + phase * period / 100
            tick += length
          }
          let shift = jitter == 0 ? 0 : Int64(generator.next() % UInt64(2 * jitter)) - jitter
          times.append(time + shift * period / 100)
          time += period
          tick += 1
        }
        times.sort()
        let found = try Imported(times)
        #expect(found.times == times)
        // With jitter of more than an eighth to both sides, a tick cannot be told from the phase.
        if jitter <= 12 {
          #expect(found.gaps == holes, "jitter \(jitter) %, seed \(seed)")
        } else {
          let lost = holes.reduce(0) { $0 + Int64($1.count) }
          #expect(found.gaps.count == holes.count, "jitter \(jitter) %, seed \(seed)")
          #expect(abs(Int64(found.ledger.lost) - lost) <= Int64(holes.count))
        }
      }
    }
  }

  @Test(
    "jitter of half a period to both sides is no hole and no surplus, and holes among it are counted"
  )
  func greatJitter() throws {
    for seed in 0..<20 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var all = (0..<4000).map { tick in
        Int64(tick) * 10_000_000 + Int64(generator.next() % 9_900_000) - 4_950_000
      }
      #expect(try Imported(all).gaps == [], "seed \(seed)")
      all.removeSubrange(1000..<1300)
      all.removeSubrange(3000..<3010)
      let found = try Imported(all)
      #expect(found.gaps.count == 2, "seed \(seed): \(found.gaps)")
      #expect(found.ledger.lost == 310, "seed \(seed)")
      #expect(found.rate == hertz(100))
    }
  }

  @Test("a clock that drifts against its rate, steadily or in waves, leaves no hole")
  func drift() throws {
    // 96.7 Hz for ten minutes would be 97 Hz but for more than a second.
    let steady = (0..<60_000).map { Int64(Double($0) * 1e9 / 96.7) }
    #expect(try Imported(steady).gaps == [])
    #expect(try Imported(steady, rate: hertz(97)).gaps == [])
    #expect(try Imported(steady, rate: hertz(97)).times == steady)
    var time = 0.0
    let waves = (0..<20_000).map { index in
      time += 10_000_000 * (1 + 0.03 * (Double(index % 4000) / 2000 - 1).magnitude)
      return Int64(time)
    }
    #expect(try Imported(waves).gaps == [])
  }

  @Test(
    "a loop that sleeps for a period and works for a while leaves no hole, and its own holes are found"
  )
  func sleepingLoop() throws {
    var generator = SeededGenerator(seed: 5)
    var time: Int64 = 0
    var times: [Int64] = []
    var holes: [Range<Int64>] = []
    for index in 0..<5000 as Range<Int64> {
      times.append(time)
      time += 10_000_000 + Int64(generator.next() % 2_000_000)
      if index % 500 == 499 {
        holes.append(index + 1 + Int64(holes.count)..<index + 2 + Int64(holes.count))
        time += 11_000_000
      }
    }
    holes.removeLast()
    #expect(try Imported(times).gaps == holes)
  }

  @Test("samples that were delayed and arrive in a burst are late and not lost")
  func heldUp() throws {
    for length in [1, 2, 3, 5, 12, 22, 23, 24, 25, 26, 30, 60] {
      var all = times(200, 10_000_000)
      for index in 100..<100 + length { all[index] = all[100 + length] - Int64(length) }
      let found = try Imported(all)
      #expect(found.gaps == [], "\(length) samples")
      #expect(found.times == all)
    }
  }

  @Test("delayed and lost samples at the same time are distinguished")
  func heldUpAndLost() throws {
    // 20 ticks without a sample, of which 6 come late and together.
    let late = (0..<6).map { 1_200_000_000 - Int64(6 - $0) * 100_000 }
    let all =
      times(100, 10_000_000) + late + times(100, 10_000_000).map { $0 + 1_200_000_000 }
    let found = try Imported(all)
    #expect(found.ledger.lost == 14)
    #expect(found.gaps.count == 1)
  }

  @Test("times that are coarser than the samples leave no hole")
  func coarse() throws {
    for rate in [300.0, 700, 850, 1100, 3000] {
      let all = (0..<2000).map { Int64(Double($0) * 1000 / rate) * 1_000_000 }
      let found = try Imported(all)
      #expect(found.gaps == [], "\(rate) Hz")
      #expect(abs(found.rate.hertz - rate) < rate / 100)
    }
  }

  @Test("holes in times of whole milliseconds are found at random places, with or without the rate")
  func denseMilliseconds() throws {
    for percent in [2, 5, 10, 12, 15, 20, 30, 45] as [UInt64] {
      var generator = SeededGenerator(seed: percent)
      let all = (0..<3000).filter { $0 == 0 || generator.next() % 100 >= percent }
        .map { Int64($0) * 1_000_000 }
      let ticks = UInt64((all.last ?? 0) / 1_000_000) + 1
      for rate in [nil, hertz(1000)] {
        let found = try Imported(all, rate: rate)
        #expect(found.rate == hertz(1000), "\(percent) %")
        #expect(found.ledger.scheduled == ticks, "\(percent) %")
        #expect(found.ledger.sampled == all.count)
      }
    }
  }

  @Test("times on the ticks of a rate that is given have their holes between these ticks alone")
  func exact() throws {
    for given in [300.0, 480, 700, 850, 950, 999] {
      let rate = try #require(SampleRate(decimal: "\(Int(given))"))
      let coarse = (0..<5000).map { Int64(Double($0) * 1000 / given) * 1_000_000 }
      #expect(try Imported(coarse, rate: rate).ledger.scheduled == 5000, "\(given) Hz")
    }
    // Rounded to milliseconds, every tenth tick and a whole second is lost.
    let holed = (0..<5000).filter { $0 % 10 != 7 && !(2000..<2700).contains($0) }
    let found = try Imported(
      holed.map { Int64((Double($0) / 0.7).rounded()) * 1_000_000 }, rate: hertz(700))
    #expect(found.ledger.scheduled == 5000)
    #expect(found.ledger.sampled == holed.count)
    // A clock that is off by a thousandth, which no grid of 1 kHz fits for long.
    var generator = SeededGenerator(seed: 4)
    let off = (0..<20_000).filter { $0 == 0 || generator.next() % 10 > 2 }
      .map { Int64(Double($0) * 1.001) * 1_000_000 }
    let lost = try Imported(off, rate: hertz(1000)).ledger.lost
    #expect(abs(Int64(lost) + Int64(off.count) - 20_000) < 40)
  }

  @Test(
    "jitter of nearly half a period hides no lost tick and makes none where the rate is given; a quarter nowhere"
  )
  func exactWithJitter() throws {
    // 952 Hz in whole milliseconds: rounding alone takes 95 % of a period.
    for missing in [[], [77], Array(stride(from: 5, to: 1990, by: 66))] {
      let all = (0..<2000).filter { !missing.contains($0) }
        .map { Int64((Double($0) * 1000 / 952 + 0.5).rounded(.down)) * 1_000_000 }
      let found = try Imported(all, rate: hertz(952))
      #expect(found.ledger.scheduled == 2000)
      #expect(found.gaps.map(\.lowerBound) == missing.map(Int64.init))
    }
    for jitter in [150, 200, 250, 300, 450] as [UInt64] {
      for seed in 1...8 as ClosedRange<UInt64> {
        let table = JitteringTable(jitter: jitter, lossOneIn: 20, seed: seed)
        let found = try Imported(table.times, rate: hertz(100))
        #expect(found.gaps.flatMap { $0 } == table.lost, "jitter \(jitter) ‰, seed \(seed)")
        guard jitter < 300 else { continue }
        let unaided = try Imported(table.times)
        #expect(unaided.rate == hertz(100), "jitter \(jitter) ‰, seed \(seed)")
        #expect(unaided.gaps == found.gaps, "jitter \(jitter) ‰, seed \(seed)")
      }
    }
  }

  @Test("a hole among bursts of ten samples has its true length")
  func bursts() throws {
    var all = (0..<2000).map { Int64($0 / 10) * 100_000_000 }
    #expect(try Imported(all).rate == hertz(100))
    all.removeSubrange(1000..<1060)
    for rate in [nil, hertz(100)] {
      let found = try Imported(all, rate: rate)
      #expect(found.ledger.lost == 60)
      #expect(found.rate == hertz(100))
    }
  }

  @Test("the short interval within bursts of six samples is not their period")
  func closeBursts() throws {
    let all = (0..<2000 as Range<Int64>).map { $0 / 6 * 60_000_000 + $0 % 6 * 100_000 }
    let found = try Imported(all)
    #expect(found.rate.hertz < 110)
    #expect(found.ledger.lost == 0)
  }

  @Test("few samples give a rate as far as they show one")
  func few() throws {
    #expect(try Imported([5]).rate == hertz(10))
    #expect(
      try Imported([5]).remarks
        == ["table.csv has one sample, which gives no rate: 10 Hz is assumed; give it with --rate"])
    #expect(try Imported([5], rate: hertz(7)).remarks == [])
    #expect(try Imported([0, 20_000_000]).rate == hertz(50))
    #expect(try Imported([0, 10_000_000, 30_000_000]).gaps == [2..<3])
    #expect(try Imported([0, 10_000_000, 1_000_000_000]).gaps == [2..<100])
    #expect(try Imported([0, 10_000_000, 27_000_000]).gaps == [])
    #expect(try Imported([0, 20_000_000, 30_000_000]).gaps == [1..<2])
    #expect(try Imported([0, 10_000_000, 23_000_000]).gaps == [])
    #expect(try Imported([0, 10_000_000, 990_000_000], rate: hertz(100)).gaps == [2..<99])
    #expect(try Imported([0, 36_000_000, 40_000_000, 44_000_000, 48_000_000]).gaps == [1..<9])
    #expect(try Imported([0, 3_000_000, 13_000_000, 23_000_000, 33_000_000]).gaps == [])
  }

  private static let misfits: [(String, [Int64], SampleRate?, String)] = [
    (
      "a sample too many", [0, 10, 20, 30, 40, 45, 50, 60, 70, 80, 90], nil,
      """
      line 7: at 100 Hz its sample and that of the row before it fall on one tick: if it is there twice, leave one out; if \
      samples jitter, or their rate is another one, give with --rate the rate at which they were taken
      """
    ),
    ("equal times", [0, 10, 20, 30, 40, 40, 50, 60, 70, 80, 90], nil, "line 7: at 100 Hz"),
    (
      "a rate that is half of the true one", [0, 10, 20, 30, 40, 50, 60, 70, 80, 90], hertz(50),
      "the times in table.csv are those of about 100 Hz and not of 50 Hz: correct --rate or leave it out"
    ),
    (
      "a rate that is half of the true one, in a long table", (0..<100).map { $0 * 10 },
      hertz(50), "are those of about 100 Hz and not of 50 Hz"
    ),
    (
      "a rate that is a tenth too low", (0..<100).map { $0 * 10 }, hertz(88),
      "the times in table.csv are those of about 100 Hz and not of 88 Hz: correct --rate or leave it out"
    ),
    (
      "two times at the ends of a log's range", [0, 9_223_372_036_854], nil,
      "the times in table.csv make a rate that no log can hold"
    ),
    (
      "times on no grid",
      (0..<100).map { $0 / 10 * 673 + [0, 1, 91, 93, 243, 283, 290, 590, 650, 653][Int($0) % 10] },
      nil, "line "
    ),
  ]

  @Test("times that fit no grid are refused, and the lines are named", arguments: misfits)
  func refused(_ name: String, _ times: [Int64], _ rate: SampleRate?, _ words: String) {
    var options = Imports.options
    options.rate = rate
    let error = Imports.csvError(Imports.table(times.map { $0 * 1_000_000 }), options)
    #expect(error?.description.contains(words) == true, "\(name): \(String(describing: error))")
  }

  @Test("times that stand still for a while are refused at their lines, however samples jitter")
  func stillForAWhile() {
    for seed in 5...8 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var all = times(200, 10_000_000).map { $0 + Int64(generator.next() % 9_000_000) }
      let place = 20 + Int(generator.next() % 160)
      all.insert(contentsOf: Array(repeating: all[place], count: 4), at: place)
      let error = Imports.csvError(Imports.table(all))
      guard case .line(_, let found, _) = error, (place + 2...place + 8).contains(found.line)
      else {
        Issue.record("seed \(seed), \(place): \(String(describing: error))")
        continue
      }
    }
  }

  @Test("samples whose times stand still are placed by the rate that is given")
  func still() throws {
    let found = try Imported([7, 7, 7, 7], rate: hertz(10))
    #expect(found.times == [7, 100_000_007, 200_000_007, 300_000_007])
    #expect(found.ledger.scheduled == 4)
    #expect(
      found.remarks == [
        "all times in table.csv are the same: --rate says how far samples are apart"
      ])
  }

  @Test("a rate above that of the samples makes gaps of the ticks between them")
  func decimated() throws {
    let found = try Imported(times(20, 20_000_000), rate: hertz(100))
    #expect(found.ledger.sampled == 20)
    #expect(found.ledger.lost == 19)
  }

  @Test("a hole that is longer than a log can count is refused")
  func hugeHole() {
    var options = Imports.options
    options.rate = SampleRate(4_000_000_000)
    let error = Imports.csvError(Imports.table([0, 1, 2, .max]), options)
    #expect(error == .line(name: "table.csv", line: 5, problem: .holeTooLong))
  }
}
