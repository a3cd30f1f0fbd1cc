// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import Hub
import IMUModel
import LinuxIO
import Remote
import Terminal
import Text

struct HubRoundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "round", abstract: "Visit every host once; the default.")

  @OptionGroup var fleet: FleetOptions

  @Flag(help: "Let hosts move recordings that are proved to be here to their trash.")
  var thenFree = false

  @Option(
    parsing: .unconditional,
    help: .value("time", "Stay, and begin a round this often."),
    transform: SpanLimits.every.span)
  var every: Span?

  @OptionGroup var glance: GlanceOptions

  @Flag(help: "Print the summary as JSON.")
  var json = false

  @Option(parsing: .unconditional, help: .value("number", "How many hosts to pull from at a time."))
  var jobs = 32

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
  ///   - isFirst: Whether a hub may be made: a hub that vanishes later is on a disk that is gone.
  ///   - presence: For a hub that stays.
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
      ssh.connection, timeout: ssh.timeout.nanoseconds, Deriver(program: "/proc/self/exe"))
    settings.thenFree = thenFree
    let round = HubRound(hub, hosts, settings, board) { SystemClock().wallTime }
    let results = try round.run(jobs: jobs, lock)
    _ = consume lock
    line.end()
    let unshown = glance.show(
      hub, hosts, nanoseconds: clock.now() - start, presence)
    for failure in unshown { Console.talk(failure.sentence) }
    if json {
      try PulledHost.printJSON(results.map(\.pull)) { json, index in
        json.member("derived", results[index].derivedCount)
        json.member("problem", results[index].pull.failure?.sentence)
      }
    } else if every == nil {
      try PulledHost.printTable(
        results.map { ($0.pull, ["\($0.derivedCount)", "\($0.pull.received)"]) },
        ["DERIVED", "BYTES"])
    }
    let failures =
      results.compactMap(\.pull.failure) + errors.map { CommandFailure($0.exitStatus, "\($0)") }
      + unshown
    guard let status = PulledHost.worst(of: failures.map(\.status)) else { return }
    let troubled = results.filter { $0.pull.failure != nil }
    let missing = troubled.filter { !$0.isAllHere }.map(\.pull)
    let sentence =
      !missing.isEmpty
      ? "not all of \(PulledHost.names(missing)) is here; the lines above say why"
      : !troubled.isEmpty
        ? "something is wrong with \(PulledHost.names(troubled.map(\.pull))); the lines above say what"
        : errors.isEmpty
          ? "not everything that was asked for could be written; the lines above say why"
          : "not every line of \(fleet.file) could be used; the lines above say why"
    throw CommandFailure(status, sentence)
  }
}
