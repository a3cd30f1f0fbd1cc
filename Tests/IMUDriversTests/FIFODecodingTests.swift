// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

import IMUDrivers

@Suite("The bytes of a FIFO")
struct FIFODecodingTests {
  static let values: [[Int16]] = [
    [1, -2, 0x1234, -0x1235, 0x00FF, -0x0100, 7], [.max, .min, 0, -1, .min, .max, -1],
    [-1, -1, -1, 0, 0, 0, .min],
  ]

  /// The sample with these counts, as far as it is recorded.
  private func sample(
    _ values: [Int16], _ channels: ChannelSet, hasTemperature: Bool = true
  ) -> RawSample {
    var sample = RawSample()
    for channel in channels.indices where channel < 6 || hasTemperature {
      sample[channel] = values[channel]
    }
    return sample
  }

  @Test(
    "of an MPU-6050 are acceleration, temperature, angular rate, high byte first",
    arguments: [
      ChannelSet.all, [.accelerometer, .gyroscope], .accelerometer, .gyroscope,
      [.accelerometer, .temperature], [.gyroscope, .temperature],
    ])
  func packets(_ channels: ChannelSet) throws {
    for model in [SensorModel.mpu6050, .mpu6500, .mpu9250, .mpu9255, .icm20689] {
      let bus = FIFOBus(model)
      var sensor = try started(bus, model, channels)
      var bytes: [UInt8] = []
      for sample in Self.values {
        let order = [0, 1, 2, 6, 3, 4, 5].filter {
          channels.contains(ChannelSet(rawValue: 1 << $0))
        }
        bytes += bigEndian(order.map { sample[$0] })
      }
      bus.fill(bytes, unit: 1)
      #expect(drained(&sensor) == .success(Self.values.map { sample($0, channels) }))
      #expect(bus.bytes.isEmpty)
      #expect(bus.bursts == [bytes.count])
    }
  }

  @Test(
    "of an LSM6DSO are words with a tag, in either order",
    arguments: [ChannelSet.all, .accelerometer, .gyroscope, [.accelerometer, .gyroscope]])
  func words(_ channels: ChannelSet) throws {
    for model in [SensorModel.lsm6dso, .lsm6dsox, .lsm6dso32, .lsm6dsr] {
      for isReversed in [false, true] {
        let bus = FIFOBus(model)
        var sensor = try started(bus, model, channels)
        var bytes: [UInt8] = []
        for (slot, sample) in Self.values.enumerated() {
          var words: [[UInt8]] = []
          if channels.contains(.gyroscope) { words.append(word(1, slot, Array(sample[3..<6]))) }
          if channels.contains(.accelerometer) { words.append(word(2, slot, Array(sample[..<3]))) }
          bytes += (isReversed ? words.reversed() : words).joined()
        }
        bus.fill(bytes, unit: 7)
        #expect(
          drained(&sensor)
            == .success(Self.values.map { sample($0, channels, hasTemperature: false) }))
        #expect(bus.bursts == [bytes.count])
      }
    }
  }

  @Test(
    "of an LSM6DSL are angular rate, acceleration, low byte first",
    arguments: [ChannelSet.all, .accelerometer, .gyroscope, [.accelerometer, .gyroscope]])
  func pattern(_ channels: ChannelSet) throws {
    for model in [SensorModel.lsm6ds3, .lsm6ds33, .lsm6dsl, .lsm6dsm, .lsm6ds3trc] {
      let bus = FIFOBus(model)
      var sensor = try started(bus, model, channels)
      var bytes: [UInt8] = []
      for sample in Self.values {
        if channels.contains(.gyroscope) { bytes += littleEndian(Array(sample[3..<6])) }
        if channels.contains(.accelerometer) { bytes += littleEndian(Array(sample[..<3])) }
      }
      bus.fill(bytes, unit: 2)
      #expect(
        drained(&sensor)
          == .success(Self.values.map { sample($0, channels, hasTemperature: false) }))
    }
  }

  @Test("of an ST chip lack the temperature, which is read beside them")
  func slowTemperature() throws {
    let bus = FIFOBus(.lsm6dso)
    bus.chip.registers[0x20] = 0x34
    bus.chip.registers[0x21] = 0xF2
    // Bring-up resets the registers: the second start reads the temperature.
    var sensor = try started(bus, .lsm6dso, .all)
    for (low, high, count) in [(0x34, 0xF2, -0xDCC), (0xFF, 0x7F, 0x7FFF)] {
      bus.chip.registers[0x20] = UInt8(low)
      bus.chip.registers[0x21] = UInt8(high)
      #expect(try sensor.checkConfiguration() == .intact)
      bus.fill(
        word(1, bus.bursts.count, [1, 2, 3]) + word(2, bus.bursts.count, [4, 5, 6]), unit: 7)
      #expect(try drained(&sensor).get()[0].temperature == Int16(count))
    }
  }

  @Test("are whole slots: half a one waits for its other half")
  func halfSlots() throws {
    let bus = FIFOBus(.lsm6dso)
    var sensor = try started(bus, .lsm6dso, .all)
    bus.fill(word(1, 0, [1, 2, 3]) + word(2, 0, [4, 5, 6]) + word(1, 1, [7, 8, 9]), unit: 7)
    #expect(try drained(&sensor).get().count == 1)
    bus.fill(word(2, 1, [-1, -2, -3]), unit: 7)
    let fill = try sensor.readFill()
    #expect(fill.slots == 1)
    #expect(try sensor.drain(fill) == 1)
    #expect(sensor.sample(at: 0) == RawSample(ax: -1, ay: -2, az: -3, gx: 7, gy: 8, gz: 9))
    // A fill of nothing leaves the half where it is.
    bus.fill(word(1, 2, [1, 1, 1]), unit: 7)
    #expect(try drained(&sensor).get().isEmpty)
    bus.fill([], unit: 7)
    #expect(try drained(&sensor).get().isEmpty)
    bus.fill(word(2, 2, [2, 2, 2]) + word(2, 3, [3, 3, 3]) + word(1, 3, [4, 4, 4]), unit: 7)
    #expect(try drained(&sensor).get().map(\.gx) == [1, 4])
  }

  @Test("are left in the FIFO as far as they are no whole packet", arguments: 1..<14)
  func partialPackets(_ more: Int) throws {
    let bus = FIFOBus(.mpu6050)
    var sensor = try started(bus, .mpu6050)
    let packet = bigEndian([1, 2, 3, 4, 5, 6, 7])
    bus.fill(packet + packet.prefix(more), unit: 1)
    let fill = try sensor.readFill()
    #expect(fill == FIFOFill(units: 14 + more, slots: 1, isProof: false))
    #expect(try sensor.drain(fill) == 1)
    #expect(bus.bytes.count == more)
    bus.fill(Array(packet.dropFirst(more)), unit: 1)
    let sample = RawSample(ax: 1, ay: 2, az: 3, gx: 5, gy: 6, gz: 7, temperature: 4)
    #expect(drained(&sensor) == .success([sample]))
  }

  @Test(
    "that do not follow each other are an error, and the next whole slot counts",
    arguments: [
      // A slot is missing.
      [word(1, 1, [1, 1, 1]), word(2, 1, [1, 1, 1])],
      // Half a slot is missing.
      [word(2, 0, [1, 1, 1]), word(1, 1, [1, 1, 1])],
      // The same word twice.
      [word(1, 0, [1, 1, 1]), word(1, 0, [1, 1, 1])],
      // Words that nobody asked for: temperature, time stamp, change of configuration, unknown.
      [word(3, 0, [1, 1, 1])], [word(4, 0, [1, 1, 1])], [word(5, 0, [1, 1, 1])],
      [word(0x1F, 0, [1, 1, 1])],
      // No chip.
      [[UInt8](repeating: 0xFF, count: 7)],
    ])
  func sequence(_ words: [[UInt8]]) throws {
    let bus = FIFOBus(.lsm6dso)
    var sensor = try started(bus, .lsm6dso, .all)
    // Slot 3 comes before slot 0.
    bus.fill(word(1, 3, [9, 9, 9]) + word(2, 3, [9, 9, 9]), unit: 7)
    #expect(try drained(&sensor).get().count == 1)
    bus.fill(Array(words.joined()), unit: 7)
    guard case .failure(.brokenSequence(let tag)) = drained(&sensor) else {
      Issue.record("accepted")
      return
    }
    #expect(words.contains { $0[0] == tag })
    let next = word(2, 1, [5, 5, 5]) + word(1, 2, [6, 6, 6]) + word(2, 2, [7, 7, 7])
    bus.fill(next, unit: 7)
    let fill = try sensor.readFill()
    #expect(fill.slots == nil)
    #expect(try sensor.drain(fill) == 1)
    #expect(sensor.sample(at: 0) == RawSample(ax: 7, ay: 7, az: 7, gx: 6, gy: 6, gz: 6))
  }

  @Test(
    "of a FIFO that has overrun show how many slots were lost, modulo 4", arguments: 0..<9,
    [false, true])
  func skipped(lost: Int, beginsInSlot: Bool) throws {
    let bus = FIFOBus(.lsm6dso)
    var sensor = try started(bus, .lsm6dso, .all)
    bus.fill(word(1, 2, [9, 9, 9]) + word(2, 2, [9, 9, 9]), unit: 7)
    #expect(try drained(&sensor).get().count == 1)
    #expect(sensor.slotsSkipped == nil)
    let first = 3 + lost
    let half = beginsInSlot ? word(2, first - 1, [8, 8, 8]) : []
    let whole = [first, first + 1].flatMap { word(1, $0, [1, 1, 1]) + word(2, $0, [2, 2, 2]) }
    bus.fill(half + whole + word(1, first + 2, [3, 3, 3]), unit: 7, flags: 0x40)
    #expect(try drained(&sensor).get().count == 2)
    #expect(sensor.slotsSkipped == lost % 4)
    bus.fill(word(2, first + 2, [4, 4, 4]), unit: 7)
    #expect(try drained(&sensor).get().count == 1)
    #expect(sensor.slotsSkipped == 0)
  }

  @Test("of an empty word end a drain that counted too many")
  func emptyWords() throws {
    let bus = FIFOBus(.lsm6dso)
    var sensor = try started(bus, .lsm6dso, .all)
    bus.fill(word(1, 0, [1, 1, 1]) + word(2, 0, [2, 2, 2]), unit: 7)
    bus.statusBytes[0] = 40
    #expect(try drained(&sensor).get().count == 1)
    bus.fill(word(1, 1, [1, 1, 1]) + word(2, 1, [3, 3, 3]), unit: 7)
    #expect(try drained(&sensor).get().map(\.ax) == [3])
  }

  @Test("of a gyroscope at rest are samples, also beside the stamps of a counter that stands still")
  func restBesideStamps() throws {
    for isStamped in [false, true] {
      let bus = FIFOBus(.lsm6dsl)
      var sensor = try started(bus, .lsm6dsl, .gyroscope, isStamped: isStamped)
      bus.fill([UInt8](repeating: 0, count: isStamped ? 24 : 12), unit: 2)
      #expect(try drained(&sensor).get().count == 2)
    }
  }

  @Test(
    "that repeat the last one are more than the MPU-6050 had",
    arguments: [0x00, 0x12, 0xFF] as [UInt8])
  func repeated(_ last: UInt8) throws {
    let bus = FIFOBus(.mpu6050)
    var sensor = try started(bus, .mpu6050)
    bus.fill(bigEndian([1, 2, 3, 4, 5, 6, 0x100 | Int16(last)]), unit: 1)
    bus.statusBytes = [0, 42]
    bus.rest = last
    #expect(drained(&sensor) == .failure(.repeatedByte(last)))
  }

  @Test("of an axis at rest may all be 0 or −1")
  func rest() throws {
    for value in [Int16(0), -1] {
      let bus = FIFOBus(.mpu6050)
      var sensor = try started(bus, .mpu6050, .gyroscope)
      bus.fill(bigEndian([value, value, value, value, value, value]), unit: 1)
      #expect(try drained(&sensor).get().count == 2)
    }
  }
}

@Suite("The stamps of slots")
struct StampSequenceTests {
  /// The greatest number of slots for which stamps are used that a counter left which is so much faster than the samples.
  private func reach(_ factor: Double, _ ticksPerSlot: UInt16) -> Int {
    let counter = StampCounter(register: 0x1E, count: 3, ticksPerSlot: ticksPerSlot)
    var stamps = StampSequence()
    var reach = 0
    for slot in 0..<3000 {
      // The counter wraps at 24 bits on the way.
      let stamp = 0xFF_F000 + Double(slot) * Double(ticksPerSlot) * factor + 0.3
      stamps.note(UInt32(stamp) & 0xFF_FFFF, counter)
      if stamps.newest != nil { reach = max(reach, stamps.reach) }
    }
    return reach
  }

  @Test(
    "are used for as many slots as those before prove the counter to keep step with, to an eighth of a tick",
    arguments: [24, 384, 3072])
  func right(ticksPerSlot: UInt16) {
    #expect(reach(1, ticksPerSlot) == 2999 / 16)
    for factor in [0.96, 0.99, 0.996, 0.99775, 0.9999, 0.999999, 1.000_02, 1.0002, 1.004, 1.04] {
      let error = Double(reach(factor, ticksPerSlot)) * Double(ticksPerSlot) * abs(factor - 1)
      #expect(error <= 0.125, "\(factor)")
    }
    #expect(reach(0.96, ticksPerSlot) == 0)
  }
}
