// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import SimulatedIMU
import TestSupport
import Testing

/// Chips of every generation, polled on a bus that takes its time, under every reading of their data sheets.
@Suite("Polled chips with a FIFO of one sample")
struct NewestWholenessTests {
  /// A bus whose transfers the kernel delays by varying times, and which counts their bit times.
  struct CountedBus: I2CBus, ~Copyable {
    var bus: SimulatedBus<VirtualClock>
    let clock: VirtualClock
    let delay: ClosedRange<Int64>
    var random: UInt64 = 1
    let bits: Tally

    final class Tally {
      var bits = 0
    }

    mutating func read(
      _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
    ) throws(BusError) {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let span = UInt64(delay.upperBound - delay.lowerBound) + 1
      clock.advance(by: delay.lowerBound + Int64((random >> 33) % span))
      bits.bits += BusTiming.bits(ofBurst: buffer.count)
      try bus.read(address, register: register, into: buffer)
    }

    mutating func write(_ address: I2CAddress, register: UInt8, value: UInt8) throws(BusError) {
      try bus.write(address, register: register, value: value)
    }

    consuming func release() -> SimulatedBus<VirtualClock> { bus }
  }

  struct Outcome {
    var fresh = 0
    var torn = 0
    /// Samples that were not the newest when their read began, nor made during it.
    var old = 0
    /// Bit times of a tick.
    var bits = 0.0
  }

  static let models: [SensorModel] = [
    .lsm6ds3, .lsm6dsl, .lsm6ds3trc, .lsm6dso, .lsm6dsr, .lsm6dsv,
  ]

  static func poll(
    _ model: SensorModel, _ rate: UInt32, _ channels: ChannelSet = .all, count: Int,
    delay: ClosedRange<Int64> = 0...0, updatesLate: Bool = false, stops: Bool = false,
    busClock: Int = 400_000
  ) throws -> Outcome {
    let clock = VirtualClock()
    var chip: SimulatedChip = model.family == .lsm6ds ? .lsm6dso : .lsm6dsv
    chip = chip.answering(model.identity)
    chip.updatesHeldRegistersLate = updatesLate
    chip.stopsAtWatermark = stops
    let address = model.addresses[0]
    let tally = CountedBus.Tally()
    let bus = CountedBus(
      bus: SimulatedBus(
        clock: clock, chip: chip, address: address, motion: .tumble, busHertz: busClock),
      clock: clock, delay: delay, bits: tally)
    var sensor = try PolledSensor(
      bus: bus, identity: SensorIdentity(model: model, address: address),
      configuration: SensorConfiguration(rate: hertz(rate), channels: channels, busClock: busClock))
    while case .wait(let nanoseconds) = try sensor.bringUp() { clock.advance(by: nanoseconds) }
    let dataRate = sensor.description.outputDataRate

    var polls: [(start: MonotonicTime, end: MonotonicTime, sample: RawSample)] = []
    tally.bits = 0
    let begin = clock.now().nanoseconds
    for number in 0..<count {
      clock.sleep(
        until: MonotonicTime(nanoseconds: begin + Int64(number) * 1_000_000_000 / Int64(rate)))
      let start = clock.now()
      var sample = RawSample()
      if try sensor.read(into: &sample) == .fresh { polls.append((start, clock.now(), sample)) }
    }
    var outcome = Outcome(fresh: polls.count, bits: Double(tally.bits) / Double(count))
    let simulated = sensor.releaseBus().release()
    // 6667 or 7680 ticks a second.
    let divider = Int64((model.family == .lsm6ds ? 6667 : 7680) / dataRate)
    for poll in polls {
      let first = (simulated.tick(of: address, at: poll.start) ?? 0) / divider
      let last = (simulated.tick(of: address, at: poll.end) ?? 0) / divider
      func isMade(_ number: Int64) -> Bool {
        guard let made = simulated.outputs(of: address, atTick: number * divider) else {
          return false
        }
        // The temperature is read beside the FIFO.
        return channels.indices.allSatisfy { $0 == 6 || made[$0] == poll.sample[$0] }
      }
      if (first...last).contains(where: isMade) { continue }
      if (first - 40..<first).contains(where: isMade) {
        outcome.old += 1
      } else {
        outcome.torn += 1
      }
    }
    return outcome
  }

  @Test(
    "no sample is torn or old, whatever block data update does and the kernel adds",
    arguments: CaseSelection.sample(1, of: models))
  func whole(model: SensorModel) throws {
    for rate: UInt32 in [10, 100, 500, 800] {
      for updatesLate in [false, true] {
        for delay: ClosedRange<Int64> in [0...0, 50_000...50_000, 0...300_000] {
          let count = rate < 100 ? 200 : 1000
          let outcome = try Self.poll(
            model, rate, count: count, delay: delay, updatesLate: updatesLate)
          #expect(
            outcome.torn == 0 && outcome.old == 0, "\(rate) \(updatesLate) \(delay) \(outcome)")
          // A slow kernel leaves some ticks without a new sample at 800 Hz, and where several transfers are needed.
          let isTagged = BusTiming.bits(ofTick: model) == 156
          let least = rate == 800 ? (isTagged ? 90 : 50) : isTagged ? 100 : 99
          #expect(outcome.fresh >= count * least / 100, "\(rate) \(delay) \(outcome)")
        }
      }
    }
  }

  @Test(
    "each sensor alone, and on a bus of 100 kHz",
    arguments: CaseSelection.sample(1, of: models))
  func alone(model: SensorModel) throws {
    for channels in [ChannelSet.accelerometer, .gyroscope, [.accelerometer, .gyroscope]] {
      for busClock in [100_000, 400_000] {
        let outcome = try Self.poll(
          model, 100, channels, count: 500, delay: 0...100_000, updatesLate: true,
          busClock: busClock)
        #expect(outcome.torn == 0 && outcome.old == 0 && outcome.fresh == 500, "\(outcome)")
      }
    }
  }

  @Test("a chip whose limited FIFO stops is read by its registers, which are whole as they were")
  func stopping() throws {
    for model in Self.models {
      let outcome = try Self.poll(model, 100, count: 500, stops: true)
      #expect(outcome.fresh == 500 && outcome.torn == 0 && outcome.old == 0)
      #expect(outcome.bits >= 312)
    }
    // One that the bursts hit: an update every 1.2 ms, 0.11 or 0.25 ms from first to last axis.
    for (rate, channels) in [
      (10, .all), (100, .accelerometer), (500, .gyroscope), (500, .all), (740, .all), (757, .all),
    ] as [(UInt32, ChannelSet)] {
      for delay: Int64 in [0, 50_000, 150_000] {
        let outcome = try Self.poll(
          .lsm6dso, rate, channels, count: 2000, delay: delay...delay, stops: true)
        #expect(
          outcome.fresh == 2000 && outcome.torn == 0 && outcome.old == 0,
          "\(rate) \(delay) \(outcome)")
      }
    }
    // Unless block data update is late: the reason for the FIFO.
    #expect(try Self.poll(.lsm6dso, 500, count: 1000, updatesLate: true, stops: true).torn > 10)
  }

  @Test(
    "a tick takes half of the bus time that two bursts take, without tags three quarters",
    arguments: CaseSelection.sample(1, of: models))
  func busTime(model: SensorModel) throws {
    for (rate, most) in [(100, 0.54), (500, 0.58)] as [(UInt32, Double)] {
      let newest = try Self.poll(model, rate, count: 2000, delay: 50_000...50_000)
      let registers = try Self.poll(model, rate, count: 2000, delay: 50_000...50_000, stops: true)
      let ratio = newest.bits / registers.bits
      let isTagged = BusTiming.bits(ofTick: model) == 156
      #expect(
        ratio <= (isTagged ? most : most + 0.3), "\(rate) Hz: \(newest.bits) of \(registers.bits)")
      #expect(newest.bits <= Double(isTagged ? 203 : 290))
    }
  }
}
