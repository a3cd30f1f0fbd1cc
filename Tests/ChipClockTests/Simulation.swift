import ChipClock

/// A chip that makes samples and a host that reads its FIFO's count, with faults at chosen instants.
struct Recorded {
  var readings: [ClockReading] = []
  /// The instants of the samples that the host counts, in nanoseconds; slot n is at n − 1.
  var truth: [Double] = []
  /// Where the epochs begin: the position in `readings`, and slots delivered before.
  var epochs: [(reading: Int, delivered: Int64)] = []
  /// Samples made and not counted, in all.
  var missing: Int64 = 0
}

/// What goes wrong.
enum Trouble: Equatable {
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

struct Simulation {
  var hertz = 1000.0
  var error = 0.03
  /// Parts per million a second, besides a random walk of 0.3 ppm in a second.
  var drift = 1.0
  /// In microseconds, to each side.
  var jitter = 2.0
  var busHertz = 385e3
  var seconds = 30.0
  var isBusy = false
  var trouble = Trouble.none
  var troubleAt = 15e9
  var seed: UInt64 = 1

  private struct Random {
    var state: UInt64
    mutating func next() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / 9_007_199_254_740_992
    }
  }

  func run() -> Recorded {
    var random = Random(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
    for _ in 0..<8 { _ = random.next() }
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
    var isTroubled = false
    /// When the host has ended the read before.
    var free = 0.0
    var base: Int64 = 0
    recorded.readings.append(ClockReading(count: 0, before: Int64(1e12) - 1000, after: nil))
    recorded.epochs.append((0, 0))
    var index: UInt64 = 0
    while deadline < 1e12 + seconds * 1e9 {
      index &+= 1
      let turn =
        Double((index &* index &* 11_400_714_819_323_198_485) >> 11) / 9_007_199_254_740_992
      let step = deadline < 1e12 + 2e9 ? 5e6 : 20e6
      deadline += step
      var start = deadline + (turn - 0.5) * min(period, step) + 20_000 + random.next() * 60_000
      if isBusy, random.next() < 0.2 { start += random.next() * 25e6 }
      start = max(start, free)
      // Before the read, and between the wire and the end of the call, the kernel takes its time.
      let before = start
      let onWire = before + 40_000 + random.next() * random.next() * 110_000
      let latch = onWire + 28 / busHertz * 1e9
      let after = onWire + 48 / busHertz * 1e9 + 40_000 + random.next() * random.next() * 110_000
      free = after + 10_000
      deadline = max(deadline, (after / 5e6).rounded(.down) * 5e6)
      if case .stall(let length) = trouble, !isTroubled, start > 1e12 + troubleAt {
        isTroubled = true
        deadline += length
        // What was made until the FIFO is open again is lost.
        let opened = deadline
        let kept = slots.count
        let skipped = made.firstIndex { $0 > opened } ?? made.count
        recorded.missing = Int64(skipped - counted)
        counted = skipped
        base = Int64(kept)
        recorded.epochs.append((recorded.readings.count, base))
        recorded.readings.append(ClockReading(count: 0, before: Int64(opened - 500), after: nil))
        continue
      }
      while counted < made.count, made[counted] <= latch {
        if !isTroubled, made[counted] > 1e12 + troubleAt {
          if trouble == .lost {
            isTroubled = true
            recorded.missing = 1
            counted += 1
            continue
          }
          if trouble == .doubled {
            isTroubled = true
            slots.append(counted)
          }
        }
        slots.append(counted)
        counted += 1
      }
      var count = Int64(slots.count) - base
      if case .wrongCount(let more) = trouble, !isTroubled, start > 1e12 + troubleAt {
        isTroubled = true
        count += more
      }
      recorded.readings.append(
        ClockReading(
          count: count, before: Int64(before / 1000) * 1000,
          after: Int64((after / 1000).rounded(.up)) * 1000))
    }
    recorded.truth = slots.map { made[$0] }
    return recorded
  }
}
