// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import Testing

@Suite("Reading an MPU-6050")
struct MPU6050ReadTests {
  let bus = TraceBus.mpu6050()

  private func ready(_ channels: ChannelSet = .all) throws -> PolledSensor<TraceBus> {
    let sensor = try broughtUp(
      bus, .mpu6050, SensorConfiguration(rate: hertz(10), channels: channels))
    bus.forgetTrace()
    return sensor
  }

  private func put(_ bytes: [UInt8]) {
    for (index, byte) in bytes.enumerated() { bus.registers[0x3B + index] = byte }
  }

  @Test("acceleration, temperature, angular rate: high byte first, signed, up to both ends")
  func signs() throws {
    var sensor = try ready()
    put([
      0x80, 0x00, 0x7F, 0xFF, 0xFF, 0xFF, 0xFD, 0xF7, 0x00, 0x00, 0x80, 0x01, 0xFF, 0x00,
    ])
    var sample = RawSample()
    #expect(try sensor.read(into: &sample) == .fresh)
    #expect(
      sample
        == RawSample(
          ax: -32768, ay: 32767, az: -1, gx: 0, gy: -32767, gz: -256, temperature: -521))
    #expect(bus.trace == [.read(0x37, 18)])
  }

  @Test(
    "unused channels are 0",
    arguments: [ChannelSet.accelerometer, .gyroscope, [.accelerometer, .gyroscope], .all])
  func channels(_ channels: ChannelSet) throws {
    var sensor = try ready(channels)
    put((1...14).map { UInt8($0) })
    var sample = RawSample()
    _ = try sensor.read(into: &sample)
    for channel in 0..<7 {
      #expect((sample[channel] != 0) == channels.indices.contains(channel))
    }
  }

  @Test("without a data-ready flag the sample is stale and is not changed")
  func stale() throws {
    var sensor = try ready()
    bus.beforeRead = { bus, _, _ in bus.registers[0x3A] = 0xF6 }
    put((1...14).map { UInt8($0) })
    let before = RawSample(ax: 1, gz: 2)
    var sample = before
    #expect(try sensor.read(into: &sample) == .stale)
    #expect(sample == before)
    #expect(bus.trace.count == 1)
  }

  @Test("transient failures are retried at once, three transfers in all")
  func retries() throws {
    for kind in [BusError.Kind.noAcknowledge, .arbitrationLost, .bus] {
      for failures in 0...3 {
        var sensor = try ready()
        put((1...14).map { UInt8($0) })
        bus.failure = { $0 < failures ? kind : nil }
        let before = RawSample(ax: 7)
        var sample = before
        do throws(BusError) {
          #expect(try sensor.read(into: &sample) == .fresh)
          #expect(failures < 3)
          #expect(bus.trace.count == failures + 1)
        } catch {
          #expect(failures == 3)
          #expect(error.kind == kind)
          #expect(error.register == 0x37)
          #expect(sample == before)
          #expect(bus.trace.count == 3)
        }
        bus.failure = { _ in nil }
      }
    }
  }

  @Test("permanent failures are not retried")
  func noRetries() throws {
    for kind in [BusError.Kind.timeout, .busy, .unsupported, .gone] {
      var sensor = try ready()
      bus.failure = { _ in kind }
      var sample = RawSample()
      #expect(throws: BusError.self) { try sensor.read(into: &sample) }
      #expect(bus.trace.count == 1)
      bus.failure = { _ in nil }
    }
  }

  @Test("after a failed transfer cleared the flag, bytes that differ show a new sample")
  func flagLost() throws {
    var sensor = try ready()
    put((1...14).map { UInt8($0) })
    var sample = RawSample()
    _ = try sensor.read(into: &sample)
    bus.forgetTrace()
    bus.beforeRead = { bus, _, _ in bus.registers[0x3A] = 0 }
    bus.failure = { $0 == 0 ? .bus : nil }
    #expect(try sensor.read(into: &sample) == .unannounced)
    #expect(sample.ax == 0x0102)
    bus.forgetTrace()
    put((2...15).map { UInt8($0) })
    #expect(try sensor.read(into: &sample) == .fresh)
    #expect(sample.ax == 0x0203)
  }

  @Test(
    "every burst shows the configuration of the samples before it, whether or not it has a new one")
  func evidence() throws {
    var sensor = try ready()
    put((1...14).map { UInt8($0) })
    var sample = RawSample()
    for status: UInt8 in [1, 0] {
      bus.beforeRead = { bus, _, _ in bus.registers[0x3A] = status }
      #expect(try sensor.read(into: &sample) == (status == 1 ? .fresh : .stale))
      #expect(sensor.evidence.isConfigured)
    }
  }

  @Test("a burst that shows another configuration, or no chip, is doubtful and proves nothing")
  func doubtful() throws {
    for (pin, enable, status) in [
      (0x00, 0x00, 1), (0x20, 0, 1), (0, 1, 1), (0xFF, 0xFF, 0xFF), (0x20, 1, 0xFF),
    ]
      as [(UInt8, UInt8, UInt8)]
    {
      let test = MPU6050ReadTests()
      let bus = test.bus
      var sensor = try test.ready()
      test.put((1...14).map { UInt8($0) })
      bus.registers[0x37] = pin
      bus.registers[0x38] = enable
      bus.beforeRead = { bus, _, _ in bus.registers[0x3A] = status }
      var sample = RawSample(ax: 5)
      #expect(try sensor.read(into: &sample) == .doubtful)
      #expect(sample == RawSample(ax: 5))
      #expect(!sensor.evidence.isConfigured)
    }
  }

  @Test("a change of any output, recorded or not, is seen")
  func outputs() throws {
    var sensor = try ready(.gyroscope)
    var sample = RawSample()
    for place in 0x3B...0x48 {
      _ = try sensor.read(into: &sample)
      let before = sensor.evidence.outputs
      _ = try sensor.read(into: &sample)
      #expect(sensor.evidence.outputs == before)
      bus.registers[place] ^= 0x10
      _ = try sensor.read(into: &sample)
      #expect(sensor.evidence.outputs != before, "register \(place)")
    }
  }
}
