// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import TestSupport

/// A recording with signals, times, gaps, events and flushes of all kinds, the same for the same seed.
struct RandomRecording {
  let description: RecordingDescription
  private(set) var events: [LogEvent] = []

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var description = RecordingDescription.example
    let sets: [ChannelSet] = [
      .all, .accelerometer, .gyroscope, [.accelerometer, .gyroscope], .temperature,
    ]
    description.channels = sets.randomElement(using: &generator) ?? .all
    description.timeUnit = [1, 1000, 1_000_000].randomElement(using: &generator) ?? 1
    let rates = [SampleRate(10), SampleRate(1000), SampleRate(30), SampleRate(97_123, per: 1000)]
    description.rate = rates.compactMap { $0 }.randomElement(using: &generator) ?? .fallback
    self.description = description
    let count = [1, 2, 16, 17, 100, 700, 1500, 3000].randomElement(using: &generator) ?? 1
    fill(count, &generator)
    if Bool.random(using: &generator) { events.append(.end(.example)) }
  }

  private mutating func fill(_ count: Int, _ generator: inout SeededGenerator) {
    let gapChance = ([0, 0, 0.01, 0.3] as [Double]).randomElement(using: &generator) ?? 0
    let flushChance = ([0, 0, 0.001, 0.1] as [Double]).randomElement(using: &generator) ?? 0
    let repeatChance = ([0, 0, 0.1, 0.9] as [Double]).randomElement(using: &generator) ?? 0
    var signals = description.channels.indices.map { ($0, Signal(&generator)) }
    let jitter = ([0, 5, 1000, 1 << 40] as [Int64]).randomElement(using: &generator) ?? 0
    var tick: UInt64 =
      Bool.random(using: &generator) ? 0 : .random(in: 0...(1 << 35), using: &generator)
    var counts = RawSample()
    for _ in 0..<count {
      if Double.random(in: 0..<1, using: &generator) < gapChance { appendGap(&tick, &generator) }
      if Double.random(in: 0..<1, using: &generator) >= repeatChance {
        for index in signals.indices {
          counts[signals[index].0] = signals[index].1.next(&generator)
        }
      }
      let unit = description.timeUnit
      let late = jitter == 0 ? 0 : Int64.random(in: -jitter...jitter, using: &generator)
      let time = (description.rate.nanoseconds(atTick: tick) / unit &+ late) &* unit
      events.append(.record(TickRecord(tick: tick, time: time, sample: counts)))
      tick += 1
      if Double.random(in: 0..<1, using: &generator) < flushChance { events.append(.flush) }
      if Double.random(in: 0..<1, using: &generator) < flushChance / 4 {
        appendEvent(tick, &generator)
      }
    }
  }

  private mutating func appendGap(_ tick: inout UInt64, _ generator: inout SeededGenerator) {
    let length = UInt64.random(in: 1...20, using: &generator)
    let cause = GapCause.allCases.randomElement(using: &generator) ?? .missed
    let code: Int32 = cause == .busError ? 121 : 0
    events.append(
      .record(TickRecord(Gap(firstTick: tick, count: length, cause: cause, code: code))))
    tick += length
  }

  private mutating func appendEvent(_ tick: UInt64, _ generator: inout SeededGenerator) {
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: events.append(.mark(Mark(time: Int64(tick), label: "mark \(tick)")))
    case 1:
      events.append(
        .clock(ClockPair(time: 5, wall: Int64(tick), isSynchronised: true, reason: .stepped)))
    default:
      events.append(
        .record(TickRecord(SensorEvent(tick: tick, kind: .back, fault: .configurationLost))))
    }
  }
}

/// One channel's counts: still, smooth, noisy, coarse, or meaningless.
private struct Signal {
  enum Kind: CaseIterable { case constant, ramp, wave, noise, even, lattice, wild, extremes }

  private let kind: Kind
  private let amplitude: Int
  private var position = 0

  init(_ generator: inout SeededGenerator) {
    kind = Kind.allCases.randomElement(using: &generator) ?? .noise
    amplitude = [1, 20, 500, 8000].randomElement(using: &generator) ?? 1
    position = Int.random(in: -1000...1000, using: &generator)
  }

  mutating func next(_ generator: inout SeededGenerator) -> Int16 {
    position += 1
    let noise = Int.random(in: -amplitude...amplitude, using: &generator)
    switch kind {
    case .constant: return Int16(amplitude)
    case .ramp: return Int16(truncatingIfNeeded: position * amplitude)
    case .wave:
      // A parabola up and a parabola down: smooth, so that predictors of higher order pay.
      let phase = position % 200
      return Int16(truncatingIfNeeded: phase * (200 - abs(phase)) * amplitude / 10_000 + noise % 3)
    case .noise: return Int16(truncatingIfNeeded: 8192 + noise)
    case .even: return Int16(truncatingIfNeeded: noise * 4)
    case .lattice: return Int16(((position / 8 % 500 + noise / 4) * 823_617 + 123_456) >> 17)
    case .wild: return Int16.random(in: .min ... .max, using: &generator)
    case .extremes: return [.min, .max, 0].randomElement(using: &generator) ?? 0
    }
  }
}
