// SPDX-License-Identifier: Apache-2.0

import Foundation
import IMUDrivers
import IMUModel
import LinuxIO
import LogFormat
import LogStore
import LogStoreTesting
import Recorder
import SimulatedIMU
import TestSupport
import Testing

/// A simulated chip in simulated time, as `record --board simulator --virtual-time` has it.
struct SimulatedSource: SensorSource {
  let chip: SimulatedChip
  let address: I2CAddress
  let choice: SensorChoice
  let motion: Motion
  let configuration: SensorConfiguration

  func open<User: SensorUser>(for user: User) throws -> User.Outcome {
    let clock = VirtualClock(start: MonotonicTime(nanoseconds: 5_000_123_456_789))
    var bus = SimulatedBus(
      clock: clock, chip: chip, address: address, motion: motion, busHertz: 400_000)
    let identity = try SensorIdentity.identify(on: &bus, choice: choice)
    return try user.use(
      PolledSensor(bus: bus, identity: identity, configuration: configuration), clock: clock,
      boardTitle: "simulator")
  }
}

/// A log of an earlier version of the program, which had a separate loop for `record`; that of the LSM6DSO is newer, as it is
/// polled in another way since.
struct GoldenLog: Sendable, CustomTestStringConvertible {
  let name: String
  var isLSM6DSO = false
  var tumbles = false
  var accelerometerRange = 4
  var gyroscopeRange = 500
  var length: Int64
  var syncInterval: Int64? = nil

  static let all = [
    GoldenLog(name: "mpu6050-still-10hz", length: 60_000_000_000),
    GoldenLog(name: "lsm6dso-tumble-100hz", isLSM6DSO: true, tumbles: true, length: 3_000_000_000),
    GoldenLog(name: "mpu6050-acceleration-50hz", accelerometerRange: 16, length: 5_000_000_000),
    GoldenLog(
      name: "mpu6050-rotation-12.5hz", gyroscopeRange: 250, length: 5_000_000_000,
      syncInterval: 0),
    GoldenLog(name: "mpu6050-one-tick", length: 100_000_000),
    GoldenLog(name: "mpu6050-half-hertz", length: 30_000_000_000),
  ]

  var testDescription: String { name }

  func bytes() throws -> [UInt8] {
    let url = try #require(
      Bundle.module.url(forResource: name, withExtension: "imulog", subdirectory: "Golden"))
    return Array(try Data(contentsOf: url))
  }
}

@Suite("A single recording in simulated time", .excludesProgramStarts)
struct GoldenTests {
  @Test(
    "has all that the log of the earlier record with its separate loop has, and a certificate",
    arguments: GoldenLog.all)
  func golden(_ log: GoldenLog) throws {
    let expected = try log.bytes()
    let header = try LogReader(MemoryStorage(MemoryDisk(holding: expected))).description
    var configuration = RecorderConfiguration.default
    configuration.rate = header.rate
    configuration.channels = header.channels
    configuration.accelerometerRange = log.accelerometerRange
    configuration.gyroscopeRange = log.gyroscopeRange
    configuration.length = log.length
    configuration.syncInterval = log.syncInterval
    configuration.note = header.note
    configuration.samplesWhileIdle = false
    configuration.cpuLatency = .free
    var sensor = SensorConfiguration(
      rate: header.rate, accelerometerRange: log.accelerometerRange,
      gyroscopeRange: log.gyroscopeRange, channels: header.channels, busClock: 400_000)
    sensor.hasNoise = true
    let source = SimulatedSource(
      chip: log.isLSM6DSO ? .lsm6dso : .mpu6050,
      address: try #require(I2CAddress(log.isLSM6DSO ? 0x6A : 0x68)),
      choice: SensorChoice(model: log.isLSM6DSO ? .lsm6dso : nil),
      motion: log.tumbles ? .tumble : .still, configuration: sensor)

    let directory = TemporaryDirectory(inMemory: true)
    var surroundings = RecorderLoop.Surroundings { priority, sentence in
      if priority.rawValue <= JournalPriority.warning.rawValue { Issue.record("\(sentence)") }
    }
    surroundings.origin.makeID = { header.id }
    surroundings.origin.host = header.host
    surroundings.origin.software = header.software
    surroundings.clock = RecorderClock {
      MonotonicTime(nanoseconds: 0)
    } reading: {
      ClockReading(
        monotonic: MonotonicTime(nanoseconds: 0), wall: 1_790_000_000_123_456_789,
        isSynchronised: true)
    }
    _ = try SimulatedRecorder(
      RecorderSetup(configuration, sensor: source, store: directory.path, isSingle: true),
      surroundings
    ).run()
    let entry = try #require(try Catalogue(path: directory.path).list().entries.first)
    let fileName = try #require(entry.path.split(separator: "/").last)
    let bytes = directory.bytes(of: String(fileName))
    let headerCount = try encodeHeader(header).count
    #expect(bytes.prefix(headerCount) == expected.prefix(headerCount))
    let (found, kept) = try (GoldenContent(bytes), GoldenContent(expected))
    #expect(found.samples == kept.samples)
    #expect(found.others == kept.others)
    #expect(found.certificates.count == 1 && kept.certificates.isEmpty)
  }
}

/// What a log has, whichever chunks it is in; certificates apart, which logs of earlier versions do not have.
private struct GoldenContent {
  var samples: [TickRecord] = []
  var others: [LogItem] = []
  var certificates: [SensorCertificate] = []

  init(_ bytes: [UInt8]) throws {
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes)))
    while let item = try reader.next() {
      switch item {
      case .samples(let count):
        for row in 0..<count {
          let (tick, time, sample) = reader.block[row]
          samples.append(TickRecord(tick: tick, time: time, sample: sample))
        }
      case .certificate(let certificate): certificates.append(certificate)
      default: others.append(item)
      }
    }
  }
}
