// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LinuxIO
import LogStore
import LogStoreTesting
import Recorder
import SimulatedIMU
import TestSupport
import Synchronization
import Testing

/// A transfer on one bus that lasts until there were twenty on another one, or for 0.1 s.
private final class HeldTransfer: Sendable {
  private let others = Atomic(0)
  private let ended = Atomic(false)

  /// Whether it ended because of the other bus.
  var sawOther: Bool { ended.load(ordering: .relaxed) }

  func countOther() { others.add(1, ordering: .relaxed) }

  func hold() {
    let clock = SystemClock()
    let (goal, limit) = (others.load(ordering: .relaxed) + 20, clock.now() + 100_000_000)
    while others.load(ordering: .relaxed) < goal, clock.now() < limit {
      clock.sleep(until: clock.now() + 500_000)
    }
    ended.store(others.load(ordering: .relaxed) >= goal, ordering: .relaxed)
  }
}

/// A bus whose 200th transfer is held, or that is the other one.
private struct HeldBus<Bus: I2CBus & ~Copyable>: I2CBus, ~Copyable {
  var bus: Bus
  let held: HeldTransfer?
  let isOther: Bool
  private var transfers = 0

  init(_ bus: consuming Bus, _ held: HeldTransfer?, isOther: Bool) {
    self.bus = bus
    (self.held, self.isOther) = (held, isOther)
  }

  mutating func read(
    _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
  ) throws(BusError) {
    transfers += 1
    if isOther { held?.countOther() } else if transfers == 200 { held?.hold() }
    try bus.read(address, register: register, into: buffer)
  }

  mutating func write(_ address: I2CAddress, register: UInt8, value: UInt8) throws(BusError) {
    try bus.write(address, register: register, value: value)
  }
}

extension HeldBus: Sendable where Bus: Sendable & ~Copyable {}

/// A simulated chip in real time, as `record --board simulator` has it.
private struct LiveSource: SensorSource {
  let rate: SampleRate
  var held: HeldTransfer?
  var isOther = false

  func open<User: SensorUser>(for user: User) throws -> User.Outcome {
    let clock = SystemClock()
    let address = try #require(I2CAddress(0x68))
    var bus = HeldBus(
      SimulatedBus(
        clock: clock, chip: .mpu6050, address: address, motion: .tumble, busHertz: nil),
      held, isOther: isOther)
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

  @Test(
    "reads the sensors of one bus while another bus hangs, and those of one bus in turns",
    arguments: [
      (["i2c-1", "i2c-3/mux@70/0"], true), (["i2c-1/mux@70/2", "i2c-1/mux@70/3"], false),
    ])
  func buses(paths: [String], areApart: Bool) throws {
    let rate = try #require(SampleRate(1000))
    var configuration = RecorderConfiguration.default
    (configuration.rate, configuration.length) = (rate, 600_000_000)
    (configuration.samplesWhileIdle, configuration.cpuLatency) = (false, .free)
    let (directory, held) = (TemporaryDirectory(inMemory: true), HeldTransfer())
    let members = zip(paths, ["left", "right"]).map { path, name in
      let source = LiveSource(rate: rate, held: held, isOther: name == "right")
      var member = RecorderSetup(
        configuration, sensor: source, store: directory.path, isSingle: true)
      (member.name, member.busPath) = (name, path)
      return member
    }
    let setup = RecorderSetup.take(members)
    var surroundings = RecorderLoop.Surroundings { _, _ in }
    surroundings.readSetup = { setup }
    let loop = try RecorderLoop(setup, surroundings)
    try loop.run()
    #expect(held.sawOther == areApart)
    let catalogue = try Catalogue(path: directory.path)
    let entries = try catalogue.list().entries
    #expect(entries.count == 2)
    for entry in entries {
      var reader = try catalogue.reader(of: entry)
      let account = try reader.account()
      #expect(account.isBalanced == true)
      #expect(account.end?.tally.scheduled == 600)
    }
  }
}
