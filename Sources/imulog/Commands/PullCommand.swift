// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Export
import Files
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Remote
import Terminal
import Text

struct PullCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Fetch recordings of another machine that are missing here.",
    discussion: """
      Newest first, over ssh. A copy appears once its SHA-256 matches the original, under its number or the \
      next free one; an interrupted pull resumes. With one recording of several sensors come the others, and \
      --then-free waits for all. Exit status: 0 everything is here.
      """,
    examples: "imulog pull pi",
    "imulog pull pi1,pi2 --then-free",
    "imulog pull pi latest --format csv --to exports/")

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(help: .value("host", "The machine as ssh knows it; several have commas between."))
  var hosts: String

  @Argument(help: .value("id", "Numbers there, `latest`, or beginnings of UUIDs; by default all."))
  var ids: [String] = []

  @Flag(help: "Wait for the end of recordings that are being written.")
  var follow = false

  @Flag(help: "Let the machine move recordings that are proved to be here to its trash.")
  var thenFree = false

  @Option(help: .value("format", "Also export each recording in this format."))
  var format: ExportFormat?

  @Option(
    help: .formats(.fill, "repeat the sample before a tick without one, or leave the tick out"))
  var fill: ExportFill?

  @Option(
    help: .value("dir", "The directory of these exports; by default the working directory."),
    completion: .directory)
  var to: String?

  @Flag(help: "Print the summary as JSON.")
  var json = false

  @Option(
    parsing: .unconditional, help: .value("number", "How many machines to pull from at a time."))
  var jobs = 16

  @OptionGroup var ssh: SSHOptions

  mutating func run() throws {
    let hosts = try PullCommand.hosts(self.hosts)
    try PullCommand.check(jobs: jobs)
    let store = try program.storePath(storeOptions)
    var settings = PullSettings(timeout: ssh.timeout.nanoseconds)
    do {
      settings.ids = try ids.map { try RecordingReference(request: $0) }
    } catch let refusal as RequestRefusal {
      throw CommandFailure.usage("\(refusal)")
    }
    settings.follow = follow
    settings.thenFree = thenFree
    guard fill == nil || format?.takes(.fill) == true else {
      throw CommandFailure.usage(
        "--fill is for --format \(ExportOption.fill.formatNames) alone; leave it out")
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
    var catalogue = try Catalogue.tidied(store, now: SystemClock().wallTime)
    // A file of any name there: --to must not be one of a store's own directories.
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
    if json {
      try PulledHost.printJSON(results) { _, _ in }
    } else {
      try PulledHost.printTable(
        results.map { host in
          (host, ["\(host.received)", PulledHost.rate(host.received, host.nanoseconds)])
        }, ["BYTES", "MB/S"])
    }
    // After the report: the store may be gone by now.
    for failure in try local.dropBeginnings() {
      Console.talk("cannot remove a useless copy: \(failure)")
    }
    let failed = results.filter { $0.failure != nil }
    guard let status = PulledHost.worst(of: failed.compactMap { $0.failure?.status }) else {
      return
    }
    let names = PulledHost.names(failed)
    throw CommandFailure(status, "not all of \(names) is here; the lines above say why")
  }

  /// Refuses values of options that pulls and rounds of a hub have.
  static func check(jobs: Int) throws(CommandFailure) {
    guard jobs >= 1 else { throw CommandFailure.usage("--jobs is at least 1") }
  }

  /// The directory for converted files, checked before anything is fetched.
  private func directory() throws(CommandFailure) -> String {
    guard let to else { return "." }
    guard format != nil else {
      throw CommandFailure.usage(
        "--to needs --format FORMAT, which writes there; copies go to --store DIR")
    }
    guard FileIdentity(path: to)?.isDirectory == true else {
      throw CommandFailure(
        .cannotCreate, "\(Plain.text(to)) is not a directory; make it, or choose another --to DIR")
    }
    return to
  }

  /// Host names. An option in place of a name is refused before ssh sees it.
  private static func hosts(_ text: String) throws(CommandFailure) -> [String] {
    let hosts = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    if let wrong = hosts.first(where: { !SSHDestination.isPlain($0) }) {
      let shown = wrong.isEmpty ? "an empty name" : Plain.text(wrong)
      throw CommandFailure.usage(
        "\(shown) is not a host; give names as ssh takes them, with commas between")
    }
    guard Set(hosts).count == hosts.count else {
      throw CommandFailure.usage("a host is named twice; name it once")
    }
    return hosts
  }
}

/// The connection to other machines.
struct SSHOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: .value("time", "How long a machine may send nothing new; 60s by default."),
    transform: SpanLimits.timeout.span)
  var timeout = Span.minute

  @Option(
    name: .customShort("p"), parsing: .unconditional,
    help: .value("port", "The port (passed to ssh)."))
  var port: String?

  @Option(
    name: .customShort("i"), parsing: .unconditional,
    help: .value("file", "The key's file (passed to ssh)."),
    completion: .file())
  var identity: String?

  @Option(
    name: .customShort("F"), parsing: .unconditional,
    help: .value("file", "The configuration file (passed to ssh)."),
    completion: .file())
  var configuration: String?

  @Option(
    name: .customShort("o"), parsing: .unconditionalSingleValue,
    help: .value("option", "An option of ssh, such as -o ConnectTimeout=10."))
  var options: [String] = []

  @Option(help: .value("program", "The program that connects; by default IMULOG_SSH, else ssh."))
  var ssh: String?

  @Option(
    help: .value(
      "dir", "The other machine's store, if not the default; a restricted key ignores it."))
  var remoteStore: String?

  /// The names of options that are given, and that a line of a host file cannot have.
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

/// The report at the end of a pull, or of a hub's round.
extension PulledHost {
  /// - Parameters:
  ///   - rows: The hosts, and more cells of each.
  ///   - more: The headings of these cells.
  static func printTable(_ rows: [(host: PulledHost, cells: [String])], _ more: [String]) throws {
    let heading =
      ["HOST", "OFFERED", "HERE", "FETCHED", "RUNNING", "FAILED", "FREED"] + more
    let cells = rows.map { host, cells in
      let counts = [host.offered, host.here, host.fetched, host.running, host.failed, host.freed]
      return [Plain.text(host.host)] + counts.map { "\($0)" } + cells
    }
    try Console.data(
      TextTable.text([heading] + cells, isNumeric: heading.indices.map { $0 > 0 }))
  }

  /// - Parameter add: Adds members to the object of the host with this index.
  static func printJSON(
    _ hosts: [PulledHost], _ add: (inout JSONWriter, Int) -> Void
  ) throws {
    try Console.document { json in
      json.member("hosts", hosts.enumerated(), onNewLines: true) { json, item in
        let host = item.element
        json.object { json in
          json.member("host", host.host)
          json.member("offered", host.offered)
          json.member("here", host.here)
          json.member("fetched", host.fetched)
          json.member("running", host.running)
          json.member("failed", host.failed)
          json.member("freed", host.freed)
          json.member("received_bytes", host.received)
          json.member("duration_s", number: Plain.number(host.nanoseconds, per: 1_000_000_000))
          json.member("exitStatus", host.failure?.status.rawValue ?? 0)
          add(&json, item.offset)
        }
      }
    }
  }

  /// The names of the first five, and the number of the others.
  static func names(_ hosts: [PulledHost]) -> String {
    hosts.prefix(5).map(\.host).joined(separator: ", ")
      + (hosts.count > 5 ? " and \(hosts.count - 5) more" : "")
  }
}

struct PullServerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull-server", abstract: "The far end of imulog pull.", shouldDisplay: false)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  mutating func run() throws {
    guard !Console.isTerminal(STDOUT_FILENO) else {
      throw CommandFailure.usage(
        "pull-server speaks to imulog pull and not to a terminal; run imulog pull HOST")
    }
    ProcessPriority.stepBack()
    let catalogue = try program.openStore(storeOptions)
    var server = PullServer(catalogue, mayFree: true) { ServedMachine.facts(of: catalogue) }
    try server.run()
  }
}
