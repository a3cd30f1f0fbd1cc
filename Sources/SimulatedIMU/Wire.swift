// SPDX-License-Identifier: Apache-2.0

import Glibc
public import IMUModel

/// The bus and its chips as a function of time: all of ``SimulatedBus`` that needs no clock.
@usableFromInline
struct Wire: ~Copyable {
  /// The outcome of a transfer.
  @usableFromInline
  struct Outcome {
    /// Why it failed; `nil` when it did not.
    @usableFromInline let error: BusError?
    /// The end of its STOP condition.
    @usableFromInline let end: Int64
  }

  let origin: Int64
  /// In hertz; `nil` when transfers take no time.
  private let busHertz: Int?
  private(set) var timing: WireTiming
  let source: MotionSource
  private let adapter: SimulatedAdapter

  /// A chip, and where it answers.
  struct Place {
    let address: UInt8
    var chip: any RegisterChip
    /// The place of the chip that it is the magnetometer of.
    var host: Int?
  }

  /// Four chips and their magnetometers.
  static let capacity = 8

  // Safe: allocated in `init` and freed in `deinit` by the one owner that a ~Copyable value has; only the first `count` of
  // `capacity` places are initialised, and only they are used. Chips are changed in place, so that a transfer neither
  // allocates nor counts references: by `pointee`, because Swift 6.3 cannot compile a change through the subscript for
  // ThreadSanitizer.
  private let places: UnsafeMutablePointer<Place>
  private var count = 0

  // Safe: this copy of a recording's rows is allocated in `init` and freed in `deinit` by the one owner that a
  // ~Copyable value has. `source`, and the chips' copies of it, point into it and die with this value.
  private let rows: UnsafeMutableBufferPointer<Motion.Row>

  // Faults.
  private(set) var transfers = 0
  private var script = FaultScript()
  private var absentUntil = Int64.min
  private var failures: (count: Int, kind: BusError.Kind, errno: Int32?) = (0, .bus, 0)
  private var corruption: (byte: Int, mask: UInt8) = (0, 0)
  private var cut: (byte: Int, rest: UInt8, boots: Bool)?
  private var interruption: (bytes: Int, error: BusError.Kind, errno: Int32?)?
  /// The data byte before which a chip holds the clock.
  private var stretched = Int.max
  private var silentUntil = Int64.min
  /// Of the first chip; `nil` while it is not wired.
  var interrupt: SimulatedInterrupt?
  private var alias: (identity: UInt8, until: Int64) = (0, .min)

  init(origin: Int64, busHertz: Int?, motion: Motion, adapter: SimulatedAdapter) {
    precondition(busHertz ?? 1 > 0, "a bus clock has a positive frequency")
    self.origin = origin
    self.busHertz = busHertz
    self.adapter = adapter
    timing = WireTiming(hertz: busHertz)
    places = .allocate(capacity: Self.capacity)
    rows = .allocate(capacity: motion.rows.count)
    _ = rows.initialize(from: motion.rows)
    source = MotionSource(shape: motion.shape, rows: UnsafeBufferPointer(rows))
  }

  deinit {
    places.deinitialize(count: count)
    places.deallocate()
    rows.deallocate()
  }

  mutating func attach(_ chip: SimulatedChip, at address: I2CAddress, poweredOn instant: Int64) {
    precondition(place(of: address) == nil, "the address is taken")
    precondition(count + 2 <= Self.capacity, "a bus has eight places, one for a magnetometer")
    let type = chip.model.type
    let place = Place(
      address: address.rawValue,
      chip: type.init(chip, source: source, motionOrigin: origin, poweredOn: instant))
    (places + count).initialize(to: place)
    count += 1
    guard let (type, address) = chip.model.field,
      self.place(of: I2CAddress(known: address)) == nil
    else { return }
    let field = type.init(chip, source: source, motionOrigin: origin, poweredOn: instant)
    (places + count).initialize(to: Place(address: address, chip: field, host: count - 1))
    count += 1
  }

  private func place(of address: I2CAddress) -> Int? {
    for index in 0..<count where places[index].address == address.rawValue { return index }
    return nil
  }

  /// The oscillator of the chip at `address`; `nil` when there is no chip.
  func oscillator(of address: I2CAddress) -> Oscillator? {
    place(of: address).map { places[$0].chip.oscillator }
  }

  /// The output registers of the chip at `address` after `tick`; `nil` when there is no chip.
  func outputs(of address: I2CAddress, atTick tick: Int64) -> RawSample? {
    place(of: address).map { places[$0].chip.outputs(atTick: tick) }
  }

  mutating func add(_ fault: Fault, at trigger: FaultTrigger) {
    if case .fail(let cause, nil, _) = fault { checkKnown(cause) }
    if case .failInBurst(_, let cause, nil) = fault { checkKnown(cause) }
    script.add(fault, at: trigger)
  }

  private func checkKnown(_ cause: BusError.Kind) {
    precondition(adapter.errno(of: cause, in: .read) != nil, "the adapter has no such failure")
  }

  /// Reads `bytes.count` registers from `register` on, in a transfer that begins at `start`.
  @usableFromInline
  mutating func read(
    _ address: I2CAddress, register: UInt8, into bytes: UnsafeMutableRawBufferPointer,
    start: Int64
  ) -> Outcome {
    followInterrupt(until: start)
    let outcome = readChip(address, register: register, into: bytes, start: start)
    noteInterrupt(from: start, to: outcome.end)
    return outcome
  }

  private mutating func readChip(
    _ address: I2CAddress, register: UInt8, into bytes: UnsafeMutableRawBufferPointer,
    start: Int64
  ) -> Outcome {
    if let failure = begin(.read, address, register, start, count: bytes.count) { return failure }
    let index = place(of: address)
    if let (count, cause, errno) = interruption, count < bytes.count, let index {
      (places + index).pointee.chip.read(
        register, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), start: start,
        timing: timing)
      return Outcome(
        error: adapter.error(cause, errno: errno, .read, address: address, register: register),
        end: timing.fetch(of: count, start: start) + patience(for: cause))
    }
    if stretched < bytes.count, adapter.cutsStretchedClock, let index {
      let end = stretched + 1
      (places + index).pointee.chip.read(
        register, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<end]), start: start,
        timing: timing)
      bytes[stretched] = bytes[stretched] & 0x80 | bytes[stretched] >> 1
      for index in end..<bytes.count { bytes[index] = 0xFF }
      return Outcome(error: nil, end: timing.endOfRead(of: bytes.count, start: start))
    }
    if start < silentUntil {
      for index in bytes.indices { bytes[index] = 0xFF }
    } else if let index {
      if let (byte, rest, boots) = cut {
        cut = nil
        for other in 0..<count where other != index {
          (places + other).pointee.chip.powerOn(at: start)
        }
        (places + index).pointee.chip.read(
          register, into: bytes, start: start, timing: timing, cut: byte, rest: rest, boots: boots)
      } else {
        (places + index).pointee.chip.read(register, into: bytes, start: start, timing: timing)
      }
    }
    if start < alias.until, let index {
      let offset = Int(places[index].chip.identityRegister) - Int(register)
      if bytes.indices.contains(offset) { bytes[offset] = alias.identity }
    }
    if corruption.mask != 0, bytes.indices.contains(corruption.byte) {
      bytes[corruption.byte] ^= corruption.mask
    }
    return Outcome(error: nil, end: timing.endOfRead(of: bytes.count, start: start))
  }

  /// Writes a register, in a transfer that begins at `start`.
  @usableFromInline
  mutating func write(
    _ address: I2CAddress, register: UInt8, value: UInt8, start: Int64
  ) -> Outcome {
    followInterrupt(until: start)
    defer { noteInterrupt(from: start, to: timing.endOfWrite(start: start)) }
    if let failure = begin(.write, address, register, start) { return failure }
    let value = corruption.byte == 0 ? value ^ corruption.mask : value
    let instant = timing.store(start: start)
    if start < silentUntil {
      return Outcome(error: nil, end: timing.endOfWrite(start: start))
    }
    if let index = place(of: address) {
      (places + index).pointee.chip.store(register, value: value, at: instant)
    }
    if let (_, _, boots) = cut {
      powerOn(at: instant)
      if !boots { forEachChip { $0.usableFrom = instant } }
      cut = nil
    }
    return Outcome(error: nil, end: timing.endOfWrite(start: start))
  }

  private mutating func followInterrupt(until instant: Int64) {
    // A pointer of its own: `places.pointee` of self would overlap with the change of `interrupt`.
    let first = places
    if count > 0 { interrupt?.follow(&first.pointee.chip, until: instant) }
  }

  private mutating func noteInterrupt(from start: Int64, to end: Int64) {
    let first = places
    if count > 0 { interrupt?.changed(&first.pointee.chip, from: start, to: end) }
  }

  /// Takes the oldest edge of the interrupt line that was stamped by `instant`.
  @usableFromInline
  mutating func nextEdge(at instant: Int64) -> InterruptEdge? {
    followInterrupt(until: instant)
    return interrupt?.next(at: instant)
  }

  /// Nanoseconds that the driver waits in vain.
  private func patience(for cause: BusError.Kind) -> Int64 {
    cause == .timeout && adapter != .generic ? SimulatedAdapter.patience : 0
  }

  /// Counts the transfer and lets due faults happen; the outcome when the transfer ends here.
  private mutating func begin(
    _ operation: BusError.Operation, _ address: I2CAddress, _ register: UInt8, _ start: Int64,
    count: Int = 1
  ) -> Outcome? {
    timing.begin()
    transfers += 1
    corruption = (0, 0)
    interruption = nil
    stretched = .max
    let reading = operation == .read ? register : nil
    while let due = script.removeDue(transfer: transfers, at: start, reading: reading) {
      apply(due.fault, at: due.instant)
    }
    var failure: (cause: BusError.Kind, errno: Int32?)?
    if !(1...SimulatedAdapter.longestRead).contains(count), adapter != .generic {
      failure = (.unsupported, EINVAL)
    } else if failures.count > 0 {
      failures.count -= 1
      failure = (failures.kind, failures.errno)
    } else if start < absentUntil || !acknowledges(address, at: start) {
      failure = (.noAcknowledge, nil)
    }
    guard let (cause, errno) = failure else { return nil }
    return Outcome(
      error: adapter.error(cause, errno: errno, operation, address: address, register: register),
      end: timing.endOfFailure(start: start) + patience(for: cause))
  }

  private func acknowledges(_ address: I2CAddress, at instant: Int64) -> Bool {
    if instant < silentUntil { return true }
    guard let place = place(of: address), places[place].chip.acknowledges(at: instant) else {
      return false
    }
    return places[place].host.map { places[$0].chip.isBypassed } ?? true
  }

  private mutating func apply(_ fault: Fault, at instant: Int64) {
    switch fault {
    case .brownOut: powerOn(at: instant)
    case .brownOutInBurst(let byte, let rest, let boots): cut = (byte, rest, boots)
    case .silence(let nanoseconds):
      silentUntil = instant + nanoseconds
      powerOn(at: silentUntil)
    case .misidentify(let identity, let nanoseconds): alias = (identity, instant + nanoseconds)
    case .freeze(let nanoseconds, let keepsDataReady, let survivesReset):
      forEachChip {
        $0.freezeOutputs(
          from: instant, to: instant + nanoseconds, keepsDataReady: keepsDataReady,
          survivesReset: survivesReset)
      }
    case .unplug(let nanoseconds):
      absentUntil = instant + nanoseconds
      powerOn(at: absentUntil)
    case .fail(let kind, let errno, let count): failures = (count, kind, errno)
    case .corrupt(let byte, let mask): corruption = (byte, mask)
    case .failInBurst(let bytes, let kind, let errno): interruption = (bytes, kind, errno)
    case .stretch(let byte): stretched = byte
    case .clockStep(let partsPerMillion):
      let factor = 1 + Double(partsPerMillion) * 1e-6
      forEachChip { $0.oscillator.step(at: instant, factor: factor) }
    case .loseFromFIFO: forEachChip { $0.loseFromFIFO(at: instant) }
    case .busClock(let percent, let bit):
      guard let busHertz else { return }
      timing.change = (bit, busHertz * percent / 100)
    }
  }

  private func powerOn(at instant: Int64) { forEachChip { $0.powerOn(at: instant) } }

  private func forEachChip(_ body: (inout any RegisterChip) -> Void) {
    for index in 0..<count { body(&(places + index).pointee.chip) }
  }
}

/// Times on the wire.
struct WireTiming: Sendable, BitwiseCopyable {
  /// The bus clock; `nil` when transfers take no time.
  private(set) var hertz: Int?
  /// A clock that the bus changes to, from that bit of the present transfer on.
  var change: (bit: Int, hertz: Int)?

  init(hertz: Int?) { self.hertz = hertz }

  /// A transfer begins.
  mutating func begin() {
    if let change { hertz = change.hertz }
    change = nil
  }

  /// When the chip fetches data byte `index` of a read: as soon as the byte before it is acknowledged, the first after
  /// START, address, register, repeated START and address.
  func fetch(of index: Int, start: Int64) -> Int64 { after(29 + 9 * index, start) }

  /// When a read of `count` bytes ends.
  func endOfRead(of count: Int, start: Int64) -> Int64 { after(9 * (3 + count) + 3, start) }

  /// When a chip stores a value: after START, address, register and value.
  func store(start: Int64) -> Int64 { after(28, start) }

  /// When a write ends.
  func endOfWrite(start: Int64) -> Int64 { after(29, start) }

  /// When a transfer that no chip acknowledges ends: START, address, STOP.
  func endOfFailure(start: Int64) -> Int64 { after(11, start) }

  /// The instant `bits` bit times after `start`, rounded up.
  private func after(_ bits: Int, _ start: Int64) -> Int64 {
    guard let hertz else { return start }
    func time(_ bits: Int, _ hertz: Int) -> Int64 {
      (Int64(bits) * 1_000_000_000 + Int64(hertz) - 1) / Int64(hertz)
    }
    guard let change, change.bit < bits else { return start + time(bits, hertz) }
    return start + time(change.bit, hertz) + time(bits - change.bit, change.hertz)
  }
}

/// The line from a chip's interrupt output, and the kernel that stamps its rising edges.
///
/// Chips answer only at transfers, between which the output only rises, so the instant of the edge is searched afterwards.
struct SimulatedInterrupt: Sendable, BitwiseCopyable {
  /// Nanoseconds from an edge to its stamp.
  private let latency: Int64
  private var isHigh = false
  private var lookedAt = Int64.min
  /// Instants of edges that were not taken; the newest go lost when there is no room.
  private var edges = SIMD8<Int64>(repeating: 0)
  private var count = 0
  private var hasLost = false

  init(latency: Int64) { self.latency = latency }

  /// Looks at the output up to `instant`, with the chip as it is now.
  mutating func follow(_ chip: inout any RegisterChip, until instant: Int64) {
    let from = lookedAt
    lookedAt = max(lookedAt, instant)
    guard !isHigh, from < instant, chip.isInterruptHigh(at: instant) else { return }
    isHigh = true
    var (low, high) = (max(from, instant - 10_000_000_000), instant)
    while low < high {
      let middle = low + (high - low) / 2
      if chip.isInterruptHigh(at: middle) { high = middle } else { low = middle + 1 }
    }
    if count < 8 {
      edges[count] = low
      count += 1
    } else {
      hasLost = true
    }
  }

  /// A transfer that began at `start` has changed the chip.
  mutating func changed(_ chip: inout any RegisterChip, from start: Int64, to end: Int64) {
    isHigh = isHigh && chip.isInterruptHigh(at: start)
    follow(&chip, until: end)
    isHigh = chip.isInterruptHigh(at: end)
  }

  /// Takes the oldest edge that was stamped by `instant`.
  mutating func next(at instant: Int64) -> InterruptEdge? {
    guard count > 0, edges[0] + latency <= instant else { return nil }
    let edge = InterruptEdge(
      time: MonotonicTime(nanoseconds: edges[0] + latency), followsLoss: hasLost)
    hasLost = false
    count -= 1
    for index in 0..<count { edges[index] = edges[index + 1] }
    return edge
  }
}
