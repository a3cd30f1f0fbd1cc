// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import Hub
import IMUModel
import LinuxIO
import Remote
import Terminal
import Text

/// `imulog hub DIR`: visits of every host.
struct HubRoundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "round", abstract: "Visit every host once; the default.")

  @OptionGroup var fleet: FleetOptions

  @Flag(help: "Let hosts move each recording that is proved to be here to their trash.")
  var thenFree = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Stay, and begin a round this often; the host file is read anew each time.",
      valueName: "time"),
    transform: SpanLimits.every.span)
  var every: Span?

  @OptionGroup var glance: GlanceOptions

  @Flag(help: "Print the summary as JSON.")
  var json = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many hosts to pull from at a time.", valueName: "number"))
  var jobs = 32

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long a host may send nothing new; 60s by default.", valueName: "time"),
    transform: SpanLimits.timeout.span)
  var timeout = Span.minute

  @OptionGroup var ssh: SSHOptions

  mutating func run() throws {
    try PullCommand.check(jobs: jobs)
    try glance.check(besides: fleet.file, in: fleet.directory)
    let clock = SystemClock()
    var begin = clock.now()
    guard let every else { return try round(isFirst: true, nil) }
    let presence = glance.presence
    var isFirst = true
    while true {
      do {
        try round(isFirst: isFirst, presence)
      } catch {
        let failure = CommandFailure(error, else: .inputOutput)
        // What is wrong at the start is wrong with the command.
        if isFirst, failure.status == .noInput || failure.status == .usage { throw failure }
        Console.talk(failure.sentence)
      }
      isFirst = false
      begin = max(begin + every.nanoseconds, clock.now())
      clock.sleep(until: begin)
    }
  }

  /// - Parameters:
  ///   - isFirst: Whether a hub may be made: one that was there and is not any more is on a disk that is gone.
  ///   - presence: That of a hub that stays.
  private func round(isFirst: Bool, _ presence: HubPresence?) throws {
    let (hosts, errors) = try fleet.hosts(ssh.configuration)
    for error in errors { Console.talk("\(error)") }
    if hosts.isEmpty, errors.isEmpty {
      Console.talk("no hosts yet: write one into \(Plain.text(fleet.file))")
    }
    let hub = try HubDirectory(path: fleet.directory, create: isFirst)
    let clock = SystemClock()
    let start = clock.now()
    let lock = try hub.lock()
    let line = ProgressLine()
    let board = PullBoard(
      hosts: hosts.map(\.name), show: { line.show($0) }, report: { line.talk($0) })
    var settings = HubRound.Settings(
      ssh.connection, timeout: timeout.nanoseconds, Deriver(program: "/proc/self/exe"))
    settings.thenFree = thenFree
    let round = HubRound(hub, hosts, settings, board) { SystemClock().wallTime }
    let results = try round.run(jobs: jobs, lock)
    _ = consume lock
    line.end()
    let unshown = glance.show(
      hub, hosts, nanoseconds: clock.now() - start, presence)
    for failure in unshown { Console.talk(failure.sentence) }
    let report = HubReport(hosts: results)
    if json {
      try Console.json(report.json)
    } else if every == nil {
      try report.print()
    }
    let failures =
      results.compactMap(\.pull.failure) + errors.map { CommandFailure($0.exitStatus, "\($0)") }
      + unshown
    guard let status = PulledHost.worst(of: failures.map(\.status)) else { return }
    let sentence =
      HubReport.sentence(of: results)
      ?? (errors.isEmpty
        ? "not everything that was asked for could be written; the lines above say why"
        : "not every line of \(fleet.file) could be used; the lines above say why")
    throw CommandFailure(status, sentence)
  }
}

/// The table at the end of a round.
struct HubReport {
  let hosts: [HubRound.Host]

  private static let heading = [
    "HOST", "OFFERED", "HERE", "FETCHED", "RUNNING", "FAILED", "FREED", "DERIVED", "BYTES",
  ]

  func print() throws {
    let rows = hosts.map { host in
      host.pull.cells + ["\(host.derivedCount)", "\(host.pull.received)"]
    }
    let isNumeric = HubReport.heading.indices.map { $0 > 0 }
    try Console.data(TextTable.text([HubReport.heading] + rows, isNumeric: isNumeric))
  }

  var json: String {
    JSONWriter.document { json in
      json.member("hosts", hosts, onNewLines: true) { json, host in
        json.object { json in
          json.pulled(host.pull)
          json.member("derived", host.derivedCount)
          json.member("problem", host.pull.failure?.sentence)
        }
      }
    }
  }

  /// What the round did not reach; `nil` where nothing is wrong with a host.
  static func sentence(of hosts: [HubRound.Host]) -> String? {
    let troubled = hosts.filter { $0.pull.failure != nil }
    let missing = troubled.filter { !$0.isAllHere }
    func some(_ hosts: [HubRound.Host]) -> String {
      hosts.prefix(5).map(\.pull.host).joined(separator: ", ")
        + (hosts.count > 5 ? " and \(hosts.count - 5) more" : "")
    }
    guard missing.isEmpty else {
      return "not all of \(some(missing)) is here; the lines above say why"
    }
    return troubled.isEmpty
      ? nil : "something is wrong with \(some(troubled)); the lines above say what"
  }
}
