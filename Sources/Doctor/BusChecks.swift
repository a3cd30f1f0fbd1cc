// SPDX-License-Identifier: Apache-2.0

import Boards
import Glibc
import IMUDrivers
import IMUModel
import LinuxIO
import Recorder
import Text

/// Board, bus and chip. Nothing is written to a chip before it is known, and nothing is read from one that a recorder
/// has.
struct BusChecks {
  let tree: SystemTree
  let configuration: RecorderConfiguration
  let board: Board?
  /// The number of the bus of the board's pins; `nil` where it is not known.
  let boardBus: Int?
  /// Whether the service runs, which may begin a recording at any time.
  let isServed: Bool

  /// Reports each check as soon as it is made.
  func run(_ found: (Check) throws -> Void) throws {
    try found(boardCheck())
    guard board?.id != "simulator" else { return }
    if let absence { return try found(absence) }
    // Other machines have other chips at these addresses.
    guard board != nil || configuration.bus != nil || tree.i2cAdapters().isEmpty else {
      let adapters = tree.i2cAdapters().map { "\($0.number) (\($0.name))" }
      return try found(
        Check(
          "bus", .unchecked,
          "which one has the sensor? Give --bus: \(adapters.joined(separator: ", "))"))
    }
    let number = busNumber
    for check in BusModuleChecks(tree: tree, number: number).run() { try found(check) }
    for address in SensorFamily.allAddresses {
      if let check = driver(at: address, number) { try found(check) }
    }
    let outcome = look(number)
    for check in outcome.checks { try found(check) }
    guard !outcome.hasChip else { return }
    for check in otherBuses(than: number) { try found(check) }
  }

  private func boardCheck() -> Check {
    let model = tree.boardModel() ?? "no device tree"
    let figures = [Check.Figure("model", model)]
    guard let board else {
      return Check(
        "board", .advice,
        "\(Plain.text(model)): none that imulog knows; give --board or --bus to record",
        figures: figures)
    }
    return Check("board", .ok, board.title, figures: figures)
  }

  /// A machine without a device tree, such as a PC, needs no bus; a board whose bus is off is not one.
  private var absence: Check? {
    guard board == nil, configuration.bus == nil, tree.boardModel() == nil,
      tree.i2cAdapters().isEmpty
    else { return nil }
    let isHidden = !tree.kernelAdapterNumbers().isEmpty
    return Check(
      "bus", .advice,
      isHidden
        ? "this machine shows no I2C bus to programs; nothing to mend: use --board simulator, or with an adapter of yours "
          + "`sudo modprobe i2c-dev` and --bus"
        : "this machine has no I2C bus; nothing to mend: use --board simulator")
  }

  /// That of the bus that a recording uses, where it is known.
  var nodes: [(path: String, rule: NodeRule)] {
    let isKnown = board != nil || configuration.bus != nil
    return isKnown && board?.id != "simulator" ? [("/dev/i2c-\(busNumber)", .bus)] : []
  }

  private var busNumber: Int {
    configuration.bus ?? boardBus ?? tree.i2cAdapters().first?.number ?? 1
  }
}

/// Kernel drivers at the addresses of sensors.
extension BusChecks {
  /// The kernel's drivers of chips that imulog records.
  private static let sensorDrivers = ["inv-mpu6050", "inv_mpu6050", "st_lsm6dsx", "st_lsm9ds"]

  private func driver(at address: I2CAddress, _ number: Int) -> Check? {
    guard let driver = tree.i2cDriver(bus: number, address: address) else { return nil }
    let name = tree.i2cDeviceName(bus: number, address: address) ?? "chip"
    let device = SystemTree.device(bus: number, address: address)
    func check(_ state: Check.State, _ words: String, _ mends: [Mend] = []) -> Check {
      Check(
        "address \(address)", state, words, mends: mends,
        figures: [Check.Figure("driver of \(device)", driver)])
    }
    if driver.hasPrefix("rtc-") {
      return check(
        .advice,
        "a clock (\(name), driver \(driver)) has it: connect AD0 of an MPU-6050 to 3.3 V, which gives it 0x69"
      )
    }
    let isSensors = BusChecks.sensorDrivers.contains { driver.hasPrefix($0) }
    guard isSensors else {
      return check(
        .advice,
        "the kernel's driver \(driver) has a chip there (\(name)): no sensor can be at this address"
      )
    }
    let boot = BootConfiguration(tree)
    let forGood = boot?.sensorOverlay.map {
      "the line \($0) in \(boot?.path ?? "") asks for it at each start: remove it"
    }
    return check(
      .wrong,
      "the kernel's driver \(driver) has the chip there (\(name)); "
        + (forGood
          ?? "if it comes back at the next start, an overlay of the device tree asks for it"),
      [.write(device, to: "/sys/bus/i2c/drivers/\(driver)/unbind")])
  }
}

/// The transfers, on a thread that is left behind when one does not return.
extension BusChecks {
  struct Outcome {
    let checks: [Check]
    /// Whether a chip was found, or nothing may be looked for.
    let hasChip: Bool
  }

  /// Each of eight probes is tried three times, and an adapter's own limit of a transfer is a second.
  static let patience: Int64 = 30_000_000_000

  /// The clock that the device tree asks for, else the board's usual one.
  private func clock(_ number: Int) -> Int? { tree.i2cClock(bus: number) ?? board?.busHertz }

  /// What is looked at on a bus.
  func chips(_ number: Int) -> ChipChecks<SystemClock> {
    ChipChecks(
      configuration: configuration, board: number == boardBus ? board : nil,
      configured: clock(number),
      bootPath: BootConfiguration.path(tree), clock: SystemClock())
  }

  private func look(_ number: Int) -> Outcome {
    let tree = tree
    let chips = chips(number)
    let interrupt = configuration.interrupt.spec(board?.dataReady?.name)
    let isServed = isServed
    let name = tree.i2cAdapters().first { $0.number == number }?.name ?? "unnamed"
    return BusChecks.transfers(number) { progress in
      BusChecks.look(
        number, tree, chips, adapter: name, interrupt, isServed: isServed, progress)
    }
  }

  /// Waits for work on a bus for as long as it makes progress, and names a bus on which it does not.
  static func transfers(
    _ number: Int, patience: Int64 = BusChecks.patience,
    _ work: @escaping @Sendable (_ progress: () -> Void) -> Outcome
  ) -> Outcome {
    do throws(LinuxIOError) {
      return try BusErrand(bus: number, patience: patience).run { work($0) }
    } catch {
      return Outcome(checks: [Check("bus", error)], hasChip: false)
    }
  }

  private static func look(
    _ number: Int, _ tree: SystemTree, _ chips: ChipChecks<SystemClock>, adapter: String,
    _ interrupt: GPIOLineSpec?, isServed: Bool, _ progress: () -> Void
  ) -> Outcome {
    var bus: BusLook
    do throws(LinuxIOError) {
      // The kernel keeps one limit of a transfer's time for all users of the bus: it stays as it is.
      bus = BusLook(try LinuxI2CBus(number: number, timeoutMilliseconds: nil, tree: tree))
    } catch {
      return Outcome(checks: [refused(error, number, tree)], hasChip: false)
    }
    var checks = [
      Check(
        "bus", .ok, "/dev/i2c-\(number) can be used",
        figures: [Check.Figure("adapter", adapter)])
    ]
    let (free, busy) = claim(&bus)
    // A read that gets stuck would hold up the recording on the same wires.
    guard busy.isEmpty else {
      let rest = Check("chip", .unchecked, "a recorder uses this bus: nothing on it is read")
      return Outcome(checks: checks + busy + [rest], hasChip: true)
    }
    let ending = bus.ending
    let (found, more) = chips.run(&bus, free: free, progress)
    checks += ending.isCut ? cut(more, found) : more
    guard !ending.isCut else { return Outcome(checks: checks, hasChip: true) }
    guard let found else { return Outcome(checks: checks, hasChip: false) }
    guard chips.configuration.interrupt != .none else {
      return Outcome(checks: checks, hasChip: true)
    }
    guard !isServed else {
      checks.append(
        Check(
          DataReadyName.text, .unchecked,
          "the service runs, and its next recording must find the chip free: the line is not tried")
      )
      return Outcome(checks: checks, hasChip: true)
    }
    guard let interrupt else {
      checks.append(
        Check(
          DataReadyName.text, .wrong,
          "which line it is is not known here: give its name instead of auto, such as GPIO22"))
      return Outcome(checks: checks, hasChip: true)
    }
    do throws(LinuxIOError) {
      if chips.configuration.usesInterrupt(found.model) {
        bus.wire(try InterruptLine(interrupt, tree: tree))
      }
      let check = DataReadyCheck(
        configuration: chips.configuration, line: "\(interrupt)", clock: SystemClock()
      ).run(bus, found, busClock: chips.configured, progress)
      checks.append(ending.isCut ? cut(DataReadyName.text) : check)
    } catch {
      checks.append(LineChecks.refused(DataReadyName.text, error, .wrong, tree))
    }
    return Outcome(checks: checks, hasChip: true)
  }

  /// What a look found before a recorder came: which chip it is. Reads failed from then on.
  private static func cut(_ checks: [Check], _ found: SensorIdentity?) -> [Check] {
    guard found != nil else { return [cut("chip")] }
    return checks.filter { $0.name == "chip" } + [cut("wiring")]
  }

  private static func cut(_ name: String) -> Check {
    Check(name, .unchecked, "a recording began: the bus is left to it")
  }

  private static func refused(_ error: LinuxIOError, _ number: Int, _ tree: SystemTree) -> Check {
    switch error.kind {
    case .notPermitted where error.errno == EACCES:
      let right = NodeRight("/dev/i2c-\(number)", .bus, tree)
      return Check("bus", .wrong, right.words, mends: right.mends)
    case .i2cOff where !tree.kernelAdapterNumbers().isEmpty:
      return Check("bus", error, mends: [.loadModule, .keepModule])
    case .i2cOff where tree.boardModel()?.hasPrefix("Raspberry Pi") ?? false:
      return Check("bus", error, mends: Mend.switchOn(tree))
    default: return Check("bus", error)
    }
  }

  /// The addresses that are free, and those that a recorder has. A kernel driver's are named already.
  private static func claim(_ bus: inout BusLook) -> (free: [I2CAddress], busy: [Check]) {
    var (free, busy) = ([I2CAddress](), [Check]())
    for address in SensorFamily.allAddresses {
      do throws(LinuxIOError) {
        // Before anything is read: a chip that another recorder has stays alone.
        try bus.take(address)
        free.append(address)
      } catch {
        guard case .busy = error.kind else { continue }
        busy.append(
          Check("address \(address)", .unchecked, "\(error.finding): its chip is not disturbed"))
      }
    }
    return (free, busy)
  }

  /// Where the chip is instead: a look at the identity registers of the other buses.
  private func otherBuses(than number: Int) -> [Check] {
    // Without a bus of its own, as above.
    guard board != nil || configuration.bus != nil else { return [] }
    let (tree, choice) = (tree, configuration.sensor)
    return BusChecks.search(tree.i2cAdapters().filter { $0.number != number }) {
      adapter, progress in
      do {
        var bus = BusLook(
          try LinuxI2CBus(number: adapter.number, timeoutMilliseconds: nil, tree: tree))
        let (free, busy) = BusChecks.claim(&bus)
        progress()
        guard busy.isEmpty else { return nil }
        return try SensorIdentity.identify(on: &bus, addresses: free, choice: choice)
      } catch {
        // No sensor there, or no right to look: neither is a fault of this bus.
        return nil
      }
    }
  }

  /// Looks at adapters one after the other. One that hangs is named, and the others are looked at.
  static func search(
    _ adapters: [I2CAdapter],
    _ look: @escaping @Sendable (I2CAdapter, _ progress: () -> Void) -> SensorIdentity?
  ) -> [Check] {
    adapters.compactMap { adapter in
      do throws(LinuxIOError) {
        let found = try BusErrand(bus: adapter.number, patience: BusChecks.patience).run {
          look(adapter, $0)
        }
        return found.map { elsewhere($0, adapter) }
      } catch {
        return Check("bus \(adapter.number)", .unchecked, error.finding)
      }
    }
  }

  static func elsewhere(_ found: SensorIdentity, _ adapter: I2CAdapter) -> Check {
    Check(
      "bus \(adapter.number)", .advice,
      "the \(found.model.name) at \(found.address) is on this bus (\(adapter.name)): give --bus \(adapter.number), which is "
        + "bus = \(adapter.number) in the service's configuration")
  }
}
