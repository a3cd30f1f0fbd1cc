// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Sampling
import SimulatedIMU
import TestSupport
import Testing

@Suite("A chip that keeps the time")
struct DrainerTests {
  static let chips = [DrainBench.mpu6050, .lsm6dso, .lsm6dsl, .lsm6dsv, .icm20948]

  /// Some of the pairs of a chip and a number.
  private static func some(
    _ count: Int, _ chips: [DrainBench], _ numbers: [Int64]
  ) -> [(DrainBench, Int64)] {
    CaseSelection.sample(count, of: chips.flatMap { chip in numbers.map { (chip, $0) } })
  }

  /// The outcome, whose order, account, samples and readings must be right.
  @discardableResult
  func sound(_ bench: DrainBench) throws -> DrainBench.Outcome {
    let (outcome, seed) = (try bench.run(), CaseSelection.seed)
    #expect(outcome.imbalance == nil, "seed \(seed)")
    let wrong = outcome.wrong
    #expect(outcome.isPlaced && wrong == 0, "\(wrong) wrong samples, seed \(seed)")
    #expect(outcome.falseReadings == 0, "seed \(seed)")
    return outcome
  }

  @Test("every sample that the chip makes is recorded, once and in order", arguments: chips)
  func everySample(chip: DrainBench) throws {
    for error in [-9000, 0, 9000] {
      var bench = chip
      bench.clockErrorPartsPerMillion = error
      bench.offset = Int64(error) * 100_000
      let outcome = try sound(bench)
      #expect(outcome.epochs.count == 1 && outcome.gaps.isEmpty && outcome.events.isEmpty)
      let expected = bench.rate.hertz * 3 * (1 + Double(error) * 1e-6)
      #expect(abs(Double(outcome.tally.sampled) - expected) < 50)
      // In the first second the rate is not known, and the period may be off by some percent.
      #expect(outcome.worstTime < 3_000_000, "\(outcome.worstTime) ns")
    }
  }

  @Test(
    "a thread that is suspended between two looks at the clocks takes them for no further apart",
    arguments: 1...5)
  func suspension(look: Int) throws {
    var bench = DrainBench.mpu6050
    bench.lookCost = 3000
    bench.longLook = (look, 273_000)
    bench.milliseconds = 200
    let outcome = try sound(bench)
    #expect(outcome.epochs.flatMap(\.readings).allSatisfy { abs($0.offset) <= 6 })
  }

  @Test("it wakes at most 60 times a second after the beginning")
  func wakeUps() throws {
    var bench = DrainBench.mpu6050
    bench.milliseconds = 12_000
    let long = try bench.run().sleeps
    bench.milliseconds = 2_000
    let short = try bench.run().sleeps
    #expect(long - short <= 600, "\(long - short) in 10 s")
  }

  @Test(
    "a stall that the FIFO outlasts costs nothing; after a longer one the gap has the number of samples missing, to two",
    arguments: chips, [40, 150, 400] as [Int64])
  func stall(chip: DrainBench, milliseconds: Int64) throws {
    var bench = chip
    bench.stalls = [(2_500_000_000, milliseconds * 1_000_000)]
    bench.milliseconds = 5000
    bench.clockErrorPartsPerMillion = 4500
    let outcome = try sound(bench)
    if outcome.epochs.count == 1 {
      #expect(outcome.gaps.isEmpty && milliseconds <= 150)
    } else {
      #expect(outcome.gaps.map(\.cause) == [.missed])
      let isCounted = chip.model == .lsm6dso || chip.model == .lsm6dsv
      #expect(
        outcome.epochs.map(\.first.cause) == [.start, isCounted ? .countedOverflow : .overflow])
      let missing = outcome.missing[0]
      let off = missing.made - missing.logged
      #expect(isCounted ? off == 0 : abs(off) <= 2, "\(missing)")
    }
  }

  @Test(
    "a burst that begins long after its count takes out no sample that is mixed from two",
    arguments: some(4, chips, [30, 60, 75, 150]))
  func lateBurst(chip: DrainBench, milliseconds: Int64) throws {
    for number in 300..<(chip.model == .mpu6050 ? 306 : 303) {
      var bench = chip
      bench.waitOfTransfer = (milliseconds * 1_000_000, number)
      let outcome = try sound(bench)
      // A comparison of the configuration that takes more than 0.1 s was held up by the bus.
      let isHeldUp = { (gap: Gap) in milliseconds > 100 && gap.code == 110 }
      #expect(
        outcome.gaps.allSatisfy { $0.cause == .missed || isHeldUp($0) }, "\(outcome.gaps)")
      for missing in outcome.missing { #expect(abs(missing.made - missing.logged) <= 2) }
    }
  }

  @Test(
    "a burst so late that samples were overwritten puts none in another's place, whatever their number",
    arguments: some(12, [.lsm6dso, .lsm6dsv], Array(0..<24)))
  func overwritten(chip: DrainBench, step: Int64) throws {
    for number in 120..<122 {
      var bench = chip
      (bench.waitOfTransfer, bench.milliseconds) = (((128_000_000 + step * 700_000), number), 1400)
      let outcome = try sound(bench)
      #expect(outcome.gaps.allSatisfy { $0.cause == .missed }, "\(outcome.gaps)")
    }
  }

  @Test(
    "what was taken out after the FIFO lost a byte or a word is no sample, though the chip has its configuration",
    arguments: some(8, [.mpu6050, .lsm6dsl, .icm20948], Array(0..<16)))
  func lostBytes(chip: DrainBench, step: Int64) throws {
    var bench = chip
    bench.faults = [(.loseFromFIFO, 1_200_000_000 + step * 31_000_000)]
    bench.milliseconds = 2600
    let outcome = try sound(bench)
    #expect(outcome.gaps.allSatisfy { $0.cause == .busError })
    // A pattern FIFO that is empty has no word to lose.
    #expect(chip.model == .lsm6dsl || !outcome.gaps.isEmpty)
  }

  @Test("a burst that fails at a low rate is no sign of a chip that is silent or reset")
  func lowRate() throws {
    var bursts = 0
    for number in 440..<464 {
      var bench = DrainBench.lsm6dso
      (bench.rate, bench.stride, bench.milliseconds) = (.hz(26), 256, 9000)
      bench.faultInTransfer = (.fail(.noAcknowledge, errno: 121, transfers: 3), number)
      let outcome = try sound(bench)
      #expect(outcome.events.isEmpty, "\(number): \(outcome.events)")
      bursts += outcome.epochs.count - 1
    }
    #expect(bursts > 0)
  }

  @Test(
    "transfers that fail while the FIFO is started again are no lost configuration",
    arguments: chips)
  func failedStart(chip: DrainBench) throws {
    for transfers in CaseSelection.sample(6, of: Array(1...24)) {
      var bench = chip
      bench.milliseconds = 1400
      bench.faultInTransfer = (.fail(.noAcknowledge, errno: 121, transfers: transfers), 205)
      let outcome = try sound(bench)
      #expect(outcome.events.isEmpty, "\(transfers): \(outcome.events)")
    }
  }

  @Test(
    "a burst that fails or breaks off, as any adapter ends it, ends the epoch, and no sample after it is wrong",
    arguments: SimulatedAdapter.allCases, [false, true])
  func failedBurst(adapter: SimulatedAdapter, isMidway: Bool) throws {
    // A burst that an adapter refuses is divided.
    for cause in BusError.Kind.allCases where cause != .unsupported {
      guard let errno = adapter.errno(of: cause, in: .read) else { continue }
      for chip in CaseSelection.sample(1, of: Self.chips) {
        var (bench, bursts) = (chip, 0)
        (bench.milliseconds, bench.adapter) = (2000, adapter)
        for number in 200..<220 {
          bench.faultInTransfer = (
            isMidway ? .failInBurst(bytes: 17, cause) : .fail(cause, transfers: 2), number
          )
          let outcome = try sound(bench)
          guard let gap = outcome.gaps.first else { continue }
          bursts += 1
          let what = "\(bench.model) \(cause) \(number): \(gap)"
          #expect(gap.cause == .busError && gap.code == errno, "\(what)")
          // While an adapter waits in vain the FIFO runs over.
          let end = outcome.epochs.last?.first.cause
          #expect(outcome.epochs.count == 2, "\(what)")
          #expect(
            end == .burstFailed || cause == .timeout && end == .overflow || end == .countedOverflow,
            "\(what)")
          #expect(outcome.missing.allSatisfy { abs($0.made - $0.logged) <= 2 }, "\(what)")
        }
        #expect(bursts > 0 && (bursts < 20 || cause == .timeout), "\(cause): \(bursts)")
      }
    }
  }

  @Test(
    "a FIFO has not given what a chip withheld that missed a clock, so no sample is taken from such a burst",
    arguments: chips)
  func stretchedClock(chip: DrainBench) throws {
    for byte in CaseSelection.sample(2, of: Array(stride(from: 0, to: 100, by: 9))) {
      var bursts = 0
      // One of six transfers at least is a burst.
      for number in 200..<206 {
        var bench = chip
        (bench.milliseconds, bench.adapter) = (1400, .bsc)
        bench.faultInTransfer = (.stretch(byte: byte), number)
        let outcome = try sound(bench)
        #expect(outcome.gaps.allSatisfy { $0.cause == .busError && $0.code == 74 })
        bursts += outcome.gaps.count
      }
      #expect(bursts > 0, "byte \(byte)")
    }
  }

  @Test(
    "a chip that loses its supply is set up again, and no sample is of the wrong scale",
    arguments: chips)
  func brownOut(chip: DrainBench) throws {
    let offsets = Array(stride(from: Int64(0), to: 21_000_000, by: 1_730_000))
    for offset in CaseSelection.sample(4, of: offsets) {
      var bench = chip
      bench.faults = [(.brownOut, 800_000_000 + offset)]
      bench.milliseconds = 2000
      let outcome = try sound(bench)
      #expect(outcome.events.map(\.kind) == [.lost, .reinitialised, .back])
      // The burst in which words with marks broke off may be seen first.
      let causes = Set(outcome.gaps.map(\.cause))
      #expect(causes.contains(.reinitialising))
      #expect(causes.subtracting([.reinitialising]).isSubset(of: [.busError]), "\(causes)")
      #expect(outcome.tally.sampled > UInt64(bench.rate.hertz * 1.2))
    }
  }

  @Test("a chip that is unplugged leaves one gap for the time it is away", arguments: chips)
  func unplugged(chip: DrainBench) throws {
    var bench = chip
    bench.faults = [(.unplug(nanoseconds: 1_500_000_000), 1_003_000_000)]
    bench.milliseconds = 5000
    let outcome = try sound(bench)
    #expect(Set(outcome.gaps.map(\.cause)) == [.busError])
    let lost = Double(outcome.tally.busErrors) / bench.rate.hertz
    #expect(lost > 1.4 && lost < 2.2, "\(lost) s")
  }

  @Test(
    "bits that are flipped in any byte of a count make no sample wrong", arguments: chips)
  func wrongCount(chip: DrainBench) throws {
    for (bit, number) in CaseSelection.sample(12, of: (0..<48).map { ($0 / 3, 100 + $0 % 3) }) {
      var bench = chip
      bench.faultInTransfer = (.corrupt(byte: bit / 8, mask: 1 << UInt8(bit % 8)), number)
      bench.milliseconds = 700
      let outcome = try bench.run()
      #expect(outcome.imbalance == nil, "bit \(bit) of transfer \(number)")
      // A flipped bit in a sample's own bytes cannot be seen.
      #expect(outcome.isPlaced && outcome.wrong <= 1, "bit \(bit) of transfer \(number)")
    }
  }

  @Test(
    "when the writer stalls the newest samples are dropped and counted, slot by slot",
    arguments: chips)
  func fullRing(chip: DrainBench) throws {
    var bench = chip
    bench.sinkStall = 1_000_000_000..<2_400_000_000
    bench.milliseconds = 4000
    let outcome = try sound(bench)
    #expect(outcome.epochs.count == 1)
    #expect(!outcome.gaps.isEmpty && Set(outcome.gaps.map(\.cause)) == [.ringFull])
    #expect(outcome.tally.ringFull > 100)
  }

  @Test(
    "edges of the watermark say when slots were whole, within microseconds", arguments: chips)
  func edges(chip: DrainBench) throws {
    var bench = chip
    (bench.interruptLatency, bench.milliseconds) = (20_000, 4000)
    bench.clockErrorPartsPerMillion = -9000
    let outcome = try sound(bench)
    let readings = outcome.epochs.flatMap(\.readings)
    let edges = readings.filter(\.isEdge)
    guard chip.model.hasWatermark else {
      #expect(edges.isEmpty)
      return
    }
    let drains = readings.filter { $0.isDrained && $0.before > 2_100_000_000 }.count
    #expect(edges.count >= drains * 9 / 10, "\(edges.count) of \(drains)")
    #expect(outcome.worstEdge < 40_000)
  }

  @Test(
    "so do those of a busy bus, up to one on which a drain takes so long that none can be told from the others",
    arguments: [
      (SensorModel.lsm6dso, 1666, 4, false, 400_000), (.lsm6dso, 1666, 4, true, 400_000),
      (.lsm6dso, 416, 16, true, 100_000), (.lsm6dsl, 833, 8, true, 400_000),
      (.lsm6dsl, 416, 16, true, 100_000), (.lsm6dsr, 6664, 1, false, 1_000_000),
      (.lsm6dsv, 3840, 2, true, 1_000_000), (.lsm6dsv, 480, 16, false, 100_000),
      (.lsm6dsv, 1920, 4, false, 400_000),
    ] as [(SensorModel, UInt32, Int64, Bool, Int)])
  func busyEdges(
    model: SensorModel, hertz: UInt32, stride: Int64, isStamped: Bool, busClock: Int
  ) throws {
    var bench = DrainBench(model: model, rate: .hz(hertz), stride: stride)
    (bench.busClock, bench.stampsSamples, bench.interruptLatency) = (busClock, isStamped, 20_000)
    (bench.clockErrorPartsPerMillion, bench.milliseconds) = (9000, 5000)
    let share = try #require(model.drains(of: bench.configuration)).busShare
    let mark = watermark(of: model, bench.configuration)
    #expect(mark == nil ? share > 0.8 : share < 0.9, "\(share)")
    let outcome = try sound(bench)
    let readings = outcome.epochs.flatMap(\.readings)
    let drains = readings.filter { $0.isDrained && $0.before > 2_100_000_000 }.count
    let edges = readings.filter(\.isEdge).count
    #expect(mark == nil ? edges == 0 : edges >= drains * 3 / 4, "\(share): \(edges) of \(drains)")
  }

  @Test(
    "a chip that leaves its stamps out while its configuration asks for them has no data, and is not silent",
    arguments: [SensorModel.lsm6dso, .lsm6dsv])
  func noStamps(model: SensorModel) throws {
    var bench = DrainBench(model: model, rate: .hz(model == .lsm6dso ? 416 : 480), stride: 16)
    (bench.stampsSamples, bench.hidesStamps) = (true, true)
    let outcome = try bench.run()
    #expect(outcome.tally.sampled == 0)
    #expect(outcome.events.contains { $0.fault == .noData }, "\(outcome.events)")
  }

  @Test(
    "chips with a counter stamp their samples on request, and each reading of the counter is true",
    arguments: [SensorModel.lsm6ds3, .lsm6dsl, .lsm6ds3trc, .lsm6dso, .lsm6dsr, .lsm6dsv])
  func stamps(model: SensorModel) throws {
    let rates = model.fifoRates(channels: .all)
    for index in [2, 3, 5] {
      var bench = DrainBench(
        model: model, rate: rates[index],
        stride: (model.family == .lsm6dsv ? 1024 : 512) >> Int64(index))
      (bench.stampsSamples, bench.milliseconds) = (true, 8000)
      bench.clockErrorPartsPerMillion = 9000
      // An overflow and a failed burst among them.
      bench.faultInTransfer = (.fail(.noAcknowledge, errno: 121, transfers: 2), 300)
      bench.stalls = [(5_000_000_000, 400_000_000)]
      let outcome = try sound(bench)
      let stamped = outcome.epochs.flatMap(\.readings).filter { $0.stamp != nil }
      #expect((6...40).contains(stamped.count), "\(rates[index].hertz) Hz: \(stamped.count)")
    }
  }

  @Test(
    "a burst whose FIFO overruns before its first words are out is not taken for whole",
    arguments: [(false, 199, 200_045_000), (true, 200, 200_000_000)] as [(Bool, Int, Int64)])
  func overwrittenPlace(isStamped: Bool, number: Int, wait: Int64) throws {
    var bench = DrainBench.lsm6dsl
    (bench.stampsSamples, bench.milliseconds) = (isStamped, 2400)
    bench.clockErrorPartsPerMillion = 0
    bench.waitOfTransfer = (wait, number)
    try sound(bench)
  }

  @Test("an edge that is stamped late, or after the next drain, makes no false reading")
  func lateEdges() throws {
    for latency in [1_000_000, 7_000_000, 15_000_000, 24_000_000, 61_000_000] as [Int64] {
      var bench = DrainBench.lsm6dso
      (bench.interruptLatency, bench.milliseconds) = (latency, 4000)
      bench.stalls = [(2_500_000_000, 40_000_000), (3_100_000_000, 400_000_000)]
      try sound(bench)
    }
  }
}
