// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Testing

@Suite("Sensors that are read one after the other")
struct BusNeedTests {
  /// A sensor of a take: its name, model, rate, and whether its chip keeps the time.
  struct Sensor: Sendable {
    let name: String
    let model: SensorModel
    let rate: UInt32
    var isChipClock = false
    var isOnChannel = false
    var bus: Int? = 1
  }

  private static func refusal(_ sensors: [Sensor], busClock: Int) throws -> String? {
    let needs = try sensors.map { sensor in
      var settings = SensorConfiguration(
        rate: try #require(SampleRate(sensor.rate, per: 1)), accelerometerRange: 2,
        gyroscopeRange: 250, channels: .all, busClock: busClock)
      settings.readsFIFO = sensor.isChipClock
      try settings.validate(for: sensor.model)
      return BusNeed(
        sensor.model, settings, named: sensor.name, bus: sensor.bus,
        isOnChannel: sensor.isOnChannel)
    }
    return BusNeed.refusal(of: needs).map { "\($0)" }
  }

  /// By the grid an MPU-6050 is read in a burst of 18 bytes: 9 · (3 + 18) + 3 = 192 bits, 0.48 ms at 400 kHz, and 0.05 ms in
  /// the kernel, 0.53 in all: 1000 Hz need 53 %. At 100 kHz it is 1.97 ms.
  @Test(
    "have the time for it, or are refused with the arithmetic and the highest rate that fits",
    arguments: [
      (2, 900, 400_000, nil),
      (
        2, 1000, 400_000,
        "a 53 % at 400 kHz and b 53 % at 400 kHz, together 106 %; ask for 886 Hz or less of a"
      ),
      (3, 1000, 400_000, "together 159 %; ask for less of each"),
      (2, 320, 100_000, "together 127 %; ask for 187 Hz or less of a"), (2, 253, 100_000, nil),
      (8, 50, 100_000, nil), (8, 100, 100_000, "together 158 %; ask for less of each"),
    ])
  func polled(count: Int, rate: UInt32, busClock: Int, words: String?) throws {
    let sensors = "abcdefgh".prefix(count).map {
      Sensor(name: "\($0)", model: .mpu6050, rate: rate)
    }
    let refusal = try BusNeedTests.refusal(sensors, busClock: busClock)
    #expect(words.map { refusal?.contains($0) ?? false } ?? (refusal == nil), "\(refusal ?? "")")
  }

  /// A drain of an LSM6DSO has at least 16 samples of two words of 7 bytes: 16 · 14 · 9 bits, 5.04 ms at 400 kHz, beside which
  /// a tick of 100 Hz has room, and one of 200 Hz has none.
  @Test(
    "are not read at ticks that a drain of another would cover",
    arguments: [(100, nil), (200, "a is read every 5 ms, and a turn of b takes 5.2")])
  func besideDrains(rate: UInt32, words: String?) throws {
    let sensors = [
      Sensor(name: "a", model: .mpu6050, rate: rate),
      Sensor(name: "b", model: .lsm6dso, rate: 416, isChipClock: true),
    ]
    let refusal = try BusNeedTests.refusal(sensors, busClock: 400_000)
    #expect(words.map { refusal?.contains($0) ?? false } ?? (refusal == nil), "\(refusal ?? "")")
  }

  @Test("are refused for what is on their own bus alone")
  func twoBuses() throws {
    func four(_ buses: [Int]) throws -> String? {
      try BusNeedTests.refusal(
        zip("abcd", buses).map {
          Sensor(name: "\($0)", model: .mpu6050, rate: 900, bus: $1)
        }, busClock: 400_000)
    }
    #expect(try four([1, 1, 3, 3]) == nil)
    let refusal = try #require(try four([1, 3, 3, 3]))
    #expect(refusal.contains("b 48 % at 400 kHz, c 48 % at 400 kHz and d 48 %"), "\(refusal)")
    #expect(!refusal.contains("a 48 %"), "\(refusal)")
  }

  /// A selection is 20 bits, 0.05 ms at 400 kHz, and 0.05 ms in the kernel: 0.63 ms a tick.
  @Test("need a selection at each turn where they are behind a multiplexer")
  func selected() throws {
    func two(_ rate: UInt32, isChipClock: Bool = false) throws -> String? {
      let model: SensorModel = isChipClock ? .lsm6dso : .mpu6050
      return try BusNeedTests.refusal(
        ["a", "b"].map {
          Sensor(
            name: $0, model: model, rate: rate, isChipClock: isChipClock, isOnChannel: true)
        }, busClock: 400_000)
    }
    #expect(try two(790) == nil)
    let refusal = try #require(try two(900))
    #expect(refusal.contains("together 114 %; ask for 687 Hz or less of a"), "\(refusal)")
    // Fifty drains a second.
    #expect(try two(833, isChipClock: true) == nil)
  }

  /// Five of 416 Hz make 5 · 416 · 14 · 9 bits a second, 66 % of 400 kHz without the beginnings of the bursts.
  @Test("by their chips' clocks have nine tenths of the bus")
  func drained() throws {
    let five = "abcde".map { Sensor(name: "\($0)", model: .lsm6dso, rate: 416, isChipClock: true) }
    #expect(try BusNeedTests.refusal(five, busClock: 400_000) == nil)
    let two = five.prefix(2).map {
      Sensor(name: $0.name, model: .lsm6dso, rate: 1666, isChipClock: true)
    }
    let refusal = try #require(try BusNeedTests.refusal(two, busClock: 400_000))
    #expect(refusal.contains("ask for 833 Hz or less of a"), "\(refusal)")
  }
}
