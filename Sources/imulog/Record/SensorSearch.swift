// SPDX-License-Identifier: Apache-2.0

import Boards
import IMUDrivers
import IMUModel
import LinuxIO
import Recorder

/// Finds a sensor on a bus of this machine and sets it up: all work before the first tick that may hang in the kernel.
struct SensorSearch: Sendable {
  let request: SensorRequest
  /// Where the chip is.
  let path: BusPath
  /// N of the /dev/i2c-N of that.
  let bus: Int
  /// Whether the user gave that number; if not, a bus that disappears may return with another one.
  let isFixed: Bool
  /// As configured, in hertz; `nil` when unknown.
  let busClock: Int?
  /// The board's command for a bus that keeps its clock.
  let steadyBus: String?
  /// The line from the chip's interrupt output, if there is one.
  let interrupt: GPIOLineSpec?

  /// - Parameter board: The present one.
  init(_ request: SensorRequest, on board: Board?, interrupt: GPIOLineSpec? = nil) throws {
    (self.request, self.interrupt) = (request, interrupt)
    isFixed = request.configuration.bus != nil
    path = try request.bus(board)
    bus = try SystemTree.live.openable(path)
    busClock = SystemTree.live.i2cClock(bus: path.root) ?? board?.busHertz
    steadyBus = board?.steadyBusCommand(onBus: path.root, .live)
  }

  /// A sensor that is set up, and remarks for the user.
  struct Found: ~Copyable, Sendable {
    let sensor: OpenedSensor<LinuxI2CBus>
    let busClock: BusClock
    let remarks: [String]
  }

  /// - Parameter progress: Called whenever the bus has answered.
  func run(progress: () -> Void) -> Result<Found, any Error> {
    do {
      return .success(try find(progress))
    } catch {
      return .failure(error)
    }
  }

  /// A chip that this program has, and whose registers are not written yet.
  struct Taken: ~Copyable, Sendable {
    let bus: LinuxI2CBus
    let identity: SensorIdentity
    let busClock: BusClock
  }

  /// Finds the chip, and keeps every other imulog from it.
  ///
  /// - Throws: ``LinuxIOError`` of kind `busy` where a recorder has it; ``SensorError`` where none is found.
  func take(_ progress: () -> Void) throws -> Taken {
    var node = try LinuxI2CBus(number: bus)
    let place = AdapterPlace(number: bus, isFixed: isFixed)
    let (free, refusal) = claim(&node)
    let identity: SensorIdentity
    do {
      identity = try SensorIdentity.identify(on: &node, addresses: free, choice: request.choice)
    } catch {
      // If a kernel driver holds the wanted chip, that is the cause, not another chip on the bus.
      if let refusal { throw refusal }
      throw error
    }
    progress()
    // Before the first register is written.
    try node.reserve(identity.address)
    try TrunkSearch(path, .live, bus).refuse(identity, on: &node, request.configuration)
    try node.keepOpen(at: place, chip: identity.address)
    var clock = BusClock(configured: busClock, measured: nil)
    clock.measured =
      BusMeter(&node, identity, clock: SystemClock(), enough: clock.enough, progress: progress)
      .hertz
    return Taken(bus: node, identity: identity, busClock: clock)
  }

  private func find(_ progress: () -> Void) throws -> Found {
    let taken = try take(progress)
    let (identity, clock) = (taken.identity, taken.busClock)
    var node = taken.bus
    if let refusal = request.configuration.refusal(
      of: identity.model, on: clock, keptBy: steadyBus)
    {
      throw refusal
    }
    if request.configuration.field != nil {
      // Transfers would reach a magnetometer that a kernel driver has.
      for address in FieldModel.inside(identity.model)?.addresses ?? [] { try node.claim(address) }
    }
    if request.configuration.usesInterrupt(identity.model), let interrupt {
      node.wire(try InterruptLine(interrupt))
    }
    switch try request.configuration.open(node, identity, busClock: clock.planned) {
    case .polled(var sensor):
      try bringUp(&sensor, progress)
      return Found(
        sensor: .polled(sensor), busClock: clock, remarks: remarks(identity, usesInterrupt: false))
    case .buffered(var sensor):
      try bringUp(&sensor, progress)
      let remarks = remarks(identity, usesInterrupt: sensor.hasInterrupt)
      return Found(sensor: .buffered(sensor), busClock: clock, remarks: remarks)
    }
  }

  private func bringUp<Sensor: ChipSetUp & ~Copyable>(
    _ sensor: inout Sensor, _ progress: () -> Void
  ) throws {
    let clock = SystemClock()
    while case .wait(let nanoseconds) = try sensor.bringUp() {
      progress()
      clock.sleep(until: clock.now() + nanoseconds)
    }
  }

  /// The addresses without a kernel driver, and the first refusal of a wanted one.
  private func claim(
    _ node: inout LinuxI2CBus
  ) -> (free: [I2CAddress], refusal: LinuxIOError?) {
    var free: [I2CAddress] = []
    var refusal: LinuxIOError?
    for address in SensorFamily.allAddresses {
      do throws(LinuxIOError) {
        try node.claim(address)
        free.append(address)
      } catch {
        if request.choice.addresses.contains(address) { refusal = refusal ?? error }
      }
    }
    return (free, refusal)
  }

  private func remarks(_ found: SensorIdentity, usesInterrupt: Bool) -> [String] {
    remarks(onChoice: found)
      + request.configuration.remarks(found.model, usesInterrupt: usesInterrupt)
  }

  /// Names the chip that is used, where others could be meant.
  func remarks(onChoice found: SensorIdentity) -> [String] {
    var remarks: [String] = []
    if !found.others.isEmpty, request.choice.address == nil {
      let others = found.others.map { "the \($0.model.name) at \($0.address)" }
      let ways = found.others.map { other in
        let isAlone =
          other.model != found.model
          && !found.others.contains { $0.model == other.model && $0 != other }
        return other.model.rawValue + (isAlone ? "" : "@\(other.address)")
      }
      remarks.append(
        "uses the \(found.model.name) at \(found.address); for \(others.joined(separator: " or ")), give --sensor "
          + "\(ways.joined(separator: " or ")), or sensor = in the service's configuration")
    }
    if !found.alternatives.isEmpty, request.choice.model == nil {
      let names = found.alternatives.map(\.rawValue).joined(separator: ", ")
      remarks.append(
        "found \(found.model.name) at \(found.address); \(names) answer the same, "
          + "give --sensor if it is one of them")
    }
    return remarks
  }
}
