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

struct HubAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a host to a hub's host file, and check what a visit of it needs.",
    discussion: """
      It checks the connection and the host's key, the host's imulog, store, clock, free space and service, \
      and what `imulog doctor` finds there, and prints what mends each fault. The line is added whatever is \
      found: run it again after mending.
      """,
    examples: "imulog hub add fleet pump-7 pi@10.0.0.7 site=bergen",
    "imulog hub add fleet pump-8")

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
    try check.run()
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

/// A check of what a visit of a host needs. Prints a line for each finding.
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

  private func tell(_ state: State, _ words: String) throws {
    try Console.data("\(state.rawValue)  \(Plain.text(words))")
  }

  private mutating func tell(_ fault: ExitStatus, _ words: String) throws {
    status = status ?? fault
    try tell(.wrong, words)
  }

  mutating func run() throws {
    let probe: MachineProbe
    do {
      probe = try MachineProbe(host.destination, connection, timeout: timeout)
    } catch {
      return try tell(error.status, error.sentence)
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
      try tell(.damagedData, "recording \(number) cannot be read there: \(sentence)")
    }
    if let machine = probe.machine {
      try look(at: machine)
    } else {
      try tell(
        .advice,
        "its imulog is older than this one, and reports no state: install this version there")
    }
    try askDoctor()
  }

  private mutating func look(at machine: RemoteMachine) throws {
    let isSame = machine.software == Software.version
    try tell(
      isSame ? .ok : .advice,
      "its imulog is version \(machine.software)"
        + (isSame ? "" : ", this one is version \(Software.version)"))
    let offset = machine.clockOffset(now: SystemClock().wallTime)
    if offset.magnitude > UInt64(HostCheck.sameClock) {
      try tell(
        .configuration,
        "its clock is \(offset > 0 ? "+" : "")\(offset / 1_000_000_000) s from this machine's: `sudo timedatectl set-ntp true` there, "
          + "and here")
    } else if machine.wall.isSynchronised {
      try tell(.ok, "its clock is this machine's, and synchronised")
    } else {
      try tell(
        .advice,
        "its clock is this machine's, but is not synchronised: `timedatectl` there says why")
    }
    if let free = machine.freeBytes {
      try tell(
        free < HostCheck.room ? .advice : .ok, "\(Plain.bytes(free)) are free for its store")
    }
    if let problem = machine.problem, machine.recorder != nil {
      try tell(.unavailable, "its service cannot record: \(problem)")
    } else if let recorder = machine.recorder {
      try tell(.ok, "its service is \(recorder)")
    } else {
      try tell(
        .advice,
        "no service of imulog answers there: `sudo systemctl enable --now imulog` starts it")
    }
  }

  /// What doctor finds wrong there. An older `serve` refuses the request.
  private mutating func askDoctor() throws {
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
      let command = fault.command.map { "; `\($0)` there mends it" } ?? ""
      try tell(.configuration, "doctor, \(fault.name): \(fault.words)\(command)")
    }
    if faults.isEmpty { try tell(.ok, "doctor finds nothing wrong there") }
  }
}
