// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A chip on a bus that makes samples by its own clock and keeps them in its FIFO until they are drained: the driver
/// for every ``SensorFamily`` whose models have ``SensorModel/fifoRates(channels:)``.
///
///     bringUp … ready ─► startFIFO ─► readFill ─► drain ─► sample(at:) … ─► readFill ─► drain …
///                            ▲                                                  │
///                            └── samples were lost, where losesAlignment ◄──────┘
///
/// A slot is all that the chip puts into the FIFO for one sample. Owns its bus; ``releaseBus()`` gives it back. After
/// bring-up, no call allocates or locks, except a ``bringUp()`` that throws.
public struct FIFOSensor<Bus: I2CBus & ~Copyable>: ~Copyable {
  /// Brings the chip up, and compares its configuration.
  @usableFromInline var chip: PolledSensor<Bus>
  @usableFromInline let layout: FIFOLayout
  @usableFromInline let buffer: FIFOBuffer
  /// The most bytes of a burst, a multiple of a word; shrinks where the adapter carries less.
  @usableFromInline var burstLimit: Int
  @usableFromInline var assembly: SlotAssembly
  /// Slots that the chip overwrote before the first one of the last drain, modulo ``EpochCause/overflowModulus``; `nil`
  /// when nothing counts them.
  public var slotsSkipped: Int? { skipped }
  @usableFromInline var skipped: Int?
  /// The lowest byte of the counter when it was read last.
  @usableFromInline var counterByte: UInt8 = 0
  /// The bytes of the last drain if one burst took them; else 0.
  @inlinable public var lastBurst: Int { burstBytes }
  @usableFromInline var burstBytes = 0
  /// The bytes of a count.
  @inlinable public var countBytes: Int { layout.statusCount }
  /// Fills in a row whose count is not a multiple of a packet.
  @usableFromInline var partialFills = 0
  /// Every register while the FIFO is off, and while it runs.
  private let idleImage: RegisterList
  private let runningImage: RegisterList

  /// The chip as it is configured; its data rate is ``rate``.
  public let description: SensorDescription
  /// The chip's nominal rate that the configuration means.
  public let rate: SampleRate
  /// How long the outputs of a working chip may stand still; `nil` when standing still proves nothing.
  public let lifeLimit: LifeLimit?
  /// The slots that the FIFO holds without a loss.
  public let capacity: Int
  /// Whether the chip's bytes have no tags: after a failed burst or an overrun only ``startFIFO()`` shows where a sample
  /// begins. Otherwise ``drain(_:)`` finds the next whole slot.
  public let losesAlignment: Bool
  /// The first slots after ``startFIFO()`` whose samples are void. They count as slots.
  public let voidSlots: Int

  /// A driver for the identified chip; sends nothing yet.
  ///
  /// - Throws: ``SensorError`` when the chip has no such rate in its FIFO, or the bus cannot carry it.
  public init(
    bus: consuming Bus, identity: SensorIdentity, configuration: SensorConfiguration
  ) throws(SensorError) {
    let model = identity.model
    var configuration = configuration
    configuration.readsFIFO = true
    try configuration.validate(for: model)
    guard identity.identity == model.identity else {
      throw .unknownFIFO(model, identity: identity.identity)
    }
    guard let exact = configuration.exact(for: model) else {
      preconditionFailure("the configuration was validated")
    }
    configuration = exact
    try configuration.validateDrains(of: model, longestBurst: bus.longestRead)
    let chip = try PolledSensor(bus: bus, identity: identity, configuration: configuration)
    guard let layout = chip.settings.fifo else {
      preconditionFailure("a chip with rates of its FIFO has the FIFO's layout")
    }
    description = chip.description
    lifeLimit = chip.lifeLimit
    rate = configuration.rate
    self.layout = layout
    idleImage = chip.settings.image
    runningImage = chip.settings.image.merged(with: layout.start)
    capacity = layout.capacity
    losesAlignment = layout.method != .tagged
    // "The first sample acquired must be discarded" when the FIFO's mode was changed (LSM6DS3TR-C data sheet 5.5).
    voidSlots = layout.method == .pattern ? 1 : 0
    assembly = SlotAssembly(configuration.channels, isStamped: layout.counter != nil)
    buffer = FIFOBuffer(byteCount: layout.size, sampleCount: layout.size / layout.slotBytes + 1)
    burstLimit = layout.longestBurst(busClock: configuration.busClock)
    self.chip = chip
  }

  /// Its figures by the data sheet as it is configured, and its registers before the FIFO is started.
  public var expectation: SensorExpectation? { chip.expectation }

  /// Ends the driver and gives the bus back.
  public consuming func releaseBus() -> Bus { chip.releaseBus() }
}

extension FIFOSensor where Bus: ~Copyable {
  /// Whether the line from the chip's interrupt output is used.
  @inlinable public var hasInterrupt: Bool { layout.watermark > 0 }

  /// Takes the oldest edge that waits on that line; `nil` when none does, or the line is not used.
  @inlinable
  public mutating func nextEdge() -> InterruptEdge? { hasInterrupt ? chip.bus.nextEdge() : nil }

  /// Reads the chip's counter: its ticks since the stamp of the newest slot that was taken out.
  ///
  /// `nil` where the chip stamps no slots, until 16 stamps in a row for each slot since the newest one were evenly spaced,
  /// and when the newest slot is longer ago than 65,535 ticks. The bytes may be of different instants:
  /// ``isStampWhole(after:)``.
  @inlinable
  public mutating func readStamp() throws(FIFOError) -> SlotStamp? {
    guard let counter = layout.counter, assembly.stamps.reach > 0,
      let newest = assembly.stamps.newest
    else { return nil }
    let bytes: Burst
    do throws(BusError) {
      bytes = try chip.bus.readBurst(chip.address, register: counter.register, count: counter.count)
    } catch {
      throw .bus(error)
    }
    counterByte = bytes[0]
    var value: UInt32 = 0
    for index in (0..<counter.count).reversed() { value = value << 8 | UInt32(bytes[index]) }
    guard let ticks = UInt16(exactly: (value &- newest) & counter.mask),
      Int(ticks) <= assembly.stamps.reach * Int(counter.ticksPerSlot)
    else { return nil }
    return SlotStamp(ticks: ticks, ticksPerSlot: counter.ticksPerSlot)
  }

  /// Whether the counter's lowest byte, with a tick of at least 20 µs, cannot have carried within the last read, which took
  /// `nanoseconds`: its bytes are then of one number.
  @inlinable
  public func isStampWhole(after nanoseconds: Int64) -> Bool {
    Int64(counterByte) + nanoseconds / 20_000 + 1 < 256
  }
}

extension FIFOSensor: Sendable where Bus: Sendable & ~Copyable {}

extension FIFOSensor: ChipSetUp where Bus: ~Copyable {
  /// Takes one step of bring-up; see ``ChipSetUp/bringUp()``. The FIFO stays off.
  public mutating func bringUp() throws(SensorError) -> BringUpStep {
    try chip.bringUp()
  }

  /// Forgets the chip's state, so that bring-up begins again.
  public mutating func restart() {
    chip.restart()
    chip.image = idleImage
    assembly.desynchronise()
  }

  /// Compares identity and configuration, the FIFO's too once started, and reads a temperature that is not in the FIFO.
  @inlinable
  public mutating func checkConfiguration() throws(BusError) -> ConfigurationCheck {
    try readSlowTemperature()
    return try chip.checkConfiguration()
  }

  /// See ``ChipSetUp/followField(before:origin:_:)``.
  public mutating func followField(
    before deadline: MonotonicTime, origin: MonotonicTime, _ now: () -> MonotonicTime
  ) -> FieldStep {
    chip.followField(before: deadline, origin: origin, now)
  }

  /// Reads the temperature where the FIFO has none, for later samples.
  @inlinable
  mutating func readSlowTemperature() throws(BusError) {
    guard let register = layout.slowTemperature else { return }
    assembly.temperature = try chip.bus.readBurstPatiently(
      chip.address, register: register, count: 2
    ).value(0, isBigEndian: layout.method.isOfPackets)
  }

  /// Empties the FIFO and starts it: the instant before this call is a reading of count 0. Also after samples were lost,
  /// where ``losesAlignment``.
  ///
  /// - Throws: ``FIFOError``; the FIFO's state is then unknown, and the call may be repeated.
  public mutating func startFIFO() throws(FIFOError) {
    assembly.desynchronise()
    partialFills = 0
    // The FIFO is off until it runs again: the configuration is not lost.
    chip.image = idleImage
    do throws(BusError) {
      try readSlowTemperature()
    } catch {
      throw .bus(error)
    }
    try write(layout.stop)
    let fill = try readFillPatiently()
    guard fill.units == 0 else { throw .notEmptied(fill.units) }
    try write(layout.start)
    chip.image = runningImage
  }

  /// Reads the fill, at the third attempt if need be.
  private mutating func readFillPatiently() throws(FIFOError) -> FIFOFill {
    for _ in 0..<2 {
      do throws(FIFOError) {
        return try readFill()
      } catch {
        continue
      }
    }
    return try readFill()
  }

  private mutating func write(_ list: RegisterList) throws(FIFOError) {
    for index in 0..<list.count {
      do throws(BusError) {
        try chip.bus.writePatiently(
          chip.address, register: list[index].register, value: list[index].value)
      } catch {
        throw .bus(error)
      }
    }
  }
}

/// Reading and draining.
extension FIFOSensor where Bus: ~Copyable {
  /// Reads how full the FIFO is: one transfer, not repeated.
  ///
  /// - Throws: ``FIFOError/bus(_:)`` and ``FIFOError/impossibleCount(_:)``, after which the call may be repeated, or
  ///   ``FIFOError/misaligned``.
  @inlinable
  public mutating func readFill() throws(FIFOError) -> FIFOFill {
    let status: Burst
    do throws(BusError) {
      try chip.leaveOtherBank()
      status = try chip.bus.readBurst(
        chip.address, register: layout.status, count: layout.statusCount)
    } catch {
      throw .bus(error)
    }
    switch layout.method {
    case .packets, .axes: return try packetFill(status)
    case .pattern: return try patternFill(status)
    case .tagged: return try taggedFill(status)
    }
  }

  /// Takes out what `fill` counted and decodes it: in one burst, or in as many as the bus needs.
  ///
  /// Half a slot waits for its other half. With fewer slots than `fill` has the count was wrong: the samples are right, and
  /// the reading is void.
  ///
  /// - Returns: The whole slots that were taken out; their samples are at ``sample(at:)``.
  /// - Throws: ``FIFOError``; how much was taken out is then not known, and none of it is used.
  @inlinable
  public mutating func drain(_ fill: FIFOFill) throws(FIFOError) -> Int {
    switch layout.method {
    case .packets, .axes, .pattern:
      let slots = fill.units / layout.slotUnits
      try readBytes(slots * layout.slotBytes)
      return try decodePackets(slots)
    case .tagged:
      let expected = assembly.isSynchronised ? assembly.counter : nil
      // Half a slot may be lost.
      if fill.isOverrun { assembly.desynchronise() }
      try readBytes(fill.units * 7, clearsOverrun: fill.isOverrun)
      let slots = try decodeWords(fill.units, isOverrun: fill.isOverrun)
      // The counter is of the slot after the last whole one.
      skipped = expected.map { (Int(assembly.counter) - slots - Int($0)) & 3 }
      return slots
    }
  }

  /// A sample of the last drain, 0 the oldest; traps at an index that the buffer does not have.
  @inlinable
  public func sample(at index: Int) -> RawSample { buffer.sample(at: index) }

  /// Reads `count` bytes of the FIFO into the buffer.
  ///
  /// The flag of an overrun is cleared after the first of several bursts: the FIFO has room from then on, and shows it again
  /// if it fills up before the last one.
  @inlinable
  mutating func readBytes(_ count: Int, clearsOverrun: Bool = false) throws(FIFOError) {
    var done = 0
    burstBytes = 0
    while done < count {
      let carried = chip.bus.longestRead / layout.unitBytes * layout.unitBytes
      let length = min(count - done, burstLimit, carried)
      do throws(BusError) {
        try chip.bus.read(
          chip.address, register: layout.data, into: buffer.bytes(from: done, count: length))
        if clearsOverrun, done == 0 { clearOverrun() }
        done += length
        burstBytes = length == count ? count : 0
      } catch {
        // An adapter refuses a burst that is too long before it sends anything: nothing was taken out.
        let shorter = length / 2 / layout.unitBytes * layout.unitBytes
        guard error.kind == .unsupported, shorter > 0 else {
          assembly.desynchronise()
          throw .bus(error)
        }
        burstLimit = shorter
      }
    }
  }
}
