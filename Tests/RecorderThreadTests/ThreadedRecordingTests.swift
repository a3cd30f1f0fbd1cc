// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LinuxIO
import LogStore
import LogStoreTesting
import Recorder
import SimulatedIMU
import TestSupport
import Testing

/// A simulated chip in real time, as `record --board simulator` has it.
private struct LiveSource: SensorSource {
  let rate: SampleRate

  func open<User: SensorUser>(for user: User) throws -> User.Outcome {
    let clock = SystemClock()
    let address = try #require(I2CAddress(0x68))
    var bus = SimulatedBus(
      clock: clock, chip: .mpu6050, address: address, motion: .tumble, busHertz: nil)
    let identity = try SensorIdentity.identify(on: &bus, choice: SensorChoice())
    let configuration = SensorConfiguration(
      rate: rate, accelerometerRange: 4, gyroscopeRange: 500, channels: .all, busClock: 400_000)
    return try user.use(
      PolledSensor(bus: bus, identity: identity, configuration: configuration),
      busClock: BusClock(configured: 400_000, measured: nil), clock: clock, boardTitle: "simulator")
  }
}

/// The only tests in which sampler, writer, flusher and loop run at the same time: for ThreadSanitizer (`.ci/races`).
@Suite("A recorder with its threads", .waitsForPrograms)
struct ThreadedRecordingTests {
  @Test(
    "accounts for each tick of a recording at 1 kHz, and knows the card's room",
    arguments: [false, true])
  func recording(isWatched: Bool) throws {
    let rate = try #require(SampleRate(1000))
    var configuration = RecorderConfiguration.default
    configuration.rate = rate
    configuration.length = 400_000_000
    configuration.syncInterval = 50_000_000
    configuration.samplesWhileIdle = false
    configuration.cpuLatency = .free
    let directory = TemporaryDirectory(inMemory: true)
    var surroundings = RecorderLoop.Surroundings { _, _ in }
    surroundings.isInteractive = isWatched
    let setup = RecorderSetup(
      configuration, sensor: LiveSource(rate: rate), store: directory.path, isSingle: true)
    surroundings.readSetup = { setup }
    let loop = try RecorderLoop(setup, surroundings)
    try loop.run()
    #expect(loop.status().freeBytes ?? 0 > 0)
    let catalogue = try Catalogue(path: directory.path)
    let entry = try #require(try catalogue.list().entries.first)
    var reader = try catalogue.reader(of: entry)
    let account = try reader.account()
    let tally = try #require(account.end?.tally)
    #expect(account.damage.isEmpty)
    #expect(account.isBalanced == true)
    #expect(tally.scheduled == 400)
    #expect(tally.sampled > 0)
  }
}
