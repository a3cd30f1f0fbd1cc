// SPDX-License-Identifier: Apache-2.0

import Export
public import IMUModel
import LogStore

/// The hosts of a hub at a glance: what the last visits showed, and what is here of each. No machine is asked.
public struct FleetStatus: Sendable {
  /// A host.
  public struct Host: Sendable {
    /// Its name.
    public let name: String
    /// Its labels, in the order of its line; of one without a line, those of its last one.
    public fileprivate(set) var labels: [HubHost.Label]
    /// Whether the host file has it.
    public let isListed: Bool
    /// What the last visits showed.
    public fileprivate(set) var state: HostState
    /// Recordings here.
    public var recordings = 0
    /// Bytes of their logs.
    public var byteCount: Int64 = 0
    /// Recordings by their verdict, and without one those whose row cannot be read.
    public var verdicts: [String: Int] = [:]
    /// The newest recordings, the newest first.
    public var newest: [Recording] = []

    /// When the newest one began, in nanoseconds since 1970.
    public var last: Int64? { newest.first?.started }
  }

  /// A recording.
  public struct Recording: Sendable {
    let number: Int64
    /// Nanoseconds since 1970.
    let started: Int64?
    let duration: Int64
    let verdict: String
    let note: String
    let labels: String
    /// The motion's levels in thousandths of a unit, for a picture.
    let levels: [Int64]
    let unit: String
  }

  /// The hosts: those of the host file in its order, and then others of which something is here, by name.
  public let hosts: [Host]
  /// Recordings of which a host's newest are kept.
  static let newestCount = 3

  /// Reads what a hub keeps of these hosts, and of those that are not in the host file any more.
  public init(_ hub: HubDirectory, _ listed: [HubHost]) throws(HubError) {
    do {
      let names = Set(listed.map(\.name))
      let others = try hub.hosts().filter { !names.contains($0) }
      hosts =
        try listed.map { host in
          try FleetStatus.host(host.name, host.labels, isListed: true, hub)
        } + others.map { try FleetStatus.host($0, [], isListed: false, hub) }
    } catch {
      throw HubError(error)
    }
  }

  private static func host(
    _ name: String, _ labels: [HubHost.Label], isListed: Bool, _ hub: HubDirectory
  ) throws -> Host {
    var host = Host(name: name, labels: labels, isListed: isListed, state: HostState())
    do {
      host.state = try HostState(of: name, in: hub)
      if !isListed { host.labels = host.state.labels }
      try host.read(hub)
    } catch {
      // The other hosts are shown.
      host.state.problem = CommandFailure(error, else: .inputOutput).sentence
    }
    return host
  }
}

extension FleetStatus.Host {
  /// Reads what is here of it.
  fileprivate mutating func read(_ hub: HubDirectory) throws {
    var rows = try HostRows(of: name, in: hub)
    var all: [FleetStatus.Recording] = []
    for json in try rows.json().values {
      recordings += 1
      guard let row = RecordingRow(json: json) else {
        verdicts["", default: 0] += 1
        continue
      }
      let recording = FleetStatus.Recording(row)
      verdicts[recording.verdict, default: 0] += 1
      byteCount += row.integer("log_bytes") ?? 0
      all.append(recording)
    }
    all.sort { ($0.started ?? .min, $0.number) > ($1.started ?? .min, $1.number) }
    newest = Array(all.prefix(FleetStatus.newestCount))
  }
}

extension FleetStatus.Recording {
  fileprivate init(_ row: RecordingRow) {
    number = row.integer("number") ?? 0
    started = row.integer("started").map { $0 &* 1000 }
    duration = row.integer("duration_ns") ?? 0
    verdict = row.text("verdict") ?? ""
    note = row.text("note") ?? ""
    labels = row.text("label_names") ?? ""
    levels = row.levels
    unit = row.text("channels")?.contains("ax") == true ? "m/s²" : "rad/s"
  }
}

extension FleetStatus.Host {
  /// Seconds by which a clock may differ before it is shown.
  private static let sameClock: Int64 = 2

  /// What is wrong: the last visit, and what prevents its service from recording.
  public var problems: [String] { [state.problem, state.machine?.problem].compactMap { $0 } }

  /// How far its clock is from the hub's: `ok`, `+3 s`, and `?` after it while its kernel calls it unsynchronised.
  public var clockText: String {
    guard let machine = state.machine else { return "?" }
    let seconds = machine.clockOffset / 1_000_000_000
    let isNear = seconds.magnitude < Self.sameClock
    let text = isNear ? "ok" : "\(seconds > 0 ? "+" : "")\(seconds) s"
    return machine.isSynchronised ? text : text + " ?"
  }

  /// The host as an object of JSON.
  public func add(to json: inout JSONWriter) {
    json.object { json in
      json.member("host", name)
      json.member(
        "labels",
        object: { json in
          for label in labels { json.member(label.name, label.value) }
        })
      json.member("listed", isListed)
      json.member("seen", state.seen.map { RFC3339.text(second: $0) + "Z" })
      json.member("lastRecording", last.map { RFC3339.text(nanoseconds: $0) })
      json.member("recordings", recordings)
      json.member("log_bytes", byteCount)
      json.member("backlog", state.backlog)
      json.member(
        "verdicts",
        object: { json in
          for verdict in Verdict.allCases where verdict != .live {
            json.member(verdict.rawValue, verdicts[verdict.rawValue] ?? 0)
          }
        })
      json.machine(state.machine)
      json.member("problem", state.problem)
    }
  }
}
