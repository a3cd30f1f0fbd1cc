// SPDX-License-Identifier: Apache-2.0

import IMUModel
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

  @Test("a hole of every length at every place is found")
  func everyHole() throws {
    for count in [4, 5, 12] as [Int64] {
      for length in [1, 2, 8] as [Int64] {
        for place in 1..<count - 1 {
          let hole = place..<place + length
          let found = try Imported(times(count + length, 10_000_000, without: [hole]))
          #expect(found.gaps == [hole], "\(count) samples, \(hole)")
          #expect(found.rate == hertz(100))
        }
      }
    }
  }

  @Test("samples that were delayed and arrive in a burst are late and not lost")
  func heldUp() throws {
    for length in [1, 5, 24, 60] {
      var all = times(200, 10_000_000)
      for index in 100..<100 + length { all[index] = all[100 + length] - Int64(length) }
      let found = try Imported(all)
      #expect(found.gaps == [], "\(length) samples")
      #expect(found.times == all)
    }
  }

  @Test("times on the ticks of a rate that is given have their holes between these ticks alone")
  func exact() throws {
    for given in [300.0, 999] {
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

  struct Misfit: CustomTestStringConvertible {
    let testDescription: String
    /// In milliseconds.
    let times: [Int64]
    var rate: SampleRate?
    let words: String
  }

  private static let tens: [Int64] = (0..<100).map { $0 * 10 }
  static let misfits: [Misfit] = [
    Misfit(
      testDescription: "a sample too many", times: [0, 10, 20, 30, 40, 45, 50, 60, 70, 80, 90],
      words: """
        line 7: at 100 Hz its sample and that of the row before it fall on one tick: if it is there twice, leave one out; if \
        samples jitter, or their rate is another one, give with --rate the rate at which they were taken
        """),
    Misfit(
      testDescription: "equal times", times: [0, 10, 20, 30, 40, 40, 50, 60, 70, 80, 90],
      words: "line 7: at 100 Hz"),
    Misfit(
      testDescription: "half of the true rate", times: Array(tens[..<10]), rate: hertz(50),
      words:
        "the times in table.csv are those of about 100 Hz and not of 50 Hz: correct --rate or leave it out"
    ),
    Misfit(
      testDescription: "half of the true rate, in a long table", times: tens, rate: hertz(50),
      words: "are those of about 100 Hz and not of 50 Hz"),
    Misfit(
      testDescription: "a tenth too low", times: tens, rate: hertz(88),
      words: "are those of about 100 Hz and not of 88 Hz: correct --rate or leave it out"),
    Misfit(
      testDescription: "times on no grid",
      times: (0..<100).map { row -> Int64 in
        let steps: [Int64] = [0, 1, 91, 93, 243, 283, 290, 590, 650, 653]
        return Int64(row / 10 * 673) + steps[row % 10]
      }, words: "line "),
  ]

  @Test("times that fit no grid are refused, and the lines are named", arguments: misfits)
  func refused(_ misfit: Misfit) {
    let table = Imports.table(misfit.times.map { $0 * 1_000_000 })
    let error = Imports.csvError(table, Imports.given(rate: misfit.rate))
    #expect(error?.description.contains(misfit.words) == true, "\(String(describing: error))")
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

  @Test("a hole that is longer than a log can count is refused")
  func hugeHole() {
    var options = Imports.options
    options.rate = SampleRate(4_000_000_000)
    let error = Imports.csvError(Imports.table([0, 1, 2, .max]), options)
    #expect(error == .line(name: "table.csv", line: 5, problem: .holeTooLong))
  }

  @Test("rows further apart than a recording can last are refused, the last that can be is taken")
  func farApart() throws {
    let (last, rate) = (RecordingTime.limit - 1, SampleRate(1, per: 4_000_000_000))
    #expect(try Imported([0, last], rate: rate).times == [0, last])
    for times in [[0, last + 1], [-1_000_000_000_000_000_000, 8_900_000_000_000_000_000]] {
      var options = Imports.options
      options.rate = rate
      let error = Imports.csvError(Imports.table(times), options)
      #expect(error == .line(name: "table.csv", line: 3, problem: .holeTooLong))
    }
  }
}
