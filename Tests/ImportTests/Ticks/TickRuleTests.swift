// SPDX-License-Identifier: Apache-2.0

import IMUModel
import TestSupport
import Testing

@testable import Import

/// A table's times in milliseconds, the stated rate, and what the rule must show.
struct Ticking: CustomTestStringConvertible {
  let testDescription: String
  let times: [Double]
  var rate: UInt32?
  /// Rows before which ticks are lost, from 0, and how many.
  let lost: [UInt64: UInt64]

  init(_ name: String, _ times: [Double], rate: UInt32? = nil, lost: [UInt64: UInt64] = [:]) {
    (testDescription, self.times, self.rate, self.lost) = (name, times, rate, lost)
  }

  /// Times from steps.
  static func steps(_ steps: [Double]) -> [Double] {
    steps.reduce(into: [0.0]) { (times: inout [Double], step: Double) in
      times.append(times[times.count - 1] + step)
    }
  }

  static func repeated(_ step: Double, _ count: Int) -> [Double] {
    [Double](repeating: step, count: count)
  }

  static var jitter: [Double] {
    var noise = SeededGenerator(seed: 7)
    return (0..<800).map { _ in Double.random(in: 8.5...11.5, using: &noise) }
  }

  /// Times of 104 Hz, each off by up to an eighth of a period and in whole milliseconds, without each hundredth.
  static var roundedJitter: [Double] {
    var noise = SeededGenerator(seed: 8)
    let all: [Double] = (0..<2000).map { (row: Int) -> Double in
      let late =
        Double.random(in: -0.6...0.6, using: &noise) + Double.random(in: -0.6...0.6, using: &noise)
      return (Double(row) * 1000 / 104 + late).rounded()
    }
    return all.indices.filter { $0 % 100 != 50 }.map { all[$0] }
  }

  /// 400 steps, of which each so-manieth is twice as long.
  static func losing(_ each: Int, _ step: (Int) -> Double) -> [Double] {
    (1...400).map { (row: Int) -> Double in row % each == 0 ? 2 * step(row) : step(row) }
  }

  /// Rows 100 and 140 come 80 ms late, and those after them 1 ms apart.
  static var readLate: [Double] {
    (0..<300).map { (row: Int) -> Double in
      let late = [100, 140].map { row - $0 }.first { 0..<9 ~= $0 }
      return late.map { Double((row - $0) * 10 + 80 + $0) } ?? Double(row * 10)
    }
  }

  /// Each 100 rows the card blocks for 80 ms, and rows come 6.5 ms apart until they are on time again.
  static func blocked(reading: Double = 6.5) -> [Double] {
    var last = -10.0
    return (0..<2500).map { (row: Int) -> Double in
      let isBlocked = row > 0 && row % 100 == 0
      last = max(Double(row * 10), isBlocked ? Double(row * 10 + 80) : last + reading)
      return last
    }
  }

  /// Row 40 comes 150 ms late.
  static func stall(reading: Double) -> [Double] {
    var times: [Double] = (0..<120).map { Double($0 * 10) + ($0 % 2 == 1 ? 0.7 : 0) }
    var (row, now) = (40, times[40] + 150)
    while now > times[row] {
      times[row] = now
      (row, now) = (row + 1, now + reading)
    }
    return times
  }

  static var fours: [Double] {
    (0..<400).map { (row: Int) -> Double in Double(row / 4 * 40 + row % 4) }
  }

  static var setBack: [Double] {
    (0..<1000).filter { ![205, 511, 707].contains($0) }.map { (row: Int) -> Double in
      Double(row * 10) + 0.2 * Double(row % 10)
    }
  }

  static let thrice: [Double] = (0..<90).map { row in Double(row / 3) * 30 }

  static func around(_ middle: [Double]) -> [Double] {
    steps(repeated(10, 20) + middle + repeated(10, 20))
  }

  static func sawtooth(_ late: Double, _ length: Int, _ count: Int) -> [Double] {
    (0..<count).map { row in Double(row) + late - late / Double(length) * Double(row % length) }
  }

  static let all: [Ticking] = [
    Ticking("even", steps(repeated(10, 50))),
    Ticking("one of two steps is twice as long", [0, 10, 30], lost: [2: 1]),
    Ticking("breaks at every second step", [0, 10, 510, 520, 1020], lost: [2: 49, 4: 49]),
    Ticking(
      "one lost of each 17", steps((0..<96).map { $0 % 16 == 15 ? 20 : 10 }),
      lost: Dictionary(uniqueKeysWithValues: (1...6).map { (16 * $0, 1) })),
    Ticking(
      "one lost near the start, of 104 Hz in whole milliseconds",
      (0..<60).filter { $0 != 3 }.map { (Double($0) * 1000 / 104).rounded(.down) }, rate: 104,
      lost: [3: 1]),
    Ticking(
      "two lost one after the other, of 400 Hz in whole milliseconds",
      (0..<140).filter { $0 != 30 && $0 != 90 }.map { (Double($0) * 2.5).rounded(.down) },
      lost: [30: 1, 89: 1]),
    Ticking("one lost on a grid of 997 µs, at 1 kHz", [0, 0.997, 1.994, 3.988], rate: 1000),
    Ticking(
      "rows read in 0.85 periods each after the card blocks",
      blocked(reading: 8.5), rate: 100),
    Ticking(
      "thirty lost, of rows that come a tenth early and late",
      steps(
        (0..<160).map { $0 == 50 ? 301 : $0 % 2 == 0 ? 11 : 9 }), lost: [51: 29]),
    Ticking(
      "ten lost before a row that is late, with the rate",
      ((0..<20).map { $0 } + (30..<50).map { $0 }).map { (row: Int) -> Double in
        row == 30 ? 301.3 : Double(row * 10) + (row % 2 == 1 ? 0.7 : 0)
      }, rate: 100, lost: [20: 10]),
    Ticking(
      "a stall of rows that come late by turns, at half a period until they are on time",
      stall(reading: 5), rate: 100),
    Ticking("the same without a rate", stall(reading: 5)),
    Ticking(
      "a stall that steps of half the resolution catch up",
      around([60, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5])),
    Ticking("one lost", steps([10, 10, 10, 20, 10, 10, 10]), lost: [4: 1]),
    Ticking("twelve lost", around([130]), lost: [21: 12]),
    Ticking("1.4 periods", around([14])),
    Ticking(
      "a late sample that the next catch up",
      around([66, 2, 2, 2, 2, 2, 2, 2])),
    Ticking(
      "a late sample after lost ones",
      around([72, 2, 2, 6]), lost: [21: 4]),
    Ticking("a loop that becomes slower", steps(repeated(12, 60) + repeated(14, 240))),
    Ticking("jitter of 1.5 in 10", steps(jitter)),
    Ticking(
      "single rows lost under jitter", roundedJitter,
      lost: Dictionary(uniqueKeysWithValues: (0..<20).map { (UInt64(50 + 99 * $0), 1) })),
    Ticking(
      "one lost of each 50, at 103 Hz where 100 Hz are stated",
      steps(losing(50) { _ in 1000 / 103 }), rate: 100,
      lost: Dictionary(uniqueKeysWithValues: (1...8).map { (50 * $0, 1) })),
    Ticking(
      "one lost of each 40, from 100 to 104 Hz",
      steps(losing(40) { $0 < 200 ? 10 : 9.6 }),
      lost: Dictionary(uniqueKeysWithValues: (1...10).map { (40 * $0, 1) })),
    Ticking("rows read late in one go, twice within 40 rows", readLate),
    Ticking(
      "rows read in 0.65 periods each after the card blocks", blocked(), rate: 100),
    Ticking("the same without a rate", blocked()),
    Ticking("packets of four rows, 1 ms apart", fours, rate: 100),
    Ticking(
      "packets of 20 rows, 0.5 ms apart",
      (0..<400).map { (row: Int) -> Double in Double(row / 20 * 200) + Double(row % 20) / 2 },
      rate: 100),
    Ticking(
      "a clock set back by 0.2 periods each 10 rows", Ticking.setBack,
      lost: [205: 1, 510: 1, 705: 1]),
    Ticking("jitter, 98 Hz stated", steps(jitter), rate: 98),
    Ticking("jitter, 102 Hz stated", steps(jitter), rate: 102),
    Ticking("a sawtooth of 0.6 in 1", sawtooth(0.72, 6, 300)),
    Ticking(
      "a sawtooth of 0.6 in 1, 1 kHz stated",
      sawtooth(0.72, 6, 300), rate: 1000),
    Ticking("a sawtooth of 0.7 in 1", sawtooth(0.7, 10, 900)),
    Ticking("rows that share times, three by three", thrice),
    Ticking(
      "every second one lost, with the rate", steps(repeated(20, 40)), rate: 100,
      lost: Dictionary(uniqueKeysWithValues: (1...40).map { ($0, 1) })),
    Ticking(
      "a day", steps(repeated(100, 29) + [86_400_000] + repeated(100, 29)),
      lost: [30: 863_999]),
    // Known limits: a clock that jumps less than once in 50 rows.
    Ticking(
      "a jump of two periods in 60 rows, never caught up", steps(repeated(10, 60) + [30]),
      lost: [61: 2]),
  ]
}

@Suite("Ticks without a sample")
struct TickRuleTests {
  @Test("are shown where a step is long and not caught up", arguments: Ticking.all)
  func lost(_ given: Ticking) {
    let times = given.times.map { Int64(($0 * 1e6).rounded()) }
    var steps = Intervals()
    for (first, second) in zip(times, times.dropFirst()) { steps.add(Double(second - first)) }
    let rule = TickRule(steps, stated: given.rate.flatMap { SampleRate($0) })
    var pass = TickPass(rule)
    for time in times { pass.add(time) }
    pass.close()
    // Rows by the ticks before them.
    var (lost, found): (UInt64, [UInt64: UInt64]) = (0, [:])
    for gap in pass.gaps(isRounded: true) {
      found[gap.firstTick - lost] = gap.count
      lost += gap.count
    }
    #expect(found == given.lost)
    #expect(pass.rows == UInt64(times.count))
  }

  @Test(
    "times rounded to about a step do not say whether a tick is lost, and finer ones do",
    arguments: [
      (49.5, 600, [], nil), (990.0, 300, [], nil), (833, 400, [], nil), (999, 1500, [], nil),
      (400, 300, [70, 150], 2), (1000, 300, [70, 71, 72], 1), (100, 300, [70, 150, 151], 2),
      (1, 90, [7], 1),
    ] as [(Double, Int, Set<Int>, Int?)])
  func rounded(_ rate: Double, _ count: Int, _ cut: Set<Int>, _ gaps: Int?) throws {
    // The clock of 49.5 Hz has steps of 20 ms.
    let unit = rate == 49.5 ? 20 : 1
    let rows = (0..<count).filter { !cut.contains($0) }
      .map { "\(Int(Double($0) * 1000 / rate) / unit * unit),0,0,1\n" }
    let text = "t_ms,ax_g,ay_g,az_g\n" + rows.joined()
    let refusal = try Tables.refusal(text)
    #expect((refusal?.contains("or times are rounded: state the rate") == true) == (gaps == nil))
    let importer = try Tables.importer(text, gaps == nil ? "--rate \(rate)" : "")
    #expect(importer.summary.contains(gaps.map { "\($0) gap" } ?? "no gaps"), "\(importer.summary)")
  }

  @Test("are asked for where a stated rate leaves open whether times are rounded or rows lost")
  func leftOpen() throws {
    let cut: Set<Int> = [70, 150, 290, 700, 1200, 1900, 2000, 2222, 2500, 2900]
    let rows = (0..<3000).filter { !cut.contains($0) }.map { "\($0 * 33),0,0,1\n" }
    let text = "t_ms,ax_g,ay_g,az_g\n" + rows.joined()
    let refusal = try Tables.refusal(text, "--rate 30")
    #expect(
      refusal?.contains("state --rate 30.202 if none is, or --rate 30.303 for its usual step")
        == true, "\(refusal ?? "taken")")
    let few = "t_us,ax_g,ay_g,az_g\n" + [0, 997, 1994, 3988].map { "\($0),0,0,1\n" }.joined()
    #expect(try Tables.importer(few, "--rate 1000").summary.contains("1 gap of 1"))
    for (rate, gaps) in [
      ("30.202", "no gaps"), ("30.303", "10 gaps of 10"), ("30 --anyway", "no gaps"),
    ] {
      let summary = try Tables.importer(text, "--rate \(rate)").summary
      #expect(summary.contains(gaps), "\(rate): \(summary)")
    }
  }

  @Test("of packets are refused, and of a part at half the rate shown with the rate")
  func packets() throws {
    func text(_ times: [Int]) -> String {
      "t_us,ax_g,ay_g,az_g\n" + times.map { "\($0),0,0,1\n" }.joined()
    }
    let packets = text((0..<1920).map { $0 / 64 * 640_000 + $0 % 64 * 50 })
    #expect(try Tables.refusal(packets)?.contains("rows come in packets") == true)
    #expect(try Tables.importer(packets, "--rate 100").summary.contains("no gaps"))
    // Packets of 32 rows, 9.8 ms apart, look as if one were lost in each.
    let fast = text((0..<640).map { $0 / 32 * 320_000 + $0 % 32 * 9800 })
    let stated = try Tables.refusal(fast, "--rate 100")
    #expect(stated?.contains("its rows leave no room for 19 lost ticks") == true)
    let half = text((0..<200).map { $0 * 20_000 } + (400..<600).map { $0 * 10_000 })
    let importer = try Tables.importer(half, "--rate 100")
    #expect(importer.summary.contains("200 gaps of 200 ticks"), "\(importer.summary)")
  }

  @Test("are never more than a log counts")
  func most() {
    var steps = Intervals()
    for _ in 0..<10 { steps.add(1) }
    let rule = TickRule(steps, stated: nil)
    for time in [9e18, .infinity] { #expect(rule.ticks(in: time, 1) == 1 << 57) }
    #expect(rule.ticks(in: 0.2, 1) == 1)
  }

  @Test(
    "leave times in the coarsest unit that holds them",
    arguments: [
      ([3_000_000, 9_000_000], 1_000_000), ([0, 4000], 1000), ([0, 1], 1), ([-5000], 1000),
    ]
      as [([Int64], Int64)])
  func unit(_ times: [Int64], _ unit: Int64) {
    var pass = TickPass(TickRule(Intervals(), stated: nil))
    for time in times { pass.add(time) }
    #expect(pass.unit == unit)
  }

  @Test("Steps are counted to a part in 64, and exactly where they are the same")
  func intervals() {
    var steps = Intervals()
    for step in [0, 10, 10, 10, 10, 1e9] as [Double] { steps.add(step) }
    #expect(steps.median == 10)
    #expect(steps.isExceeded(byAllBut: 0) == 1e9)
    #expect(steps.isExceeded(byAllBut: 1) == 10)
    #expect(steps.isExceeded(byAllBut: 9) == 0)
    let mean: Double = (40 + 1e9) / 6
    #expect(steps.mean == mean)
    steps.scale = 1e3
    #expect(steps.median == 10_000)
    #expect(Intervals().median == 0)
  }
}

@Suite("The rate of rows")
struct NamedRateTests {
  @Test(
    "is one that a user would say",
    arguments: [
      // steps, gaps, span in ns, numerator, denominator
      (99, 0, 990_000_000, 100, 1),
      (299, 0, 298_800_000, 1000, 1),  // 1000.67 Hz by the mean: late at the beginning
      (39, 0, 3_744_000_000, 125, 12),  // steps of 96 ms
      (63, 0, 3_591_000_000, 1000, 57),  // steps of 57 ms
      (1, 0, 13_000_000, 77, 1),
      (9, 0, 90_000_000_000, 1, 10),
      (9, 0, 45_300_000_000, 1, 5),
      (1000, 3, 10_020_000_000, 100, 1),
      (100_000, 0, 1_009_795_000_000, 3268, 33),
    ] as [(UInt64, Int, Int64, UInt32, UInt32)])
  func named(_ steps: UInt64, _ gaps: Int, _ span: Int64, _ top: UInt32, _ bottom: UInt32) {
    #expect(SampleRate(steps: steps, gaps: gaps, in: span) == SampleRate(top, per: bottom))
  }

  @Test("does not exist for times that stand still, or beyond what a log holds")
  func none() {
    #expect(SampleRate(steps: 9, in: 0) == nil)
    #expect(SampleRate(steps: 0, in: 5) == nil)
    #expect(SampleRate(steps: 1 << 57, in: 1) == nil)
    #expect(SampleRate(steps: 1, in: .max) == nil)
  }

  @Test("is exact where this program rounded it to 12 digits")
  func stated() {
    #expect(SampleRate(stated: "333.333333333333") == SampleRate(1000, per: 3))
    #expect(SampleRate(stated: "12.5") == SampleRate(25, per: 2))
    #expect(SampleRate(stated: "0") == nil)
  }
}
