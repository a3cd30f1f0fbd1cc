// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import SimulatedIMU
import TestSupport
import Testing

/// The drivers of magnetometers against chips that are simulated independently of them.
@Suite("A magnetometer")
struct FieldSensorTests {
  /// A chip with its magnetometer, set up by the shipped drivers, on a bus that takes its time.
  private struct Bench: ~Copyable {
    let clock: VirtualClock
    var bus: SimulatedBus<VirtualClock>
    var field: FieldSensor
    /// Nanoseconds that a look has until the next deadline.
    var room: Int64 = 1_000_000_000

    static func of(
      _ model: SensorModel, _ chip: SimulatedChip, rate: SampleRate, motion: Motion = .turn,
      busHertz: Int = 400_000
    ) throws -> Bench {
      let clock = VirtualClock()
      let address = model.addresses[0]
      var configuration = SensorConfiguration(rate: hertz(100))
      configuration.fieldRate = rate
      var sensor = try PolledSensor(
        bus: SimulatedBus(
          clock: clock, chip: chip, address: address, motion: motion, busHertz: busHertz),
        identity: SensorIdentity(model: model, address: address), configuration: configuration)
      while case .wait(let time) = try sensor.bringUp() { clock.advance(by: time) }
      let field = try #require(FieldSensor(inside: model, rate: rate))
      var bench = Bench(clock: clock, bus: sensor.releaseBus(), field: field)
      while case .wait(let time) = try bench.field.bringUp(on: &bench.bus) {
        clock.advance(by: time)
      }
      // The first look may find a value of an unknown time.
      _ = bench.look()
      return bench
    }

    mutating func look() -> FieldReading? {
      let clock = clock
      let step = field.follow(
        on: &bus, before: clock.now() + room, origin: MonotonicTime(nanoseconds: 0)
      ) { clock.now() }
      guard case .looked(let value) = step else { return nil }
      return value
    }

    /// The values of a time in which it is looked at when it wants to be.
    mutating func values(for nanoseconds: Int64) -> [FieldReading] {
      var values: [FieldReading] = []
      let end = clock.now() + nanoseconds
      while clock.now() < end {
        if let value = look() { values.append(value) }
        clock.sleep(until: min(max(field.due, clock.now() + 100_000), end))
      }
      return values
    }

    /// When the chip completed the value, which must be its newest at the interval's end or at the beginning of the look
    /// that lasted until then; `nil` where it has no such value.
    func completion(of value: FieldReading) -> Int64? {
      func matches(_ tick: Int64) -> Bool {
        guard let made = bus.outputs(of: field.address, atTick: tick) else { return false }
        return made.ax == value.x && made.ay == value.y && made.az == value.z
      }
      func tick(at time: Int64) -> Int64 {
        bus.tick(of: field.address, at: MonotonicTime(nanoseconds: time)) ?? 0
      }
      var newest = tick(at: value.time)
      while !matches(newest) {
        newest -= 1
        if newest < tick(at: value.time - 40_000_000) { return nil }
      }
      while matches(newest - 1) {
        newest -= 1
        // A chip that measures nothing always had it.
        if newest < tick(at: value.time - 2_000_000_000) { return nil }
      }
      return bus.time(ofTick: newest, of: field.address)?.nanoseconds
    }
  }

  private static let chips: [(SensorModel, SimulatedChip, UInt32)] = [
    (.icm20948, .icm20948, 10), (.icm20948, .icm20948, 50), (.icm20948, .icm20948, 100),
    (.lsm9ds1, .lsm9ds1, 5), (.lsm9ds1, .lsm9ds1, 20), (.lsm9ds1, .lsm9ds1, 80),
  ]

  @Test(
    "has each value whole, once, and within its interval, whatever transfers fail", arguments: chips
  )
  func values(model: SensorModel, chip: SimulatedChip, rate: UInt32) throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("looks at \(rate) Hz of \(model) with seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    // So much noise that no two values are equal, and a bus so slow that many looks meet a new one.
    var noisy = chip
    noisy.noiseFactor = 50
    var bench = try Bench.of(model, noisy, rate: hertz(rate), busHertz: 25_000)
    let period = hertz(rate).nanoseconds(atTick: 1)
    var last: (completion: Int64, time: Int64)?
    var (count, skips) = (0, 0)
    for turn in 0..<4000 {
      bench.clock.advance(
        by: .random(in: period / 8...(turn % 5 == 0 ? 3 : 1) * period / 2, using: &generator))
      if turn % 7 == 0 {
        // The status's transfer, one with the axes, or the proof's.
        bench.bus.inject(
          .failInBurst(bytes: .random(in: 0..<8, using: &generator), .noAcknowledge),
          at: .transfer(bench.bus.transferCount + .random(in: 1...3, using: &generator)))
      }
      let before = bench.clock.now().nanoseconds
      guard let value = bench.look() else { continue }
      let completed = bench.completion(of: value)
      let completion = try #require(completed, "turn \(turn)")
      #expect(completion > value.time - Int64(value.width), "turn \(turn)")
      #expect(completion <= value.time, "turn \(turn)")
      #expect(!value.flags.contains(.saturated))
      if let last {
        #expect(completion > last.completion && value.time > last.time, "turn \(turn)")
        let isMissing = completion - last.completion > period * 3 / 2
        if isMissing { skips += 1 }
        // Of one that comes, or is replaced, during a look the chip need not tell.
        let isSilent = completion > before || last.completion + period * 19 / 20 < last.time
        #expect(!isMissing || isSilent || value.flags.contains(.skipped), "turn \(turn)")
      }
      last = (completion, value.time)
      count += 1
    }
    #expect(count > 700, "\(count)")
    #expect(skips > 0, "\(skips)")
  }

  @Test("is in the accelerometer's axes once turned as its description says")
  func axes() throws {
    for (model, chip) in [(SensorModel.icm20948, SimulatedChip.icm20948), (.lsm9ds1, .lsm9ds1)] {
      var bench = try Bench.of(model, chip.ideal, rate: hertz(20))
      let description = try #require(FieldModel.inside(model)).description(at: hertz(20))
      for _ in 0..<200 {
        bench.clock.advance(by: 25_000_000)
        guard let value = bench.look(), let instant = bench.completion(of: value) else {
          continue
        }
        let counts = [value.x, value.y, value.z].map { Double($0) * description.scale.value }
        let truth = try #require(Motion.turn.truth(at: instant)).field
        for axis in 0..<3 {
          let part = counts[description.axes.sources[axis]]
          let turned = description.axes.isReversed[axis] ? -part : part
          #expect(abs(turned - truth[axis]) < 0.2, "\(model) \(axis)")
        }
      }
    }
  }

  @Test("says that a field is beyond its range, and that values were skipped")
  func flags() throws {
    for (model, chip, field) in [
      (.icm20948, .icm20948, SIMD3(2000, -1500, 1500)), (.lsm9ds1, .lsm9ds1, SIMD3(0, 500, 0)),
    ] as [(SensorModel, SimulatedChip, SIMD3<Double>)] {
      let motion = Motion.steady(
        Motion.Truth(acceleration: SIMD3(0, 0, 9.8), angularRate: SIMD3(), field: field))
      var bench = try Bench.of(model, chip.ideal, rate: hertz(20), motion: motion)
      bench.clock.advance(by: 60_000_000)
      let first = bench.look()
      #expect(first?.flags == .saturated, "\(model)")
      bench.clock.advance(by: 160_000_000)
      let second = bench.look()
      #expect(second?.flags == [.saturated, .skipped], "\(model)")
    }
  }

  @Test(
    "is looked at some three times a value, and dated to a fifth of its period", arguments: chips
  )
  func looks(model: SensorModel, chip: SimulatedChip, rate: UInt32) throws {
    var bench = try Bench.of(model, chip, rate: hertz(rate))
    let period = hertz(rate).nanoseconds(atTick: 1)
    _ = bench.values(for: 3 * period)
    let before = bench.bus.transferCount
    let values = bench.values(for: 100 * period)
    #expect(values.count >= 95)
    #expect(values.allSatisfy { $0.flags.isEmpty && Int64($0.width) < period / 5 })
    // With a value three transfers, or four.
    let transfers = bench.bus.transferCount - before
    #expect(transfers < values.count * 7)
  }

  @Test("does not become a new one where a status is garbled on the wire")
  func garbled() throws {
    for (model, chip, ready) in [(.icm20948, .icm20948, 0x01), (.lsm9ds1, .lsm9ds1, 0x08)]
      as [(SensorModel, SimulatedChip, UInt8)]
    {
      var bench = try Bench.of(model, chip, rate: hertz(20))
      let first = bench.values(for: 100_000_000)
      #expect(first.count >= 1)
      // Before the next one can be there.
      while bench.look() == nil { bench.clock.sleep(until: bench.field.due) }
      bench.clock.sleep(until: bench.field.due)
      bench.bus.inject(
        .corrupt(byte: 0, mask: ready), at: .transfer(bench.bus.transferCount + 1))
      #expect(bench.look() == nil)
      let rest = bench.values(for: 500_000_000)
      #expect(rest.count >= 9 && rest.allSatisfy { $0.flags.isEmpty }, "\(model) \(rest)")
    }
  }

  @Test("is looked at again though a look was held up for longer than there is room")
  func heldUp() throws {
    var bench = try Bench.of(.icm20948, .icm20948, rate: hertz(20))
    bench.room = 5_000_000
    #expect(bench.values(for: 500_000_000).count >= 9)
    bench.bus.inject(.busClock(percent: 5), at: .time(bench.clock.now()))
    let slow = bench.values(for: 60_000_000)
    #expect(slow.count == 1)
    bench.bus.inject(.busClock(percent: 100), at: .time(bench.clock.now()))
    #expect(bench.values(for: 1_000_000_000).count >= 18)
  }

  @Test("gives no value that is not of its configuration, wherever its supply dips")
  func dips() throws {
    for (model, chip) in [(SensorModel.icm20948, SimulatedChip.icm20948), (.lsm9ds1, .lsm9ds1)] {
      // Bytes of the looks until a value, the proof included.
      for place in 0..<60 {
        var bench = try Bench.of(model, chip, rate: hertz(20))
        // The same chip whose supply does not dip: what was measured before.
        let twin = try Bench.of(model, chip, rate: hertz(20))
        _ = bench.values(for: 200_000_000)
        bench.bus.inject(
          .brownOutInBurst(
            byte: place % 10, rest: place % 2 == 0 ? 0 : 0xFF, boots: place % 3 == 0),
          at: .transfer(bench.bus.transferCount + 1 + place / 10))
        for _ in 0..<40 {
          bench.clock.sleep(until: bench.field.due)
          guard let value = bench.look() else { continue }
          let completion = twin.completion(of: value) ?? bench.completion(of: value)
          #expect(completion != nil, "\(model) \(place) \(value)")
        }
        if model == .icm20948 {
          // Its host lost the bypass, too.
          try bench.bus.write(I2CAddress(known: 0x68), register: 0x0F, value: 0x22)
        }
        let rest = bench.values(for: 2_000_000_000)
        #expect(rest.count > 15, "\(model) \(place)")
      }
    }
  }

  @Test("that is another chip, stuck or one of two is refused with the remedy")
  func refusals() throws {
    #expect(FieldSensor(inside: .icm20948, rate: hertz(30)) == nil)
    #expect(FieldModel.inside(.mpu6050) == nil)
    var configuration = SensorConfiguration(rate: hertz(100))
    configuration.fieldRate = hertz(30)
    #expect(
      refusal(configuration, .icm20948)
        == "the ICM-20948's magnetometer has no rate of 30 Hz: ask for 10, 20, 50, 100 Hz")
    #expect(
      refusal(configuration, .mpu6050)
        == "the MPU-6050 has no magnetometer: the ICM-20948 and the LSM9DS1 have one")
    configuration = SensorConfiguration(rate: hertz(40))
    configuration.fieldRate = hertz(50)
    #expect(
      refusal(configuration, .icm20948)
        == "the magnetometer's 50 Hz are more than the samples' 40 Hz: ask for fewer, or for more samples"
    )
    configuration = SensorConfiguration(rate: hertz(250), busClock: 100_000)
    configuration.fieldRate = hertz(20)
    #expect(
      refusal(configuration, .icm20948)
        == "a 33-byte burst takes 327 bit times, 3.27 ms at 100 kHz, and 0.05 ms in the kernel, and a look "
        + "at the magnetometer 2.04 ms: 186 Hz at most, 250 Hz was requested; set the bus's clock to "
        + "400 kHz: `imulog boards ID` shows how, or record without the magnetometer")
    // Nothing shows which of two magnetometers answers at their one address.
    let pair = VirtualClock()
    var wire = SimulatedBus(
      clock: pair, chip: .icm20948, address: I2CAddress(known: 0x68), busHertz: 400_000)
    wire.attach(.icm20948, at: I2CAddress(known: 0x69))
    configuration = SensorConfiguration(rate: hertz(100))
    configuration.fieldRate = hertz(20)
    var sensor = try PolledSensor(
      bus: wire, identity: SensorIdentity(model: .icm20948, address: I2CAddress(known: 0x69)),
      configuration: configuration)
    let error = try #require(throws: SensorError.self) {
      while case .wait(let time) = try sensor.bringUp() { pair.advance(by: time) }
    }
    #expect(
      "\(error)"
        == "the ICM-20948s at 0x69 and 0x68 each have a magnetometer, and nothing shows which of them "
        + "answers: put one on a bus of its own, or record without it")
    // Its bypass is closed.
    let clock = VirtualClock()
    var bus = SimulatedBus(
      clock: clock, chip: .icm20948, address: I2CAddress(known: 0x68), busHertz: 400_000)
    var field = try #require(FieldSensor(inside: .icm20948, rate: hertz(20)))
    let silence = try #require(throws: SensorError.self) {
      while case .wait(let time) = try field.bringUp(on: &bus) { clock.advance(by: time) }
    }
    #expect("\(silence)".hasPrefix("the magnetometer AK09916 at 0x0c cannot be set up: "))
  }
}
