// SPDX-License-Identifier: Apache-2.0

package import Boards
import IMUModel
package import LinuxIO
package import Recorder

/// A check of `doctor`: the lines that it prints, and the function that looks. Each has a file of its own, and is in ``all``.
package struct DoctorCheck: Sendable {
  package typealias Report = (Check) throws -> Void

  /// The names of its lines and what each is about, for the help; N stands for a number.
  package let lines: KeyValuePairs<String, String>
  /// Reports each line as soon as it is found: what hangs does not hide what was found before it.
  package let look: @Sendable (DoctorSubject, _ found: Report) throws -> Void

  init(
    _ lines: KeyValuePairs<String, String>,
    reporting look: @escaping @Sendable (DoctorSubject, Report) throws -> Void
  ) {
    (self.lines, self.look) = (lines, look)
  }

  init(
    _ lines: KeyValuePairs<String, String>, _ run: @escaping @Sendable (DoctorSubject) -> [Check]
  ) {
    self.init(lines) { subject, found in try run(subject).forEach(found) }
  }

  /// A check of one line; none where the machine has no such thing.
  init(
    _ name: String, _ meaning: String, _ run: @escaping @Sendable (DoctorSubject) -> Finding?
  ) {
    self.init([name: meaning]) { subject, found in
      if let finding = run(subject) { try found(Check(name, finding)) }
    }
  }

  /// All, in the order in which they look and print.
  package static let all: [DoctorCheck] = [
    configuration, system, realTime, memoryLock, processorSleep, wallClock, batteryClock, supply,
    store, recorded, card, service, buttonAndLight, bus,
    sensors,
  ]

  static let configuration = DoctorCheck(["configuration": "the service's configuration file"]) {
    $0.configured
  }

  /// The help's list of all lines.
  package static var help: String {
    let rows = all.flatMap(\.lines)
    let width = rows.map(\.key.count).max() ?? 0
    return rows.map { name, meaning in
      "  \(name)" + String(repeating: " ", count: width + 2 - name.count) + meaning
    }.joined(separator: "\n")
  }
}

/// The machine that `doctor` looks at, and what is known of it before the first check.
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
  /// Whether the findings are for an issue.
  let isReport: Bool
  /// The settings with the options of the command line, by which the sensor is looked for.
  let chosen: RecorderConfiguration
  /// The sensors of a take, each with its settings as ``chosen``; empty for one sensor without a name.
  let members: [DoctorSensor]
  /// The board; `nil` for an unknown machine.
  let board: Board?
  /// The number of the bus of its pins.
  let boardBus: Int?

  package init(
    tree: SystemTree, unit: ServiceUnit?, status: Result<RecorderStatus, any Error>,
    configured: [Check], configuration: RecorderConfiguration, chosen: RecorderConfiguration,
    members: [DoctorSensor] = [], store: String?, probeLength: Int64?, isReport: Bool,
    board: Board?, boardBus: Int?
  ) {
    (self.tree, self.unit, self.status) = (tree, unit, status)
    (self.configured, self.configuration, self.chosen) = (configured, configuration, chosen)
    (self.store, self.probeLength, self.isReport) = (store, probeLength, isReport)
    (self.board, self.boardBus, self.members) = (board, boardBus, members)
  }

  /// Whether no service listens. One that may not be asked, or does not answer, may be recording.
  package static func isAbsent(_ status: Result<RecorderStatus, any Error>) -> Bool {
    guard case .failure(let error as LinuxIOError) = status else { return false }
    return error.kind == .notRunning
  }

  var lines: LineChecks { LineChecks(tree: tree, configuration: configuration, board: board) }
  /// The buses of the sensors, in their order; of one sensor its own.
  var buses: [BusChecks] {
    let isServed = !DoctorSubject.isAbsent(status)
    return (members.isEmpty ? [DoctorSensor("", chosen)] : members).reduce(into: []) {
      let next = BusChecks(
        tree: tree, sensors: [$1], board: board, boardBus: boardBus, isServed: isServed)
      if let index = $0.firstIndex(where: { $0.path == next.path }) {
        $0[index].sensors.append($1)
      } else {
        $0.append(next)
      }
    }
  }
}

/// A sensor that is looked for.
package struct DoctorSensor: Sendable {
  /// The user's name for it; empty where there is one sensor.
  let name: String
  let configuration: RecorderConfiguration

  package init(_ name: String, _ configuration: RecorderConfiguration) {
    (self.name, self.configuration) = (name, configuration)
  }
}
