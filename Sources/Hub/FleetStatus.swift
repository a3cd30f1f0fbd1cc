// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import LogStore
package import Text

/// The hosts of a hub: what the last visits showed, and what is here of each. No machine is asked.
package struct FleetStatus: Sendable {
  /// The hosts of the host file in its order, and then others with a store, by name.
  package let hosts: [Host]

  /// Reads what a hub keeps of the listed hosts, and of those that left the host file.
  package init(_ hub: HubDirectory, _ listed: [HubHost], now: WallTime) throws(CommandFailure) {
    let names = Set(listed.map(\.name))
    let others = try hub.hosts().filter { !names.contains($0) }
    let present = now.nanoseconds / 1_000_000_000
    var all =
      listed.map { Host($0.name, $0.labels, hub, now: present) }
      + others.map { Host($0, nil, hub, now: present) }
    let isOff = all.compactMap(\.state.machine).disagree
    for index in all.indices { all[index].date(isHubOff: isOff, now: present) }
    hosts = all
  }

  package struct Host: Sendable {
    package let name: String
    /// Those of its line; without a line, of its last one.
    package let labels: [HubHost.Label]
    package let isListed: Bool
    package let state: HostState
    /// When it answered last, in seconds since 1970; `nil` if it never did, or the hub's clock was wrong then.
    package private(set) var seen: Int64?
    /// Numbers of recordings by verdict, which is empty without a readable row.
    package let verdicts: [String: Int]
    package let byteCount: Int64
    /// The newest recordings, newest first; undated ones, and those that began after now, last.
    let newest: [RecordingRow]
    /// When the newest one began, in nanoseconds since 1970.
    package let last: Int64?

    private static let newestCount = 3
    /// Seconds that a time may be after now.
    private static let leeway: Int64 = 60

    /// - Parameter labels: Those of its line; `nil` without a line.
    init(_ name: String, _ labels: [HubHost.Label]?, _ hub: HubDirectory, now: Int64) {
      var state = HostState()
      var rows: [RecordingRow?] = []
      var underived: Int64 = 0
      do {
        state = try HostState(of: name, in: hub)
        var file = try HostRows(of: name, in: hub)
        rows = try file.json().values.map { RecordingRow(json: $0) }
        for entry in try hub.entries(of: name) where file.live[entry.fileName] == nil {
          underived += Int64(try hub.files.status(entry.path, followsLink: false).st_size)
          rows.append(nil)
        }
      } catch {
        state.problem = HubError.failure(error).sentence
      }
      (self.name, self.labels, isListed) = (name, labels ?? state.labels, labels != nil)
      self.state = state
      verdicts = Dictionary(grouping: rows) { $0?.text("verdict") ?? "" }.mapValues(\.count)
      byteCount = rows.reduce(underived) { $0 + ($1?.integer("log_bytes") ?? 0) }
      // A hub's clock that is not set shows no other one to be ahead.
      let latest = now < WallTime.earliestCredible ? Int64.max : now + Host.leeway
      func time(_ row: RecordingRow) -> Int64? {
        row.start.flatMap { $0 / 1_000_000_000 > latest ? nil : $0 }
      }
      let all = rows.compactMap { $0 }
        .sorted { (time($0) ?? .min, $0.number) > (time($1) ?? .min, $1.number) }
      newest = Array(all.prefix(Host.newestCount))
      last = newest.first.flatMap { time($0) }
    }

    package var recordings: Int { verdicts.values.reduce(0, +) }

    /// Sets ``seen``, unless the hub's clock was wrong then or not set.
    fileprivate mutating func date(isHubOff: Bool, now: Int64) {
      guard let time = state.seen, !(isHubOff && state.machine?.isClockWrong == true),
        (WallTime.earliestCredible...max(WallTime.earliestCredible, now + Host.leeway)).contains(
          time)
      else { return }
      seen = time
    }
  }
}

extension RecordingRow {
  var number: Int64 { integer("number") ?? 0 }
  /// When it began, in nanoseconds since 1970.
  var start: Int64? {
    integer("started").flatMap { microseconds in
      let (time, isBeyond) = microseconds.multipliedReportingOverflow(by: 1000)
      return isBeyond ? nil : time
    }
  }
}

extension FleetStatus.Host {
  /// Seconds from which on a clock's difference is shown.
  private static let sameClock: Int64 = 2

  package var problems: [String] { [state.problem, state.machine?.problem].compactMap { $0 } }

  /// Its clock against the hub's: `ok` or `+3 s`, with ` ?` while its kernel considers it unsynchronised.
  package var clockText: String {
    guard let machine = state.machine else { return "?" }
    let seconds = machine.clockOffset / 1_000_000_000
    let isNear = seconds.magnitude < Self.sameClock
    let text = isNear ? "ok" : "\(seconds > 0 ? "+" : "")\(seconds) s"
    return machine.isSynchronised ? text : text + " ?"
  }

  /// - Parameter hasWords: Whether the object stands alone, and so has the words for its times.
  package func add(to json: inout JSONWriter, hasWords: Bool = false) {
    json.object { json in
      json.member("host", name)
      json.key("labels")
      json.object(of: labels)
      json.member("listed", isListed)
      json.member("seen", seen.map { RFC3339.text(second: $0) + "Z" })
      json.member("lastRecording", last.map { RFC3339.text(nanoseconds: $0) })
      json.member("recordings", recordings)
      json.member("log_bytes", byteCount)
      json.member("backlog", state.backlog)
      json.member("verdicts") { json in
        for verdict in Verdict.allCases where verdict != .live {
          json.member(verdict.rawValue, verdicts[verdict.rawValue] ?? 0)
        }
      }
      json.machine(state.machine)
      json.member("problem", state.problem)
      if hasWords { json.words() }
    }
  }
}
