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
    let objects = hosts.map { host in
      JSONObject()
        .with("host", host.host)
        .with("offered", host.offered)
        .with("here", host.here)
        .with("fetched", host.fetched)
        .with("running", host.running)
        .with("failed", host.failed)
        .with("freed", host.freed)
        .with("bytes", host.received)
        .with("nanoseconds", host.nanoseconds)
        .with("status", raw: "\(host.status?.rawValue ?? 0)")
        .text
    }
    return "[" + objects.joined(separator: ",\n ") + "]"
  }
}
