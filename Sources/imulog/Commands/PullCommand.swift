// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Export
import Files
import Glibc
import IMUModel
import LinuxIO
import Remote
import Terminal
import Text

/// `imulog pull`: fetches recordings of other machines over SSH.
struct PullCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Fetch recordings of another machine that are missing here.",
    discussion: """
      Newest first, over ssh. A copy appears once its SHA-256 matches the original; an interrupted pull \
      resumes. A copy keeps its number, or gets the next free one. The exit status is 0 when everything is \
      here.

      Examples:
        imulog pull pi
        imulog pull pi1,pi2 --then-free
        imulog pull pi latest --format csv --to exports/
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: ArgumentHelp(
      "The machine as ssh knows it, or several, separated by commas.", valueName: "host"))
  var hosts: String

  @Argument(
    help: ArgumentHelp(
      "Numbers there, `latest`, or beginnings of UUIDs; by default all.", valueName: "id"))
  var ids: [String] = []

  @Flag(help: "Wait for the end of recordings that are being written.")
  var follow = false

  @Flag(help: "Let the machine move each recording that is proved to be here to its trash.")
  var thenFree = false

  @Option(help: ArgumentHelp("Also export each recording in this format.", valueName: "format"))
  var format: ExportFormat?

  @Option(
    help:
      "For gyrodata and edge-impulse: fill ticks without a sample with the sample before, or leave them out."
  )
  var fill: ExportFill?

  @Option(
    help: ArgumentHelp(
      "The directory of these exports; by default the current one.", valueName: "dir"),
    completion: .directory)
  var to: String?

  @Flag(help: "Print the summary as JSON.")
  var json = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many machines to pull from at a time.", valueName: "number"))
  var jobs = 16

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long a machine may send nothing new; 60s by default.",
      discussion:
        "Until then a broken connection is re-established, after pauses of 1/60 to 1/2 of this time. With --follow, a machine that reports that it is alive has ten times as long.",
      valueName: "time"),
    transform: SpanLimits.timeout.span)
  var timeout = Span.minute

  @OptionGroup var ssh: SSHOptions

  mutating func run() throws {
    let hosts = try PullCommand.hosts(self.hosts)
    try PullCommand.check(jobs: jobs)
    let store = try program.storePath(storeOptions)
    var settings = PullSettings(timeout: timeout.nanoseconds)
    do {
      settings.ids = try ids.map { try RecordingReference(request: $0) }
    } catch let refusal as RequestRefusal {
      throw CommandFailure(.usage, "\(refusal)")
    }
    settings.follow = follow
    settings.thenFree = thenFree
    guard fill == nil || format?.takes(.fill) == true else {
      throw CommandFailure(
        .usage, "--fill goes with --format \(ExportOption.fill.formatNames) alone; leave it out")
    }
    let directory = try directory()
    if let format {
      let conversion = PullConversion(format: format, directory: directory, fill: fill)
      settings.derive = { try conversion.run($0, in: $1) }
    }
    if format == .raw { try OutputPlace.refuseStore(directory, store) }
    let share = HostQueue.share(jobs: jobs, hosts: hosts.count)
    settings.openFiles = share.openFiles
    let line = ProgressLine()
    let board = PullBoard(hosts: hosts, show: { line.show($0) }, report: { line.talk($0) })
    var catalogue = try OpenStore.writing(store, now: SystemClock().wallTime)
    // A file of any name there: --to must be none of a store's own directories.
    try OutputPlace.refuse(directory + "/export", of: "--to", in: catalogue)
    catalogue.lockPatience = settings.timeout
    let (unanswered, unread) = thenFree ? try catalogue.marks() : ([:], [])
    for failure in unread {
      Console.talk(
        "cannot read whether an earlier request to free a recording was answered: \(failure)")
    }
    let local = LocalCopies(catalogue, unanswered: unanswered)
    let connection = ssh.connection
    let sources = hosts.map { [settings] host in
      PullSource(host, destination: host, connection, settings, open: { local })
    }
    let results = try HostQueue(sources, board).run(jobs: share.jobs)
    line.end()
    let report = PullReport(hosts: results)
    try json ? Console.json(report.json) : report.print()
    // After the report: the store may be gone by now.
    for failure in try local.dropBeginnings() {
      Console.talk("cannot remove a useless copy: \(failure)")
    }
    let failed = results.filter { $0.failure != nil }
    let statuses = failed.compactMap { $0.failure?.status }
    guard let status = PulledHost.worst(of: statuses) else { return }
    let names = failed.prefix(5).map(\.host).joined(separator: ", ")
    let more = failed.count > 5 ? " and \(failed.count - 5) more" : ""
    throw CommandFailure(status, "not all of \(names)\(more) is here; the lines above say why")
  }

  /// Refuses values of options that pulls and rounds of a hub have.
  static func check(jobs: Int) throws(CommandFailure) {
    guard jobs >= 1 else { throw CommandFailure(.usage, "--jobs is at least 1") }
  }

  /// The directory for converted files, checked before anything is fetched.
  private func directory() throws(CommandFailure) -> String {
    guard let to else { return "." }
    guard format != nil else {
      throw CommandFailure(
        .usage,
        "--to is where --format FORMAT writes to; give that too, or say with --store where copies go"
      )
    }
    var status = stat()
    guard stat(to, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw CommandFailure(
        .cannotCreate, "\(Plain.text(to)) is no directory; make it, or choose another --to DIR")
    }
    return to
  }

  /// Host names as ssh accepts them. An option in place of a name is refused here, before ssh sees it.
  private static func hosts(_ text: String) throws(CommandFailure) -> [String] {
    let hosts = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    for host in hosts {
      guard SSHDestination.isPlain(host) else {
        throw CommandFailure(
          .usage,
          "\(Plain.text(host).isEmpty ? "nothing" : Plain.text(host)) is no host; give names as ssh takes them, commas between"
        )
      }
    }
    guard Set(hosts).count == hosts.count else {
      throw CommandFailure(.usage, "a host is named twice; name it once")
    }
    return hosts
  }
}

/// The options of `pull` that are passed on to `ssh`.
struct SSHOptions: ParsableArguments {
  @Option(
    name: .customShort("p"), parsing: .unconditional,
    help: ArgumentHelp("The port (passed to ssh).", valueName: "port"))
  var port: String?

  @Option(
    name: .customShort("i"), parsing: .unconditional,
    help: ArgumentHelp("The key's file (passed to ssh).", valueName: "file"),
    completion: .file())
  var identity: String?

  @Option(
    name: .customShort("F"), parsing: .unconditional,
    help: ArgumentHelp("The configuration file (passed to ssh).", valueName: "file"),
    completion: .file())
  var configuration: String?

  @Option(
    name: .customShort("o"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("An option of ssh, such as -o ConnectTimeout=10.", valueName: "option"))
  var options: [String] = []

  @Option(
    help: ArgumentHelp(
      "The program that connects.", discussion: "By default IMULOG_SSH, else ssh.",
      valueName: "program"))
  var ssh: String?

  @Option(
    help: ArgumentHelp(
      "The other machine's store, if not the default; has no effect with a restricted key.",
      valueName: "dir"))
  var remoteStore: String?

  /// The options that are given here; a line of a host file has none of them.
  var given: [String] {
    [
      ("-p", port), ("-i", identity), ("-F", configuration), ("-o", options.first), ("--ssh", ssh),
      ("--remote-store", remoteStore),
    ].compactMap { $1 == nil ? nil : $0 }
  }

  /// The connection that these options and the environment describe.
  var connection: SSHConnection {
    var connection = SSHConnection(program: ssh ?? Environment.value("IMULOG_SSH") ?? "ssh")
    (connection.port, connection.identity) = (port, identity)
    (connection.configuration, connection.options) = (configuration, options)
    connection.remoteStore = remoteStore
    return connection
  }
}

/// The table at the end of a pull.
struct PullReport {
  let hosts: [PulledHost]

  private static let heading = [
    "HOST", "OFFERED", "HERE", "FETCHED", "RUNNING", "FAILED", "FREED", "BYTES", "MB/S",
  ]

  func print() throws {
    let rows = hosts.map { host in
      host.cells + ["\(host.received)", PulledHost.rate(host.received, host.nanoseconds)]
    }
    let isNumeric = PullReport.heading.indices.map { $0 > 0 }
    try Console.data(TextTable.text([PullReport.heading] + rows, isNumeric: isNumeric))
  }

  var json: String {
    JSONWriter.document { json in
      json.member("hosts", hosts, onNewLines: true) { json, host in
        json.object { json in
          json.pulled(host)
        }
      }
    }
  }
}

extension PulledHost {
  /// Its name and counts, under `HOST`, `OFFERED`, `HERE`, `FETCHED`, `RUNNING`, `FAILED` and `FREED`.
  var cells: [String] {
    [Plain.text(host)] + [offered, here, fetched, running, failed, freed].map { "\($0)" }
  }
}

extension JSONWriter {
  /// The members of a host that was pulled from.
  mutating func pulled(_ host: PulledHost) {
    member("host", host.host)
    member("offered", host.offered)
    member("here", host.here)
    member("fetched", host.fetched)
    member("running", host.running)
    member("failed", host.failed)
    member("freed", host.freed)
    member("received_bytes", host.received)
    member("duration_s", number: Plain.number(host.nanoseconds, per: 1_000_000_000))
    member("exitStatus", host.failure?.status.rawValue ?? 0)
  }
}

/// `imulog pull-server`: the process that `imulog pull` starts on the other machine.
struct PullServerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull-server", abstract: "The far end of imulog pull.", shouldDisplay: false)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  mutating func run() throws {
    guard !Console.isTerminal(STDOUT_FILENO) else {
      throw CommandFailure(
        .usage, "pull-server speaks to imulog pull and not to a terminal; run imulog pull HOST")
    }
    ProcessPriority.stepBack()
    let catalogue = try program.openStore(storeOptions)
    var server = PullServer(catalogue, mayFree: true) { ServedMachine.facts(of: catalogue) }
    try server.run()
  }
}
