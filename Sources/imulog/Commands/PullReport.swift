import IMUModel
import Remote

/// The table at the end of a pull.
struct PullReport {
  let hosts: [PulledHost]

  private static let heading = [
    "HOST", "OFFERED", "HERE", "FETCHED", "RUNNING", "FAILED", "FREED", "BYTES", "MB/S",
  ]

  func print() throws {
    let rows = hosts.map { host in
      [
        Plain.text(host.host), "\(host.offered)", "\(host.here)", "\(host.fetched)",
        "\(host.running)", "\(host.failed)", "\(host.freed)", "\(host.received)",
        PulledHost.rate(host.received, host.nanoseconds),
      ]
    }
    let isNumeric = PullReport.heading.indices.map { $0 > 0 }
    try Console.data(TextTable.text([PullReport.heading] + rows, isNumeric: isNumeric))
  }

  var json: String {
    JSONWriter.document { json in
      json.member("hosts", hosts, onNewLines: true) { json, host in
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
          json.member("exitStatus", host.status?.rawValue ?? 0)
        }
      }
    }
  }
}
