// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import SimulatedIMU
import Testing

@Suite("Draining the FIFO of a chip")
struct FIFOSensorTests {
  /// The simulated chips that have a FIFO, and the seconds of a drain at their slowest rates.
  static let models: [SensorModel] = [
    .mpu6050, .mpu6500, .mpu9250, .mpu9255, .icm20689, .lsm6dso, .lsm6dsox, .lsm6dsr,
  ]

  @Test("gives each of its samples once and in order", arguments: models)
  func samples(_ model: SensorModel) throws {
    let fastest = model.family == .mpu6050 ? hertz(1000) : hertz(1666)
    let outcome = try FIFORun(model: model, rate: fastest)()
    #expect(outcome.errors.isEmpty)
    #expect(outcome.epochs.count == 1)
    // 11 drains of 12 are proved; the chip's clock may be off by 1 %.
    let expected = fastest.hertz * 0.22
    #expect(Double(outcome.samples.count) > expected * 0.97)
    #expect(Double(outcome.samples.count) < expected * 1.03)
  }

  @Test("does so at every rate")
  func rates() throws {
    for model in [SensorModel.mpu6050, .lsm6dso] {
      for rate in model.fifoRates(channels: .accelerometer)
      where model != .mpu6050
        || [1, 2, 3, 7, 20, 100, 256].contains(rate.denominator * 1000 / rate.numerator)
      {
        let isFast = rate.hertz > 1666
        let outcome = try FIFORun(
          model: model, rate: rate, channels: isFast ? .accelerometer : .all,
          busClock: rate.hertz > 3332 ? 1_000_000 : 400_000)(
            drains: 6, every: max(20_000_000, 6_000_000_000 / Int64(rate.hertz)))
        #expect(outcome.errors.isEmpty, "\(model) \(rate.hertz)")
        #expect(
          Double(outcome.samples.count) >= min(0.09 * rate.hertz, 20), "\(model) \(rate.hertz)")
      }
    }
  }

  @Test(
    "gives what is recorded",
    arguments: [ChannelSet.all, .accelerometer, .gyroscope, [.accelerometer, .gyroscope]])
  func channels(_ channels: ChannelSet) throws {
    for model in [SensorModel.mpu6050, .lsm6dso] {
      let rate = model == .mpu6050 ? hertz(500) : hertz(416)
      let outcome = try FIFORun(model: model, rate: rate, channels: channels)()
      #expect(outcome.samples.count > 80)
      #expect(outcome.samples.contains { $0 != RawSample() } as Bool)
      for sample in outcome.samples {
        for channel in 0..<6 where !channels.contains(ChannelSet(rawValue: 1 << channel)) {
          #expect(sample[channel] == 0)
        }
      }
    }
  }

  @Test(
    "loses what a stall overwrote and nothing else", arguments: [SensorModel.mpu6050, .lsm6dso])
  func stall(_ model: SensorModel) throws {
    let rate = model == .mpu6050 ? hertz(1000) : hertz(1666)
    let outcome = try FIFORun(model: model, rate: rate, stalls: [5: 400_000_000])(drains: 32)
    #expect(outcome.overruns == 1)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.epochs.count == 2)
    // 80 ms before the stall; the words of an LSM6DSO show what is left of it.
    #expect(outcome.epochs[0].count > Int(rate.hertz * 0.055))
    if model == .lsm6dso { #expect((250...256).contains(outcome.drains.max() ?? 0)) }
    #expect(!outcome.epochs[1].isEmpty)
  }

  @Test("proves nothing that came after its supply dipped", arguments: models)
  func brownOut(_ model: SensorModel) throws {
    for boots in [true, false] {
      for rest in [UInt8(0xFF), 0x00] {
        // In the burst of the fifth drain, which begins after its count.
        let outcome = try FIFORun(
          model: model, rate: model.family == .mpu6050 ? hertz(500) : hertz(416),
          faults: [
            (
              boots
                ? .brownOutInBurst(byte: 31, rest: rest, boots: true)
                : .brownOutInBurst(byte: 31, rest: rest, boots: false), 100_050_000
            )
          ])(drains: 12)
        #expect(outcome.samples.count <= Int(4.2 * 0.02 * 500))
      }
    }
    let between = try FIFORun(
      model: model, rate: model.family == .mpu6050 ? hertz(500) : hertz(416),
      faults: [(.brownOut, 90_000_000)])(drains: 12)
    #expect(between.samples.count <= Int(4.2 * 0.02 * 500))
    #expect(between.samples.count > 10)
  }

  @Test("shows in its configuration that its supply dipped")
  func lostConfiguration() throws {
    for model in Self.models {
      let run = FIFORun(
        model: model, rate: model.family == .mpu6050 ? hertz(500) : hertz(416),
        faults: [(.brownOut, 30_000_000)])
      let clock = VirtualClock()
      var sensor = try run.sensor(clock)
      try sensor.startFIFO()
      clock.advance(by: 20_000_000)
      var check = try sensor.checkConfiguration()
      #expect(check == .intact)
      clock.advance(by: 200_000_000)
      check = try sensor.checkConfiguration()
      #expect(check != .intact)
      sensor.restart()
      while case .wait(let nanoseconds) = try sensor.bringUp() { clock.advance(by: nanoseconds) }
      try sensor.startFIFO()
      clock.advance(by: 20_000_000)
      let fill = try sensor.readFill()
      #expect(fill.isProof)
      let count = try sensor.drain(fill)
      #expect((6...11).contains(count))
    }
  }

  @Test("never proves a wrong sample, whichever bit of a count is wrong")
  func wrongCounts() throws {
    for model in [SensorModel.mpu6050, .lsm6dso] {
      for bit in 0..<16 {
        let outcome = try FIFORun(
          model: model, rate: model == .mpu6050 ? hertz(1000) : hertz(833),
          faults: [(.corrupt(byte: bit / 8, mask: 1 << UInt8(bit % 8)), 80_000_000)])(drains: 10)
        // Those of the first two drains at least.
        #expect(outcome.epochs[0].count >= (model == .mpu6050 ? 39 : 32), "\(model) bit \(bit)")
      }
    }
  }

  @Test("never proves a wrong sample, whichever transfer fails")
  func failures() throws {
    for model in [SensorModel.mpu6050, .lsm6dso] {
      // The count, and the burst after it.
      for instant in [80_000_000, 80_060_000] as [Int64] {
        for kind in [BusError.Kind.noAcknowledge, .timeout, .arbitrationLost] {
          let outcome = try FIFORun(
            model: model, rate: hertz(model == .mpu6050 ? 1000 : 833),
            faults: [(.fail(kind), instant)])(drains: 10)
          #expect(outcome.errors.count == 1)
          #expect(outcome.epochs.count == (instant == 80_000_000 ? 1 : 2))
        }
      }
    }
  }

  @Test("reads the temperature of an LSM6DSO beside its FIFO")
  func temperature() throws {
    let clock = VirtualClock()
    let run = FIFORun(model: .lsm6dso, rate: hertz(416))
    var sensor = try run.sensor(clock)
    try sensor.startFIFO()
    clock.advance(by: 20_000_000)
    let fill = try sensor.readFill()
    #expect(try sensor.drain(fill) > 5)
    let found = sensor.sample(at: 0).temperature
    let bus = sensor.releaseBus()
    let tick = bus.tick(of: run.address, at: FIFORun.start) ?? 0
    #expect(found == bus.outputs(of: run.address, atTick: tick)?.temperature)
  }
}
