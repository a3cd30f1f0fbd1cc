// SPDX-License-Identifier: Apache-2.0

import Export
package import IMUModel
import LogStore
import Text

extension FleetStatus {
  /// The hosts as a page of HTML without scripts: a table, and pictures of the newest recordings.
  package func page(now: WallTime) -> String {
    let time = FleetPage.time(now.nanoseconds / 1_000_000_000)
    let troubled = hosts.filter { $0.isListed && !$0.problems.isEmpty }
    let summary =
      "\(Plain.count(hosts.count, "host")), \(Plain.count(hosts.reduce(0) { $0 + $1.recordings }, "recording")), "
      + (troubled.isEmpty ? "none with a problem" : "\(troubled.count) with a problem")
    var text =
      FleetPage.head + "<header><h1>Fleet</h1>\n<p>\(summary); made \(time); dates are claimed, "
      + "lengths and the clocks' offsets estimated</p></header>\n"
    text += "<div class=\"wide\"><table>\n<thead><tr>"
    for (name, isNumber) in FleetPage.columns {
      text += "<th scope=\"col\"\(isNumber ? " class=\"n\"" : "")>\(name)</th>"
    }
    text += "</tr></thead>\n<tbody>\n"
    for host in hosts { text += FleetPage.row(host) }
    return text + "</tbody>\n</table></div>\n</body>\n</html>\n"
  }
}

private enum FleetPage {
  static let columns: [(name: String, isNumber: Bool)] = [
    ("Host", false), ("Seen", false), ("Newest recordings", false), ("Recordings", true),
    ("Backlog", true), ("Good", true), ("Flawed", true), ("Damaged", true), ("Clock", true),
    ("Free", true), ("Version", false), ("Service", false),
  ]

  static let head = String(decoding: PackageResources.fleet_html, as: UTF8.self)

  /// In UTC, as the page may be read anywhere.
  static func time(_ seconds: Int64) -> String {
    RFC3339.text(second: seconds).replacing("T", with: " ") + " UTC"
  }

  static func row(_ host: FleetStatus.Host) -> String {
    let (state, machine) = (host.state, host.state.machine)
    let labels = host.labels.map { MarkupText.escaped("\($0.name)=\($0.value)") }
      .joined(separator: "<br>")
    let pictures = host.newest.map { picture($0) }.joined()
    let problem = host.problems.map { MarkupText.escaped($0) }.joined(separator: "<br>")
    let words = host.isListed ? problem : "not in the host file"
    let trouble = words.isEmpty ? "" : "<small class=\"problem bad\">\(words)</small>"
    func number(_ text: String, isBad: Bool = false) -> String {
      "<td class=\"n\(isBad ? " bad" : "")\">\(text)</td>"
    }
    func verdict(_ verdict: Verdict, isBad: Bool) -> String {
      let count = host.verdicts[verdict.rawValue] ?? 0
      return number("\(count)", isBad: isBad && count > 0)
    }
    let seen = host.seen.map { time($0) } ?? (state.seen == nil ? "never" : "-")
    let free = machine?.freeBytes.map { Plain.bytes($0) } ?? "?"
    let backlog = state.backlog.map { "\($0)" } ?? "?"
    let service = machine.map { $0.recorder ?? "none" } ?? "?"
    return "<tr><th scope=\"row\">\(MarkupText.escaped(host.name))<small>\(labels)</small></th>"
      + "<td>\(seen)\(trouble)</td><td>\(pictures)</td>" + number("\(host.recordings)")
      + number(backlog) + verdict(.good, isBad: false) + verdict(.flawed, isBad: true)
      + verdict(.damaged, isBad: true) + number(host.clockText) + number(free)
      + "<td>\(MarkupText.escaped(machine?.software ?? "?"))</td>"
      + "<td>\(MarkupText.escaped(service))</td></tr>\n"
  }

  /// A recording's motion as a filled curve over its whole length.
  private static func picture(_ row: RecordingRow) -> String {
    let (largest, count) = (row.levels.max() ?? 0, row.levels.count)
    var curve = "M0 24"
    for (place, level) in row.levels.enumerated() {
      let height = largest > 0 ? 23 * level / largest : 0
      curve +=
        "L\(9600 * place / max(1, count)) \(24 - height)H\(9600 * (place + 1) / max(1, count))"
    }
    curve += "V24Z"
    let start = row.start.map { time(Int64.floored($0, by: 1_000_000_000).whole) } ?? "undated"
    let duration = Plain.length(row.integer("duration_ns") ?? 0)
    let (labels, note) = (row.text("label_names") ?? "", row.text("note") ?? "")
    let title =
      "recording \(row.number), \(start), \(duration), \(row.text("verdict") ?? "")"
      + (labels.isEmpty ? "" : ", \(labels)") + (note.isEmpty ? "" : ": \(note)")
    let unit = row.text("channels")?.contains("ax") == true ? "m/s²" : "rad/s"
    let peak = "\(Plain.number(largest, per: 1000)) \(unit)"
    return "<figure><svg viewBox=\"0 0 9600 24\" preserveAspectRatio=\"none\" role=\"img\"><title>"
      + "\(MarkupText.escaped(title))</title><path d=\"\(curve)\"/></svg><figcaption>"
      + "\(row.number), \(duration), \(peak)</figcaption></figure>"
  }
}
