// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import Hub
import IMUModel
import LinuxIO
import LogStore
import Terminal
import Text

struct HubStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show when each host was seen, what is here of it, and what is wrong.",
    discussion: """
      By the last rounds; no host is asked. SEEN: when it answered last (- where this machine's clock was \
      wrong); LAST: when its newest recording here began; BACKLOG: its recordings that are not here; CLOCK: \
      its clock's offset from this machine's; GOOD, FLAWED, DAMAGED: verdicts of the recordings here.
      """,
    examples: "imulog hub status fleet",
    "imulog hub status fleet --check 1h || mail -s 'a pump is silent' me")

  @OptionGroup var fleet: FleetOptions

  @Option(
    name: .customShort("F"), parsing: .unconditional,
    help: .value("file", "The SSH configuration, for patterns in the host file."),
    completion: .file())
  var configuration: String?

  @Option(
    parsing: .unconditional,
    help: .value("time", "Exit status 1 if a host was not seen for this long, or has a problem."),
    transform: SpanLimits.age.span)
  var check: Span?

  @Flag(help: "Print JSON.")
  var json = false

  mutating func run() throws {
    let (hosts, errors) = try fleet.hosts(configuration)
    for error in errors { Console.talk("\(error)") }
    let hub = try HubDirectory(path: fleet.directory, create: false)
    let now = SystemClock().wallTime
    let status = try FleetStatus(hub, hosts, now: now)
    if json {
      try Console.document { json in
        json.member("hosts", status.hosts, onNewLines: true) { $1.add(to: &$0) }
      }
    } else if status.hosts.isEmpty {
      Console.talk("no hosts yet: write one into \(Plain.text(fleet.file))")
    } else {
      try Console.data(text(status))
      Console.talk("times are claimed by the hosts' clocks and this one's, their offsets estimated")
    }
    if let check {
      let silent = status.hosts.contains { host in
        host.isListed
          && host.isTroubled(
            now: now.nanoseconds / 1_000_000_000, after: check.nanoseconds / 1_000_000_000)
      }
      if silent { throw ExitCode(ExitStatus.flawed.rawValue) }
    }
    if let error = errors.first { throw ExitCode(error.exitStatus.rawValue) }
  }

  private static let heading = [
    "HOST", "SEEN", "LAST", "RECORDINGS", "BACKLOG", "GOOD", "FLAWED", "DAMAGED", "CLOCK", "FREE",
    "VERSION", "SERVICE", "PROBLEM",
  ]
  private static let numeric = ["RECORDINGS", "BACKLOG", "GOOD", "FLAWED", "DAMAGED", "FREE"]

  /// A table for a person.
  private func text(_ status: FleetStatus) -> String {
    let rows = status.hosts.map { row($0) }
    return TextTable.text(
      [HubStatusCommand.heading] + rows,
      isNumeric: HubStatusCommand.heading.map { HubStatusCommand.numeric.contains($0) })
  }

  private func row(_ host: FleetStatus.Host) -> [String] {
    let (state, machine) = (host.state, host.state.machine)
    func time(_ seconds: Int64?, _ none: String) -> String {
      seconds.map { LocalTime.text(seconds: $0) } ?? none
    }
    let backlog = state.backlog.map { "\($0)" } ?? "?"
    func count(_ verdict: Verdict) -> String { "\(host.verdicts[verdict.rawValue] ?? 0)" }
    return [
      host.name, time(host.seen, state.seen == nil ? "never" : "-"),
      time(host.last.map { $0 / 1_000_000_000 }, "-"),
      "\(host.recordings)", backlog, count(.good), count(.flawed), count(.damaged),
      host.clockText, machine?.freeBytes.map { Plain.bytes($0) } ?? "?", machine?.software ?? "?",
      machine.map { $0.recorder ?? "-" } ?? "?",
      host.isListed ? Plain.text(host.problems.joined(separator: "; ")) : "not in the host file",
    ]
  }
}

extension FleetStatus.Host {
  /// Whether it was not seen for so many seconds, or something is wrong.
  func isTroubled(now: Int64, after limit: Int64) -> Bool {
    guard let seen, problems.isEmpty else { return true }
    return now - seen > limit
  }
}
