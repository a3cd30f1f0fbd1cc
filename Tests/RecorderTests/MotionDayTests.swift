// SPDX-License-Identifier: Apache-2.0

import Foundation
import IMUDrivers
import IMUModel
import LogStore
import LogStoreTesting
import Recorder
import SimulatedIMU
import TestSupport
import Testing

/// A simulated MPU-6050 at 50 Hz that plays a motion of 10 minutes over and over, with faults of the bus and the chip.
private struct PlayedSource: SensorSource {
  static let rate = ExampleLog.rate(50)
  let motion: Motion
  let faults: [(fault: Fault, at: Int64)]
  let clock = VirtualClock(start: MonotonicTime(nanoseconds: 5_000_123_456_789))

  func open<User: SensorUser>(for user: User) throws -> User.Outcome {
    let address = try #require(I2CAddress(0x68))
    var bus = SimulatedBus(
      clock: clock, chip: .mpu6050, address: address, motion: motion, busHertz: 400_000)
    for (fault, instant) in faults { bus.inject(fault, at: .time(clock.now() + instant)) }
    let identity = try SensorIdentity.identify(on: &bus, choice: SensorChoice(model: .mpu6050))
    let configuration = SensorConfiguration(
      rate: PlayedSource.rate, accelerometerRange: 4, gyroscopeRange: 500, channels: .all,
      busClock: 400_000)
    return try user.use(
      PolledSensor(bus: bus, identity: identity, configuration: configuration),
      busClock: BusClock(configured: 400_000, measured: nil), clock: clock, boardTitle: "simulator")
  }
}

/// 10 minutes of someone who walks, turns the sensor slowly, rests, and falls at times, at 8192 counts a g. It starts over
/// without a step.
private struct PlayedMotion {
  static let seconds = 600.0
  /// What the rotation about X is in a fall, and never otherwise.
  static let sign: Int16 = 777

  /// When the falls begin, in seconds, at least 12 apart.
  let falls: [Double]
  let motion: Motion

  init(_ generator: inout SeededGenerator) throws {
    var instants: [Double] = []
    var instant = 15.0
    while instant < 580 {
      instants.append(instant)
      instant += (Double.random(in: 12...70, using: &generator) * 100).rounded() / 100
    }
    falls = instants
    var file = "t_us,ax,ay,az,gx,gy,gz,temp\n"
    var next = instants[...]
    var (rest, axis, blow) = (0, 0, 0.0)
    for row in 0..<60_000 {
      let seconds = Double(row) / 100
      if let due = next.first, seconds > due - 0.005 {
        next.removeFirst()
        // 0.1 to 0.7 s of blows that last two rows each, so that a tick at 50 Hz sees every one.
        rest = Int.random(in: 5...35, using: &generator) * 2
        axis = Int.random(in: 0...2, using: &generator)
        blow = Double.random(in: 0.9...2, using: &generator)
      } else if rest > 0, rest % 2 == 0 {
        blow = Double.random(in: -2...2, using: &generator)
      }
      let tilt = sin(seconds * 2 * .pi / 40) * 0.5
      let isWalking = seconds.truncatingRemainder(dividingBy: 120) < 80
      let step = isWalking ? 0.12 * sin(seconds * 2 * .pi * 2) : 0
      var values = [sin(tilt), 0.05 * sin(seconds * 2 * .pi * 0.2), cos(tilt) + step]
      if rest > 0 { values[axis] += blow }
      let words = values.map {
        "\(Int($0 * 8192) + Int.random(in: -60...60, using: &generator))"
      }
      let rotation = rest > 0 ? "\(PlayedMotion.sign)" : "\(row % 700)"
      file += "\(row * 10_000),\(words.joined(separator: ",")),\(rotation),2,3,-4000\n"
      if rest > 0 { rest -= 1 }
    }
    motion = try Motion(csv: file.utf8, named: "walk")
  }
}

@Suite("A day of motion", .excludesProgramStarts)
struct MotionDayTests {
  /// 2 in each run of all tests; `.ci/run` has 24.
  static var hours: Int {
    ProcessInfo.processInfo.environment["IMULOG_MOTION_HOURS"].flatMap(Int.init) ?? 2
  }
  static let before = 75

  /// Half a second of the root mean square; someone who walks has 0.085 g, and the least fall 0.18 g.
  private static let window = 25

  @Test(
    "each fall of someone who walks is one recording, with the fall's first sample and exactly the pre-trigger before it, and nothing else is",
    arguments: [TriggerSetting.Threshold(.peak, 0.5), TriggerSetting.Threshold(.rms, 0.14)])
  func day(threshold: TriggerSetting.Threshold) throws {
    let seed = UInt64.random(in: 0 ... .max)
    // Both play the same motion; a tenth of the time shows what differs.
    let hours = threshold.measure == .peak ? Self.hours : max(1, Self.hours / 10)
    print("\(hours) hours of motion, \(threshold.measure.rawValue): seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let played = try PlayedMotion(&generator)
    let falls = (0..<hours * 6).flatMap { round in
      played.falls.map { Double(round) * PlayedMotion.seconds + $0 }
    }
    // 6 s after some falls, when their recordings are over, and 6 s or more before the next.
    let kinds: [Fault] = [
      .unplug(nanoseconds: 1_100_000_000), .brownOut,
      .fail(.noAcknowledge, errno: 121, transfers: 9),
      .freeze(nanoseconds: 2_500_000_000, keepsDataReady: true),
      .silence(nanoseconds: 700_000_000),
    ]
    let faults = (0..<60).map { number in
      let fall = falls[Int.random(in: 0..<falls.count, using: &generator)]
      return (fault: kinds[number % kinds.count], at: Int64((fall + 6) * 1e9))
    }
    let directory = TemporaryDirectory(inMemory: true)
    let source = PlayedSource(motion: played.motion, faults: faults)
    let (entries, catalogue) = try record(source, threshold, hours: hours, into: directory.path)
    print("\(falls.count) falls, \(entries.count) recordings")
    #expect(entries.count == falls.count, "seed \(seed)")
    var shift: Double?
    for (entry, fall) in zip(entries, falls) {
      var reader = try catalogue.reader(of: entry)
      let (row, instant) = try firstOfFall(&reader)
      // A window is above the limit some samples after the fall began.
      let late = threshold.measure == .rms ? Self.window : 0
      let places = Self.before - late...Self.before
      #expect(row.map { places.contains($0) } == true, "recording \(entry.number), seed \(seed)")
      // On one time line with the motion: a tick of 20 ms, and as much before the chip's sample of it.
      let offset = instant - fall
      shift = shift ?? offset
      #expect(abs(offset - (shift ?? 0)) < 0.05, "recording \(entry.number), seed \(seed)")
    }
  }

  /// Runs the service over the motion.
  private func record(
    _ source: PlayedSource, _ threshold: TriggerSetting.Threshold, hours: Int, into store: String
  ) throws -> (entries: [CatalogueEntry], catalogue: Catalogue) {
    var configuration = RecorderConfiguration.default
    configuration.rate = PlayedSource.rate
    (configuration.preTrigger, configuration.reserve) = (1_500_000_000, 0)
    configuration.trigger.threshold = threshold
    configuration.trigger.window = Int64(Self.window) * 20_000_000
    configuration.trigger.postTrigger = 2_000_000_000
    configuration.trigger.mostADay = 10_000
    let end = source.clock.now() + Int64(hours) * 3_600_000_000_000
    let button = ScriptedButton { $0 > end ? nil : [] }
    var surroundings = RecorderLoop.Surroundings { priority, sentence in
      if priority == .warning { Issue.record("\(sentence)") }
    } openPanel: { _ in
      button
    }
    surroundings.clock = RecorderClock {
      MonotonicTime(nanoseconds: 0)
    } reading: {
      ClockReading(
        monotonic: MonotonicTime(nanoseconds: 0), wall: 1_790_000_000_000_000_000,
        isSynchronised: true)
    }
    _ = try SimulatedRecorder(
      RecorderSetup(configuration, sensor: source, store: store), surroundings
    ).run()
    let catalogue = try Catalogue(path: store)
    let entries = try catalogue.list().entries.sorted { $0.number < $1.number }
    return (entries, catalogue)
  }

  /// The row of a fall's first sample, and seconds of the clock at it.
  private func firstOfFall<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>
  ) throws -> (row: Int?, seconds: Double) {
    var (row, found, time) = (0, nil as Int?, 0 as Int64)
    var (marks, start) = (0, nil as Int64?)
    for event in try reader.readAll() {
      switch event {
      case .sample(_, let instant, let sample):
        if found == nil, sample.gx == PlayedMotion.sign { (found, time) = (row, instant) }
        row += 1
      case .other(.mark): marks += 1
      case .other(.clock(let pair)): start = start ?? pair.wallAtStart
      default: break
      }
    }
    #expect(marks == 1)
    #expect(try reader.account().isIntact)
    let begun = try #require(start) - 1_790_000_000_000_000_000
    return (found, Double(begun + time) / 1e9)
  }
}
