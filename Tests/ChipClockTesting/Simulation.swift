// SPDX-License-Identifier: Apache-2.0

public import ChipClock

/// A chip that makes samples and a host that reads its FIFO's count, with faults at chosen instants.
public struct Recorded: Sendable {
  /// The host's readings, those of all epochs one after the other.
  public var readings: [FillReading] = []
  /// The instants of the samples that the host counts, in nanoseconds; slot n is at n − 1.
  public var truth: [Double] = []
  /// Where the epochs begin: the position in `readings`, and slots delivered before.
  public var epochs: [(reading: Int, delivered: Int64)] = []
  /// Samples made and not counted before each epoch.
  public var missing: [Int64] = []

  /// What the clock makes of it; `nominalPeriod` is the simulation's.
  public func timeline(_ assumptions: ClockAssumptions, nominalPeriod: Double) -> ClockTimeline {
    var timeline = ClockTimeline(nominalPeriod: nominalPeriod, assumptions)
    for index in 0...readings.count { add(index, to: &timeline) }
    return timeline
  }

  /// Adds a reading, and before it the epoch that it begins; after the last reading, the end.
  public func add(_ index: Int, to timeline: inout ClockTimeline) {
    guard index < readings.count else { return timeline.finish() }
    if let epoch = epochs.firstIndex(where: { $0.reading == index }) {
      let before = epoch > 0 ? epochs[epoch].delivered - epochs[epoch - 1].delivered : 0
      timeline.beginEpoch(epoch == 0 ? .start : .overflow, delivered: before)
    }
    timeline.add(readings[index])
  }

  /// The epoch and the slot of each sample.
  public var slots: [(epoch: Int, slot: Int64)] {
    var slots: [(epoch: Int, slot: Int64)] = []
    for index in truth.indices {
      let epoch = epochs.lastIndex { $0.delivered <= index } ?? 0
      slots.append((epoch, Int64(index) - epochs[epoch].delivered + 1))
    }
    return slots
  }
}

/// What goes wrong.
public enum Trouble: Equatable, Sendable {
  case none
  /// A sample is made and not counted.
  case lost
  /// A sample is counted and not made.
  case doubled
  /// One reading shows so many more.
  case wrongCount(Int64)
  /// The rate changes at once, in parts per million.
  case step(Double)
  /// Nothing is read for so many nanoseconds, and then the FIFO is reset.
  case stall(Double)
}

/// The same numbers for the same seed.
public struct SeededRandom {
  private var state: UInt64

  /// A sequence of numbers.
  public init(_ seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    for _ in 0..<8 { _ = next() }
  }

  /// From 0 to 1.
  public mutating func next() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) / 9_007_199_254_740_992
  }

  /// In a range.
  public mutating func next(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + next() * (range.upperBound - range.lowerBound)
  }

  /// One of them.
  public mutating func pick<T>(_ all: [T]) -> T {
    all[min(all.count - 1, Int(next(0...Double(all.count))))]
  }
}

/// The chip, the bus and the host; the same seed gives the same readings.
public struct Simulation: Sendable {
  /// Of the chip, nominally.
  public var hertz: Double
  /// By how much the chip is faster than that: 0.03 for 3 %.
  public var error: Double
  /// Parts per million a second, besides a random walk of 0.3 ppm in a second.
  public var drift: Double
  /// In microseconds, to each side.
  public var jitter = 2.0
  /// What the bus really runs at.
  public var busHertz = 385e3
  /// By what factor it runs faster from an instant on, in nanoseconds from the beginning; in order.
  public var busSpeeds: [(at: Double, factor: Double)] = []
  /// What the kernel needs at least before the wire and after it, in nanoseconds.
  public var kernel = 40_000.0
  /// Of the recording.
  public var seconds: Double
  /// Whether a fifth of the wake-ups are late.
  public var isBusy = false
  /// Nanoseconds from one drain to the next, after the first two seconds.
  public var drains = 20e6
  /// The bits of a read after which the chip latches the count; it may be any of these.
  public var latchBits = 28.0...28.0
  /// What goes wrong, once.
  public var trouble: Trouble
  /// When, in nanoseconds from the beginning.
  public var troubleAt = 15e9
  /// What goes wrong besides, in order; no step is among it.
  public var others: [(trouble: Trouble, at: Double)] = []
  /// Of everything random.
  public var seed: UInt64

  /// A chip and a host; by default a chip of 1 kHz, 3 % fast, for 30 s.
  public init(
    hertz: Double = 1000, error: Double = 0.03, drift: Double = 1, seconds: Double = 30,
    trouble: Trouble = .none, seed: UInt64 = 1
  ) {
    (self.hertz, self.error, self.drift, self.seconds) = (hertz, error, drift, seconds)
    (self.trouble, self.seed) = (trouble, seed)
  }

  /// When so many bits are on the wire that began at an instant.
  private func end(of bits: Double, from start: Double) -> Double {
    var (now, left, speed) = (start, bits, busHertz * 1e-9)
    for (at, factor) in busSpeeds {
      let change = 1e12 + at
      if change > now {
        guard now + left / speed > change else { break }
        left -= (change - now) * speed
        now = change
      }
      speed = busHertz * factor * 1e-9
    }
    return now + left / speed
  }

  /// The recording.
  public func run() -> Recorded {
    var random = SeededRandom(seed)
    var recorded = Recorded()
    // The instants at which samples are made, in nanoseconds.
    var made: [Double] = []
    var now = 1e12 + random.next() * 1e6
    var period = 1e9 / hertz / (1 + error)
    var hasStepped = false
    while now < 1e12 + seconds * 1e9 + 1e9 {
      made.append(now + (random.next() - 0.5) * 2000 * jitter)
      if case .step(let ppm) = trouble, !hasStepped, now > 1e12 + troubleAt {
        period *= 1 + ppm * 1e-6
        hasStepped = true
      }
      now += period
      period *= 1 - drift * 1e-6 * period * 1e-9
      period *= 1 + (random.next() - 0.5) * 1.04e-6 * (period * 1e-9).squareRoot()
    }
    var counted = 0
    var slots: [Int] = []
    var deadline = 1e12
    var troubles = ([(trouble, troubleAt)] + others).sorted { $0.1 < $1.1 }[...]
    /// When the host has ended the read before.
    var free = 0.0
    var base: Int64 = 0
    recorded.readings.append(FillReading(count: 0, before: Int64(1e12) - 1000, after: nil))
    recorded.epochs.append((0, 0))
    recorded.missing.append(0)
    var index: UInt64 = 0
    /// What is to go wrong by then.
    func next(at time: Double) -> Trouble? {
      while case (.step, _)? = troubles.first { troubles.removeFirst() }
      while case (.none, _)? = troubles.first { troubles.removeFirst() }
      guard let trouble = troubles.first, time > 1e12 + trouble.1 else { return nil }
      return trouble.0
    }
    func place() -> Double { latchBits.lowerBound < latchBits.upperBound ? random.next() : 0 }
    while deadline < 1e12 + seconds * 1e9 {
      index &+= 1
      let turn =
        Double((index &* index &* 11_400_714_819_323_198_485) >> 11) / 9_007_199_254_740_992
      let step = deadline < 1e12 + 2e9 ? 5e6 : drains
      deadline += step
      var start = deadline + (turn - 0.5) * min(period, step) + 20_000 + random.next() * 60_000
      if isBusy, random.next() < 0.2 { start += random.next() * 25e6 }
      start = max(start, free)
      // Before the read, and between the wire and the end of the call, the kernel takes its time.
      let before = start
      let onWire = before + kernel + random.next() * random.next() * 110_000
      let bits = latchBits.lowerBound + (latchBits.upperBound - latchBits.lowerBound) * place()
      let latch = end(of: bits, from: onWire)
      let after = end(of: 48, from: onWire) + kernel + random.next() * random.next() * 110_000
      free = after + 10_000
      deadline = max(deadline, (after / 5e6).rounded(.down) * 5e6)
      if case .stall(let length)? = next(at: start) {
        troubles.removeFirst()
        deadline += length
        // What was made until the FIFO is open again is lost.
        let opened = deadline
        let kept = slots.count
        let skipped = made.firstIndex { $0 > opened } ?? made.count
        recorded.missing.append(Int64(skipped - counted))
        counted = skipped
        base = Int64(kept)
        recorded.epochs.append((recorded.readings.count, base))
        recorded.readings.append(FillReading(count: 0, before: Int64(opened - 500), after: nil))
        continue
      }
      while counted < made.count, made[counted] <= latch {
        let trouble = next(at: made[counted])
        if trouble == .lost {
          troubles.removeFirst()
          counted += 1
          continue
        }
        if trouble == .doubled {
          troubles.removeFirst()
          slots.append(counted)
        }
        slots.append(counted)
        counted += 1
      }
      var count = Int64(slots.count) - base
      if case .wrongCount(let more)? = next(at: start) {
        troubles.removeFirst()
        count += more
      }
      recorded.readings.append(
        FillReading(
          count: count, before: Int64(before / 1000) * 1000,
          after: Int64((after / 1000).rounded(.up)) * 1000))
    }
    recorded.truth = slots.map { made[$0] }
    return recorded
  }
}
