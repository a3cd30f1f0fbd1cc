// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import Testing

@Suite("Reading an LSM6DS")
struct LSM6DSReadTests {
  let bus = TraceBus.lsm6ds()

  func ready(_ channels: ChannelSet = .all) throws -> PolledSensor<TraceBus> {
    let sensor = try broughtUp(
      bus, .lsm6dso, SensorConfiguration(rate: hertz(10), channels: channels))
    bus.forgetTrace()
    return sensor
  }

  func put(_ bytes: [UInt8]) {
    for (index, byte) in bytes.enumerated() { bus.registers[0x20 + index] = byte }
  }

  /// Gives transfer n of a read the status and, in each axis of the bytes from 0x22 on, the counts
  /// that `axes` has for it: one character an axis, equal characters for equal counts.
  func script(_ status: UInt8 = 3, _ axes: String...) {
    var number = 0
    bus.afterRead = { _, _, _ in }
    bus.beforeRead = { bus, register, _ in
      guard register >= 0x1E else { return }
      bus.registers[0x1E] = number == 0 ? status : 0
      let counts = axes[min(number, axes.count - 1)]
      for (index, count) in counts.utf8.enumerated() { bus.registers[0x22 + 2 * index] = count }
      number += 1
    }
  }

  /// What follows "abcdef" when only some axes change, in every choice of them.
  static let changed = (1..<64).map { changes in
    String(
      "abcdef".utf8.enumerated().map { index, axis in
        Character(UnicodeScalar(changes & (1 << index) != 0 ? axis - 32 : axis))
      })
  }

  /// The low bytes of the six axes, gyroscope first, as ``script(_:_:)`` has them.
  func axes(_ sample: RawSample) -> String {
    let counts = [sample.gx, sample.gy, sample.gz, sample.ax, sample.ay, sample.az]
    return String(decoding: counts.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }

  @Test("temperature, angular rate, acceleration: low byte first, signed, up to both ends")
  func signs() throws {
    var sensor = try ready()
    put([
      0xF7, 0xFD, 0x00, 0x80, 0xFF, 0x7F, 0xFF, 0xFF, 0x01, 0x80, 0x00, 0xFF, 0xFE, 0x7F,
    ])
    var sample = RawSample()
    #expect(try sensor.read(into: &sample) == .fresh)
    #expect(
      sample
        == RawSample(
          ax: -32767, ay: -256, az: 32766, gx: -32768, gy: 32767, gz: -1, temperature: -521))
    #expect(bus.trace == [.read(0x1E, 16), .read(0x22, 12)])
  }

  @Test(
    "only the flags of the channels in use make a sample new, and the gyroscope stays off when not")
  func flags() throws {
    for (channels, needed) in [
      (ChannelSet.accelerometer, UInt8(1)), (.gyroscope, 2), (.all, 3),
    ] {
      for status: UInt8 in 0...7 {
        let test = LSM6DSReadTests()
        let bus = test.bus
        var sensor = try test.ready(channels)
        #expect(bus.registers[0x11] == 0 || channels.contains(.gyroscope))
        // The bytes of the discarded sample, so that only flags can make it new.
        bus.beforeRead = { bus, _, _ in bus.registers[0x1E] = status }
        var sample = RawSample()
        let reading = try sensor.read(into: &sample)
        #expect((reading == .fresh) == (status & needed == needed))
        if reading != .fresh { #expect(reading == .unannounced) }
      }
    }
  }

  @Test("unused channels are 0")
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

  @Test("counts without any sign of a new sample cost two transfers")
  func unannounced() throws {
    var sensor = try ready()
    script(3, "abcdef")
    var sample = RawSample()
    _ = try sensor.read(into: &sample)
    script(0, "abcdef")
    bus.forgetTrace()
    let before = sample
    sample = RawSample()
    #expect(try sensor.read(into: &sample) == .unannounced)
    #expect(sample == before)
    #expect(bus.trace == [.read(0x1E, 16), .read(0x22, 12)])
  }

  @Test("an axis that is not recorded is read once at most")
  func selections() throws {
    for (channels, transfers) in [
      (ChannelSet.all, [TraceBus.Transfer.read(0x1E, 16), .read(0x22, 12)]),
      ([.accelerometer, .gyroscope], [.read(0x1E, 16), .read(0x22, 12)]),
      (.gyroscope, [.read(0x1E, 16), .read(0x22, 6)]),
      (.accelerometer, [.read(0x1E, 16), .read(0x28, 6)]),
      ([.accelerometer, .temperature], [.read(0x1E, 16), .read(0x28, 6)]),
    ] {
      let test = LSM6DSReadTests()
      var sensor = try test.ready(channels)
      var sample = RawSample()
      _ = try sensor.read(into: &sample)
      #expect(test.bus.trace == transfers)
    }
  }

  /// The bursts of a read, two or three, during which a chip goes from the sample `old` to `new` before axis `place`
  /// of 12 or 18.
  func bursts(_ old: String, _ new: String, updateAt place: Int) -> [String] {
    (0..<3).map { burst in
      let kept = min(max(place - 6 * burst, 0), 6)
      return String(old.prefix(kept)) + String(new.dropFirst(kept))
    }
  }

  @Test("wherever one update falls, and whatever counts it leaves as they were, a sample is whole")
  func everyUpdate() throws {
    var thirds = 0
    let old = "abcdef"
    for new in Self.changed {
      for place in 0...18 {
        let test = LSM6DSReadTests()
        var sensor = try test.ready()
        let bursts = bursts(old, new, updateAt: place)
        test.script(3, bursts[0], bursts[1], bursts[2])
        var sample = RawSample()
        #expect(try sensor.read(into: &sample) == .fresh)
        #expect([old, new].contains(test.axes(sample)), "\(old) \(new) \(place)")
        if test.bus.trace.count == 3 { thirds += 1 }
        #expect((2...3).contains(test.bus.trace.count))
      }
    }
    // Neither the first nor the last axis shows: 15 sets of changes, 4 places or fewer a burst.
    #expect((100...300).contains(thirds))
  }

  @Test(
    "a sample that arrived during a read is returned at the next tick, though its flags are gone")
  func glimpsed() throws {
    var sensor = try ready()
    script(3, "abcdef", "abcDEF")
    var sample = RawSample()
    _ = try sensor.read(into: &sample)
    #expect(axes(sample) == "abcdef")
    script(0, "ABCDEF")
    #expect(try sensor.read(into: &sample) == .fresh)
    #expect(axes(sample) == "ABCDEF")
    script(0, "ABCDEF")
    #expect(try sensor.read(into: &sample) == .unannounced)
  }

  @Test("of two samples that arrive during a read the first is returned, which alone is whole")
  func glimpsedTwice() throws {
    var sensor = try ready()
    script(3, "abcdef")
    var sample = RawSample()
    _ = try sensor.read(into: &sample)
    // The first leaves one axis as it was, and the second comes before the last axis of the third burst.
    script(0, "abcdef", "aBCDEF", "aBCDEG")
    #expect(try sensor.read(into: &sample) == .fresh)
    #expect(axes(sample) == "aBCDEF")
  }

  @Test("outputs that a reset zeroed are not new")
  func zeroed() throws {
    var sensor = try ready()
    script(3, "abcdef", "abcDEF")
    var sample = RawSample()
    _ = try sensor.read(into: &sample)
    script(0, "\0\0\0\0\0\0")
    for _ in 0..<3 {
      #expect(try sensor.read(into: &sample) == .unannounced)
    }
  }

  @Test("one sensor's flag makes a sample new when the other's bytes are new too")
  func flagsApart() throws {
    for status: UInt8 in 1...2 {
      let test = LSM6DSReadTests()
      var sensor = try test.ready()
      test.script(3, "abcdef")
      var sample = RawSample()
      _ = try sensor.read(into: &sample)
      test.script(status, status == 1 ? "abcDEF" : "ABCdef")
      #expect(try sensor.read(into: &sample) == .unannounced)
      #expect(test.axes(sample) == (status == 1 ? "abcDEF" : "ABCdef"))
      test.script(status, "ABCDEF")
      #expect(try sensor.read(into: &sample) == .fresh)
    }
  }

  @Test(
    "set flags prove the configuration of earlier samples; set reserved bits mean that no chip answers"
  )
  func evidence() throws {
    for status: UInt8 in 0...255 {
      let test = LSM6DSReadTests()
      var sensor = try test.ready()
      test.script(status, "abcdef")
      var sample = RawSample(ax: 9)
      let reading = try sensor.read(into: &sample)
      #expect((reading == .doubtful) == (status >= 8))
      #expect(sensor.evidence.isConfigured == (status < 8 && status & 3 == 3))
      if reading == .doubtful { #expect(sample == RawSample(ax: 9)) }
    }
  }
}
