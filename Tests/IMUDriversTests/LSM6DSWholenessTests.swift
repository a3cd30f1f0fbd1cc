import I2C
import IMUDrivers
import IMUModel
import SimulatedIMU
import Testing

@Suite("An LSM6DS on a bus that takes its time")
struct LSM6DSWholenessTests {
  /// A bus whose transfers the kernel keeps waiting.
  struct DelayedBus: I2CBus, ~Copyable {
    var bus: SimulatedBus<VirtualClock>
    let clock: VirtualClock
    let delay: Int64

    mutating func read(
      _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
    ) throws(BusError) {
      clock.advance(by: delay)
      try bus.read(address, register: register, into: buffer)
    }

    mutating func write(
      _ address: I2CAddress, register: UInt8, value: UInt8
    ) throws(BusError) {
      try bus.write(address, register: register, value: value)
    }

    var transferCount: Int { bus.transferCount }

    consuming func release() -> SimulatedBus<VirtualClock> { bus }
  }

  struct Poll {
    var start: MonotonicTime
    var end: MonotonicTime
    var sample: RawSample
  }

  /// What polling came to.
  struct Outcome {
    var fresh = 0
    var mixed = 0
    /// Ticks with an update between the first and the last axis of their first burst.
    var hits = 0
    var thirds = 0
    var late = 0
  }

  static let address = I2CAddress(known: 0x6A)

  /// Polls a tumbling chip `count` times and holds every sample against what the chip made.
  static func poll(
    _ rate: UInt32, _ channels: ChannelSet, count: Int, delay: Int64 = 0, error: Int = -4500,
    seed: UInt64 = 1
  ) throws -> Outcome {
    let clock = VirtualClock()
    var chip = SimulatedChip.lsm6dso
    chip.clockErrorPartsPerMillion = error
    chip.seed = seed
    let bus = DelayedBus(
      bus: SimulatedBus(
        clock: clock, chip: chip, address: address, motion: .tumble, busHertz: 400_000),
      clock: clock, delay: delay)
    var sensor = try LSM6DSSensor(
      bus: bus, identity: SensorIdentity(model: .lsm6dso, address: address),
      configuration: SensorConfiguration(
        rate: hertz(rate), channels: channels, busClock: 400_000))
    while case .wait(let nanoseconds) = try sensor.bringUp() { clock.advance(by: nanoseconds) }

    var outcome = Outcome()
    var polls: [Poll] = []
    let begin = clock.now().nanoseconds
    let period = 1_000_000_000 / Int64(rate)
    // The longest read of two bursts.
    let two = 312 * 2500 + 2 * delay
    for number in 0..<count {
      let deadline = MonotonicTime(nanoseconds: begin + Int64(number) * period)
      clock.sleep(until: deadline)
      let start = clock.now()
      if start.nanoseconds > deadline.nanoseconds { outcome.late += 1 }
      var sample = RawSample()
      guard try sensor.read(into: &sample) == .fresh else { continue }
      polls.append(Poll(start: start, end: clock.now(), sample: sample))
      if channels == .all, clock.now().nanoseconds - start.nanoseconds > two {
        outcome.thirds += 1
      }
    }
    let simulated = sensor.releaseBus().release()
    let divider: Int64 = rate > 757 ? 4 : 8
    let nothing = RawSample()
    for poll in polls {
      func sampleNumber(at time: MonotonicTime) -> Int64 {
        (simulated.tick(of: address, at: time) ?? 0) / divider
      }
      func made(_ number: Int64, before: Int64 = 0) -> RawSample {
        simulated.outputs(of: address, atTick: number * divider - before) ?? nothing
      }
      // When the first burst reads its first axis and its last one.
      let bits = (
        channels.contains(.gyroscope) ? 65 : 119, channels.contains(.accelerometer) ? 164 : 110
      )
      let first = poll.start.nanoseconds + delay + Int64(bits.0) * 2500
      let last = poll.start.nanoseconds + delay + Int64(bits.1) * 2500
      outcome.fresh += 1
      if sampleNumber(at: MonotonicTime(nanoseconds: first))
        != sampleNumber(at: MonotonicTime(nanoseconds: last))
      {
        outcome.hits += 1
      }
      let isWhole = (sampleNumber(at: poll.start)...sampleNumber(at: poll.end)).contains {
        matches(
          poll.sample, made($0), temperatures: [made($0), made($0, before: 128)], channels)
      }
      if !isWhole { outcome.mixed += 1 }
    }
    return outcome
  }

  /// Whether all axes in use are those that were made; the temperature may be one of two.
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

  static let cases: [(UInt32, ChannelSet)] = [10, 100, 500].flatMap { rate in
    [(rate, ChannelSet.all), (rate, .accelerometer), (rate, .gyroscope)]
  }

  @Test("every sample is of one instant, whatever fell into its bursts", arguments: cases)
  func whole(rate: UInt32, channels: ChannelSet) throws {
    for delay: Int64 in [0, 50_000, 150_000] {
      let outcome = try Self.poll(rate, channels, count: 3000, delay: delay)
      #expect(outcome.fresh == 3000)
      #expect(outcome.mixed == 0)
      // The bursts were hit: an update every 1.2 ms, 0.11 or 0.25 ms from first to last axis.
      #expect(outcome.hits > 150)
      if channels == .all { #expect(outcome.thirds > 0) }
    }
  }
}
