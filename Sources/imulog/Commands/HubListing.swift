// SPDX-License-Identifier: Apache-2.0

import Files
import Hub
import IMUModel
import LinuxIO
import LogStore
import Terminal
import Text

/// A page of the recordings of all hosts of a hub, newest first, as a table or as JSON.
struct HubListing {
  let hub: HubDirectory
  let filter: ListFilter
  let page: Int
  let json: Bool

  private struct Found {
    let host: String
    let store: Catalogue
    let entry: CatalogueEntry
  }

  func print() throws {
    var problems: [any Error] = []
    let all = try find(&problems)
    let rows = Listing.page(page, of: all).map { found in
      (host: found.host, row: ListRow(found.entry, in: found.store))
    }
    if json {
      try Console.document { json in
        json.member("recordings", rows, onNewLines: true) { $1.row.add(to: &$0, host: $1.host) }
      }
    } else {
      if !rows.isEmpty { try Console.data(HubListing.table(rows)) }
      Listing.printPosition(page, count: all.count, nothing: filter.nothing)
    }
    try Listing.report(problems)
  }

  /// The recordings, newest first.
  private func find(_ problems: inout [any Error]) throws -> [Found] {
    let now = SystemClock().wallTime
    let hosts = try hub.hosts()
    if let wanted = filter.host, !hosts.contains(wanted) {
      throw CommandFailure(
        .noInput, "the hub at \(Plain.text(hub.path)) has no host \(Plain.text(wanted))")
    }
    var all: [Found] = []
    for host in hosts where filter.host ?? host == host {
      do {
        let store = try Catalogue(path: hub.logs(of: host), followsLinks: false)
        let found = try filter.entries(of: store, try store.list().entries, now: now)
        all += found.entries.map { Found(host: host, store: store, entry: $0) }
        problems += found.problems
      } catch {
        problems.append(error)
      }
    }
    return all.sorted {
      ($0.entry.startSeconds, $1.host, $0.entry.number)
        > ($1.entry.startSeconds, $0.host, $1.entry.number)
    }
  }

  private static func table(_ rows: [(host: String, row: ListRow)]) -> String {
    let heading = ["HOST"] + ListRow.heading.dropLast() + ["LABELS", "NOTE"]
    let lines = rows.map { host, row in
      [host] + row.columns.dropLast() + [row.labelCell] + row.columns.suffix(1)
    }
    let isNumeric = [false] + ListRow.isNumeric.prefix(ListRow.heading.count - 1) + [false, false]
    return TextTable.text([heading] + lines, isNumeric: isNumeric)
  }
}
