// SPDX-License-Identifier: Apache-2.0

import Boards
import Glibc
import IMUDrivers
package import IMUModel
package import LinuxIO
import Recorder
import Text

extension DoctorCheck {
  static let bus = DoctorCheck(
    [
      "board": "which board it is",
      "module": "whether i2c-dev is loaded after the next start, too",
      "bus at start": "whether the bus is on after the next start, too",
      "group": "with sudo: whether you may use the bus without it",
      "address N": "a kernel driver, a clock or a recorder that has it",
      "bus": "whether it can be opened",
      "chip": "which chip it is, by its identity register",
      "configuration kept": "its registers, against those that a recorder writes",
      "bus clock": "the real clock against the configured one",
      "wiring": "how many of 120 reads failed: at most 1 in 100",
      "rate": "whether the bus carries the configured rate",
      "data-ready line": "whether a configured interrupt line fires",
      "bus N": "where no chip is on the bus: the other bus that has one",
    ], reporting: { if $0.members.isEmpty { try $0.buses[0].run($1) } })
}

/// Board, bus and chip. Nothing is written to an unknown chip, and nothing is read from a bus that a recorder uses.
package struct BusChecks: Sendable {
  let tree: SystemTree
  /// The sensors of the bus, one at least.
  var sensors: [DoctorSensor]
  let board: Board?
  /// The number of the bus of the board's pins; `nil` where it is not known.
  let boardBus: Int?
  /// Whether the service runs, which may begin a recording at any time.
  let isServed: Bool

  static let lineName = "data-ready line"

  var configuration: RecorderConfiguration { sensors[0].configuration }

  /// The look at the chips of an open bus.
  typealias Look =
    @Sendable (
      consuming BusLook, _ free: [I2CAddress], _ progress: () -> Void
    ) -> Outcome

  /// Reports each check as soon as it is made.
  func run(_ found: DoctorCheck.Report) throws {
    guard try begin(found) else { return }
    let outcome = try look(found) { (bus: consuming BusLook, free, progress) in
      lookAtOne(bus, free: free, progress)
    }
    if !outcome.hasChip { try otherBuses(than: number, isStuck: outcome.isStuck).forEach(found) }
  }

  /// Reports the board, and why there is no bus to look at; `false` where there is none.
  func begin(_ found: DoctorCheck.Report) throws -> Bool {
    try found(Check("board", boardFinding))
    guard board?.id != "simulator" else { return false }
    if let absence {
      try found(Check("bus", absence))
      return false
    }
    // Other machines have other chips at these addresses.
    guard isChosen || tree.i2cAdapters().isEmpty else {
      let adapters = tree.i2cAdapters().map { "\($0.number) (\($0.name))" }
      let list = adapters.joined(separator: ", ")
      try found(Check("bus", .unchecked("which one has the sensor? Give --bus: \(list)")))
      return false
    }
    return true
  }

  /// Reports what keeps the bus from use, and what is on it.
  func look(_ found: DoctorCheck.Report, at chips: @escaping Look) throws -> Outcome {
    let number: Int
    do throws(LinuxIOError) {
      number = try tree.openable(path)
    } catch {
      let missing = Check("bus", Finding(error))
      try found(missing)
      return Outcome(checks: [missing], hasChip: true)
    }
    try BusModuleChecks(tree: tree, number: number).run().forEach(found)
    for address in SensorFamily.allAddresses {
      if let driver = driver(at: address, number) {
        try found(Check("address \(address)", driver))
      }
    }
    let outcome = BusChecks.transfers(number) { open(number, chips, $0) }
    try outcome.checks.forEach(found)
    return outcome
  }

  private var boardFinding: Finding {
    let model = tree.boardModel() ?? "no device tree"
    guard let board else {
      return .advice(
        "\(Plain.text(model)): none that imulog knows; give --board or --bus to record",
        figures: [("model", model)])
    }
    return .ok(board.title, figures: [("model", model)])
  }

  /// A machine without a device tree, such as a PC, needs no bus; a board needs the one that is off.
  private var absence: Finding? {
    guard !isChosen, tree.boardModel() == nil, tree.i2cAdapters().isEmpty else { return nil }
    return .advice(
      tree.kernelAdapterNumbers().isEmpty
        ? "this machine has no I2C bus; nothing to mend: use --board simulator"
        : "this machine shows no I2C bus to programs; nothing to mend: use --board simulator, or with an adapter of yours "
          + "`sudo modprobe i2c-dev` and --bus")
  }

  /// The node of the bus that a recording uses, where it is known.
  var nodes: [(path: String, rule: NodeRule)] {
    isChosen && board?.id != "simulator" ? [("/dev/i2c-\(number)", .bus)] : []
  }

  /// Whether board or bus are known.
  private var isChosen: Bool { board != nil || configuration.bus != nil }

  /// The bus of the sensors, as it stays.
  var path: BusPath {
    let given = configuration.bus
    if let given, given.channel != nil { return given }
    return tree.busPath(
      ofAdapter: given?.root ?? boardBus ?? tree.i2cAdapters().first?.number ?? 1)
  }

  /// N of its /dev/i2c-N; of the bus before a multiplexer that is not there.
  var number: Int { tree.adapterNumber(of: path) ?? path.root }
}

/// Kernel drivers at the addresses of sensors.
extension BusChecks {
  /// The kernel's drivers of chips that imulog records.
  private static let sensorDrivers = ["inv-mpu6050", "inv_mpu6050", "st_lsm6dsx", "st_lsm9ds"]

  private func driver(at address: I2CAddress, _ number: Int) -> Finding? {
    guard let driver = tree.i2cDriver(bus: number, address: address) else { return nil }
    let name = tree.i2cDeviceName(bus: number, address: address) ?? "chip"
    let device = SystemTree.device(bus: number, address: address)
    let figures = [(name: "driver of \(device)", value: driver)]
    if driver.hasPrefix("rtc-") {
      return .advice(
        "a clock (\(name), driver \(driver)) has it: connect AD0 of an MPU-6050 to 3.3 V, which gives it 0x69",
        figures: figures)
    }
    guard BusChecks.sensorDrivers.contains(where: { driver.hasPrefix($0) }) else {
      return .advice(
        "the kernel's driver \(driver) has a chip there (\(name)): no sensor can be at this address",
        figures: figures)
    }
    let boot = BootConfiguration(tree)
    let cause =
      boot?.sensorOverlay.map {
        "the line \($0) in \(boot?.path ?? "") asks for it at each start: remove it"
      } ?? "if it comes back at the next start, an overlay of the device tree asks for it"
    return .wrong(
      "the kernel's driver \(driver) has the chip there (\(name)); \(cause)",
      [.write(device, to: "/sys/bus/i2c/drivers/\(driver)/unbind")], figures: figures)
  }
}

/// The transfers, on a thread that is left behind when one does not return.
extension BusChecks {
  struct Outcome {
    var checks: [Check]
    /// Whether a chip was found, or nothing may be looked for.
    let hasChip: Bool
    /// Whether a transfer did not return.
    var isStuck = false
    /// Of several sensors what was found of each.
    var sensors: [FoundSensor] = []
  }

  /// Each of eight probes is tried three times, and an adapter's own limit of a transfer is a second.
  static let patience: Int64 = 30_000_000_000

  /// The look at the chip of a bus.
  func chips(_ number: Int, for sensor: DoctorSensor? = nil) -> ChipChecks<SystemClock> {
    ChipChecks(
      configuration: sensor?.configuration ?? configuration,
      board: number == boardBus && tree.hasTreeParameters ? board : nil,
      // The clock that the device tree asks for, else the board's usual one.
      configured: tree.i2cClock(bus: tree.busPath(ofAdapter: number).root) ?? board?.busHertz,
      tree: tree, clock: SystemClock())
  }

  /// Waits for work on a bus for as long as it makes progress, and names a bus on which it does not.
  static func transfers(
    _ number: Int, patience: Int64 = BusChecks.patience,
    _ work: @escaping @Sendable (_ progress: () -> Void) -> Outcome
  ) -> Outcome {
    do throws(LinuxIOError) {
      return try BusErrand(bus: number, patience: patience).run { work($0) }
    } catch {
      return Outcome(checks: [Check("bus", Finding(error))], hasChip: false, isStuck: true)
    }
  }

  private func open(_ number: Int, _ look: @escaping Look, _ progress: () -> Void) -> Outcome {
    var bus: BusLook
    do throws(LinuxIOError) {
      // The kernel keeps one limit of a transfer's time for all users of the bus: it stays as it is.
      bus = BusLook(
        try LinuxI2CBus(number: number, timeoutMilliseconds: nil, tree: tree),
        beside: tree.adapters(sharingWires: number), tree)
    } catch {
      return Outcome(checks: [Check("bus", refused(error, number))], hasChip: false)
    }
    let adapter = tree.i2cAdapters().first { $0.number == number }?.name ?? "unnamed"
    let usable = Finding.ok("/dev/i2c-\(number) can be used", figures: [("adapter", adapter)])
    let checks = [Check("bus", usable)]
    let (free, busy) = BusChecks.claim(&bus)
    // A read that gets stuck would hold up the recording on the same wires.
    guard busy.isEmpty else {
      let rest = Finding.unchecked("a recorder uses this bus: nothing on it is read")
      return Outcome(checks: checks + busy + [Check("chip", rest)], hasChip: true)
    }
    var outcome = look(bus, free, progress)
    outcome.checks = checks + outcome.checks
    return outcome
  }

  private func lookAtOne(
    _ open: consuming BusLook, free: [I2CAddress], _ progress: () -> Void
  ) -> Outcome {
    var bus = open
    let ending = bus.ending
    var chips = chips(number)
    // The service's samples have the processors.
    chips.isLoading = !isServed
    let (found, _, checks) = chips.run(&bus, free: free, progress)
    guard !ending.isCut else {
      // Reads failed from then on. Which chip it is was found before.
      let kept = found == nil ? [] : checks.filter { $0.name == "chip" }
      let rest = Check(kept.isEmpty ? "chip" : "wiring", BusChecks.cut)
      return Outcome(checks: kept + [rest], hasChip: true)
    }
    guard let found else { return Outcome(checks: checks, hasChip: false) }
    let line = dataReady(bus, found, chips, progress).map {
      Check(BusChecks.lineName, ending.isCut ? BusChecks.cut : $0)
    }
    return Outcome(checks: checks + (line.map { [$0] } ?? []), hasChip: true)
  }

  /// Tries the line from the interrupt output; `nil` where none is configured.
  private func dataReady(
    _ bus: consuming BusLook, _ found: SensorIdentity, _ chips: ChipChecks<SystemClock>,
    _ progress: () -> Void
  ) -> Finding? {
    guard configuration.interrupt != .none else { return nil }
    guard !isServed else {
      return .unchecked(
        "the service runs, and its next recording must find the chip free: the line is not tried")
    }
    guard let interrupt = configuration.interrupt.spec(board?.dataReady?.name) else {
      return .wrong("which line it is is not known here: give its name, such as GPIO22, not auto")
    }
    do throws(LinuxIOError) {
      if configuration.usesInterrupt(found.model) {
        bus.wire(try InterruptLine(interrupt, tree: tree))
      }
    } catch {
      return LineChecks.refused(error, .wrong, tree)
    }
    return DataReadyCheck(configuration: configuration, line: "\(interrupt)", clock: SystemClock())
      .run(bus, found, busClock: chips.configured, progress)
  }

  /// What is left of a look when a recorder comes.
  static let cut = Finding.unchecked("a recording began: the bus is left to it")

  private func refused(_ error: LinuxIOError, _ number: Int) -> Finding {
    switch error.kind {
    case .notPermitted where error.errno == EACCES:
      let right = NodeRight("/dev/i2c-\(number)", .bus, tree)
      return .wrong(right.words, right.mends)
    case .i2cOff where !tree.kernelAdapterNumbers().isEmpty:
      return Finding(error, mends: [.loadModule, .keepModule])
    case .i2cOff where tree.boardModel()?.hasPrefix("Raspberry Pi") ?? false:
      return Finding(error, mends: Mend.switchOn(tree))
    default: return Finding(error)
    }
  }

  /// The addresses that are free, and those that a recorder has. A kernel driver's are reported already.
  package static func claim(_ bus: inout BusLook) -> (free: [I2CAddress], busy: [Check]) {
    var (free, busy) = ([I2CAddress](), [Check]())
    for address in SensorFamily.allAddresses {
      do throws(LinuxIOError) {
        // Before anything is read: a chip that another recorder has stays alone.
        try bus.take(address)
        free.append(address)
      } catch {
        guard case .busy = error.kind else { continue }
        let words = "\(error.finding): its chip is not disturbed"
        busy.append(Check("address \(address)", .unchecked(words)))
      }
    }
    return (free, busy)
  }

  /// Where the chip is instead: a look at the identity registers of the other buses.
  private func otherBuses(than number: Int, isStuck: Bool) -> [Check] {
    guard isChosen else { return [] }
    let others = tree.i2cAdapters().filter { $0.number != number }
    return BusChecks.search(others, stuck: isStuck ? [number] : []) { adapter, progress in
      do {
        var bus = BusLook(
          try LinuxI2CBus(number: adapter.number, timeoutMilliseconds: nil, tree: tree))
        let (free, busy) = BusChecks.claim(&bus)
        progress()
        guard busy.isEmpty else { return nil }
        return try SensorIdentity.identify(
          on: &bus, addresses: free, choice: configuration.sensor)
      } catch {
        // No sensor there, or no right to look: neither is a fault of this bus.
        return nil
      }
    }
  }

  /// Looks at adapters one after the other. One that hangs is named, and the others are looked at: but not the channels of
  /// a multiplexer on a bus that hangs or has the chip, which show the same.
  static func search(
    _ adapters: [I2CAdapter], stuck: Set<Int> = [],
    _ look: @escaping @Sendable (I2CAdapter, _ progress: () -> Void) -> SensorIdentity?
  ) -> [Check] {
    var known = stuck
    return adapters.compactMap { adapter in
      guard !known.contains(where: { adapter.name.hasPrefix("i2c-\($0)-mux") }) else { return nil }
      do throws(LinuxIOError) {
        let found = try BusErrand(bus: adapter.number, patience: BusChecks.patience).run {
          look(adapter, $0)
        }
        if found != nil { known.insert(adapter.number) }
        let hasChannels = adapters.contains { $0.name.hasPrefix("i2c-\(adapter.number)-mux") }
        return found.map { elsewhere($0, adapter, hasChannels) }
      } catch {
        known.insert(adapter.number)
        return Check("bus \(adapter.number)", .unchecked(error.finding))
      }
    }
  }

  static func elsewhere(
    _ found: SensorIdentity, _ adapter: I2CAdapter, _ hasChannels: Bool = false
  ) -> Check {
    let number = adapter.number
    // A channel stays connected after its last transfer.
    let place = "this bus (\(adapter.name))" + (hasChannels ? " or a channel of it" : "")
    return Check(
      "bus \(number)",
      .advice(
        "the \(found.model.name) at \(found.address) is on \(place): give --bus \(number), or "
          + "bus = \(number) in the service's configuration"))
  }
}
