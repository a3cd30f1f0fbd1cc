// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Testing

@Suite("The transfers of a FIFO")
struct FIFOTransferTests {
  /// Forty packets, each with its number.
  private func packets(_ count: Int = 40) -> [UInt8] {
    (0..<count).flatMap { bigEndian([Int16($0), 2, 3, 4, 5, 6, 7]) }
  }

  private func words(_ slots: Range<Int>) -> [UInt8] {
    slots.flatMap { word(1, $0, [Int16($0), 1, 1]) + word(2, $0, [Int16($0), 2, 2]) }
  }

  @Test("start a FIFO that is off and empty, the enabling one last")
  func start() throws {
    var bus = FIFOBus(.mpu6050)
    var sensor = try started(bus, .mpu6050)
    bus.chip.forgetTrace()
    try sensor.startFIFO()
    #expect(
      bus.chip.trace == [
        .write(0x38, 0x00), .write(0x23, 0x00), .write(0x6A, 0x00), .write(0x6A, 0x04),
        .read(0x72, 2), .write(0x6A, 0x40), .write(0x38, 0x01), .write(0x23, 0xF8),
      ])
    bus = FIFOBus(.lsm6dso)
    sensor = try started(bus, .lsm6dso, [.accelerometer, .gyroscope])
    bus.chip.forgetTrace()
    try sensor.startFIFO()
    #expect(
      bus.chip.trace == [
        .write(0x0A, 0x00), .read(0x3A, 2), .write(0x07, 0x00), .write(0x08, 0x00),
        .write(0x09, 0x66), .write(0x0A, 0x06),
      ])
    bus = FIFOBus(.lsm6dsl)
    sensor = try started(bus, .lsm6dsl, .gyroscope)
    bus.chip.forgetTrace()
    try sensor.startFIFO()
    #expect(
      bus.chip.trace == [
        .write(0x0A, 0x00), .read(0x3A, 4), .write(0x06, 0x00), .write(0x07, 0x00),
        .write(0x08, 0x08), .write(0x09, 0x00), .write(0x0A, 0x36),
      ])
    bus = FIFOBus(.lsm6dsl)
    _ = try started(bus, .lsm6dsl, .gyroscope, watermark: 101)
    // 303 words.
    #expect(bus.chip.registers[0x06] == 0x2F && bus.chip.registers[0x07] == 0x01)
    #expect(throws: SensorError.self) {
      _ = try started(FIFOBus(.mpu6050), .mpu6050, rate: hertz(700))
    }
  }

  @Test("bytes of outputs differ where any bit of a count does")
  func outputs() {
    for channel in 0..<6 {
      for bit in 0..<16 {
        var sample = RawSample()
        sample[channel] = Int16(truncatingIfNeeded: 1 << bit)
        #expect(SensorOutputs(sample) != SensorOutputs(RawSample()), "\(channel), \(bit)")
      }
    }
  }

  @Test("of bring-up leave the FIFO off, and it is part of the configuration once it runs")
  func image() throws {
    for (model, register) in [(SensorModel.mpu6050, 0x23), (.lsm6dso, 0x09), (.lsm6dsl, 0x08)] {
      let bus = FIFOBus(model)
      var sensor = try started(bus, model)
      #expect(try sensor.checkConfiguration() == .intact)
      let value = bus.chip.registers[register]
      #expect(value != 0)
      bus.chip.registers[register] = 0
      let check = try sensor.checkConfiguration()
      #expect(check == .lost(register: UInt8(register), expected: value, found: 0))
      sensor.restart()
      while case .wait = try sensor.bringUp() {}
      #expect(bus.chip.registers[register] == 0)
      #expect(try sensor.checkConfiguration() == .intact)
    }
  }

  @Test("are shortened for an adapter that carries less, which is remembered")
  func shorter() throws {
    let bus = FIFOBus(.mpu6050)
    var sensor = try started(bus, .mpu6050)
    bus.limit = 100
    bus.fill(packets(), unit: 1)
    #expect(try drained(&sensor).get().map(\.ax) == (0..<40).map(Int16.init))
    #expect(bus.bursts == [70, 70, 70, 70, 70, 70, 70, 70])
    bus.fill(packets(5), unit: 1)
    #expect(try drained(&sensor).get().count == 5)
    #expect(bus.bursts.suffix(1) == [70])
    let tagged = FIFOBus(.lsm6dso)
    var other = try started(tagged, .lsm6dso)
    tagged.limit = 60
    tagged.fill(words(0..<20), unit: 7)
    #expect(try drained(&other).get().map(\.ax) == (0..<20).map(Int16.init))
    #expect(tagged.bursts.filter { $0 % 7 != 0 || $0 > 60 }.isEmpty)
    // Less than a word: there is no shorter burst.
    tagged.limit = 6
    tagged.fill(words(20..<21), unit: 7)
    guard case .failure(.bus(let error)) = drained(&other) else {
      Issue.record("read")
      return
    }
    #expect(error.kind == .unsupported)
  }

  @Test("have whole words where the bus carries 32 bytes")
  func blocks() throws {
    let tagged = FIFOBus(.lsm6dso)
    tagged.longestRead = 32
    var sensor = try started(tagged, .lsm6dso)
    tagged.fill(words(0..<9), unit: 7)
    #expect(try drained(&sensor).get().count == 9)
    #expect(tagged.bursts == [28, 28, 28, 28, 14])
  }

  @Test("last 50 ms at most")
  func longest() throws {
    let bus = FIFOBus(.icm20689)
    var sensor = try started(bus, .icm20689, .accelerometer, rate: hertz(500), busClock: 100_000)
    bus.fill([UInt8](repeating: 0, count: 3) + (0..<4000).map { UInt8($0 % 250) }, unit: 1)
    _ = drained(&sensor)
    #expect(bus.bursts.allSatisfy { $0 <= 555 } as Bool)
    #expect(bus.bursts.count == 8)
  }

  @Test(
    "that fail while a FIFO is started are its error, and the next start succeeds",
    arguments: [SensorModel.mpu6050, .lsm6dso, .lsm6dsl])
  func failingStart(_ model: SensorModel) throws {
    let bus = FIFOBus(model)
    var sensor = try started(bus, model)
    bus.chip.forgetTrace()
    try sensor.startFIFO()
    let trace = bus.chip.trace
    for number in trace.indices {
      bus.chip.forgetTrace()
      bus.chip.failure = { $0 >= number ? .timeout : nil }
      do throws(FIFOError) {
        try sensor.startFIFO()
        Issue.record("started without transfer \(number)")
      } catch {
        guard case .bus(let cause) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(cause.register == trace[number].register)
        #expect(cause.kind == .timeout)
      }
      bus.chip.failure = { _ in nil }
      try sensor.startFIFO()
      #expect(try sensor.checkConfiguration() == .intact)
    }
  }

  @Test("that fail lose no sample before a burst, and all of a burst, whichever it is")
  func failingDrain() throws {
    for model in [SensorModel.mpu6050, .lsm6dso] {
      for number in 0..<4 {
        let bus = FIFOBus(model)
        bus.longestRead = 70
        var sensor = try started(bus, model)
        bus.fill(model == .mpu6050 ? packets(15) : words(0..<15), unit: model == .mpu6050 ? 1 : 7)
        bus.chip.forgetTrace()
        bus.chip.failure = { $0 == number ? .noAcknowledge : nil }
        guard case .failure(.bus(let cause)) = drained(&sensor) else {
          Issue.record("\(number)")
          continue
        }
        #expect(cause.kind == .noAcknowledge)
        #expect(cause.register == (number == 0 ? bus.status : bus.data))
        #expect(bus.chip.trace.count == number + 1)
        guard number == 0 else { continue }
        #expect(try drained(&sensor).get().count == 15)
      }
    }
  }

  @Test("of an overrun LSM6DSO may lose words of their beginning, and only there and then")
  func overrunMeanwhile() throws {
    for flags in [UInt8(0x08), 0x00] {
      let bus = FIFOBus(.lsm6dso)
      var sensor = try started(bus, .lsm6dso)
      bus.fill(words(0..<1) + word(1, 1, [1, 1, 1]) + words(2..<9), unit: 7, flags: flags)
      let result = drained(&sensor)
      if flags == 0 {
        #expect(result == .failure(.brokenSequence(tag: 1 << 3 | 2 << 1)))
      } else {
        #expect(try result.get().map(\.ax) == (2..<9).map(Int16.init))
      }
    }
  }

  @Test("of an overrun LSM6DSO begin with the next whole slot, and clear the flag")
  func overrun() throws {
    let bus = FIFOBus(.lsm6dso)
    var sensor = try started(bus, .lsm6dso)
    bus.fill(words(0..<2) + word(1, 2, [9, 9, 9]), unit: 7)
    #expect(try drained(&sensor).get().count == 2)
    // The other half of slot 2 was overwritten; so was half of slot 9.
    bus.fill(word(2, 9, [9, 9, 9]) + words(10..<265), unit: 7, flags: 0x48)
    bus.chip.forgetTrace()
    let fill = try sensor.readFill()
    #expect(fill.isOverrun)
    #expect(fill.slots == nil)
    #expect(try sensor.drain(fill) == 255)
    #expect((0..<255).map { sensor.sample(at: $0).ax } == (10..<265).map(Int16.init))
    // After the first burst, so that an overrun before the last one shows.
    #expect(bus.chip.trace.count > 3 && bus.chip.trace[2] == .read(0x3A, 2))
    #expect(bus.chip.trace.filter { $0 == .read(0x3A, 2) }.count == 2)
  }
}
