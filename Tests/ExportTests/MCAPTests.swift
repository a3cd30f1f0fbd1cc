// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import IMUModel
import LogStoreTesting
import TestSupport
import Testing

@testable import Export

@Suite("MCAP")
struct MCAPTests {
  private static let start: Int64 = 1_795_228_687_500_000_000

  private func lines(_ file: MCAPFile, _ topic: String) throws -> [MCAPFile.Line] {
    try file.messages.filter { $0.topic == topic }.map { try MCAPFile.Line($0) }
  }

  @Test("an Imu has the layout of its definition, and the stamp is in seconds and nanoseconds")
  func imuLayout() throws {
    var log = TestLog(TestLog.description(channels: [.accelerometer, .gyroscope]))
    log.clock(0, wall: 1_763_800_000_123_456_789)
    log.sample(0, 0, RawSample(ax: 16384, ay: 1, az: -1, gx: 131, gy: 2, gz: -2))
    let file = try MCAPFile.export(log)
    #expect(file.profile == "ros2")
    let message = try #require(file.messages.first)
    #expect(message.time == 1_763_800_000_123_456_789)
    #expect(message.published == message.time)
    #expect(message.data.count == 316)
    #expect(
      message.data.prefix(28).map { $0 } == [
        0x00, 0x01, 0x00, 0x00, 0xC0, 0x73, 0x21, 0x69, 0x15, 0xCD, 0x5B, 0x07,
        0x04, 0x00, 0x00, 0x00, 0x69, 0x6D, 0x75, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
      ])
    func double(_ place: Int) throws -> Double {
      var cursor = MCAPFile.Cursor(message.data, place)
      return try cursor.double()
    }
    let places: [Int: Double] = [
      44: 1, 52: -1, 124: 0.017453, 132: 0.000266, 140: -0.000266, 220: 9.80665, 228: 0.000599,
      236: -0.000599,
    ]
    for place in stride(from: 20, to: 316, by: 8) {
      #expect(try double(place) == places[place] ?? 0, "at \(place)")
    }
  }

  @Test("a temperature that stays the same is written once")
  func constantTemperature() throws {
    var log = TestLog()
    for (tick, temperature) in [5, 5, 5, 6, 6, 5].enumerated() {
      log.sample(
        UInt64(tick), Int64(tick) * 100_000_000, RawSample(temperature: Int16(temperature)))
    }
    let file = try MCAPFile.export(log)
    #expect(file.messages.filter { $0.topic == "/imu/temperature" }.map(\.sequence) == [0, 3, 5])
    #expect(try MCAPFile.export(log, .accel).topics.keys.sorted() == ["/imu"])
  }

  @Test("what is not recorded is unknown: a covariance that begins with −1, an axis of no number")
  func oneSensor() throws {
    func first(_ channels: ChannelSet, _ asked: ExportChannels? = nil) throws -> MCAPFile.Imu {
      let file = try MCAPFile.export(RecordFormatTests.threeSamples(channels), asked)
      return try MCAPFile.Imu(try #require(file.messages.first { $0.topic == "/imu" }).data)
    }
    func known(_ imu: MCAPFile.Imu) -> [Bool] {
      for covariance in imu.covariances { #expect(covariance.dropFirst().allSatisfy { $0 == 0 }) }
      #expect(imu.covariances.allSatisfy { $0[0] == 0 || $0[0] == -1 })
      return imu.covariances.map { $0[0] == 0 }
    }
    #expect(try known(first(.all)) == [false, true, true])
    #expect(try known(first(.accelerometer)) == [false, false, true])
    #expect(try known(first(.all, .gyro)) == [false, true, false])
    #expect(try first(.all, .gyro).values == [0, 0, 0, -0.000133, 0.017453, 0])
    let flat = try first(ChannelSet(rawValue: 0b10_0011))
    #expect(known(flat) == [false, true, true])
    #expect(flat.values.map(\.isNaN) == [false, false, true, true, true, false])
  }

  @Test("gaps and marks are lines of a log, among the samples by their times")
  func gapsAndMarks() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.clock(0, wall: Self.start)
    log.mark(250_000_000, "kerb ✓")
    log.sample(0, 0, RawSample(ax: 1))
    log.gap(1, 1, .busError, code: 121)
    log.sample(2, 200_000_000, RawSample(ax: 2))
    log.gap(3, 2, .missed)
    log.sample(5, 500_000_000, RawSample(ax: 3))
    log.mark(900_000_000)
    let (file, report) = try MCAPFile.export(log.bytes())
    #expect(report.samples == 3 && report.remarks.isEmpty)
    let start = UInt64(Self.start)
    #expect(
      try lines(file, "/imu/gaps") == [
        MCAPFile.Line(
          time: start + 100_000_000, level: 30, name: "imulog.gap",
          text: "1 tick missing: bus error (errno 121)"),
        MCAPFile.Line(
          time: start + 300_000_000, level: 30, name: "imulog.gap",
          text: "2 ticks missing: woken too late"),
      ])
    #expect(
      try lines(file, "/imu/marks") == [
        MCAPFile.Line(time: start + 250_000_000, level: 20, name: "imulog.mark", text: "kerb ✓"),
        MCAPFile.Line(time: start + 900_000_000, level: 20, name: "imulog.mark", text: ""),
      ])
    #expect(
      file.messages.map(\.topic) == [
        "/imu", "/imu/gaps", "/imu", "/imu/marks", "/imu/gaps", "/imu", "/imu/marks",
      ])
    let facts = try #require(file.metadata["imulog"])
    #expect(facts["imulog.id"] == "\(TestLog.id)")
    #expect(facts["imulog.started"] == "2026-11-21T02:38:07.500Z")
    #expect(facts["imulog.times"] == "nanoseconds from 1970-01-01T00:00:00Z")
    #expect(facts["imulog.units.ax"] == "m/s^2")
    #expect(
      facts.filter { $0.key.hasPrefix("imulog.ticks") && $0.value != "0" } == [
        "imulog.ticks.scheduled": "6", "imulog.ticks.sampled": "3", "imulog.ticks.missed": "2",
        "imulog.ticks.busError": "1",
      ])
  }

  @Test(
    "a magnetometer's values are messages at the ends of their intervals, published at the beginnings"
  )
  func field() throws {
    var log = TestLog.withField()
    log.clock(0, wall: Self.start)
    let file = try MCAPFile.export(log)
    let messages = file.messages.filter { $0.topic == "/imu/mag" }
    #expect(
      messages.map { Int64($0.time) - Self.start }
        == [
          -500, -50, 60, 90, 100, 700, 1150, 1250, 1350,
        ].map { $0 * 1_000_000 })
    #expect(
      messages.map { ($0.time - $0.published) / 1_000_000 } == [20, 20, 5, 5, 5, 5, 12, 7, 5])
    for (message, microteslas) in [(1, [1.5, 3, -4.5]), (2, [15, -1.05, 0.15])] {
      var cursor = MCAPFile.Cursor(messages[message].data, 20)
      for microtesla in microteslas { #expect(try cursor.double() == microtesla / 1_000_000) }
      for _ in 0..<9 { #expect(try cursor.double() == 0) }
    }
    #expect(messages[7].data[20..<28].elementsEqual(messages[7].data[28..<36]))
    #expect(file.topics["/imu/mag"]?.schema == "sensor_msgs/msg/MagneticField")
    #expect(file.metadata["imulog"]?["imulog.field.rate_hz"] == "20")
    #expect(try MCAPFile.export(log, .accel).topics["/imu/mag"] == nil)
    // Without a date, none is before 1970.
    let undated = try MCAPFile.export(TestLog.withField())
    #expect(undated.messages.map(\.published).min() == 480_000_000)
  }

  @Test("a range has its own samples, parts of gaps, marks, and account")
  func range() throws {
    var log = TestLog(TestLog.description(channels: .gyroscope))
    for tick in 0..<10 as Range<UInt64> where !(3..<7).contains(tick) {
      if tick == 7 { log.gap(3, 4, .stale) }
      log.sample(tick, Int64(tick) * 100_000_000, RawSample(gx: Int16(tick)))
      log.mark(Int64(tick) * 100_000_000, "\(tick)")
    }
    let options = ExportOptions(format: .mcap, from: 200_000_000, to: 800_000_000)
    let (file, report) = try MCAPFile.export(log.bytes(), options)
    #expect(report.samples == 2)
    #expect(file.messages.filter { $0.topic == "/imu" }.map(\.sequence) == [2, 7])
    #expect(try lines(file, "/imu/marks").map(\.text) == ["2", "7"])
    #expect(
      try lines(file, "/imu/gaps").map(\.text)
        == ["4 ticks missing: nothing new from the sensor"])
    #expect(file.metadata["imulog"]?["imulog.ticks.stale"] == "4")
    let part = ExportOptions(format: .mcap, from: 500_000_000, to: 600_000_000)
    #expect(
      try lines(MCAPFile.export(log.bytes(), part).file, "/imu/gaps").map(\.text)
        == ["1 tick missing: nothing new from the sensor"])
  }
}
