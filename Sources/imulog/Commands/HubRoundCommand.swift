// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Export
import Hub
import IMUModel
import LinuxIO
import LogStore
import Remote
import Terminal

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
      valueName: "time"))
  var every: Span?

  @Option(
    help: ArgumentHelp(
      "Run PROGRAM put PATH PLACE for each finished file, and PROGRAM drop PLACE for one that is gone, until it succeeds.",
      valueName: "program"), completion: .file())
  var eachFile: String?

  @OptionGroup var glance: GlanceOptions

  @Flag(help: "Print the summary as JSON.")
  var json = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many hosts to pull from at a time.", valueName: "number"))
  var jobs = 32

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long a host may send nothing new.", valueName: "time"))
  var timeout = Span(nanoseconds: 60_000_000_000)

  @OptionGroup var ssh: SSHOptions

  func validate() throws {
    if let every, !(1_000_000_000...366 * 86_400_000_000_000).contains(every.nanoseconds) {
      throw ValidationError("--every takes 1s to 366d")
    }
  }

  mutating func run() throws {
    try PullCommand.check(jobs: jobs, timeout)
    try glance.check(besides: fleet.file)
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
    let hub = try HubDirectory(path: fleet.directory, create: isFirst)
    let clock = SystemClock()
    let start = clock.now()
    let lock = try hub.lock()
    let line = ProgressLine()
    let board = PullBoard(
      hosts: hosts.map(\.name), show: { line.show($0) }, report: { line.talk($0) })
    var settings = HubRound.Settings(ssh.connection, timeout: timeout.nanoseconds)
    settings.thenFree = thenFree
    settings.hook = eachFile
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
    guard let status = HubReport.status(of: failures.map(\.status)) else { return }
    let names = results.filter { $0.pull.failure != nil }.map(\.pull.host)
    let some =
      names.prefix(5).joined(separator: ", ")
      + (names.count > 5 ? " and \(names.count - 5) more" : "")
    throw CommandFailure(
      status,
      names.isEmpty
        ? (errors.isEmpty
          ? "not everything that was asked for could be written; the lines above say why"
          : "not every line of \(fleet.file) could be used; the lines above say why")
        : "not all of \(some) is here; the lines above say why")
  }
}

/// Where the state of the hosts is shown after each round.
struct GlanceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write the state of the hosts for the textfile collector of Prometheus's node_exporter.",
      valueName: "file"), completion: .file())
  var metrics: String?

  @Option(
    help: ArgumentHelp("Write a page with the state of the hosts.", valueName: "file"),
    completion: .file())
  var page: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Publish the state of the hosts at this MQTT broker, with mosquitto_pub.",
      valueName: "host[:port]"))
  var mqtt: String?

  private var health: FleetHealth? {
    guard let mqtt else { return nil }
    let parts = mqtt.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
    return FleetHealth(
      broker: parts[0], port: parts.count == 2 ? parts[1] : nil,
      program: Environment.value("IMULOG_MOSQUITTO_PUB") ?? "mosquitto_pub")
  }

  /// Refuses values that can never work.
  ///
  /// - Parameter hosts: The host file, which nothing replaces.
  func check(besides hosts: String) throws {
    for (option, file) in [("--metrics", metrics), ("--page", page)] {
      guard let file else { continue }
      guard !file.isEmpty else {
        throw CommandFailure(.usage, "\(option) needs the name of a file")
      }
      try OutputPlace.refuseHub(file, of: option)
      if let other = FileIdentity(path: file), other == FileIdentity(path: hosts) {
        throw CommandFailure(
          .usage, "\(option) \(Plain.text(file)) is the host file; choose another FILE")
      }
    }
    guard let mqtt else { return }
    let parts = mqtt.split(separator: ":", omittingEmptySubsequences: false)
    let isPort = parts.count == 1 || parts.count == 2 && (UInt16(parts[1]) ?? 0) > 0
    guard isPort, let name = parts.first, !name.isEmpty, !name.hasPrefix("-") else {
      throw CommandFailure(
        .usage, "\(Plain.text(mqtt)) is no broker; write it as broker.lan or broker.lan:1883")
    }
  }

  /// What tells the broker that a hub that stays is there.
  var presence: HubPresence? { health?.presence() }

  /// Shows the state after a round; returns what could not be written. A broker that does not answer is reported, and is no
  /// failure: it has no recordings.
  func show(
    _ hub: HubDirectory, _ hosts: [HubHost], nanoseconds: Int64, _ presence: HubPresence?
  ) -> [CommandFailure] {
    guard metrics != nil || page != nil || mqtt != nil else { return [] }
    var failures: [CommandFailure] = []
    do {
      let status = try FleetStatus(hub, hosts)
      let now = SystemClock().wallTime
      let seconds = Double(nanoseconds) / 1_000_000_000
      for (path, text) in [
        (metrics, { status.metrics(now: now, seconds: seconds) }),
        (page, { status.page(now: now) }),
      ] {
        guard let path else { continue }
        do {
          try write(text(), to: path)
        } catch {
          failures.append(CommandFailure(error, else: .inputOutput))
        }
      }
      try presence?.tell()
      if let failure = health?.send(FleetHealth.messages(status, stays: presence != nil)) {
        Console.talk("the state of the hosts is not at the broker: \(failure.sentence)")
      }
    } catch {
      failures.append(CommandFailure(error, else: .inputOutput))
    }
    return failures
  }

  private func write(_ text: String, to path: String) throws {
    let file = try PendingFile(path, remedy: "choose another FILE")
    var sink = FileDescriptorSink(file.descriptor, name: path)
    try Array(text.utf8).withUnsafeBytes { try sink.write($0) }
    try sink.flush()
    try file.publish()
  }
}
