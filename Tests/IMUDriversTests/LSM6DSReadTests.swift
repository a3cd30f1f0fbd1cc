import I2C
import IMUDrivers
import IMUModel
import Testing

@Suite("Reading an LSM6DS")
struct LSM6DSReadTests {
  let bus = TraceBus.lsm6ds()

  private func ready(_ channels: ChannelSet = .all) throws -> LSM6DSSensor<TraceBus> {
    var sensor = try LSM6DSSensor(
      bus: bus, identity: SensorIdentity(model: .lsm6dso, address: bus.address),
      configuration: SensorConfiguration(rate: hertz(10), channels: channels))
    _ = try bringUp(&sensor)
    bus.forgetTrace()
    return sensor
  }

  private func put(_ bytes: [UInt8]) {
    for (index, byte) in bytes.enumerated() { bus.registers[0x20 + index] = byte }
  }

  /// Makes the status of each transfer what `statuses` says, in order, and gives burst n the bytes
  /// that begin with `n`.
  private func script(_ statuses: [UInt8]) {
    var number = 0
    var bursts: UInt8 = 0
    bus.afterRead = { _, _, _ in }
    bus.beforeRead = { bus, register, count in
      guard register == 0x1E else { return }
      bus.registers[0x1E] = number < statuses.count ? statuses[number] : 0
      number += 1
      guard count == 16 else { return }
      bursts += 1
      for index in 0..<14 { bus.registers[0x20 + index] = bursts + UInt8(index) }
    }
  }

  @Test("temperature, angular rate, acceleration: low byte first")
  func order() throws {
    var sensor = try ready()
    put((1...14).map { UInt8($0) })
    var sample = RawSample()
    let reading = try sensor.read(into: &sample)
    #expect(reading == .fresh)
    #expect(
      sample
        == RawSample(
          ax: 0x0A09, ay: 0x0C0B, az: 0x0E0D, gx: 0x0403, gy: 0x0605, gz: 0x0807,
          temperature: 0x0201))
    #expect(bus.trace == [.read(0x1E, 16), .read(0x1E, 1)])
  }

  @Test("counts are signed and reach both ends")
  func signs() throws {
    var sensor = try ready()
    put([
      0xF7, 0xFD, 0x00, 0x80, 0xFF, 0x7F, 0xFF, 0xFF, 0x01, 0x80, 0x00, 0xFF, 0xFE, 0x7F,
    ])
    var sample = RawSample()
    _ = try sensor.read(into: &sample)
    #expect(
      sample
        == RawSample(
          ax: -32767, ay: -256, az: 32766, gx: -32768, gy: 32767, gz: -1, temperature: -521))
  }

  @Test("only the flags of the channels in use make a sample new, and the other sensor stays off")
  func flags() throws {
    for (channels, needed) in [
      (ChannelSet.accelerometer, UInt8(1)), (.gyroscope, 2), (.all, 3),
    ] {
      for status: UInt8 in 0...7 {
        let test = LSM6DSReadTests()
        let bus = test.bus
        var sensor = try test.ready(channels)
        #expect(bus.registers[0x10] == 0 || channels.contains(.accelerometer))
        #expect(bus.registers[0x11] == 0 || channels.contains(.gyroscope))
        // The bytes of the discarded sample, so that only flags can make it new.
        bus.beforeRead = { bus, _, count in bus.registers[0x1E] = count == 16 ? status : 0 }
        let before = RawSample(ax: 9)
        var sample = before
        let reading = try sensor.read(into: &sample)
        #expect((reading == .fresh) == (status & needed == needed))
        if reading == .stale { #expect(sample == before) }
      }
    }
  }

  @Test("channels that are not wanted are 0")
  func channels() throws {
    for channels in [ChannelSet.accelerometer, .gyroscope, [.accelerometer, .gyroscope], .all] {
      var sensor = try ready(channels)
      put((1...14).map { UInt8($0) })
      var sample = RawSample()
      _ = try sensor.read(into: &sample)
      for channel in 0..<7 {
        #expect((sample[channel] != 0) == channels.indices.contains(channel))
      }
    }
  }

  @Test("nothing new costs one transfer")
  func stale() throws {
    var sensor = try ready()
    script([0])
    var sample = RawSample(ax: 9)
    let reading = try sensor.read(into: &sample)
    #expect(reading == .stale)
    #expect(sample == RawSample(ax: 9))
    #expect(bus.trace == [.read(0x1E, 16)])
  }

  @Test(
    "a burst that an update fell into is read once more, and the second is taken",
    arguments: [
      UInt8(1), 2, 3,
    ])
  func straddled(flags: UInt8) throws {
    var sensor = try ready()
    script([3, flags, 3])
    var sample = RawSample()
    let reading = try sensor.read(into: &sample)
    #expect(reading == .fresh)
    #expect(sample.temperature == 0x0302)
    #expect(bus.trace == [.read(0x1E, 16), .read(0x1E, 1), .read(0x1E, 16)])
  }

  @Test("temperature's flag does not count as an update")
  func temperatureFlag() throws {
    var sensor = try ready()
    script([7, 4])
    var sample = RawSample()
    let reading = try sensor.read(into: &sample)
    #expect(reading == .fresh)
    #expect(bus.trace.count == 2)
  }

  @Test("one sensor's flag, then the other's on the second burst, make one new sample")
  func flagsApart() throws {
    var sensor = try ready()
    script([1, 2, 2])
    var sample = RawSample()
    let reading = try sensor.read(into: &sample)
    #expect(reading == .fresh)
    #expect(sample.temperature == 0x0302)
  }

  @Test("when the status byte fails, a second burst without flags confirms the first")
  func statusFails() throws {
    var sensor = try ready()
    script([3, 0])
    bus.failure = { $0 == 1 ? .noAcknowledge : nil }
    var sample = RawSample()
    let reading = try sensor.read(into: &sample)
    #expect(reading == .fresh)
    #expect(sample.temperature == 0x0201)
    #expect(bus.trace == [.read(0x1E, 16), .read(0x1E, 1), .read(0x1E, 16)])
  }

  @Test("a burst that is known to mix two samples is not handed on when no transfer is left")
  func mixedAndNoTransferLeft() throws {
    var sensor = try ready()
    script([3, 3])
    bus.failure = { $0 == 0 ? .noAcknowledge : nil }
    var sample = RawSample(ax: 9)
    #expect(throws: BusError.self) { try sensor.read(into: &sample) }
    #expect(sample == RawSample(ax: 9))
    #expect(bus.trace.count == 3)
  }

  @Test("three transfers at most, whatever fails and whatever the flags say")
  func bounds() throws {
    for failures in 0..<8 {
      for first: UInt8 in 0...3 {
        for second: UInt8 in 0...3 {
          let test = LSM6DSReadTests()
          let bus = test.bus
          var sensor = try test.ready()
          test.script([first, second, 3])
          bus.failure = { failures & (1 << $0) != 0 ? .noAcknowledge : nil }
          let before = RawSample(ax: 9)
          var sample = before
          do throws(BusError) {
            let reading = try sensor.read(into: &sample)
            #expect((sample == before) == (reading == .stale))
          } catch {
            #expect(sample == before)
            #expect(bus.trace.count == 3)
          }
          #expect((1...3).contains(bus.trace.count))
        }
      }
    }
  }

  @Test("failures that do not pass are not repeated")
  func noRetries() throws {
    for kind in [BusError.Kind.timeout, .busy, .unsupported, .gone] {
      for number in 0...1 {
        var sensor = try ready()
        bus.failure = { $0 == number ? kind : nil }
        var sample = RawSample()
        #expect(throws: BusError.self) { try sensor.read(into: &sample) }
        #expect(bus.trace.count == number + 1)
        bus.failure = { _ in nil }
      }
    }
  }
}
