public import IMUModel

/// The bus and what hangs on it, as a function of time: all of ``SimulatedBus`` that needs no
/// clock.
@usableFromInline
struct Wire: ~Copyable {
  /// What came of a transfer.
  @usableFromInline
  struct Outcome {
    /// Why it failed; `nil` when it did not.
    @usableFromInline let error: BusError?
    /// When its STOP condition was through.
    @usableFromInline let end: Int64
  }

  let origin: Int64
  let timing: WireTiming
  let source: MotionSource

  var mpu: SimulatedMPU6050?
  var mpuAddress: UInt8 = 0
  var lsm: SimulatedLSM6DSO?
  var lsmAddress: UInt8 = 0

  // Safe: this copy of a recording's rows is allocated in `init` and freed in `deinit` by the one
  // owner that a ~Copyable value has. `source`, and the chips' copies of it, point into it and die
  // with this value.
  private let rows: UnsafeMutableBufferPointer<Motion.Row>

  // Faults.
  private(set) var transfers = 0
  private var script = FaultScript()
  private var absentUntil = Int64.min
  private var failures: (count: Int, kind: BusError.Kind, errno: Int32) = (0, .bus, 0)
  private var corruption: (byte: Int, mask: UInt8) = (0, 0)
  private var cut: (byte: Int, rest: UInt8, boots: Bool)?
  private var silentUntil = Int64.min
  private var alias: (identity: UInt8, until: Int64) = (0, .min)

  init(origin: Int64, busHertz: Int?, motion: Motion) {
    precondition(busHertz ?? 1 > 0, "a bus clock has a positive frequency")
    self.origin = origin
    timing = WireTiming(hertz: busHertz)
    switch motion.kind {
    case .steady(let truth): (rows, source) = (.init(start: nil, count: 0), .steady(truth))
    case .tumble: (rows, source) = (.init(start: nil, count: 0), .tumble)
    case .recording(let recorded, let hasTemperature):
      rows = .allocate(capacity: recorded.count)
      _ = rows.initialize(from: recorded)
      source = .recording(UnsafeBufferPointer(rows), hasTemperature: hasTemperature)
    }
  }

  deinit {
    rows.deallocate()
  }

  mutating func attach(_ chip: SimulatedChip, at address: I2CAddress, poweredOn instant: Int64) {
    precondition(
      address.rawValue != mpuAddress && address.rawValue != lsmAddress, "the address is taken")
    switch chip.model {
    case .mpu6050:
      precondition(mpu == nil, "the bus has its MPU-6050")
      mpu = SimulatedMPU6050(chip, source: source, motionOrigin: origin, poweredOn: instant)
      mpuAddress = address.rawValue
    case .lsm6dso:
      precondition(lsm == nil, "the bus has its LSM6DSO")
      lsm = SimulatedLSM6DSO(chip, source: source, motionOrigin: origin, poweredOn: instant)
      lsmAddress = address.rawValue
    }
  }

  mutating func add(_ fault: Fault, at trigger: FaultTrigger) {
    script.add(fault, at: trigger)
  }

  /// Reads `bytes.count` registers from `register` on, in a transfer that begins at `start`.
  @usableFromInline
  mutating func read(
    _ address: I2CAddress, register: UInt8, into bytes: UnsafeMutableRawBufferPointer,
    start: Int64
  ) -> Outcome {
    if let failure = begin(.read, address, register, start) { return failure }
    let isMPU = address.rawValue == mpuAddress
    if start < silentUntil {
      for index in bytes.indices { bytes[index] = 0xFF }
    } else if let (byte, rest, boots) = cut {
      cut = nil
      if isMPU {
        mpu?.read(
          register, into: bytes, start: start, timing: timing, cut: byte, rest: rest, boots: boots)
        lsm?.powerOn(at: start)
      } else {
        lsm?.read(
          register, into: bytes, start: start, timing: timing, cut: byte, rest: rest, boots: boots)
        mpu?.powerOn(at: start)
      }
    } else if isMPU {
      mpu?.read(register, into: bytes, start: start, timing: timing)
    } else {
      lsm?.read(register, into: bytes, start: start, timing: timing)
    }
    let identity = Int(isMPU ? SimulatedMPU6050.whoAmI : SimulatedLSM6DSO.whoAmI) - Int(register)
    if start < alias.until, bytes.indices.contains(identity) { bytes[identity] = alias.identity }
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
    if let failure = begin(.write, address, register, start) { return failure }
    let value = corruption.byte == 0 ? value ^ corruption.mask : value
    let instant = timing.store(start: start)
    if start < silentUntil {
      return Outcome(error: nil, end: timing.endOfWrite(start: start))
    }
    if address.rawValue == mpuAddress {
      mpu?.store(register, value: value, at: instant)
    } else {
      lsm?.store(register, value: value, at: instant)
    }
    if let (_, _, boots) = cut {
      powerOn(at: instant)
      if !boots {
        mpu?.finishBoot(at: instant)
        lsm?.finishBoot(at: instant)
      }
      cut = nil
    }
    return Outcome(error: nil, end: timing.endOfWrite(start: start))
  }

  /// Counts the transfer and lets due faults happen; the outcome when it ends right here.
  private mutating func begin(
    _ operation: BusError.Operation, _ address: I2CAddress, _ register: UInt8, _ start: Int64
  ) -> Outcome? {
    transfers += 1
    corruption = (0, 0)
    while let due = script.removeDue(transfer: transfers, at: start) {
      apply(due.fault, at: due.instant)
    }
    var error: BusError?
    if failures.count > 0 {
      failures.count -= 1
      error = BusError(
        failures.kind, operation, address: address, register: register, errno: failures.errno)
    } else if start < absentUntil || !acknowledges(address, at: start) {
      error = BusError(.noAcknowledge, operation, address: address, register: register)
    }
    guard let error else { return nil }
    return Outcome(error: error, end: timing.endOfFailure(start: start))
  }

  private func acknowledges(_ address: I2CAddress, at instant: Int64) -> Bool {
    if instant < silentUntil { return true }
    if address.rawValue == mpuAddress { return mpu?.acknowledges(at: instant) ?? false }
    if address.rawValue == lsmAddress { return lsm?.acknowledges(at: instant) ?? false }
    return false
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
      let end = instant + nanoseconds
      mpu?.freezeOutputs(
        from: instant, to: end, keepsDataReady: keepsDataReady, survivesReset: survivesReset)
      lsm?.freezeOutputs(
        from: instant, to: end, keepsDataReady: keepsDataReady, survivesReset: survivesReset)
    case .unplug(let nanoseconds):
      absentUntil = instant + nanoseconds
      powerOn(at: absentUntil)
    case .fail(let kind, let errno, let count): failures = (count, kind, errno)
    case .corrupt(let byte, let mask): corruption = (byte, mask)
    }
  }

  private mutating func powerOn(at instant: Int64) {
    mpu?.powerOn(at: instant)
    lsm?.powerOn(at: instant)
  }
}
