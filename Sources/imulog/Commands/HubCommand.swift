// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Hub
import IMUModel
import LinuxIO
import LogStore
import Remote
import Terminal

/// `imulog hub`: collects the recordings of many machines, and makes tables of them.
struct HubCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hub",
    abstract: "Collect the recordings of many machines, with tables for query engines.",
    discussion: """
      `imulog hub DIR` fetches what is new on each host of the host file, as imulog pull does, into a store \
      of its own, and makes Parquet files of it: samples, features of each second, and a table of \
      recordings. What is up to date is left as it is. Recordings that are being written are fetched once \
      they have ended.

      A line of the host file is NAME or NAME = DESTINATION, and labels such as site=bergen. The line \
      `* = PATTERN` stands for the aliases of the SSH configuration that fit.

      Examples:
        imulog hub fleet
        imulog hub /srv/fleet --hosts hosts --jobs 32
        imulog hub status fleet
        imulog hub verify fleet
      """,
    subcommands: [HubRoundCommand.self, HubStatusCommand.self, HubVerifyCommand.self],
    defaultSubcommand: HubRoundCommand.self)
}

/// `imulog hub DIR`: one visit of every host.
struct HubRoundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "round", abstract: "Visit every host once; the default.")

  @OptionGroup var fleet: FleetOptions

  @Flag(help: "Let hosts move each recording that is proved to be here to their trash.")
  var thenFree = false

  @Flag(help: "Print the summary as JSON.")
  var json = false

  @Option(help: ArgumentHelp("How many hosts to pull from at a time.", valueName: "number"))
  var jobs = 32

  @Option(
    help: ArgumentHelp("How long a host may send nothing new.", valueName: "time"))
  var timeout = Span(nanoseconds: 60_000_000_000)

  @OptionGroup var ssh: SSHOptions

  mutating func run() throws {
    try PullCommand.check(jobs: jobs, timeout)
    let (hosts, errors) = try fleet.hosts(ssh.configuration)
    for error in errors { Console.talk("\(error)") }
    let hub = try HubDirectory(path: fleet.directory, create: true)
    let lock = try hub.lock()
    let line = ProgressLine()
    let board = PullBoard(
      hosts: hosts.map(\.name), show: { line.show($0) }, report: { line.talk($0) })
    var settings = HubRound.Settings(ssh.connection, timeout: timeout.nanoseconds)
    settings.thenFree = thenFree
    let round = HubRound(hub, hosts, settings, board) { SystemClock().wallTime }
    let results = try round.run(jobs: jobs, lock)
    _ = consume lock
    line.end()
    let report = HubReport(hosts: results)
    try json ? Console.json(report.json) : report.print()
    let failures =
      results.compactMap(\.pull.failure) + errors.map { CommandFailure($0.exitStatus, "\($0)") }
    guard let status = HubReport.status(of: failures.map(\.status)) else { return }
    let names = results.filter { $0.pull.failure != nil }.map(\.pull.host)
    let some =
      names.prefix(5).joined(separator: ", ")
      + (names.count > 5 ? " and \(names.count - 5) more" : "")
    throw CommandFailure(
      status,
      names.isEmpty
        ? "not every line of \(fleet.file) could be used; the lines above say why"
        : "not all of \(some) is here; the lines above say why")
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

  /// The status of a round: that of the failure which most needs a person; one that the next round may mend only where
  /// all are.
  static func status(of failures: [ExitStatus]) -> ExitStatus? {
    let order: [ExitStatus] = [
      .damagedData, .inputOutput, .noPermission, .unavailable, .configuration,
    ]
    return order.first { failures.contains($0) } ?? failures.first { $0 != .tryAgain }
      ?? failures.first
  }
}
