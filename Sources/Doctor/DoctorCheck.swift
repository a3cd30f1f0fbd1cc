// SPDX-License-Identifier: Apache-2.0

package import Boards
import IMUModel
package import LinuxIO
package import Recorder

/// What `doctor` looks at, and what is known of it before the first check.
package struct DoctorSubject {
  let tree: SystemTree
  /// The installed service.
  let unit: ServiceUnit?
  /// What the service answered.
  let status: Result<RecorderStatus, any Error>
  /// What was found of the service's configuration.
  let configured: [Check]
  /// The service's settings, else the default ones.
  let configuration: RecorderConfiguration
  /// `nil` without a home directory for one.
  let store: String?
  /// Nanoseconds for which the card is written to; `nil` to leave it alone.
  let probeLength: Int64?
  /// The settings with the options of the command line, by which the sensor is looked for.
  let chosen: RecorderConfiguration
  /// The board; `nil` for an unknown machine.
  let board: Board?
  /// The number of the bus of its pins.
  let boardBus: Int?

  package init(
    tree: SystemTree, unit: ServiceUnit?, status: Result<RecorderStatus, any Error>,
    configured: [Check], configuration: RecorderConfiguration, chosen: RecorderConfiguration,
    store: String?, probeLength: Int64?, board: Board?, boardBus: Int?
  ) {
    (self.tree, self.unit, self.status) = (tree, unit, status)
    (self.configured, self.configuration, self.chosen) = (configured, configuration, chosen)
    (self.store, self.probeLength) = (store, probeLength)
    (self.board, self.boardBus) = (board, boardBus)
  }

  /// Whether no service listens. One that may not be asked, or does not answer, may be recording.
  package static func isAbsent(_ status: Result<RecorderStatus, any Error>) -> Bool {
    guard case .failure(let error as LinuxIOError) = status else { return false }
    return error.kind == .notRunning
  }

  var machine: MachineChecks { MachineChecks(tree: tree) }
  var lines: LineChecks { LineChecks(tree: tree, configuration: configuration, board: board) }
  var buses: BusChecks {
    BusChecks(
      tree: tree, configuration: chosen, board: board, boardBus: boardBus,
      isServed: !DoctorSubject.isAbsent(status))
  }
}

/// A check, which reports what it finds as soon as it is found. A new one is a file with its function, and a line in
/// ``all``.
package struct DoctorCheck {
  package let name: String
  package let look: (DoctorSubject, _ found: (Check) throws -> Void) throws -> Void

  init(
    _ name: String, reporting look: @escaping (DoctorSubject, (Check) throws -> Void) throws -> Void
  ) {
    (self.name, self.look) = (name, look)
  }

  init(_ name: String, _ run: @escaping (DoctorSubject) -> [Check?]) {
    self.init(name) { subject, found in
      for case let check? in run(subject) { try found(check) }
    }
  }

  /// All, in the order in which they are made and printed.
  package static var all: [DoctorCheck] {
    [
      DoctorCheck("configuration") { $0.configured },
      DoctorCheck("system") { [$0.machine.system()] },
      DoctorCheck("real-time class") { [$0.machine.realTime()] },
      DoctorCheck("memory lock") { [$0.machine.memory()] },
      DoctorCheck("processor sleep") { [$0.machine.latency()] },
      DoctorCheck("wall clock") { [$0.machine.clock()] },
      DoctorCheck("battery clock") { [BatteryClockCheck(tree: $0.tree).run()] },
      DoctorCheck("supply") { [SupplyCheck(tree: $0.tree).run()] },
      DoctorCheck("store") { StoreChecks.run($0) },
      DoctorCheck("card") { [CardProbe<SystemClock>.run($0)] },
      DoctorCheck("service") { ServiceChecks($0).run() },
      DoctorCheck("lines") { $0.lines.run() },
      DoctorCheck("bus", reporting: { try $0.buses.run($1) }),
    ]
  }
}
