// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import SimulatedIMU
import TestSupport
import Testing

@Suite("An LSM6DS whose registers are read, on a bus that takes its time")
struct LSM6DSWholenessTests {
  /// A bus whose transfers the kernel delays by varying times.
  struct DelayedBus: I2CBus, ~Copyable {
    var bus: SimulatedBus<VirtualClock>
    let clock: VirtualClock
    let delay: ClosedRange<Int64>
    var random: UInt64 = 1

    mutating func wait() {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let span = UInt64(delay.upperBound - delay.lowerBound) + 1
      clock.advance(by: delay.lowerBound + Int64((random >> 33) % span))
    }

    mutating func read(
      _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
    ) throws(BusError) {
      wait()
      try bus.read(address, register: register, into: buffer)
    }

    mutating func write(_ address: I2CAddress, register: UInt8, value: UInt8) throws(BusError) {
      try bus.write(address, register: register, value: value)
    }

    var transferCount: Int { bus.transferCount }

    consuming func release() -> SimulatedBus<VirtualClock> { bus }
  }

  struct Poll {
    var start: MonotonicTime
    var end: MonotonicTime
    /// The sample; `nil` when nothing showed a new one.
    var sample: RawSample?
  }

  /// The result of polling.
  struct Outcome {
    var fresh = 0
    var mixed = 0
    /// Ticks without a sample although one that was not returned had arrived by their end.
    var passedOver = 0
    /// Ticks with an update between the first and the last axis of their first burst.
    var hits = 0
    var thirds = 0
    var late = 0
  }

  static let address = I2CAddress(known: 0x6A)

  /// Polls a tumbling chip `count` times and compares every sample with those that the chip made.
  static func poll(
    _ rate: UInt32, _ channels: ChannelSet, count: Int, delay: ClosedRange<Int64> = 0...0,
    error: Int = -4500
  ) throws -> Outcome {
    let clock = VirtualClock()
    var chip = SimulatedChip.lsm6dso
    chip.clockErrorPartsPerMillion = error
    // So the registers are read.
    chip.stopsAtWatermark = true
    let bus = DelayedBus(
      bus: SimulatedBus(
        clock: clock, chip: chip, address: address, motion: .tumble, busHertz: 400_000),
      clock: clock, delay: delay)
    var sensor = try PolledSensor(
      bus: bus, identity: SensorIdentity(model: .lsm6dso, address: address),
      configuration: SensorConfiguration(
        rate: hertz(rate), channels: channels, busClock: 400_000))
    while case .wait(let nanoseconds) = try sensor.bringUp() { clock.advance(by: nanoseconds) }

    var outcome = Outcome()
    var polls: [Poll] = []
    let begin = clock.now().nanoseconds
    let period = 1_000_000_000 / Int64(rate)
    // The longest read of two bursts.
    let two = 312 * 2500 + 2 * delay.upperBound
    for number in 0..<count {
      let deadline = MonotonicTime(nanoseconds: begin + Int64(number) * period)
      clock.sleep(until: deadline)
      let start = clock.now()
      if start.nanoseconds > deadline.nanoseconds { outcome.late += 1 }
      var sample = RawSample()
      let isFresh = try sensor.read(into: &sample) == .fresh
      polls.append(Poll(start: start, end: clock.now(), sample: isFresh ? sample : nil))
      if channels == .all, clock.now().nanoseconds - start.nanoseconds > two {
        outcome.thirds += 1
      }
    }
    let simulated = sensor.releaseBus().release()
    let divider: Int64 = rate > 757 ? 4 : 8
    let nothing = RawSample()
    var newest = Int64.min
    for poll in polls {
      func sampleNumber(at time: MonotonicTime) -> Int64 {
        (simulated.tick(of: address, at: time) ?? 0) / divider
      }
      func made(_ number: Int64, before: Int64 = 0) -> RawSample {
        simulated.outputs(of: address, atTick: number * divider - before) ?? nothing
      }
      guard let sample = poll.sample else {
        // The last axis of a burst is fetched 19 bit times before its end.
        let end = MonotonicTime(nanoseconds: poll.end.nanoseconds - 19 * 2500)
        if sampleNumber(at: end) > newest { outcome.passedOver += 1 }
        continue
      }
      // When the first burst reads its first axis and its last one.
      let bits = (
        channels.contains(.gyroscope) ? 65 : 119, channels.contains(.accelerometer) ? 164 : 110
      )
      let first = poll.start.nanoseconds + delay.lowerBound + Int64(bits.0) * 2500
      let last = poll.start.nanoseconds + delay.lowerBound + Int64(bits.1) * 2500
      outcome.fresh += 1
      if sampleNumber(at: MonotonicTime(nanoseconds: first))
        != sampleNumber(at: MonotonicTime(nanoseconds: last))
      {
        outcome.hits += 1
      }
      let number = (sampleNumber(at: poll.start)...sampleNumber(at: poll.end)).first {
        matches(sample, made($0), temperatures: [made($0), made($0, before: 128)], channels)
      }
      if number == nil { outcome.mixed += 1 }
      newest = number ?? sampleNumber(at: poll.start)
    }
    return outcome
  }

  /// Whether all axes in use are those that the chip made; the temperature may be one of two.
  static func matches(
    _ sample: RawSample, _ made: RawSample, temperatures: [RawSample], _ channels: ChannelSet
  ) -> Bool {
    for channel in channels.indices {
      if ChannelSet.temperature.indices.contains(channel) {
        guard temperatures.contains(where: { $0[channel] == sample[channel] }) else { return false }
      } else {
        guard sample[channel] == made[channel] else { return false }
      }
    }
    return true
  }

  static let cases: [(UInt32, ChannelSet)] =
    [10, 100, 500, 757].flatMap { rate in
      [(rate, ChannelSet.all), (rate, .accelerometer), (rate, .gyroscope)]
    } + [600, 650, 700, 740].map { ($0, .all) }

  @Test(
    "every sample is of one instant, whatever fell into its bursts",
    arguments: CaseSelection.sample(4, of: cases))
  func whole(rate: UInt32, channels: ChannelSet) throws {
    for delay: Int64 in [0, 50_000, 150_000] {
      let count = rate > 500 ? 2000 : 3000
      let outcome = try Self.poll(rate, channels, count: count, delay: delay...delay)
      #expect(outcome.fresh == count, "seed \(CaseSelection.seed)")
      #expect(outcome.mixed == 0, "seed \(CaseSelection.seed)")
      // The bursts were hit: an update every 1.2 ms, 0.11 or 0.25 ms from first to last axis.
      #expect(outcome.hits > count / 20)
      if channels == .all { #expect(outcome.thirds > 0) }
    }
  }

  @Test(
    "a tick of a moving chip has no sample only when no new one arrives before it ends",
    arguments: CaseSelection.sample(2, of: [600, 650, 700, 740, 757, 758, 800, 1000] as [UInt32]))
  func fresh(rate: UInt32) throws {
    for delay: ClosedRange<Int64> in [0...0, 0...200_000, 100_000...300_000] {
      // Such a chip samples 808 or 1616 times a second.
      let outcome = try Self.poll(rate, .all, count: 2000, delay: delay, error: -30_000)
      #expect(outcome.passedOver == 0)
      #expect(outcome.fresh >= 1998)
      // Two updates in its bursts may mix a sample: above 757 Hz when the kernel is slow, otherwise in one
      // read of a thousand, among those with a third burst.
      if rate <= 757 || delay.upperBound == 0 { #expect(outcome.mixed <= 4) }
    }
  }
}
