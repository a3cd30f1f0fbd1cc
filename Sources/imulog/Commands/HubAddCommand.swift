// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Doctor
import Files
import Hub
import IMUModel
import LinuxIO
import Remote
import Terminal
import Text

/// `imulog hub add`: adds a host, and looks at all that a visit needs.
struct HubAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a host to a hub's host file, and check what a visit of it needs.",
    discussion: """
      It checks the connection and the host's key, the host's imulog, store, clock, free space and service, \
      and what `imulog doctor` finds there, and prints what mends each fault. The line is added whatever is \
      found: run it again after mending.

      Examples:
        imulog hub add fleet pump-7 pi@10.0.0.7 site=bergen
        imulog hub add fleet pump-8
      """)

  @OptionGroup var fleet: FleetOptions

  @Argument(help: .value("name", "The host's name."))
  var name: String

  @Argument(
    help: .value("destination|label=value", "What ssh connects to, if not the name, and labels."))
  var rest: [String] = []

  @OptionGroup var ssh: SSHOptions

  mutating func run() throws {
    let destination = rest.first.flatMap { $0.contains("=") ? nil : $0 }
    let labels = destination == nil ? rest[...] : rest.dropFirst()
    let line = ([name] + (destination.map { ["=", $0] } ?? []) + labels).joined(separator: " ")
    // A wrong line makes no hub.
    _ = try HostFile.adding(line, of: name, to: fleet.file, try fleet.bytesIfThere())
    let hub = try HubDirectory(path: fleet.directory, create: true)
    let lock = try hub.lock()
    let (host, bytes) = try HostFile.adding(
      line, of: name, to: fleet.file, try fleet.bytesIfThere())
    if let bytes {
      // Whole, or not at all.
      let file = try PendingFile(fleet.file, remedy: "choose another --hosts FILE")
      try file.write(bytes)
      try file.publish()
      Console.talk("added to \(Plain.text(fleet.file)): \(line)")
    }
    _ = consume lock
    var check = HostCheck(host, ssh.connection, timeout: ssh.timeout.nanoseconds)
    try check.run { state, words in try Console.data("\(state.rawValue)  \(Plain.text(words))") }
    if !ssh.given.isEmpty {
      Console.talk(
        "the line of \(host.name) has no \(ssh.given.joined(separator: ", ")): give the same to each round, or write it into the "
          + "SSH configuration where that has it")
    }
    guard let status = check.status else { return }
    throw CommandFailure(
      status, "\(host.name) is not ready; mend the faults above, and run the same command again")
  }
}

/// A check of what a visit of a host needs.
private struct HostCheck {
  enum State: String {
    case ok = "ok     "
    case advice = "advice "
    case wrong = "wrong  "
  }

  private let host: HubHost
  private let connection: SSHConnection
  private let timeout: Int64
  /// The status of the first fault.
  private(set) var status: ExitStatus?

  /// Nanoseconds by which a clock may differ.
  private static let sameClock: Int64 = 2_000_000_000
  /// Bytes below which a store is nearly full.
  private static let room: UInt64 = 500_000_000

  init(_ host: HubHost, _ connection: SSHConnection, timeout: Int64) {
    (self.host, self.connection, self.timeout) = (host, connection, timeout)
  }

  mutating func run(_ tell: (State, String) throws -> Void) throws {
    let probe: MachineProbe
    do {
      probe = try MachineProbe(host.destination, connection, timeout: timeout)
    } catch {
      status = error.status
      return try tell(.wrong, error.sentence)
    }
    try tell(
      .ok, "ssh connects to \(host.destination) and accepts its host key, and imulog answers")
    try tell(
      .ok,
      probe.mayFree
        ? "the key may free recordings, as --then-free does"
        : "the key reads recordings and frees none; for --then-free, add --allow-delete to its line in authorized_keys"
    )
    try tell(.ok, "its store has \(Plain.count(probe.recordings, "recording"))")
    for (number, sentence) in probe.unreadable.sorted(by: { $0.key < $1.key }) {
      status = status ?? .damagedData
      try tell(.wrong, "recording \(number) cannot be read there: \(sentence)")
    }
    try look(at: probe.machine, tell)
    try askDoctor(tell)
  }

  private mutating func look(
    at machine: RemoteMachine?, _ tell: (State, String) throws -> Void
  ) throws {
    guard let machine else {
      return try tell(
        .advice,
        "its imulog is older than this one, and reports no state: install this version there")
    }
    try tell(
      machine.software == Software.version ? .ok : .advice,
      "its imulog is of version \(machine.software)"
        + (machine.software == Software.version ? "" : ", this one of \(Software.version)"))
    let offset = machine.clockOffset(now: SystemClock().wallTime)
    if offset.magnitude > UInt64(HostCheck.sameClock) {
      status = status ?? .configuration
      try tell(
        .wrong,
        "its clock is \(offset > 0 ? "+" : "")\(offset / 1_000_000_000) s from this machine's: `sudo timedatectl set-ntp true` there, "
          + "and here")
    } else {
      try tell(
        machine.wall.isSynchronised ? .ok : .advice,
        machine.wall.isSynchronised
          ? "its clock is this machine's, and synchronised"
          : "its clock is this machine's, but is not synchronised: `timedatectl` there says why"
      )
    }
    if let free = machine.freeBytes {
      try tell(
        free < HostCheck.room ? .advice : .ok, "\(Plain.bytes(free)) are free for its store")
    }
    guard let recorder = machine.recorder else {
      return try tell(
        .advice,
        "no service of imulog answers there: `sudo systemctl enable --now imulog` starts it")
    }
    if let problem = machine.problem {
      status = status ?? .unavailable
      try tell(.wrong, "its service cannot record: \(problem)")
    } else {
      try tell(.ok, "its service is \(recorder)")
    }
  }

  /// What doctor finds wrong there. An older `serve` refuses the request.
  private mutating func askDoctor(_ tell: (State, String) throws -> Void) throws {
    let ending = try MachineProbe.run(
      ["doctor", "--json"], on: host.destination, connection, timeout: timeout)
    guard ending.status == 0 || ending.status == ExitStatus.flawed.rawValue, !ending.isLate,
      let checks = DoctorReport.checks(json: ending.output)
    else {
      let said = ending.lastLine.isEmpty ? "" : ": " + ending.lastLine
      return try tell(.advice, "doctor could not be asked there\(said)")
    }
    let faults = checks.filter { $0.state == Finding.State.wrong.rawValue }
    for fault in faults {
      status = status ?? .configuration
      let command = fault.command.map { "; `\($0)` there mends it" } ?? ""
      try tell(.wrong, "doctor, \(fault.name): \(fault.words)\(command)")
    }
    if faults.isEmpty { try tell(.ok, "doctor finds nothing wrong there") }
  }
}
