// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Sampling
import SimulatedIMU

/// A recording from a simulated chip that keeps the time, and a twin of the chip that says what it made, and when.
struct DrainBench: Sendable {
  var model: SensorModel
  var rate: SampleRate
  /// Ticks of the chip's oscillator from one sample to the next.
  var stride: Int64
  var channels: ChannelSet = .all
  /// The rate of the magnetometer, if it is recorded.
  var field: SampleRate?
  var milliseconds: Int64 = 3000
  var clockErrorPartsPerMillion = 0
  /// By how much `CLOCK_MONOTONIC` is ahead of `CLOCK_MONOTONIC_RAW`, in nanoseconds.
  var offset: Int64 = 0
  var busClock = 400_000
  var adapter = SimulatedAdapter.generic
  /// Whether the line from the chip's interrupt output is wired, and how late its edges are stamped, in nanoseconds.
  var interruptLatency: Int64?
  /// Whether the chip stamps its samples.
  var stampsSamples = false
  /// Whether the chip leaves the stamps out, and shows the configuration that asks for them.
  var hidesStamps = false
  /// Faults at times counted from tick 0 in nanoseconds.
  var faults: [(fault: Fault, at: Int64)] = []
  /// A fault in a transfer, counted from 1 for the first after tick 0.
  var faultInTransfer: (fault: Fault, number: Int)?
  /// How long a transfer waits before it begins, in nanoseconds, counted in the same way.
  var waitOfTransfer: (length: Int64, number: Int)?
  /// The thread does not run for so long at a time counted from tick 0, in nanoseconds.
  var stalls: [(at: Int64, length: Int64)] = []
  /// What a look at a clock takes, in nanoseconds, and how much longer one of the first takes.
  var lookCost: Int64 = 0
  var longLook: (number: Int, length: Int64) = (0, 0)
  /// How many records the sink has room for between two of its emptyings, which come every 50 ms; and when it is not
  /// emptied, counted from tick 0.
  var sinkStall: Range<Int64>?

  static let mpu6050 = DrainBench(model: .mpu6050, rate: .hz(1000), stride: 8)
  static let lsm6dso = DrainBench(model: .lsm6dso, rate: .hz(1666), stride: 4)
  static let lsm6dsl = DrainBench(model: .lsm6dsl, rate: .hz(1666), stride: 4)
  static let lsm6dsv = DrainBench(model: .lsm6dsv, rate: .hz(1920), stride: 4)
  static let icm20948 = DrainBench(model: .icm20948, rate: .hz(1125), stride: 8)

  /// A stretch in which every slot has its tick.
  struct Epoch {
    var first: FIFOReading
    var samples: [TickRecord] = []
    var readings: [FIFOReading] = []
    /// The chip's tick of slot 0.
    var origin: Int64?
    /// Samples that the chip did not make at their place.
    var wrong = 0
  }

  struct Outcome {
    var records: [TickRecord] = []
    var tally = TickTally()
    var epochs: [Epoch] = []
    /// What is wrong with the order of the records or the account; `nil` for nothing.
    var imbalance: String?
    /// Readings that say what is not true.
    var falseReadings = 0
    /// The furthest that a sample's time is from the truth, in nanoseconds.
    var worstTime: Int64 = 0
    /// The longest from a slot to the edge that shows it.
    var worstEdge: Int64 = 0
    /// Samples that the chip made between two epochs, and of them those in the log's gap.
    var missing: [(made: Int64, logged: Int64)] = []
    var sleeps = 0

    var gaps: [Gap] { records.compactMap(\.gap) }
    var events: [SensorEvent] { records.compactMap(\.sensorEvent) }
    var wrong: Int { epochs.reduce(0) { $0 + $1.wrong } }
    /// Whether each epoch's samples were found in the chip's.
    var isPlaced: Bool { epochs.allSatisfy { $0.samples.isEmpty || $0.origin != nil } }
  }

  var address: I2CAddress { model.family.addresses[0] }
  private var identity: SensorIdentity { SensorIdentity(model: model, address: address) }
  var configuration: SensorConfiguration {
    var configuration = SensorConfiguration(
      rate: rate, accelerometerRange: model.accelerometerRanges[1], gyroscopeRange: 500,
      channels: channels, busClock: busClock)
    (configuration.readsFIFO, configuration.stampsSamples) = (true, stampsSamples)
    configuration.fieldRate = field
    if interruptLatency != nil { configuration.watermark = watermark(of: model, configuration) }
    return configuration
  }

  private func bus(_ clock: VirtualClock) -> SimulatedBus<VirtualClock> {
    var chip = SimulatedChip.like(model)
    chip.clockErrorPartsPerMillion = clockErrorPartsPerMillion
    var bus = SimulatedBus(
      clock: clock, chip: chip, address: address, motion: .tumble, busHertz: busClock,
      adapter: adapter)
    if let interruptLatency { bus.wireInterrupt(latency: interruptLatency) }
    return bus
  }

  /// Runs the recording.
  func run() throws -> Outcome {
    let clock = VirtualClock(start: MonotonicTime(nanoseconds: 1_000_000_000))
    var own = bus(clock)
    var other = try FIFOSensor(bus: bus(clock), identity: identity, configuration: configuration)
    try clock.bringUp(&other)
    let truth = other.releaseBus()

    let start = clock.now() + (300_000_000 + (field?.nanoseconds(atTick: 8) ?? 0))
    for (fault, instant) in faults { own.inject(fault, at: .time(start + instant)) }
    var counting = ProofBench.CountingBus(own, clock, faultInTransfer, from: start.nanoseconds)
    counting.wait = waitOfTransfer
    counting.hidesStamps = hidesStamps
    var sensor = try FIFOSensor(bus: counting, identity: identity, configuration: configuration)
    try clock.bringUp(&sensor)
    let sleeper = StallingClock(clock, self, start)
    let sink = Sink(
      clock: clock, stall: sinkStall.map { start + $0.lowerBound..<start + $0.upperBound })
    let stop = StopFlag()
    var drainer = Drainer(
      sensor: sensor, clock: sleeper, sink: sink, rate: rate, start: start, timeUnit: 1000,
      stop: stop)
    while clock.now() < start + milliseconds * 1_000_000 { _ = drainer.step() }
    stop.request()
    drainer.run()

    var outcome = Outcome()
    (outcome.records, outcome.tally) = (sink.box.records + drainer.undelivered, drainer.tally)
    outcome.sleeps = sleeper.sleeps
    judge(&outcome, truth, start)
    return outcome
  }
}

extension DrainBench {
  /// A virtual clock whose sleeper does not run at some times.
  final class StallingClock: MonotonicClock, @unchecked Sendable {
    // Safe: each test uses its own on one thread.
    private let clock: VirtualClock
    private let bench: DrainBench
    private let start: MonotonicTime
    private var stalls: ArraySlice<(at: Int64, length: Int64)>
    private var looks = 0
    private(set) var sleeps = 0

    init(_ clock: VirtualClock, _ bench: DrainBench, _ start: MonotonicTime) {
      (self.clock, self.bench, self.start, stalls) = (clock, bench, start, bench.stalls[...])
    }

    func now() -> MonotonicTime {
      looks += 1
      let isLong = looks == bench.longLook.number
      clock.advance(by: bench.lookCost + (isLong ? bench.longLook.length : 0))
      return clock.now()
    }

    func rawNow() -> Int64 { now().nanoseconds - bench.offset }

    func sleep(until deadline: MonotonicTime) {
      sleeps += 1
      clock.sleep(until: deadline)
      // From the wake-up to the first instruction.
      clock.advance(by: 30_000)
      guard let stall = stalls.first, clock.now() >= start + stall.at else { return }
      stalls.removeFirst()
      clock.advance(by: stall.length)
    }
  }

  /// A ring of 600 that is emptied every 50 ms.
  struct Sink: TickSink {
    final class Box {
      var records: [TickRecord] = []
      var waiting = 0
      var emptied = MonotonicTime(nanoseconds: 0)
    }

    let box = Box()
    let clock: VirtualClock
    let stall: Range<MonotonicTime>?

    mutating func push(_ record: TickRecord) -> Bool {
      let now = clock.now()
      if now - box.emptied >= 50_000_000, stall?.contains(now) != true {
        (box.waiting, box.emptied) = (0, now)
      }
      guard box.waiting < 600 else { return false }
      box.waiting += 1
      box.records.append(record)
      return true
    }
  }
}

// MARK: The judge

extension DrainBench {
  private func judge(
    _ outcome: inout Outcome, _ twin: borrowing SimulatedBus<VirtualClock>, _ start: MonotonicTime
  ) {
    outcome.imbalance = place(&outcome)
    for index in outcome.epochs.indices { find(&outcome.epochs[index], twin, start) }
    for epoch in outcome.epochs {
      guard let origin = epoch.origin else { continue }
      for sample in epoch.samples {
        let tick = origin + slot(sample, epoch) * stride
        if twin.outputs(of: address, atTick: tick).map({ !isSame($0, sample.sample) }) ?? true {
          continue
        }
        if let made = twin.time(ofTick: tick, of: address) {
          outcome.worstTime = max(outcome.worstTime, abs(made - start - sample.time))
        }
      }
      for reading in epoch.readings where !isTrue(reading, origin, twin, start) {
        outcome.falseReadings += 1
      }
      for edge in epoch.readings where edge.isEdge {
        if let made = twin.time(ofTick: origin + edge.count * stride, of: address) {
          outcome.worstEdge = max(outcome.worstEdge, start + edge.before + offset - made)
        }
      }
    }
    for (left, right) in zip(outcome.epochs, outcome.epochs.dropFirst()) {
      guard let from = left.origin, let to = right.origin else { continue }
      let made = (to - from) / stride - right.first.countBefore
      let logged = right.first.firstTick - left.first.firstTick - right.first.countBefore
      outcome.missing.append((made, logged))
    }
  }

  /// The slot of a sample in its epoch.
  private func slot(_ sample: TickRecord, _ epoch: Epoch) -> Int64 {
    Int64(sample.tick) - epoch.first.firstTick + 1
  }

  /// Sorts the samples by epoch.
  ///
  /// - Returns: What is wrong with their order or the account.
  private func place(_ outcome: inout Outcome) -> String? {
    var counted = TickTally()
    var next: UInt64 = 0
    for record in outcome.records {
      switch record.kind {
      case .sample:
        guard record.tick == next else { return "sample \(record.tick) where \(next) was due" }
        guard let epoch = outcome.epochs.indices.last else { return "a sample without an epoch" }
        guard slot(record, outcome.epochs[epoch]) > 0 else { return "sample \(next) is too early" }
        outcome.epochs[epoch].samples.append(record)
        counted.sampled += 1
        next += 1
      case .gap:
        guard let gap = record.gap, gap.firstTick == next, gap.count > 0 else {
          return "gap \(record) where \(next) was due"
        }
        counted.add(gap.count, gap.cause)
        next += gap.count
      case .sensorEvent, .busClock, .field: break
      case .reading:
        guard let reading = record.reading else { return "an unreadable reading" }
        guard record.tick <= next || reading.firstTick > Int64(next) else {
          return "reading at \(record.tick) where \(next) was due"
        }
        if outcome.epochs.last?.first.epoch != reading.epoch {
          // A void first slot has no tick of its own.
          guard reading.firstTick >= Int64(next) - 1 else {
            return "epoch \(reading.epoch) at \(reading.firstTick) where \(next) was due"
          }
          outcome.epochs.append(Epoch(first: reading))
        }
        outcome.epochs[outcome.epochs.count - 1].readings.append(reading)
      }
    }
    return counted == outcome.tally ? nil : "records say \(counted), the tally \(outcome.tally)"
  }

  /// Finds the chip's tick of slot 0 by the first samples, and counts those that do not fit.
  private func find(
    _ epoch: inout Epoch, _ twin: borrowing SimulatedBus<VirtualClock>, _ start: MonotonicTime
  ) {
    guard let first = epoch.samples.first,
      let near = twin.tick(of: address, at: start + first.time)
    else { return }
    let base = near / stride * stride
    for distance in 0..<200 {
      for tick in [base + Int64(distance) * stride, base - Int64(distance) * stride] {
        guard let made = twin.outputs(of: address, atTick: tick), isSame(made, first.sample) else {
          continue
        }
        let origin = tick - slot(first, epoch) * stride
        epoch.origin = origin
        epoch.wrong = 0
        for sample in epoch.samples {
          let tick = origin + slot(sample, epoch) * stride
          let made = twin.outputs(of: address, atTick: tick)
          if made.map({ !isSame($0, sample.sample) }) ?? true { epoch.wrong += 1 }
        }
        return
      }
    }
    epoch.wrong = epoch.samples.count
  }

  /// The thermometer has a rate of its own in some chips.
  private func isSame(_ made: RawSample, _ read: RawSample) -> Bool {
    channels.indices.allSatisfy { $0 == 6 || made[$0] == read[$0] }
  }

  /// When the chip was so many sixths of a tick after another one, between two ticks on a straight line.
  private func time(
    ofSixths sixths: Int64, after tick: Int64, _ twin: borrowing SimulatedBus<VirtualClock>
  ) -> MonotonicTime? {
    let tick = tick + (sixths < 0 ? -1 : sixths / 6)
    let rest = (sixths % 6 + 6) % 6
    guard let left = twin.time(ofTick: tick, of: address),
      let right = twin.time(ofTick: tick + 1, of: address)
    else { return nil }
    return left + (right - left) * rest / 6
  }

  /// Whether so many slots, and no more, were whole within the reading.
  private func isTrue(
    _ reading: FIFOReading, _ origin: Int64, _ twin: borrowing SimulatedBus<VirtualClock>,
    _ start: MonotonicTime
  ) -> Bool {
    let before = start + reading.before + offset
    let after = before + Int64(reading.length)
    if let stamp = reading.stamp {
      guard Int64(stamp.ticksPerSlot) == 6 * stride else { return false }
      // Both are rounded down, so the counter is up to a tick nearer or farther.
      let (ticks, slot) = (Int64(stamp.ticks), origin + reading.count * stride)
      guard let least = time(ofSixths: ticks - 1, after: slot, twin),
        let most = time(ofSixths: ticks + 1, after: slot, twin)
      else { return false }
      return least <= after && most >= before
    }
    let last = twin.time(ofTick: origin + reading.count * stride, of: address)
    let next = twin.time(ofTick: origin + (reading.count + 1) * stride, of: address)
    guard let last, let next else { return false }
    if reading.isEdge { return last <= before }
    return next >= before && (reading.length == 0 || last <= after)
  }
}
