// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import LogStore
import Text

extension FleetStatus {
  /// The hosts, and a round that ends now and took so many seconds, in Prometheus's text format for the textfile collector of
  /// node_exporter, which refuses time stamps. An unknown gauge has no line.
  package func metrics(now: WallTime, seconds: Double) -> String {
    var text = ""
    func gauge(_ name: String, _ help: String, _ lines: [(labels: String, value: String)]) {
      let key = name.hasPrefix("host_") ? String(name.dropFirst(5)) : name
      let word = TimeWord.of(key).map { " (\($0))" } ?? ""
      text += "# HELP imulog_hub_\(name) \(help)\(word)\n# TYPE imulog_hub_\(name) gauge\n"
      for (labels, value) in lines { text += "imulog_hub_\(name)\(labels) \(value)\n" }
    }
    func each(_ name: String, _ help: String, _ value: (Host) -> String?) {
      gauge(
        "host_\(name)", help,
        hosts.compactMap { host in
          value(host).map { (FleetStatus.labels([("host", host.name)]), $0) }
        })
    }
    each("up", "Whether the last visit went well.") {
      $0.isListed ? ($0.state.problem == nil ? "1" : "0") : nil
    }
    each("last_seen_timestamp_seconds", "When the host answered last.") {
      $0.seen.map { "\($0)" }
    }
    each("last_recording_timestamp_seconds", "When its newest recording here began.") {
      $0.last.map { Plain.number($0, per: 1_000_000_000) }
    }
    each("backlog", "Recordings that it has and that are not here.") {
      $0.state.backlog.map { "\($0)" }
    }
    each("log_bytes", "Bytes of its logs here.") { "\($0.byteCount)" }
    gauge(
      "host_recordings", "Recordings here, by their verdict.",
      hosts.flatMap { host in
        Verdict.allCases.filter { $0 != .live }.map { verdict in
          (
            FleetStatus.labels([("host", host.name), ("verdict", verdict.rawValue)]),
            "\(host.verdicts[verdict.rawValue] ?? 0)"
          )
        }
      })
    each("clock_offset_seconds", "How far its clock is ahead of the hub's.") {
      $0.state.machine.map { Plain.number($0.clockOffset, per: 1_000_000_000) }
    }
    each("clock_synchronised", "Whether its kernel calls its clock synchronised.") {
      $0.state.machine.map { $0.isSynchronised ? "1" : "0" }
    }
    each("free_bytes", "Bytes that are free for its store.") {
      $0.state.machine?.freeBytes.map { "\($0)" }
    }
    gauge(
      "host_info", "Its version, the state of its service, and its labels.",
      hosts.map { host in
        let machine = host.state.machine
        return (
          FleetStatus.labels(
            [
              ("host", host.name), ("version", machine?.software ?? ""),
              ("recorder", machine?.recorder ?? ""),
            ] + host.labels.map { ("label_\($0.name)", $0.value) }), "1"
        )
      })
    gauge(
      "round_timestamp_seconds", "When the last round ended.",
      [("", "\(now.nanoseconds / 1_000_000_000)")])
    gauge(
      "round_duration_seconds", "How long the last round took.",
      [("", Plain.number(seconds, per: 1000))])
    return text
  }

  /// Labels of a line; values escape backslashes, quotes and line feeds.
  private static func labels(_ labels: [(name: String, value: String)]) -> String {
    let texts = labels.map { name, value in
      var escaped = ""
      for scalar in ForeignText.shown(value).unicodeScalars {
        switch scalar {
        case "\\": escaped += "\\\\"
        case "\"": escaped += "\\\""
        case "\n": escaped += "\\n"
        default: escaped.unicodeScalars.append(scalar)
        }
      }
      return "\(name)=\"\(escaped)\""
    }
    return "{\(texts.joined(separator: ","))}"
  }
}
