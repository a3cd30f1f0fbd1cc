// SPDX-License-Identifier: Apache-2.0

import ChipClock
import ChipClockTesting
import IMUModel
import LogFormat
@testable import LogStore
import LogStoreTesting
import TestSupport
import Testing

@Suite("Times of samples that a chip dates")
struct ChipTimesTests {
  /// What a reader finds in a log.
  struct Found {
    var ticks: [UInt64] = []
    var times: [Int64] = []
    var earliest: [Int64] = []
    var latest: [Int64] = []
    var gaps: [Gap] = []
    var account: Account?

    init(_ bytes: [UInt8], from time: Int64? = nil) throws {
      var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes)))
      if let time { try reader.seek(toTime: time) }
      while let item = try reader.next() {
        if case .gap(let gap) = item { gaps.append(gap) }
        guard case .samples(let count) = item else { continue }
        #expect(reader.earliest.count == count && reader.latest.count == count)
        ticks += reader.block.ticks
        times += reader.block.times
        earliest += reader.earliest
        latest += reader.latest
      }
      if time == nil { account = try reader.account() }
    }

    var isRising: Bool {
      zip(times, times.dropFirst()).allSatisfy { $0 < $1 }
        && zip(ticks, ticks.dropFirst()).allSatisfy { $0 < $1 }
    }

    /// Samples whose true instant is not in their interval, or whose time is not.
    func outside(_ truth: some Sequence<Double>) -> Int {
      var count = 0
      for (index, truth) in zip(times.indices, truth) {
        let isInside =
          Double(earliest[index]) <= truth && truth <= Double(latest[index])
          && earliest[index] <= times[index] && times[index] <= latest[index]
        if !isInside { count += 1 }
      }
      return count
    }

    /// The error that 99 % of the times do not exceed, in microseconds.
    func error(_ truth: [Double]) -> Double {
      let errors = zip(times, truth).map { abs(Double($0) - $1) / 1000 }.sorted()
      return errors.isEmpty ? 0 : errors[errors.count * 99 / 100]
    }
  }

  @Test("of the readings of both clocks those before the last one before an instant are forgotten")
  func clockMap() {
    var map = RawClockMap()
    for before in [10, 20, 30] as [Int64] {
      map.add(
        FIFOReading(
          epoch: 0, cause: .start, firstTick: 0, countBefore: 0, count: 1, before: before,
          length: 0, offset: 0, isDrained: true))
    }
    for (time, left) in [(19, 3), (25, 2), (40, 1)] as [(Int64, Int)] {
      _ = map.forget(before: time)
      #expect(map.waitingCount == left, "\(time)")
    }
  }

  @Test(
    "are in intervals that hold the true instants, whatever the rate and the load",
    arguments: [104, 1000, 1666], [false, true])
  func sound(hertz: Double, isBusy: Bool) throws {
    let seed = UInt64(hertz) + (isBusy ? 1 : 0)
    var simulation = Simulation(
      hertz: hertz, error: Double(seed % 15) * 0.01 - 0.07, seconds: 12, seed: seed)
    simulation.isBusy = isBusy
    let log = try ChipLog(simulation)
    let found = try Found(log.bytes)
    #expect(found.times.count == log.truth.count)
    #expect(found.isRising)
    #expect(found.outside(log.truth) == 0, "seed \(seed)")
    #expect(found.error(log.truth) < (hertz < 400 ? 200 : 60))
    let account = try #require(found.account)
    let clock = try #require(account.chipClock)
    #expect(account.isIntact)
    #expect(clock.provedCount == UInt64(log.truth.count) && clock.unprovedCount == 0)
    #expect(clock.findingCount == 0)
    #expect(clock.readingCount == account.readingCount)
    let rate = try #require(clock.rate.hertz)
    let bounds = try #require(clock.rate.bounds)
    #expect(bounds.contains(rate))
    let last = log.truth.count - 1
    let truth = Double(last) / (log.truth[last] - log.truth[0]) * 1e9
    #expect(abs(rate / truth - 1) < 2e-4)
    let (half, most) = (clock.median ?? 0, clock.maximum ?? 0)
    #expect(half > 50_000 && half <= clock.percentile99 ?? 0 && (clock.percentile99 ?? 0) <= most)
  }

  @Test("follow the monotonic clock while it is being slewed", arguments: [-500.0, 500])
  func slewed(slew: Double) throws {
    let log = try ChipLog(Simulation(seconds: 20, seed: 3), slew: slew)
    let found = try Found(log.bytes)
    #expect(found.outside(log.truth) == 0)
    #expect(found.error(log.truth) < 60)
    #expect(found.account?.chipClock?.findingCount == 0)
  }

  @Test(
    "count what is missing after a stall exactly, whatever was estimated",
    arguments: [(0.15e9, -1000), (0.15e9, 0), (0.4e9, -1), (0.4e9, 5)] as [(Double, Int64)])
  func stall(length: Double, error: Int64) throws {
    var simulation = Simulation(seconds: 16, trouble: .stall(length), seed: 4)
    simulation.troubleAt = 8e9
    let log = try ChipLog(simulation, estimateError: error)
    let found = try Found(log.bytes)
    #expect(log.estimated == max(1, log.missing + error))
    #expect(found.gaps.map(\.count) == [UInt64(log.missing)])
    #expect(found.gaps.map(\.cause) == [.missed])
    #expect(found.outside(log.truth) == 0)
    #expect(found.isRising)
    let account = try #require(found.account)
    #expect(account.isIntact)
    #expect(account.tickCount == UInt64(log.truth.count) + UInt64(log.missing))
    #expect(account.end?.tally.missed == UInt64(log.missing))
    #expect(found.ticks.last == account.tickCount - 1)
  }

  @Test("show a sample that was lost unnoticed as a gap, with its place")
  func lost() throws {
    let log = try ChipLog(Simulation(error: -0.02, seconds: 30, trouble: .lost, seed: 2))
    let found = try Found(log.bytes)
    #expect(found.outside(log.truth) == 0)
    #expect(found.gaps.map(\.count) == [1])
    #expect(found.gaps.map(\.cause) == [.lost])
    let account = try #require(found.account)
    let clock = try #require(account.chipClock)
    #expect(clock.lostCount == 1 && clock.findingCount == 1 && !clock.isWhole)
    #expect(account.isIntact && clock.unprovedCount == 0)
    #expect(account.tickCount == UInt64(log.truth.count) + 1)
    let finding = try #require(clock.findings.first)
    #expect(finding.kind == .lost(1...1))
    #expect(finding.times.overlaps(22_000_000_000...22_002_000_000))
    let gap = try #require(found.gaps.first)
    #expect(finding.ticks.contains(gap.firstTick) || finding.ticks.upperBound == gap.firstTick - 1)
  }

  @Test("are sound after a cut of the log at any page")
  func cut() throws {
    var simulation = Simulation(seconds: 16, trouble: .stall(0.15e9), seed: 6)
    simulation.troubleAt = 8e9
    let log = try ChipLog(simulation, ends: false)
    let pages = log.bytes.count / LogFormat.pageSize
    for page in stride(from: 1, through: pages, by: 4) {
      let found = try Found(Array(log.bytes.prefix(page * LogFormat.pageSize)))
      #expect(found.outside(log.truth) == 0, "\(page)")
      #expect(found.isRising)
      #expect(found.account?.chipClock?.findingCount == 0)
      if found.gaps.contains(where: { _ in true }), page * 2 > pages, page + 8 < pages {
        #expect(found.gaps.map(\.count) == [UInt64(log.missing)], "\(page)")
      }
    }
  }

  @Test("are sound with pages damaged", arguments: 1...4 as ClosedRange<UInt64>)
  func damaged(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let log = try ChipLog(Simulation(seconds: 20, seed: seed), estimateError: 0)
    var bytes = log.bytes
    let pages = bytes.count / LogFormat.pageSize
    var damaged = Set<Int>()
    for _ in 0..<4 {
      let page = Int.random(in: 2..<pages - 1, using: &generator)
      damaged.insert(page)
      let place = page * LogFormat.pageSize
      let byte = Bool.random(using: &generator) ? 8 : Int.random(in: 40..<4000, using: &generator)
      bytes[place + byte] ^= 0x40
    }
    let found = try Found(bytes)
    #expect(found.isRising)
    // Ticks are sample numbers here: nothing else is missing.
    #expect(found.outside(found.ticks.map { log.truth[Int($0)] }) == 0)
    let account = try #require(found.account)
    #expect(account.damageCount == UInt64(damaged.count))
    #expect(account.chipClock?.findingCount == 0)
    #expect(account.tickCount == UInt64(log.truth.count))
  }

  @Test(
    "are unproved where the readings of an epoch are lost or cut off",
    arguments: [0.4e9, 1.5e9], [-6, 5] as [Int64])
  func withoutReadings(stall: Double, estimateError: Int64) throws {
    var simulation = Simulation(seconds: 9, trouble: .stall(stall), seed: 17)
    simulation.troubleAt = 4.3e9
    simulation.others = [(.stall(0.3e9), 6.4e9)]
    // Each sample has its true instant in it, in microseconds.
    let log = try ChipLog(simulation, estimateError: estimateError, ends: false) { instant in
      let microseconds = Int(max(0, instant / 1000))
      return RawSample(
        ax: Int16(microseconds & 0x7FFF), ay: Int16(microseconds >> 15 & 0x7FFF), az: 8192)
    }
    func outside(_ bytes: [UInt8]) throws -> (wrong: Int, proved: Int) {
      var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes)))
      var (wrong, proved) = (0, 0)
      while let item = try reader.next() {
        guard case .samples(let count) = item else { continue }
        for row in 0..<count where reader.earliest[row] > .min {
          let sample = reader.block[row].sample
          let truth = (Int64(sample.ay) << 15 | Int64(sample.ax)) * 1000
          proved += 1
          if truth + 1000 < reader.earliest[row] || truth > reader.latest[row] { wrong += 1 }
        }
      }
      return (wrong, proved)
    }
    #expect(try outside(log.bytes) == (0, log.truth.count))
    let size = LogFormat.pageSize
    for page in 1..<log.bytes.count / size {
      var bytes = log.bytes
      for place in page * size..<(page + 1) * size { bytes[place] = 0 }
      let (wrong, proved) = try outside(bytes)
      #expect(wrong == 0, "\(wrong) of \(proved) without page \(page)")
      for part in [0, size / 3, size * 2 / 3] {
        let (wrong, proved) = try outside(Array(log.bytes.prefix(page * size + part)))
        #expect(wrong == 0, "\(wrong) of \(proved) up to \(page * size + part)")
      }
    }
  }

  @Test("are the recorded ones, and unproved, where a log has no readings")
  func noReadings() throws {
    let log = try ChipLog(Simulation(seconds: 3, seed: 7))
    var encoder = try LogEncoder(log.description)
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: log.bytes)))
    var times: [Int64] = []
    let events = try reader.readAll(within: UInt64(log.bytes.count))
    for case .sample(let tick, let time, let sample) in events {
      encoder.append(TickRecord(tick: tick, time: time, sample: sample))
      times.append(time)
    }
    encoder.flush()
    let found = try Found(Array(encoder.output))
    #expect(found.times == times)
    #expect(found.earliest.allSatisfy { $0 == .min } && found.latest.allSatisfy { $0 == .max })
    #expect(found.account?.chipClock?.unprovedCount == UInt64(times.count))
  }

  @Test("need no readings, and readings need no samples")
  func onlyOne() throws {
    let description = try ChipLog(Simulation(seconds: 1)).description
    func reading(_ epoch: UInt32, _ firstTick: Int64, _ count: Int64, _ before: Int64)
      -> FIFOReading
    {
      FIFOReading(
        epoch: epoch, cause: epoch == 0 ? .start : .overflow, firstTick: firstTick,
        countBefore: 20, count: count, before: before, length: count == 0 ? 0 : 300_000, offset: 7,
        isDrained: true)
    }
    // An epoch of one reading: without a count, with one, and after another.
    for readings in [
      [], [reading(0, 0, 0, -1000)], [reading(0, 0, 20, 20_000_000)],
      [reading(0, 0, 20, 20_000_000), reading(1, 25, 15, 40_000_000)],
    ] {
      for samples in [[], Array(0..<20), Array(0..<20) + Array(25..<40)] as [[Int64]] {
        var encoder = try LogEncoder(description)
        for tick in samples {
          encoder.append(
            TickRecord(tick: UInt64(tick), time: tick * 1_000_000, sample: RawSample()))
        }
        for reading in readings { encoder.append(TickRecord(reading)) }
        encoder.flush()
        let found = try Found(Array(encoder.output))
        #expect(found.times.count == samples.count && found.isRising)
        let clock = try #require(found.account?.chipClock)
        #expect(clock.provedCount + clock.unprovedCount == UInt64(samples.count))
        #expect(clock.findingCount == 0)
        if readings.isEmpty { #expect(clock.provedCount == 0 && clock.median == nil) }
      }
    }
  }

  @Test("are after a seek those read from the beginning", arguments: [1, 8] as [UInt64])
  func seek(seed: UInt64) throws {
    let log = try ChipLog(Simulation(drift: 20, seconds: 90, seed: seed))
    let whole = try Found(log.bytes)
    for second in [-9_223_372_036, 0, 1, 50, 70, 96] as [Int64] {
      let part = try Found(log.bytes, from: second * 1_000_000_000)
      let first = try #require(part.ticks.first)
      let count = part.times.count
      #expect(part.times[0] <= max(second * 1_000_000_000, whole.times[0]))
      #expect(count == whole.times.count - Int(first))
      #expect(part.outside(log.truth[Int(first)...]) == 0)
      // The first items are before the time that was asked for.
      let asked = part.times.firstIndex { $0 >= second * 1_000_000_000 } ?? 0
      let (found, expected) = (part.times[asked...], whole.times.suffix(count - asked))
      let other = zip(found, expected).filter { $0 != $1 }
      #expect(other.isEmpty, "\(second) s: \(other.count), \(other.prefix(3))")
      #expect(part.earliest[asked...] == whole.earliest.suffix(count - asked)[...])
    }
  }

  /// Readings that no chip makes.
  enum Nonsense: CaseIterable {
    case anything, epochs, jumps, span, oneInstant, fallingCounts, shortReads
  }

  @Test(
    "rise, and take little time and memory, whatever the readings are", arguments: Nonsense.allCases
  )
  func hostile(kind: Nonsense) throws {
    var generator = SeededGenerator(seed: 10)
    var encoder = try LogEncoder(ChipLog(Simulation(seconds: 1)).description)
    var reading = FIFOReading(
      epoch: 0, cause: .start, firstTick: 0, countBefore: 0, count: 0, before: 0, length: 0,
      offset: 0, isDrained: true)
    // Each of these contradicts the one before, and every contradiction is searched for its place.
    let counts: [Nonsense: Int64] = [.oneInstant: 200, .fallingCounts: 200, .jumps: 8000]
    let count = counts[kind] ?? 2000
    for index in 0..<count {
      encoder.append(
        TickRecord(tick: UInt64(index) * 20, time: index * 20_000_000, sample: RawSample()))
      (reading.count, reading.before, reading.length) = (index * 20, index * 20_000_000, 300_000)
      switch kind {
      case .anything:
        reading.epoch = .random(in: 0...3, using: &generator)
        reading.firstTick = .random(in: -(1 << 62)..<1 << 62, using: &generator)
        reading.count = .random(in: 0..<1 << 48, using: &generator)
        reading.before = .random(in: -(1 << 47)..<1 << 47, using: &generator) * 1000
        reading.offset = .random(in: -(1 << 47)..<1 << 47, using: &generator)
        reading.length = .random(in: 0...4_000_000_000, using: &generator)
      case .epochs:
        reading.epoch = UInt32(index)
        reading.cause = [.overflow, .start, .reset].randomElement(using: &generator) ?? .start
        reading.firstTick = index * 20
        (reading.countBefore, reading.count) = (20, 20)
      case .jumps: if index % 3 == 1 { reading.count += 1 << 40 }
      case .span: if index >= count / 2 { reading.count += 1 << 47 }
      case .oneInstant: reading.before = 0
      case .fallingCounts: reading.count = (count - index) * 20
      case .shortReads: reading.length = 1000
      }
      encoder.append(TickRecord(reading))
    }
    encoder.flush()
    let found = try Found(Array(encoder.output))
    #expect(found.times.count == Int(count))
    #expect(found.isRising)
    let clock = try #require(found.account?.chipClock)
    if kind == .fallingCounts { #expect(clock.findingCount > 0) }
    // The last one is the reading from which on none is used.
    if kind == .jumps { #expect(clock.findingCount == 1001) }
  }

  @Test("are left alone by a salvage, which keeps the readings")
  func salvage() throws {
    let log = try ChipLog(Simulation(seconds: 24, trouble: .stall(0.15e9), seed: 9))
    let found = try Found(salvaged(log.bytes))
    let original = try Found(log.bytes)
    #expect(found.times == original.times && found.ticks == original.ticks)
    #expect(found.gaps == original.gaps)
  }
}
