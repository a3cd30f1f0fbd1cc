// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LinuxIO
import LogStore
import LogStoreTesting
import Recorder
import Sampling
import SimulatedIMU
import Testing

/// The shipped service with a button and a simulated chip that keeps the time, stepped in simulated time; and a twin of the
/// chip that says what it made, and when.
///
/// Instants are nanoseconds from the chip's power-up.
struct ChipRecorder: Sendable {
  var model: SensorModel
  var rate: SampleRate
  /// Ticks of the chip's oscillator from one sample to the next.
  var stride: Int64
  var clockError = 0
  /// Whether the line from the chip's interrupt output is wired.
  var hasInterrupt = false
  /// Whether the chip stamps its samples.
  var isStamped = false
  /// The rate of the magnetometer, if it is recorded.
  var field: SampleRate?
  var length: Int64? = 20_000_000_000
  var preTrigger: Int64 = 0
  var trigger = TriggerSetting()
  var motion = Motion.tumble
  var faults: [(fault: Fault, at: Int64)] = []

  private static func hertz(_ rate: UInt32) -> SampleRate { ExampleLog.rate(rate) }

  static let mpu6050 = ChipRecorder(model: .mpu6050, rate: hertz(1000), stride: 8)
  static let lsm6dso = ChipRecorder(model: .lsm6dso, rate: hertz(1666), stride: 4)
  static let lsm6dsl = ChipRecorder(model: .lsm6dsl, rate: hertz(416), stride: 16)
  static let lsm6dsv = ChipRecorder(model: .lsm6dsv, rate: hertz(960), stride: 8)
  static let icm20948 = ChipRecorder(model: .icm20948, rate: hertz(1125), stride: 8)
  static let slow = ChipRecorder(model: .lsm6dso, rate: hertz(104), stride: 64)

  /// The time of day when simulated time was 0.
  static let wall: Int64 = 1_700_000_000_000_000_000
  static let powerUp: Int64 = 7_000_000_000

  struct Outcome {
    var takes: [Take] = []
    var loop: RecorderLoop
    /// Warnings and errors.
    var warnings: [String]
    let twin: Twin

    func take() throws -> Take {
      #expect(takes.count == 1)
      return try #require(takes.first)
    }
  }

  /// Runs the service with presses at these instants, until 5 s after the last one.
  ///
  /// - Parameter afterDrain: Called after each drain.
  func run(
    presses: [Int64], of length: Int64 = 100_000_000,
    afterDrain: (RecorderLoop, Int64) -> Void = { _, _ in }
  ) throws -> Outcome {
    let start = MonotonicTime(nanoseconds: ChipRecorder.powerUp)
    let source = try ChipSource(self)
    let (clock, warnings) = (source.clock, SentenceList())
    var service = SteppedRecorder(source) {
      ($0.rate, $0.clock, $0.length) = (rate, .chip, self.length)
      ($0.preTrigger, $0.trigger) = (preTrigger, trigger)
    }
    service.warnings = warnings
    service.clock = RecorderClock {
      clock.now()
    } reading: {
      let now = clock.now()
      return ClockReading(
        monotonic: now, wall: ChipRecorder.wall + now.nanoseconds, isSynchronised: true)
    }
    let loop = try withoutActuallyEscaping(afterDrain) { afterDrain in
      try service.run(
        .presses(presses.map { start + $0 }, of: length), afterTick: { afterDrain($0, $1 - start) })
    }
    let takes = try service.recordings { reader in try Take(reader, of: self, source.twin) }
    return Outcome(takes: takes, loop: loop, warnings: warnings.all, twin: source.twin)
  }
}

/// A chip that the service opens once.
private final class ChipSource: SensorSource, @unchecked Sendable {
  // Safe: the service is stepped on the test's thread.
  let clock = VirtualClock(start: MonotonicTime(nanoseconds: ChipRecorder.powerUp))
  let twin: Twin
  private var bus: SimulatedBus<VirtualClock>?
  private let identity: SensorIdentity
  private let configuration: SensorConfiguration

  init(_ bench: ChipRecorder) throws {
    let address = bench.model.family.addresses[0]
    let simulated = SimulatedChip.all.first {
      SensorModel.named("\($0.model)")?.family == bench.model.family
    }
    var chip = try #require(simulated).answering(bench.model.identity)
    chip.clockErrorPartsPerMillion = bench.clockError
    func makeBus(_ clock: VirtualClock) -> SimulatedBus<VirtualClock> {
      SimulatedBus(
        clock: clock, chip: chip, address: address, motion: bench.motion, busHertz: 400_000)
    }
    var own = makeBus(clock)
    for (fault, instant) in bench.faults {
      own.inject(fault, at: .time(clock.now() + instant))
    }
    if bench.hasInterrupt { own.wireInterrupt() }
    var settings = SensorConfiguration(
      rate: bench.rate, accelerometerRange: bench.model.accelerometerRanges[1],
      gyroscopeRange: 500, channels: .all, busClock: 400_000)
    (settings.readsFIFO, settings.stampsSamples) = (true, bench.isStamped)
    settings.fieldRate = bench.field
    if bench.hasInterrupt { settings.watermark = watermark(of: bench.model, settings) }
    identity = SensorIdentity(model: bench.model, address: address)
    configuration = settings
    var other = try FIFOSensor(
      bus: makeBus(clock), identity: identity, configuration: configuration)
    while case .wait(let nanoseconds) = try other.bringUp() { clock.advance(by: nanoseconds) }
    twin = Twin(other.releaseBus(), address, stride: bench.stride)
    bus = .some(own)
  }

  func open<User: SensorUser>(for user: User) throws -> User.Outcome {
    guard let bus = bus.take() else { preconditionFailure("a sensor is opened once") }
    let sensor = try FIFOSensor(bus: bus, identity: identity, configuration: configuration)
    return try user.use(
      sensor, busClock: BusClock(configured: 400_000, measured: 390e3),
      clock: SleepyClock(clock: clock), boardTitle: "test")
  }
}

/// A virtual clock on which each sleep is a little too long.
private struct SleepyClock: MonotonicClock {
  let clock: VirtualClock

  func now() -> MonotonicTime { clock.now() }

  func sleep(until deadline: MonotonicTime) {
    clock.sleep(until: deadline)
    // From the wake-up to the first instruction.
    clock.advance(by: 30_000)
  }
}

/// A chip like the recorded one, without faults.
final class Twin {
  private let bus: SimulatedBus<VirtualClock>
  private let address: I2CAddress
  let stride: Int64

  init(_ bus: consuming SimulatedBus<VirtualClock>, _ address: I2CAddress, stride: Int64) {
    self.bus = bus
    (self.address, self.stride) = (address, stride)
  }

  /// When the chip made a sample, in nanoseconds from its power-up.
  func instant(of sample: Int64) -> Int64? {
    bus.time(ofTick: sample * stride, of: address).map { $0.nanoseconds - ChipRecorder.powerUp }
  }

  /// The last sample at an instant.
  func sample(at instant: Int64) -> Int64? {
    let time = MonotonicTime(nanoseconds: ChipRecorder.powerUp + instant)
    return bus.tick(of: address, at: time).map { $0 / stride }
  }

  /// Whether the chip made these counts. The thermometer has a rate of its own in some chips.
  func made(_ counts: RawSample, _ sample: Int64) -> Bool {
    guard let made = bus.outputs(of: address, atTick: sample * stride) else { return false }
    return (0..<6).allSatisfy { made[$0] == counts[$0] }
  }

  /// The chip's sample with these counts, near an instant.
  func find(_ counts: RawSample, near instant: Int64) -> Int64? {
    guard let near = sample(at: instant) else { return nil }
    return (0..<400).lazy.flatMap { [near + $0, near - $0] }.first { self.made(counts, $0) }
  }
}

/// A finished recording as a reader sees it, and what the chip says about it.
struct Take {
  var ticks: [UInt64] = []
  /// In nanoseconds from the chip's power-up.
  var times: [Int64] = []
  var earliest: [Int64] = []
  var latest: [Int64] = []
  /// The chip's number of each sample; `nil` for one that it did not make.
  var numbers: [Int64?] = []
  /// When the chip made each sample, in nanoseconds from its power-up.
  var truth: [Int64] = []
  var gaps: [Gap] = []
  /// Values of the magnetometer.
  var field: [FieldReading] = []
  var report: Account

  init<Storage: LogStorage & ~Copyable>(
    _ reader: consuming LogReader<Storage>, of bench: ChipRecorder, _ twin: Twin
  ) throws {
    var (counts, start): ([RawSample], Int64?) = ([], nil)
    while let item = try reader.next() {
      switch item {
      case .gap(let gap): gaps.append(gap)
      case .field(let value): field.append(value)
      case .clock(let pair):
        start = start ?? pair.wallAtStart - ChipRecorder.wall - ChipRecorder.powerUp
      case .samples(let count):
        #expect(reader.earliest.count == count && reader.latest.count == count)
        ticks += reader.block.ticks
        times += reader.block.times
        earliest += reader.earliest
        latest += reader.latest
        counts += (0..<count).map { reader.block[$0].sample }
      default: break
      }
    }
    report = try reader.account()
    let origin = try #require(start)
    func absolute(_ time: Int64) -> Int64 {
      time == .min || time == .max ? time : time + origin
    }
    (times, earliest, latest) = (times.map(absolute), earliest.map(absolute), latest.map(absolute))
    for (row, sample) in counts.enumerated() {
      var number: Int64?
      if row > 0, ticks[row] == ticks[row - 1] + 1, let last = numbers[row - 1] {
        number = twin.made(sample, last + 1) ? last + 1 : nil
      } else {
        number = twin.find(sample, near: times[row])
      }
      numbers.append(number)
      truth.append(number.flatMap { twin.instant(of: $0) } ?? .min)
    }
  }

  /// Expects that every tick has a sample or is in a gap, that the chip made each sample, at an instant in its interval, and
  /// that each gap has as many ticks as the chip made samples there: exactly that many where the reader says so, one more or
  /// less in a thousand where the chip was reset.
  func expectTrue(errorAtMost limit: Int64 = 100_000) throws {
    let name = "recording \(report.description.number)"
    #expect(!ticks.isEmpty && !numbers.contains(nil), "\(name) has other samples than the chip")
    #expect(report.isIntact, "\(name): \(report)")
    let outside = ticks.indices.filter {
      !(earliest[$0]...latest[$0]).contains(truth[$0])
        || !(earliest[$0]...latest[$0]).contains(times[$0]) || earliest[$0] == .min
    }
    #expect(outside == [], "\(name): instants outside their intervals")
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(name) goes back in time")
    let errors = zip(times, truth).map { abs($0 - $1) }.sorted()
    #expect(errors[errors.count * 99 / 100] <= limit, "\(name)")
    let end = try #require(report.end)
    let chip = try #require(report.chipClock)
    #expect(chip.isWhole && chip.unprovedCount == 0, "\(name): \(chip)")
    #expect(end.tally.sampled == UInt64(ticks.count))
    #expect(end.tally.scheduled == report.tickCount)
    var next = gaps.first.map { $0.firstTick == 0 ? $0.count : 0 } ?? 0
    for (row, tick) in ticks.enumerated() {
      let skipped = gaps.filter { (next..<tick).contains($0.firstTick) }.map(\.count).reduce(0, +)
      #expect(next + skipped == tick, "\(name)")
      if row > 0, let last = numbers[row - 1], let number = numbers[row] {
        let made = number - last - 1
        let epoch = chip.epochs.first { (ticks[row - 1] + 1...tick).contains($0.tick) }
        if let missing = epoch?.missing, missing.count > 1 {
          // Its first slot may be void.
          #expect(missing.contains(made - Int64(tick - (epoch?.tick ?? tick))), "\(name): \(chip)")
        } else {
          let doubt = epoch != nil && epoch?.missing == nil ? 1 + made / 400 : 0
          #expect(abs(made - Int64(skipped)) <= doubt, "\(name): a gap of \(skipped)")
        }
      }
      next = tick + 1
    }
  }
}
