// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Testing

@Suite("Reading the one sample of a FIFO")
struct NewestReadTests {
  /// A driver whose FIFO replaced a sample at bring-up, as the test's bus had it.
  private func ready(
    _ bus: FIFOBus, _ model: SensorModel = .lsm6dso, _ channels: ChannelSet = .all
  ) throws -> PolledSensor<FIFOBus> {
    if bus.data == 0x78 {
      bus.bytes = slot(0, [0, 0, 0, 0, 0, 0], channels) + slot(2, [0, 0, 0, 0, 0, 0], channels)
    } else {
      places(bus, [(0x40, 0), (0, 0)])
    }
    var sensor = try PolledSensor(
      bus: bus, identity: SensorIdentity(model: model, address: bus.chip.address),
      configuration: SensorConfiguration(rate: hertz(10), channels: channels, busClock: 400_000))
    while case .wait = try sensor.bringUp() {}
    bus.chip.forgetTrace()
    bus.bytes = []
    return sensor
  }

  /// The words of a slot: gyroscope, accelerometer.
  private func slot(_ number: Int, _ axes: [Int16], _ channels: ChannelSet = .all) -> [UInt8] {
    (channels.contains(.gyroscope) ? word(1, number, Array(axes[..<3])) : [])
      + word(2, number, Array(axes[3...]))
  }

  /// What the reads of FIFO_STATUS1 to 3 give, one after the other; the last one again and again.
  private func places(_ bus: FIFOBus, _ statuses: [(flags: UInt8, place: UInt8)], count: UInt8 = 0)
  {
    var number = 0
    bus.chip.beforeRead = { chip, register, _ in
      guard register == 0x3B || register == 0x3A else { return }
      let status = statuses[min(number, statuses.count - 1)]
      bus.statusBytes = [count, status.flags, status.place, 0]
      (chip.registers[0x3B], chip.registers[0x3C]) = status
      number += 1
    }
  }

  /// What a read gave; without a reading a failure.
  fileprivate struct Outcome: Equatable {
    let reading: Reading?
    let sample: RawSample

    init(_ reading: Reading?, _ sample: RawSample) {
      (self.reading, self.sample) = (reading, sample)
    }
  }

  private func read(_ sensor: inout PolledSensor<FIFOBus>) -> Outcome {
    var sample = RawSample(ax: 9)
    do throws(BusError) {
      let reading = try sensor.read(into: &sample)
      return Outcome(reading, sample)
    } catch {
      return Outcome(nil, sample)
    }
  }

  private let first = RawSample(ax: 4, ay: -5, az: 6, gx: 1, gy: 2, gz: -3)
  private let second = RawSample(ax: 40, ay: -50, az: 60, gx: 10, gy: 20, gz: -30)
  private let untouched = RawSample(ax: 9)

  private func axes(_ sample: RawSample) -> [Int16] {
    [sample.gx, sample.gy, sample.gz, sample.ax, sample.ay, sample.az]
  }

  @Test("a slot is one burst, and an empty FIFO is no new sample")
  func oneBurst() throws {
    let bus = FIFOBus(.lsm6dso)
    var sensor = try ready(bus)
    bus.bytes = slot(1, axes(first))
    #expect(read(&sensor) == Outcome(.fresh, first))
    #expect(sensor.evidence.isConfigured)
    #expect(sensor.evidence.outputs == SensorOutputs(first))
    #expect(SensorOutputs() == SensorOutputs(RawSample()))
    #expect(bus.chip.trace == [.read(0, 14)] && bus.bursts.last == 14)
    #expect(read(&sensor) == Outcome(.stale, untouched))
    #expect(!sensor.evidence.isConfigured)
    // Words in the other order, of any number.
    bus.bytes = word(2, 3, [4, -5, 6]) + word(1, 3, [1, 2, -3])
    #expect(read(&sensor) == Outcome(.fresh, first))
  }

  @Test("a slot that replaces the rest of the one that is read is read whole, in one burst more")
  func replaced() throws {
    for number in 0..<4 {
      let bus = FIFOBus(.lsm6dso)
      var sensor = try ready(bus)
      bus.bytes = slot(number, axes(first)).prefix(7) + slot(number + 1, axes(second))
      #expect(read(&sensor) == Outcome(.fresh, second))
      #expect(bus.bursts.suffix(2) == [14, 7])
      #expect(sensor.evidence.isLate && sensor.evidence.isConfigured)
    }
  }

  @Test("words of two slots are never a sample, whatever came between")
  func neverMixed() throws {
    // Each letter is the word of a slot: G0, A0, G1, ...; the FIFO ends anywhere.
    let words = (0..<6).flatMap { number in
      [(1, number), (2, number)].map { kind, number in
        word(UInt8(kind), number, Array(repeating: Int16(number + 1), count: 3))
      }
    }
    for first in words.indices {
      for second in words.indices where second != first {
        for third in words.indices where third != second {
          let bus = FIFOBus(.lsm6dso)
          var sensor = try ready(bus)
          bus.bytes = words[first] + words[second] + words[third]
          let result = read(&sensor)
          guard result.reading == .fresh else {
            #expect(result.sample == untouched)
            continue
          }
          let values = Set(axes(result.sample))
          // A number returns after four slots, which takes longer than a burst: 1 and 5, 2 and 6 follow each other in a
          // FIFO of one slot only as whole slots.
          #expect(values.count == 1 || Set(values.map { $0 & 3 }).count == 1, "\(values)")
        }
      }
    }
  }

  @Test("tags that were not asked for are doubtful, and nothing of them is used")
  func strangeTags() throws {
    for tag in 0..<UInt8(255) where tag >> 3 != 0 && tag >> 3 != 1 && tag >> 3 != 2 {
      let bus = FIFOBus(.lsm6dso)
      var sensor = try ready(bus)
      bus.bytes = [tag] + slot(0, axes(first)).dropFirst()
      #expect(read(&sensor) == Outcome(.doubtful, untouched))
    }
    let bus = FIFOBus(.lsm6dso)
    var sensor = try ready(bus)
    // No chip, or no power.
    bus.rest = 0xFF
    #expect(read(&sensor) == Outcome(.doubtful, untouched))
    #expect(!sensor.evidence.isConfigured)
  }

  @Test("half a slot is not a sample")
  func half() throws {
    let bus = FIFOBus(.lsm6dso)
    var sensor = try ready(bus)
    bus.bytes = Array(slot(1, axes(first)).prefix(7))
    #expect(read(&sensor) == Outcome(.stale, untouched))
    bus.bytes = Array(slot(1, axes(first)).suffix(7))
    #expect(read(&sensor) == Outcome(.stale, untouched))
  }

  @Test("a failure is thrown when no sample follows it, and forgotten when one does")
  func failures() throws {
    let bus = FIFOBus(.lsm6dso)
    var sensor = try ready(bus)
    bus.chip.failure = { $0 == 0 ? .noAcknowledge : nil }
    #expect(read(&sensor) == Outcome(nil, untouched))
    bus.chip.forgetTrace()
    bus.bytes = slot(1, axes(first))
    #expect(read(&sensor) == Outcome(.fresh, first))
    bus.chip.forgetTrace()
    bus.chip.failure = { _ in .noAcknowledge }
    #expect(read(&sensor) == Outcome(nil, untouched))
    #expect(bus.chip.trace.count == 3)
  }

  @Test("each sensor alone: the accelerometer is in the FIFO and shows that the chip works")
  func alone() throws {
    for (channels, length) in [(ChannelSet.accelerometer, 7), (.gyroscope, 14)] {
      let bus = FIFOBus(.lsm6dso)
      var sensor = try ready(bus, .lsm6dso, channels)
      bus.bytes = slot(1, axes(first), channels)
      let result = read(&sensor)
      #expect(result.reading == .fresh)
      #expect(bus.bursts.last == length)
      #expect((result.sample.ax == 4) == (channels == .accelerometer))
      #expect((result.sample.gz == -3) == (channels == .gyroscope))
      #expect(result.sample.temperature == 0)
      #expect(sensor.evidence.outputs != SensorOutputs(RawSample(gx: 1, gy: 2, gz: -3)))
    }
  }

  @Test("the temperature is read with each comparison of the configuration")
  func temperature() throws {
    let bus = FIFOBus(.lsm6dso)
    var sensor = try ready(bus)
    (bus.chip.registers[0x20], bus.chip.registers[0x21]) = (0x34, 0xF2)
    #expect(try sensor.checkConfiguration() == .intact)
    bus.bytes = slot(1, axes(first))
    let result = read(&sensor)
    #expect(result.sample.temperature == Int16(bitPattern: 0xF234))
  }

  /// A FIFO as it is found at bring-up.
  enum Kind: CaseIterable {
    case empty, stopping, long, ones
  }

  @Test(
    "a FIFO that does not replace its sample is not used: the registers are read twice",
    arguments: Kind.allCases)
  func notUsed(kind: Kind) throws {
    let bus = FIFOBus(.lsm6dso)
    switch kind {
    case .empty: break
    case .stopping: bus.bytes = slot(0, axes(first))
    case .long: bus.bytes = (0..<40).flatMap { slot($0, axes(first)) }
    case .ones: bus.rest = 0xFF
    }
    var sensor = try PolledSensor(
      bus: bus, identity: SensorIdentity(model: .lsm6dso, address: bus.chip.address),
      configuration: SensorConfiguration(rate: hertz(10), busClock: 400_000))
    while case .wait = try sensor.bringUp() {}
    bus.chip.forgetTrace()
    bus.chip.registers[0x28] = 77
    let result = read(&sensor)
    #expect(result.reading == .fresh && result.sample.ax == 77)
    #expect(bus.chip.trace == [.read(0x1E, 16), .read(0x22, 12)])
  }

  @Test("of a chip with another identity than its model's nothing is written to the FIFO")
  func clone() throws {
    let bus = TraceBus.lsm6ds(identity: 0x6E)
    var sensor = try PolledSensor(
      bus: bus,
      identity: SensorIdentity(model: .lsm6dso, address: bus.address, identity: 0x6E),
      configuration: SensorConfiguration(rate: hertz(10)))
    _ = try bringUp(&sensor)
    #expect(!bus.trace.contains { (0x06...0x0A).contains($0.register) || $0.register == 0x78 })
  }

  @Test("without tags a slot is read between two looks at the place of the next word")
  func pattern() throws {
    for model in [SensorModel.lsm6ds3, .lsm6dsl, .lsm6ds3trc] {
      let bus = FIFOBus(model)
      var sensor = try ready(bus, model)
      places(bus, [(0xC0, 0), (0x10, 0)])
      bus.bytes = littleEndian(axes(first))
      #expect(read(&sensor) == Outcome(.fresh, first))
      #expect(bus.chip.trace == [.read(0x3B, 2), .read(0, 12), .read(0x3A, 3)])
      #expect(sensor.evidence.isConfigured)
      places(bus, [(0x30, 0)])
      #expect(read(&sensor) == Outcome(.stale, untouched))
    }
  }

  @Test("without tags a slot that replaces the rest is read whole, wherever it came")
  func patternReplaced() throws {
    for taken in 1...5 {
      let bus = FIFOBus(.lsm6dsl)
      var sensor = try ready(bus, .lsm6dsl)
      bus.bytes =
        littleEndian(Array(axes(first).prefix(taken))) + littleEndian(axes(second))
      places(bus, [(0x40, 0), (0x00, UInt8(6 - taken)), (0x10, 0)])
      #expect(read(&sensor) == Outcome(.fresh, second))
      #expect(sensor.evidence.isLate)
      #expect(bus.bursts.suffix(2) == [12, 2 * taken])
    }
  }

  @Test(
    "without tags nothing is used after a second replacement, half a slot or an impossible place")
  func patternRefused() throws {
    for (statuses, reading) in [
      ([(0x40, 0), (0x40, 0)], Reading.stale), ([(0x40, 0), (0x40, 3)], .stale),
      ([(0x40, 0), (0x00, 3), (0x00, 3)], .stale), ([(0x40, 0), (0x00, 3), (0x40, 0)], .stale),
      ([(0x00, 2)], .stale), ([(0xFF, 0xFF)], .doubtful), ([(0x00, 6)], .doubtful),
      ([(0x50, 0)], .doubtful), ([(0x08, 0)], .doubtful), ([(0x01, 0)], .doubtful),
      ([(0x40, 0), (0xFF, 0xFF)], .doubtful),
    ] as [([(UInt8, UInt8)], Reading)] {
      let bus = FIFOBus(.lsm6dsl)
      var sensor = try ready(bus, .lsm6dsl)
      bus.bytes = littleEndian(axes(first) + axes(second))
      places(bus, statuses)
      #expect(read(&sensor) == Outcome(reading, untouched), "\(statuses)")
    }
    // The next slot came after the last word, and a part of a slot was left when it came.
    for (count, isWhole) in [(0, true), (6, true), (3, false), (1, false)] as [(UInt8, Bool)] {
      let bus = FIFOBus(.lsm6dsl)
      var sensor = try ready(bus, .lsm6dsl)
      bus.bytes = littleEndian(axes(first))
      places(bus, [(0x40, 0), (0x00, 0)], count: count)
      #expect(read(&sensor) == Outcome(isWhole ? .fresh : .stale, isWhole ? first : untouched))
    }
  }

  @Test("without tags a burst that failed is followed by a look at the place")
  func patternFailures() throws {
    for number in 0..<3 {
      let bus = FIFOBus(.lsm6dsl)
      var sensor = try ready(bus, .lsm6dsl)
      bus.bytes = littleEndian(axes(first))
      places(bus, [(0x40, 0), (0x00, 0), (0x10, 0)])
      bus.chip.failure = { $0 == number ? .noAcknowledge : nil }
      #expect(read(&sensor) == Outcome(.fresh, first), "\(number)")
      // What a failed burst took out is lost.
      bus.chip.forgetTrace()
      places(bus, [(0x40, 0), (0x00, 2)])
      bus.chip.failure = { $0 == 1 ? .noAcknowledge : nil }
      #expect(read(&sensor) == Outcome(nil, untouched))
    }
  }
}
