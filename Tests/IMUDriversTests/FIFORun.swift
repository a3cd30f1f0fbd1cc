// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import SimulatedIMU
import Testing

/// A simulated chip, its FIFO drained by the shipped driver as a recorder does it.
struct FIFORun {
  typealias Bus = SimulatedBus<VirtualClock>

  var model = SensorModel.mpu6050
  var rate = hertz(1000)
  var channels = ChannelSet.all
  var busClock: Int? = 400_000
  var motion = Motion.tumble
  /// Faults, by nanoseconds since the FIFO was started.
  var faults: [(fault: Fault, at: Int64)] = []
  /// The nanoseconds by which a drain, counted from 1, is late.
  var stalls: [Int: Int64] = [:]

  var address: I2CAddress { model.addresses[0] }

  var chip: SimulatedChip {
    let chip: SimulatedChip =
      model.family == .mpu6050 ? .mpu6050 : model.family == .lsm6ds ? .lsm6dso : .lsm6dsv
    return chip.answering(model.identity)
  }

  /// The chip's oscillator ticks a sample: of 8000, 6667 or 7680 a second.
  var ticksPerSample: Int64 {
    guard model.family != .mpu6050 else {
      return 8000 * Int64(rate.denominator) / Int64(rate.numerator)
    }
    let place = model.fifoRates(channels: .accelerometer).firstIndex(of: rate) ?? 0
    return (model.family == .lsm6ds ? 512 : 1024) >> Int64(place)
  }

  /// The instant at which FIFOs are started.
  static let start = MonotonicTime(nanoseconds: 2_000_000_000)

  /// The driver, brought up long before the clock shows ``start``.
  func sensor(_ clock: VirtualClock, hasFaults: Bool = true) throws -> FIFOSensor<Bus> {
    var bus = SimulatedBus(
      clock: clock, chip: chip, address: address, motion: motion, busHertz: busClock)
    if hasFaults {
      for (fault, instant) in faults {
        bus.inject(
          fault,
          at: .time(MonotonicTime(nanoseconds: Self.start.nanoseconds + instant)))
      }
    }
    var sensor = try FIFOSensor(
      bus: bus, identity: SensorIdentity(model: model, address: address),
      configuration: SensorConfiguration(
        rate: rate, accelerometerRange: model.accelerometerRanges[1], channels: channels,
        busClock: busClock))
    while case .wait(let nanoseconds) = try sensor.bringUp() { clock.advance(by: nanoseconds) }
    #expect(clock.now().nanoseconds < Self.start.nanoseconds)
    clock.sleep(until: Self.start)
    return sensor
  }

  /// What came out.
  struct Outcome {
    /// The samples that were proved, by epoch.
    var epochs: [[RawSample]] = [[]]
    /// Those that were held when the run ended.
    var unproved = 0
    var errors: [FIFOError] = []
    var overruns = 0
    /// How many slots each drain had.
    var drains: [Int] = []

    var samples: [RawSample] { epochs.flatMap { $0 } }
  }

  /// Brings the chip up, drains its FIFO `drains` times every `period` nanoseconds, holds the samples until a later fill
  /// proves them, and compares every proved sample with the chip's own.
  @discardableResult
  func callAsFunction(drains: Int = 12, every period: Int64 = 20_000_000) throws -> Outcome {
    let clock = VirtualClock()
    var sensor = try sensor(clock)
    var outcome = Outcome()
    var held: [RawSample] = []
    try sensor.startFIFO()
    for number in 1...drains {
      let deadline = Self.start.nanoseconds + Int64(number) * period + (stalls[number] ?? 0)
      clock.sleep(until: MonotonicTime(nanoseconds: deadline))
      do throws(FIFOError) {
        let fill = try sensor.readFill()
        if fill.isProof, !fill.isOverrun {
          outcome.epochs[outcome.epochs.count - 1] += held
          held = []
        }
        if fill.isOverrun {
          outcome.overruns += 1
          held = []
          outcome.epochs.append([])
          if sensor.losesAlignment {
            try sensor.startFIFO()
            continue
          }
        }
        let count = try sensor.drain(fill)
        outcome.drains.append(count)
        for index in 0..<count { held.append(sensor.sample(at: index)) }
      } catch {
        outcome.errors.append(error)
        if case .impossibleCount = error { continue }
        if case .bus(let cause) = error, cause.register == 0x72 || cause.register == 0x3A {
          continue
        }
        held = []
        outcome.epochs.append([])
        do throws(FIFOError) {
          try sensor.startFIFO()
        } catch {
          outcome.errors.append(error)
        }
      }
    }
    outcome.unproved = held.count
    try compare(outcome)
    return outcome
  }

  /// Compares with a twin of the chip, brought up in the same way, to which nothing happened.
  private func compare(_ outcome: Outcome) throws {
    let clock = VirtualClock()
    let bus = try sensor(clock, hasFaults: false).releaseBus()
    let tick = bus.tick(of: address, at: Self.start)
    var next = try #require(tick) / ticksPerSample
    func made(_ number: Int64) -> RawSample {
      recorded(bus.outputs(of: address, atTick: number * ticksPerSample) ?? RawSample())
    }
    for (number, epoch) in outcome.epochs.enumerated() where !epoch.isEmpty {
      let first = recorded(epoch[0])
      guard let begin = (next...next + 3000).first(where: { made($0) == first }) else {
        Issue.record("epoch \(number) begins with a sample that the chip did not make")
        return
      }
      let wrong = epoch.indices.first { recorded(epoch[$0]) != made(begin + Int64($0)) }
      #expect(
        wrong == nil,
        "sample \(wrong ?? 0) of \(epoch.count) of epoch \(number) is not the chip's: \(model), \(faults)"
      )
      next = begin + Int64(epoch.count)
    }
  }

  /// The channels of a sample that are recorded, and of a chip with the temperature beside its FIFO not that.
  func recorded(_ sample: RawSample) -> RawSample {
    var sample = sample
    for channel in 0..<7 where !channels.contains(ChannelSet(rawValue: 1 << channel)) {
      sample[channel] = 0
    }
    if model.family != .mpu6050 { sample.temperature = 0 }
    return sample
  }
}
